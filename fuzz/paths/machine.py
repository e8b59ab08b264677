# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program along one path, with buffers that know whether they may be used and freed.

What a program cannot know (conditions, trip counts, which arguments are one buffer, when
work that was started runs) is a *choice*. A path is a list of choices; beyond its end all
choices are 0. A buffer's cells hold numbers, or words that tell where they come from, so
that a clone that misses a write, or a write that misses its buffer, shows in what is read.

Addresses are as the lowering has them: a memref.view moves the base, and what is freed is
given out again at once.
"""

from dataclasses import dataclass, field

LIMIT = 4000  # steps of one path


# By name: functions of a machine, an op, the values of its operands, and the environment. Each gives
# the op's results, or None where it has none. Filled by ops.py.
HANDLERS = {}


class Fault(Exception):
    """The program does what no program may."""


class Endless(Exception):
    """The path does not end within the limit."""


class Deep(Endless):
    """Too many activations at once. After inlining they are fewer."""


@dataclass(eq=False)
class Buffer:
    kind: str  # heap, stack, argument, global
    name: str
    address: int
    level: int = 0  # of stack memory: the depth of its function's call
    cells: dict = field(default_factory=dict)
    freed: bool = False
    places: set = field(default_factory=set)  # of the ops that gave it a name


@dataclass(frozen=True)
class Ref:
    buffer: Buffer
    shift: int = 0


@dataclass
class Task:
    body: list
    env: dict
    done: bool = False


class Machine:
    def __init__(self, module, path):
        self.path, self.asked = path, []  # how many ways there were at each choice
        self.steps = 0
        self.trace = []
        self.buffers = []
        self.free_addresses = []
        self.next_address = 64
        self.tasks = []
        self.at_once, self.backwards = self.choose(2), self.choose(2)
        self.depth = 0
        self.functions, self.globals = {}, {}
        for op in module.regions[0][0].ops:
            name = op.attribute(r'sym_name = "([^"]*)"')
            if op.name == "func.func":
                self.functions[name] = op
            elif op.name == "memref.global":
                self.globals[name] = self.make("global", name)
                self.globals[name].cells = {(0,): f"init {name}"}

    # ---- Choices and memory

    def choose(self, ways):
        at = len(self.asked)
        self.asked.append(ways)
        return self.path[at] % ways if at < len(self.path) else 0

    def make(self, kind, name):
        if kind == "heap" and self.free_addresses:
            address = self.free_addresses.pop()
        else:
            address = self.next_address
            self.next_address += 1000
        buffer = Buffer(kind, name, address)
        self.buffers.append(buffer)
        return buffer

    def use(self, ref, op):
        if not isinstance(ref, Ref):
            raise Fault(f"{op.name} of {ref!r}, which is no buffer")
        if ref.buffer.freed:
            raise Fault(f"{op.name} of {ref.buffer.name}, which is freed")
        return ref.buffer

    def free(self, ref, op):
        buffer = self.use(ref, op)
        if buffer.kind != "heap":
            raise Fault(f"{op.name} of {buffer.name}, which is {buffer.kind} memory")
        buffer.freed = True
        self.free_addresses.append(buffer.address)

    # ---- Control

    def call(self, name, arguments):
        function = self.functions[name]
        if not function.regions[0]:
            return self.external(name, arguments)
        self.depth += 1
        if self.depth > 12:
            raise Deep
        made = len(self.buffers)
        results = self.run(function.regions[0], dict(), arguments)[1]
        for buffer in self.buffers[made:]:
            if buffer.kind == "stack" and buffer.level == self.depth:
                buffer.freed = True
        self.depth -= 1
        return results

    def external(self, name, arguments):
        if name == "choose":
            return [self.choose(2)]
        if name == "count":
            return [self.choose(3)]
        if name == "trace":
            self.trace.append(arguments[0])
            return []
        if name == "make":
            buffer = self.make("heap", "make")
            buffer.cells = {(0,): "made"}
            return [Ref(buffer)]
        if name == "use":
            for a in arguments:
                if a.buffer.freed:
                    raise Fault(f"call of @use with {a.buffer.name}, which is freed")
            self.trace.append(("use", [self.see(a.buffer) for a in arguments]))
            for a in arguments:
                a.buffer.cells[(0,)] = f"used {len(self.trace)}"
            return []
        raise NotImplementedError(name)

    def see(self, buffer):
        value = buffer.cells.get((0,), "?")
        return value if isinstance(value, (str, int)) else "ref"

    def run(self, blocks, env, arguments):
        """Runs a region until an op leaves it; gives that op and its operands."""
        if not blocks:
            return None, []
        names = {b.name: b for b in blocks}
        block = blocks[0]
        while True:
            for name, value in zip(block.arguments, arguments):
                env[name] = value
            for op in block.ops:
                self.steps += 1
                if self.steps > LIMIT:
                    raise Endless
                if op.successors:
                    label, arguments = self.branch(op, env)
                    block = names[label]
                    break
                handler = HANDLERS.get(op.name)
                if handler is None:
                    if op is not block.ops[-1]:
                        raise NotImplementedError(op.name)
                    if op.name == "ub.unreachable":
                        raise Endless
                    return op, [env[o] for o in op.operands]
                values = handler(self, op, [env[o] for o in op.operands], env)
                if values is not None:
                    for name, value in zip(op.results, values):
                        env[name] = value
                        if isinstance(value, Ref):
                            value.buffer.places.update(op.places)
            else:
                return None, []

    def branch(self, op, env):
        values = [env[o] for o in op.operands]
        if op.name == "cf.br":
            return op.successors[0], values
        sizes = op.numbers("operandSegmentSizes")
        if op.name == "cf.cond_br":
            if values[0]:
                return op.successors[0], values[1:1 + sizes[1]]
            return op.successors[1], values[1 + sizes[1]:]
        assert op.name == "cf.switch", op.name
        cases = op.numbers("case_values")
        default, rest = values[1:1 + sizes[1]], values[1 + sizes[1]:]
        at = 0
        for i, (case, size) in enumerate(zip(cases, op.numbers("case_operand_segments"))):
            if values[0] == case:
                return op.successors[1 + i], rest[at:at + size]
            at += size
        return op.successors[0], default

    def finish_tasks(self):
        while any(not t.done for t in self.tasks):
            for task in list(self.tasks):
                self.do(task)

    def do(self, task):
        if not task.done:
            task.done = True
            self.run(task.body, task.env, [])


# ---- A whole run

@dataclass
class Outcome:
    asked: list
    trace: list
    fault: str = ""
    leaks: list = field(default_factory=list)  # buffers
    endless: bool = False
    deep: bool = False
    results: list = field(default_factory=list)


def run_path(module, path, lenient=False):
    """Runs @main and does what its caller does; `lenient`: results need not be apart."""
    m = Machine(module, path)
    outcome = Outcome(m.asked, m.trace)
    main = m.functions["main"]
    arguments = []
    for i, kind in enumerate(main.regions[0][0].types):
        if not kind.startswith("memref"):
            arguments.append(m.choose(3 if kind == "index" else 2))
        elif arguments and isinstance(arguments[-1], Ref) and m.choose(2):
            arguments.append(arguments[-1])
        else:
            buffer = m.make("argument", f"argument {i}")
            buffer.cells = {(0,): f"argument {i}"}
            arguments.append(Ref(buffer))
    try:
        results = m.call("main", arguments)
        m.finish_tasks()
        take_results(m, results, outcome, lenient)
    except Endless as end:
        outcome.endless, outcome.deep = True, isinstance(end, Deep)
    except Fault as fault:
        outcome.fault = str(fault)
    if not outcome.endless:
        m.trace += [(b.name, m.see(b)) for b in m.buffers if b.kind in ("argument", "global")]
        outcome.leaks = [b for b in m.buffers if b.kind == "heap" and not b.freed]
    return outcome


def take_results(m, results, outcome, lenient):
    """The caller reads what it is given, and frees what is fresh."""
    for ref in results:
        if isinstance(ref, Ref):
            if ref.buffer.freed:
                raise Fault(f"{ref.buffer.name} is a result, and freed")
            m.trace.append(("result", m.see(ref.buffer)))
    for ref in results:
        if isinstance(ref, Ref):
            outcome.results.append(ref.buffer.kind)
            if ref.buffer.kind == "heap":
                if ref.buffer.freed and not lenient:
                    raise Fault(f"{ref.buffer.name} is two results")
                ref.buffer.freed = True
