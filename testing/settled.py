# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with transfers as one without, which LLVM can run.

    python3 -m testing.settled early < FILE        each transfer is done when it starts
    python3 -m testing.settled late < FILE         each is done when it is waited for

The tag is allocated in the function. All transfers of an element of it are of as many elements, from one memref to
another; where in these they begin is kept from the start to the wait."""

import re
import sys

MEMREF = r"(memref<(?:(?!memref<).)*>)"
START = re.compile(rf"^( *)memref\.dma_start (%\w+)\[([^]]*)\], (%\w+)\[([^]]*)\], (%\w+), (%\w+)\[(%\w+)\] : {MEMREF}, {MEMREF}, memref<\d+xi32>$")
WAIT = re.compile(r"^( *)memref\.dma_wait (%\w+)\[(%\w+)\],")
CONSTANT = re.compile(r"^ *(%\w+) = arith\.constant (\d+) : index")
TAG = re.compile(r"^( *)(%\w+) = memref\.alloca\(\) : memref<(\d+)xi32>$")
SHAPE = re.compile(r"memref<((?:\d+x)*)([^,>]+)(.*)>$")


class Settler:
    def __init__(self, late):
        self.late, self.made = late, 0
        self.numbers, self.sent, self.kept = {}, {}, {}  # of a function: constants; what is transferred by an element of a tag; types

    def new(self):
        self.made += 1
        return f"%settled{self.made}"

    def lines(self, text):
        for line in text.splitlines():
            start, wait, constant, tag = (form.match(line) for form in (START, WAIT, CONSTANT, TAG))
            if "func.func" in line:
                self.numbers, self.sent, self.kept = {}, {}, {}
            if constant:
                self.numbers[constant.group(1)] = int(constant.group(2))
            if start:
                yield from self.start(*start.groups())
            elif wait:
                yield from self.wait(*wait.groups())
            else:
                assert "memref.dma_" not in line, line
                yield line
                if tag and self.late:
                    indent, name, count = tag.groups()
                    self.kept[name] = f"memref<{count}x2xindex>"
                    yield f"{indent}{name}_begins = memref.alloca() : {self.kept[name]}"

    def start(self, indent, source, read, target, written, count, tag, element, given, to):
        what = (source, given, target, to, self.numbers[count])
        assert self.sent.setdefault((tag, self.numbers[element]), what) == what
        begins = []
        for type, indices in ((given, read), (to, written)):
            lines, begin = self.begin(type, indices.split(", "))
            yield from (indent + line for line in lines)
            begins.append(begin)
        if not self.late:
            yield from (indent + line for line in self.copy(what, begins))
            return
        for i, begin in enumerate(begins):
            at = self.new()
            yield f"{indent}{at} = arith.constant {i} : index"
            yield f"{indent}memref.store {begin}, {tag}_begins[{element}, {at}] : {self.kept[tag]}"

    def wait(self, indent, tag, element):
        what = self.sent[tag, self.numbers[element]]
        if not self.late:
            return
        begins = []
        for i in range(2):
            at, begin = self.new(), self.new()
            yield f"{indent}{at} = arith.constant {i} : index"
            yield f"{indent}{begin} = memref.load {tag}_begins[{element}, {at}] : {self.kept[tag]}"
            begins.append(begin)
        yield from (indent + line for line in self.copy(what, begins))

    def begin(self, type, indices):
        """Ops that compute the element at these indices, and their result."""
        shape = [int(n) for n in SHAPE.match(type).group(1).split("x")[:-1]]
        begin, lines = self.new(), []
        lines.append(f"{begin} = arith.constant 0 : index")
        for size, index in zip(shape, indices):
            extent, scaled, sum = self.new(), self.new(), self.new()
            lines += [f"{extent} = arith.constant {size} : index", f"{scaled} = arith.muli {begin}, {extent} : index",
                      f"{sum} = arith.addi {scaled}, {index} : index"]  # fmt: skip
            begin = sum
        return lines, begin

    def copy(self, what, begins):
        source, given, target, to, count = what
        names, types = [], []
        for memref, type, begin in zip((source, target), (given, to), begins):
            _, element, rest = SHAPE.match(type).groups()
            names.append(self.new())
            types.append(f"memref<{count}x{element}, strided<[1], offset: ?>{rest}>")
            yield f"{names[-1]} = memref.reinterpret_cast {memref} to offset: [{begin}], sizes: [{count}], strides: [1] : {type} to {types[-1]}"
        yield f"memref.copy {names[0]}, {names[1]} : {types[0]} to {types[1]}"


def settled(text, late):
    return "".join(line + "\n" for line in Settler(late).lines(text))


if __name__ == "__main__":
    sys.stdout.write(settled(sys.stdin.read(), sys.argv[1] == "late"))
