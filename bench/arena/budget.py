#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fit-memory makes of whole functions in a share of their arena.

    python3 -m bench.arena.budget --output bench/budget.md
    python3 -m bench.arena.budget --only unet --shares 0.5
    python3 -m bench.arena.budget --executed            that table alone

Files NAME.memref.mlir of --models, where that folder is, and networks of examples/generate.py. The capacity is a share of the largest
arena that merge-alloc makes of the file. Seconds are those of the whole pass, reduce-peak included.
"""

import json
import os
import re
import signal
import sys
import tempfile
from pathlib import Path

from bench import measure
from bench.arena import training_step
from testing import callers, networks, places, process, tables
from testing.execute import Tools, difference
from testing.native import Native
from testing.process import Limits, ToolError

HEAD = """# Budgets

Written by `python3 -m bench.arena.budget`.

The *arena* is the largest that `merge-alloc` makes of the file. The *capacity* is a share of it; *reduced* is what `reduce-peak` alone
leaves. *More time* is what the ops that run again add to the model's time, *at least* what any choice with as few bytes alive adds;
*arena then* is what `merge-alloc` makes afterwards. Functions without a body do not run again, as nobody knows what they do: byteir's step
calls 52 of them, and the masks that are alive at its peak are computed from buffers that these may change. In the smaller nasnet, it is
proven also without `reduce-peak` that nothing fits into 50 %, in its order. [fit-memory](../docs/fit-memory.md) says how choices are found."""

GRAPHS = """## The search alone

Printed by `build/bin/budget_bench`, whose top says by which rules graphs are made: training graphs of the networks that Checkmate was
measured on, and random graphs in layers, as MOCCASIN was. They are not the graphs of these papers, which have other shapes and costs; the
columns do not compare with theirs. The graphs named after MOCCASIN are its own, of github.com/haoming-codes/moccasin, which `--graphs`
reads; nodes run in the order that is given there. Its constraint program, made anew from that source with its settings and solved by
OR-Tools 9.15 on the same machine, finds and proves the same 0.79 and 2.30 % for 100 nodes, in 85 and 82 seconds; within its own limits of
180 and 360 seconds it finds nothing that fits for 250 nodes, or for 500 at 90 %. Its authors had 16 cores.

*Needs* is the bytes alive at the peak as given, *a node* what some node needs by itself: no choice has fewer. The networks get 50 and 25 %
of the range between the two, above the lower, the random graphs 90 and 80 % of what they need. No buffer is spilled. Seconds are the
processor's, and a dash stands for a busy one. What the search leaves to chance was tuned on random graphs that are not in the table.

Of graphs with up to 30 buffers, in 75, 50 and 25 % of that range, `build/test/unit/budget_test small` counts those whose cost is not proven
to be the least within the default effort: none of 120 plans. More seeds leave
some open: graphs in which any node reads any value before it, and graphs whose buffers may be placed in another memory, for which there
is no such proof."""

EXECUTED = """## Executed

Printed with `--executed`: training steps as programs that run, within a capacity. Those of `bench/arena/training_step.py` have so many
layers, rows and columns; the files have their own batch, of 32 images. A file is left out where its step takes more than a minute of the
processor, as ResNet-34's would, with 396 billion products for the 7.5 of MobileNetV2, or where functions have no body, as byteir's
convolutions. *Heap* is what is allocated at once in a run, by `merge-alloc` alone and after `fit-memory`: arenas, results, and what is in
neither. Where a slice of the arena becomes a buffer and where that ends, it is filled with a pattern. The hashes of all results and
arguments are equal."""

STEPS = [(8, 256, 32)]  # layers, rows and columns
MOST_SECONDS = 60  # of the processor, for a step that is executed
LOWERED = "buffer-deallocation,lower-strided-copies,outline-distinct-views"
ALONE = f"merge-alloc,{LOWERED}"
WITHIN = "merge-alloc{{poison capacity-in-bytes={}}},check-arena-plan," + LOWERED
HOUR = Limits(clock=3600)

REMARK = re.compile(r"arenas of (\d+) bytes, not (\d+)(?:, of which reduce-peak left (\d+))?(?:; ops that run again: (\d+))?"
                    r"(?:; ([0-9.]+) % more time by the model, at least ([0-9.]+) %)?")  # fmt: skip
ERROR = re.compile(r"error: fit-memory: (.*)")


def largest_arena(opt, source):
    """Its function, and its bytes."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        process.call([str(opt), "--allow-unregistered-dialect", str(source), "-o", "/dev/null",
                      f"--pass-pipeline=builtin.module(merge-alloc{{report=json:{report.name}}})"])  # fmt: skip
        arenas = ((a["function"], a["arena_size"]) for a in json.load(report)["arenas"])
        return max(arenas, key=lambda a: a[1], default=("", 0))


def fitted(opt, source, capacity, output=os.devnull):
    """What the pass said, and its seconds."""
    said = process.run([str(opt), "--allow-unregistered-dialect", str(source), "-o", str(output), "--mlir-timing",
                        "--mlir-timing-display=list", "--remarks-filter=fit-memory", "--mlir-disable-threading",
                        f"--pass-pipeline=builtin.module(fit-memory{{capacity-in-bytes={capacity}}})"], limits=HOUR).err  # fmt: skip
    seconds = re.search(r"([0-9.]+) +\([^)]*\) +FitMemory", said)
    return said, f"{float(seconds[1]):.1f}" if seconds else "-"


def row_of(opt, name, source, arena, share, output=os.devnull):
    capacity = int(arena * share)
    tables.say(f"{name} within {tables.count(capacity)} of {tables.count(arena)} bytes ...")
    said, seconds = fitted(opt, source, capacity, output)
    start = (name, tables.count(arena), f"{share:.0%}", tables.count(capacity))
    error = ERROR.search(said)
    if error:
        return (*start, "-", "-", "-", "-", error[1], seconds)
    now, _, reduced, again, more, least = max(REMARK.findall(said), key=lambda m: int(m[1]), default=("0", "0", "", "", "", ""))
    return (*start, tables.count(int(reduced or now)), again or "0", f"{more or 0} %", f"{least or 0} %", tables.count(int(now)), seconds)


def graph_row(line):
    name, nodes, given, least, capacity, cost, bound, whole, outcome, seconds = line.split(",")
    more, floor = (f"{100 * int(part) / int(whole):.2f} %" for part in (cost, bound))
    shown = ("proven" if cost == bound else floor) if outcome == "fits" else outcome
    return (name, nodes, tables.count(int(given)), tables.count(int(least)), tables.count(int(capacity)),
            more if outcome == "fits" else "-", shown, seconds)  # fmt: skip


def graph_text(graph):
    """A graph of MOCCASIN's repository, as budget_bench reads it: nodes in their order, by the numbers that they then have."""
    order = graph["graph"]["order"]
    at, nodes = {name: i for i, name in enumerate(order)}, {n["name"]: n for n in graph["nodes"]}
    reads = {name: [] for name in order}
    for link in graph["links"]:
        reads[link["1"]].append(at[link["0"]])
    lines = [[nodes[n]["out_cost"], nodes[n]["duration"], len(reads[n]), *reads[n]] for n in order]
    return "\n".join(" ".join(map(str, line)) for line in [[len(order)], *lines])


def given_graphs(folder):
    for path in sorted(folder.glob("random_layered_*.json")) if folder else []:
        graph = json.loads(path.read_text())
        yield process.call([places.BUILD / "bin" / "budget_bench", f"MOCCASIN {len(graph['nodes'])}"], text=graph_text(graph)).out


def graph_table(folder):
    done = process.call([places.BUILD / "bin" / "budget_bench"]).out + "".join(given_graphs(folder))
    columns = ["<graph", "nodes", "needs", "a node", "capacity", "more time", "at least", "seconds"]
    return tables.table(columns, [graph_row(line) for line in done.splitlines()])


def tell(row):
    tables.say(" | ".join(map(str, row)))
    return row


def compiled(native, text, function):
    """Loops stay functions, as LLVM takes minutes for a thousand in one."""
    text = text.replace("{llvm.bareptr,", '{passthrough = ["noinline"], llvm.bareptr,')
    return native.counted(callers.with_main(text, function, arguments_too=True))


def executable(native, path, function, passes):
    return compiled(native, native.tools.apply(path, f"builtin.module({passes})"), function)


def steps(args, folder):
    """The files of training steps, and generated ones."""
    for layers, rows, columns in STEPS:
        path = Path(folder, "step.mlir")
        path.write_text(training_step.program(layers, rows, columns))
        yield f"training step {layers}, {rows} x {columns}", path
    yield from (pair for pair in measure.given(args.models) if re.search("train", pair[0]))


def executed_rows(args, native, folder):
    """Raises ToolError where a result differs."""
    for name, path in steps(args, folder):
        function, arena = largest_arena(args.opt, path)
        if not re.search(args.only or "", name) or not arena:
            continue
        if re.search(r"func\.func private @[^{]*\n", path.read_text()):
            tables.say(f"{name} is not executed: it calls functions without a body")
            continue
        first = native.run(executable(native, path, function, ALONE), HOUR.clock, MOST_SECONDS)
        if first.status == -signal.SIGKILL:
            tables.say(f"{name} is not executed: it takes more than {MOST_SECONDS} seconds")
            continue
        for share in args.shares:
            within = Path(folder, "within.mlir")
            _, _, _, capacity, _, again, more, least, then, _ = row_of(args.opt, name, path, arena, share, within)
            if again == "-":
                continue
            passes = WITHIN.format(capacity.replace(",", ""))
            second = native.run(executable(native, within, function, passes), HOUR.clock)
            problem = difference(first, second)
            if problem:
                raise ToolError(f"{name} within {capacity} bytes: {problem}")
            heaps = [tables.count(r.heap.peak_bytes) for r in (first, second)]
            yield tell((name, tables.count(arena), f"{share:.0%}", capacity, then, again, more, least, *heaps))


def executed_table(args, tools, folder):
    columns = ["<network", "arena", "share", "capacity", "arena then", "ops again", "more time", "at least", "heap", "heap then"]
    return tables.table(columns, list(executed_rows(args, Native(tools), folder)))


def sources_of(args, tools, folder):
    for network in networks.BRANCHY:
        if re.search(args.only or "", network):
            path = Path(folder, "generated.mlir")
            path.write_text(networks.bufferized(tools, *network.split()))
            yield network, path
    if args.models.is_dir():
        yield from (pair for pair in measure.given(args.models) if re.search(args.only or "train", pair[0]))
    else:
        tables.say("skipped: there is no ../shared/data/models; the generated networks alone")


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--only", help="networks whose name matches this regular expression (default: generated ones and training steps)")
    parser.add_argument("--graphs", type=Path, help="a folder of random_layered_*.json, as in `data` of MOCCASIN's repository")
    parser.add_argument("--executed", action="store_true", help="only the table of what is executed")
    parser.add_argument("--shares", type=float, nargs="*", default=[0.7, 0.5])
    args = parser.parse_args()
    tools, rows = Tools(opt=args.opt), []
    with tempfile.TemporaryDirectory() as folder:
        executed = executed_table(args, tools, folder)
        if args.executed:
            tables.write(args.output, executed)
            return 0
        for name, path in sources_of(args, tools, folder):
            _, arena = largest_arena(tools.opt, path)
            rows += [tell(row_of(tools.opt, name, path, arena, share)) for share in args.shares if arena]
    columns = ["<network", "arena", "share", "capacity", "reduced", "ops again", "more time", "at least", "arena then", "seconds"]
    tables.write(args.output, "\n\n".join([HEAD] * bool(args.output) + [tables.table(columns, rows), EXECUTED, executed, GRAPHS, graph_table(args.graphs)]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"budget: {error}", file=sys.stderr)
        sys.exit(2)
