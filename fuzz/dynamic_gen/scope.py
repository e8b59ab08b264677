# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is visible at a place of the program, who frees what, and the lines that are written there."""

from contextlib import contextmanager
from dataclasses import dataclass, field

from fuzz.dynamic_gen.sizes import Size
from fuzz.dynamic_gen.tree import Node
from fuzz.memref_gen import bits
from fuzz.memref_gen.memtypes import MemRef

MOST = 6000  # of one dim
ELEMENTS = 12000  # of one buffer, over all iterations around it


@dataclass(eq=False)
class Family:
    """An allocation, by the name that frees it; it dies once, in the block that owns it."""

    root: "Buffer" = None
    dead: bool = False
    written: bool = False


@dataclass(eq=False)
class Buffer:
    name: str
    type: MemRef
    dims: tuple  # int or Size
    families: frozenset

    def __str__(self):
        return self.name

    @property
    def dead(self):
        return any(f.dead for f in self.families)

    @property
    def written(self):
        return all(f.written for f in self.families)


@dataclass(eq=False)
class Condition:
    name: str
    truth: dict  # per tuple: True, False or None


@dataclass(eq=False)
class Scope:
    gen: object
    function: object
    parent: "Scope" = None
    active: frozenset = frozenset()  # the tuples for which control comes here
    trips: int = 1
    blocks: bool = False  # whether branches are allowed
    nodes: list = field(default_factory=list)
    sizes: list = field(default_factory=list)
    conditions: list = field(default_factory=list)
    buffers: list = field(default_factory=list)
    owned: list = field(default_factory=list)
    preferred: list = field(default_factory=list)  # sizes that allocations should have
    digest: str = None  # of what was read so far
    out: str = None  # where digests go

    @property
    def rng(self):
        return self.gen.rng

    def child(self, active=None, trips=1, blocks=False, preferred=()):
        assert not self.pending(), "a buffer that nobody wrote"
        return Scope(self.gen, self.function, self, self.active if active is None else frozenset(active),
                     self.trips * trips, blocks, preferred=[*preferred, *self.preferred],
                     digest=self.digest, out=self.out)  # fmt: skip

    # ---- What is visible

    def up(self):
        scope = self
        while scope:
            yield scope
            scope = scope.parent

    def all(self, what):
        return [x for scope in self.up() for x in getattr(scope, what)]

    def readable(self, accept=lambda b: True):
        return [b for b in self.all("buffers") if not b.dead and b.written and accept(b)]

    def sane(self, most=MOST):
        return [s for s in self.all("sizes") if s.within(0, most, self.active)]

    def pending(self):
        return [f for s in self.up() for f in s.owned if not f.dead and not f.written]

    def elements(self, dims):
        """The most elements that a buffer of these dims has."""
        most = 0
        for t in self.active:
            count = 1
            for d in dims:
                count *= d.ranges[t][1] if isinstance(d, Size) else d
            most = max(most, count)
        return most

    def fits(self, dims, limit=ELEMENTS):
        return self.elements(dims) <= max(limit // self.trips, 40)

    # ---- Lines

    def line(self, text):
        self.nodes.append(Node([text]))

    def let(self, text, letter="v"):
        name = self.function.fresh(letter)
        self.line(f"{name} = {text}")
        return name

    def constant(self, number, type="index"):
        return self.function.constant(number, type)

    @contextmanager
    def inner(self):
        """Lines written meanwhile are a block of their own, which the caller places."""
        outer, self.nodes = self.nodes, []
        made = self.nodes
        try:
            yield made
        finally:
            self.nodes = outer

    @contextmanager
    def together(self):
        """Lines written meanwhile are one node."""
        with self.inner() as made:
            yield
        self.nodes.append(Node([made]))

    # ---- Sizes and conditions

    def size(self, text, ranges):
        """A new size; ranges is a function of the tuple, or gives None for one: then there is no such size."""
        found = [ranges(t) if t in self.active else (0, 0) for t in range(self.gen.tuples)]
        if any(r is None for r in found):
            return None
        made = Size(self.let(text, "s"), tuple(found))
        self.sizes.append(made)
        return made

    def fixed(self, number):
        return Size(self.constant(number), ((number, number),) * self.gen.tuples)

    def condition(self, text, truth):
        made = Condition(self.let(text, "q"), {t: truth(t) for t in self.active})
        self.conditions.append(made)
        return made

    def text_of(self, dim):
        return dim.name if isinstance(dim, Size) else self.constant(dim)

    def dim(self, buffer, position):
        """A size that is asked of a buffer."""
        d = buffer.dims[position]
        ranges = d.ranges if isinstance(d, Size) else ((d, d),) * self.gen.tuples
        made = Size(self.let(f"memref.dim {buffer}, {self.constant(position)} : {buffer.type}", "s"), ranges)
        self.sizes.append(made)
        return made

    def bounds(self, buffer):
        """The names of a buffer's sizes, some of them asked of it."""
        return [self.dim(buffer, i).name if self.rng.chance(0.25) else self.text_of(d)
                for i, d in enumerate(buffer.dims)]  # fmt: skip

    # ---- Buffers

    def new(self, name, type, dims, written=True):
        """A buffer that this block must free or give away."""
        family = Family(written=written)
        made = family.root = Buffer(name, type, tuple(dims), frozenset([family]))
        self.buffers.append(made)
        self.owned.append(family)
        return made

    def alias(self, text, type, dims, *sources):
        made = Buffer(self.let(text, "b"), type, tuple(dims), frozenset(f for s in sources for f in s.families))
        self.buffers.append(made)
        return made

    def nest(self, names, body):
        """A loop nest; body gets the names of the variables."""
        if not names:
            return
        variables = [self.function.fresh("i") for _ in names]
        opening = []
        for variable, name in zip(variables, names):
            opening.append(f"scf.for {variable} = {self.constant(0)} to {name} step {self.constant(1)} {{")
        with self.inner() as lines:
            body(variables)
        self.nodes.append(Node([*opening, lines, *["}"] * len(names)]))

    def mixed(self, old, new, factor=None):
        a = self.let(f"arith.muli {old}, {self.constant(factor or self.rng.odd(), 'i64')} : i64")
        b = self.let(f"arith.muli {new}, {self.constant(self.rng.odd(), 'i64')} : i64")
        return self.let(f"arith.addi {a}, {b} : i64")

    def spread(self, start, variables):
        """A number for each element."""
        value = start
        for v in variables:
            word = self.let(f"arith.index_cast {v} : index to i64")
            value = self.mixed(value, word)
        return value

    def write(self, buffer):
        def body(variables):
            element = bits.from_bits(self, self.spread(self.digest, variables), buffer.type.element)
            self.line(f"memref.store {element}, {buffer}[{', '.join(variables)}] : {buffer.type}")

        with self.together():
            self.nest(self.bounds(buffer), body)
        for family in buffer.families:
            family.written = True

    def mix(self, buffer):
        def body(variables):
            at = f"{buffer}[{', '.join(variables)}] : {buffer.type}"
            old = bits.to_bits(self, self.let(f"memref.load {at}"), buffer.type.element)
            new = bits.from_bits(self, self.spread(self.mixed(old, self.digest), variables), buffer.type.element)
            self.line(f"memref.store {new}, {at}")

        with self.together():
            self.nest(self.bounds(buffer), body)

    def read(self, buffer):
        """Every element goes into the digest, and that goes out."""
        with self.together():
            names, zero, one = self.bounds(buffer), self.constant(0), self.constant(1)
            start, lines, closing, accumulator = self.digest, [], [], None
            variables, results = [], []
            for name in names:
                variable, accumulator, result = (self.function.fresh(c) for c in "iad")
                lines.append(f"{result} = scf.for {variable} = {zero} to {name} step {one} "
                             f"iter_args({accumulator} = {start}) -> (i64) {{")  # fmt: skip
                variables.append(variable)
                results.append(result)
                start = accumulator
            with self.inner() as inside:
                element = self.let(f"memref.load {buffer}[{', '.join(variables)}] : {buffer.type}")
                value = self.mixed(accumulator, bits.to_bits(self, element, buffer.type.element))
            for result in reversed(results):
                closing += [f"scf.yield {value} : i64", "}"]
                value = result
            self.nodes.append(Node([*lines, inside, *closing]))
            self.digest = results[0]
            self.put_out()

    def put_out(self):
        """Mixes the digest into a cell of the output."""
        at = f"{self.out}[{self.constant(self.rng.below(16))}] : memref<16xi64>"
        old = self.let(f"memref.load {at}")
        self.line(f"memref.store {self.mixed(old, self.digest)}, {at}")

    # ---- Ends

    def settle(self):
        """Writes what nobody wrote so far, so that inner blocks may read it."""
        for scope in self.up():
            for family in scope.owned:
                if not family.dead and not family.written:
                    self.write(family.root)

    def retire(self, family):
        assert family in self.owned
        if not family.written:
            self.write(family.root)
        if self.rng.chance(0.9):
            self.read(family.root)
        self.nodes.append(Node([f"memref.dealloc {family.root} : {family.root.type}"], free=True))
        self.give(family)

    def give(self, family):
        """Somebody else owns it from here on, by another name."""
        family.dead = True
        self.owned.remove(family)

    def take_again(self, family):
        family.dead = False
        self.owned.append(family)

    def close(self, but=()):
        """The end of a block."""
        for family in self.rng.shuffled(self.owned):
            if family not in but:
                self.retire(family)
