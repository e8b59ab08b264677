#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutations.py over random programs of fuzz/memref_gen, each run with two patterns of fresh memory.

    random_mutations.py --programs 50 --each 3 [--seed S] [--keep DIR]
"""

import argparse
import random
import sys
import tempfile

from mutations import REWRITE, Count, mutate_pairs, pairs_of, passes_unchanged

from fuzz.memref_gen import emit, grow
from fuzz.memref_gen import ops  # noqa: F401
from fuzz.memref_gen.check import manifest_line
from testing.compiled import PATTERNS, Outcome, StageError, Toolchain
from testing.execute import Tools


def outcomes(tools, program, name, text):
    """The hash of what it computed, with each pattern; None where it could not be built or died."""
    library = tools.build(text, name)
    runs = [tools.run(library, manifest_line(program, name), p).get(name, Outcome("missing"))
            for p in PATTERNS]
    return [run.hash if run.status == "ok" else None for run in runs]


def mutate(tools, asked, seed, args, count):
    name, program = f"p{seed}", grow.generate(seed, "all", "freed")
    rewritten = tools.opt(emit.module([emit.program(program, name)]), REWRITE)
    if not passes_unchanged(asked, name, rewritten, count):
        return
    lines = rewritten.splitlines()
    pairs = pairs_of(lines)
    if not pairs:
        return
    expected = outcomes(tools, program, name, rewritten)
    choice = random.Random(seed).sample(pairs, min(args.each, len(pairs)))
    mutate_pairs(asked, name, lines, choice,
                 lambda text: outcomes(tools, program, name, text) != expected, args.keep, count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for what was missed")
    args = parser.parse_args()
    asked, count = Tools(), Count()
    with tempfile.TemporaryDirectory(prefix="mutations") as work:
        tools = Toolchain(work, asked.opt)
        for seed in range(args.seed, args.seed + args.programs):
            try:
                mutate(tools, asked, seed, args, count)
            except StageError as error:
                print(f"seed {seed}: not run: {error}")
    print(count)
    return count.failed()


if __name__ == "__main__":
    sys.exit(main())
