#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a program as it is, as tasks, and after every variant of streaming fusion.

    variants.py FILE [--fuses N] [--tasks N] [--no-higher-peak] [--first PIPELINE] [--only NAME ...]

Every variant must print the same bits as the original, crash nowhere and leak no more.
--fuses N asks that the default variant fuses N pairs, --tasks N that it leaves N tasks in
all: a test that is about fusing must say so, or it would pass with a pass that does
nothing. --no-higher-peak asks that fusion leaves the heap's peak where it was or lowers it,
however the buffers are freed and planned afterwards. --noalias makes these count with assume-noalias-arguments.

Prints the original's output, for FileCheck. Exit status 1 where anything is amiss.
"""

import re
import sys

from testing import before_after
from testing.taskflow import BACK, FUSE, TO, fuse

VARIANTS = {
    "tasks": f"{TO},{BACK}",
    "copies": f"{TO}{{copies}},{BACK}",
    "plain": f"{TO},{FUSE}{{allow-permutation=false allow-reduction=false}},{BACK}",
    "permuted": f"{TO},{FUSE}{{allow-reduction=false}},{BACK}",
    "reduced": f"{TO},{FUSE}{{allow-permutation=false}},{BACK}",
    "fused": f"{TO}{{copies}},{FUSE},{BACK}",
    "whole": f"{TO}{{copies}},{FUSE}{{windows=false}},{BACK}",
    "one-round": f"{TO}{{copies}},{FUSE}{{max-rounds=1}},{BACK}",
    "twice": f"{TO}{{copies}},{FUSE},canonicalize,cse,{FUSE},{BACK},canonicalize",
    "parallel": f"{TO}{{copies parallel-loops}},{FUSE},{BACK}",
    "channels": f"{TO}{{copies parallel-loops}},{FUSE}{{form=channels}},check-arena-plan,{BACK}",
    "planned": f"{TO}{{copies}},{FUSE},{BACK},canonicalize,buffer-reuse{{poison pool-all}}",
}
NOALIAS = f"{TO}{{copies}},{FUSE}{{assume-noalias-arguments}},{BACK}"

# What becomes of the heap afterwards.
MEMORY = {
    "no arena": "buffer-deallocation,buffer-deallocation{tighten}",
    "buffer-reuse": "buffer-deallocation,buffer-deallocation{tighten},buffer-reuse",
    "merge-alloc": "merge-alloc",
    "stowage-memory": "stowage-memory",
}


def plain_output(run):
    """printMemref shows addresses, which differ from run to run."""
    run.stdout = re.sub(r"base@ = 0x[0-9a-f]+", "base@", run.stdout)
    return run


def count(tools, original, noalias):
    """How many pairs are fused, and how many tasks are left."""
    option = "assume-noalias-arguments" if noalias else ""
    functions, _ = fuse(tools, original, option, f"{TO}{{copies parallel-loops}}")
    fused = sum("fused" in pair for f in functions for pair in f["pairs"])
    return fused, sum(f["after"]["tasks"] for f in functions)


def run_variants(tools, original, variants):
    return before_after.run_variants(tools, original, variants, lambda text: plain_output(tools.run(text)))


def compare_peaks(tools, original):
    """What is wrong with the heap's peak behind fusion."""
    unfused = {name: f"{TO}{{copies}},{BACK},{memory}" for name, memory in MEMORY.items()}
    fused = {f"fused, {name}": f"{VARIANTS['fused']},{memory}" for name, memory in MEMORY.items()}
    _, runs, problems = run_variants(tools, original, unfused | fused)
    for name in MEMORY:
        before, after = (runs[run].heap.peak_bytes if run in runs else None for run in (name, f"fused, {name}"))
        if before and after and after > before:
            problems.append(f"{name}: the peak rises from {before} to {after} bytes")
    return problems


def check(tools, original, args):
    variants = dict(VARIANTS, noalias=NOALIAS) if args.noalias else VARIANTS
    _, runs, problems = run_variants(tools, original, {name: variants[name] for name in args.only or variants})
    if not runs:
        return problems
    if args.no_higher_peak:
        problems += compare_peaks(tools, original)
    fused, tasks = count(tools, original, args.noalias)
    if args.fuses is not None and fused != args.fuses:
        problems.append(f"{fused} pairs fused, not {args.fuses}")
    if args.tasks is not None and tasks != args.tasks:
        problems.append(f"{tasks} tasks left, not {args.tasks}")
    return problems


def main(argv):
    parser = before_after.parser(__doc__)
    parser.add_argument("--fuses", type=int)
    parser.add_argument("--tasks", type=int)
    parser.add_argument("--no-higher-peak", action="store_true")
    parser.add_argument("--noalias", action="store_true")
    parser.add_argument("--only", nargs="+", choices=VARIANTS)
    return before_after.main(parser.parse_args(argv), check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
