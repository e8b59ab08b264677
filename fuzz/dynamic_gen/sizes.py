# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes: index values of which the generator knows, for each tuple of arguments, between which numbers they lie.

A size may be insane (negative, or huge): then it may only be compared, or allocated where control does
not come. Sizes wrap at 64 bits as they do in the program; where a range would wrap, there is no such size.
"""

from dataclasses import dataclass

LOW, HIGH = -(1 << 63), (1 << 63) - 1


@dataclass(eq=False)
class Size:
    name: str
    ranges: tuple  # (low, high) for each tuple

    def __str__(self):
        return self.name

    def exact(self, active):
        return all(self.ranges[t][0] == self.ranges[t][1] for t in active)

    def within(self, low, high, active):
        return all(low <= self.ranges[t][0] and self.ranges[t][1] <= high for t in active)

    def most(self, active):
        return max((self.ranges[t][1] for t in active), default=0)


def wrapped(value):
    return (value - LOW) % (1 << 64) + LOW


def corners(function, *ranges):
    """The range of a function that is monotone in each of its operands."""
    points = [()]
    for low, high in ranges:
        points = [p + (x,) for p in points for x in dict.fromkeys((low, high))]
    values = [function(*p) for p in points]
    if len(points) == 1:
        return wrapped(values[0]), wrapped(values[0])
    if min(values) < LOW or max(values) > HIGH:
        return None
    return min(values), max(values)


def union(ranges):
    return min(low for low, _ in ranges), max(high for _, high in ranges)


# name: (text of the op for %a and %b, its value, whether operands must not be negative)
BINARY = {
    "add": ("arith.addi {a}, {b} : index", lambda a, b: a + b, False),
    "sub": ("arith.subi {a}, {b} : index", lambda a, b: a - b, False),
    "mul": ("arith.muli {a}, {b} : index", lambda a, b: a * b, False),
    "maxsi": ("arith.maxsi {a}, {b} : index", max, False),
    "minsi": ("arith.minsi {a}, {b} : index", min, False),
    "maxui": ("arith.maxui {a}, {b} : index", max, True),
    "minui": ("arith.minui {a}, {b} : index", min, True),
    "affine_add": ("affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)>({a}, {b})", lambda a, b: 2 * a + b + 1, False),
    "affine_max": ("affine.max affine_map<()[s0, s1] -> (s0, s1 + 3, 5)>()[{a}, {b}]", lambda a, b: max(a, b + 3, 5), False),
    "affine_min": ("affine.min affine_map<()[s0, s1] -> (s0, s1 * 2, 90)>()[{a}, {b}]", lambda a, b: min(a, b * 2, 90), False),
}

# The same with a constant {k} in place of %b; {c} is that constant as a value.
UNARY = {
    "scaled": ("arith.muli {a}, {c} : index", lambda a, k: a * k, False),
    "shifted": ("arith.shli {a}, {c} : index", lambda a, k: a << k, True),
    "more": ("arith.addi {a}, {c} : index", lambda a, k: a + k, False),
    "less": ("arith.subi {a}, {c} : index", lambda a, k: a - k, False),
    "ceildivui": ("arith.ceildivui {a}, {c} : index", lambda a, k: -(-a // k), True),
    "ceildivsi": ("arith.ceildivsi {a}, {c} : index", lambda a, k: -(-a // k), False),
    "divui": ("arith.divui {a}, {c} : index", lambda a, k: a // k, True),
    "affine_ceil": ("affine.apply affine_map<(d0) -> (d0 ceildiv {k})>({a})", lambda a, k: -(-a // k), False),
    "affine_up": ("affine.apply affine_map<(d0) -> ((d0 ceildiv {k}) * {k})>({a})", lambda a, k: -(-a // k) * k, False),
    "affine_floor": ("affine.apply affine_map<(d0) -> (d0 floordiv {k})>({a})", lambda a, k: a // k, False),
    "at_most": ("arith.minsi {a}, {c} : index", min, False),
    "at_least": ("arith.maxsi {a}, {c} : index", max, False),
}

# By a size that must not be 0 where control comes; only the remainder is not monotone.
BY_SIZE = {
    "floordivsi": ("arith.floordivsi {a}, {b} : index", lambda a, b: a // b if b else 0),
    "divui": ("arith.divui {a}, {b} : index", lambda a, b: a // b if b else 0),
    "ceildivsi": ("arith.ceildivsi {a}, {b} : index", lambda a, b: -(-a // b) if b else 0),
    "remsi": ("arith.remsi {a}, {b} : index", None),
    "remui": ("arith.remui {a}, {b} : index", None),
}

INSANE = (-1, -5, 1 << 62, (1 << 61) + 3, -(1 << 63))
