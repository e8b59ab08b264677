#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""circles.py ARCHIVE...: source files whose functions call each other in a circle; calls to a component, or a floor
of one, that the caller may not know by docs/ARCHITECTURE.md, itself or through what it knows; and symbols without the
project's prefix. An archive is libstowage_COMPONENT.a, or libstowage_COMPONENT_PART.a of a part. Fails if there are some."""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# AddressSanitizer adds a symbol for each exported array.
OWN_NAME = re.compile(r'(__odr_asan\.)?(stow_|tool_)|_Z.*7stowage|mlirGetDialectHandle__')
ROW = re.compile(r'^\| `(src/[^`]*)` \|.*\| ([^|]*) \|$', re.M)
KNOWN = {folder: known.split(', ') for folder, known in ROW.findall((ROOT / 'docs/ARCHITECTURE.md').read_text())}


def symbols_of(archive):
    """(symbol -> the object that has it, object -> the symbols that it wants)"""
    table = subprocess.run(['nm', '-A', '-P', archive], capture_output=True, text=True, check=True).stdout
    home, wants = {}, collections.defaultdict(set)
    for line in table.splitlines():
        where, symbol, kind = line.split()[:3]
        file = where.split('[')[1].split(']')[0].removesuffix('.o')
        if kind == 'U':
            wants[file].add(symbol)
        elif kind in 'TDBR':
            home[symbol] = file
    return home, wants


def foreign_names(home):
    return [f'{file}: {symbol} begins neither with stow_ nor with tool_' for symbol, file in sorted(home.items())
            if not OWN_NAME.match(symbol)]


def calls_of(home, wants):
    """For each object of an archive: the others whose functions it calls."""
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


def component_of(archive):
    whole = re.sub('^libstowage[_-]', 'src/', pathlib.Path(archive).stem)
    return whole if (ROOT / whole).is_dir() else whole.rsplit('_', 1)[0]


def row_of(file):
    """Of the table of components."""
    return file if file in KNOWN else str(pathlib.Path(file).parent)


def rows_known(row):
    """Rows of what it names: a component, a header of one, or a public header that a component is named for."""
    folders = [f'src/{k.removesuffix(".h") if "/" not in k else k.rsplit("/", 1)[0] if k.endswith(".h") else k}' for k in KNOWN[row]]
    return [f for f in folders if f in KNOWN]


def climbs_of(calls):
    """Calls between files, given as a map: those that the rows of the table do not lead to."""
    ways, climbs = {row: rows_known(row) for row in KNOWN}, []
    for a, callees in sorted(calls.items()):
        for b in sorted(callees):
            to = row_of(b)
            if to != row_of(a) and to not in reach(ways, row_of(a)):
                climbs.append(f'{a} calls {b}, which {row_of(a)} may not know')
    return climbs


def main():
    breaches, homes, wanted = [], {}, {}
    for archive in sys.argv[1:]:
        home, wants = symbols_of(archive)
        breaches += [f'{archive}: {circle}' for circle in circles_of(calls_of(home, wants))]
        breaches += foreign_names(home)
        paths = {p.name: str(p.relative_to(ROOT)) for p in (ROOT / component_of(archive)).rglob('*.c*')}
        homes |= {s: paths[f] for s, f in home.items() if f in paths and 'stow' in s}
        wanted |= {paths[f]: symbols for f, symbols in wants.items() if f in paths}
    breaches += climbs_of({a: {homes[s] for s in symbols if s in homes} for a, symbols in wanted.items()})
    for breach in breaches:
        print(breach)
    return bool(breaches)


if __name__ == '__main__':
    sys.exit(main())
