#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""buffer-deallocation beside upstream's ownership-based deallocation, run and counted.

    deallocation.py [--check] [--only NAME ...] [--output FILE]

Every function of deallocation_cases.py runs as it is, which leaks; then after
buffer-deallocation, with bits and with clones; then after upstream's
buffer-deallocation-pipeline. The heap is test/exec's: poisoned, guarded, counted.
Outputs must be equal, nothing may leak, be freed twice or used after it was freed.
The table has allocator calls beyond the program's own, peak bytes, and ops after
lowering to LLVM. --check leaves out upstream and the table, and adds the passes
around ours, and second runs, which must change nothing: exit status 1 if anything is wrong.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "exec"))
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True

import deallocation_cases as cases  # noqa: E402
from harness import ToolError, Tools, difference  # noqa: E402

OURS = {
    "bits": "builtin.module(buffer-deallocation)",
    "clones": "builtin.module(buffer-deallocation{prefer=clones})",
}
# Checked only: the other passes, before and after.
OTHERS = {
    "hoisted before": "builtin.module(hoist-allocations,buffer-deallocation)",
    "hoisted after": "builtin.module(buffer-deallocation,hoist-allocations)",
    "on the stack": "builtin.module(buffer-deallocation,promote-allocs-to-stack)",
    "on the stack before": "builtin.module(promote-allocs-to-stack,buffer-deallocation)",
    "tightened": "builtin.module(buffer-deallocation,tighten-deallocs)",
    "simplified": "builtin.module(buffer-deallocation{prefer=clones},simplify-clones)",
    "reused": "builtin.module(buffer-deallocation,buffer-reuse{pool-all poison})",
    "pipeline": "builtin.module(stowage-memory)",
    "pipeline, merged": "builtin.module(stowage-memory{start=merge-alloc hoist=true})",
    "pipeline, stack": "builtin.module(stowage-memory{stack-bytes=4096})",
}
UPSTREAM = "builtin.module(buffer-deallocation-pipeline)"


@dataclass
class Result:
    said: str = ""  # what went wrong
    refused: bool = False
    extra: int = 0  # allocations at run time beyond the program's own
    peak: int = 0
    ops: int = 0
    seconds: float = 0


def ops_in(lowered, name):
    """Ops of the function of a case, of the callees it calls, and of what a pass added for it; not
    of the helpers and of what runs it."""
    bodies = dict(re.findall(r"^  llvm\.func [^@]*@(\w+)\(.*?$\n(.*?)^  }", lowered, re.M | re.S))
    todo, seen = [f"k_{name}"], set()
    while todo:
        function = todo.pop()
        if function in seen or function in ("fill", "mix", "sum") or function not in bodies:
            continue
        seen.add(function)
        todo += re.findall(r"llvm\.call @(\w+)\(", bodies[function])
    return sum(len(re.findall(r"^\s*(?:%.*? = )?llvm\.", bodies[f], re.M)) for f in seen)


def measure(tools, text, pipeline, opt, first, name):
    try:
        after = tools.apply(text, pipeline, opt=opt)
    except ToolError as error:
        return Result(said=str(error).splitlines()[-1], refused=True)
    lowered = tools.lower(after)
    run = tools.execute(lowered)
    said = difference(first, run) or ""
    heap = run.heap
    if not said and heap.leaked_bytes:
        said = f"leaks {heap.leaked_bytes} bytes"
    if not said and (heap.double_frees or heap.unknown_frees or heap.overruns or heap.late_writes):
        said = "misuses the heap"
    if heap is None:
        return Result(said=said)
    return Result(said=said, extra=heap.allocs - first.heap.allocs, peak=heap.peak_bytes,
                  ops=ops_in(lowered, name))


def second_run(tools, text, pipeline):
    once = tools.apply(text, pipeline)
    return Result(said="" if tools.apply(once, pipeline) == once else "a second run changes the first's output")


def run_case(tools, names, check):
    text = cases.module(names)
    first = tools.run(text)
    if first.fault() or not first.output:
        raise ToolError(f"{names}: the program as it is: {first.fault()}")
    pipelines = {**OURS, **OTHERS} if check else OURS
    results = {name: measure(tools, text, p, None, first, names[0]) for name, p in pipelines.items()}
    if check:
        results.update({f"{name} twice": second_run(tools, text, p) for name, p in OURS.items()})
    else:
        results["upstream"] = measure(tools, text, UPSTREAM, tools.mlir_opt, first, names[0])
    return results


def cell(result):
    if result.refused:
        return "refused", "", ""
    if result.said:
        return result.said.splitlines()[0], "", ""
    return result.extra, f"{result.peak:,}", result.ops


def row(name, results):
    cells = [str(c) for v in ("bits", "clones", "upstream") for c in cell(results[v])]
    return f"| {name} | " + " | ".join(cells) + " |"


def summary(table):
    lines = []
    for ours in OURS:
        both = [r for r in table.values() if not (r[ours].said or r["upstream"].said)]
        def count(better, field):
            return sum(better(getattr(r[ours], field), getattr(r["upstream"], field)) for r in both)
        less, more = (lambda a, b: a < b), (lambda a, b: a > b)
        lines.append(
            f"{ours}: of {len(both)} functions both handle, peak lower on {count(less, 'peak')}, higher on "
            f"{count(more, 'peak')}; fewer ops on {count(less, 'ops')}, more on {count(more, 'ops')}; "
            f"fewer allocations on {count(less, 'extra')}, more on {count(more, 'extra')}; sums: "
            f"allocations added {sum(r[ours].extra for r in both)} against {sum(r['upstream'].extra for r in both)}, "
            f"ops {sum(r[ours].ops for r in both):,} against {sum(r['upstream'].ops for r in both):,}")
    refused = [n for n, r in table.items() if r["upstream"].refused]
    wrong = [n for n, r in table.items() if r["upstream"].said and not r["upstream"].refused]
    lines.append(f"upstream refuses {len(refused)} functions ({', '.join(refused) or 'none'}), "
                 f"goes wrong on {len(wrong)} ({', '.join(wrong) or 'none'})")
    return lines


HEAD = """| function | bits: added allocs | peak | ops | clones: added allocs | peak | ops | upstream: added allocs | peak | ops |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", nargs="+", choices=cases.CASES, metavar="NAME")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    tools = Tools()
    names = args.only or list(cases.CASES)
    if args.check:
        results = run_case(tools, names, True)
        wrong = {n: r.said for n, r in results.items() if r.said}
        for name, said in wrong.items():
            print(f"{name}: {said}", file=sys.stderr)
        print(f"{len(names)} functions: {len(wrong)} of {len(results)} pipelines wrong")
        return 1 if wrong else 0
    table = {name: run_case(tools, [name], False) for name in names}
    text = "\n".join([HEAD] + [row(n, r) for n, r in table.items()]) + "\n\n"
    text += "\n".join(f"* {line}" for line in summary(table)) + "\n"
    (args.output.write_text if args.output else print)(text)
    return 1 if any(r[o].said for r in table.values() for o in OURS) else 0


if __name__ == "__main__":
    sys.exit(main())
