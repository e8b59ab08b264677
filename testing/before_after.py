# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program as it is and after rewrites: what the variants.py of the rooms have in common."""

import argparse
import os
import sys
from pathlib import Path

from testing.execute import Tools, difference
from testing.process import ToolError


def parser(doc):
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("file", type=Path)
    made.add_argument("--first", metavar="PIPELINE")
    return made


def run_variants(tools, original, pipelines, run):
    """Executes the original, by `run`, and what every pipeline makes of it. Returns the run of the
    original, the runs by name, and how they differ; prints the original's output. What a build with
    sanitizers makes is not executed: it is the text that the other build makes, and has run there."""
    first = run(original)
    if first.fault():
        return first, {}, [f"the original: {first.fault()}"]
    if not first.output:
        return first, {}, ["the original prints nothing: there is nothing to compare"]
    problems, runs, known = [], {}, {}
    for name, pipeline in pipelines.items():
        rewritten = tools.apply(original, f"builtin.module({pipeline})")
        if "STOWAGE_SANITIZED" in os.environ:
            continue
        if rewritten not in known:
            known[rewritten] = run(rewritten)
        runs[name] = known[rewritten]
        problem = difference(first, runs[name])
        if problem:
            problems.append(f"{name}: {problem}")
    sys.stdout.write("\n".join(first.output) + "\n")
    return first, runs, problems


def main(args, check):
    """Prints what `check` finds amiss in the program. Returns the exit status."""
    try:
        tools = Tools()
        original = args.file
        if args.first:
            original = tools.apply(original, f"builtin.module({args.first})", opt=tools.mlir_opt)
        problems = check(tools, original, args)
    except ToolError as error:
        problems = [str(error)]
    for problem in problems:
        print(f"{args.file.name}: {problem}", file=sys.stderr)
    return 1 if problems else 0
