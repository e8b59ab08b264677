#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of examples/generate.py right after bufferization: their arenas, and what other passes make of them.

    python3 -m bench.arena.networks --output bench/networks.md
    python3 -m bench.arena.networks --only 'resnet8|ds-cnn' --with 'hoist-allocations,merge-alloc' --time

--with adds a column for each pipeline that has merge-alloc or buffer-reuse in it: the arena of the network's
function, and its share of merge-alloc's alone. --time executes the network in one arena and after the last pipeline, as
loops and as vectors (bench/pairs.py), compares the outputs bit for bit, and gives the ratios of the times.
"""

import json
import re
import sys
import tempfile

from bench import measure, pairs
from testing import networks, tables
from testing.execute import Tools
from testing.native import Native
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


def ratios_of(native, network, passes, args):
    """Of the time after the passes to that of merge-alloc alone."""
    both = pairs.lowered_twice(native, pairs.forms(native.tools, network, (ALONE, passes)), args)
    return [f"{times.median():.3f}" if times else "–" for times in both]


HEAD = """\
# Networks

Written by `python3 -m bench.arena.networks`, which says what is measured.

{machine}

- arena: of `merge-alloc` alone, which plans op by op. In the columns behind it, as a share of that, the arena after other passes
- loops, vectors: the time of a run after the last of these, as a share of that after `merge-alloc` alone; lowered alike, to plain
  loops and by upstream's vectorizer of linalg. Outputs are equal bit for bit. A dash: a program of loops takes more than {limit} seconds"""


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--only", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="more", action="append", default=[], metavar="PASSES")
    parser.add_argument("--time", action="store_true", help="execute them, once per pipeline")
    pairs.arguments(parser)
    args = parser.parse_args()
    native, rows = Native(Tools(opt=args.opt)), []
    for network in [n for n in networks.EVERY if re.search(args.only or "", n)]:
        memrefs = networks.bufferized(native.tools, *network.split())
        found = {passes: arenas_of(native.tools, memrefs, passes) for passes in [ALONE, *args.more]}
        alone, sizes = bytes_of(found[ALONE][0]), sizes_of(found[ALONE][0])
        rows.append((network, len(sizes), tables.count(sum(sizes)), tables.count(alone),
                     " + ".join(map(tables.count, sizes[:2])),
                     *(f"{tables.count(bytes_of(found[p][0]))} ({tables.ratio(bytes_of(found[p][0]), alone)})"
                       for p in args.more),
                     *(ratios_of(native, network, args.more[-1], args) if args.time else [])))  # fmt: skip
        tables.say(" ".join(map(str, rows[-1])))
    columns = ["<network", "buffers", "their bytes", "arena", "the two largest", *(f"`{p}`" for p in args.more),
               *(["loops", "vectors"] if args.time else [])]  # fmt: skip
    parts = [HEAD.format(machine=tables.machine(), limit=pairs.LIMIT)] if args.output else []
    parts.append(tables.table(columns, rows))
    tables.write(args.output, "\n\n".join(parts))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"networks: {error}", file=sys.stderr)
        sys.exit(2)
