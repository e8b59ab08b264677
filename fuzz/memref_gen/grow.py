# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Growing a program from a seed.

Each kind of statement is an *action*: a function that looks at the scope, adds
one or a few statements and says whether it could. `knobs.py` gives each a
weight; every program first switches a random part of them off (swarm testing:
what never meets everything else at once meets some of it more often).
"""

from fuzz.memref_gen import knobs
from fuzz.memref_gen.actions import ACTIONS, call_some
from fuzz.memref_gen.memtypes import ELEMENT_WEIGHTS, ELEMENTS, MemRef, count
from fuzz.memref_gen.ops_calls import grow_callees
from fuzz.memref_gen.ops_memory import filled, scalars
from fuzz.memref_gen.ops_results import phis
from fuzz.rng import Rng
from fuzz.memref_gen.scope import Scope
from fuzz.memref_gen.tree import Block, Function, Program, Value, drop_uncalled, roots, uses
from fuzz.memref_gen.yields import give_back


class Generator:
    def __init__(self, seed, profile="all", unowned=False):
        self.rng = Rng(seed)
        self.unowned = unowned
        self.program = Program(seed, unowned)
        self.ids = 0
        self.left = 0  # statements still to be spent
        self.types = []  # drawn so far, to be met again
        self.weights = self.swarm(profile)
        self.callees = []  # (Function, how it may be called)
        self.function = None
        self.out = None
        self.late = 0.02 + 0.5 * self.rng.unit() ** 2  # how often a block's end reads a buffer
        self.strict_clones = False  # as the op's definition has it
        self.symbols = set()  # what an affine condition may mention
        self.keeping = False  # an outside function holds a buffer just now

    def swarm(self, profile):
        kept = {}
        for name, weight in knobs.profile(profile, self.program.seed).items():
            if self.unowned and name in knobs.OWNING:
                continue
            if weight and (name in knobs.ALWAYS or self.rng.chance(knobs.KEEP)):
                kept[name] = weight * (0.3 + 1.4 * self.rng.unit())
        return kept

    def allows(self, feature):
        return feature in self.weights

    # Values and types.

    def value(self, type, **fields):
        value = Value(self.ids, type, **fields)
        self.ids += 1
        if isinstance(type, MemRef) and not value.dims:
            value.dims = type.shape
        return value

    def owned(self, type, **fields):
        free = self.rng.weighted([(0.0, 4), (1.0, 4), (self.rng.unit(), 2)])
        return self.value(type, whole=True, owned=not self.unowned, free=free, **fields)

    def twin(self, value, **fields):
        """A value of the same type and true sizes."""
        return self.value(value.type, dims=value.dims, whole=value.whole, **fields)

    def element(self):
        found = ELEMENTS[self.rng.weighted(ELEMENT_WEIGHTS)]
        if found.text in knobs.PLAIN_ELEMENTS or self.allows("elements"):
            return found
        return ELEMENTS["f32"]

    def type(self):
        """A type for an allocation; often one that exists already."""
        if self.types and self.rng.chance(0.55):
            return self.rng.pick(self.types)
        element = self.element()
        limit = max(2, 160 // element.bytes * 2)
        rank = self.rng.weighted([(0, 0.6), (1, 5), (2, 4), (3, 1.5)])
        dims = tuple(self.rng.pick(knobs.SIZES[rank]) for _ in range(rank))
        while count(dims) > limit:
            dims = tuple((d + 1) // 2 for d in dims)
        if rank and self.allows("zero_sized") and self.rng.chance(0.06):
            dims = (0,) + dims[1:]
        space = self.rng.pick([1, 2]) if self.allows("spaces") and self.rng.chance(0.3) else 0
        found = MemRef(dims, element, space)
        self.types.append(found)
        return found

    # Statements.

    def grow(self, scope, budget):
        """Spends about `budget` statements in `scope`."""
        stop = self.left - budget
        misses = 0
        while self.left > stop and self.left > 0 and misses < 40:
            name = self.rng.weighted(list(self.weights.items()))
            acted = name in ACTIONS and ACTIONS[name](self, scope)
            misses = 0 if acted else misses + 1

    def inner(self, scope, share=0.5):
        """How many statements a region may spend."""
        return self.rng.between(1, max(1, min(8, int(self.left * share))))

    def finish(self, scope):
        """Reads what the block has made: some at the block's end, so that a life
        cut short shows; most right after the last use, so that little is dead
        and lives stay apart."""
        made = [v for v in scope.values if isinstance(v.type, MemRef) and v is not self.out]
        for value in self.rng.shuffled([v for v in made if scope.full(v)]):
            if self.rng.chance(self.late):
                self.sink(scope, value)
            elif value in scope.locals and self.rng.chance(knobs.READ):
                self.sink(scope, value)
                goal = self.goal(scope)
                if goal and not roots(goal) & (scope.locals - set(scope.block.args)):
                    move_up(scope.block.body, goal, value)

    def goal(self, scope):
        """What reads go to, so that all that is computed is seen in the end."""
        at = scope
        while at:
            if at.goal and scope.writable(at.goal) and scope.full(at.goal):
                return at.goal
            at = at.parent
        if scope.writable(self.out) and scope.full(self.out):
            return self.out
        return scope.find(lambda v: scope.writable(v) and scope.full(v))

    def collector(self, scope):
        """A new buffer to be such a goal."""
        return filled(self, scope, MemRef((self.rng.between(1, 7),), ELEMENTS["i64"]))

    def sink(self, scope, value):
        goal = self.goal(scope)
        if goal and goal is not value:
            scope.add("sink", [goal, value], factor=self.rng.odd(), term=self.rng.odd(),
                      shift=self.rng.below(50))  # fmt: skip

    def outside_type(self):
        """A type whose bytes the driver can make and compare: no padding."""
        while True:
            type = self.type()
            if type.element.text != "i24" and type.space == 0:
                return type

    def region(self, scope, args=(), adopts=(), blocks_allowed=None):
        return Scope(self, scope, Block(args=list(args), adopts=list(adopts)), blocks_allowed)


def move_up(body, goal, value):
    """Moves a read of `value` into `goal` to where `value` was used before it, if `goal` is
    there already."""
    used = [i for i, s in enumerate(body[:-1]) if any(value in roots(v) for v in uses(s)) or goal in s.results]
    if used and body[-1].kind == "sink" and body[-1].operands == [goal, value]:
        body.insert(used[-1] + 1, body.pop())


def generate(seed, profile="all", input="freed", strict_clones=False):
    """A program to be written with all deallocs (freed), with some, or with
    none: then it is mostly one that owns nothing."""
    gen = Generator(seed, profile, unowned=input == "none" and seed % 3 != 0)
    gen.strict_clones = strict_clones or input != "freed"
    main = Function("main", Block(), traits={"leave", "fresh", "open"})
    gen.program.functions.append(main)
    grow_callees(gen)
    gen.function = main
    control = gen.value(MemRef((8,), ELEMENTS["i64"]), whole=True, constant=True)
    gen.out = gen.value(MemRef((gen.rng.between(3, 40),), ELEMENTS["i64"]), whole=True)
    main.body.args = [control, gen.out]
    for _ in range(gen.rng.between(0, 2)):
        main.body.args.append(gen.value(gen.outside_type(), whole=True))
    if gen.allows("returned"):
        main.results = [gen.outside_type() for _ in range(gen.rng.weighted([(0, 4), (1, 3), (2, 2)]))]
    if gen.allows("handed") and gen.rng.chance(0.5):
        main.results = []
        phis(gen, main)
    scope = Scope(gen, None, main.body, "func")
    scalars(gen, scope, control)
    gen.left = budget = gen.rng.weighted(knobs.STATEMENTS)
    call_some(gen, scope, 1.0)
    gen.grow(scope, budget)
    gen.finish(scope)
    main.body.yields = give_back(gen, scope)
    gen.program.features = set(gen.weights)
    if gen.allows("addressed") and gen.rng.chance(0.15):
        main.traits.add("addressed")
        main.traits -= {"open"} if gen.rng.chance(0.5) else set()
    drop_uncalled(gen.program)
    return gen.program
