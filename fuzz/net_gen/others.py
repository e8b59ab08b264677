# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands between the layers of a program that is not only a network."""

from fuzz.net_gen.elements import Body, is_float
from fuzz.net_gen.emit import OUT
from fuzz.net_gen.layers import MOST_ARGUMENTS, MOST_RANK, layer
from fuzz.net_gen.numbers import beside
from fuzz.net_gen.tree import State, Step

LARGEST_STATE = 100  # elements
STATE_BOUND = 8  # of floats


@layer
def call(gen):
    """Of a private function that computes elementwise."""
    x = gen.pick()
    if not x:
        return None
    every, body = [f"d{d}" for d in range(x.rank)], Body()
    made = body.op("sub", x.element, body.constant(3, x.element), "%a0")
    return gen.settled(gen.make("call", [x], x.shape, x.element, x.bound + 3, x, maps=[every, every], yields=[made],
                                kinds=["parallel"] * x.rank, body=body.lines))  # fmt: skip


@layer
def loop(gen):
    x = gen.pick()
    return x and gen.settled(gen.make("loop", [x], x.shape, x.element, 2 * x.bound, x))


@layer
def choice(gen):
    x = gen.pick()
    y = x and beside(gen, x)
    if not x or y is x:
        return None
    return gen.make("choice", [x, y], x.shape, x.element, max(x.bound, y.bound), x, word=gen.rng.below(OUT))


@layer
def store(gen):
    x = gen.pick()
    if not x:
        return None
    gen.count += 1
    gen.program.steps.append(Step("store", [x], [], {"number": gen.count, "word": gen.rng.below(OUT),
                                                     "at": [gen.rng.below(size) for size in x.shape]}))  # fmt: skip
    return x


@layer
def deliver(gen):
    """To a buffer of the caller's."""
    x = gen.pick(accept=lambda v: v.rank <= MOST_RANK)
    if not x or len(gen.program.arguments) >= MOST_ARGUMENTS:
        return None
    memory = gen.value(x.shape, x.element)
    memory.memory = True
    gen.program.arguments.append(memory)
    gen.program.steps.append(Step("deliver", [x, memory], []))
    return x


@layer
def handled(gen):
    """By a function that knows buffers of bytes only."""
    x = gen.pick(accept=lambda v: v.element == "i8")
    if not x:
        return None
    flat = gen.make("collapse", [x], [x.size], "i8", groups=[list(range(x.rank))]) if x.rank > 1 else x
    made = gen.make("handled", [flat], flat.shape, "i8", word=gen.rng.below(100))
    groups = [list(range(x.rank))]
    return gen.make("expand", [made], x.shape, "i8", 0, x, groups=groups) if x.rank > 1 else made


def begun(gen, x):
    first = tuple(gen.rng.between(-7, 7) / (8 if is_float(x.element) else 1) for _ in range(x.size))
    gen.states.append(State(len(gen.states), x.shape, x.element, first))
    return gen.states[-1]


@layer
def keep(gen):
    """The new state is another value, or the old one and another; what was loaded is used after the store, too."""
    x = gen.pick(accept=lambda v: v.size <= LARGEST_STATE)
    if not x:
        return None
    x = gen.settled(x, STATE_BOUND)
    like = [k for k in gen.states if (k.shape, k.element) == (x.shape, x.element)]
    kept = gen.rng.pick(like) if like and gen.rng.chance(0.6) else begun(gen, x)
    way = gen.rng.pick(["load", "save", "update", "exchange", "reload"])
    load = way != "save" and gen.make("load", [], x.shape, x.element, STATE_BOUND, x, kept=kept, called=gen.rng.chance(0.2))
    if way == "load":
        return load
    new = x
    if way == "update":
        new = gen.elementwise([load, x], x.element, STATE_BOUND, lambda b, e: b.op("max", x.element, *e))
    gen.count += 1
    gen.program.steps.append(Step("save", [new], [], {"kept": kept, "number": gen.count, "called": gen.rng.chance(0.2)}))
    if way == "reload":
        return gen.make("load", [], x.shape, x.element, STATE_BOUND, x, kept=kept, called=False)
    return load or x


@layer
def fresh(gen):
    return gen.new_image() if gen.rng.chance(0.5) else gen.rows(gen.rng.between(1, 3))
