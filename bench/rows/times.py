#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of whole networks, row by row and op by op.

    python3 -m bench.rows.times [--output FILE] [--seconds N] [--pairs N] [--only RE] [--with PASSES]

Networks of examples/generate.py in one arena, with stream-rows and without, lowered alike and compiled with -O2: to
plain loops, and to loops that MLIR's affine-super-vectorize makes vectors of. All outputs are compared bit for bit.

Times are the processor's. The two programs of a lowering take turns, and who is first changes with each pair, so that a slow moment of the machine
hits both. Each pair has a ratio, of which the median counts. A lowering of a network gets at least three pairs, more
while they take fewer seconds than --seconds. With the defaults all takes about ten minutes.
"""

import math
import re
import statistics
import sys
import time
from dataclasses import dataclass

from bench import measure
from testing import networks, tables
from testing.execute import Tools, difference
from testing.native import Native
from testing.process import ToolError

ALONE, STREAMED = "merge-alloc", "stream-rows,merge-alloc"
NETWORKS = {  # and how often the network runs in a program; the fastest run counts
    "ds-cnn": 150,
    "resnet8": 30,
    "person-detection": 40,
    "lenet": 1000,
    "decoder": 4,
    "mobilenetv1 --layout nchw": 1,
    "mobilenetv1": 1,
    "mobilenetv2": 1,
    "mobilenetv2 --type i8": 1,
    "unet": 2,
    "transformer": 1,
    "attention": 2,
    "resnet50 --type i8": 1,
    "resnet50": 1,
    "bert-base": 1,
}
VECTORS = "builtin.module(convert-linalg-to-affine-loops,func.func(affine-super-vectorize{virtual-vector-size=8}))"
LEAST_PAIRS = 3


@dataclass
class Times:
    """Of one lowering."""

    alone: list
    streamed: list

    def least(self):
        return min(self.streamed) / min(self.alone)

    def ratios(self):
        return sorted(b / a for a, b in zip(self.alone, self.streamed))

    def median(self):
        return statistics.median(self.ratios())

    def spread(self):
        """Of the middle half of the ratios."""
        low, _, high = statistics.quantiles(self.ratios(), n=4, method="inclusive")
        return high - low


def seconds_of(native, program):
    run = native.run(program, timeout=3600)
    if run.fault():
        raise ToolError(run.fault())
    return run.measures["seconds"]


def times_of(native, programs, seconds, most):
    """Of an unstreamed and a streamed program, in pairs."""
    times, begun = Times([], []), time.monotonic()
    while len(times.alone) < LEAST_PAIRS or (len(times.alone) < most and time.monotonic() - begun < seconds):
        both = [(programs[0], times.alone), (programs[1], times.streamed)]
        for program, to in both if len(times.alone) % 2 == 0 else both[::-1]:
            to.append(seconds_of(native, program))
    return times


def vectorized(tools, forms):
    """None where MLIR's pass makes IR that it refuses itself, as of convolutions with channels in front."""
    try:
        return [tools.apply(form, VECTORS, opt=tools.mlir_opt) for form in forms]
    except ToolError as error:
        if "should not have broadcast dimensions" not in str(error):
            raise
        return []


def built(native, network, pipelines):
    """Executables of plain loops, and of vectors where those can be made; all of them print the same."""
    tools, arguments = native.tools, network.split()
    memrefs = networks.bufferized(tools, *arguments, "--runs", str(NETWORKS[network]))
    forms = [tools.apply(memrefs, f"builtin.module({passes})") for passes in pipelines]
    loops = [native.optimized(form, cpu="native") for form in forms]
    vectors = [native.optimized(form, cpu="native") for form in vectorized(tools, forms)]
    runs = [native.run(program, timeout=3600) for program in loops + vectors]
    for run in runs[1:]:
        problem = difference(runs[0], run)
        if problem:
            raise ToolError(f"{network}: {problem}")
    return loops, vectors


def row(native, network, args):
    both = [times_of(native, programs, args.seconds, args.pairs) if programs else None
            for programs in built(native, network, (ALONE, args.passes))]  # fmt: skip
    cells = [network]
    for times in both:
        cells += ["–"] * 4 if times is None else [
            f"{min(times.alone):.5f}", f"{times.median():.3f}", f"{times.least():.3f}", f"{times.spread():.3f}"]  # fmt: skip
    print(" ".join(cells), *(len(times.alone) for times in both if times), file=sys.stderr, flush=True)
    return cells, both


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def means(both):
    """Cells of a lowering, of all networks."""
    both = [times for times in both if times]
    return ["", f"{mean([times.median() for times in both]):.3f}", f"{mean([times.least() for times in both]):.3f}", ""]


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="of the pairs of a lowering, beyond the first three")
    parser.add_argument("--pairs", type=int, default=15, help="at most")
    parser.add_argument("--only", default="", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="passes", default=STREAMED, metavar="PASSES", help=f"default: {STREAMED}")
    args = parser.parse_args()
    native = Native(Tools(opt=args.opt))
    rows = [row(native, n, args) for n in NETWORKS if re.search(args.only, n)]
    last = ["geometric mean", *(cell for of in zip(*(both for _, both in rows)) for cell in means(of))]
    shown = tables.table(["<network", *["loops, s", "ratio", "of least", "spread"],
                          *["vectors, s", "ratio", "of least", "spread"]],
                         [cells for cells, _ in rows] + [last])  # fmt: skip
    head = "# The time of streams\n\n" + HEAD.format(machine=tables.machine(), passes=args.passes)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)


HEAD = """\
Written by `python3 -m bench.rows.times --output FILE`.

{machine}

Networks in one arena, after `{passes}` and after `merge-alloc` alone, lowered alike and compiled with -O2 for this machine: to
plain loops, and through `convert-linalg-to-affine-loops` and `affine-super-vectorize`. Outputs of all four programs are equal bit for bit.

A dash: `affine-super-vectorize` makes IR of the network that MLIR's verifier refuses, streamed or not. It makes vectors
of memrefs whose layout is the identity only. A slice of rows that are not one run of bytes, such as of a matrix's
columns or of the heads of an attention, is none, so loops over it stay as they are.

- s: seconds of one run as `merge-alloc` alone leaves it, the least
- ratio: of streamed to unstreamed time, the median of pairs that ran one after the other; below 1 the streams are faster
- of least: the ratio of the least times
- spread: by how much the middle half of the ratios differs"""

if __name__ == "__main__":
    main()
