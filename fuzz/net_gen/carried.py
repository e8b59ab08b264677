# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that carry tensors: several at once, which change places, are updated in place or computed anew, in branches
and in loops inside.

A body is a list of ops. What they read is a *reference*: an input of the step, or what the body makes, by number. A
tensor that begins without contents is a *spare*: the body only writes into it, and all its iterations yield what has
contents in its place.
"""

from dataclasses import dataclass, field

from fuzz.net_gen.emit import OUT
from fuzz.net_gen.layers import layer
from fuzz.net_gen.numbers import beside
from fuzz.net_gen.tree import tensor

DEPTH = 2  # loops and branches inside of each other
LARGEST = 400  # elements of a tensor that is carried
BOUND = 8  # of floats, whatever is computed of them


@dataclass(frozen=True)
class Ref:
    number: int
    shape: tuple
    element: str
    made: bool  # by the body; else an input of the step

    @property
    def kind(self):
        return self.shape, self.element

    @property
    def type(self):
        return tensor(self.shape, self.element)


@dataclass
class Op:
    kind: str
    reads: list
    makes: list
    attrs: dict = field(default_factory=dict)


@dataclass
class Loop:
    """What it begins with, its arguments, body and results; of a while, what decides, too."""

    form: str  # for, while
    starts: list
    args: list
    trips: object  # a number, or None: read at run time
    word: int = 0  # from where
    body: list = field(default_factory=list)
    yields: list = field(default_factory=list)
    first: object = None  # of a while: (arguments, ops, what is passed on)

    def replace(self, op):
        """Takes an op out; what it reads is in the place of what it makes."""
        now = dict(zip(op.makes, op.reads))
        for o in self.ops():
            o.reads = [now.get(r, r) for r in o.reads]
            if "into" in o.attrs:
                o.attrs["into"] = now.get(o.attrs["into"], o.attrs["into"])
            if "arms" in o.attrs:
                o.attrs["arms"] = [([i for i in some if i is not op], [now.get(r, r) for r in given]) for some, given in o.attrs["arms"]]
        for loop in [self, *(o.attrs["loop"] for o in self.ops() if "loop" in o.attrs)]:
            loop.body = [o for o in loop.body if o is not op]
            loop.starts, loop.yields = ([now.get(r, r) for r in refs] for refs in (loop.starts, loop.yields))
            if loop.first:
                args, some, passed = loop.first
                loop.first = args, [o for o in some if o is not op], [now.get(r, r) for r in passed]

    def ops(self):
        """Those of its body, and of what is inside."""
        return every(self.body + (self.first[1] if self.first else []))

    def saves(self):
        return any(op.kind == "save" for op in self.ops())


def every(ops):
    for op in ops:
        yield op
        yield from op.attrs["loop"].ops() if "loop" in op.attrs else ()
        for some, _ in op.attrs.get("arms", ()):
            yield from every(some)


class Grower:
    def __init__(self, gen, inputs):
        self.gen, self.rng, self.count = gen, gen.rng, 0
        self.inputs = [Ref(i, v.shape, v.element, False) for i, v in enumerate(inputs)]

    def new(self, like):
        self.count += 1
        return Ref(self.count, like.shape, like.element, True)

    def news(self, likes):
        return [self.new(like) for like in likes]

    def some(self, refs, kind):
        """One of a type, mostly of the last."""
        found = [r for r in refs if r.kind == kind]
        return found[-1 - min(self.rng.below(len(found)), self.rng.below(len(found)))] if found else None

    def kind(self, refs):
        return self.rng.pick(refs).kind

    def ops(self, known, spares, depth, number):
        """Ops one behind the other; what they make is known behind them."""
        made = []
        for _ in range(number):
            op = self.op(known, spares, depth)
            if op:
                made.append(op)
                known += op.makes
        return made

    def op(self, known, spares, depth):
        ways = [("map", 7), ("row", 2), ("turn", 2)]
        ways += [("branch", 2.5), ("loop", 1.2)] if depth < DEPTH else []
        ways += [("load", 1), ("save", 1)] if self.gen.states else []
        return getattr(self, self.rng.weighted(ways))(known, spares, depth)

    def destination(self, known, spares, kind):
        """Where an op writes that does not read what is there: None is new memory."""
        return self.some(known + 2 * spares, kind) if self.rng.chance(0.45) else None

    def map(self, known, spares, depth):
        kind = self.kind(known)
        reads = [self.some(known, kind) for _ in range(self.rng.between(1, 2))]
        onto = self.some(known, kind) if self.rng.chance(0.3) else None
        into = onto or self.destination(known, spares, kind)
        return Op("map", reads, [self.new(reads[0])],
                  {"into": into, "onto": onto is not None, "way": self.rng.below(4), "factor": self.rng.odd() % 60})  # fmt: skip

    def row(self, known, spares, depth):
        """One row of a tensor into one of another, in place."""
        kind = self.kind(known)
        source, into = self.some(known, kind), self.some(known, kind)
        rows = kind[0][0]
        return Op("row", [source, into], [self.new(into)], {"from": self.rng.below(rows), "to": self.rng.below(rows)})

    def turn(self, known, spares, depth):
        """The rows the other way round."""
        kind = self.kind(known)
        x = self.some(known, kind)
        into = self.destination(known, spares, kind)
        return Op("turn", [x], [self.new(x)], {"into": into if into != x else None})

    def branch(self, known, spares, depth):
        """Mostly tensors that change places in one arm, or both."""
        some = self.rng.shuffled(known)[: self.rng.between(1, 3)]
        arms = []
        for arm in range(2):
            inside = list(known)
            ops = self.ops(inside, spares, depth + 1, self.rng.below(3))
            given = self.permuted(some) if self.rng.chance(0.5) else [self.some(inside, r.kind) for r in some]
            arms.append((ops, given))
        return Op("branch", [], self.news(some), {"arms": arms, "parity": self.rng.below(2)})

    def permuted(self, refs):
        """The same tensors in other places, where types allow."""
        left, given = self.rng.shuffled(refs), []
        for ref in refs:
            found = next((r for r in left if r.kind == ref.kind), ref)
            left.remove(found)
            given.append(found)
        return given

    def loop(self, known, spares, depth):
        starts = [self.rng.pick(known) for _ in range(self.rng.between(1, 2))]
        made = self.carrying(starts, known, [], depth + 1)
        return Op("loop", [], self.news(starts), {"loop": made})

    def load(self, known, spares, depth):
        kept = self.rng.pick(self.gen.states)
        like = next((r for r in known if r.kind == (kept.shape, kept.element)), None)
        return like and Op("load", [], [self.new(like)], {"kept": kept})

    def save(self, known, spares, depth):
        kept = self.rng.pick(self.gen.states)
        x = self.some(known, (kept.shape, kept.element))
        self.count += 1
        return x and Op("save", [x], [], {"kept": kept, "number": self.count})

    def carrying(self, starts, known, spares, depth):
        """`starts`: what is carried; those among `spares` have no contents."""
        form = self.rng.pick(["for", "for", "while"])
        trips = self.rng.between(1, 4) if spares or self.rng.chance(0.7) else self.rng.pick([0, None])
        made = Loop(form, starts, self.news(starts), trips, self.rng.below(OUT))
        held = [a for a, s in zip(made.args, starts) if s not in spares]
        dead = [a for a, s in zip(made.args, starts) if s in spares]
        if form == "while":
            args, inside = self.news(starts), list(known)
            inside += [a for a, s in zip(args, starts) if s not in spares]
            some = self.ops(inside, [], DEPTH, self.rng.below(3)) if not spares and self.rng.chance(0.3) else []
            passed = self.yielded(args, args, inside) if not spares and self.rng.chance(0.3) else args
            made.first = args, some, passed
        inside = known + held
        made.body = self.ops(inside, dead, depth, self.rng.between(1, 5 - depth))
        made.yields = self.yielded(made.args, held, inside[len(known) :] if self.rng.chance(0.85) else inside)
        return made

    def yielded(self, args, held, known):
        if self.rng.chance(0.3):  # one after the other takes the next one's place
            turned = held[1:] + held[:1]
            return [turned[held.index(a)] if a in held and turned[held.index(a)].kind == a.kind else self.some(known, a.kind)
                    for a in args]  # fmt: skip
        return [self.some(known if self.rng.chance(0.7) else held, a.kind) or self.some(known, a.kind) for a in args]


@layer
def carried(gen):
    x = gen.pick(accept=lambda v: v.size <= LARGEST)
    if not x:
        return None
    x = gen.settled(x, BOUND)
    inputs = [x]
    for _ in range(gen.rng.weighted([(0, 1), (1, 4), (2, 4), (3, 1)])):
        y = gen.pick(accept=lambda v: v.size <= LARGEST) if gen.rng.chance(0.2) else gen.rng.pick([x, beside(gen, x)])
        inputs.append(gen.settled(y, BOUND))
    if gen.rng.chance(0.3):
        inputs.append(gen.weight(*x.shape, element=x.element))
    grower = Grower(gen, inputs)
    known = list(grower.inputs)
    starts = known[: gen.rng.between(1, len(known))]
    spares = []
    if gen.rng.chance(0.35):
        spares = [Ref(-1 - i, x.shape, x.element, True) for i in range(gen.rng.between(1, 2))]
    loop = grower.carrying(gen.rng.shuffled(starts + spares), known, spares, 0)
    results = [gen.value(r.shape, r.element, BOUND) for r in loop.starts]
    return gen.step("carried", inputs, results, loop=loop, shared=gen.rng.chance(0.5), spares=spares)
