#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of stream-rows grows with the ops of a function.

    python3 -m bench.rows.growth [--output FILE] [--limit SECONDS] [--sizes N ...] [SHAPE ...]

Tells processor time without that of reading the input, the power of its growth over the last doubling (1 is
linear), and the arena's share. With --limit, fails where a function takes longer.
"""

import re

from bench import growing, measure

SIZES = [1250, 2500, 5000]
ROWS, COLUMNS = 48, 16


class Network:
    """linalg ops on memrefs of ROWS rows, counted."""

    def __init__(self):
        self.lines, self.ops, self.names = [], 0, 0

    def add(self, text):
        self.lines.append("  " + text)

    def alloc(self, columns=COLUMNS, rows=ROWS):
        self.names += 1
        t = f"memref<{rows}x{columns}xf32>"
        self.add(f"%b{self.names} = memref.alloc() : {t}")
        return f"%b{self.names}", t

    def op(self, name, sources, target):
        ins = ", ".join(s[0] for s in sources), ", ".join(s[1] for s in sources)
        self.add(f"linalg.{name} ins({ins[0]} : {ins[1]}) outs({target[0]} : {target[1]})")
        self.ops += 1
        return target

    def part(self, source, first, columns, whole):
        """Some of its columns."""
        self.names += 1
        t = f"memref<{ROWS}x{columns}xf32, strided<[{whole}, 1], offset: {first}>>"
        self.add(f"%b{self.names} = memref.subview {source[0]}[0, {first}] [{ROWS}, {columns}] [1, 1] : {source[1]} to {t}")
        return f"%b{self.names}", t

    def copy(self, source, target):
        self.add(f"memref.copy {source[0]}, {target[0]} : {source[1]} to {target[1]}")
        self.ops += 1

    def window(self, source, rows):
        """A sum over three rows: of one row more on each side, a frame filled before."""
        frame, inner = self.alloc(rows=rows + 2), self.names + 1
        self.names += 1
        t = f"memref<{rows}x{COLUMNS}xf32, strided<[{COLUMNS}, 1], offset: {COLUMNS}>>"
        self.op("fill", [("%zero", "f32")], frame)
        self.add(f"%b{inner} = memref.subview {frame[0]}[1, 0] [{rows}, {COLUMNS}] [1, 1] : {frame[1]} to {t}")
        self.copy(source, (f"%b{inner}", t))
        made = self.op("fill", [("%zero", "f32")], self.alloc(rows=rows))
        self.add("linalg.generic {indexing_maps = [#window, #kernel, #row], "
                 f'iterator_types = ["parallel", "parallel", "reduction"]}} ins({frame[0]}, %k : {frame[1]}, memref<3xf32>) '
                 f"outs({made[0]} : {made[1]}) {{\n  ^bb0(%a: f32, %b: f32, %c: f32):\n"
                 "    %d = arith.addf %a, %c : f32\n    linalg.yield %d : f32\n  }")
        self.ops += 1
        return made


INPUT = "%x", f"memref<{ROWS}x{COLUMNS}xf32>"


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


SHAPES = {s.__name__.replace("_", " "): s for s in (chain, windows, residuals, dense, join, joins, in_place, readers)}

TOP = """#row = affine_map<(r, c, k) -> (r, c)>
#window = affine_map<(r, c, k) -> (r + k, c)>
#kernel = affine_map<(r, c, k) -> (k)>
"""


def program(shape, ops):
    net = Network()
    made = SHAPES[shape](net, ops)
    arguments = f"%x: {INPUT[1]}, %n: memref<{ROWS}x4xf32>, %k: memref<3xf32>"
    return "\n".join([f"{TOP}func.func @f({arguments}) -> {made[1]} {{", "  %zero = arith.constant 0.0 : f32", *net.lines,
                      f"  return {made[0]} : {made[1]}", "}"])  # fmt: skip


def run(opt, shape, ops):
    """Processor time of the pass, without parser and output."""
    text, command = program(shape, ops), [opt, "-", "-o", "/dev/null"]
    read, _ = measure.processor_seconds(command, text)
    seconds, _ = measure.processor_seconds([*command, "--stream-rows"], text)
    return max(seconds - read, 0.001)


def share(opt, shape, ops):
    """Of the arena without streams."""
    _, said = measure.processor_seconds([opt, "-", "-o", "/dev/null", "--stream-rows=report=text"], program(shape, ops))
    before, after = map(int, re.search(r"arenas: (\d+) bytes before, (\d+) after", said).groups())
    return f"{after / before:.4f}"


HEAD = """\
Written by `python3 -m bench.rows.growth --output FILE`, which `make bench` runs.

{machine}

Processor time by the number of linalg ops and copies, without that of a run that only reads the input; the power of its
growth over the last doubling (1 is linear); and the arena as a share of that without streams, of the most ops.

{notes}"""

if __name__ == "__main__":
    growing.main(growing.Growth(__doc__, SHAPES, SIZES, program, run, "stream-rows and functions that grow", HEAD,
                                unit="ops", last="arena", tell=share))  # fmt: skip
