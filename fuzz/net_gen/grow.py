# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator: a pool of values, to which layers are added that the program's swarm has."""

from math import prod

from fuzz.rng import Rng
from fuzz.net_gen import carried, emit_carried, images, knobs, numbers, others, shapes, training  # noqa: F401
from fuzz.net_gen.elements import Body, is_float
from fuzz.net_gen.emit import OUT
from fuzz.net_gen.layers import LAYERS, MOST_ARGUMENTS, MOST_RANK, MOST_RESULTS
from fuzz.net_gen.tree import Program, Step, Value

VIEWS = {"slice", "collapse", "expand", "choice"}  # may be part of something that is not returned


class Generator:
    def __init__(self, seed, profile):
        self.rng, self.program = Rng(seed), Program(seed)
        self.values, self.count, self.states = [], 0, []
        self.weights = [(name, weight * (0.3 + 1.4 * self.rng.unit()))
                        for name, weight in knobs.weights(profile, seed).items() if self.rng.chance(knobs.KEEP)]
        self.usual = self.rng.weighted([("f32", 5), ("i8", 3), ("i32", 1.5), ("f64", 1)])

    # ---- Values and steps

    def value(self, shape, element, bound=0.0, like=None):
        self.count += 1
        first = like.channels_first if like and like.rank == len(shape) else False
        return Value(self.count, tuple(shape), element, float(bound), first)

    def step(self, kind, inputs, results, **attrs):
        self.program.steps.append(Step(kind, list(inputs), list(results), attrs))
        self.values += results
        return results[0] if results else None

    def make(self, kind, inputs, shape, element, bound=0.0, like=None, **attrs):
        return self.step(kind, inputs, [self.value(shape, element, bound, like)], **attrs)

    def element(self):
        return self.usual if self.rng.chance(0.85) else self.rng.pick(["f32", "i8", "i32", "f64"])

    def fits(self, *shape):
        return 0 < prod(shape) <= knobs.MOST

    # ---- Out of nothing

    def argument(self, shape, element):
        if len(self.program.arguments) >= MOST_ARGUMENTS or len(shape) > MOST_RANK:
            return self.source(shape, element)
        self.program.arguments.append(self.value(shape, element, 4))
        self.values.append(self.program.arguments[-1])
        return self.values[-1]

    def weight(self, *shape, element):
        """A constant of the module; what is large is computed."""
        size = prod(shape)
        if size > 160 or self.rng.chance(0.15):
            return self.source(shape, element)
        numbers = [self.rng.between(-7, 7) for _ in range(size)]
        if is_float(element):
            numbers = [n / 8 for n in numbers]
        return self.hidden(self.make("constant", [], shape, element, 1, numbers=numbers))

    def hidden(self, value):
        """Not for others to go on with."""
        self.values.remove(value)
        return value

    def source(self, shape, element):
        """From the indices alone."""
        return source(self.value, self.step, self.rng.odd, shape, element)

    # ---- From the pool

    def pick(self, rank=None, least=1, accept=lambda v: True):
        """Mostly one of the last; made if there is none."""
        found = [v for v in self.values if v.rank >= least and rank in (None, v.rank) and accept(v)]
        if found:
            return found[-1 - min(self.rng.below(len(found)), self.rng.below(len(found)), self.rng.below(len(found)))]
        return None

    def rows(self, rank):
        return self.pick(rank) or self.argument(self.shape(rank), self.element())

    def image(self):
        return self.pick(4) or self.new_image()

    def new_image(self):
        n, c = self.rng.weighted([(1, 6), (2, 2), (3, 1)]), self.rng.pick(knobs.CHANNELS)
        h, w = self.rng.pick(knobs.ROWS), self.rng.pick(knobs.ROWS)
        while not self.fits(n, h, w, c):
            h, w = (h, (w + 1) // 2) if w > 4 else ((h + 1) // 2, w)
        first = self.rng.chance(0.25)
        x = self.argument((n, c, h, w) if first else (n, h, w, c), self.element())
        x.channels_first = first
        return x

    def shape(self, rank):
        shape = [self.rng.pick(knobs.ROWS) for _ in range(rank)]
        while not self.fits(*shape):
            largest = shape.index(max(shape))
            shape[largest] = (shape[largest] + 1) // 2
        return tuple(shape)

    # ---- The common way to compute

    def generic(self, inputs, maps, kinds, shape, element, body, yielded, bound=0.0, like=None, **attrs):
        return self.make("generic", inputs, shape, element, bound, like, maps=maps, kinds=kinds,
                         body=body.lines, yields=[yielded], **attrs)  # fmt: skip

    def elementwise(self, inputs, element, bound, function, **attrs):
        """Of values of one shape; function(body, names of the elements) gives the name of the result."""
        x = inputs[0]
        body, order = Body(), self.rng.shuffled(range(x.rank)) if self.rng.chance(0.25) else list(range(x.rank))
        every = [f"d{d}" for d in order]
        onto = attrs.get("start") == "onto"
        read = inputs[:-1] if onto else inputs
        names = [f"%a{i}" for i in range(len(read))]
        yielded = function(body, names + ["%o0"] * onto)
        return self.generic(inputs, [every] * (len(read) + 1), ["parallel"] * x.rank, x.shape, element, body, yielded,
                            bound, x, **attrs)  # fmt: skip

    def settled(self, x, most=64):
        """Smaller again, if floats could have become large."""
        if not is_float(x.element) or x.bound <= most:
            return x
        factor = 2.0 ** -(int(x.bound / 4).bit_length())
        return self.elementwise([x], x.element, x.bound * factor,
                                lambda b, e: b.op("mul", x.element, e[0], b.constant(factor, x.element)))  # fmt: skip

    def converted(self, x, element):
        if x.element == element:
            return x
        bound = min(x.bound, 128.0) if is_float(x.element) else {"i8": 128.0, "i32": 2.0**31}[x.element]
        x = self.settled(x, 100) if is_float(x.element) else x
        made = self.elementwise([x], element, bound, lambda b, e: b.cast(e[0], x.element, element))
        return self.settled(made)


def source(value, step, odd, shape, element):
    """A step that computes small numbers from indices; also what stands for others as programs shrink."""
    body = Body()
    word = body.constant(odd() % 1009, "i32")
    for d in range(len(shape)):
        factor = body.constant(odd() % 97, "i32")
        word = body.op("add", "i32", body.op("mul", "i32", body.index(d, "i32"), factor), word)
    small = body.op("sub", "i32", body.op("arith.remui", "i32", word, body.constant(15, "i32")), body.constant(7, "i32"))
    made = body.cast(small, "i32", element)
    if is_float(element):
        made = body.op("mul", element, made, body.constant(0.125, element))
    every = [f"d{d}" for d in range(len(shape))]
    return step("generic", [], [value(shape, element, 1)], maps=[every], kinds=["parallel"] * len(shape),
                body=body.lines, yields=[made])  # fmt: skip


def generate(seed, profile="all"):
    gen = Generator(seed, profile)
    if profile == "training":
        training.grow(gen)
        return gen.program
    (gen.new_image if gen.rng.chance(0.7) else lambda: gen.rows(gen.rng.between(1, 3)))()
    for _ in range(gen.rng.weighted(knobs.LAYERS)):
        for _ in range(8):
            if gen.weights and LAYERS[gen.rng.weighted(gen.weights)](gen):
                break
    finish(gen)
    return gen.program


def finish(gen):
    """What is returned: the last value and some on the way. What else nobody uses is mostly looked at."""
    gen.program.returned = [whole(gen, gen.values[-1])]
    for _ in range(gen.rng.weighted([(0, 5), (1, 3), (2, 1)])):
        value = whole(gen, gen.rng.pick(gen.values))
        if value not in gen.program.returned:
            gen.program.returned.append(value)
    if knobs.has("again", gen.program.seed) and gen.rng.chance(0.15):
        value = gen.rng.pick([*gen.program.returned, *(v for v in gen.program.arguments if not v.memory)])
        gen.program.returned = [*gen.program.returned, value][-MOST_RESULTS:]
    used = {v for s in gen.program.steps for v in s.inputs} | set(gen.program.returned)
    for value in [v for v in gen.values if v not in used and v.rank and v not in gen.program.arguments]:
        if gen.rng.chance(0.75):
            look(gen, value, gen.rng.chance(0.5))


def whole(gen, value):
    """The value, or a copy where it is or may be a part of another."""
    maker = next((s for s in gen.program.steps if value in s.results), None)
    if value.rank > MOST_RANK:
        value = flat(gen, value)
    elif maker is None or maker.kind not in VIEWS | {"constant"}:
        return value
    return gen.make("named", [value], value.shape, value.element, value.bound, value, op="copy")


def flat(gen, value):
    return gen.make("collapse", [value], [value.size], value.element, value.bound,
                    groups=[list(range(value.rank))])  # fmt: skip


def look(gen, value, late):
    gen.count += 1
    step = Step("sink", [value], [], {"number": gen.count, "word": gen.rng.below(OUT)})
    made = next(i for i, s in enumerate(gen.program.steps) if value in s.results)
    gen.program.steps.insert(len(gen.program.steps) if late else made + 1, step)
