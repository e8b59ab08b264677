# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass that is wrong on purpose, to see whether a difference is noticed.

`Overlap`: two allocations of one block are put at the same address. With `overlapping`
the first is still used after the second was: the programs must then be seen to
go wrong (not each one: what is overwritten may be dead). Otherwise the uses of
the first all come before those of the second, and nothing may be seen at all.

`Free`: one dealloc is dropped, doubled, or comes before the last use; `marked`
only counts it, by an allocation beside it, to tell whether it is ever reached.

`Hoist`: iterations that run beside each other share an allocation.
"""

from fuzz.memref_gen import tree
from fuzz.memref_gen.memtypes import count
from fuzz.rng import Rng


class Mutation:
    """What the emitter asks; this one changes nothing."""

    def replaces(self, e, stmt):
        """Writes something in place of a statement, or before it."""
        return False

    def keeps(self, value):
        """Whether a value is not to be freed."""
        return False

    def after_free(self, e, value):
        pass


class Overlap(Mutation):
    def __init__(self, first, second):
        self.first, self.second = first, second

    def replaces(self, e, stmt):
        made = stmt.results[0] if stmt.kind == "alloc" else None
        if made is self.first:
            size = max(bytes_of(self.first), bytes_of(self.second))
            e.line(f"%arena = memref.alloc() {{alignment = 256 : i64}} : memref<{size}xi8>")
        if made not in (self.first, self.second) or made is None:
            return False
        e.line(f"{made} = memref.view %arena[{e.constant(0)}][] : memref<{self.size()}xi8> to {made.type}")
        return True

    def keeps(self, value):
        return value in (self.first, self.second)

    def size(self):
        return max(bytes_of(self.first), bytes_of(self.second))


def bytes_of(value):
    return count(value.dims) * value.type.element.bytes


# What only names bytes, and what reads none of its first operand's.
NAMES = {"cast", "subview", "reinterpret", "reshape", "permute", "view", "assume", "distinct",
         "select", "pair"}  # fmt: skip
UNSURE = {"call", "indirect", "condition", "touch"}  # may read nothing, or little
COPIES = {"copy", "linalg_copy"}  # may give each iteration the same
WRITES_FIRST = {"fill", "nest", "generic"}


def reads(stmt):
    """The values whose contents a statement, or what is inside it, reads."""
    if stmt.kind in WRITES_FIRST and not stmt.attrs.get("old"):
        yield from stmt.operands[1:]
    elif stmt.kind in ("copy", "linalg_copy", "transposed"):
        yield stmt.operands[0]
    elif stmt.kind not in NAMES:
        yield from stmt.operands
    for region in stmt.regions:
        for inner in region.body:
            yield from reads(inner)


def spans(block):
    """{value: (statements that use it, those of them that surely read what it
    holds)} of the allocations freed in this block, by number."""
    gone = {v for s in block.body for v in s.moves} | set(block.yields)
    gone |= {s.operands[0] for s in block.body if s.kind == "realloc"}
    uses, read = {}, {}
    for stmt in block.body:
        if stmt.kind == "alloc" and stmt.results[0] not in gone:
            uses[stmt.results[0]] = []
    for i, stmt in enumerate(block.body):
        if stmt.kind not in NAMES:
            for value in touched(tree.uses(stmt), uses):
                uses[value].append(i)
        if not stmt.regions and stmt.kind not in UNSURE:
            for value in touched(reads(stmt), uses):
                read.setdefault(value, set()).add(i)
    return {v: (at, read.get(v, set())) for v, at in uses.items() if at and bytes_of(v)}


def equal(block, a, b):
    """Whether one is ever a copy of the other: then to share does no harm."""
    return any({a, b} <= {r for v in s.operands for r in tree.roots(v)}
               for s in tree.statements(block) if s.kind in COPIES)  # fmt: skip


def touched(values, wanted):
    return {r for v in values for r in tree.roots(v)} & set(wanted)


def overlap(program, overlapping):
    """An Overlap of some two allocations, or None if there are none that fit."""
    pairs = []
    for function in program.functions:
        for block in tree.blocks(function.body):
            pairs += [p for p in fitting(block, spans(block), overlapping) if not equal(block, *p)]
    return Overlap(*Rng(program.seed + 1).pick(pairs)) if pairs else None


def fitting(block, lives, overlapping):
    order = {v: i for i, v in enumerate(lives)}  # of their allocations
    for a in lives:
        for b in lives:
            if order[a] < order[b] and not a.type.space and not b.type.space:
                if overlapping and clobbers(block, lives[a], lives[b]):
                    yield a, b
                if not overlapping and lives[a][0][-1] < lives[b][0][0]:
                    yield a, b


def clobbers(block, a, b):
    """Whether b is surely written between a use of a and a sure read of it."""
    (uses, read), begin = a, b[0][0]
    later = [i for i in uses if i > begin]
    return uses[0] < begin and not block.body[begin].regions and bool(later) and later[0] in read


class Free(Mutation):
    def __init__(self, value, last, how):
        self.value, self.last, self.how = value, last, how

    def replaces(self, e, stmt):
        if self.how == "early" and stmt is self.last:
            e.line(f"memref.dealloc {self.value} : {self.value.type}")
        return False

    def keeps(self, value):
        return value is self.value and self.how in ("dropped", "early")

    def after_free(self, e, value):
        if value is self.value and self.how == "doubled":
            e.line(f"memref.dealloc {value} : {value.type}")
        if value is self.value and self.how == "marked":
            e.count()


def misplaced(program, how):
    """A Free of some allocation that has a last use, or None."""
    found = []
    for function in program.functions:
        for block in tree.blocks(function.body):
            for value, (at, read) in spans(block).items():
                if at[-1] in read:
                    found.append((value, block.body[at[-1]]))
    return Free(*Rng(program.seed + 2).pick(found), how) if found else None


class Mark(Mutation):
    """Counts how often some allocations are made, by one more beside each."""

    def __init__(self, values):
        self.values = values

    def replaces(self, e, stmt):
        if stmt.results and stmt.results[0] in self.values:
            e.count()
        return False


class Hoist(Mutation):
    def __init__(self, value, loop):
        self.value, self.loop = value, loop

    def replaces(self, e, stmt):
        if stmt is self.loop:
            e.line(f"{self.value} = memref.alloc() : {self.value.type}")
        return self.value in stmt.results

    def keeps(self, value):
        return value is self.value


def hoist(program):
    """A Hoist of a buffer that is written before and read after the pause of a
    loop of several iterations, or None."""
    found = []
    for function in program.functions:
        for stmt in tree.statements(function.body):
            if stmt.kind == "beside" and stmt.attrs["trips"] > 1:
                body = stmt.regions[0]
                pause = next(i for i, s in enumerate(body.body) if s.kind == "pause")
                found += [(v, stmt) for v, (at, read) in spans(body).items()
                          if body.body[at[0]].kind not in COPIES
                          and at[0] < pause < max(read, default=-1)]  # fmt: skip
    return Hoist(*Rng(program.seed + 3).pick(found)) if found else None
