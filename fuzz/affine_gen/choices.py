# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tasks are fused, against all ways to group them.

    python3 -m fuzz.affine_gen.choices --programs 2000
    python3 -m fuzz.affine_gen.choices --programs 2000 --cap
    python3 -m fuzz.affine_gen.choices --only 7 --print

A program has up to eight tasks, each a loop that writes one buffer and reads some before it. Loops are of two lengths, and only
tasks of one length can be fused. A group of tasks can become one task if reads connect it, and no path leaves it and
comes back. A buffer goes if one group writes and reads it. So the fewest bytes, and then the fewest loads and stores,
are found by trying all partitions, and memory-access-streaming-fusion must leave as few.

With --cap, the bytes that are live at once must not exceed max-live-bytes, or those of the program as it is where these
are more. Each partition then runs in the order in which the fewest are live; the cap is another one per 50 programs.

Exit status: 0 if the share of programs that keep more is at most --worse, 1 otherwise, 2 bad usage or a missing tool."""

import json
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fuzz.rng import Rng
from testing import options
from testing.compiled import Toolchain
from testing.taskflow import FUSE, TO

LENGTHS = (8, 12)
ROUNDED = 64  # bytes of a buffer in the peak
PASSES = f"{TO},{FUSE}{{windows=false read-through-copies=false assume-noalias-arguments OPTIONS report=\"json:REPORT\"}}"


@dataclass(frozen=True)
class Task:
    length: int
    reads: tuple  # numbers of tasks, whose buffers it reads


def grow(seed):
    rng = Rng(seed * 7919 + 41)
    tasks = []
    for number in range(3 + rng.below(6)):
        earlier = [n for n in range(number) if rng.chance(min(0.7, 1.6 / number))]
        tasks.append(Task(LENGTHS[rng.chance(0.35)], tuple(earlier)))
    return tasks


def readers(tasks, number):
    return [n for n, t in enumerate(tasks) if number in t.reads]


def text(name, tasks):
    local = {n for n in range(len(tasks)) if readers(tasks, n)}
    types = [f"memref<{t.length}xi32>" for t in tasks]
    arguments = ["%a: memref<16xi32>"] + [f"%t{n}: {types[n]}" for n in range(len(tasks)) if n not in local]
    lines = [f"func.func @{name}({', '.join(arguments)}) {{"]
    lines += [f"  %t{n} = memref.alloc() : {types[n]}" for n in sorted(local)]
    for n, task in enumerate(tasks):
        lines += [f"  affine.for %i = 0 to {task.length} {{", f"    %v{n} = affine.load %a[%i] : memref<16xi32>"]
        value = f"%v{n}"
        for k in task.reads:
            index = "%i" if task.length <= tasks[k].length else "%i floordiv 2"
            lines += [f"    %r{k} = affine.load %t{k}[{index}] : {types[k]}",
                      f"    %s{k} = arith.addi {value}, %r{k} : i32"]  # fmt: skip
            value = f"%s{k}"
        lines += [f"    affine.store {value}, %t{n}[%i] : {types[n]}", "  }"]
    lines += [f"  memref.dealloc %t{n} : {types[n]}" for n in sorted(local)]
    return "\n".join([*lines, "  return", "}"])


# ---- All ways.


def partitions(tasks):
    """Lists of groups, as the number of a group per task."""

    def extend(chosen, count):
        if len(chosen) == len(tasks):
            yield chosen
            return
        for group in range(count + 1):
            alike = [n for n, g in enumerate(chosen) if g == group]
            if all(tasks[n].length == tasks[len(chosen)].length for n in alike):
                yield from extend([*chosen, group], max(count, group + 1))

    yield from extend([], 0)


def is_connected(tasks, group):
    seen, ahead = {group[0]}, [group[0]]
    while ahead:
        one = ahead.pop()
        near = [n for n in group if n not in seen and (n in tasks[one].reads or one in tasks[n].reads)]
        seen.update(near)
        ahead += near
    return len(seen) == len(group)


def needed(tasks, chosen, group):
    """The groups that must have run before."""
    return {chosen[k] for n, t in enumerate(tasks) if chosen[n] == group for k in t.reads} - {group}


def has_order(tasks, chosen):
    """Whether the groups can run one after the other."""
    needs = {g: needed(tasks, chosen, g) for g in set(chosen)}
    while needs:
        free = [g for g, others in needs.items() if not others]
        if not free:
            return False
        needs = {g: others - set(free) for g, others in needs.items() if g not in free}
    return True


def kept(tasks, chosen):
    """The tasks whose buffers are left."""
    return [n for n in range(len(tasks)) if any(chosen[r] != chosen[n] for r in readers(tasks, n))]


def figures(tasks, chosen):
    """Bytes, and loads and stores, of which each task also loads from an argument."""
    left = kept(tasks, chosen)
    loads = sum(t.length * (1 + sum(chosen[k] != chosen[n] for k in t.reads)) for n, t in enumerate(tasks))
    stores = sum(t.length for n, t in enumerate(tasks) if n in left or not readers(tasks, n))
    return sum(4 * tasks[n].length for n in left), loads + stores


def least_peak(tasks, chosen):
    """The fewest bytes that are live at once, of all orders of the groups. Those that have run are a set of bits."""
    count = max(chosen) + 1
    spans = [(chosen[n], sum(1 << g for g in {chosen[n], *(chosen[r] for r in readers(tasks, n))}))
             for n in kept(tasks, chosen)]  # fmt: skip
    needs = [sum(1 << other for other in needed(tasks, chosen, g)) for g in range(count)]
    peaks = [0] + [math.inf] * ((1 << count) - 1)
    for done in range(1 << count):
        for g in range(count):
            if peaks[done] == math.inf or done >> g & 1 or needs[g] & ~done:
                continue
            after = done | 1 << g
            live = sum(ROUNDED for maker, users in spans if after >> maker & 1 and users & ~done)
            peaks[after] = min(peaks[after], max(peaks[done], live))
    return peaks[-1]


def peak_as_written(tasks):
    last = {n: max(readers(tasks, n), default=n) for n in range(len(tasks))}
    return max(sum(ROUNDED for n in range(at + 1) if readers(tasks, n) and last[n] >= at) for at in range(len(tasks)))


def is_possible(tasks, chosen):
    return has_order(tasks, chosen) and all(
        is_connected(tasks, [n for n, g in enumerate(chosen) if g == group]) for group in set(chosen))


def best(tasks, cap):
    """The figures of the best partition whose peak is at most `cap`, where there is one; None: any peak."""
    ways = sorted((figures(tasks, chosen), chosen) for chosen in partitions(tasks))
    most = math.inf if cap is None else max(cap, peak_as_written(tasks))
    return next(f for f, chosen in ways if is_possible(tasks, chosen) and least_peak(tasks, chosen) <= most)


def found(tools, programs, work, more):
    """What the pass leaves, by name."""
    report = Path(work, "report.json")
    pipeline = PASSES.replace("OPTIONS", more).replace("REPORT", str(report))
    tools.opt("\n".join(text(n, p) for n, p in programs.items()), f"builtin.module({pipeline})")
    functions = json.loads(report.read_text())["functions"]
    return {f["function"]: (f["after"]["bytes"], f["after"]["loads"] + f["after"]["stores"]) for f in functions}


def caps(args):
    """Each cap of the peak that is tried, as options of the pass."""
    return {cap * ROUNDED: f"max-live-bytes={cap * ROUNDED}" for cap in range(5)} if args.cap else {None: "allow-higher-peak"}


def main():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=200)
    p.add_argument("--cap", action="store_true", help="with a cap of the bytes live at once, another one per 50 programs")
    p.add_argument("--options", default="", help="more options of the pass")
    p.add_argument("--worse", type=float, default=0, help="share of programs that may keep more than the fewest bytes")
    args = p.parse_args()
    seeds = options.seeds(args)
    if args.print:
        print("\n".join(text(f"p{s}", grow(s)) for s in seeds))
        return 0
    counts, gap = {"more bytes": 0, "more accesses": 0, "fewer": 0}, 0
    with tempfile.TemporaryDirectory(prefix="choices") as work:
        tools = Toolchain(work, args.opt)
        ways = caps(args)
        for number, some in enumerate(options.batches(seeds, 50)):
            programs = {f"p{s}": grow(s) for s in some}
            cap = list(ways)[number % len(ways)]
            for name, left in found(tools, programs, work, f"{ways[cap]} {args.options}").items():
                least = best(programs[name], cap)
                if left == least:
                    continue
                counts["fewer" if left < least else "more bytes" if left[0] > least[0] else "more accesses"] += 1
                gap += max(0, left[0] - least[0])
                print(f"{name}, {ways[cap]}: {left} bytes and accesses are left, and {least} by brute force", flush=True)
    print(f"{len(seeds)} programs, {counts['more bytes']} keep more than the fewest bytes, {gap} bytes in all; "
          f"{counts['more accesses']} have more loads and stores; {counts['fewer']} are below brute force")
    return int(counts["fewer"] > 0 or counts["more bytes"] + counts["more accesses"] > args.worse * len(seeds))


if __name__ == "__main__":
    sys.exit(main())
