#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of whole networks, row by row and op by op.

    python3 -m bench.rows.times [--output FILE] [--rounds N] [--only RE] [--with PASSES]

Networks of examples/generate.py in one arena, with stream-rows and without, lowered alike to plain loops and
executed by the JIT with -O2. Outputs are compared bit for bit. Programs take turns, round after round; the least
time of each counts.
"""

import math
import re
import sys

from bench import measure
from testing import networks, tables
from testing.execute import Tools, difference
from testing.process import ToolError

ALONE, STREAMED = "merge-alloc", "stream-rows,merge-alloc"
NETWORKS = {  # and how often the network runs in a program; the fastest run counts
    "ds-cnn": 1000,
    "resnet8": 300,
    "person-detection": 500,
    "lenet": 2000,
    "mobilenetv1": 5,
    "mobilenetv2": 10,
    "mobilenetv2 --type i8": 10,
    "unet": 20,
    "transformer": 8,
    "attention": 20,
    "resnet50 --type i8": 2,
    "resnet50": 1,
    "bert-base": 1,
}


def programs(tools, network, pipelines):
    memrefs = networks.bufferized(tools, *network.split(), "--runs", str(NETWORKS[network]))
    return [tools.lower(tools.apply(memrefs, f"builtin.module({passes})")) for passes in pipelines]


def least_seconds(tools, lowered, rounds):
    runs = [tools.execute(program, level=2, timeout=3600) for program in lowered]
    problem = difference(*runs)
    if problem:
        raise ToolError(problem)
    seconds = [[tools.execute(program, level=2, poison=False, timeout=3600).measures["seconds"] for program in lowered]
               for _ in range(rounds)]  # fmt: skip
    return [min(times) for times in zip(*seconds)], [run.heap.peak_bytes for run in runs]


def row(tools, network, pipelines, rounds):
    times, peaks = least_seconds(tools, programs(tools, network, pipelines), rounds)
    ratio = times[1] / times[0]
    print(f"{network}: {ratio:.3f}", file=sys.stderr)
    return [network, *map(tables.count, peaks), *(f"{t:.5f}" for t in times), f"{ratio:.3f}"], ratio


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="passes", default=STREAMED, metavar="PASSES", help=f"default: {STREAMED}")
    args = parser.parse_args()
    tools = Tools(opt=args.opt)
    rows = [row(tools, n, (ALONE, args.passes), args.rounds) for n in NETWORKS if re.search(args.only, n)]
    mean = math.exp(sum(math.log(ratio) for _, ratio in rows) / len(rows))
    shown = tables.table(["<network", "peak", "streamed", "seconds", "streamed", "ratio"],
                         [cells for cells, _ in rows] + [["geometric mean", "", "", "", "", f"{mean:.3f}"]])  # fmt: skip
    head = "# The time of streams\n\n" + HEAD.format(machine=tables.machine(), passes=args.passes)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)


HEAD = """\
Written by `python3 -m bench.rows.times --output FILE`.

{machine}

Networks in one arena, after `merge-alloc` and after `{passes}`: bytes on the heap at the peak, and seconds of one
run, both lowered to plain loops and compiled with -O2. Outputs are equal bit for bit. Programs take turns; the
least time of each counts."""

if __name__ == "__main__":
    main()
