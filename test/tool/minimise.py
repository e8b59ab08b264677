#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minimising beside fitting at falling capacities, each with the same effort.

Minimising asks for the bound and for rungs above it as fitting does. So fitting never finds a plan at one of
them where minimising ends with more bytes.

    minimise.py STOWAGE [--packings N] [--seed FIRST] [--effort STEPS]

Packings of 60 to 400 buffers, of which some rectangles may be missing. STOWAGE_SOAK tries ten times as many.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

BUFFERS = (60, 120, 200, 300, 400)
RUNGS = (0, 3, 10, 30)  # capacities, by thousandths of the bound above it


def packing(stowage, buffers, seed, folder):
    """Every third one is whole, of the others a buffer in twelve or thirty is missing."""
    path = Path(folder, f"{buffers}-{seed}.csv")
    made = subprocess.run([stowage, "gen", "--shape=packing", f"--buffers={buffers}", f"--seed={seed}"],
                          check=True, capture_output=True, text=True).stdout.splitlines()  # fmt: skip
    draw, part = random.Random(seed), (0, 1 / 12, 1 / 30)[seed % 3]
    path.write_text("\n".join(made[:1] + [line for line in made[1:] if draw.random() >= part]) + "\n")
    return path


def arena_and_bound(stowage, path, effort, *options):
    """The arena is None where no plan was found."""
    done = subprocess.run([stowage, "plan", path, f"--effort={effort}", "--quiet", "--json=-", *options],
                          capture_output=True, text=True)  # fmt: skip
    report = json.loads(done.stdout)
    memory = report["arenas"][0] if "arenas" in report else report
    return memory["arena_size"] if done.returncode == 0 else None, memory["lower_bound"]


def worse_than_fitting(stowage, path, effort):
    """The arena, the smaller one that fitting finds, and its capacity; or None."""
    arena, bound = arena_and_bound(stowage, path, effort)
    for rung in RUNGS:
        capacity = bound + bound * rung // 1000
        if capacity >= arena:
            return None
        fitted, _ = arena_and_bound(stowage, path, effort, f"--capacity={capacity}")
        if fitted is not None:
            return arena, fitted, capacity
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stowage")
    parser.add_argument("--packings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=8_470_000)
    parser.add_argument("--effort", type=int, default=60_000_000)
    args = parser.parse_args()
    found, packings = 0, args.packings * (10 if "STOWAGE_SOAK" in os.environ else 1)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + packings):
            path = packing(args.stowage, BUFFERS[seed % len(BUFFERS)], seed, folder)
            worse = worse_than_fitting(args.stowage, path, args.effort)
            if worse:
                found += 1
                print(f"{path.name}: minimising ends with {worse[0]} bytes, fitting finds {worse[1]} "
                      f"within {worse[2]}")  # fmt: skip
    print(f"{packings} packings, {found} worse")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
