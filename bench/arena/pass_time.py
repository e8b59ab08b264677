#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What merge-alloc and buffer-deallocation cost beside parser and printer, on training steps.

    python3 -m bench.arena.pass_time [--rounds N] [--layers N ...] [--output FILE]

Processor time of the phases of one process, which pass_clock tells: parse, pass, print. A busy machine slows all three,
so the pass is compared with the others of its own process. By how much the print grows tell other processes, in every
third round, which print before and after the pass. Medians count. Programs: training_step.py of so many layers, and the
models of --models whose name has `train`.
"""

import statistics
from dataclasses import dataclass

from bench import measure
from bench.arena import training_step
from testing import places, process, tables

PASSES = ["merge-alloc", "buffer-deallocation"]
LAYERS = [20, 130]
CLOCK = places.BUILD / "bin" / "pass_clock"
PRINTS = 3  # before the pass and after it, of which the fastest count


@dataclass(frozen=True)
class Phases:
    """Microseconds of the processor."""

    parse: float
    before: float  # a print
    passes: float
    after: float  # another one

    def around(self, growth):
        """What parsing and printing takes without the passes, which make a print so many times as long."""
        return self.parse + self.after / growth

    def added(self, growth):
        """By the passes, themselves and in the print."""
        return self.passes + self.after - self.after / growth


def phases(opt, path, passes="", prints=0):
    """Of one process, with the passes of the build that `opt` is of."""
    plugin = opt.parents[1] / "lib" / "StowagePlugin.so"
    done = process.call([CLOCK, plugin, path, f"builtin.module({passes})", prints])
    return Phases(*map(float, done.out.split()))


def median(numbers):
    return statistics.median(list(numbers))


def growth_of(printed):
    return median(p.after / p.before for p in printed)


def share(taken, growth):
    return median(p.added(growth) / p.around(growth) for p in taken)


def row(opt, name, path, rounds):
    tables.say(name)
    taken, printed = ([[] for _ in PASSES] for _ in range(2))
    for i in range(rounds):
        for p, name_of_pass in enumerate(PASSES):
            taken[p].append(phases(opt, path, name_of_pass))
            if i % 3 == 0:
                printed[p].append(phases(opt, path, name_of_pass, PRINTS))
    growths = [growth_of(p) for p in printed]
    around = median(p.around(g) for of_pass, g in zip(taken, growths) for p in of_pass)
    allocs = path.read_text().count("memref.alloc")
    return [name, allocs, f"{around / 1000:.0f}", *(tables.percent(share(t, g)) for t, g in zip(taken, growths))]


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

Medians of {rounds} rounds: milliseconds of processor time that parsing and printing takes, and what a pass adds to it, itself and in a
longer print, without MLIR's verifier between passes. Each round is a process, which parses, runs the pass, and prints. *Layers*:
`bench/arena/training_step.py`; the others are training steps of `../shared/data/models`, where that folder exists."""


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--layers", type=int, nargs="+", default=LAYERS)
    args = parser.parse_args()
    folder = places.BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row(args.opt.resolve(), name, path, args.rounds) for name, path in programs(args, folder)]
    head = HEAD.format(machine=tables.machine(), rounds=args.rounds)
    tables.write(args.output, head + "\n\n" + tables.table(["<program", "allocs", "ms", *PASSES], rows))


if __name__ == "__main__":
    main()
