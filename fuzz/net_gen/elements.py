# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: literals, and arithmetic in the body of a generic.

Integers wrap around. Floats are kept small by what grows the program, which knows a bound of each value.
"""

BYTES = {"i8": 1, "i32": 4, "f32": 4, "f64": 8}
FLOATS = ("f32", "f64")


def is_float(element):
    return element in FLOATS


def literal(number, element):
    return f"{number:.6e}" if is_float(element) else str(int(number))


LEAST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "i8": "-128", "i32": "-2147483648"}
GREATEST = {"f32": "0x7F800000", "f64": "0x7FF0000000000000", "i8": "127", "i32": "2147483647"}

# By what a step calls it: for floats, for integers.
OPS = {
    "add": ("arith.addf", "arith.addi"), "sub": ("arith.subf", "arith.subi"), "mul": ("arith.mulf", "arith.muli"),
    "max": ("arith.maximumf", "arith.maxsi"), "min": ("arith.minimumf", "arith.minsi"),
}  # fmt: skip


class Body:
    """The lines between the arguments of a generic's block and its yield."""

    def __init__(self):
        self.lines = []

    def line(self, text):
        self.lines.append(f"%s{len(self.lines)} = {text}")
        return f"%s{len(self.lines) - 1}"

    def constant(self, number, element):
        return self.line(f"arith.constant {literal(number, element)} : {element}")

    def op(self, name, element, *operands):
        op = OPS[name][0 if is_float(element) else 1] if name in OPS else name
        return self.line(f"{op} {', '.join(operands)} : {element}")

    def index(self, dimension, element):
        """The index of a loop as a number."""
        word = self.line(f"linalg.index {dimension} : index")
        wide = self.line(f"arith.index_cast {word} : index to i32")
        return self.cast(wide, "i32", element)

    def cast(self, value, source, target):
        """Floats become integers only where they are small."""
        if source == target:
            return value
        if is_float(source) and is_float(target):
            return self.line(f"arith.{'extf' if BYTES[source] < BYTES[target] else 'truncf'} {value} : {source} to {target}")
        if is_float(source) or is_float(target):
            return self.line(f"arith.{'fptosi' if is_float(source) else 'sitofp'} {value} : {source} to {target}")
        return self.line(f"arith.{'extsi' if BYTES[source] < BYTES[target] else 'trunci'} {value} : {source} to {target}")
