#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of whole networks, row by row and op by op.

    python3 -m bench.rows.times [--output FILE] [--rounds N] [--only RE] [--with PASSES]

Networks of examples/generate.py in one arena, with stream-rows and without, lowered alike to plain loops and
executed by the JIT with -O2. Outputs are compared bit for bit. Programs take turns, round after round. Times are the
processor's, so that others may use the machine; of each program the least and the median are compared.
"""

import math
import re
import statistics
import sys
from dataclasses import dataclass

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
    "decoder": 200,
    "mobilenetv1 --layout nchw": 5,
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


@dataclass
class Times:
    least: float
    median: float
    spread: float  # of the middle half of the runs, as a share of the median

    @staticmethod
    def of(seconds):
        quarters = statistics.quantiles(seconds, n=4, method="inclusive")
        return Times(min(seconds), quarters[1], (quarters[2] - quarters[0]) / quarters[1])


def times_of(tools, lowered, rounds):
    """(Times of each program, bytes at the peak of each)"""
    runs = [tools.execute(program, level=2, timeout=3600) for program in lowered]
    problem = difference(*runs)
    if problem:
        raise ToolError(problem)
    seconds = [[tools.execute(program, level=2, poison=False, timeout=3600).measures["seconds"] for program in lowered]
               for _ in range(rounds)]  # fmt: skip
    return [Times.of(times) for times in zip(*seconds)], [run.heap.peak_bytes for run in runs]


def row(tools, network, pipelines, rounds):
    (alone, streamed), peaks = times_of(tools, programs(tools, network, pipelines), rounds)
    ratios = streamed.least / alone.least, streamed.median / alone.median
    cells = [network, *map(tables.count, peaks), f"{alone.least:.5f}", f"{streamed.least:.5f}",
             *(f"{ratio:.3f}" for ratio in ratios), f"{max(alone.spread, streamed.spread):.1%}"]  # fmt: skip
    print(" ".join(cells), file=sys.stderr, flush=True)
    return cells, ratios


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="passes", default=STREAMED, metavar="PASSES", help=f"default: {STREAMED}")
    args = parser.parse_args()
    tools = Tools(opt=args.opt)
    rows = [row(tools, n, (ALONE, args.passes), args.rounds) for n in NETWORKS if re.search(args.only, n)]
    means = [f"{mean([ratios[i] for _, ratios in rows]):.3f}" for i in (0, 1)]
    shown = tables.table(["<network", "peak", "streamed", "seconds", "streamed", "ratio", "of medians", "spread"],
                         [cells for cells, _ in rows] + [["geometric mean", "", "", "", "", *means, ""]])  # fmt: skip
    head = "# The time of streams\n\n" + HEAD.format(machine=tables.machine(), passes=args.passes)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)


HEAD = """\
Written by `python3 -m bench.rows.times --output FILE`.

{machine}

Networks in one arena, after `merge-alloc` and after `{passes}`: bytes on the heap at the peak, and seconds of one
run by the processor, both lowered to plain loops and compiled with -O2. Outputs are equal bit for bit. Programs take
turns; the table has the least time of each, the ratio of these, that of the medians, and by how much the middle half
of the rounds differs."""

if __name__ == "__main__":
    main()
