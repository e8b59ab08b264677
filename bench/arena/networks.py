#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of examples/generate.py right after bufferization: their arenas, and what other passes make of them.

    python3 -m bench.arena.networks --output bench/networks.md
    python3 -m bench.arena.networks --only 'resnet8|ds-cnn' --with 'hoist-allocations,merge-alloc' --run

--with adds a column for each pipeline that has merge-alloc or buffer-reuse in it: the arena of the network's
function, and its share of merge-alloc's alone. --run executes the network in one arena and after each pipeline,
compares the outputs bit for bit, and gives bytes on the heap and seconds; large networks take minutes.
"""

import json
import re
import sys
import tempfile

from bench import measure
from testing import networks, tables
from testing.execute import Tools, difference
from testing.process import ToolError

ALONE = "merge-alloc"


def arenas_of(tools, memrefs, passes):
    """What the pass reports of forward's arenas, and the IR."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        pipeline, asked = re.subn(r"\b(merge-alloc|buffer-reuse)(?:\{(.*?)\})?", rf'\1{{\2 report="json:{report.name}"}}',
                                  passes)  # fmt: skip
        if not asked:
            raise ToolError(f"{passes}: neither merge-alloc nor buffer-reuse is in it")
        after = tools.apply(memrefs, f"builtin.module({pipeline})")
        return [a for a in json.load(report)["arenas"] if a["function"] == "forward"], after


def bytes_of(arenas):
    return sum(a["arena_size"] for a in arenas if not a["within"])


def sizes_of(arenas):
    return sorted((b["size"] for a in arenas for b in a["buffers"]), reverse=True)


def run_rows(tools, network, programs, rounds):
    """A row per program, each compared with the first. Rounds run one after the other, so that what else the
    machine does falls on all programs alike; the least time counts."""
    lowered = {passes: tools.lower(text) for passes, text in programs.items()}
    runs = {passes: tools.execute(program, level=2, timeout=3600) for passes, program in lowered.items()}
    first = next(iter(runs.values()))
    for passes, run in runs.items():
        problem = difference(first, run)
        if problem:
            raise ToolError(f"{network}, {passes}: {problem}")
    seconds = [{passes: tools.execute(program, level=2, poison=False, timeout=3600).measures["seconds"]
                for passes, program in lowered.items()} for _ in range(rounds)]  # fmt: skip
    least = {passes: min(one[passes] for one in seconds) for passes in lowered}
    return [(network, f"`{passes}`", tables.count(run.heap.peak_bytes), f"{least[passes]:.4f}",
             tables.ratio(least[passes], least[next(iter(runs))])) for passes, run in runs.items()]  # fmt: skip


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--only", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="more", action="append", default=[], metavar="PASSES")
    parser.add_argument("--run", action="store_true", help="execute them")
    parser.add_argument("--rounds", type=int, default=3, help="of runs that are timed (default: 3)")
    args = parser.parse_args()
    tools, rows, ran = Tools(opt=args.opt), [], []
    for network in [n for n in networks.EVERY if re.search(args.only or "", n)]:
        tables.say(network)
        memrefs = networks.bufferized(tools, *network.split(), *["--runs", "3"] * args.run)
        found = {passes: arenas_of(tools, memrefs, passes) for passes in [ALONE, *args.more]}
        alone, sizes = bytes_of(found[ALONE][0]), sizes_of(found[ALONE][0])
        rows.append((network, len(sizes), tables.count(sum(sizes)), tables.count(alone),
                     " + ".join(map(tables.count, sizes[:2])),
                     *(f"{tables.count(bytes_of(found[p][0]))} ({tables.ratio(bytes_of(found[p][0]), alone)})"
                       for p in args.more)))  # fmt: skip
        if args.run:
            ran += run_rows(tools, network, {p: text for p, (_, text) in found.items()}, args.rounds)
    columns = ["<network", "buffers", "their bytes", "arena", "the two largest", *(f"`{p}`" for p in args.more)]
    parts = ["# Networks\n\nWritten by `python3 -m bench.arena.networks`, which says what is measured."] if args.output else []
    parts.append(tables.table(columns, rows))
    if ran:
        parts.append(tables.table(["<network", "<passes", "bytes at the peak", "seconds", "of the first"], ran))
    tables.write(args.output, "\n\n".join(parts))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"networks: {error}", file=sys.stderr)
        sys.exit(2)
