#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves views onto each other's bytes and asks check-arena-plan what it thinks.

    mutations.py FILE_OR_FOLDER ... [--mutations N] [--seed S] [--each K] [--rewrite PASSES]

Every program is rewritten by buffer-reuse, or what is asked for. Then one view at a time gets the offset of another
view of its arena, at random, and the program is executed: where its output changes, or it dies,
the mutation is wrong, and the checker must have reported it. The unchanged rewrite must pass.

What the checker reports and execution does not confirm is counted. It is no failure: two views
that clash on a path that was not taken, or whose bytes happen to be equal, are a clash still.

Exit status 1 where a wrong program was not reported, or a right one was.
"""

import argparse
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from testing import process
from testing.execute import Tools
from testing.process import ToolError

VIEW = re.compile(r"^(\s*%\S+ = memref\.view (%\S+)\[)(%[\w-]+)(\]\[\] : memref<(\d+)xi8.*)$")
CONSTANT = re.compile(r"^\s*(%[\w-]+) = arith\.constant (-?\d+) : index$")
REWRITE = "builtin.module(buffer-reuse{pool-all})"
EXPAND = "builtin.module(convert-lifetime-to-llvm{prepare})"
ASYNC = "--async"


@dataclass
class View:
    line: int
    arena: str
    offset: int
    room: int  # bytes of the arena


def views_of(lines):
    """Views at constant offsets; names start anew in each function, so constants do."""
    found, constants, function = [], {}, 0
    for number, line in enumerate(lines):
        if re.match(r"\s*func\.func ", line):
            constants, function = {}, number
        if match := CONSTANT.match(line):
            constants[match[1]] = int(match[2])
        if (match := VIEW.match(line)) and match[3] in constants:
            found.append(View(number, f"{function}{match[2]}", constants[match[3]], int(match[5])))
    return found


def pairs_of(lines):
    """(view, an offset of another view of its arena), in a fixed order."""
    views = views_of(lines)
    return sorted({(v.line, w.offset) for v in views for w in views
                   if v.arena == w.arena and v.offset != w.offset})


def moved(lines, line, offset):
    changed = list(lines)
    changed[line] = VIEW.sub(rf"\g<1>%moved\g<4>", changed[line])
    changed.insert(line, f"%moved = arith.constant {offset} : index")
    return "\n".join(changed) + "\n"


def complaints(tools, text):
    """What the checker says; None where it finds nothing."""
    done = process.run([tools.opt, "-", "--check-arena-plan", "-o", "/dev/null"], text)
    return done.err if done.status else None


@dataclass
class Count:
    programs: int = 0
    mutations: int = 0
    wrong: int = 0
    reported: int = 0
    unconfirmed: int = 0
    missed: int = 0
    false: int = 0

    def failed(self):
        """Where nothing was wrong when executed, nothing was tested."""
        return self.missed > 0 or self.false > 0 or self.wrong == 0

    def __str__(self):
        return (f"{self.programs} programs, {self.mutations} mutations, "
                f"{self.wrong} wrong when executed, {self.missed} of them not reported; "
                f"{self.reported} reported, {self.unconfirmed} of them not confirmed by execution")


def is_wrong(tools, text, expected, is_async):
    run = tools.run(text, is_async=is_async, timeout=20)
    return bool(run.fault()) or run.output != expected


def mutate_pairs(tools, name, lines, pairs, is_wrong, keep, count):
    """Judges the program `name` once per pair, with that view at that offset."""
    for line, offset in pairs:
        text = moved(lines, line, offset)
        said = complaints(tools, text)
        wrong = is_wrong(text)
        count.mutations += 1
        count.wrong += wrong
        count.reported += said is not None
        count.unconfirmed += said is not None and not wrong
        if wrong and said is None:
            count.missed += 1
            print(f"{name}: line {line + 1} moved to {offset}: wrong, and not reported")
            if keep:
                Path(keep, f"{name}-{line + 1}-{offset}.mlir").write_text(text)


def passes_unchanged(tools, name, rewritten, count):
    """Counts the program; it is right as the pass has made it."""
    count.programs += 1
    said = complaints(tools, rewritten)
    if said:
        count.false += 1
        print(f"{name}: reported, and nothing is wrong:\n{said}")
    return not said


def mutate(tools, path, args, count):
    source = path.read_text()
    is_async = ASYNC in source
    if "--first" in source:
        return
    rewritten = tools.apply(source, args.rewrite)
    if not passes_unchanged(tools, path.stem, rewritten, count):
        return
    lines = rewritten.splitlines()
    pairs = pairs_of(lines)
    if not pairs:
        return
    before = tools.apply(source, EXPAND) if "lifetime." in source else source
    expected = tools.run(before, is_async=is_async).output
    choice = random.Random(f"{args.seed} {path.name}")
    left = args.mutations - count.mutations
    mutate_pairs(tools, path.stem, lines, choice.sample(pairs, min(args.each, len(pairs), left)),
                 lambda text: is_wrong(tools, text, expected, is_async), args.keep, count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--mutations", type=int, default=1 << 30)
    parser.add_argument("--each", type=int, default=2, help="per program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for what was missed")
    parser.add_argument("--rewrite", default=REWRITE, help="a pipeline that plans")
    args = parser.parse_args()
    tools, count = Tools(), Count()
    files = [f for p in args.paths for f in (sorted(p.glob("*.mlir")) if p.is_dir() else [p])]
    random.Random(args.seed).shuffle(files)
    for path in files:
        if count.mutations == args.mutations:
            break
        try:
            mutate(tools, path, args, count)
        except ToolError as error:
            print(f"{path.name}: {error}")
            count.false += 1
    print(count)
    return count.failed()


if __name__ == "__main__":
    sys.exit(main())
