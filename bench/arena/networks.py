#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks right after bufferization: their arenas, and what other passes make of them.

    python3 -m bench.arena.networks --output bench/networks.md
    python3 -m bench.arena.networks --only 'resnet8|ds-cnn' --with 'hoist-allocations,merge-alloc' --time

Networks are those of examples/generate.py, and the files NAME.memref.mlir of --models, where that folder is; of such a
file the function with the largest arena counts, called with seeded arguments (testing/callers.py).

--with adds a column for each pipeline that has merge-alloc or buffer-reuse in it: the arena of the network's
function, and its share of merge-alloc's alone. --time executes the network in one arena and after the last pipeline, as
loops and as vectors (bench/pairs.py), compares the outputs bit for bit, and gives the ratios of the times.
"""

import json
import re
import sys
import tempfile

from bench import measure, pairs
from testing import callers, networks, tables
from testing.execute import Tools
from testing.native import Native
from testing.process import ToolError

ALONE = "merge-alloc"


def arenas_of(tools, memrefs, passes):
    """What the pass reports of all arenas."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        pipeline, asked = re.subn(r"\b(merge-alloc|buffer-reuse)(?:\{(.*?)\})?", rf'\1{{\2 report="json:{report.name}"}}',
                                  passes)  # fmt: skip
        if not asked:
            raise ToolError(f"{passes}: neither merge-alloc nor buffer-reuse is in it")
        tools.apply(memrefs, f"builtin.module({pipeline})")
        return json.load(report)["arenas"]


def bytes_of(arenas, function):
    return sum(a["arena_size"] for a in arenas if a["function"] == function and not a["within"])


def sizes_of(arenas, function):
    return sorted((b["size"] for a in arenas if a["function"] == function for b in a["buffers"]), reverse=True)


def largest(arenas):
    """The function with the largest arena."""
    return max(arenas, key=lambda a: a["arena_size"])["function"]


def program_of(tools, path):
    """A model with a main, its function's name, and why it has no main."""
    text = path.read_text()
    function = largest(arenas_of(tools, text, ALONE))
    try:
        return callers.with_main(text, function), callers.renamed(function), None
    except ToolError as error:
        return text, function, str(error)


def programs(tools, args):
    """Name, program, function, and why it cannot be executed."""
    for network in networks.EVERY:
        if re.search(args.only or "", network):
            yield network, pairs.bufferized(tools, network), "forward", None
    if not args.models.is_dir():
        tables.say("skipped: there is no ../shared/data/models; the generated networks alone")
        return
    for name, path in measure.given(args.models):
        if re.search(args.only or "", name):
            yield name, *program_of(tools, path)


def ratios_of(native, name, memrefs, passes, args):
    """Of the time after the passes to that of merge-alloc alone. A model may have what upstream does not lower."""

    def tell(lowering, error):
        tables.say(f"{name} is not executed as {lowering}: {error}")

    both = pairs.lowered(native, pairs.forms(native.tools, memrefs, (ALONE, passes)), args,
                         None if name in networks.EVERY else tell)  # fmt: skip
    return [f"{times.median():.3f}" if times else "–" for times in both.values()]


HEAD = """\
# Networks

Written by `python3 -m bench.arena.networks`, which says what is measured.

{machine}

- arena: of `merge-alloc` alone, which plans op by op. In the columns behind it, as a share of that, the arena after other passes
- loops, vectors: the time of a run after the last of these, as a share of that after `merge-alloc` alone; lowered alike, to plain
  loops and to vectors by `convert-linalg-to-vectors`. Outputs are equal bit for bit. A dash: a program takes more than {limit} seconds, or upstream
  does not lower it"""


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--only", help="networks whose name and options match this regular expression")
    parser.add_argument("--with", dest="more", action="append", default=[], metavar="PASSES")
    parser.add_argument("--time", action="store_true", help="execute them, once per pipeline")
    pairs.arguments(parser)
    args = parser.parse_args()
    native, rows = Native(Tools(opt=args.opt)), []
    for name, memrefs, function, problem in programs(native.tools, args):
        found = {passes: arenas_of(native.tools, memrefs, passes) for passes in [ALONE, *args.more]}
        alone, sizes = bytes_of(found[ALONE], function), sizes_of(found[ALONE], function)
        times = ratios_of(native, name, memrefs, args.more[-1], args) if args.time and not problem else ["–", "–"]
        rows.append((name, len(sizes), tables.count(sum(sizes)), tables.count(alone),
                     " + ".join(map(tables.count, sizes[:2])),
                     *(f"{tables.count(bytes_of(found[p], function))} ({tables.ratio(bytes_of(found[p], function), alone)})"
                       for p in args.more), *(times if args.time else [])))  # fmt: skip
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
