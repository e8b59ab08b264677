# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of a workgroup, as a model: what each touches, and between which barriers.

No op of a kernel here goes another way because of what shared memory holds, so each thread's trace is the
same in all schedules. Threads meet at barriers and nowhere else: two accesses of different threads with as many barriers before the
one as before the other come in either order in some schedule, all others in one order in all of them. A copy that goes on writes between
any two barriers that its thread passes before it has waited, and beside all that the thread itself does until then.

A load to a tile writes beside all that any thread does until that thread knows that the load's phase has ended: by a wait, which tells of
the first phase of the other parity that may be the current one, or from another thread at a barrier. What a thread has written itself may
come behind the load, unless it has passed a fence since, and all threads a barrier since that.
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

    def __init__(self):
        self.races = False
        self.loads = []   # (position, element, its phase, access)
        self.waits = {}   # by position: (element, parity)
        self.fences = []  # (position, number)


class Thread:
    """Runs a kernel alone, where it is planned beside the trace of what it was. `skipped`: the number of a wait that is left out."""

    def __init__(self, place, before=None, skipped=None):
        self.place, self.before, self.skipped, self.trace, self.turns = place, before, skipped, Trace(), 0
        self.copies, self.groups = [], []  # on their way: accesses; lists of such, the newest last
        self.allocs = {}  # how often each was run
        self.phases, self.expected = {}, {}  # of elements: how many have begun, and bytes that the last expects

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

    def arrive(self, element, count):
        self.phases[element] = self.phases.get(element, 0) + 1
        self.expected[element] = self.expected.get(element, 0) + count

    def load_tile(self, ref, element):
        """Of the phase that lacks bytes, or else of the next."""
        self.fill(ref)
        begun, lacking = self.phases.get(element, 0), self.expected.get(element, 0)
        self.expected[element] = lacking - ref.element * ref.count
        self.trace.loads.append((len(self.trace) - 1, element, begun - (lacking > 0), self.trace[-1]))

    def wait_for_phase(self, number, element, parity):
        if number != self.skipped:
            self.trace.waits.setdefault(len(self.trace), []).append((element, parity))

    def fence(self, number):
        self.trace.fences.append((len(self.trace), number))

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

    def is_racing(self, without, fence=None):
        if self.races or any(races_in(phase) for phase in (self.phases if without is None else self.joined(without))):
            return True
        return any(trace.loads for trace in self.traces) and (self.meets_load(without) or self.comes_behind(without, fence))

    def times(self, without):
        """Of each trace, by position: how many barriers come before."""
        return [[0, *itertools.accumulate(isinstance(item, int) and item != without for item in trace)] for trace in self.traces]

    def meets_load(self, without):
        """Whether a thread touches bytes by another view that a load may still write."""
        times = self.times(without)
        loads = [(place, times[place][load[0]], *load) for place, trace in enumerate(self.traces) for load in trace.loads]
        ended, at = {}, [0] * len(self.traces)  # of elements: phases that all know to have ended
        for time in range(times[0][-1] + 1):
            all_know = dict(ended)
            for place, trace in enumerate(self.traces):
                know = dict(ended)
                while at[place] <= len(trace) and times[place][at[place]] == time:
                    for element, parity in trace.waits.get(at[place], []):
                        known = know.get(element, 0)
                        know[element] = known + (known % 2 == parity)
                    here = (place, time, at[place])
                    if at[place] < len(trace) and isinstance(trace[at[place]], tuple) and meets_any(loads, know, here, trace[at[place]]):
                        return True
                    at[place] += 1
                for element, known in know.items():
                    all_know[element] = max(all_know.get(element, 0), known)
            ended = all_know
        return False

    def comes_behind(self, without, fence):
        """Whether a load is not sure to come behind what a thread has written through another view. `fence`: that does not count."""
        times = self.times(without)
        for starter, trace in enumerate(self.traces):
            for position, _, _, access in trace.loads:
                begun = times[starter][position]
                for place, other in enumerate(self.traces):
                    last = max((at for at, number in other.fences if number != fence and times[place][at] < begun), default=0)
                    loaded = {at for at, *_ in other.loads}
                    for at in range(last, len(other)):
                        if times[place][at] >= begun:
                            break
                        if at not in loaded and isinstance(other[at], tuple) and other[at][3] and share_bytes(other[at], access):
                            return True
        return False


def share_bytes(one, other):
    """Through two views."""
    return one[0] == other[0] and one[1] != other[1] and one[2] & other[2] != 0


def meets_any(loads, know, here, access):
    place, time, position = here
    for starter, begun, first, element, phase, load in loads:
        before = begun < time or (begun == time and (starter != place or first < position))
        if before and know.get(element, 0) <= phase and share_bytes(load, access):
            return True
    return False


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
        self.kernels, self.waits, self.barriers, self.fences = made.kernels, made.waits, made.barriers, made.fences

    def runs(self, before=None, skipped=None):
        """Of each kernel and tuple of arguments, when they are asked for. `before`: the runs of the module that was planned."""
        before = before and iter(before)
        for kernel in self.kernels:
            for n, c, d in itertools.product(*(all if used else all[:1] for all, used in zip((NUMBERS, BITS, BITS), kernel.uses))):
                traces = next(before).traces if before else [None] * THREADS
                threads = [Thread(place, traces[place], skipped) for place in range(THREADS)]
                for thread in threads:
                    kernel.run(thread, *[0] * len(ELEMENTS), n, c, d, 0, 0)
                yield Run(threads)


def races(runs, without=None, fence=None):
    """Whether accesses through different views to one byte are unordered, for some arguments, where a barrier and a fence do not count."""
    return any(run.is_racing(without, fence) for run in runs)


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
