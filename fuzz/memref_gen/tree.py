# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program as a tree, and who owns what in it.

A value of memref type either *owns* its bytes (an allocation, or the result of
an operation that hands an allocation on) or is an alias of other values. An
owned value is freed exactly once: the statement or the block's end that takes
it lists it in `moves`, or else the emitter writes a dealloc for it in the block
that defines it, at a place that `Value.free` chooses. So deallocs are not part
of the tree, and whatever is cut out of a tree, the frees stay right.

In an *unowned* program, one before deallocation, no value owns anything: an
allocation is a value without `alias_of`, any region may yield it, beside
buffers of any other origin, and all names of it stay good.
"""

from dataclasses import dataclass, field
from typing import Any, Dict, List

from fuzz.rng import Rng


@dataclass(eq=False)
class Value:
    id: int
    type: Any  # MemRef, or the text of a scalar type
    dims: tuple = ()  # the true sizes, whatever the type says
    whole: bool = False  # covers all bytes of each buffer it may alias
    owned: bool = False
    free: float = 0.0  # 0: right after the last use, 1: at the block's end
    align: int = 0  # what the program itself promises about the first byte
    constant: bool = False  # may not be written
    stack: bool = False  # gone with the block that allocates it
    alias_of: List["Value"] = field(default_factory=list)

    def __str__(self):
        return f"%v{self.id}"


@dataclass(eq=False)
class Stmt:
    kind: str
    operands: List[Value] = field(default_factory=list)
    results: List[Value] = field(default_factory=list)
    regions: List["Block"] = field(default_factory=list)
    moves: List[Value] = field(default_factory=list)
    attrs: Dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Block:
    """`adopts` are values of an outer block that this block must free or hand
    on; the statement around it lists them in `moves`."""

    args: List[Value] = field(default_factory=list)
    body: List[Stmt] = field(default_factory=list)
    yields: List[Value] = field(default_factory=list)
    adopts: List[Value] = field(default_factory=list)


@dataclass(eq=False)
class Function:
    name: str
    body: Block
    results: List[Any] = field(default_factory=list)  # types
    ways: List[Any] = field(default_factory=list)  # how each is given (ops_results.py); none: as any buffer
    traits: set = field(default_factory=set)


@dataclass(eq=False)
class Program:
    """`functions[0]` is the one that is run; the others are called by it."""

    seed: int
    unowned: bool = False
    functions: List[Function] = field(default_factory=list)
    globals: List[tuple] = field(default_factory=list)  # (name, type), written before they are read
    features: set = field(default_factory=set)


def roots(value, seen=None):
    """The owned values whose bytes `value` may be."""
    if value.owned or not value.alias_of:
        return {value}
    seen = seen if seen is not None else set()
    if value in seen:
        return set()
    seen.add(value)
    found = set()
    for source in value.alias_of:
        found |= roots(source, seen)
    return found


def statements(block):
    """All statements of a block and of what is inside it, in program order."""
    for stmt in block.body:
        yield stmt
        for region in stmt.regions:
            yield from statements(region)


def blocks(block):
    yield block
    for stmt in block.body:
        for region in stmt.regions:
            yield from blocks(region)


def uses(stmt):
    """The values a statement and all inside it mention."""
    yield from stmt.operands
    for region in stmt.regions:
        for inner in region.body:
            yield from uses(inner)
        yield from region.yields


def measured(stmt):
    """The buffers whose sizes a statement and all inside it ask for: no use of their memory."""
    yield from stmt.attrs.get("of", ())
    for region in stmt.regions:
        for inner in region.body:
            yield from measured(inner)


def owned_values(block):
    """What a block must free or hand on, with the index of its definition."""
    for value in block.adopts:
        yield value, -1
    for value in block.args:
        if value.owned:
            yield value, -1
    for i, stmt in enumerate(block.body):
        for value in stmt.results:
            if value.owned:
                yield value, i


def place_frees(block, prompt=False):
    """Maps the index of a statement to the values to be freed right after it; if
    `prompt`, all after their last mention."""
    moved = {v for stmt in block.body for v in stmt.moves} | set(block.yields)
    last_use = {}
    for i, stmt in enumerate(block.body):
        for value in [*uses(stmt), *(measured(stmt) if prompt else ())]:
            for root in roots(value):
                last_use[root] = i
    places, end = {}, len(block.body) - 1
    for value, defined in owned_values(block):
        if value not in moved:
            last = max(defined, last_use.get(value, defined))
            place = last if prompt else last + round(value.free * (end - last))
            places.setdefault(place, []).append(value)
    return places


def half(function, owned, seed):
    """About half of the owned values, and with each all that its bytes are
    passed on to: a buffer is freed on every path or on none. What comes from
    a caller is the caller's to free."""
    leader = {v: v for v in owned}

    def find(v):
        while leader[v] is not v:
            v = leader[v]
        return v

    for stmt in statements(function.body):
        held = [v for r in stmt.regions for v in r.args + r.adopts + r.yields]
        group = [v for v in stmt.moves + stmt.results + held if v.owned and v in leader]
        if stmt.moves or stmt.regions:
            for v in group:
                leader[find(v)] = find(group[0])
    arguments = {find(v) for v in function.body.args if v.owned}
    return {v for v in owned if find(v) in arguments or Rng(seed * 1000003 + find(v).id).chance(0.5)}


def callees(stmt):
    """The functions that a statement may call: one, or two where it has their addresses."""
    return [stmt.attrs[a] for a in ("callee", "other") if stmt.attrs.get(a)]


def drop_uncalled(program):
    called = reached(program)
    program.functions = [f for f in program.functions if f.name in called]


def reached(program):
    by_name = {f.name: f for f in program.functions}
    todo, found = ["main"], set()
    while todo:
        name = todo.pop()
        if name not in found and name in by_name:
            found.add(name)
            for s in statements(by_name[name].body):
                todo += callees(s)
    return found
