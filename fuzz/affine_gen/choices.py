# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tasks are fused, against all ways to group them.

    python3 -m fuzz.affine_gen.choices --programs 2000
    python3 -m fuzz.affine_gen.choices --only 7 --print

A program has up to eight tasks, each a loop that writes one buffer and reads some before it. Loops are of two lengths, and only
tasks of one length can be fused. A group of tasks can become one task if reads connect it, and no path leaves it and
comes back. A buffer goes if one group writes and reads it. So the fewest bytes are found by trying all
partitions, and memory-access-streaming-fusion must leave as few.

Exit status: 0 if the share of programs that keep more is at most --worse, 1 otherwise, 2 bad usage or a missing tool."""

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fuzz.memref_gen.rng import Rng
from testing import options
from testing.compiled import Toolchain
from testing.taskflow import FUSE, TO

LENGTHS = (8, 12)
PASSES = f"{TO},{FUSE}{{windows=false allow-higher-peak assume-noalias-arguments OPTIONS report=\"json:REPORT\"}}"


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


def has_order(tasks, chosen):
    """Whether the groups can run one after the other."""
    needs = {g: {chosen[k] for n, t in enumerate(tasks) if chosen[n] == g for k in t.reads} - {g} for g in set(chosen)}
    while needs:
        free = [g for g, others in needs.items() if not others]
        if not free:
            return False
        needs = {g: others - set(free) for g, others in needs.items() if g not in free}
    return True


def bytes_left(tasks, chosen):
    return sum(4 * t.length for n, t in enumerate(tasks) if any(chosen[r] != chosen[n] for r in readers(tasks, n)))


def fewest(tasks):
    best = None
    for chosen in partitions(tasks):
        left = bytes_left(tasks, chosen)
        if (best is None or left < best) and has_order(tasks, chosen) and all(
                is_connected(tasks, [n for n, g in enumerate(chosen) if g == group]) for group in set(chosen)):
            best = left
    return best


def found(tools, programs, work, more):
    """Bytes that the pass leaves, by name."""
    report = Path(work, "report.json")
    pipeline = PASSES.replace("OPTIONS", more).replace("REPORT", str(report))
    tools.opt("\n".join(text(n, p) for n, p in programs.items()), f"builtin.module({pipeline})")
    return {f["function"]: f["after"]["bytes"] for f in json.loads(report.read_text())["functions"]}


def main():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=200)
    p.add_argument("--options", default="", help="more options of the pass")
    p.add_argument("--worse", type=float, default=0, help="share of programs that may keep more than the fewest bytes")
    args = p.parse_args()
    seeds = options.seeds(args)
    if args.print:
        print("\n".join(text(f"p{s}", grow(s)) for s in seeds))
        return 0
    worse = lower = gap = 0
    with tempfile.TemporaryDirectory(prefix="choices") as work:
        tools = Toolchain(work, args.opt)
        for some in options.batches(seeds, 50):
            programs = {f"p{s}": grow(s) for s in some}
            for name, left in found(tools, programs, work, args.options).items():
                best = fewest(programs[name])
                worse, lower, gap = worse + (left > best), lower + (left < best), gap + max(0, left - best)
                if left != best:
                    print(f"{name}: {left} bytes are left, and {best} by brute force", flush=True)
    print(f"{len(seeds)} programs, {worse} keep more than the fewest bytes, {gap} bytes in all; {lower} keep fewer")
    return int(lower > 0 or worse > args.worse * len(seeds))


if __name__ == "__main__":
    sys.exit(main())
