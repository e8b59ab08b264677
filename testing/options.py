# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runners of many programs take on the command line: the tool, seeds, shards, jobs."""

import argparse
import os
from pathlib import Path

from testing import places


def parser(doc):
    """With the tool under test; `doc` is the whole help."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--opt", type=Path, default=places.OPT,
                      help="the stowage-opt to test (default: that of $STOWAGE_BUILD, or of build/)")  # fmt: skip
    return made


def add_seeds(made, programs, seed=1):
    made.add_argument("--programs", type=int, default=programs)
    made.add_argument("--seed", type=int, default=seed, help="of the first program; the next follow")
    made.add_argument("--only", type=int, action="append", help="just this seed (may be repeated)")
    made.add_argument("--print", action="store_true", help="print the programs and stop")


def seeds(args, number=None):
    return args.only or list(range(args.seed, args.seed + (args.programs if number is None else number)))


def add_jobs(made, jobs=None):
    made.add_argument("--jobs", type=int, default=jobs or os.cpu_count())


def add_shard(made):
    made.add_argument("--shard", default="1/1", metavar="I/N", help="every Nth, from the Ith on")


def shard(items, args):
    index, count = map(int, args.shard.split("/"))
    return items[index - 1 :: count]


def batches(items, size):
    return [items[i : i + size] for i in range(0, len(items), size)]
