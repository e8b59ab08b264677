# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for queues of a GPU: what gpu.alloc makes is copied between in streams of tokens, also by launches with a region; tokens
are joined, chosen, and carried by loops. An access comes behind all that it would race with, mostly by tokens, sometimes by a wait of the host."""

from fuzz.lines import Lines
from fuzz.rng import Rng
from fuzz.transfers.grow import GPU, LENGTHS, SINKS, SOURCES, function, type_of


class Token:
    """A value, and the works that are done when it is."""

    def __init__(self, value, done):
        self.value, self.done = value, frozenset(done)


class Buffer:
    """And the tokens of works that an access would race with. `made`: of the op that makes it."""

    def __init__(self, name, length, made=None):
        self.name, self.length = name, length
        self.reads, self.writes = [], [made] if made else []


class Streams(Lines):
    def __init__(self, seed):
        super().__init__(indent=1)
        self.r = Rng(seed)
        self.buffers, self.tokens, self.works = [], [], 0
        self.sinks = [Buffer(f"%q{i}_{n}", n) for i in range(SINKS) for n in sorted(set(LENGTHS))]
        self.host = frozenset()  # works that it has waited for
        self.inside = 0

    # ---- Tokens

    def work(self, behind):
        """A work behind tokens: what is done when it is."""
        self.works += 1
        return {self.works}.union(self.host, *(t.done for t in behind))

    def listed(self, tokens):
        return "[" + ", ".join(dict.fromkeys(t.value for t in tokens)) + "] " if tokens else ""

    def needed(self, tokens, behind):
        """Those of the tokens whose works neither the host nor others have behind them."""
        kept = []
        for t in tokens:
            if not t.done <= self.host.union(*(b.done for b in [*behind, *kept])):
                kept.append(t)
        return kept

    def put_async(self, op, rest, behind):
        """An op with a token, behind others."""
        if not behind or self.r.chance(0.1):
            behind = [*behind, Token(self.define("gpu.wait async"), self.host)]
        t = Token(self.name(), self.work(behind))
        self.put(f"{t.value} = {op} async {self.listed(behind)}{rest}")
        self.tokens.append(t)
        return t

    def start(self):
        """Tokens that some work begins behind, whatever it is."""
        return [self.r.pick(self.tokens)] if self.tokens and self.r.chance(0.7) else []

    def wait(self, tokens):
        if tokens:
            self.put(f"gpu.wait {self.listed(tokens)}".rstrip())
            self.host = self.host.union(*(t.done for t in tokens))

    def join(self):
        some = [t for t in self.tokens if self.r.chance(0.3)]
        if some:
            self.tokens.append(Token(self.define(f"gpu.wait async {self.listed(some)}".rstrip()), self.work(some)))

    # ---- Buffers

    def make(self):
        length = self.r.pick(LENGTHS)
        name, type = self.name(), type_of(length)
        if self.r.chance(0.3):
            self.put(f"{name} = gpu.alloc () : {type}")
            b = Buffer(name, length)
        else:
            behind = self.start()
            t = Token(self.name(), self.work(behind))
            self.put(f"{name}, {t.value} = gpu.alloc async {self.listed(behind)}() : {type}")
            self.tokens.append(t)
            b = Buffer(name, length, t)
        self.buffers.append(b)
        self.fill(b)
        return b

    def pick(self, length=None):
        fitting = [b for b in self.buffers if length in (None, b.length)]
        if fitting and self.r.chance(0.8):
            return self.r.pick(fitting)
        return self.make() if length is None else None

    def source(self, length):
        return f"%x{self.r.below(SOURCES)}_{length}"

    def sink(self, length):
        return self.r.pick([q for q in self.sinks if q.length == length])

    def memory(self):
        return self.buffers + self.sinks

    def racing(self, b, writes):
        return b.writes + (b.reads if writes else [])

    def note(self, b, writes, token):
        if writes:
            b.reads, b.writes = [], [token] if token else []
        elif token:
            b.reads.append(token)

    def access(self, op, rest, used):
        """An op that uses buffers, each of which it writes or not."""
        behind = self.start()
        needed = self.needed([t for b, writes in used for t in self.racing(b, writes)], behind)
        if needed and self.r.chance(0.15):
            self.wait(needed)
            needed = []
        behind += needed
        if self.r.chance(0.15):
            self.put(f"{op} {self.listed(behind)}{rest}")
            self.host = frozenset(self.work(behind))
            token = None
        else:
            token = self.put_async(op, rest, behind)
        for b, writes in used:
            self.note(b, writes, token)
        return token

    def copy(self, to, source, length, used):
        if self.r.chance(0.15):
            return self.launch(to, source, length, used)
        return self.access("gpu.memcpy", f"{to}, {source} : {type_of(length)}, {type_of(length)}", used)

    def launch(self, to, source, length, used):
        """A kernel that is not outlined yet, with a thread for each element."""
        behind = self.start()
        behind += self.needed([t for b, writes in used for t in self.racing(b, writes)], behind)
        header = ("blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) "
                  f"threads(%tx, %ty, %tz) in (%sx = %c{length}, %sy = %c1, %sz = %c1) {{")  # fmt: skip
        token = None
        if self.r.chance(0.2):
            self.wait(behind)
            self.put(f"gpu.launch {header}")
            self.host = frozenset(self.work([]))
        else:
            token = self.put_async("gpu.launch", header, behind)
        element = self.name()
        self.put(f"  {element} = memref.load {source}[%tx] : {type_of(length)}")
        self.put(f"  memref.store {element}, {to}[%tx] : {type_of(length)}")
        self.put("  gpu.terminator")
        self.put("}")
        for b, writes in used:
            self.note(b, writes, token)
        return token

    def fill(self, b):
        self.copy(b.name, self.source(b.length), b.length, [(b, True)])

    def read(self):
        b = self.pick()
        q = self.sink(b.length)
        self.copy(q.name, b.name, b.length, [(b, False), (q, True)])

    def write(self):
        self.fill(self.pick())

    def move(self):
        a = self.pick()
        b = self.pick(a.length)
        if b and b is not a:
            self.copy(b.name, a.name, a.length, [(a, False), (b, True)])

    def free(self, b):
        self.buffers.remove(b)
        self.access("gpu.dealloc", f"{b.name} : {type_of(b.length)}", [(b, True)])

    def free_some(self):
        if self.buffers and not self.inside:
            self.free(self.r.pick(self.buffers))

    # ---- Control

    def nested(self, body):
        """A region that knows what is around it, and whose buffers and tokens end with it."""
        kept = (list(self.buffers), list(self.tokens), self.host)
        first = len(self.buffers)
        self.indent += 1
        self.inside += 1
        end = body()
        for b in self.buffers[first:]:
            if self.r.chance(0.9):
                end = [*(end or []), self.access("gpu.dealloc", f"{b.name} : {type_of(b.length)}", [(b, True)])]
        done = [t for t in end or [] if t]
        for b in self.buffers[:first] + self.sinks:
            done += self.needed(b.reads + b.writes, done)
        joined = Token(self.define(f"gpu.wait async {self.listed(done)}".rstrip()), self.work(done))
        self.put(f"scf.yield {joined.value} : {GPU}")
        self.inside -= 1
        self.indent -= 1
        self.buffers, self.tokens, self.host = kept
        return joined

    def statements(self, most):
        for _ in range(self.r.between(1, most)):
            self.statement()
        return [t for t in self.tokens if self.r.chance(0.2)]

    def behind_all(self):
        """A token that stands for all works on buffers."""
        return Token(self.define(f"gpu.wait async {self.listed(self.pending())}".rstrip()), self.work(self.pending()))

    def pending(self):
        return self.needed([t for b in self.memory() for t in self.racing(b, True)], [])

    def settle(self, token):
        """From here on the token stands for all that was done to the buffers."""
        self.tokens.append(token)
        for b in self.memory():
            b.reads, b.writes = [], [token]

    def branch(self):
        before = self.behind_all()
        self.settle(before)
        t = self.name()
        self.put(f"{t} = scf.if {self.r.pick(['%c', '%d'])} -> {GPU} {{")
        kept = [(b, list(b.reads), list(b.writes)) for b in self.memory()]
        one = self.nested(lambda: self.statements(3))
        self.put("} else {")
        for b, reads, writes in kept:
            b.reads, b.writes = reads, writes
        two = self.nested(lambda: self.statements(2))
        self.put("}")
        self.settle(Token(t, one.done | two.done | before.done))

    def loop(self):
        """Each iteration comes behind the one before by the token that is carried."""
        before = self.behind_all()
        carried, last = self.name(), self.name()
        self.put(f"{last} = scf.for {self.name()} = %c0 to {self.r.pick(['%n', '%c3'])} step %c1 "
                 f"iter_args({carried} = {before.value}) -> {GPU} {{")
        self.settle(Token(carried, self.work([before])))
        end = self.nested(lambda: self.statements(5))
        self.put("}")
        self.tokens = [t for t in self.tokens if t.value != carried]
        self.settle(Token(last, end.done | before.done))

    def turns(self):
        """Two buffers take turns: one is filled behind the read of the iteration before, while the other is read."""
        a, b = self.make(), None
        while b is None or b.length != a.length:
            b = self.make()
        before = self.behind_all()
        self.settle(before)
        s, t, x, y, last = (self.name() for _ in range(5))
        type = type_of(a.length)
        bound = self.r.pick(["%n", "%c3"])
        self.put(f"{last}:4 = scf.for {self.name()} = %c0 to {bound} step %c1 iter_args({s} = {before.value}, {t} = {before.value}, "
                 f"{x} = {a.name}, {y} = {b.name}) -> ({GPU}, {GPU}, {type}, {type}) {{")
        self.indent += 1
        filled = self.define(f"gpu.memcpy async [{t}] {y}, {self.source(a.length)} : {type}, {type}")
        if self.r.chance(0.3):
            self.put(f"gpu.wait [{s}]")
            s = self.define("gpu.wait async")
        read = self.define(f"gpu.memcpy async [{s}, {t}] {self.sink(a.length).name}, {x} : {type}, {type}")
        self.put(f"scf.yield {filled}, {read}, {y}, {x} : {GPU}, {GPU}, {type}, {type}")
        self.indent -= 1
        self.put("}")
        end = self.define(f"gpu.wait async [{last}#0, {last}#1]")
        self.settle(Token(end, self.work([before])))

    def statement(self):
        deep = self.inside > 1
        self.r.weighted([(self.make, 4), (self.read, 6), (self.write, 3), (self.move, 4), (self.join, 2), (self.free_some, 3),
                         (lambda: self.wait([t for t in self.tokens if self.r.chance(0.2)]), 1), (self.branch, 0 if deep else 2),
                         (self.loop, 0 if deep else 2), (self.turns, 0 if self.inside else 1)])()  # fmt: skip

    def body(self):
        for _ in range(self.r.between(4, 9)):
            self.statement()
        freed = self.r.chance(0.8)
        for b in list(self.buffers):
            if freed:
                self.free(b)
        self.wait(self.needed(self.tokens, []) if self.r.chance(0.8) else self.pending())


def grow(seed):
    p = Streams(seed)
    p.body()
    return function(p)
