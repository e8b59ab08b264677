# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps: layers, and behind them their gradients in reverse, so that what the layers made is kept until then."""

from fuzz.net_gen.elements import Body

ELEMENT = "f32"
WIDTHS = [4, 6, 8, 12]
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


def rows_plus(gen, x, bias):
    body = Body()
    total = body.op("add", ELEMENT, "%a0", "%a1")
    made = gen.generic([x, bias], [*ROWS, ROWS[0]], ["parallel"] * 2, x.shape, ELEMENT, body, total, x.bound + bias.bound)
    return gen.settled(made, MOST)


def sum_of_rows(gen, x):
    body = Body()
    total = body.op("add", ELEMENT, "%o0", "%a0")
    made = gen.generic([x], ROWS, ["reduction", "parallel"], x.shape[1:], ELEMENT, body, total, x.shape[0] * x.bound, start=0.0)
    return gen.settled(made, MOST)


class Training:
    """`tape`: for each layer a function from the gradient of its result to that of its input. `weights`: by shape, as
    layers may have some in common. `gradients`: of these."""

    def __init__(self, gen):
        self.gen, self.tape, self.weights, self.gradients, self.skips = gen, [], {}, {}, []

    def weight(self, *shape):
        found = self.weights.get(shape)
        if not found or self.gen.rng.chance(0.6):
            found = self.weights[shape] = self.gen.weight(*shape, element=ELEMENT)
        return found

    def learns(self, weight, gradient):
        before = self.gradients.get(weight)
        self.gradients[weight] = binary(self.gen, "add", before, gradient) if before else gradient

    def dense(self, x):
        w = self.weight(x.shape[1], self.gen.rng.pick(WIDTHS))

        def back(g):
            self.learns(w, product(self.gen, x, g, ("d2", "d0")))
            return product(self.gen, g, w, y_map=("d1", "d2"))

        self.tape.append(back)
        return product(self.gen, x, w)

    def bias(self, x):
        b = self.weight(x.shape[1])

        def back(g):
            self.learns(b, sum_of_rows(self.gen, g))
            return g

        self.tape.append(back)
        return rows_plus(self.gen, x, b)

    def scale(self, x):
        w = self.weight(*x.shape)

        def back(g):
            self.learns(w, binary(self.gen, "mul", x, g))
            return binary(self.gen, "mul", g, w)

        self.tape.append(back)
        return binary(self.gen, "mul", x, w)

    def square(self, x):
        def back(g):
            once = binary(self.gen, "mul", x, g)
            return binary(self.gen, "add", once, once)

        self.tape.append(back)
        return binary(self.gen, "mul", x, x)

    def skip(self, x):
        """Plus what an earlier layer made; its gradient waits until that layer's turn."""
        found = [i for i, v in enumerate(self.skips) if v.shape == x.shape and v is not x]
        if not found:
            return None
        at, waits = self.gen.rng.pick(found), []

        def back(g):
            waits.append(g)
            return g

        layer = self.tape[at]
        self.tape[at] = lambda g: layer(binary(self.gen, "add", g, waits[0]))
        self.tape.append(back)
        return binary(self.gen, "add", x, self.skips[at])


def grow(gen):
    """Returned: the gradients of the input and of the last weights."""
    step = Training(gen)
    x = gen.argument((gen.rng.pick([2, 4, 6]), gen.rng.pick(WIDTHS)), ELEMENT)
    for _ in range(gen.rng.between(6, 20)):
        kind = gen.rng.weighted([(step.dense, 5), (step.bias, 2), (step.scale, 2), (step.square, 2), (step.skip, 2)])
        made = kind(x)
        if made:
            x = made
            step.skips.append(x)
    gradient = binary(gen, "sub", x, gen.argument(x.shape, ELEMENT))
    for back in reversed(step.tape):
        gradient = back(gradient)
    gen.program.returned = [gradient, *(g for g in list(step.gradients.values())[-2:] if g is not gradient)]
