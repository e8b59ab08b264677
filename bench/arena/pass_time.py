#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What merge-alloc and buffer-deallocation cost beside parser and printer, on training steps.

    python3 -m bench.arena.pass_time [--rounds N] [--layers N ...] [--output FILE]

Processor time of whole processes, in rounds: one that reads an empty module, one that parses and prints, one per
pass, all without MLIR's verifier between passes. A round's ratio is what the pass adds, by what parsing and
printing adds to the empty module; the median of the rounds counts. Programs: training_step.py of so many
layers, and the models of --models whose name has `train`.
"""

import resource
import statistics

from bench import measure
from bench.arena import training_step
from testing import places, process, tables

PASSES = ["merge-alloc", "buffer-deallocation"]
LAYERS = [20, 130]
COMMON = ["--mlir-disable-threading", "--verify-each=false", "-o", "/dev/null"]


def seconds(opt, path, passes=""):
    def now():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = now()
    process.call([opt, path, *COMMON, f"--pass-pipeline=builtin.module({passes})"])
    return now() - before


def one_round(opt, empty, path):
    """Seconds of parsing and printing, and per pass what it adds."""
    start = seconds(opt, empty)
    around = seconds(opt, path)
    return [around - start, *(max(seconds(opt, path, p) - around, 0) for p in PASSES)]


def row(opt, empty, name, path, rounds):
    tables.say(name)
    taken = [one_round(opt, empty, path) for _ in range(rounds)]
    ratios = [statistics.median(t[1 + i] / t[0] for t in taken) for i in range(len(PASSES))]
    around = statistics.median(t[0] for t in taken)
    return [name, path.read_text().count("memref.alloc"), f"{1000 * around:.0f}", *map(tables.percent, ratios)]


def programs(args, folder):
    for layers in args.layers:
        path = folder / f"training-step-{layers}.mlir"
        path.write_text(training_step.program(layers))
        yield f"{layers} layers", path
    yield from ((name, path) for name, path in measure.given(args.models) if "train" in name)


HEAD = """\
# What the passes cost beside parser and printer

Written by `python3 -m bench.arena.pass_time --output FILE`, which `make bench` runs.

{machine}

Medians of {rounds} rounds: milliseconds of processor time that parsing and printing takes, and what a pass adds to it, all
without MLIR's verifier between passes. *Layers*: `bench/arena/training_step.py`; the others are training steps of
`../shared/data/models`, where that folder exists."""


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--layers", type=int, nargs="+", default=LAYERS)
    args = parser.parse_args()
    folder = places.BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    empty = folder / "empty.mlir"
    empty.write_text("")
    rows = [row(args.opt, empty, name, path, args.rounds) for name, path in programs(args, folder)]
    head = HEAD.format(machine=tables.machine(), rounds=args.rounds)
    tables.write(args.output, head + "\n\n" + tables.table(["<program", "allocs", "ms", *PASSES], rows))


if __name__ == "__main__":
    main()
