#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of whole networks, row by row and op by op.

    python3 -m bench.rows.times [--output FILE] [--seconds N] [--pairs N] [--only RE] [--with PASSES]

Networks of examples/generate.py in one arena, op by op and after other passes (reduce-peak), compiled with -O2: to plain loops,
to vectors by convert-linalg-to-vectors, and to vectors that fuse products with sums. The outputs of the first four programs are
compared bit for bit, and those of the last two. bench/pairs.py says how times are taken.
"""

import math
import re
import sys

from bench import measure, pairs
from bench.arena.networks import arenas_of, bytes_of
from testing import tables
from testing.execute import Tools
from testing.native import Native

ALONE, SMALLEST = "merge-alloc", "reduce-peak,merge-alloc"
NETWORKS = [
    "ds-cnn", "resnet8", "person-detection", "lenet", "decoder", "mobilenetv1 --layout nchw", "mobilenetv1", "mobilenetv2",
    "mobilenetv2 --type i8", "unet", "transformer", "attention", "resnet50 --type i8", "resnet50", "bert-base",
    "unet --size 256 --channels 64 --levels 4",
]  # fmt: skip


def measured(native, network, args):
    """Arenas of both forms, and times by lowering."""
    memrefs = pairs.bufferized(native.tools, network)
    forms = (ALONE, args.passes)
    arenas = [bytes_of(arenas_of(native.tools, memrefs, passes), "forward") for passes in forms]
    return arenas, pairs.lowered(native, pairs.forms(native.tools, memrefs, forms), args, names=pairs.LOWERINGS)


def row(network, arenas, times):
    cells = [network, *map(tables.count, arenas)]
    for both in times.values():
        cells += ["–"] * 3 if not both else [
            f"{1000 * min(both.first):.3f}", f"{1000 * min(both.second):.3f}", f"{both.median():.3f}"]  # fmt: skip
    print(" ".join(cells), *(len(both.first) for both in times.values() if both), file=sys.stderr, flush=True)
    return cells


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def means(found):
    """The last cells, of all networks."""
    for name in pairs.LOWERINGS:
        yield from ("", "", f"{mean([times[name].median() for times in found if times[name]]):.3f}")


def main():
    parser = measure.arguments(__doc__)
    pairs.arguments(parser)
    parser.add_argument("--only", default="", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="passes", default=SMALLEST, metavar="PASSES", help=f"default: {SMALLEST}")
    args = parser.parse_args()
    native, rows, found = Native(Tools(opt=args.opt)), [], []
    for network in NETWORKS:
        if re.search(args.only, network):
            arenas, times = measured(native, network, args)
            rows.append(row(network, arenas, times))
            found.append(times)
    columns = [f"{name}, ms|reduced, ms|ratio" for name in pairs.LOWERINGS]
    shown = tables.table(["<network", "arena", "reduced", *"|".join(columns).split("|")],
                         [*rows, ["geometric mean", "", "", *means(found)]])  # fmt: skip
    head = "# The time of streams\n\n" + HEAD.format(machine=tables.machine(), passes=args.passes, limit=pairs.LIMIT)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)


HEAD = """\
Written by `python3 -m bench.rows.times --output FILE`.

{machine}

Networks in one arena, after `merge-alloc` alone and, *reduced*, after `{passes}`; compiled with -O2 for this machine: to plain
loops, to vectors by `convert-linalg-to-vectors`, and, *contract*, to vectors with its option `contract`, which fuses products with
sums. The outputs of the first four programs are equal bit for bit, and so are those of the last two. A dash: a program takes more
than {limit} seconds.

- arena, reduced: bytes
- ms: milliseconds of one run, the least
- ratio: of reduced to unreduced time, the median of pairs that ran one after the other; below 1 the streams are faster"""

if __name__ == "__main__":
    main()
