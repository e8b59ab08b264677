#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a program as it is and after every variant of buffer-reuse and merge-alloc.

    variants.py FILE [--saves] [--peak BYTES] [--first PIPELINE] [--async] [--hoist] [--dynamic] [--only NAME ...]

Every variant must print the same bits as the original, crash nowhere, free nothing twice
and leak no more. --saves asks that the default rewrite also lowers the heap's peak or the
number of allocations; a test that is about sharing must say so, or it would pass with a
rewrite that does nothing. --first runs a pipeline on the program before everything else.
--hoist runs variants of merge-alloc{hoist-parallel} instead, --dynamic those with dynamic=exact. --peak says
how many bytes the default rewrite's heap has at its peak, exactly. check-arena-plan must find nothing
wrong with what is made.

Prints the original's output, for FileCheck. Exit status 1 where a variant differs.
"""

import re
import sys

from testing import before_after

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
    "phases": "merge-alloc{poison max-heap-overhead=0}",
    "merge-unaligned": "merge-alloc{alignment-in-bytes=1}",
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

# With --dynamic, instead: buffers whose sizes are known at run time only are in arenas, too.
DYNAMIC_VARIANTS = {
    "default": "buffer-reuse{dynamic=exact pool-all}",
    "poison": "buffer-reuse{dynamic=exact pool-all poison}",
    "unaligned": "buffer-reuse{dynamic=exact pool-all alignment-in-bytes=1 poison}",
    "twice": "buffer-reuse{dynamic=exact poison},buffer-reuse{dynamic=exact pool-all poison}",
    "folded": "buffer-reuse{dynamic=exact pool-all poison},canonicalize,cse",
    "merge": "merge-alloc{dynamic=exact poison}",
    "phases": "merge-alloc{dynamic=exact poison max-heap-overhead=0}",
    "frames": "merge-alloc{arena=argument public keep-wrapper dynamic=exact poison}",
    "frames-twice": "merge-alloc{arena=argument public keep-wrapper dynamic=exact poison},merge-alloc{dynamic=exact}",
    "off": "buffer-reuse{pool-all poison}",
}


def checked(pipeline):
    """The pipeline with the checker behind every rewrite; slices have offsets that it cannot read."""
    check = "check-arena-plan" + ("{dynamic-offsets=ignore}" if re.search("hoist|dynamic", pipeline) else "")
    return re.sub(r"(buffer-reuse|merge-alloc)(\{[^}]*\})?", rf"\g<0>,{check}", pipeline)


def cost(run):
    return f"peak {run.heap.peak_bytes} bytes, {run.heap.allocs} allocations"


def pipelines(args):
    variants = HOIST_VARIANTS if args.hoist else DYNAMIC_VARIANTS if args.dynamic else VARIANTS
    return {name: checked(variants[name]) for name in args.only or variants}


def check(tools, original, args):
    first, runs, problems = before_after.run_variants(
        tools, original, pipelines(args), lambda text: tools.run(text, is_async=args.is_async))
    run = runs.get("default")
    if args.saves and run and not (run.heap.peak_bytes < first.heap.peak_bytes
                                   or run.heap.allocs < first.heap.allocs):
        problems.append(f"default: saves nothing: {cost(first)} before, {cost(run)} after")
    if args.peak is not None and run and run.heap.peak_bytes != args.peak:
        problems.append(f"default: {cost(run)}; the peak should be {args.peak} bytes")
    return problems


def arguments(argv):
    parser = before_after.parser(__doc__)
    parser.add_argument("--saves", action="store_true")
    parser.add_argument("--async", dest="is_async", action="store_true")
    parser.add_argument("--hoist", action="store_true")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--peak", type=int, metavar="BYTES")
    parser.add_argument("--only", nargs="+", choices=VARIANTS | HOIST_VARIANTS | DYNAMIC_VARIANTS)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(before_after.main(arguments(sys.argv[1:]), check))
