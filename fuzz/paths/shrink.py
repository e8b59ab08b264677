# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a program smaller that goes wrong: cuts runs of lines for as long as it does."""

from fuzz import shrinker


def braces(lines):
    return sum(line.count("{") - line.count("}") for line in lines)


def region_at(lines, start):
    """The end of the op whose region opens in a line, or None."""
    depth = 0
    for end in range(start, len(lines)):
        depth += braces([lines[end]])
        if depth <= 0:
            return end + 1
    return None


def without_regions(lines, fails):
    for start in reversed(range(len(lines))):
        end = region_at(lines, start) if lines[start].rstrip().endswith("{") else None
        if end and fails(lines[:start] + lines[end:]):
            lines = lines[:start] + lines[end:]
    return lines


def shrink(source, wrong):
    """`wrong` says what is wrong with a text, or ""; what it says must begin the same."""
    lines, said = source.splitlines(), wrong(source).split(" ")[0]

    def fails(some):
        return braces(some) == 0 and wrong("\n".join(some)).split(" ")[0] == said

    before = None
    while said and lines != before:
        before = lines
        lines = shrinker.without_runs(without_regions(lines, fails), fails)
    return "\n".join(lines)
