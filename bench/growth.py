#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes functions of a wanted size and shape, to see how a pass's time grows with them.

    growth.py flat --ops 100000 > flat.mlir

One op in about five is an allocation. Every buffer is deallocated at the end of the block that
allocates it, where upstream's deallocation pipeline puts it; lives follow from uses.

Shapes:
"""

import argparse
import sys


class Numbers:
    """The same numbers on every machine."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % bound


class Buffer:
    def __init__(self, name, elements):
        self.name, self.elements, self.type = name, elements, f"memref<{elements}xf32>"


class Writer:
    """Ops in order, counted, one to a line."""

    def __init__(self, seed=1):
        self.lines, self.ops, self.allocs, self.names, self.depth = [], 0, 0, 0, 1
        self.numbers = Numbers(seed)

    def label(self, text):
        self.lines.append("  " * self.depth + text)

    def op(self, text):
        self.ops += 1
        self.label(text)

    def name(self):
        self.names += 1
        return f"%{self.names}"

    def value(self, text):
        name = self.name()
        self.op(f"{name} = {text}")
        return name

    def alloc(self, elements=None):
        """Sizes as they come in networks: a few different ones, from 256 bytes to 1.5 MB."""
        if elements is None:
            elements = 64 * (2 + self.numbers.below(2)) << self.numbers.below(12)
        buffer = Buffer(self.value(f"memref.alloc() : memref<{elements}xf32>"), elements)
        self.allocs += 1
        return buffer

    def load(self, buffer):
        return self.value(f"memref.load {buffer.name}[%c0] : {buffer.type}")

    def store(self, number, buffer):
        self.op(f"memref.store {number}, {buffer.name}[%c0] : {buffer.type}")

    def dealloc(self, buffers):
        for buffer in buffers:
            self.op(f"memref.dealloc {buffer.name} : {buffer.type}")

    def begin_function(self, name):
        self.depth = 0
        self.op(f"func.func @{name}(%p: i1, %in: memref<16xf32>, %n: index) {{")
        self.depth = 1
        self.op("%c0 = arith.constant 0 : index")
        self.op("%c1 = arith.constant 1 : index")
        self.input = Buffer("%in", 16)

    def end_function(self):
        self.op("return")
        self.depth = 0
        self.label("}")

    def chain(self, count, earlier):
        """`count` buffers, each computed from the one before it and from the one that
        `earlier` steps before it, which keeps that one alive."""
        buffers = [self.input]
        for i in range(count):
            new = self.alloc()
            number = self.load(buffers[max(0, i - earlier(self.numbers))])
            self.store(number, new)
            self.op(f"memref.copy {new.name}, {new.name} : {new.type} to {new.type}")
            buffers.append(new)
        return buffers[1:]


def flat(out, ops):
    """one block; most buffers die at once, one in sixteen lives up to 64 allocations longer"""
    out.begin_function("flat")
    out.dealloc(out.chain(ops // 5, lambda n: 0 if n.below(16) else n.below(64)))
    out.end_function()


def wide(out, ops):
    """one block; a few hundred buffers alive at any time"""
    out.begin_function("wide")
    out.dealloc(out.chain(ops // 5, lambda n: n.below(400)))
    out.end_function()


def nested(out, ops):
    """loops 100 deep, again and again, with buffers on every level"""
    out.begin_function("nested")
    while out.ops < ops:
        stack, outer = [], out.input
        for level in range(100):
            out.op(f"scf.for %i{level}_{out.ops} = %c0 to %n step %c1 {{")
            out.depth += 1
            new = out.alloc()
            out.store(out.load(outer), new)
            stack.append(new)
            outer = new
        for buffer in reversed(stack):
            out.dealloc([buffer])
            out.depth -= 1
            out.label("}")
    out.end_function()


def merges(out, ops):
    """pairs of buffers that meet in an arith.select or in the result of an scf.if"""
    out.begin_function("merges")
    last, all_buffers = out.input, []
    while out.ops < ops - len(all_buffers):
        a, b = out.alloc(256), out.alloc(256)
        number = out.load(last)
        out.store(number, a)
        out.store(number, b)
        if out.numbers.below(2):
            name = out.value(f"arith.select %p, {a.name}, {b.name} : {a.type}")
        else:
            name = out.value(f"scf.if %p -> ({a.type}) {{")
            out.op(f"  scf.yield {a.name} : {a.type}")
            out.label("} else {")
            out.op(f"  scf.yield {b.name} : {b.type}")
            out.label("}")
        last = Buffer(name, 256)
        all_buffers += [a, b]
    out.load(last)
    out.dealloc(all_buffers)
    out.end_function()


def selects(out, ops):
    """one chain of arith.selects through which every buffer may flow to the end"""
    out.begin_function("selects")
    buffers = [out.alloc(256)]
    out.store(out.load(out.input), buffers[0])
    either = buffers[0]
    while out.ops < ops - len(buffers):
        new = out.alloc(256)
        out.store(out.load(either), new)
        name = out.value(f"arith.select %p, {either.name}, {new.name} : {new.type}")
        either = Buffer(name, 256)
        buffers.append(new)
    out.load(either)
    out.dealloc(buffers)
    out.end_function()


def views(out, ops):
    """chains of 50 casts, each over the one before it"""
    out.begin_function("views")
    buffers, last = [], out.input
    while out.ops < ops - len(buffers):
        buffer = out.alloc()
        buffers.append(buffer)
        out.store(out.load(last), buffer)
        name = buffer.name
        for _ in range(25):
            name = out.value(f"memref.cast {name} : {buffer.type} to memref<?xf32>")
            name = out.value(f"memref.cast {name} : memref<?xf32> to {buffer.type}")
        last = Buffer(name, buffer.elements)
    out.load(last)
    out.dealloc(buffers)
    out.end_function()


def carried(out, ops):
    """loops that swap two buffers in their iter_args"""
    out.begin_function("carried")
    buffers, last = [], out.input
    while out.ops < ops - len(buffers):
        a, b = out.alloc(256), out.alloc(256)
        out.store(out.load(last), a)
        x, y, i, result = out.name(), out.name(), out.name(), out.name()
        out.op(f"{result}:2 = scf.for {i} = %c0 to %n step %c1 "
               f"iter_args({x} = {a.name}, {y} = {b.name}) -> ({a.type}, {b.type}) {{")
        out.depth += 1
        out.store(out.load(Buffer(x, 256)), Buffer(y, 256))
        out.op(f"scf.yield {y}, {x} : {a.type}, {b.type}")
        out.depth -= 1
        out.label("}")
        last = Buffer(result + "#0", 256)
        buffers += [a, b]
    out.load(last)
    out.dealloc(buffers)
    out.end_function()


def blocks(out, ops):
    """branches: a diamond of four blocks for every two buffers"""
    out.begin_function("blocks")
    buffers, last, number = [], out.input, 0
    while out.ops < ops - len(buffers):
        a, b = out.alloc(), out.alloc()
        read = out.load(last)
        out.op(f"cf.cond_br %p, ^then{number}, ^else{number}")
        out.label(f"^then{number}:")
        out.store(read, a)
        out.op(f"cf.br ^join{number}")
        out.label(f"^else{number}:")
        out.store(read, b)
        out.op(f"cf.br ^join{number}")
        out.label(f"^join{number}:")
        out.store(out.load(a), b)
        buffers += [a, b]
        last, number = b, number + 1
    out.load(last)
    out.dealloc(buffers)
    out.end_function()


def functions(out, ops):
    """functions of about 50 ops, each calling the one before it"""
    number = 0
    while out.ops < ops:
        out.begin_function(f"f{number}")
        if number:
            out.op(f"func.call @f{number - 1}(%p, %in, %n) : (i1, memref<16xf32>, index) -> ()")
        out.dealloc(out.chain(9, lambda n: n.below(3)))
        out.end_function()
        number += 1


def parallel(out, ops):
    """scf.parallel bodies of about 50 ops: an arena of its own for each"""
    out.begin_function("parallel")
    while out.ops < ops:
        out.op(f"scf.parallel (%i{out.ops}) = (%c0) to (%n) step (%c1) {{")
        out.depth += 1
        out.dealloc(out.chain(9, lambda n: n.below(3)))
        out.depth -= 1
        out.label("}")
    out.end_function()


SHAPES = {shape.__name__: shape for shape in (flat, wide, nested, merges, selects, views, carried,
                                              blocks, functions, parallel)}


def program(shape, ops):
    """The module's text, the number of its ops and of its allocations."""
    out = Writer()
    SHAPES[shape](out, ops)
    return "\n".join(out.lines) + "\n", out.ops, out.allocs


def main():
    epilog = "\n".join(f"  {name:10} {shape.__doc__}" for name, shape in SHAPES.items())
    parser = argparse.ArgumentParser(description=__doc__ + epilog,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--ops", type=int, default=1000, help="about how many (default: 1000)")
    args = parser.parse_args()
    sys.stdout.write(program(args.shape, args.ops)[0])


if __name__ == "__main__":
    main()
