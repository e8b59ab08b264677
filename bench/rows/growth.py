#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of stream-rows grows with the ops of a function.

    python3 -m bench.rows.growth [--output FILE] [--limit SECONDS] [--sizes N ...] [SHAPE ...]

Tells processor time without that of reading the input, the power of its growth over the last doubling (1 is
linear), the arena's share, and the ops of a stream for one before. With --limit, fails where a function takes longer.
"""

import re
from random import Random

from bench import growing, measure
from testing import stream_ops

SIZES = [1250, 2500, 5000]
ROWS, COLUMNS, MOST = 48, 16, 96


class Network:
    """linalg ops on memrefs of ROWS rows and at most MOST columns, counted."""

    def __init__(self):
        self.lines, self.ops, self.names = [], 0, 0

    def add(self, text):
        self.lines.append("  " + text)

    def alloc(self, columns=COLUMNS, rows=ROWS):
        return self.buffer(rows, columns)

    def buffer(self, *shape):
        self.names += 1
        t = f"memref<{'x'.join(map(str, shape))}xf32>"
        self.add(f"%b{self.names} = memref.alloc() : {t}")
        return f"%b{self.names}", t

    def op(self, name, sources, target, attributes=""):
        names, types = (", ".join(parts) for parts in zip(*sources))
        self.add(f"linalg.{name} ins({names} : {types}) outs({target[0]} : {target[1]}){attributes}")
        self.ops += 1
        return target

    def fill(self, target):
        return self.op("fill", [("%zero", "f32")], target)

    def view(self, kind, source, how, t):
        self.names += 1
        self.add(f"%b{self.names} = memref.{kind} {source[0]}{how} : {source[1]} to {t}")
        return f"%b{self.names}", t

    def weights(self, rows, columns):
        """A part of those that the function is given."""
        return self.view("subview", WEIGHTS, f"[0, 0] [{rows}, {columns}] [1, 1]",
                         f"memref<{rows}x{columns}xf32, strided<[{MOST}, 1]>>")  # fmt: skip

    def part(self, source, first, columns, whole):
        """Some of its columns."""
        return self.view("subview", source, f"[0, {first}] [{ROWS}, {columns}] [1, 1]",
                         f"memref<{ROWS}x{columns}xf32, strided<[{whole}, 1], offset: {first}>>")  # fmt: skip

    def copy(self, source, target):
        self.add(f"memref.copy {source[0]}, {target[0]} : {source[1]} to {target[1]}")
        self.ops += 1

    def window(self, source, rows):
        """A sum over three rows: of one row more on each side, a frame filled before."""
        frame = self.fill(self.alloc(rows=rows + 2))
        self.copy(source, self.view("subview", frame, f"[1, 0] [{rows}, {COLUMNS}] [1, 1]",
                                    f"memref<{rows}x{COLUMNS}xf32, strided<[{COLUMNS}, 1], offset: {COLUMNS}>>"))  # fmt: skip
        made = self.fill(self.alloc(rows=rows))
        self.add("linalg.generic {indexing_maps = [#window, #kernel, #row], "
                 f'iterator_types = ["parallel", "parallel", "reduction"]}} ins({frame[0]}, %k : {frame[1]}, memref<3xf32>) '
                 f"outs({made[0]} : {made[1]}) {{\n  ^bb0(%a: f32, %b: f32, %c: f32):\n"
                 "    %d = arith.addf %a, %c : f32\n    linalg.yield %d : f32\n  }")
        self.ops += 1
        return made


INPUT = "%x", f"memref<{ROWS}x{COLUMNS}xf32>"
WEIGHTS = "%w", f"memref<{MOST}x{MOST}xf32>"


def chain(net, ops):
    """each op reads what the one before it made"""
    last = INPUT
    while net.ops < ops:
        last = net.op("abs", [last], net.alloc())
    return last


def windows(net, ops):
    """sums over three rows, one after the other, each with a frame: four ops of a layer"""
    last = INPUT
    while net.ops < ops:
        last = net.window(last, ROWS)
    return last


def residuals(net, ops):
    """three layers, of which one has a window, and what they began with added"""
    last = INPUT
    while net.ops < ops:
        begun = last
        last = net.window(net.op("abs", [last], net.alloc()), ROWS)
        last = net.op("add", [last, begun], net.alloc())
    return last


def dense(net, ops):
    """each op adds what the ten before it made, two by two"""
    made = [INPUT]
    while net.ops < ops:
        last = made[-1]
        for other in made[-10:-1]:
            last = net.op("add", [last, other], net.alloc())
        made.append(net.op("abs", [last], net.alloc()))
    return made[-1]


def join(net, ops):
    """one concatenation of half as many parts as there are ops"""
    parts = ops // 2
    whole = net.alloc(columns=4 * parts)
    for i in range(parts):
        made = net.op("abs", [("%n", f"memref<{ROWS}x4xf32>")], net.alloc(columns=4))
        net.copy(made, net.part(whole, 4 * i, 4, 4 * parts))
    return net.op("exp", [whole], net.alloc(columns=4 * parts))


def convolutions(net, ops):
    """3 x 3 convolutions of images, each with a frame and an activation: five ops of a layer"""
    whole, columns = [1, ROWS, COLUMNS, 4], COLUMNS + 2
    inner = f"memref<1x{ROWS}x{COLUMNS}x4xf32, strided<[{(ROWS + 2) * columns * 4}, {columns * 4}, 4, 1], offset: {(columns + 1) * 4}>>"
    last = net.fill(net.buffer(*whole))
    while net.ops < ops:
        frame = net.fill(net.buffer(1, ROWS + 2, columns, 4))
        net.copy(last, net.view("subview", frame, f"[0, 1, 1, 0] {whole} [1, 1, 1, 1]", inner))
        made = net.fill(net.buffer(*whole))
        net.op("conv_2d_nhwc_hwcf", [frame, ("%f", "memref<3x3x4x4xf32>")], made)
        last = net.op("abs", [made], net.buffer(*whole))
    return last


def transformer(net, ops):
    """layers of attention and a product, each added to what it began with: fourteen ops of a layer"""

    def product(left, right, columns=COLUMNS):
        return net.op("matmul", [left, right], net.fill(net.buffer(ROWS, columns)))

    last = INPUT
    while net.ops < ops:
        query, key = product(last, net.weights(COLUMNS, COLUMNS)), product(last, net.weights(COLUMNS, COLUMNS))
        turned = net.op("transpose", [key], net.buffer(COLUMNS, ROWS), " permutation = [1, 0]")
        scores = net.op("exp", [product(query, turned, ROWS)], net.buffer(ROWS, ROWS))
        last = net.op("add", [product(scores, key), last], net.alloc())
        last = net.op("add", [product(last, net.weights(COLUMNS, COLUMNS)), last], net.alloc())
    return last


def odd(net, ops):
    """products of random widths: no two layers are alike"""
    random, last, width = Random(0), INPUT, COLUMNS
    while net.ops < ops:
        wide = random.randrange(4, MOST + 1)
        made = net.fill(net.buffer(ROWS, wide))
        net.op("matmul", [last, net.weights(width, wide)], made)
        last, width = net.op("abs", [made], net.buffer(ROWS, wide)), wide
    return last


def joins(net, ops):
    """concatenations of two, one after the other"""
    last, half = INPUT, COLUMNS // 2
    while net.ops < ops:
        whole = net.alloc()
        for i in range(2):
            made = net.op("abs", [net.part(last, half * i, half, COLUMNS)], net.alloc(columns=half))
            net.copy(made, net.part(whole, half * i, half, COLUMNS))
        last = whole
    return last


def in_place(net, ops):
    """all ops write one buffer"""
    target = net.op("abs", [INPUT], net.alloc())
    while net.ops < ops:
        net.op("add", [target, INPUT], target)
    return net.op("exp", [target], net.alloc())


def readers(net, ops):
    """half of the ops read one buffer, the others add up what those made"""
    first = net.op("abs", [INPUT], net.alloc())
    last = first
    while net.ops < ops:
        last = net.op("add", [net.op("exp", [first], net.alloc()), last], net.alloc())
    return last


SHAPES = {s.__name__.replace("_", " "): s for s in (chain, windows, convolutions, residuals, transformer, dense, odd, join, joins, in_place, readers)}

TOP = """#row = affine_map<(r, c, k) -> (r, c)>
#window = affine_map<(r, c, k) -> (r + k, c)>
#kernel = affine_map<(r, c, k) -> (k)>
"""


def program(shape, ops):
    net = Network()
    made = SHAPES[shape](net, ops)
    arguments = (f"%x: {INPUT[1]}, %n: memref<{ROWS}x4xf32>, %k: memref<3xf32>, %f: memref<3x3x4x4xf32>, "
                 f"%w: {WEIGHTS[1]}")
    return "\n".join([f"{TOP}func.func @f({arguments}) -> {made[1]} {{", "  %zero = arith.constant 0.0 : f32", *net.lines,
                      f"  return {made[0]} : {made[1]}", "}"])  # fmt: skip


def run(opt, shape, ops):
    """Processor time of the pass, without parser, and without the verifier that every pass pays."""
    text, command = program(shape, ops), [opt, "-", "-o", "/dev/null"]
    read, _ = measure.processor_seconds(command, text)
    seconds, _ = measure.processor_seconds([*command, "--stream-rows", "--verify-each=false"], text)
    return max(seconds - read, 0.001)


def gain(opt, shape, ops):
    """The arena as a share of that without streams, and how many ops a stream has for one that was there before."""
    text = program(shape, ops)
    _, said = measure.processor_seconds([opt, "-", "-o", "/dev/null", "--stream-rows=report=text"], text)
    before, after = map(int, re.search(r"arenas: (\d+) bytes before, (\d+) ", said).groups())
    most = max((after / before for before, after in stream_ops.counts(opt, text)), default=1)
    return f"{after / before:.4f}, {most:.1f}"


HEAD = """\
Written by `python3 -m bench.rows.growth --output FILE`, which `make bench` runs.

{machine}

Processor time by the number of linalg ops and copies, without that of a run that only reads the input, and without the
verifier behind the pass; the power of its growth over the last doubling (1 is linear); and of the most ops, the arena as
a share of that without streams, and how many ops a stream has for one that was there before, bodies and all, in the stream
where these are most.

{notes}"""

if __name__ == "__main__":
    growing.main(growing.Growth(__doc__, SHAPES, SIZES, program, run, "stream-rows and functions that grow", HEAD,
                                unit="ops", last="arena, ops", tell=gain))  # fmt: skip
