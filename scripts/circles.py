#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""circles.py ARCHIVE...: source files whose functions call each other in a circle; calls to a component, or a floor
of one, that the caller may not know by docs/ARCHITECTURE.md, itself or through what it knows; and functions and tables
whose names do not say where they are. An archive is libstowage_COMPONENT.a, or libstowage_COMPONENT_PART.a of a part.
Fails if there are some."""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# AddressSanitizer adds a symbol for each exported array.
OTHER_NAME = re.compile(r'__odr_asan\.|_Z.*7stowage|mlirGetDialectHandle__')
ROW = re.compile(r'^\| `(src/[^`]*)` \|.*\| ([^|]*) \|$', re.M)
TYPE = re.compile(r'^typedef [^{;]*?\b(stow_\w+)(?:;|\)\()|^(?:typedef )?(?:struct|enum) (stow_\w+)|^\} (stow_\w+);', re.M)
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


def begins_with(name, words):
    return any(name == word or name.startswith(word + '_') for word in words)


def words_of(component):
    """The name of a component, and what one of many is called."""
    return {f'stow_{component}', f'stow_{component.removesuffix("s")}'}


def types_of(component):
    """Those in its headers, and each with an s for many of it."""
    text = '\n'.join(header.read_text() for header in (ROOT / 'src' / component).rglob('*.h'))
    return {name + s for found in TYPE.findall(text) for name in found if name for s in ('', 's')}


def inline_functions(component):
    return {name: header.name for header in (ROOT / 'src' / component).rglob('*.h')
            for name in re.findall(r'^static inline[^;{]*?\b(stow_\w+)\(', header.read_text(), re.M)}


def foreign_names(component, home):
    """Symbols, and functions of headers, that no public header declares and that do not begin with the component's
    name or one of its types."""
    public = set(re.findall(r'\bstow_\w+', ''.join(p.read_text() for p in (ROOT / 'include/stowage').glob('*.h'))))
    own, types = words_of(component), types_of(component)
    others = set().union(*(words_of(p.name) for p in (ROOT / 'src').iterdir())) - own
    return [f'{file}: {symbol} begins neither with stow_{component} nor with a type of {component}'
            for symbol, file in sorted((home | inline_functions(component)).items())
            if not OTHER_NAME.match(symbol) and symbol not in public and not begins_with(symbol, own)
            and (begins_with(symbol, others) or not begins_with(symbol, types))]


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
        breaches += foreign_names(component_of(archive).split('/')[1], home)
        paths = {p.name: str(p.relative_to(ROOT)) for p in (ROOT / component_of(archive)).rglob('*.c*')}
        homes |= {s: paths[f] for s, f in home.items() if f in paths and 'stow' in s}
        wanted |= {paths[f]: symbols for f, symbols in wants.items() if f in paths}
    breaches += climbs_of({a: {homes[s] for s in symbols if s in homes} for a, symbols in wanted.items()})
    for breach in breaches:
        print(breach)
    return bool(breaches)


if __name__ == '__main__':
    sys.exit(main())
