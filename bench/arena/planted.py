#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes made in streams, one at a time, and who notices them.

    python3 -m bench.arena.planted --output bench/planted.md
    python3 -m bench.arena.planted --only lenet

Schedules: a window less one row, a move that is not made, a move of a row less, a group of statements one step
earlier, or one of its periods. Places: a buffer or a window that lies in the memory that several share, 64 bytes
lower. The checker of src/stream says of each whether it finds it. Without it, small networks are streamed, verified
by MLIR and executed on a heap with guards and poison, with every mistake in a schedule and each eighth in a place; of
larger ones the checker is asked only.
"""

import collections
import re
import sys

from bench import measure
from testing import networks, planted, tables
from testing.execute import Tools
from testing.process import ToolError

KINDS = {"window": "a window less one row", "move": "a move not made", "moved-row": "a move of a row less",
         "delay": "one step earlier", "period": "one period earlier", "place": "a place lower"}  # fmt: skip


EXECUTED = {"schedules": 1, "places": 8}  # each so many


HEAD = """# Mistakes in streams

Written by `python3 -m bench.arena.planted`.

Schedules of `stream-rows`, and places in memory that several rows share, made wrong in one way at a time: how many of the mistakes *the
checker* of `src/stream` finds, and, of those executed *without it*, how many are noticed: because *MLIR refuses* the IR, a *heap* with guards
and poison reports them or the program does *not end*, or *other bits* come out. *No harm*: none of these."""


def judged(tools, network, executed):
    """(fault, effect) of each."""
    memrefs = networks.bufferized(tools, *network.split())
    expected = tools.run(tools.apply(memrefs, "builtin.module(buffer-deallocation)")) if executed else None
    for kind, each in EXECUTED.items():
        for fault in planted.faults(memrefs, kind) if executed or kind == "schedules" else ():
            asked = executed and fault.number % each == 0
            yield fault, planted.effect(tools, memrefs, kind, fault, expected) if asked else "unasked"


def row_of(network, kind, all_of):
    effects = collections.Counter(effect for _, effect in all_of)
    noticed = effects["refused"] + effects["fault"] + effects["differs"]
    asked = noticed + effects[None]
    return (network, KINDS[kind], f"{sum(f.found for f, _ in all_of)} of {len(all_of)}",
            f"{noticed} of {asked}" if asked else "", effects["refused"] or "", effects["fault"] or "",
            effects["differs"] or "", effects[None] or "")  # fmt: skip


def why(fault, all_faults):
    """Why the checker passes a schedule."""
    if any(f.kind == "period" and (f.stream, f.what) == (fault.stream, fault.what) and f.found for f in all_faults):
        return "it runs every other step or less; nothing touches its rows in the step before"
    return "its windows have rows to spare then: they are larger so that less is moved"


def harmless(network, judgements):
    faults = [fault for fault, _ in judgements]
    return [(network, f"stream {f.stream + 1}, statement {f.what}", KINDS[f.kind], why(f, faults))
            for f, _ in judgements if not f.found and f.kind != "place"]  # fmt: skip


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--only", help="networks whose name and options match this regular expression")
    args = parser.parse_args()
    tools, rows, passed, bad = Tools(opt=args.opt), [], [], []
    wanted = [(n, n in planted.SMALL) for n in dict.fromkeys([*planted.SMALL, *networks.EVERY])]
    for network, executed in wanted:
        if not re.search(args.only or "", network):
            continue
        tables.say(network)
        judgements = list(judged(tools, network, executed))
        for kind in KINDS:
            some = [(f, e) for f, e in judgements if f.kind == kind and e != "unused"]
            rows += [row_of(network, kind, some)] if some else []
        passed += harmless(network, judgements)
        bad += [(network, f) for f, e in judgements if not f.found and e in ("refused", "fault", "differs")]
    parts = [HEAD]
    parts.append(tables.table(["<network", "<mistake", "the checker", "without it", "MLIR refuses", "heap or no end",
                               "other bits", "no harm"], rows))  # fmt: skip
    if passed:
        parts.append("Schedules that the checker passes, since each row that is read is still the right one:\n\n" +
                     tables.table(["<network", "<where", "<mistake", "<why"], passed))  # fmt: skip
    tables.write(args.output, "\n\n".join(parts))
    for network, fault in bad:
        print(f"not found by the checker: {network}, {fault}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"planted: {error}", file=sys.stderr)
        sys.exit(2)
