#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the planner calls optimal, asked of a solver that knows nothing of planning.

    against_z3.py STOWAGE [--instances N] [--seed S]

Random instances of 4 to 40 buffers are planned; where the outcome is "optimal", z3 must not find a plan
that is one byte smaller, and where a capacity of that many bytes is asked for, the planner must
say "infeasible". Questions that z3 does not answer within its limit are counted, not judged. Exit
status 77 (skipped) where z3 is not installed.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile

Z3_STEPS = 1_000_000  # of z3's own count, half a second; what it answers at all takes it half of them


def instance(rng):
    buffers = []
    for _ in range(rng.choice([4, 6, 8, 10, 12, 16, 20, 30, 40])):
        begin = rng.randrange(16)
        buffers.append((begin, begin + rng.randint(1, 8), rng.randint(1, 24), rng.choice([1, 1, 2, 4])))
    return buffers


def smt(buffers, capacity):
    """Is there a plan of at most `capacity` bytes? An offset is a whole number of alignments."""
    lines = ["(set-logic QF_LIA)"]
    place = []
    for i, (_, _, size, alignment) in enumerate(buffers):
        lines.append(f"(declare-const o{i} Int)")
        place.append(f"(* {alignment} o{i})")
        lines.append(f"(assert (and (>= o{i} 0) (<= (+ {place[i]} {size}) {capacity})))")
    for i, a in enumerate(buffers):
        for j, b in enumerate(buffers[:i]):
            if a[0] < b[1] and b[0] < a[1]:
                lines.append(f"(assert (or (<= (+ {place[i]} {a[2]}) {place[j]})"
                             f" (<= (+ {place[j]} {b[2]}) {place[i]})))")
    return "\n".join(lines + ["(check-sat)"])


def z3_says(buffers, capacity):
    run = subprocess.run(["z3", "-in", f"rlimit={Z3_STEPS}"], input=smt(buffers, capacity),
                         capture_output=True, text=True)
    return run.stdout.split()[0] if run.stdout else "unknown"


def plan(stowage, path, *options):
    run = subprocess.run([stowage, "plan", path, "--json=-", "--map=none", *options],
                         capture_output=True, text=True)
    return json.loads(run.stdout)["arenas"][0] if run.stdout else {"outcome": "none"}


def check(stowage, buffers, folder, tally):
    path = f"{folder}/instance.csv"
    with open(path, "w") as file:
        file.write("id,lower,upper,size,alignment\n")
        for i, buffer in enumerate(buffers):
            file.write(",".join(map(str, (i, *buffer))) + "\n")
    best = plan(stowage, path)
    tally[best["outcome"]] = tally.get(best["outcome"], 0) + 1
    smaller = best["arena_size"] - 1
    if best["outcome"] != "optimal" or smaller == 0:
        return True
    answer = z3_says(buffers, smaller)
    tally[f"z3 {answer}"] = tally.get(f"z3 {answer}", 0) + 1
    if answer == "sat":
        print(f"z3 finds a plan of {smaller} bytes, called impossible:\n{open(path).read()}")
        return False
    outcome = plan(stowage, path, f"--capacity={smaller}")["outcome"]
    if outcome != "infeasible":
        print(f"optimal at {smaller + 1} bytes, but {outcome} at {smaller}:\n{open(path).read()}")
    return outcome == "infeasible"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stowage")
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not shutil.which("z3"):
        print("z3 is not installed")
        return 77
    tally, failures = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.instances):
            rng = random.Random(options.seed * 1000003 + i)
            failures += not check(options.stowage, instance(rng), folder, tally)
    print(", ".join(f"{count} {what}" for what, count in sorted(tally.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
