# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of cases.py, run after every way of deallocation.

Each runs as it is, which leaks; then after buffer-deallocation, with bits and with clones; then
after upstream's pipeline. The heap is test/exec's: poisoned, guarded, counted. Outputs must be
equal, nothing may leak, be freed twice or used after it was freed. The table has allocator calls
beyond the program's own, peak bytes, and ops after lowering to LLVM.
"""

import re
from dataclasses import dataclass

from bench.dealloc import cases, times
from bench.dealloc.networks import CLEAN, UPSTREAM
from testing.execute import difference
from testing.least_peak import least_peak
from testing.native import sanitizer_said
from testing.process import ToolError
from testing.tables import count

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
    "tightened": "builtin.module(buffer-deallocation,buffer-deallocation{tighten})",
    "simplified": "builtin.module(buffer-deallocation{prefer=clones},lower-clones{simplify-only})",
    "reused": "builtin.module(buffer-deallocation,buffer-reuse{pool-all poison})",
    "pipeline": "builtin.module(stowage-memory)",
    "pipeline, merged": "builtin.module(stowage-memory{start=merge-alloc hoist=true})",
    "pipeline, stack": "builtin.module(stowage-memory{stack-bytes=4096})",
}

# As they stand in the table.
CLEANED = {name: pipeline.replace(")", CLEAN + ")") for name, pipeline in OURS.items()}
THEIRS = {name: f"builtin.module({pipeline})" for name, pipeline in UPSTREAM.items()}


@dataclass
class Result:
    said: str = ""  # what went wrong
    refused: bool = False
    extra: int = 0  # allocations at run time beyond the program's own
    peak: int = 0
    ops: int = 0


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
    return sum(len(re.findall(r"^\s*(?:%.*? = )?\"?llvm\.", bodies[f], re.M)) for f in seen)


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


def first_run(tools, names):
    text = cases.module(names)
    first = tools.run(text)
    if first.fault() or not first.output:
        raise ToolError(f"{names}: the program as it is: {first.fault()}")
    return text, first


def check(tools, names):
    """What is wrong, by pipeline, with the functions named in one module."""
    text, first = first_run(tools, names)
    results = {name: measure(tools, text, p, None, first, names[0])
               for name, p in {**OURS, **OTHERS}.items()}
    results.update({f"{name} twice": second_run(tools, text, p) for name, p in OURS.items()})
    return {name: result.said for name, result in results.items()}


def sanitized(tools, native, names, all_ways):
    """What AddressSanitizer says, by pipeline."""
    text, first = first_run(tools, names)
    found = {}
    for name in ["bits", "pipeline, merged"] + ["clones", "pipeline"] * all_ways:
        after = tools.apply(text, {**OURS, **OTHERS}[name])
        run = native.run(native.sanitized(after))
        found[name] = sanitizer_said(run) or difference(first, run) or ""
    return found


# ---- the table --------------------------------------------------------------------------


@dataclass
class Row:
    name: str
    least: int
    ways: dict  # by way: a Result

    def good(self, way):
        return not self.ways[way].said


def row_of(tools, name):
    text, first = first_run(tools, [name])
    least = least_peak(tools, text)
    if least.run.output != first.output:
        raise ToolError(f"{name}: touches change the output")
    ways = {way: measure(tools, text, p, None, first, name) for way, p in CLEANED.items()}
    for way, pipeline in THEIRS.items():
        ways[way] = measure(tools, text, pipeline, tools.mlir_opt, first, name)
    return Row(name, least.bytes, ways)


def times_of(tools, native, rows, rounds):
    names = [r.name for r in rows if r.good("upstream")]
    ways = {way: (pipeline, None) for way, pipeline in CLEANED.items()}
    ways["upstream"] = (THEIRS["upstream"], tools.mlir_opt)
    return times.time_functions(tools, native, ways, names, rounds)


def peak_cell(row, way):
    peak = count(row.ways[way].peak)
    return f"**{peak}**" if row.ways[way].peak > row.least else peak


def cells(row, way):
    result = row.ways[way]
    if result.said:
        return "refused" if result.refused else result.said.splitlines()[0], "", ""
    return result.extra, peak_cell(row, way), result.ops


def table_rows(rows, times):
    for row in rows:
        yield (row.name, count(row.least), *cells(row, "bits"), *cells(row, "clones"),
               *cells(row, "upstream"), *(times[way].get(row.name, "") for way in OURS))


def compared(both, way, field):
    pairs = [(getattr(r.ways[way], field), getattr(r.ways["upstream"], field)) for r in both]
    return (f"lower on {sum(a < b for a, b in pairs)}, equal on {sum(a == b for a, b in pairs)}, "
            f"higher on {sum(a > b for a, b in pairs)} ({sum(a for a, _ in pairs):,} against "
            f"{sum(b for _, b in pairs):,})")


def named(names):
    return f"{len(names)}" + (f" ({', '.join(names)})" if 0 < len(names) < 10 else "")


def at_least_peak(rows, way):
    return [r for r in rows if r.good(way) and r.ways[way].peak == r.least]


def summary(rows, times):
    for way in OURS:
        good = [r for r in rows if r.good(way)]
        both = [r for r in good if r.good("upstream")]
        above = [r for r in both if r.ways["upstream"].peak > r.least]
        lower = [r for r in above if r.ways[way].peak < r.ways["upstream"].peak]
        left = [r.name for r in good if r.ways[way].peak > r.least]
        yield (f"{way}: at the least peak on {len(at_least_peak(rows, way))} of {len(rows)}"
               + (f", above it on {', '.join(left)}" if left else ""))
        yield (f"{way}: of {len(both)} that upstream handles, too, it is above the least peak on "
               f"{len(above)}, and there {way} is lower on {len(lower)}")
        for field, what in (("peak", "peak"), ("ops", "ops"), ("extra", "allocator calls added")):
            yield f"{way}: {what} {compared(both, way, field)}"
        middle = sorted(r.median for r in times[way].values())
        if middle:
            slower = [n for n, r in times[way].items() if r.low > 1.02]
            faster = [n for n, r in times[way].items() if r.high < 0.98]
            yield (f"{way}: time, median of the functions' medians {middle[len(middle) // 2]:.2f}, from "
                   f"{middle[0]:.2f} to {middle[-1]:.2f}; slower by more than 2 % on {len(slower)}, "
                   f"faster on {len(faster)}")
    for way in THEIRS:
        refused = [r.name for r in rows if r.ways[way].refused]
        wrong = [r.name for r in rows if r.ways[way].said and not r.ways[way].refused]
        yield (f"{way}: at the least peak on {len(at_least_peak(rows, way))}, no result of "
               f"{named(refused)}, a wrong one of {named(wrong)}")
