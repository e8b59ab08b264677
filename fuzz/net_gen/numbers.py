# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers on tensors of any rank: elementwise, reductions, products."""

import math

from fuzz.net_gen import knobs
from fuzz.net_gen.elements import BYTES, Body, is_float
from fuzz.net_gen.layers import MOST_ARGUMENTS, layer

# ---- Elementwise.


def function_of(gen, x):
    """One element of one."""
    e = x.element
    way = gen.rng.pick(["scale", "relu", "clamp", "square"])

    def function(b, names):
        a = names[0]
        if way == "scale":
            factor = b.constant(gen.rng.pick([-1.5, 0.5, 1.25]) if is_float(e) else gen.rng.pick([3, -5]), e)
            return b.op("add", e, b.op("mul", e, a, factor), b.constant(1, e))
        if way == "relu":
            return b.op("max", e, a, b.constant(0, e))
        if way == "clamp":
            return b.op("min", e, b.op("max", e, a, b.constant(-3, e)), b.constant(6, e))
        return b.op("mul", e, a, a)

    bound = {"scale": 1.5 * x.bound + 1, "relu": x.bound, "clamp": 6, "square": x.bound**2}[way]
    return gen.settled(gen.elementwise([x], e, bound, function))


@layer
def unary(gen):
    x = gen.pick()
    return x and function_of(gen, x)


def beside(gen, x):
    """Another value of its shape, of its element type; x itself only if there is none."""
    other = gen.pick(x.rank, accept=lambda v: v is not x and v.shape == x.shape)
    return gen.converted(other, x.element) if other else x


@layer
def binary(gen):
    x = gen.pick()
    if not x:
        return None
    y, op = beside(gen, x), gen.rng.pick(["add", "sub", "mul", "max"])
    bound = x.bound * y.bound if op == "mul" else x.bound + y.bound
    return gen.settled(gen.elementwise([x, y], x.element, bound, lambda b, e: b.op(op, x.element, *e)))


@layer
def broadcast(gen):
    """With what has some of its dimensions: reduced from it, there already, or a weight."""
    x = gen.pick()
    if not x:
        return None
    keep = [d for d in range(x.rank) if gen.rng.chance(0.5)]
    shape = tuple(x.shape[d] for d in keep)
    y = gen.pick(len(keep), accept=lambda v: v.shape == shape) if keep else None
    if not y or gen.rng.chance(0.4):
        rest = [d for d in range(x.rank) if d not in keep]
        y = reduced(gen, x, rest) if rest and gen.rng.chance(0.6) else gen.weight(*shape, element=x.element)
    y = gen.converted(y, x.element)
    every, body, op = [f"d{d}" for d in range(x.rank)], Body(), gen.rng.pick(["add", "sub", "max"])
    made = gen.generic([x, y], [every, [f"d{d}" for d in keep], every], ["parallel"] * x.rank, x.shape, x.element,
                       body, body.op(op, x.element, "%a0", "%a1"), x.bound + y.bound, x)  # fmt: skip
    return gen.settled(made)


@layer
def named(gen):
    x = gen.pick()
    if not x:
        return None
    y, bound = beside(gen, x), 2 * x.bound
    form = gen.rng.pick(["two", "map", "one"])
    if form == "two":
        op = gen.rng.pick(["add", "sub", "max", "min"])
        return gen.settled(gen.make("named", [x, y], x.shape, x.element, x.bound + y.bound, x, op=op))
    if form == "map":
        op = "arith.addf" if is_float(x.element) else "arith.muli"
        return gen.settled(gen.make("named", [x, y], x.shape, x.element, x.bound + y.bound, x, op=f"map {{ {op} }}",
                                    before=" ", inferred=True))  # fmt: skip
    if not is_float(x.element):
        return gen.make("named", [x], x.shape, x.element, 0, x, op="copy")
    x = gen.settled(x, 6)
    op, bound = gen.rng.pick([("exp", math.exp(x.bound)), ("tanh", 1), ("abs", x.bound), ("negf", x.bound)])
    return gen.settled(gen.make("named", [x], x.shape, x.element, bound, x, op=op))


@layer
def scaled(gen):
    """Multiplied with another of its shape, or divided by a constant that is no power of two."""
    x = gen.pick()
    if not x:
        return None
    if gen.rng.chance(0.5) or not is_float(x.element):
        y = beside(gen, x)
        return gen.settled(gen.make("named", [x, y], x.shape, x.element, x.bound * y.bound, x, op="mul"))
    three = gen.hidden(gen.make("constant", [], x.shape, x.element, 3, numbers=[3.0] * x.size))
    return gen.make("named", [x, three], x.shape, x.element, x.bound / 3, x, op="div")


@layer
def indexed(gen):
    """The index of a loop is part of the result."""
    x = gen.pick()
    if not x:
        return None
    dims = [d for d in range(x.rank) if gen.rng.chance(0.6)] or [0]

    def function(b, names):
        total = names[0]
        for d in dims:
            total = b.op("add", x.element, total, b.index(d, x.element))
        return total

    return gen.settled(gen.elementwise([x], x.element, x.bound + sum(x.shape), function))


@layer
def cast(gen):
    x = gen.pick()
    element = gen.rng.pick(["f32", "i8", "i32", "f64"])
    return x and x.element != element and gen.converted(x, element)


@layer
def twins(gen):
    """Two results of one generic, the second perhaps of other shape."""
    x = gen.pick()
    if not x:
        return None
    every, body = [f"d{d}" for d in range(x.rank)], Body()
    one = body.op("add", x.element, "%a0", body.constant(1, x.element))
    two = body.op("sub", x.element, body.constant(2, x.element), "%a0")
    order = gen.rng.shuffled(range(x.rank)) if gen.rng.chance(0.4) else list(range(x.rank))
    results = [gen.value(x.shape, x.element, x.bound + 1, x),
               gen.value([x.shape[d] for d in order], x.element, x.bound + 2, x)]  # fmt: skip
    return gen.step("generic", [x], results, maps=[every, every, [f"d{d}" for d in order]],
                    kinds=["parallel"] * x.rank, body=body.lines, yields=[one, two])  # fmt: skip


@layer
def accumulate(gen):
    """Onto what is there."""
    x = gen.pick()
    y = x and beside(gen, x)
    if not x or y is x:
        return None

    def function(b, e):
        return b.op("add", x.element, b.op("mul", x.element, e[0], b.constant(2, x.element)), e[-1])

    return gen.settled(gen.elementwise([x, y], x.element, 2 * x.bound + y.bound, function, start="onto"))


@layer
def refill(gen):
    x, like = gen.pick(), gen.pick()
    if not x or not like:
        return None
    at = [gen.rng.below(size) for size in x.shape]
    return gen.make("refill", [x], like.shape, x.element, x.bound, like, at=at)


# ---- Reductions.


def reduced(gen, x, over, op=None, keep_order=False):
    """Over some dimensions, by a named op or a generic with its loops in any order."""
    op = op or gen.rng.pick(["add", "add", "max"])
    keep = [d for d in range(x.rank) if d not in over]
    shape, e = [x.shape[d] for d in keep], x.element
    start = 0 if op == "add" else "least"
    if op == "add" and gen.rng.chance(0.2):
        start = 3
    bound = 3 + x.bound * math.prod(x.shape[d] for d in over) if op == "add" else x.bound
    if gen.rng.chance(0.3):
        body = {"add": "arith.addf" if is_float(e) else "arith.addi",
                "max": "arith.maximumf" if is_float(e) else "arith.maxsi"}[op]  # fmt: skip
        return gen.settled(gen.make("named", [x], shape, e, bound, op=f"reduce {{ {body} }}", before=" ",
                                    after=f" dimensions = {over}", inferred=True, start=start))  # fmt: skip
    order = list(range(x.rank)) if keep_order or gen.rng.chance(0.6) else gen.rng.shuffled(range(x.rank))
    loop = {d: f"d{i}" for i, d in enumerate(order)}
    kinds = ["reduction" if d in over else "parallel" for d in order]
    body = Body()
    made = gen.generic([x], [[loop[d] for d in range(x.rank)], [loop[d] for d in keep]], kinds, shape, e, body,
                       body.op(op, e, "%a0", "%o0"), bound, start=start)  # fmt: skip
    return gen.settled(made)


@layer
def reduce(gen):
    x = gen.pick()
    if not x:
        return None
    over = [d for d in range(x.rank) if gen.rng.chance(0.45)] or [gen.rng.below(x.rank)]
    return reduced(gen, x, over)


# ---- Products, and what attention and normalization are made of.


def product(gen, x, y, turned=False):
    """x y, or x with y transposed: named or a generic, its loops perhaps in another order."""
    (m, k), n = x.shape, y.shape[0 if turned else 1]
    y, e = gen.converted(y, x.element), x.element
    if not gen.fits(m, n):
        return None
    sums = "i32" if e == "i8" and gen.rng.chance(0.7) else e
    if not turned and gen.rng.chance(0.6):
        return gen.settled(gen.make("named", [x, y], (m, n), sums, x.bound * y.bound * k, op="matmul",
                                    start=gen.rng.pick([0, 0, 0, 1])))  # fmt: skip
    i, j, l = ["d0", "d1", "d2"] if gen.rng.chance(0.5) else gen.rng.shuffled(["d0", "d1", "d2"])
    body = Body()
    total = body.op("add", sums, "%o0", body.op("mul", sums, body.cast("%a0", e, sums), body.cast("%a1", e, sums)))
    kinds = ["reduction" if d == l else "parallel" for d in ("d0", "d1", "d2")]
    made = gen.generic([x, y], [[i, l], [j, l] if turned else [l, j], [i, j]], kinds, (m, n), sums, body, total,
                       x.bound * y.bound * k, start=0)  # fmt: skip
    return gen.settled(made)


@layer
def matmul(gen):
    x = gen.rows(2)
    m, k = x.shape
    other = gen.pick(2, accept=lambda v: v is not x and v.shape[1] == k)
    if other and gen.rng.chance(0.5):
        return product(gen, x, other, turned=True)
    n = gen.rng.pick(knobs.ROWS)
    return product(gen, x, gen.weight(k, n, element=x.element))


def far_weight(gen, shape, element):
    """An argument, however large."""
    gen.program.arguments.append(gen.value(shape, element, 4))
    return gen.program.arguments[-1]


@layer
def wide(gen):
    """Two products in a row with more weights than a cache holds: by rows between the products."""
    if len(gen.program.arguments) + 3 > MOST_ARGUMENTS:
        return None
    x = gen.pick(2, accept=lambda v: v.shape[0] <= 6 and v.shape[1] >= 3 and v.element in ("f32", "i32"))
    x = x or gen.argument((gen.rng.between(1, 6), gen.rng.between(3, 20)), gen.rng.pick(["f32", "f32", "i32"]))
    m, k = x.shape
    n, between = gen.rng.pick(knobs.ROWS), x.element
    hidden = 64 * (knobs.FAR // BYTES[between] // (k + n) // 64 + gen.rng.between(1, 4))
    v, w = far_weight(gen, (k, hidden), between), far_weight(gen, (hidden, n), between)
    h = gen.hidden(gen.make("named", [x, v], (m, hidden), between, x.bound * 4 * k, op="matmul", start=0))
    if gen.rng.chance(0.7):
        h = gen.hidden(gen.elementwise([h], between, h.bound, lambda b, e: b.op("max", between, e[0], b.constant(0, between))))
    return gen.settled(gen.make("named", [h, w], (m, n), between, h.bound * 4 * hidden, op="matmul", start=gen.rng.pick([0, 0, 1])))


@layer
def batch_matmul(gen):
    x = gen.rows(3)
    b, m, k = x.shape
    n = gen.rng.pick(knobs.CHANNELS)
    if not gen.fits(b, m, n) or not gen.fits(b, k, n):
        return None
    return gen.settled(gen.make("named", [x, gen.weight(b, k, n, element=x.element)], (b, m, n), x.element, x.bound * k,
                                op="batch_matmul", start=0))  # fmt: skip


def combined(gen, x, row, op, bound):
    """Each element with its row's number."""
    every, body = [f"d{d}" for d in range(x.rank)], Body()
    return gen.generic([x, row], [every, every[:-1], every], ["parallel"] * x.rank, x.shape, x.element, body,
                       body.op(op, x.element, "%a0", "%a1"), bound, x)  # fmt: skip


def softmax_of(gen, x):
    """Over the last dimension, by its parts."""
    x = gen.converted(x, x.element if is_float(x.element) else "f32")
    most = reduced(gen, x, [x.rank - 1], "max")
    apart = combined(gen, x, most, "sub", 2 * x.bound)
    powers = gen.elementwise([apart], x.element, 1, lambda b, e: b.op("math.exp", x.element, e[0]))
    body, keep = Body(), [f"d{d}" for d in range(x.rank - 1)]
    total = gen.generic([powers], [keep + [f"d{x.rank - 1}"], keep], ["parallel"] * (x.rank - 1) + ["reduction"],
                        x.shape[:-1], x.element, body, body.op("add", x.element, "%a0", "%o0"), x.shape[-1], start=0)  # fmt: skip
    return combined(gen, powers, total, "arith.divf", 1)


@layer
def softmax(gen):
    x = gen.pick(least=2)
    return x and softmax_of(gen, x)


@layer
def layer_norm(gen):
    x = gen.pick(least=2)
    if not x:
        return None
    x = gen.converted(x, x.element if is_float(x.element) else "f32")
    e, columns = x.element, x.shape[-1]
    mean = gen.elementwise([reduced(gen, x, [x.rank - 1], "add")], e, x.bound,
                           lambda b, a: b.op("mul", e, a[0], b.constant(1 / columns, e)))  # fmt: skip
    centred = combined(gen, x, mean, "sub", x.bound + mean.bound)
    squares = gen.elementwise([centred], e, centred.bound**2, lambda b, a: b.op("mul", e, a[0], a[0]))
    body, every = Body(), [f"d{d}" for d in range(x.rank)]
    sums = gen.generic([squares], [every, every[:-1]], ["parallel"] * (x.rank - 1) + ["reduction"], x.shape[:-1], e,
                       body, body.op("add", e, "%a0", "%o0"), squares.bound * columns, start=0)  # fmt: skip

    def scale(b, a):
        return b.op("math.rsqrt", e, b.op("add", e, a[0], b.constant(1, e)))

    return combined(gen, centred, gen.elementwise([sums], e, 1, scale), "mul", centred.bound)


@layer
def attention(gen):
    x = gen.rows(2)
    x = gen.converted(x, x.element if is_float(x.element) else "f32")
    rows, columns = x.shape
    width = gen.rng.pick([1, 2, 4])
    queries, keys, values = (product(gen, x, gen.weight(columns, width, element=x.element)) for _ in range(3))
    scores = queries and product(gen, queries, keys, turned=True)
    return scores and product(gen, softmax_of(gen, gen.settled(scores, 8)), values)
