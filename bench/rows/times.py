#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of whole networks, row by row and op by op.

    python3 -m bench.rows.times [--output FILE] [--seconds N] [--pairs N] [--only RE] [--with PASSES]

Networks of examples/generate.py in one arena, with stream-rows and without, lowered alike and compiled with -O2: to
plain loops, and with the tiling and the vectorizer that upstream has for linalg (vectors.py). The outputs of all four
programs are compared bit for bit. bench/pairs.py says how times are taken. With the defaults all takes about ten
minutes.
"""

import math
import re
import sys

from bench import measure, pairs
from testing import tables
from testing.execute import Tools
from testing.native import Native

ALONE, STREAMED = "merge-alloc", "stream-rows,merge-alloc"
NETWORKS = [
    "ds-cnn", "resnet8", "person-detection", "lenet", "decoder", "mobilenetv1 --layout nchw", "mobilenetv1", "mobilenetv2",
    "mobilenetv2 --type i8", "unet", "transformer", "attention", "resnet50 --type i8", "resnet50", "bert-base",
]  # fmt: skip


def row(native, network, args):
    both = pairs.lowered_twice(native, pairs.forms(native.tools, pairs.bufferized(native.tools, network), (ALONE, args.passes)), args)
    cells = [network]
    for times in both:
        cells += ["–"] * 4 if not times else [
            f"{1000 * min(times.first):.3f}", f"{times.median():.3f}", f"{times.least():.3f}", f"{times.spread():.3f}"]  # fmt: skip
    print(" ".join(cells), *(len(times.first) for times in both if times), file=sys.stderr, flush=True)
    return cells, both


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def means(both):
    """Cells of a lowering, of all networks."""
    both = [times for times in both if times]
    return ["", f"{mean([times.median() for times in both]):.3f}", f"{mean([times.least() for times in both]):.3f}", ""]


def main():
    parser = measure.arguments(__doc__)
    pairs.arguments(parser)
    parser.add_argument("--only", default="", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="passes", default=STREAMED, metavar="PASSES", help=f"default: {STREAMED}")
    args = parser.parse_args()
    native = Native(Tools(opt=args.opt))
    rows = [row(native, n, args) for n in NETWORKS if re.search(args.only, n)]
    last = ["geometric mean", *(cell for of in zip(*(both for _, both in rows)) for cell in means(of))]
    shown = tables.table(["<network", *["loops, ms", "ratio", "of least", "spread"],
                          *["vectors, ms", "ratio", "of least", "spread"]],
                         [cells for cells, _ in rows] + [last])  # fmt: skip
    head = "# The time of streams\n\n" + HEAD.format(machine=tables.machine(), passes=args.passes, limit=pairs.LIMIT)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)


HEAD = """\
Written by `python3 -m bench.rows.times --output FILE`.

{machine}

Networks in one arena, after `{passes}` and after `merge-alloc` alone, lowered alike and compiled with -O2 for this machine: to
plain loops, and to vectors by `transform.structured.tile_using_for` and `transform.structured.vectorize`
([vectors.py](rows/vectors.py) chooses the tiles). Multiplications are not fused with additions: the outputs of all four programs
are equal bit for bit. A dash: a program takes more than {limit} seconds.

- ms: milliseconds of one run as `merge-alloc` alone leaves it, the least
- ratio: of streamed to unstreamed time, the median of pairs that ran one after the other; below 1 the streams are faster
- of least: the ratio of the least times
- spread: by how much the middle half of the ratios differs"""

if __name__ == "__main__":
    main()
