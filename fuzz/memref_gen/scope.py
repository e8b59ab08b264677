# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a statement at some place may do: the values in sight, the buffers that
are fully written by now on every path to here, those already freed or handed
on, and those that may not be written because other iterations run beside."""

from fuzz.memref_gen.memtypes import MemRef, count
from fuzz.memref_gen.tree import Block, Stmt, roots


class Scope:
    def __init__(self, gen, parent=None, block=None, blocks_allowed=None):
        self.gen = gen
        self.parent = parent
        self.block = block or Block()
        self.blocks_allowed = blocks_allowed  # as in the emitter
        self.values = list(self.block.args)
        self.owned = [v for v in self.block.args if v.owned] + list(self.block.adopts)
        self.locals = set(self.owned)
        self.depth = parent.depth + 1 if parent else 0
        self.written = set(parent.written) if parent else set()
        self.gone = set(parent.gone) if parent else set()
        self.writable_only = parent.writable_only if parent else None
        self.goal = None  # where reads go to, if not to the function's output
        self.salt = parent.salt if parent else None  # what differs from iteration to iteration
        self.beside = parent.beside if parent else False  # other code runs meanwhile
        self.loop = parent.loop if parent else False  # inside a loop a jump may leave
        for v in self.block.args:
            if isinstance(v.type, MemRef) and (v.owned or not v.alias_of):
                self.note_local(v)
            if isinstance(v.type, MemRef):
                self.written.add(v)

    # Adding.

    def add(self, kind, operands=(), results=(), regions=(), moves=(), **attrs):
        stmt = Stmt(kind, list(operands), list(results), list(regions), list(moves), attrs)
        self.block.body.append(stmt)
        self.gen.left -= 1
        for value in moves:
            self.take(value)
        for value in results:
            self.see(value)
        return stmt

    def see(self, value):
        self.values.append(value)
        if value.owned:
            self.owned.append(value)
        if not value.alias_of:
            self.note_local(value)

    def note_local(self, value):
        self.locals.add(value)
        if self.writable_only is not None:
            self.writable_only.add(value)

    def take(self, value):
        """`value` is no longer this block's to free; its name is dead."""
        self.owned.remove(value)
        self.gone.add(value)

    # Asking.

    def mine(self):
        """What this block may hand on. A new name may be written, so nothing that
        a clone has frozen."""
        return [v for v in self.owned if isinstance(v.type, MemRef) and not v.constant]

    def visible(self):
        scope = self
        while scope:
            yield from reversed(scope.values)
            scope = scope.parent

    def memrefs(self):
        return (v for v in self.visible() if isinstance(v.type, MemRef) and self.alive(v))

    def alive(self, value):
        return not (roots(value) & self.gone)

    def readable(self, value):
        return self.alive(value) and all(v in self.written for v in sources(value, self.written))

    def full(self, value):
        """Readable, and there is something to read."""
        return self.readable(value) and count(value.dims) > 0

    def writable(self, value):
        found = roots(value)
        if any(r.constant for r in found) or found & self.gone:
            return False
        return self.writable_only is None or found <= self.writable_only

    def outlives(self, value):
        """May be yielded as an alias: nothing of it is freed with this block."""
        mine = roots(value) & self.locals
        return not any(r.stack for r in mine) if self.gen.unowned else not mine

    def wrote_all(self, value):
        found = roots(value)
        if value.whole and len(found) == 1:
            self.written |= found

    def find(self, accept):
        """A random value that `accept`s, the recent ones being likelier."""
        found = [v for v in self.memrefs() if accept(v)]
        if not found:
            return None
        rng = self.gen.rng
        return rng.pick(found[:5]) if rng.chance(0.5) else rng.pick(found)

    def scalar(self, type):
        found = [v for v in self.visible() if v.type == type]
        return self.gen.rng.pick(found) if found else None


def sources(value, known):
    """What `value` may be, as far as needed: values in `known`, or roots."""
    found, todo = set(), [value]
    while todo:
        v = todo.pop()
        if v not in found:
            found.add(v)
            if v not in known and not v.owned:
                todo += v.alias_of
    return [v for v in found if v in known or v.owned or not v.alias_of]


def apart(a, b):
    return not (roots(a) & roots(b))
