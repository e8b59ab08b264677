# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that move elements: paddings, slices, concatenations, reshapes, other orders."""

from fuzz.net_gen import knobs
from fuzz.net_gen.elements import Body, is_float
from fuzz.net_gen.layers import layer
from fuzz.net_gen.images import joined
from fuzz.net_gen.numbers import beside, function_of, reduced


@layer
def pad(gen):
    x = gen.pick()
    if not x:
        return None
    low = [gen.rng.pick([0, 0, 1, 2]) for _ in x.shape]
    high = [gen.rng.pick([0, 0, 1, 2]) for _ in x.shape]
    shape = [size + a + b for size, a, b in zip(x.shape, low, high)]
    if not gen.fits(*shape):
        return None
    return gen.make("pad", [x], shape, x.element, max(x.bound, 2), x, low=low, high=high, edge=gen.rng.pick([0, 0, 2]))


def part(gen, shape):
    """A region of a shape."""
    strides = [gen.rng.pick([1, 1, 1, 2, 3]) for _ in shape]
    offsets = [gen.rng.below((size + 2) // 3) if gen.rng.chance(0.5) else 0 for size in shape]
    most = [(size - at - 1) // s + 1 for size, at, s in zip(shape, offsets, strides)]
    sizes = [n if gen.rng.chance(0.5) else gen.rng.between((n + 1) // 2, n) for n in most]
    return {"offsets": offsets, "sizes": sizes, "strides": strides}


@layer
def slice(gen):
    x = gen.pick()
    if not x:
        return None
    where = part(gen, x.shape)
    shape = [n for n in where["sizes"] if n > 1] if gen.rng.chance(0.15) else where["sizes"]
    return shape and gen.make("slice", [x], shape, x.element, x.bound, x, **where)


@layer
def insert(gen):
    """A part of one value goes into another."""
    x = gen.pick()
    if not x:
        return None
    where = part(gen, x.shape)
    piece = gen.pick(x.rank, accept=lambda v: v.shape == tuple(where["sizes"]) and v.element == x.element)
    piece = piece or gen.make("slice", [function_of(gen, x)], where["sizes"], x.element, x.bound, x, **where)
    return gen.make("insert", [gen.converted(piece, x.element), x], x.shape, x.element, max(x.bound, piece.bound), x,
                    start="onto", regions=[where])  # fmt: skip


@layer
def concat(gen):
    x = gen.pick()
    if not x:
        return None
    dim = gen.rng.below(x.rank)

    def alike(v):
        return v is not x and all(a == b for d, (a, b) in enumerate(zip(v.shape, x.shape)) if d != dim)

    y = gen.pick(x.rank, accept=alike)
    y = gen.converted(y, x.element) if y else function_of(gen, x)
    return joined(gen, [x, y] if gen.rng.chance(0.5) else [y, x], dim)


@layer
def reshape(gen):
    x = gen.pick()
    if not x:
        return None
    if x.rank > 1 and gen.rng.chance(0.5):
        d = gen.rng.below(x.rank - 1)
        groups = [[i] for i in range(d)] + [[d, d + 1]] + [[i] for i in range(d + 2, x.rank)]
        shape = [*x.shape[:d], x.shape[d] * x.shape[d + 1], *x.shape[d + 2 :]]
        return gen.make("collapse", [x], shape, x.element, x.bound, groups=groups)
    d = gen.rng.below(x.rank)
    factors = [f for f in (2, 3, 4, 5) if x.shape[d] % f == 0] + [1]
    factor = factors[0] if gen.rng.chance(0.7) else factors[-1]
    pair = (x.shape[d] // factor, factor) if gen.rng.chance(0.7) else (factor, x.shape[d] // factor)
    if x.rank >= 5:
        return None
    groups = [[i] for i in range(d)] + [[d, d + 1]] + [[i + 1] for i in range(d + 1, x.rank)]
    return gen.make("expand", [x], (*x.shape[:d], *pair, *x.shape[d + 1 :]), x.element, x.bound, groups=groups)


@layer
def transpose(gen):
    x = gen.pick(least=2)
    if not x:
        return None
    order = gen.rng.shuffled(range(x.rank))
    shape = [x.shape[d] for d in order]
    if gen.rng.chance(0.6):
        return gen.make("named", [x], shape, x.element, x.bound, op="transpose", after=f" permutation = {order}",
                        inferred=True)  # fmt: skip
    every = [f"d{d}" for d in range(x.rank)]
    return gen.generic([x], [every, [every[d] for d in order]], ["parallel"] * x.rank, shape, x.element, Body(), "%a0",
                       x.bound)  # fmt: skip


@layer
def reverse(gen):
    """Rows from the last to the first, added to another value's."""
    x = gen.pick()
    if not x:
        return None
    d, every, body = gen.rng.below(x.rank), [f"d{i}" for i in range(x.rank)], Body()
    back = [*every[:d], f"-d{d} + {x.shape[d] - 1}", *every[d + 1 :]]
    inputs, maps, made = [x], [back], "%a0"
    if gen.rng.chance(0.5):
        inputs, maps = [x, x], [back, every]
        made = body.op("sub", x.element, "%a0", "%a1")
    return gen.settled(gen.generic(inputs, [*maps, every], ["parallel"] * x.rank, x.shape, x.element, body, made,
                                   2 * x.bound, x))  # fmt: skip


@layer
def pinned(gen):
    """Every row takes one row of x, a number of another."""
    x = gen.pick()
    if not x:
        return None
    d, every, body = gen.rng.below(x.rank), [f"d{i}" for i in range(x.rank)], Body()
    fixed = [*every[:d], str(gen.rng.below(x.shape[d])), *every[d + 1 :]]
    other = gen.pick(x.rank, accept=lambda v: v.shape == x.shape and v.element == x.element)
    return gen.settled(gen.generic([x, other or x], [fixed, every, every], ["parallel"] * x.rank, x.shape, x.element,
                                   body, body.op("add", x.element, "%a0", "%a1"), x.bound + (other or x).bound, x))  # fmt: skip


@layer
def shifted(gen):
    """Rows i and i + k of one value."""
    x = gen.pick()
    d = x and gen.rng.below(x.rank)
    if not x or x.shape[d] < 2:
        return None
    by = gen.rng.between(1, min(4, x.shape[d] - 1))
    shape = [*x.shape[:d], x.shape[d] - by, *x.shape[d + 1 :]]
    start = gen.make("slice", [x], shape, x.element, x.bound, x, offsets=[0] * x.rank, sizes=shape, strides=[1] * x.rank)
    every, body = [f"d{i}" for i in range(x.rank)], Body()
    later = [*every[:d], f"d{d} + {by}", *every[d + 1 :]]
    return gen.settled(gen.generic([start, x], [every, later, every], ["parallel"] * x.rank, shape, x.element, body,
                                   body.op("add", x.element, "%a0", "%a1"), 2 * x.bound, x))  # fmt: skip


def moved(gen, shape, number):
    """That many constant offsets of each dimension, and how many cells are left. A dimension has none, or each operand
    has one in it: an index that is a loop alone takes all of its operand."""
    along = [size > 1 and gen.rng.chance(0.75) for size in shape]
    ways = [[gen.rng.between(1, min(4, size - 1)) if a else 0 for a, size in zip(along, shape)] for _ in range(number)]
    return ways, [size - max(of) for size, of in zip(shape, zip(*ways))]


def at(loops, offsets):
    return [f"{d} + {c}" if c else d for d, c in zip(loops, offsets)]


def loops_of(gen, rank):
    return gen.rng.shuffled([f"d{d}" for d in range(rank)]) if gen.rng.chance(0.25) else [f"d{d}" for d in range(rank)]


@layer
def offset_reads(gen):
    """Cells that lie apart along all dimensions, of one value or two."""
    x = gen.pick()
    if not x:
        return None
    y, loops, body = beside(gen, x), loops_of(gen, x.rank), Body()
    ways, shape = moved(gen, x.shape, 2)
    maps = [*(at(loops, way) for way in ways), loops]
    return gen.settled(gen.generic([x, y], maps, ["parallel"] * x.rank, shape, x.element, body,
                                   body.op("sub", x.element, "%a0", "%a1"), x.bound + y.bound, x))  # fmt: skip


@layer
def offset_writes(gen):
    """Onto a part of what is there, from cells before and behind those."""
    x = gen.pick()
    if not x:
        return None
    y, loops, body = beside(gen, x), loops_of(gen, x.rank), Body()
    (read, written, given), shape = moved(gen, x.shape, 3)
    part = gen.make("slice", [function_of(gen, y)], shape, x.element, y.bound, x, offsets=given, sizes=shape,
                    strides=[1] * x.rank)  # fmt: skip
    sum = body.op("add", x.element, body.op("add", x.element, "%a0", "%a1"), "%o0")
    return gen.settled(gen.generic([part, x, y], [loops, at(loops, read), at(loops, written)], ["parallel"] * x.rank,
                                   y.shape, x.element, body, sum, part.bound + x.bound + y.bound, x, start="onto"))  # fmt: skip


def cell_of(gen, x):
    """One element: a view without a dimension."""
    one, where = [1] * x.rank, {"offsets": [gen.rng.below(size) for size in x.shape]}
    way = gen.rng.pick(["slice", "collapse", "sum"])
    if way == "sum":
        return reduced(gen, x, list(range(x.rank)))
    found = gen.make("slice", [x], [] if way == "slice" else one, x.element, x.bound, sizes=one, strides=one, **where)
    return found if way == "slice" else gen.make("collapse", [found], [], x.element, x.bound, groups=[])


@layer
def cell(gen):
    """An element for all of another value, for a part of it, or for itself."""
    x = gen.pick()
    y = x and beside(gen, x)
    if not x:
        return None
    c, way = gen.converted(cell_of(gen, y), x.element), gen.rng.pick(["all", "part", "expanded", "self"])
    every, body, bound = [f"d{d}" for d in range(x.rank)], Body(), x.bound + c.bound
    if way == "all":
        return gen.settled(gen.generic([x, c], [every, [], every], ["parallel"] * x.rank, x.shape, x.element, body,
                                       body.op("add", x.element, "%a0", "%a1"), bound, x))  # fmt: skip
    if way == "self":
        c = gen.settled(gen.elementwise([c, cell_of(gen, x)], x.element, bound, lambda b, e: b.op("add", x.element, *e)))
    elif way == "expanded":
        c = gen.make("expand", [c], [1] * x.rank, x.element, c.bound, groups=[])
    where = {"offsets": [gen.rng.below(size) for size in x.shape], "sizes": [1] * x.rank, "strides": [1] * x.rank}
    return gen.make("insert", [c, x], x.shape, x.element, max(x.bound, c.bound), x, start="onto", regions=[where])
