#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streaming fusion beside upstream's affine-loop-fusion, on networks of examples/generate.py.

    python3 -m bench.taskflow.networks [--output bench/taskflow.md] [--small] [NETWORK ...]

Each network is bufferized and lowered to affine loops; all variants start from the same IR.
Tasks (loop nests at a function's top), bytes of the buffers that they use, and loads and
stores by trip count are those of @forward, as memory-access-streaming-fusion reports them. Each
variant is executed, and its output compared with the unfused one's, bit for bit.

--small takes sizes that a test has time for, and fails where our own output differs.
"""

import sys

from bench import measure
from testing import networks, tables
from testing.execute import Tools, difference
from testing.process import ToolError
from testing.taskflow import BACK, FUSE, TO, fuse

NETWORKS = {
    "lenet": ["lenet"],
    "attention": ["attention"],
    "mlp": ["mlp", "--dynamic", "1"],
    "mobilenetv2": ["mobilenetv2", "--size", "32", "--width", "0.25"],
}
SMALL = {
    "lenet": ["lenet"],
    "attention": ["attention", "--sequence", "12", "--hidden", "16"],
    "mlp": ["mlp", "--dynamic", "1", "--batch", "3", "--inputs", "20", "--hidden", "12", "--layers", "2"],
}
AFFINE = "func.func(convert-linalg-to-affine-loops),fold-memref-alias-ops,canonicalize,cse"
TASKS = f"{TO}{{copies}}"
LOOPS = f"{BACK},canonicalize,cse"
PLAN = "buffer-deallocation-pipeline,func.func(optimize-allocation-liveness),buffer-reuse"
VARIANTS = {
    "as lowered": "",
    "streaming fusion, equal bounds only": f"{TASKS},{FUSE}{{allow-permutation=false allow-reduction=false}},{LOOPS}",
    "streaming fusion": f"{TASKS},{FUSE},{LOOPS}",
    "affine-loop-fusion": "func.func(affine-loop-fusion),canonicalize,cse",
    "affine-loop-fusion, maximal": "func.func(affine-loop-fusion{maximal}),canonicalize,cse",
}


def figures(tools, text):
    """Of @forward as it is: a report of a pass that may do nothing."""
    functions, _ = fuse(tools, text, "max-rounds=0", TASKS)
    return next(f["before"] for f in functions if f["function"] == "forward")


def rows_of(tools, arguments):
    memrefs = networks.bufferized(tools, *arguments)
    affine = tools.apply(memrefs, f"builtin.module({AFFINE})", opt=tools.mlir_opt)
    first, rows = None, []
    for label, pipeline in VARIANTS.items():
        text = tools.apply(affine, f"builtin.module({pipeline})") if pipeline else affine
        planned = tools.apply(text, f"builtin.module({PLAN})")
        run = tools.run(planned, level=2, timeout=600)
        first = first or run
        rows.append((label, figures(tools, text), run.heap.peak_bytes, difference(first, run)))
    return rows


def table(name, arguments, rows):
    lines = [f"## {name}", "", f"`examples/generate.py {' '.join(arguments)}`", "",
             "| | nests | bytes of buffers | peak with buffer-reuse | loads | stores | output |",
             "|---|---|---|---|---|---|---|"]
    for label, f, peak, problem in rows:
        more = "" if f["exact"] else " *"
        output = "DIFFERS" if problem else "equal"
        lines.append(f"| {label} | {f['tasks']} | {f['bytes']:,}{more} | {peak:,} | {f['loads']:,}{more} "
                     f"| {f['stores']:,}{more} | {output} |")
    return "\n".join(lines)


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(NETWORKS))
    args = parser.parse_args()
    tools = Tools(opt=args.opt)
    chosen, parts, wrong = SMALL if args.small else NETWORKS, [], False
    for name in args.networks or chosen:
        rows = rows_of(tools, chosen[name])
        parts.append(table(name, chosen[name], rows))
        wrong |= any(problem for label, _, _, problem in rows if label.startswith("streaming"))
    tables.write(args.output, "\n\n".join(["# Streaming fusion of whole networks", HEAD, *parts]))
    return 1 if wrong else 0


HEAD = """\
Written by `python3 -m bench.taskflow.networks`, which `make bench` runs. All rows of a table start from the same affine loops. Nests, bytes, loads and
stores are those of `@forward`, loads and stores by trip count; with *, what is known at run time only is not
in the bytes, and counts as one iteration. The peak is what an execution's allocator counted after
`buffer-deallocation-pipeline`, `optimize-allocation-liveness` and `buffer-reuse`. The output is compared with
that of the first row, bit for bit."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
