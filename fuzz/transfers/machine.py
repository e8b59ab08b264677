# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of work that goes on. A run says what the program writes when works run early, late, or sometime between; and, for all
schedules at once, whether two accesses through different views to one byte come in either order.

Control does not depend on memory, so that each run starts and awaits the same works whenever they run. The program knows that a work is
done where it has waited for it, or for work that comes behind it. An access meets all works that were started before and are not known to
be done.
"""

import itertools
import re
from dataclasses import dataclass, field

LIMIT = 20000  # steps of a run
ARGUMENTS = [(0, 1, 2, 3), (0, 1), (0, 1)]  # of n, c, d
POLICIES = ["early", "late", 1, 2]  # numbers are seeds


class Invalid(Exception):
    """The program itself is wrong."""


@dataclass(eq=False)
class Memory:
    values: list
    is_arena: bool = False


@dataclass(frozen=True)
class Ref:
    memory: Memory
    view: tuple  # what stands for the buffer, and which execution of it
    start: int   # elements
    count: int


@dataclass(eq=False)
class Work:
    start: int
    known: frozenset  # works that are done when it starts
    run: object = None
    behind: set = field(default_factory=set)  # works that it waits for
    accesses: list = field(default_factory=list)
    element: object = None                    # of a tag, and how many are on their way

    def all(self):
        found, stack = {self}, [self]
        while stack:
            new = stack.pop().behind - found
            found |= new
            stack += new
        return found


@dataclass(frozen=True)
class Access:
    ref: Ref
    writes: bool
    at: int           # the program's time; of a work, of its start
    known: frozenset  # works that are done then


def elements(type):
    found = re.search(r"memref<(\d+)x[fi]32", type)
    if found:
        return int(found.group(1))
    return (int(re.search(r"memref<(\d+)xi8", type).group(1)) + 3) // 4


class Machine:
    def __init__(self, policy):
        self.policy, self.steps, self.time, self.executions = policy, 0, 0, {}
        self.state = policy if isinstance(policy, int) else 0
        self.works, self.accesses, self.sent, self.memories = [], [], [], 0
        self.done = frozenset()  # works that the program knows to be
        self.doer, self.on_the_way = None, []  # the work that runs, or None; transfers

    # ---- Memory

    def memory(self, count):
        self.memories += 1
        return Memory([f"undefined {self.memories}"] * count)

    def view(self, name, memory, start, count):
        n = self.executions[name] = self.executions.get(name, 0) + 1
        return Ref(memory, (name, n), start, count)

    def access(self, ref, writes):
        to = self.accesses if self.doer is None else self.doer.accesses
        to.append(Access(ref, writes, self.time, self.known()))

    def read(self, ref):
        self.access(ref, False)
        return ref.memory.values[ref.start : ref.start + ref.count]

    def write(self, ref, values):
        self.access(ref, True)
        if len(values) != ref.count:
            raise Invalid("sizes differ")
        ref.memory.values[ref.start : ref.start + ref.count] = values

    def copy(self, a, b):
        self.write(b, self.read(a))

    # ---- Works

    def known(self):
        """What the doer knows to be done."""
        if self.doer is not None:
            return self.doer.known | frozenset(u for w in self.doer.behind for u in w.all())
        return self.done

    def begin(self, run, behind=(), element=None):
        if self.doer is not None:
            raise Invalid("a work starts another")
        self.time += 1
        w = Work(self.time, self.known(), run, set(behind), element=element)
        self.works.append(w)
        if self.policy == "early" or (self.policy != "late" and self.chance(3)):
            self.force(w)
        return {w}

    def chance(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % n == 0

    def force(self, work):
        if work.run is None:
            return
        for w in sorted(work.behind, key=lambda w: w.start):
            self.force(w)
        run, work.run = work.run, None
        kept, self.doer = self.doer, work
        run()
        self.doer = kept

    def wait(self, works):
        for w in sorted(works, key=lambda w: w.start):
            self.force(w)
            if self.doer is not None:
                self.doer.behind.add(w)
        if self.doer is None:
            self.time += 1
            self.done |= {u for w in works for u in w.all()}

    # ---- Control

    def run(self, region, env, arguments):
        blocks = {b.name: b for b in region}
        block = region[0]
        while True:
            env.update(zip(block.arguments, arguments))
            for op in block.ops:
                self.steps += 1
                if self.steps > LIMIT:
                    raise Invalid("too many steps")
                if self.doer is None:
                    self.time += 1
                    late = isinstance(self.policy, int) and [w for w in self.works if w.run is not None]
                    if late and self.chance(4):
                        self.force(late[0])
                self.step(op, env)
            last = block.ops[-1]
            values = [env[v] for v in last.operands]
            if last.name == "cf.br":
                block, arguments = blocks[last.successors[0]], values
            elif last.name == "cf.cond_br":
                sizes = last.numbers("operandSegmentSizes")
                way = 0 if values[0] else 1
                arguments = values[1 : 1 + sizes[1]] if way == 0 else values[1 + sizes[1] :]
                block = blocks[last.successors[way]]
            else:
                return values

    def step(self, op, env):
        v = [env[name] for name in op.operands]
        dialect, _, name = op.name.partition(".")
        if name in ("yield", "return", "br", "cond_br", "terminator"):
            results = []
        elif dialect == "arith":
            results = [arith(op, v)]
        elif dialect == "scf":
            results = getattr(self, name + "_")(op, v, env)
        elif op.name == "async.execute":
            results = [self.execute(op, v, dict(env))]
        elif op.name == "gpu.launch":
            results = self.launch(op, v, dict(env)) or []
        elif dialect in ("memref", "async", "gpu", "mpi"):
            results = getattr(self, f"{dialect}_{name}")(op, v) or []
        elif op.name == "linalg.fill":
            self.write(v[1], [v[0]] * v[1].count)
            results = []
        else:
            raise NotImplementedError(op.name)
        env.update(zip(op.results, results))

    def for_(self, op, v, env):
        carried = v[3:]
        for i in range(v[0], v[1], v[2]):
            carried = self.run(op.regions[0], env, [i, *carried])
        return carried

    def if_(self, op, v, env):
        region = op.regions[0 if v[0] else 1]
        return self.run(region, env, []) if region else []

    # ---- Ops

    def memref_alloc(self, op, v):
        count = elements(op.types.rpartition("->")[2])
        return [self.view(op.results[0], self.memory(count), 0, count)]

    def memref_view(self, op, v):
        v[0].memory.is_arena = True
        return [self.view(op.results[0], v[0].memory, v[0].start + v[1] // 4, elements(op.types.rpartition("->")[2]))]

    def memref_dealloc(self, op, v):
        self.free(v[0])

    def free(self, ref):
        count = len(ref.memory.values)
        self.write(self.view("freed", ref.memory, 0, count), ["freed"] * count)

    def memref_copy(self, op, v):
        self.copy(v[0], v[1])

    def memref_load(self, op, v):
        return self.read(Ref(v[0].memory, v[0].view, v[0].start + v[1], 1))

    def memref_store(self, op, v):
        self.write(Ref(v[1].memory, v[1].view, v[1].start + v[2], 1), [v[0]])

    def memref_dma_start(self, op, v):
        a, _, b, _, count, tag, at = v
        self.on_the_way.append(*self.begin(lambda: self.copy(a, b), element=(tag.memory, tag.start + at, count)))

    def memref_dma_wait(self, op, v):
        found = [w for w in self.on_the_way if w.element == (v[0].memory, v[0].start + v[1], v[2])]
        if len(found) == 1:
            self.wait(found)
            self.on_the_way.remove(found[0])

    def execute(self, op, v, env):
        return self.begin(lambda: self.run(op.regions[0], env, []), set().union(*v)).copy()

    def launch(self, op, v, env):
        """The threads of one workgroup, in a line."""
        tokens, threads = op.numbers("operandSegmentSizes")[0], len(op.regions[0][0].arguments) * [0]

        def kernel():
            for threads[3] in range(v[tokens + 3]):
                self.run(op.regions[0], env, threads)

        return self.queue(op, v[:tokens], kernel)

    def async_await(self, op, v):
        self.wait(v[0])

    async_await_all = async_await

    def async_create_group(self, op, v):
        return [set()]

    def async_add_to_group(self, op, v):
        v[1].update(v[0])
        return [0]

    def queue(self, op, before, run):
        works = self.begin(run, set().union(*before))
        if op.results:
            return [works]
        return self.wait(works)

    def gpu_alloc(self, op, v):
        made = self.memref_alloc(op, v)
        return made if len(op.results) == 1 else [*made, self.begin(lambda: None, set().union(*v))]

    def gpu_dealloc(self, op, v):
        *before, ref = v
        return self.queue(op, before, lambda: self.free(ref))

    def gpu_memcpy(self, op, v):
        *before, to, a = v
        return self.queue(op, before, lambda: self.copy(a, to))

    def gpu_wait(self, op, v):
        works = set().union(*v)
        if op.results:
            return [works]
        return self.wait(works)

    def mpi_isend(self, op, v):
        self.sent.append(None)
        at = len(self.sent) - 1

        def send():
            self.sent[at] = self.read(v[0])

        return [self.begin(send)]

    def mpi_irecv(self, op, v):
        self.sent.append("received")
        at = len(self.sent)
        return [self.begin(lambda: self.write(v[0], [f"message {at}"] * v[0].count))]

    def mpi_wait(self, op, v):
        self.wait(v[0])


def arith(op, v):
    if op.name != "arith.constant":
        raise NotImplementedError(op.name)
    text = op.attribute(r"value = (true|false|-?\d+)")
    return {"true": 1, "false": 0}[text] if text in ("true", "false") else int(text)


# ---- Races


def meets(a, b, one_view):
    x, y = a.ref, b.ref
    return ((a.writes or b.writes) and x.memory is y.memory and (one_view or x.view != y.view)
            and x.start < y.start + y.count and y.start < x.start + x.count)  # fmt: skip


def at_once(work, other):
    """Accesses of a work, and what may come before or behind them."""
    for a in work.accesses:
        for b in other.accesses:
            if other not in a.known and work not in b.known:
                yield a, b


def races(m, one_view=False):
    """The memories in which two accesses race, through two views or also through one."""
    pairs = [(a, b) for w in m.works for a in w.accesses for b in m.accesses if w.start < b.at and w not in b.known]
    for w, u in itertools.combinations(m.works, 2):
        pairs += at_once(w, u)
    return [a.ref.memory for a, b in pairs if meets(a, b, one_view)]


# ---- Programs


def run(function, policy, numbers):
    m = Machine(policy)
    block = function.regions[0][0]
    given, n = [], 0
    for name, type in zip(block.arguments, block.types):
        if type.startswith("memref"):
            count = elements(type)
            given.append(Ref(Memory([f"{name} {i}" for i in range(count)]), (name, 0), 0, count))
        elif type in ("index", "i1"):
            given.append(numbers[n])
            n += 1
        else:
            given.append(0)
    m.run(function.regions[0], {}, given)
    for w in m.works:
        m.force(w)
    return m, [g.memory.values for g in given if isinstance(g, Ref)] + m.sent


def function_of(module):
    return next(op for op in module.regions[0][0].ops if op.name == "func.func" and op.regions[0])


def uses(region):
    """The values that ops of a region are given."""
    return {v for block in region for op in block.ops for v in [*op.operands, *itertools.chain(*map(uses, op.regions))]}


def arguments(function):
    """All that make a difference."""
    block, used = function.regions[0][0], uses(function.regions[0])
    names = [name for name, type in zip(block.arguments, block.types) if type in ("index", "i1")]
    return itertools.product(*(values if name in used else values[:1] for name, values in zip(names, ARGUMENTS)))


def racing(module, one_view=False):
    """The memories in which accesses race, for some arguments."""
    function = function_of(module)
    return [memory for numbers in arguments(function) for memory in races(run(function, "late", numbers)[0], one_view)]


def races_in_arena(module):
    function = function_of(module)
    return any(m.is_arena for numbers in arguments(function) for m in races(run(function, "late", numbers)[0]))


def written(module):
    """What it writes, by schedule and arguments."""
    function = function_of(module)
    return {(p, numbers): run(function, p, numbers)[1] for numbers in arguments(function) for p in POLICIES}
