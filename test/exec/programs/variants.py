#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a program as it is and after every variant of buffer-reuse and merge-alloc.

    variants.py FILE [--saves] [--first PIPELINE] [--async] [--hoist] [--only NAME ...]

Every variant must print the same bits as the original, crash nowhere, free nothing twice
and leak no more. --saves asks that the default rewrite also lowers the heap's peak or the
number of allocations; a test that is about sharing must say so, or it would pass with a
rewrite that does nothing. --first runs a pipeline on the program before everything else.
--hoist runs variants of merge-alloc{hoist-parallel} instead. check-arena-plan must find nothing
wrong with what is made.

Prints the original's output, for FileCheck. Exit status 1 where a variant differs.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import ToolError, Tools, difference  # noqa: E402

VARIANTS = {
    "default": "buffer-reuse",
    "poison": "buffer-reuse{poison}",
    "pool-all": "buffer-reuse{pool-all poison}",
    "no-dealloc-required": "buffer-reuse{require-dealloc=false poison}",
    "unaligned": "buffer-reuse{alignment-in-bytes=1 strategy=best-fit-duration pool-all poison}",
    "twice": "buffer-reuse{poison},buffer-reuse{pool-all poison}",
    "folded": "buffer-reuse{poison},canonicalize,cse",
    "use": "buffer-reuse{unknown-ops=use poison}",
    "merge": "merge-alloc{poison}",
    "merge-unaligned": "merge-alloc{alignment-in-bytes=1 prefer-recent}",
}

# With --hoist, instead: what a parallel loop's iterations have of their own lies outside of it.
HOIST_VARIANTS = {
    "default": "merge-alloc{hoist-parallel}",
    "poison": "merge-alloc{hoist-parallel poison}",
    "unaligned": "merge-alloc{hoist-parallel alignment-in-bytes=1 poison}",
    "inner-only": "merge-alloc{hoist-parallel hoist-parallel-limit-in-bytes=400 poison}",
    "folded": "merge-alloc{hoist-parallel poison},canonicalize,cse",
    "inside": "merge-alloc{poison}",
}


def checked(pipeline):
    """The pipeline with the checker behind every rewrite; slices have offsets that it cannot read."""
    check = "check-arena-plan" + ("{dynamic-offsets=ignore}" if "hoist" in pipeline else "")
    return re.sub(r"(buffer-reuse|merge-alloc)(\{[^}]*\})?", rf"\g<0>,{check}", pipeline)


def cost(run):
    return f"peak {run.heap.peak_bytes} bytes, {run.heap.allocs} allocations"


def check(tools, original, args):
    first = tools.run(original, is_async=args.is_async)
    if first.fault():
        return [f"the original: {first.fault()}"]
    if not first.output:
        return ["the original prints nothing: there is nothing to compare"]
    problems, runs = [], {}
    variants = HOIST_VARIANTS if args.hoist else VARIANTS
    for name in args.only or variants:
        rewritten = tools.apply(original, f"builtin.module({checked(variants[name])})")
        if rewritten not in runs:
            runs[rewritten] = tools.run(rewritten, is_async=args.is_async)
        run = runs[rewritten]
        problem = difference(first, run)
        if problem:
            problems.append(f"{name}: {problem}")
        elif name == "default":
            cheaper = (run.heap.peak_bytes < first.heap.peak_bytes
                       or run.heap.allocs < first.heap.allocs)
            if args.saves and not cheaper:
                problems.append(f"{name}: saves nothing: {cost(first)} before, {cost(run)} after")
    sys.stdout.write("\n".join(first.output) + "\n")
    return problems


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--saves", action="store_true")
    parser.add_argument("--first", metavar="PIPELINE")
    parser.add_argument("--async", dest="is_async", action="store_true")
    parser.add_argument("--hoist", action="store_true")
    parser.add_argument("--only", nargs="+", choices=VARIANTS | HOIST_VARIANTS)
    args = parser.parse_args(argv)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
