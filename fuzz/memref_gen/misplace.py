# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deallocs put in wrong places in the printed text of one program, to see whether
that is noticed of a pass that places them.

One dealloc of a buffer that its block looks at is `dropped`, `doubled`, or comes
`early`: before the last op of the block that looks at it, or has an op inside
that does. `marked` and `marked-early` only count, by an allocation more, how
often control comes there. `late` moves all deallocs to the ends of their blocks."""

import re

from fuzz.rng import Rng

FREE = re.compile(r"memref\.dealloc (%[\w#]+)")
MARK = ["%mark = memref.alloc() : memref<1xi8>", "memref.dealloc %mark : memref<1xi8>"]
ENDS = re.compile(r"(cf\.|return|\w+\.yield|scf\.condition|scf\.reduce|memref\.alloca_scope\.return)")
CONTINUES = ("}", "]", "^", "case", "default")  # such lines do not begin an op


def misplaced(text, seed, how):
    """The text with one dealloc misplaced, or None where it has none that fits."""
    lines = text.splitlines()
    if how == "late":
        return "\n".join(late(lines))
    fitting = [(i, looked_at_before(lines, i)) for i in frees(lines)]
    fitting = [(i, at) for i, at in fitting if at is not None]
    if not fitting:
        return None
    i, at = Rng(seed).pick(fitting)
    if how == "dropped":
        lines[i : i + 1] = []
    elif how == "doubled":
        lines.insert(i, lines[i])
    elif how == "early":
        lines.insert(beginning(lines, at, indent(lines[i])), lines.pop(i))
    else:
        place = at if how == "marked-early" else i
        lines[place:place] = MARK
    return "\n".join(lines)


def frees(lines):
    return [i for i, line in enumerate(lines) if FREE.match(line.strip())]


def indent(line):
    return len(line) - len(line.lstrip())


def looked_at_before(lines, i):
    """The last line before a dealloc, of the same block or inside, that looks at the buffer."""
    name = re.escape(FREE.match(lines[i].strip()).group(1))
    looks = re.compile(rf"(load {name}\[|store [^,]*, {name}\[|memref\.copy .*{name}[ ,]|linalg\..*{name}[ ,])")
    at = i - 1
    while at >= 0 and indent(lines[at]) >= indent(lines[i]):
        if looks.search(lines[at]):
            return at
        at -= 1
    return None


def beginning(lines, at, depth):
    """Of the op at this depth that a line is in."""
    while indent(lines[at]) > depth or lines[at].strip().startswith(CONTINUES):
        at -= 1
    return at


def late(lines):
    for i in reversed(frees(lines)):
        depth, end = indent(lines[i]), i + 1
        while indent(lines[end]) >= depth:
            end += 1
        last = beginning(lines, end - 1, depth)
        lines.insert(last if ENDS.match(lines[last].strip()) else end, lines[i])
        del lines[i]
    return lines
