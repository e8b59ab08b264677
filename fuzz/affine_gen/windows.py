# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random affine programs whose readers want windows of what was written.

Chains of stages, each a nest that writes a buffer whole: stencils, convolutions and pools with
strides and dilation, upsampling, padding (a fill, then a nest for the middle), transposes, sums over a
row, accumulation in memory. Now and then a stage reads two buffers, a buffer has two
readers, or a stage goes backwards. Extents follow from the windows, so that every index is in bounds."""

from dataclasses import dataclass

from fuzz.affine_gen.gen import Buffer, Program, Writer
from fuzz.memref_gen.rng import Rng


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
        return Writer(self.rng, str(self.number))

    def local(self, dims):
        b = Buffer(f"%t{len(self.program.local)}", tuple(dims))
        self.program.local.append(b)
        return b

    def source(self):
        return self.ready[-1] if self.rng.chance(0.75) else self.rng.pick(self.ready)

    def done(self, w, buffer):
        self.program.steps.append("\n".join(w.lines))
        if buffer not in self.ready:
            self.ready.append(buffer)

    def nest(self, w, sizes, order=None):
        names = [w.fresh("i") for _ in sizes]
        for k in order or range(len(sizes)):
            w.open(f"affine.for {names[k]} = 0 to {sizes[k]} {{")
        return names

    def order(self, rank):
        order = list(range(rank))
        if rank > 1 and self.rng.chance(0.15):
            order.reverse()
        return order

    def load(self, w, buffer, indices):
        name = w.fresh()
        w.line(f"{name} = affine.load {buffer.name}[{', '.join(indices)}] : {buffer.type}")
        return name

    def store(self, w, value, buffer, indices):
        w.line(f"affine.store {value}, {buffer.name}[{', '.join(indices)}] : {buffer.type}")

    def close(self, w, count):
        for _ in range(count):
            w.close()

    def stencil(self, target=None):
        """Unrolled loads of a window."""
        source, w = self.source(), self.writer()
        windows = [window(self.rng, d) for d in source.dims]
        dims = [x.extent(d) for x, d in zip(windows, source.dims)]
        b = target(dims) if target else self.local(dims)
        i = self.nest(w, dims, self.order(len(dims)))
        values = []
        for _ in range(1 + self.rng.below(4)):
            taps = [str(self.rng.below(x.length)) for x in windows]
            values.append(self.load(w, source, [x.index(n, t) for x, n, t in zip(windows, i, taps)]))
        other = self.other(dims)
        if other:
            values.append(self.load(w, other, i))
        self.store(w, w.mix(values), b, i)
        self.close(w, len(dims))
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
            self.store(w, w.constant(self.rng.below(99)), b, i)
            self.close(w, len(dims))
            self.done(w, b)
            w = self.writer()
            i = self.nest(w, dims, self.order(len(dims)))
        else:
            i = self.nest(w, dims, self.order(len(dims)))
            self.store(w, w.constant(self.rng.below(99)), b, i)
        k = self.nest(w, [x.length for x in windows])
        read = [x.index(n, m) for x, n, m in zip(windows, i, k)]
        self.store(w, w.mix([self.load(w, b, i), self.load(w, source, read)]), b, i)
        self.close(w, 2 * len(dims))
        self.done(w, b)

    def pad(self):
        source, w = self.source(), self.writer()
        dims = [d + 2 for d in source.dims]
        b = self.local(dims)
        i = self.nest(w, dims)
        self.store(w, w.constant(self.rng.below(9)), b, i)
        self.close(w, len(dims))
        self.done(w, b)
        w = self.writer()
        i = self.nest(w, source.dims, self.order(len(dims)))
        self.store(w, w.mix([self.load(w, source, i)]), b, [f"{n} + 1" for n in i])
        self.close(w, len(dims))
        self.done(w, b)

    def upsample(self):
        source, w = self.source(), self.writer()
        factor = 2 if self.rng.chance(0.7) else 3
        b = self.local([source.dims[0] * factor, *source.dims[1:]])
        i = self.nest(w, source.dims)
        r = self.nest(w, [factor])
        value = w.mix([self.load(w, source, i)])
        self.store(w, value, b, [f"{i[0]} * {factor} + {r[0]}", *i[1:]])
        self.close(w, len(i) + 1)
        self.done(w, b)

    def transpose(self):
        source, w = self.source(), self.writer()
        b = self.local(reversed(source.dims))
        i = self.nest(w, b.dims, self.order(len(b.dims)))
        read = list(reversed(i))
        if self.rng.chance(0.3):
            read[0] = f"{source.dims[0] - 1} - {read[0]}"
        self.store(w, w.mix([self.load(w, source, read)]), b, i)
        self.close(w, len(i))
        self.done(w, b)

    def row_sum(self):
        """Each row by its sum."""
        source, w = self.source(), self.writer()
        b = self.local(source.dims)
        i = self.nest(w, source.dims[:1])
        zero, total, carried, j = w.constant(1), w.fresh(), w.fresh("s"), w.fresh("j")
        rest = ["0"] * (len(source.dims) - 2)
        w.open(f"{total} = affine.for {j} = 0 to {source.dims[-1]} iter_args({carried} = {zero}) -> (i32) {{")
        value = self.load(w, source, (i + rest + [j])[-len(source.dims):] if len(source.dims) > 1 else [j])
        w.line(f"affine.yield {w.mix([carried, value])} : i32")
        w.close()
        k = self.nest(w, source.dims[1:])
        self.store(w, w.mix([total, self.load(w, source, i + k)]), b, i + k)
        self.close(w, len(source.dims))
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
