# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a failing program to a small one that fails in the same way.

What a program is, what may be cut out of it and when it fails, each fuzzer says. There are two ways: runs of
parts taken out one after the other, for programs that are lists of parts; or many cuts of a tree tried in one
batch, of which the smallest that fails is cut on.
"""


def without_runs(parts, fails, rounds=4):
    """The parts that are needed for `fails(parts)`: long runs are taken out first, from the end."""
    for _ in range(rounds):
        before, length = len(parts), max(len(parts) // 4, 1)
        while length:
            for end in range(len(parts), 0, -length):
                fewer = parts[: max(0, end - length)] + parts[end:]
                if fails(fewer):
                    parts = fewer
            length //= 2
        if len(parts) == before:
            break
    return parts


def smallest(program, better, say):
    """What is left when no cut fails any more; `better` gives one that does, or None. `say` tells of each."""
    found = better(program)
    while found is not None:
        program = found
        say(program)
        found = better(program)
    return program


def best_cut(groups, weight, apply, failing, at_once=48):
    """Of the first batch in which cuts fail, the one that weighs least; None: there is none. `apply(cut)` is the
    program that it leaves, or None; `failing` gives those of a batch that fail."""
    for group in groups:
        for at in range(0, len(group), at_once):
            found = failing([p for p in map(apply, group[at : at + at_once]) if p is not None])
            if found:
                return min(found, key=weight)
    return None
