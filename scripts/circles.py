#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""circles.py ARCHIVE...: source files whose functions call each other in a circle, and calls from a floor
of a component to one that it may not know by docs/ARCHITECTURE.md, as the symbols of the component's
archive libstowage_COMPONENT.a tell. Fails if there are some."""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^\| `(src/[^`]*)` \|.*\| ([^|]*) \|$', re.M)
KNOWN = {folder: known.split(', ') for folder, known in ROW.findall((ROOT / 'docs/ARCHITECTURE.md').read_text())}


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


def circles_of(calls):
    reached = {file: reach(calls, file) for file in calls}
    circles = {tuple(sorted(b for b in reached[a] if a in reached.get(b, ()))) for a in calls if a in reached[a]}
    return [f'in a circle of calls: {" ".join(circle)}' for circle in sorted(circles)]


def climbs_of(calls, component):
    """Calls that leave a floor other than to one that its row in the table of components names."""
    folders = {p.name: str(p.parent.relative_to(ROOT)) for p in (ROOT / component).rglob('*.c*')}
    return [f'{folders[a]}/{a} calls {folders[b]}/{b}, which {folders[a]} may not know'
            for a in sorted(calls.keys() & folders) for b in sorted(calls[a] & folders.keys()) if folders[a] != folders[b]
            and folders[b].removeprefix('src/') not in KNOWN[folders[a]]]


def main():
    found = False
    for archive in sys.argv[1:]:
        calls = calls_of(archive)
        component = pathlib.Path(archive).stem.replace('libstowage_', 'src/')
        for breach in circles_of(calls) + climbs_of(calls, component):
            found = True
            print(f'{archive}: {breach}')
    return found


if __name__ == '__main__':
    sys.exit(main())
