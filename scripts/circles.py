#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""circles.py ARCHIVE...: source files whose functions call each other in a circle, as the symbols of the
archive that they were built into tell. Fails if there are some."""

import collections
import subprocess
import sys


def calls_of(archive):
    """For each object of an archive: the others whose functions it calls."""
    table = subprocess.run(['nm', '-A', '-P', archive], capture_output=True, text=True, check=True).stdout
    home, wants = {}, collections.defaultdict(set)
    for line in table.splitlines():
        where, symbol, kind = line.split()[:3]
        file = where.split('[')[1].split(']')[0].removesuffix('.o')
        if kind == 'U':
            wants[file].add(symbol)
        elif kind.isupper():
            home[symbol] = file
    return {file: {home[s] for s in symbols if s in home} - {file} for file, symbols in wants.items()}


def reach(calls, start):
    seen, stack = set(), [start]
    while stack:
        for file in calls.get(stack.pop(), ()):
            if file not in seen:
                seen.add(file)
                stack.append(file)
    return seen


def main():
    found = False
    for archive in sys.argv[1:]:
        calls = calls_of(archive)
        reached = {file: reach(calls, file) for file in calls}
        circles = {tuple(sorted(b for b in reached[a] if a in reached.get(b, ()))) for a in calls if a in reached[a]}
        for circle in sorted(circles):
            found = True
            print(f'{archive}: in a circle of calls: {" ".join(circle)}')
    return found


sys.exit(main())
