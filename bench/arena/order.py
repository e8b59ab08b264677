#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What order-for-memory makes of whole networks: bytes alive at the worst moment, and the arena.

    python3 -m bench.arena.order --output bench/order.md
    python3 -m bench.arena.order --only 'nasnet|randwire'
    python3 -m bench.arena.order --graphs-only --graphs 50

Networks with branches and others of examples/generate.py, and the files NAME.memref.mlir of --models, where that folder is. Of each, the
block of `forward`, or of the function with the largest arena, in which most is alive; alone, and after elide-copies. `as written` to
`bound` are bytes of planned buffers that are alive at once: as the ops stand, in reverse post-order from the results, in the order that
was found, and what no order is below. Seconds are those of order-for-memory in the time that the passes take, on an IR that is read already.

Then random series-parallel graphs (series_parallel.py), --graphs of each size and form: how many are proven, and the peaks' sums.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from bench import measure
from bench.arena.series_parallel import Graph
from testing import networks, process, tables
from testing.execute import Tools
from testing.process import ToolError


HEAD = """# Orders

Written by `python3 -m bench.arena.order`.

Bytes of planned buffers that are alive at once: in the order of the ops *as written*, in *reverse post-order* from the results, and in the
order that was *found*; and the *bound* that no order is below. Then the arena of the function, before and after; *factor* is before divided by
after. *Before* is the pass that ran first. [order-for-memory](../docs/order-for-memory.md) says how orders are found."""


def applied(opt, source, before):
    """The pass's report, and its seconds."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        done = process.call([str(opt), "--allow-unregistered-dialect", str(source), "-o", "/dev/null", "--mlir-timing",
                             "--mlir-timing-display=list", "--mlir-disable-threading",
                             f"--pass-pipeline=builtin.module({before}order-for-memory{{report=json:{report.name}}})"])  # fmt: skip
        seconds = re.search(r"([0-9.]+) +\([^)]*\) +OrderForMemory", done.err)
        return json.load(report), float(seconds[1]) if seconds else None


def row_of(name, before, report, seconds):
    function = max(report["functions"], key=lambda f: (f["function"] == "forward", f["arena_before"]), default=None)
    if not function or not function["blocks"]:
        return None
    block = max(function["blocks"], key=lambda b: b["before"])
    least = min(function["arena_before"], function["arena_after"])
    return (name, before.rstrip(",") or "-", block["ops"], *(tables.count(block[k]) for k in ("before", "post_order", "after", "bound")),
            "yes" if block["after"] == block["bound"] else "no", tables.count(function["arena_before"]), tables.count(least),
            f"{function['arena_before'] / least:.2f}", f"{seconds:.2f}")  # fmt: skip


SIZES = (60, 100, 200, 500)
FIRST_SEED = 5000


def graph_row(tools, apart, ops, graphs, folder):
    """Of as many graphs: what is proven, and sums over all."""
    path, blocks, slowest = Path(folder, "graph.mlir"), [], 0
    for seed in range(FIRST_SEED, FIRST_SEED + graphs):
        path.write_text(Graph(seed, ops, apart).text())
        report, seconds = applied(tools.opt, path, "")
        blocks.append(report["functions"][0]["blocks"][0])
        slowest = max(slowest, seconds)
    proven = sum(b["after"] == b["bound"] for b in blocks)
    sums = [tables.count(sum(b[k] for b in blocks)) for k in ("before", "post_order", "after", "bound")]
    return "edge" if apart else "op", ops, graphs, proven, *sums, f"{slowest:.2f}"


def graph_table(tools, graphs):
    with tempfile.TemporaryDirectory() as folder:
        rows = [graph_row(tools, apart, ops, graphs, folder) for apart in (True, False) for ops in SIZES]
    head = ("Random series-parallel graphs, sums over all graphs of a size. With a buffer per edge a best order is known to be computable; "
            "with one per op all branches read the same.")  # fmt: skip
    columns = ["<a buffer per", "ops", "graphs", "proven", "as written", "reverse post-order", "found", "bound", "seconds of the slowest"]
    return f"{head}\n\n{tables.table(columns, rows)}"


def sources_of(args, tools, folder):
    for network in [*networks.BRANCHY, *networks.EVERY]:
        if re.search(args.only or "", network):
            path = Path(folder, "generated.mlir")
            path.write_text(networks.bufferized(tools, *network.split()))
            yield network, path
    if args.models.is_dir():
        yield from measure.given(args.models)
    else:
        tables.say("skipped: there is no ../shared/data/models; the generated networks alone")


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--only", help="networks whose name matches this regular expression")
    parser.add_argument("--graphs", type=int, default=50, help="series-parallel graphs of each size (default: 50)")
    parser.add_argument("--graphs-only", action="store_true", help="no networks")
    args = parser.parse_args()
    tools, rows = Tools(opt=args.opt), []
    if args.graphs_only:
        print(graph_table(tools, args.graphs))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in sources_of(args, tools, folder):
            if not re.search(args.only or "", name):
                continue
            tables.say(name)
            rows += [row_of(name, before, *applied(tools.opt, path, before)) for before in ("", "elide-copies,")]
    columns = ["<network", "<before", "ops", "as written", "reverse post-order", "found", "bound", "proven", "arena as written",
               "arena", "factor", "seconds"]  # fmt: skip
    tables.write(args.output, "\n\n".join([HEAD] * bool(args.output) + [tables.table(columns, [r for r in rows if r]),
                                     *([] if args.only else [graph_table(tools, args.graphs)])]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"order: {error}", file=sys.stderr)
        sys.exit(2)
