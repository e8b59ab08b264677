#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of buffer-deallocation and the passes around it grows with functions.

    python3 -m bench.dealloc.growth [--only SHAPE ...] [--output FILE]

The shapes of bench/growth.py without their deallocs, and more that are hard on ownership. Processor
time of the whole process less that of one that only parses and prints; the power is that of the
time over the last doubling: 1 is linear.
"""

import math
import tempfile
from pathlib import Path

from bench import growth, measure
from testing import tables

T = "memref<8xf32>"
HEAD = f"""func.func private @choose() -> i1
func.func private @use({T})
func.func @f(%c: i1, %x: {T}, %n: index, %one: index) {{"""
PASSES = ["buffer-deallocation", "buffer-deallocation{prefer=clones}", "buffer-deallocation{tighten}",
          "hoist-allocations", "promote-allocs-to-stack", "lower-clones{simplify-only}"]


def use(value):
    return f"func.call @use({value}) : ({T}) -> ()"


def new(value):
    return f"{value} = memref.alloc() : {T}"


def ifs(n):
    """results of scf.if that are an argument or a new buffer"""
    for i in range(n):
        yield f"%r{i} = scf.if %c -> {T} {{\nscf.yield %x : {T}\n}} else {{"
        yield f"{new(f'%a{i}')}\nscf.yield %a{i} : {T}\n}}\n{use(f'%r{i}')}"


def chained_ifs(n):
    """the same, each of the one before"""
    last = "%x"
    for i in range(n):
        yield f"%r{i} = scf.if %c -> {T} {{\nscf.yield {last} : {T}\n}} else {{"
        yield f"{new(f'%a{i}')}\nscf.yield %a{i} : {T}\n}}"
        last = f"%r{i}"
    yield use(last)


def blocks(n, backwards=False):
    """blocks in a row, each handing on its argument or a new buffer"""
    texts = [f"^b{i}(%p{i}: {T}):\n{use(f'%p{i}')}\n{new(f'%a{i}')}\n"
             f"%k{i} = func.call @choose() : () -> i1\n"
             f"cf.cond_br %k{i}, ^b{i + 1}(%a{i} : {T}), ^b{i + 1}(%p{i} : {T})" for i in range(n)]
    yield f"{new('%a')}\ncf.br ^b0(%a : {T})"
    yield from reversed(texts) if backwards else texts
    yield f"^b{n}(%p{n}: {T}):"


def blocks_backwards(n):
    """the same, the last block first"""
    return blocks(n, backwards=True)


def loops(n):
    """loops of blocks in a row, with a buffer carried through all"""
    yield f"{new('%a')}\ncf.br ^b0(%a : {T})"
    for i in range(n):
        yield f"^b{i}(%p{i}: {T}):\n{use(f'%p{i}')}\n{new(f'%a{i}')}"
        yield f"%k{i} = func.call @choose() : () -> i1"
        yield f"cf.cond_br %k{i}, ^b{i}(%a{i} : {T}), ^b{i + 1}(%p{i} : {T})"
    yield f"^b{n}(%p{n}: {T}):"


def carried(n):
    """one loop that carries buffers, first an argument, then new ones"""
    types = ", ".join([T] * n)
    pairs = ", ".join(f"%p{i} = %x" for i in range(n))
    yield f"%r:{n} = scf.for %i = %one to %n step %one iter_args({pairs}) -> ({types}) {{"
    yield from (f"{new(f'%a{i}')}\n{use(f'%a{i}')}" for i in range(n))
    yield f"scf.yield {', '.join(f'%a{i}' for i in range(n))} : {types}\n}}"


def rotated(n):
    """one loop that carries buffers and passes each on to the next name"""
    types = ", ".join([T] * n)
    yield from (new(f"%a{i}") for i in range(n))
    pairs = ", ".join(f"%p{i} = %a{i}" for i in range(n))
    yield f"%r:{n} = scf.for %i = %one to %n step %one iter_args({pairs}) -> ({types}) {{"
    yield f"{use('%p0')}\nscf.yield {', '.join(f'%p{(i + 1) % n}' for i in range(n))} : {types}\n}}"


def ring(n):
    """blocks in a ring that hand on new buffers, each with a way out"""
    yield f"{new('%a')}\ncf.br ^b0(%a : {T})"
    for i in range(n):
        yield f"^b{i}(%p{i}: {T}):\n{use(f'%p{i}')}\n{new(f'%a{i}')}"
        yield f"%k{i} = func.call @choose() : () -> i1"
        yield f"cf.cond_br %k{i}, ^b{(i + 1) % n}(%a{i} : {T}), ^end"
    yield "^end:"


def cases(n):
    """one scf.index_switch, every other case with a new buffer"""
    yield f"%r = scf.index_switch %n -> {T}"
    for i in range(n):
        made = f"{new(f'%a{i}')}\nscf.yield %a{i} : {T}"
        yield f"case {i} {{\n{made if i % 2 else f'scf.yield %x : {T}'}\n}}"
    yield f"default {{\nscf.yield %x : {T}\n}}\n{use('%r')}"


def closed(n):
    """regions that do not tell their control flow"""
    for i in range(n):
        yield f"{new(f'%a{i}')}\nscf.forall (%i{i}) in (4) {{\n{use(f'%a{i}')}\n}}"


def clones(n):
    """clones of an argument, each freed soon"""
    for i in range(n):
        yield f"%a{i} = bufferization.clone %x : {T} to {T}\n%v{i} = memref.load %a{i}[%n] : {T}"
        yield f"memref.dealloc %a{i} : {T}"


SHAPES = {f.__name__.replace("_", " "): f for f in (
    ifs, chained_ifs, blocks, blocks_backwards, loops, ring, carried, rotated, cases, closed, clones)}
SIZES = (1250, 2500, 5000)
FLAT_SIZES = (10000, 20000, 40000)


def own(shape, n):
    return "\n".join([HEAD, *SHAPES[shape](n), "return", "}"])


def without_deallocs(shape, n):
    text = growth.program(shape, n)[0]
    return "\n".join(line for line in text.splitlines() if "memref.dealloc" not in line)


def seconds(opt, path, passes):
    return measure.processor_seconds([opt, path, "--mlir-disable-threading", "-o", "/dev/null",
                                      f"--pass-pipeline=builtin.module({passes})"])[0]  # fmt: skip


def rows(args, path):
    shapes = [(s, own, SIZES) for s in SHAPES]
    shapes += [(f"growth: {s}", lambda _, n, s=s: without_deallocs(s, n), FLAT_SIZES)
               for s in growth.SHAPES]
    for shape, program, sizes in shapes:
        if args.only and shape not in args.only:
            continue
        times = {p: [] for p in PASSES}
        for n in sizes:
            path.write_text(program(shape, n))
            around = min(seconds(args.opt, path, "") for _ in range(2))
            for p in PASSES:
                taken = min(seconds(args.opt, path, p) for _ in range(2)) - around
                times[p].append(max(taken, 0.001))
        yield [shape, tables.count(sizes[-1])] + [
            f"{1000 * t[-1]:.0f}" + (f" ({math.log2(t[-1] / t[-2]):.1f})" if t[-1] > 0.1 else "")
            for t in times.values()]


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--only", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(args, Path(folder, "growth.mlir")))
    lines = ["# buffer-deallocation and functions that grow", "",
             "Written by `python3 -m bench.dealloc.growth --output FILE`, which `make bench` runs.", "",
             tables.machine(), "",
             "Milliseconds at the largest size, and the power of the last doubling where that is",
             "more than 100 ms: 1 is linear. What may stand for what is a table, so chains of "
             "selects or", "blocks through which every buffer may flow to the end take the square.",
             "", tables.table(["<shape", "size", *PASSES], found)]  # fmt: skip
    tables.write(args.output, "\n".join(lines))


if __name__ == "__main__":
    main()
