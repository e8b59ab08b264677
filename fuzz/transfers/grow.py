# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that start work on buffers and wait for it: tasks, device copies, transfers, messages; in blocks, branches, loops."""

from fuzz.lines import Lines
from fuzz.rng import Rng

SOURCES, SINKS, TAGS = 2, 16, 4
LENGTHS = [16, 16, 16, 8]
ASYNC, GPU, MPI = "!async.token", "!gpu.async.token", "!mpi.request"
CONSTANTS = [0, 1, 2, 3, 8, 16]


def type_of(length):
    return f"memref<{length}xf32>"


class Work:
    """Work on its way. `stands`: the value that stands for it; or the element of the tag."""

    def __init__(self, kind, stands, buffer, writes, length=0):
        self.kind, self.stands, self.buffer, self.writes, self.length = kind, stands, buffer, writes, length


class Program(Lines):
    def __init__(self, seed):
        super().__init__(indent=1)
        self.r = Rng(seed)
        self.buffers = []  # (name, length)
        self.works, self.sinks, self.tags, self.blocks = [], 0, 0, 0
        self.inside = 0  # of regions

    # ---- Values

    def fresh(self):
        length = self.r.pick(LENGTHS)
        b = (self.define(f"memref.alloc() : {type_of(length)}"), length)
        self.copy(self.source(length), b[0], length)
        self.buffers.append(b)
        return b

    def pick(self):
        return self.fresh() if not self.buffers or self.r.chance(0.3) else self.r.pick(self.buffers)

    def source(self, length):
        return f"%x{self.r.below(SOURCES)}_{length}"

    def sink(self, length):
        self.sinks = (self.sinks + 1) % SINKS
        return f"%q{self.sinks}_{length}"

    def copy(self, a, b, length):
        self.put(f"memref.copy {a}, {b} : {type_of(length)} to {type_of(length)}")

    # ---- Work

    def busy(self, b, writes):
        return [w for w in self.works if w.buffer == b and (writes or w.writes)]

    def free(self, b, writes):
        """Waits for what would race, mostly."""
        for w in self.busy(b, writes):
            if self.r.chance(0.97):
                self.wait(w)

    def use(self):
        b, writes = self.pick(), self.r.chance(0.4)
        self.free(b, writes)
        if writes:
            self.copy(self.source(b[1]), b[0], b[1])
        self.copy(b[0], self.sink(b[1]), b[1])

    def move(self, b, writes):
        """From where to where."""
        return (self.source(b[1]), b[0]) if writes else (b[0], self.sink(b[1]))

    def start(self, b=None, kinds=None):
        b, writes = b or self.pick(), self.r.chance(0.4)
        kind = self.r.pick(kinds or [self.task, self.task, self.device, self.transfer, self.message])
        others = [w for w in self.busy(b, writes) if not (kind == self.task and w.kind == ASYNC)]
        for w in others:
            self.wait(w)
        w = kind(b, writes)
        self.works.append(w)
        return w

    def task(self, b, writes):
        before = [w for w in self.works if w.kind == ASYNC and (w.buffer == b or self.r.chance(0.2))]
        awaited = [w for w in before if self.r.chance(0.2)]
        listed = [w.stands for w in before if w not in awaited]
        t = self.name()
        self.put(f"{t} = async.execute {'[' + ', '.join(listed) + '] ' if listed else ''}{{")
        self.indent += 1
        for w in awaited:
            self.put(f"async.await {w.stands} : {ASYNC}")
        self.copy(*self.move(b, writes), b[1])
        self.put("async.yield")
        self.indent -= 1
        self.put("}")
        return Work(ASYNC, t, b, writes)

    def device(self, b, writes):
        before = [w.stands for w in self.works if w.kind == GPU and self.r.chance(0.5)]
        a, to = self.move(b, writes)
        if not before:
            before = [self.define("gpu.wait async")]
        t = self.define(f"gpu.memcpy async [{', '.join(before)}] {to}, {a} : {type_of(b[1])}, {type_of(b[1])}")
        return Work(GPU, t, b, writes)

    def transfer(self, b, writes):
        taken = {w.stands for w in self.works if w.kind == "tag"}
        free = [i for i in range(TAGS) if f"%c{i}" not in taken]
        if not free or self.inside:
            return self.task(b, writes)
        a, to = self.move(b, writes)
        at = f"%c{self.r.pick(free)}"
        self.put(f"memref.dma_start {a}[%c0], {to}[%c0], %c{b[1]}, %tag[{at}] : "
                 f"{type_of(b[1])}, {type_of(b[1])}, memref<{TAGS}xi32>")  # fmt: skip
        return Work("tag", at, b, writes, b[1])

    def message(self, b, writes):
        name = "irecv" if writes else "isend"
        t = self.define(f"mpi.{name}({b[0]}, %one, %one, %comm) : {type_of(b[1])}, i32, i32 -> {MPI}")
        return Work(MPI, t, b, writes)

    # ---- Waits

    def put_wait(self, w):
        if w.kind == ASYNC:
            self.put(f"async.await {w.stands} : {ASYNC}")
        elif w.kind == GPU:
            self.put(f"gpu.wait [{w.stands}]")
        elif w.kind == MPI:
            self.put(f"mpi.wait({w.stands}) : {MPI}")
        else:
            self.put(f"memref.dma_wait %tag[{w.stands}], %c{w.length} : memref<{TAGS}xi32>")

    def wait(self, w):
        how = self.r.weighted([("here", 8), ("arms", 2), ("blocks", 1 if not self.inside else 0), ("group", 1)])
        if how == "arms":
            self.put(f"scf.if {self.bit()} {{")
            self.nested(lambda: self.put_wait(w))
            self.put("} else {")
            self.nested(lambda: self.put_wait(w))
            self.put("}")
        elif how == "blocks":
            self.fork(lambda: self.put_wait(w))
        elif how == "group" and w.kind == ASYNC:
            g = self.define("async.create_group %c1 : !async.group")
            self.put(f"{self.name()} = async.add_to_group {w.stands}, {g} : {ASYNC}")
            self.put(f"async.await_all {g}")
        else:
            self.put_wait(w)
        self.works = [v for v in self.works if v is not w]

    def wait_some(self):
        if self.works:
            self.wait(self.r.pick(self.works))

    # ---- Control

    def bit(self):
        return self.r.pick(["%c", "%d"])

    def nested(self, body):
        self.indent += 1
        self.inside += 1
        body()
        self.inside -= 1
        self.indent -= 1

    def fork(self, body):
        self.blocks += 1
        i = self.blocks
        self.put(f"cf.cond_br {self.bit()}, ^one{i}, ^two{i}")
        for name in (f"one{i}", f"two{i}"):
            self.put(f"^{name}:")
            body()
            self.put(f"cf.br ^join{i}")
        self.put(f"^join{i}:")

    def scope(self, steps):
        """Statements in a region: its buffers and its works end there."""
        def body():
            buffers, works = list(self.buffers), list(self.works)
            for _ in range(steps):
                self.statement()
            for w in [w for w in self.works if w not in works]:
                if self.r.chance(0.95):
                    self.wait(w)
            self.buffers = buffers
            self.works = works

        kept = self.works
        self.works = [w for w in kept if w.kind != "tag"]
        self.nested(body)
        self.works = kept

    def branch(self):
        for b in self.buffers[-2:]:
            self.free(b, True)
        self.put(f"scf.if {self.bit()} {{")
        self.scope(self.r.between(1, 3))
        if self.r.chance(0.5):
            self.put("} else {")
            self.scope(self.r.between(1, 3))
        self.put("}")

    def loop(self):
        for w in list(self.works):
            self.wait(w)
        self.put(f"scf.for {self.name()} = %c0 to {self.r.pick(['%n', '%c2'])} step %c1 {{")
        self.scope(self.r.between(1, 4))
        self.put("}")

    def chosen(self):
        """A branch starts work on top of other work."""
        w = self.start(kinds=[self.task, self.device])
        if w.kind not in (ASYNC, GPU):
            return
        self.works.remove(w)
        t = self.name()
        self.put(f"{t} = scf.if {self.bit()} -> {w.kind} {{")

        def more():
            if w.kind == ASYNC:
                self.works.append(w)
                u = self.task(w.buffer, False).stands
                self.works.remove(w)
            else:
                a, to = self.move(w.buffer, False)
                length = type_of(w.buffer[1])
                u = self.define(f"gpu.memcpy async [{w.stands}] {to}, {a} : {length}, {length}")
            self.put(f"scf.yield {u} : {w.kind}")

        self.nested(more)
        self.put("} else {")
        self.nested(lambda: self.put(f"scf.yield {w.stands} : {w.kind}"))
        self.put("}")
        self.works.append(Work(w.kind, t, w.buffer, True))

    def carried(self):
        """A loop whose turns wait for the work of the turn before, somewhere."""
        b = self.pick()
        self.free(b, True)
        others = [w for w in self.works if w.kind in (ASYNC, GPU)]
        for w in others:
            self.wait(w)
        first = self.task(b, False)
        t, last = self.name(), self.name()
        self.put(f"{last} = scf.for {self.name()} = %c0 to {self.r.pick(['%n', '%c3'])} step %c1 "
                 f"iter_args({t} = {first.stands}) -> {ASYNC} {{")

        def body():
            buffers, works = list(self.buffers), list(self.works)
            before = Work(ASYNC, t, b, True)
            self.works.append(before)
            for _ in range(self.r.between(0, 3)):
                self.statement(plain=True)
            writes = self.r.chance(0.5)
            w = self.task(b, writes) if self.r.chance(0.5) else None
            if w is None:
                if before in self.works:
                    self.wait(before)
                self.copy(self.source(b[1]), b[0], b[1])
                w = self.task(b, False)
            elif before in self.works and not self.chains(before.stands):
                self.put_wait(before)
            self.works.append(w)
            for v in [v for v in self.works if v not in works and v is not w and v is not before]:
                self.wait(v)
            for _ in range(self.r.between(0, 2)):
                self.copy(self.source(8), self.sink(8), 8)
            self.put(f"scf.yield {w.stands} : {ASYNC}")
            self.buffers, self.works = buffers, works

        self.nested(body)
        self.put("}")
        self.works.append(Work(ASYNC, last, b, True))

    def chains(self, token):
        return any("async.execute [" in line and token in line for line in self.lines)

    def rotated(self):
        """Two buffers take turns: one is filled while the other is read."""
        a = self.pick()
        b = (self.define(f"memref.alloc() : {type_of(a[1])}"), a[1])
        self.copy(self.source(a[1]), b[0], a[1])
        for w in [*self.busy(a, True)]:
            self.wait(w)
        first = self.task(a, True)
        names = [self.name() for _ in range(4)]
        t, now, then, l = names
        type = type_of(a[1])
        self.put(f"{l}:3 = scf.for {self.name()} = %c0 to %n step %c1 iter_args({t} = {first.stands}, {now} = {a[0]}, "
                 f"{then} = {b[0]}) -> ({ASYNC}, {type}, {type}) {{")

        def body():
            kept, self.works = self.works, []
            w = self.task((then, a[1]), True)
            self.put(f"async.await {t} : {ASYNC}")
            self.copy(now, self.sink(a[1]), a[1])
            self.put(f"scf.yield {w.stands}, {then}, {now} : {ASYNC}, {type}, {type}")
            self.works = kept

        self.nested(body)
        self.put("}")
        self.works += [Work(ASYNC, f"{l}#0", a, True), Work(ASYNC, f"{l}#0", b, True)]
        self.buffers.append(b)

    def statement(self, plain=False):
        deep = plain or self.inside > 1
        self.r.weighted([(self.use, 6), (self.start, 6), (self.wait_some, 4), (self.branch, 0 if deep else 2),
                         (self.loop, 0 if deep else 1), (self.chosen, 0 if deep else 1),
                         (self.carried, 0 if deep else 2), (self.rotated, 0 if deep else 1)])()  # fmt: skip

    def body(self):
        for _ in range(self.r.between(6, 14)):
            self.statement()
        for w in list(self.works):
            if self.r.chance(0.9):
                self.wait(w)
        for _ in range(self.r.between(0, 2)):
            self.fresh()
            self.use()


def lengths():
    return sorted(set(LENGTHS))


def function(p):
    """The text of a program that has grown."""
    memory = [f"%{k}{i}_{n}: {type_of(n)}" for n in lengths() for k, m in (("x", SOURCES), ("q", SINKS)) for i in range(m)]
    constants = "\n".join(f"  %c{i} = arith.constant {i} : index" for i in CONSTANTS)
    body = "\n".join(p.lines)
    return (f"func.func @f({', '.join(memory)}, %comm: !mpi.comm, %one: i32, %n: index, %c: i1, %d: i1) {{\n"
            f"{constants}\n  %tag = memref.alloc() : memref<{TAGS}xi32>\n{body}\n  return\n}}\n")  # fmt: skip


def grow(seed):
    p = Program(seed)
    p.body()
    return function(p)
