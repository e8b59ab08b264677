#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variants of the programs of programs/, made by a build with sanitizers and not executed: what they make is the
text that the other build makes, and runs. One process makes a variant of all programs: to start one takes longer than
the passes do."""

import collections
import sys
from pathlib import Path

from programs import variants
from testing import batch, places, run_lines

PROGRAMS = Path(__file__).resolve().parent / "programs"


def variants_of(path):
    """The pipelines of a program, as its RUN lines ask for them."""
    for words in run_lines.commands(path):
        if "%variants" in words:
            yield from variants.pipelines(variants.arguments(words[words.index("%variants") + 1 :])).values()


def main():
    programs = collections.defaultdict(list)
    for path in sorted(PROGRAMS.glob("*.mlir")):
        for pipeline in variants_of(path):
            programs[pipeline].append(path)
    problems = []
    for pipeline, paths in programs.items():
        outcomes = batch.run([places.OPT, f"--pass-pipeline=builtin.module({pipeline})"],
                             [path.read_text() for path in paths])  # fmt: skip
        problems += [f"{path.name}: {pipeline}: {outcome.status}\n{outcome.said}"
                     for path, outcome in zip(paths, outcomes) if outcome.status != "ok"]  # fmt: skip
    print("\n".join(problems))
    made = sum(map(len, programs.values()))
    print(f"{made} rewrites by {len(programs)} pipelines, {len(problems)} problems")
    return 1 if problems or not made else 0


if __name__ == "__main__":
    sys.exit(main())
