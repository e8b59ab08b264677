# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types and memref types.

Every element type can be turned into 64 bits and back without losing a bit of
a scalar; programs compute on those bits, so no rounding hides a clobbered byte
and no NaN makes a result depend on the order of operands."""

from dataclasses import dataclass, replace
from typing import Optional, Tuple


@dataclass(frozen=True)
class Element:
    text: str
    bytes: int  # as the LLVM lowering stores it
    width: int  # of the integer that holds the bits of one lane
    lanes: int = 1
    kind: str = "int"  # int, index, float, complex, vector
    mask: int = 0xFF  # which bits of an input byte may be set

    @property
    def viewable(self):
        """Any bytes are a value of this type, and it has no padding."""
        return self.mask == 0xFF and self.text != "i24"


ELEMENTS = {
    e.text: e
    for e in [
        Element("i1", 1, 1, mask=1),
        Element("i4", 1, 4, mask=15),
        Element("i8", 1, 8),
        Element("i16", 2, 16),
        Element("i24", 4, 24),
        Element("i32", 4, 32),
        Element("i64", 8, 64),
        Element("index", 8, 64, kind="index"),
        Element("f16", 2, 16, kind="float"),
        Element("bf16", 2, 16, kind="float"),
        Element("f32", 4, 32, kind="float"),
        Element("f64", 8, 64, kind="float"),
        Element("complex<f32>", 8, 32, 2, "complex"),
        Element("vector<4xf32>", 16, 64, 2, "vector"),
        Element("vector<8xf32>", 32, 64, 4, "vector"),
    ]
}

# How often each is drawn.
ELEMENT_WEIGHTS = [
    ("f32", 8), ("i8", 5), ("i32", 4), ("i64", 4), ("i16", 2), ("f64", 2), ("i1", 1.5),
    ("i4", 1), ("i24", 1), ("index", 1.5), ("f16", 1), ("bf16", 1), ("complex<f32>", 1),
    ("vector<4xf32>", 1.5), ("vector<8xf32>", 1.5),
]  # fmt: skip


@dataclass(frozen=True)
class Layout:
    strides: Tuple[Optional[int], ...]
    offset: Optional[int]


def number(n):
    return "?" if n is None else str(n)


@dataclass(frozen=True)
class MemRef:
    """A memref type as printed; None stands for a dynamic `?`."""

    shape: Tuple[Optional[int], ...]
    element: Element
    space: int = 0
    layout: Optional[Layout] = None

    def __str__(self):
        text = "".join(number(d) + "x" for d in self.shape) + self.element.text
        if self.layout:
            text += ", strided<[" + ", ".join(map(number, self.layout.strides)) + "]"
            if self.layout.offset != 0:
                text += ", offset: " + number(self.layout.offset)
            text += ">"
        if self.space:
            text += f", {self.space}"
        return f"memref<{text}>"

    @property
    def rank(self):
        return len(self.shape)

    @property
    def static(self):
        return None not in self.shape

    @property
    def plain(self):
        """Static and contiguous from offset 0: what an allocation gives."""
        return self.static and self.layout is None

    def strides(self):
        """The strides as far as the type tells them."""
        return self.layout.strides if self.layout else dense_strides(self.shape)

    def offset(self):
        return self.layout.offset if self.layout else 0

    def with_layout(self, strides, offset):
        return replace(self, layout=Layout(tuple(strides), offset))


def dense_strides(shape):
    strides, step = [], 1
    for d in reversed(shape):
        strides.append(step)
        step = None if d is None or step is None else step * d
    return tuple(reversed(strides))


def count(dims):
    total = 1
    for d in dims:
        total *= d
    return total
