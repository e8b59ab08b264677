#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""testing/execute.py on the command line.

    harness.py run FILE                      lower, execute, print the output
    harness.py compare [LABEL=]FILE ...      execute all; print a table of what each cost
    harness.py check FILE --pipeline 'builtin.module(buffer-reuse)'
                                             FILE against FILE after the pipeline

Exit status: 0 all well; 1 outputs differ, or a program crashed, misused its heap or leaked
(where the first one did not); 2 a tool failed.
"""

import argparse
import sys
from dataclasses import fields
from pathlib import Path

from testing.execute import Heap, Tools, difference
from testing.process import ToolError


def print_table(labels, runs, times):
    base = runs[0].heap.peak_bytes or 1
    width = max(map(len, labels))
    share = f"vs. {labels[0]}"
    print(f"{'':{width}}  {'peak bytes':>14} {share:>9} {'allocations':>12} {'seconds':>9}")
    for label, run, seconds in zip(labels, runs, times):
        heap = run.heap
        shown = f"{seconds:.3f}" if seconds is not None else "-"
        print(f"{label:{width}}  {heap.peak_bytes:>14,} {heap.peak_bytes / base:>{max(9, len(share))}.1%} "
              f"{heap.allocs:>12,} {shown:>9}")


def command_run(tools, args):
    run = tools.run(args.file, args.entry, args.level, not args.time, args.timeout, args.is_async)
    sys.stdout.write(run.stdout)
    if run.fault():
        print(run.fault(), file=sys.stderr)
        return 1
    heap = " ".join(f"{f.name}={getattr(run.heap, f.name)}" for f in fields(Heap))
    print(heap, file=sys.stderr)
    return 0


def compare(tools, labelled, args):
    """Every program against the first. Poisoned runs are compared; time is taken without."""
    runs, times = [], []
    for label, ir in labelled:
        program = tools.lower(ir, args.is_async)
        runs.append(tools.execute(program, args.entry, args.level, True, args.timeout))
        problem = difference(runs[0], runs[-1])
        if problem:
            print(f"{label}: {problem}", file=sys.stderr)
            return 1
        if args.time:
            quick = tools.execute(program, args.entry, args.level, False, args.timeout)
            times.append(quick.measures.get("seconds"))
        else:
            times.append(runs[-1].measures.get("seconds"))
    if not runs[0].output:
        print("the programs print nothing: nothing was compared", file=sys.stderr)
        return 1
    print_table([label for label, _ in labelled], runs, times)
    lines = len(runs[0].output)
    print(f"outputs: {lines} lines, equal bit for bit in all {len(runs)} programs")
    return 0


def command_compare(tools, args):
    def split(word):
        label, equals, path = word.partition("=")
        return (label, Path(path)) if equals else (word, Path(word))

    return compare(tools, [split(word) for word in args.files], args)


def command_check(tools, args):
    after = tools.apply(args.file, args.pipeline)
    return compare(tools, [("before", args.file), ("after", after)], args)


def main(argv):
    parser = argparse.ArgumentParser(description="Execute MLIR programs and compare them.")
    parser.add_argument("--opt", help="an mlir-opt that has the passes (default: stowage-opt)")
    parser.add_argument("--bindir", help="where mlir-opt and mlir-runner are")
    parser.add_argument("--allocator", help="the counting allocator's shared library")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--entry", default="main")
    common.add_argument("--level", type=int, default=0, help="the JIT's optimization level")
    common.add_argument("--timeout", type=float, default=120, help="seconds per execution")
    common.add_argument("--time", action="store_true", help="take times without poison")
    common.add_argument("--async", dest="is_async", action="store_true")
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", parents=[common])
    run.add_argument("file", type=Path)
    run.set_defaults(command=command_run)
    several = commands.add_parser("compare", parents=[common])
    several.add_argument("files", nargs="+", metavar="[LABEL=]FILE")
    several.set_defaults(command=command_compare)
    check = commands.add_parser("check", parents=[common])
    check.add_argument("file", type=Path)
    check.add_argument("--pipeline", required=True)
    check.set_defaults(command=command_check)
    args = parser.parse_args(argv)
    try:
        return args.command(Tools(args.bindir, args.opt, args.allocator), args)
    except (ToolError, OSError) as error:
        print(f"harness: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
