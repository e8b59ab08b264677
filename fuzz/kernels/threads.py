# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of a workgroup, as a model: what each touches, and between which barriers.

No op of a kernel here goes another way because of what shared memory holds, so each thread's trace is the
same in all schedules. Threads meet at barriers and nowhere else: two accesses of different threads with as many barriers before the
one as before the other come in either order in some schedule, all others in one order in all of them. A copy that goes on writes between
any two barriers that its thread passes before it has waited, and beside all that the thread itself does until then.
"""

import itertools
from functools import cached_property

from fuzz.kernels.grow import ELEMENTS, THREADS
from fuzz.kernels.translate import Ref, translate

LIMIT = 20000  # turns of one thread through blocks

NUMBERS, BITS = (0, 1, 2, 3), (0, 1)  # that n is, and c and d


class Invalid(Exception):
    """The kernel itself is wrong: the generator's fault."""


class Trace(list):
    """Numbers of barriers, and accesses (memory, view, mask of bytes, writes). `races`: with the thread's own copies."""

    races = False


class Thread:
    """Runs a kernel alone, where it is planned beside the trace of what it was. `skipped`: the number of a wait that is left out."""

    def __init__(self, place, before=None, skipped=None):
        self.place, self.before, self.skipped, self.trace, self.turns = place, before, skipped, Trace(), 0
        self.copies, self.groups = [], []  # on their way: accesses; lists of such, the newest last
        self.allocs = {}  # how often each was run

    def turn(self):
        self.turns += 1
        if self.turns > LIMIT:
            raise Invalid("too many turns")

    def new(self, name, element, count):
        self.allocs[name] = self.allocs.get(name, 0) + 1
        name = f"{name} {self.allocs[name]}"
        return Ref(name, name, 0, element, count)

    def touch(self, ref, first, count, writes):
        if first < 0 or first + count > ref.count:
            raise Invalid("an index is outside of its buffer")
        mask = ((1 << ref.element * count) - 1) << (ref.start + first * ref.element)
        view = ref.view if self.before is None else self.before[len(self.trace)][1]
        self.note((ref.memory, view, mask, writes))

    def note(self, access):
        self.trace.append(access)
        for memory, view, mask, _ in self.copies:
            if memory == access[0] and view != access[1] and mask & access[2]:
                self.trace.races = True

    def load(self, ref, at):
        self.touch(ref, at, 1, False)

    def store(self, ref, at):
        self.touch(ref, at, 1, True)

    def fill(self, ref):
        self.touch(ref, 0, ref.count, True)

    def copy(self, source, target):
        self.touch(source, 0, source.count, False)
        self.fill(target)

    def start(self, ref, at):
        self.store(ref, at)
        self.copies.append(self.trace[-1])
        return [self.trace[-1]]

    def group(self, *copies):
        self.groups.append(list(itertools.chain(*copies)))
        return self.groups[-1]

    def wait(self, number, left):
        """For all groups but the newest."""
        if number == self.skipped:
            return
        done = self.groups[: len(self.groups) - left]
        self.groups = self.groups[len(done) :]
        for copy in itertools.chain(*done):
            self.copies = [c for c in self.copies if c is not copy]
            self.note(copy)

    def barrier(self, number):
        self.trace.append(number)
        self.trace += self.copies


class Run:
    """The traces of all threads, for some arguments."""

    def __init__(self, threads):
        self.traces = [thread.trace for thread in threads]
        self.races = any(trace.races for trace in self.traces)

    @cached_property
    def barriers(self):
        """Which all threads pass."""
        passed, *others = ([item for item in trace if isinstance(item, int)] for trace in self.traces)
        if any(other != passed for other in others):
            raise Invalid("threads pass different barriers")
        return passed

    @cached_property
    def phases(self):
        """Of each: (memory, view, thread) -> [bytes read, bytes written]."""
        phases = [{} for _ in range(len(self.barriers) + 1)]
        for place, trace in enumerate(self.traces):
            for phase, accesses in zip(phases, split(trace)):
                for _, (memory, view, mask, writes) in accesses:
                    phase.setdefault((memory, view, place), [0, 0])[writes] |= mask
        return phases

    def joined(self, without):
        """The phases that become one where a barrier does not count."""
        passed, at = self.barriers, 0
        while at < len(passed):
            end = at
            while end < len(passed) and passed[end] == without:
                end += 1
            if end > at:
                yield union(self.phases[at : end + 1])
            at = end + 1

    def is_racing(self, without):
        return self.races or any(races_in(phase) for phase in (self.phases if without is None else self.joined(without)))


def union(phases):
    all = {}
    for phase in phases:
        for key, (read, written) in phase.items():
            at = all.setdefault(key, [0, 0])
            at[0] |= read
            at[1] |= written
    return all


def races_in(phase):
    """Whether two views have bytes in common that one thread writes and another touches."""
    writers = [(key, written) for key, (_, written) in phase.items() if written]
    for (memory, view, place), written in writers:
        for (other, another, q), (read, also) in phase.items():
            if place != q and view != another and memory == other and written & (read | also):
                return True
    return False


class Model:
    """A module's kernels, ready to be run."""

    def __init__(self, module):
        made = translate(module)
        self.kernels, self.waits, self.barriers = made.kernels, made.waits, made.barriers

    def runs(self, before=None, skipped=None):
        """Of each kernel and tuple of arguments, when they are asked for. `before`: the runs of the module that was planned."""
        before = before and iter(before)
        for kernel in self.kernels:
            for n, c, d in itertools.product(*(all if used else all[:1] for all, used in zip((NUMBERS, BITS, BITS), kernel.uses))):
                traces = next(before).traces if before else [None] * THREADS
                threads = [Thread(place, traces[place], skipped) for place in range(THREADS)]
                for thread in threads:
                    kernel.run(thread, *[0] * len(ELEMENTS), n, c, d, 0)
                yield Run(threads)


def races(runs, without=None):
    """Whether accesses through different views to one byte are unordered, for some arguments."""
    return any(run.is_racing(without) for run in runs)


def differ(before, after):
    """Whether a thread reads what it has not read before the program was planned, where that was something."""
    return any(differs(reads(b.traces, turn), reads(a.traces, turn)) for b, a in zip(before, after) for turn in (1, -1))


def differs(before, after):
    return any(after[key].get(write, 0) & mask != mask for key, found in before.items() for write, mask in found.items())


def reads(traces, turn):
    """(thread, position) -> write -> bytes of what is read there, as the threads go on from barrier to barrier one by one."""
    held, found = {}, {}  # by memory: write -> bytes that it has left there
    for phase in zip(*[list(split(t)) for t in traces]):
        for place, items in list(enumerate(phase))[::turn]:
            for position, (memory, _, mask, writes) in items:
                now = held.setdefault(memory, {})
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
