# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of a workgroup, as a model: what each touches, and between which barriers.

No op of a kernel here goes another way because of what shared memory holds, so each thread's trace is the
same in all schedules. Threads meet at barriers and nowhere else: two accesses of different threads with as many barriers before the
one as before the other come in either order in some schedule, all others in one order in all of them. A copy that goes on writes between
any two barriers that its thread passes before it has waited, and beside all that the thread itself does until then.
"""

import itertools
import re
from dataclasses import dataclass, replace

from fuzz.kernels.grow import ELEMENTS, THREADS

LIMIT = 20000  # steps of one thread

ARGUMENTS = list(itertools.product((0, 1, 2, 3), (0, 1), (0, 1)))  # n, c, d


class Invalid(Exception):
    """The kernel itself is wrong: the generator's fault."""


@dataclass(frozen=True)
class Ref:
    memory: str  # what the bytes are of
    view: str    # the memory that the program has there, before it is planned
    start: int   # bytes
    element: int
    count: int

    def mask(self, first, count):
        size = self.element * count
        return ((1 << size) - 1) << (self.start + first * self.element)


def shape(type):
    """Elements and bytes of one in a memref's type of one dimension."""
    found = re.search(r"memref<(\d+)x(\w+)", type)
    return int(found.group(1)), ELEMENTS[found.group(2)]


def result_type(op):
    return op.types.rpartition("->")[2]


COMPARE = [lambda a, b: a == b, lambda a, b: a != b, *[lambda a, b: a < b, lambda a, b: a <= b,
           lambda a, b: a > b, lambda a, b: a >= b] * 2]  # fmt: skip
NUMBERS = {"arith.addi": lambda a, b: a + b, "arith.subi": lambda a, b: a - b,
           "arith.andi": lambda a, b: a & b, "arith.xori": lambda a, b: a ^ b,
           "arith.muli": lambda a, b: a * b, "arith.remui": lambda a, b: a % b,
           "arith.select": lambda c, a, b: a if c else b}  # fmt: skip


class Trace(list):
    """Barriers, as ops, and accesses (ref, mask of bytes, writes). `races`: with the thread's own copies."""

    races = False


class Thread:
    """Runs a kernel alone, where it is planned beside the trace of what it was."""

    def __init__(self, place, before=None):
        self.place, self.before, self.trace, self.steps = place, before, Trace(), 0
        self.copies, self.groups = [], []  # on their way: accesses; lists of such, the newest last
        self.allocs = {}  # how often each was run

    def touch(self, ref, first, count, writes):
        if first < 0 or first + count > ref.count:
            raise Invalid("an index is outside of its buffer")
        mask = ref.mask(first, count)
        if self.before is not None:
            ref = replace(ref, view=self.before[len(self.trace)][0].memory)
        self.note((ref, mask, writes))

    def note(self, access):
        ref, mask, writes = access
        self.trace.append(access)
        self.trace.races |= any(copy[0].memory == ref.memory and copy[0].view != ref.view and copy[1] & mask
                                for copy in self.copies)  # fmt: skip

    def copy(self, ref, at):
        self.touch(ref, at, 1, True)
        self.copies.append(self.trace[-1])
        return [[self.copies[-1]]]

    def wait(self, left):
        """For all groups but the newest."""
        done = self.groups[: len(self.groups) - left]
        self.groups = self.groups[len(done) :]
        for copy in itertools.chain(*done):
            self.copies = [c for c in self.copies if c is not copy]
            self.note(copy)

    def barrier(self, op):
        self.trace.append(op)
        for copy in self.copies:
            self.trace.append(copy)

    def nvgpu(self, op, v):
        if op.name == "nvgpu.device_async_copy":
            return self.copy(v[0], v[1])
        if op.name == "nvgpu.device_async_create_group":
            self.groups.append(list(itertools.chain(*v)))
            return [self.groups[-1]]
        return self.wait(int(op.attribute(r"numGroups = (\d+)"))) or []

    def run(self, region, env, arguments):
        """The terminator's name and the values that it is given."""
        blocks = {b.name: b for b in region}
        block = region[0]
        while True:
            env.update(zip(block.arguments, arguments))
            for op in block.ops:
                self.steps += 1
                if self.steps > LIMIT:
                    raise Invalid("too many steps")
                self.step(op, env)
            last = block.ops[-1]
            if last.name not in ("cf.br", "cf.cond_br"):
                return [env[v] for v in last.operands]
            block, arguments = self.branch(last, env, blocks)

    def branch(self, op, env, blocks):
        values = [env[v] for v in op.operands]
        if op.name == "cf.br":
            return blocks[op.successors[0]], values
        sizes = op.numbers("operandSegmentSizes")
        first = values[1 : 1 + sizes[1]]
        return (blocks[op.successors[0]], first) if values[0] else (blocks[op.successors[1]], values[1 + sizes[1] :])

    def step(self, op, env):
        v = [env[name] for name in op.operands]
        if op.name in NUMBERS:
            results = [NUMBERS[op.name](*v)]
        elif op.name in ("scf.for", "scf.if", "gpu.launch"):
            results = getattr(self, op.name.partition(".")[2] + "_")(op, v, env)
        else:
            results = self.simple(op, v)
        env.update(zip(op.results, results))

    def simple(self, op, v):
        if op.name == "arith.constant":
            text = op.attribute(r"value = (true|false|-?\d+)")
            return [{"true": 1, "false": 0}[text] if text in ("true", "false") else int(text)]
        if op.name == "arith.cmpi":
            return [int(COMPARE[int(op.attribute(r"predicate = (\d+)"))](*v))]
        if op.name == "gpu.thread_id":
            return [self.place]
        if op.name == "gpu.dynamic_shared_memory":
            return [Ref("dynamic", "dynamic", 0, 1, LIMIT)]
        if op.name == "gpu.barrier":
            self.barrier(op)
        elif op.name.startswith("nvgpu."):
            return self.nvgpu(op, v)
        elif op.name.startswith("memref."):
            return self.memory(op, v)
        elif op.name == "linalg.fill":
            self.touch(v[1], 0, v[1].count, True)
        elif op.name not in ("scf.yield", "linalg.yield", "gpu.return", "gpu.terminator", "cf.br", "cf.cond_br", "func.return"):
            raise NotImplementedError(op.name)
        return []

    def memory(self, op, v):
        if op.name == "memref.load":
            self.touch(v[0], v[1], 1, False)
            return [0]
        if op.name == "memref.store":
            self.touch(v[1], v[2], 1, True)
        elif op.name == "memref.copy":
            self.touch(v[0], 0, v[0].count, False)
            self.touch(v[1], 0, v[1].count, True)
        elif op.name == "memref.view":
            count, element = shape(result_type(op))
            return [Ref(v[0].memory, v[0].view, v[0].start + v[1], element, count)]
        elif op.name == "memref.subview":
            at = op.numbers("static_offsets")[0]
            return [Ref(v[0].memory, v[0].view, v[0].start + at * v[0].element, v[0].element, 4)]
        elif op.name == "memref.extract_aligned_pointer_as_index":
            return [0]
        elif op.name == "memref.alloc":
            count, element = shape(result_type(op))
            self.allocs[op.results[0]] = self.allocs.get(op.results[0], 0) + 1
            name = f"{op.results[0]} {self.allocs[op.results[0]]}"
            return [Ref(name, name, 0, element, count)]
        return []

    def for_(self, op, v, env):
        carried = v[3:]
        for i in range(v[0], v[1], v[2]):
            carried = self.run(op.regions[0], env, [i, *carried])
        return carried

    def if_(self, op, v, env):
        region = op.regions[0 if v[0] else 1]
        return self.run(region, env, []) if region else []

    def launch_(self, op, v, env):
        block = op.regions[0][0]
        self.run(op.regions[0], env, [0] * 3 + [self.place, 0, 0] + [1] * 3 + [THREADS, 1, 1] + refs(block, 12))
        return []


def refs(block, first):
    """The attributions, each a memory of its own."""
    made = []
    for name, type in zip(block.arguments[first:], block.types[first:]):
        count, element = shape(type)
        made.append(Ref(name, name, 0, element, count))
    return made


def kernels_of(module):
    ops = module.regions[0][0].ops
    return ops[0].regions[0][0].ops if ops[0].name == "gpu.module" else ops


def traces(module, before=None):
    """Of each kernel and tuple of arguments: the traces of all threads. `before`: of the module that was planned."""
    found = []
    for kernel in kernels_of(module):
        if kernel.name not in ("gpu.func", "func.func"):
            continue
        block = kernel.regions[0][0]
        scalars = len(ELEMENTS) + 4
        for n, c, d in ARGUMENTS:
            threads = [Thread(place, before and before[len(found)][place]) for place in range(THREADS)]
            for thread in threads:
                thread.run(kernel.regions[0], {}, [0] * len(ELEMENTS) + [n, c, d, 0] + refs(block, scalars))
            found.append([thread.trace for thread in threads])
    return found


def phases(traces, without):
    """(phase, view) -> [(thread, bytes read, bytes written)], as the barrier `without` does not count."""
    found, barriers = {}, []
    for place, trace in enumerate(traces):
        passed = []
        for item in trace:
            if not isinstance(item, tuple):
                if item is not without:
                    passed.append(item)
                continue
            ref, mask, writes = item
            at = found.setdefault((len(passed), ref.memory), {}).setdefault(ref.view, {}).setdefault(place, [0, 0])
            at[writes] |= mask
        barriers.append(passed)
    if any(b != barriers[0] for b in barriers):
        raise Invalid("threads pass different barriers")
    return found


def races_in(views):
    """Whether two views have bytes in common that one thread writes and another touches."""
    for v, w in itertools.permutations(views, 2):
        for (p, (_, written)), (q, (read, also)) in itertools.product(views[v].items(), views[w].items()):
            if p != q and written & (read | also):
                return True
    return False


def races(all_traces, without=None):
    """Whether accesses through different views to one byte are unordered, for some arguments."""
    return any(trace.races for t in all_traces for trace in t) or any(
        races_in(views) for t in all_traces for views in phases(t, without).values())  # fmt: skip


def differ(before, after):
    """Whether a thread reads what it has not read before the program was planned, where that was something."""
    return any(differs(reads(b, turn), reads(a, turn)) for b, a in zip(before, after) for turn in (1, -1))


def differs(before, after):
    return any(after[key].get(write, 0) & mask != mask for key, found in before.items() for write, mask in found.items())


def reads(traces, turn):
    """(thread, position) -> write -> bytes of what is read there, as the threads go on from barrier to barrier one by one."""
    held, found = {}, {}  # by memory: write -> bytes that it has left there
    for phase in itertools.zip_longest(*[list(split(t)) for t in traces], fillvalue=()):
        for place, items in list(enumerate(phase))[::turn]:
            for position, (ref, mask, writes) in items:
                now = held.setdefault(ref.memory, {})
                if writes:
                    for write in [w for w, left in now.items() if left & mask]:
                        now[write] &= ~mask
                    now[place, position] = mask
                else:
                    low = (mask & -mask).bit_length() - 1
                    found[place, position] = {w: (left & mask) >> low for w, left in now.items() if left & mask}
    return found


def split(trace):
    phase = []
    for position, item in enumerate(trace):
        if isinstance(item, tuple):
            phase.append((position, item))
        else:
            yield phase
            phase = []
    yield phase


def barriers(op):
    """The barriers of an op, in the order of the text."""
    if op.name == "gpu.barrier":
        yield op
    for region in op.regions:
        for block in region:
            for inner in block.ops:
                yield from barriers(inner)
