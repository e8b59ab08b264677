# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which allocations a value may be, in the whole program: through views, regions,
blocks and calls. So it is known of a buffer that leaves the module's sight which
statements may have made it; all others must be freed."""

import itertools

from fuzz.memref_gen import tree

ALLOCATIONS = {"alloc", "dynamic", "clone", "stash", "box", "realloc", "sized_by"}  # statements that call the allocator
CALLS = {"call", "indirect"}
LOOPS = {"for", "while", "maze"}


def left(program, kinds):
    """The allocations that may be what a statement of these kinds lets go."""
    statements = [s for f in program.functions for s in tree.statements(f.body)]
    sources = sources_in(program, statements)
    todo, found = [v for s in statements if s.kind in kinds for v in let_go(s)], set()
    while todo:
        value = todo.pop()
        if value not in found:
            found.add(value)
            todo += sources.get(value, [])
    return {s.results[0] for s in statements if s.kind in ALLOCATIONS and s.results[0] in found}


def let_go(stmt):
    return stmt.operands if stmt.kind == "indirect" else stmt.operands[:1]


def gives_what_it_gets(program):
    """Whether a function that calls itself returns buffers."""
    return any(
        s.kind in CALLS and s.results and f.name in tree.callees(s)
        for f in program.functions
        for s in tree.statements(f.body)
    )


def gives_one_twice(program):
    """Whether a function returns a buffer by two names."""
    return any(
        tree.roots(a) & tree.roots(b)
        for f in program.functions
        for given in given_by(f)
        for a, b in itertools.combinations(given, 2)
    )


def given_by(function):
    """What each of its returns gives."""
    return [function.body.yields] + [s.operands for s in tree.statements(function.body) if s.kind == "leave"]


def sources_in(program, statements):
    """{value: what it may be another name of}"""
    sources = {}

    def note(value, others):
        sources.setdefault(value, []).extend(others)

    values = [v for f in program.functions for b in tree.blocks(f.body) for v in b.args]
    for value in values + [v for s in statements for v in s.results]:
        note(value, value.alias_of)
    functions = {f.name: f for f in program.functions}
    for stmt in statements:
        if stmt.kind in CALLS:
            for callee in tree.callees(stmt):
                note_call(note, stmt, functions[callee])
        elif stmt.kind == "realloc":
            note(stmt.results[0], stmt.operands)
        elif stmt.regions and stmt.kind != "turn":  # all that it carries is of one pool
            note_regions(note, stmt)
        else:
            for value in stmt.results:
                note(value, stmt.moves)
    return sources


def note_call(note, stmt, callee):
    for parameter, value in zip(callee.body.args, stmt.operands):
        note(parameter, [value])
    for operands in given_by(callee):
        for result, value in zip(stmt.results, operands):
            note(result, [value])


def note_regions(note, stmt):
    """Result k is what regions yield in its place; in a loop, that is handed to
    the arguments in its place, too."""
    slots = len(stmt.results)
    for k, result in enumerate(stmt.results):
        handed = [v for region in stmt.regions for v in region.yields[k::slots]]
        names = [result]
        if stmt.kind in LOOPS:
            handed.append(stmt.operands[len(stmt.operands) - slots + k])
            names += [region.args[len(region.args) - slots + k] for region in stmt.regions]
        for name in names:
            note(name, handed + names)
