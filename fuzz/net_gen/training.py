# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps: layers, and behind them their gradients in reverse, so that what the layers made is kept until then."""

from fuzz.net_gen.elements import Body

ELEMENT = "f32"
WIDTHS = [4, 6, 8, 12, 16]
MOST = 8  # of floats, in front of each layer
ROWS = [["d0", "d1"], ["d1"]]


def product(gen, x, y, x_map=("d0", "d2"), y_map=("d2", "d1")):
    """Of two matrices, each of which may be read transposed."""
    at = {**dict(zip(x_map, x.shape)), **dict(zip(y_map, y.shape))}
    body = Body()
    total = body.op("add", ELEMENT, "%o0", body.op("mul", ELEMENT, "%a0", "%a1"))
    made = gen.generic([x, y], [list(x_map), list(y_map), ["d0", "d1"]], ["parallel", "parallel", "reduction"],
                       (at["d0"], at["d1"]), ELEMENT, body, total, at["d2"] * x.bound * y.bound, start=0.0)  # fmt: skip
    return gen.settled(made, MOST)


def binary(gen, op, x, y):
    bound = x.bound * y.bound if op == "mul" else x.bound + y.bound
    return gen.settled(gen.make("named", [x, y], x.shape, ELEMENT, bound, op=op), MOST)


def rows_and(gen, op, x, v):
    """Each row and a vector."""
    body = Body()
    total = body.op(op, ELEMENT, "%a0", "%a1")
    bound = x.bound * v.bound if op == "mul" else x.bound + v.bound
    return gen.settled(gen.generic([x, v], [*ROWS, ROWS[0]], ["parallel"] * 2, x.shape, ELEMENT, body, total, bound), MOST)


def spread(gen, v, like):
    """A matrix of which each row is the vector."""
    return gen.generic([v], ROWS[::-1], ["parallel"] * 2, like.shape, ELEMENT, Body(), "%a0", v.bound)


def sum_of_rows(gen, x):
    body = Body()
    total = body.op("add", ELEMENT, "%o0", "%a0")
    made = gen.generic([x], ROWS, ["reduction", "parallel"], x.shape[1:], ELEMENT, body, total, x.shape[0] * x.bound, start=0.0)
    return gen.settled(made, MOST)


class Training:
    """`tape`: values in order, each with a function from its gradient to those of what it was made of. `widths`: of all matrices, two at
    most, so that what they teach adds up."""

    def __init__(self, gen):
        self.gen, self.tape, self.weights, self.gradients = gen, [], {}, {}
        self.widths = gen.rng.shuffled(WIDTHS)[:2]

    def weight(self, *shape):
        """As layers may have some in common."""
        found = self.weights.get(shape)
        if not found or self.gen.rng.chance(0.6):
            found = self.weights[shape] = self.gen.weight(*shape, element=ELEMENT)
        return found

    def learns(self, value, gradient):
        before = self.gradients.get(value)
        self.gradients[value] = binary(self.gen, "add", before, gradient) if before else gradient

    def made(self, value, back):
        self.tape.append((value, back))
        return value

    # ---- Layers

    def dense(self, x):
        return self.product(x, self.weight(x.shape[1], self.gen.rng.pick(self.widths)))

    def product(self, x, w):
        return self.made(product(self.gen, x, w), lambda g: [(x, product(self.gen, g, w, y_map=("d1", "d2"))),
                                                             (w, product(self.gen, x, g, ("d2", "d0")))])  # fmt: skip

    def bias(self, x):
        return self.rows("add", x, self.weight(x.shape[1]))

    def rows(self, op, x, v):
        """Each row and a vector."""
        def back(g):
            if op == "add":
                return [(x, g), (v, sum_of_rows(self.gen, g))]
            return [(x, rows_and(self.gen, "mul", g, v)), (v, sum_of_rows(self.gen, binary(self.gen, "mul", x, g)))]

        return self.made(rows_and(self.gen, op, x, v), back)

    def scale(self, x):
        return self.times(x, self.weight(*x.shape))

    def times(self, x, y):
        return self.made(binary(self.gen, "mul", x, y), lambda g: [(x, binary(self.gen, "mul", g, y)),
                                                                   (y, binary(self.gen, "mul", x, g))])  # fmt: skip

    def square(self, x):
        return self.times(x, x)

    def plus(self, x, y):
        return self.made(binary(self.gen, "add", x, y), lambda g: [(x, g), (y, g)])

    def positive(self, x):
        """Its gradient passes where x is positive."""
        made = self.gen.elementwise([x], ELEMENT, x.bound, lambda b, e: b.op("max", ELEMENT, e[0], b.constant(0, ELEMENT)))

        def passed(b, e):
            zero = b.constant(0, ELEMENT)
            return b.line(f"arith.select {b.line(f'arith.cmpf ogt, {e[0]}, {zero} : {ELEMENT}')}, {e[1]}, {zero} : {ELEMENT}")

        return self.made(made, lambda g: [(x, self.gen.elementwise([x, g], ELEMENT, g.bound, passed))])

    def sum_of_rows(self, x):
        return self.made(sum_of_rows(self.gen, x), lambda g: [(x, spread(self.gen, g, x))])

    def inverse(self, x):
        """One over one and a square."""
        def inverted(b, e):
            one = b.constant(1, ELEMENT)
            return b.op("arith.divf", ELEMENT, one, b.op("add", ELEMENT, one, b.op("mul", ELEMENT, e[0], e[0])))

        made = self.gen.elementwise([x], ELEMENT, 1, inverted)
        return self.made(made, lambda g: [(x, binary(self.gen, "mul", g, binary(self.gen, "mul", x, binary(self.gen, "mul", made, made))))])

    def normal(self, x):
        """What a normalization of columns keeps: the centred values, and one over their deviation."""
        centred = self.rows("add", x, self.sum_of_rows(x))
        return self.rows("mul", centred, self.inverse(self.sum_of_rows(self.square(centred))))

    def joined(self, x, others):
        """With an earlier value, if there is one of that shape."""
        found = [v for v in others if v.shape == x.shape and v is not x]
        return found and self.gen.rng.pick([self.plus, self.plus, self.times])(x, self.gen.rng.pick(found))

    def branches(self, x):
        """Ways to one width, and their sum."""
        width, total = self.gen.rng.pick(self.widths), None
        for _ in range(self.gen.rng.between(2, 4)):
            way = self.chain(x, self.gen.rng.between(0, 3))
            way = self.product(way, self.weight(way.shape[1], width))
            total = self.plus(total, way) if total else way
        return total

    def chain(self, x, length):
        for _ in range(length):
            x = self.gen.rng.weighted(self.plain())(x)
        return x

    def plain(self):
        return [(self.dense, 4), (self.bias, 2), (self.scale, 2), (self.square, 1), (self.positive, 2), (self.normal, 1)]

    # ---- Gradients

    def backwards(self):
        for value, back in reversed(self.tape):
            if value in self.gradients:
                for source, gradient in back(self.gradients.pop(value)):
                    self.learns(source, gradient)

    def taught(self):
        """What all weights learn, as a vector per width."""
        sums = {}
        for gradient in self.gradients.values():
            flat = sum_of_rows(self.gen, gradient) if gradient.rank > 1 else gradient
            before = sums.get(flat.shape)
            sums[flat.shape] = binary(self.gen, "add", before, flat) if before else flat
        return list(sums.values())


def grow(gen):
    """Returned: the gradient of the input, and what the weights learn."""
    step = Training(gen)
    x = gen.argument((gen.rng.pick([2, 4, 6, 8]), step.widths[0]), ELEMENT)
    values = [x]
    for _ in range(gen.rng.between(6, 16)):
        last = values[-1] if gen.rng.chance(0.8) else gen.rng.pick(values)
        kind = gen.rng.weighted([*step.plain(), (step.branches, 1), (lambda v: step.joined(v, values), 4)])
        values += filter(None, [kind(last)])
    for loss in [values[-1], *(gen.rng.pick(values) for _ in range(gen.rng.below(3)))]:
        step.learns(loss, binary(gen, "sub", loss, gen.argument(loss.shape, ELEMENT)))
    step.backwards()
    gradient = step.gradients.pop(x)
    gen.program.returned = [gradient, *step.taught()]
