# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random affine programs whose readers want windows of what was written.

Chains of stages, each a nest that writes a buffer whole: stencils, convolutions and pools with
strides and dilation, upsampling, padding (a fill, then a nest for the middle), transposes, sums over a
row, accumulation in memory. Now and then a stage reads two buffers, a buffer has two
readers, or a stage reads or writes backwards. Loops are those of affine, of scf, or parallel. Extents follow from the
windows, so that every index is in bounds."""

from dataclasses import dataclass

from fuzz.affine_gen.gen import Buffer, Program, Writer, load, store
from fuzz.rng import Rng


@dataclass(frozen=True)
class Window:
    """How a dimension of a result reads one of its source: cell i reads stride * i + dilation * k."""

    stride: int
    dilation: int
    length: int

    def extent(self, size):
        return (size - (self.length - 1) * self.dilation - 1) // self.stride + 1

    def index(self, i, k):
        scaled = i if self.stride == 1 else f"{i} * {self.stride}"
        if self.length == 1:
            return scaled
        return f"{scaled} + " + (k if self.dilation == 1 else f"{k} * {self.dilation}")


POINT = Window(1, 1, 1)


def window(rng, size):
    for _ in range(8):
        w = Window(rng.pick([1, 1, 1, 2, 3]), rng.pick([1, 1, 2]), 1 + rng.below(4))
        if rng.chance(0.2):
            w = POINT
        if size >= (w.length - 1) * w.dilation + 1:
            return w
    return POINT


class Stages:
    def __init__(self, program, rng):
        self.program, self.rng, self.number = program, rng, 0
        self.ready = [program.args[0]]

    def writer(self):
        self.number += 1
        w = Writer(self.rng, str(self.number))
        self.parallel = self.rng.chance(0.15)
        w.scf = self.rng.chance(0.5 if self.parallel else 0.15)
        return w

    def local(self, dims):
        b = Buffer(f"%t{len(self.program.local)}", tuple(dims))
        self.program.local.append(b)
        return b

    def source(self):
        return self.ready[-1] if self.rng.chance(0.75) else self.rng.pick(self.ready)

    def done(self, w, buffer):
        while w.depth > 2:
            w.close()
        self.program.steps.append("\n".join(w.lines))
        if buffer not in self.ready:
            self.ready.append(buffer)

    def nest(self, w, sizes, order=None):
        """Loops over a result, each of whose iterations writes cells of its own."""
        names = [w.fresh("i") for _ in sizes]
        order = list(order or range(len(sizes)))
        if not self.parallel:
            for k in order:
                w.loop(names[k], 0, sizes[k])
            return names
        variables, ends = ", ".join(names[k] for k in order), [sizes[k] for k in order]
        if w.scf:
            low, one = w.index_constant(0), w.index_constant(1)
            ends = [w.index_constant(e) for e in ends]
            w.open(f"scf.parallel ({variables}) = ({', '.join([low] * len(ends))}) to ({', '.join(ends)}) "
                   f"step ({', '.join([one] * len(ends))}) {{")
        else:
            w.open(f"affine.parallel ({variables}) = ({', '.join(['0'] * len(ends))}) to "
                   f"({', '.join(map(str, ends))}) {{")
        return names

    def inner(self, w, sizes):
        """Loops in a nest, in their order."""
        names = [w.fresh("k") for _ in sizes]
        for name, size in zip(names, sizes):
            w.loop(name, 0, size)
        return names

    def turned(self, indices, buffer, chance):
        """Some of the indices run from the end of the buffer."""
        return [f"{d - 1} - ({i})" if self.rng.chance(chance) else i for i, d in zip(indices, buffer.dims)]

    def order(self, rank):
        order = list(range(rank))
        if rank > 1 and self.rng.chance(0.15):
            order.reverse()
        return order

    def stencil(self, target=None):
        """Unrolled loads of a window."""
        source, w = self.source(), self.writer()
        windows = [window(self.rng, d) for d in source.dims]
        dims = [x.extent(d) for x, d in zip(windows, source.dims)]
        b = target(dims) if target else self.local(dims)
        i = self.nest(w, dims, self.order(len(dims)))
        values, way = [], self.rng.pick([0, 0, 0, 0, 1, 0.3])
        for _ in range(1 + self.rng.below(4)):
            taps = [str(self.rng.below(x.length)) for x in windows]
            values.append(load(w, source, self.turned([x.index(n, t) for x, n, t in zip(windows, i, taps)], source, way)))
        other = self.other(dims)
        if other:
            values.append(load(w, other, i))
        store(w, w.mix(values), b, self.turned(i, b, 0.05))
        self.done(w, b)

    def other(self, dims):
        """Another buffer that is as large at least."""
        fit = [b for b in self.ready if len(b.dims) == len(dims)
               and all(x >= d for x, d in zip(b.dims, dims))]  # fmt: skip
        return self.rng.pick(fit) if fit and self.rng.chance(0.3) else None

    def convolution(self, target=None):
        """Loops over the window; the sum is in memory or carried."""
        source, w = self.source(), self.writer()
        windows = [window(self.rng, d) for d in source.dims]
        dims = [x.extent(d) for x, d in zip(windows, source.dims)]
        b = target(dims) if target else self.local(dims)
        if self.rng.chance(0.4):
            i = self.nest(w, dims, self.order(len(dims)))
            store(w, w.constant(self.rng.below(99)), b, i)
            self.done(w, b)
            w = self.writer()
            i = self.nest(w, dims, self.order(len(dims)))
        else:
            i = self.nest(w, dims, self.order(len(dims)))
            store(w, w.constant(self.rng.below(99)), b, i)
        k = self.inner(w, [x.length for x in windows])
        read = self.turned([x.index(n, m) for x, n, m in zip(windows, i, k)], source, self.rng.pick([0, 0, 0, 1]))
        store(w, w.mix([load(w, b, i), load(w, source, read)]), b, i)
        self.done(w, b)

    def pad(self):
        source, w = self.source(), self.writer()
        dims = [d + 2 for d in source.dims]
        b = self.local(dims)
        i = self.nest(w, dims)
        store(w, w.constant(self.rng.below(9)), b, i)
        self.done(w, b)
        w = self.writer()
        i = self.nest(w, source.dims, self.order(len(dims)))
        store(w, w.mix([load(w, source, i)]), b, [f"{n} + 1" for n in i])
        self.done(w, b)

    def upsample(self):
        source, w = self.source(), self.writer()
        factor = 2 if self.rng.chance(0.7) else 3
        b = self.local([source.dims[0] * factor, *source.dims[1:]])
        i = self.nest(w, source.dims)
        r = self.inner(w, [factor])
        copy = w.fresh()
        w.line(f"{copy} = arith.index_cast {r[0]} : index to i32")
        value = w.mix([load(w, source, i), copy])
        store(w, value, b, [f"{i[0]} * {factor} + {r[0]}", *i[1:]])
        self.done(w, b)

    def transpose(self):
        source, w = self.source(), self.writer()
        b = self.local(reversed(source.dims))
        i = self.nest(w, b.dims, self.order(len(b.dims)))
        read = list(reversed(i))
        if self.rng.chance(0.3):
            read[0] = f"{source.dims[0] - 1} - {read[0]}"
        store(w, w.mix([load(w, source, read)]), b, i)
        self.done(w, b)

    def row_sum(self):
        """Each row by its sum."""
        source, w = self.source(), self.writer()
        b = self.local(source.dims)
        i = self.nest(w, source.dims[:1])
        zero, total, carried, j = w.constant(1), w.fresh(), w.fresh("s"), w.fresh("j")
        rest = ["0"] * (len(source.dims) - 2)
        w.loop(j, 0, source.dims[-1], carried=(total, carried, zero))
        value = load(w, source, (i + rest + [j])[-len(source.dims):] if len(source.dims) > 1 else [j])
        w.end_carrying(w.mix([carried, value]))
        k = self.inner(w, source.dims[1:])
        store(w, w.mix([total, load(w, source, i + k)]), b, i + k)
        self.done(w, b)

    def stage(self):
        kinds = [("stencil", 5), ("convolution", 4), ("pad", 1.5), ("upsample", 1), ("transpose", 0.8),
                 ("row_sum", 0.8)]  # fmt: skip
        getattr(self, self.rng.weighted(kinds))()


def generate(seed):
    rng = Rng(seed * 7919 + 29)
    rank = rng.weighted([(1, 2), (2, 6), (3, 2)])
    dims = tuple(4 + rng.below(11 if rank < 3 else 5) for _ in range(rank))
    p = Program(f"p{seed}", [Buffer("%a0", dims)], [])
    stages = Stages(p, rng)
    for _ in range(1 + rng.below(4)):
        stages.stage()

    def result(extent):
        p.args.append(Buffer("%a1", tuple(extent)))
        return p.args[-1]

    (stages.convolution if rng.chance(0.4) else stages.stencil)(result)
    if rng.chance(0.1):
        p.returned = p.local[-1]
    return p
