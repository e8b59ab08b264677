# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a program smaller that goes wrong: cuts runs of lines for as long as it does."""


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


def cuts(lines):
    for size in (64, 32, 16, 8, 4, 2, 1):
        for start in range(0, len(lines), max(1, size // 2)):
            yield start, min(len(lines), start + size)
    for start, line in enumerate(lines):
        if line.rstrip().endswith("{"):
            end = region_at(lines, start)
            if end:
                yield start, end


def shrink(source, wrong):
    """`wrong` says what is wrong with a text, or ""; what it says must begin the same."""
    lines, said = source.splitlines(), wrong(source).split(" ")[0]
    changed = bool(said)
    while changed:
        changed = False
        for start, end in list(cuts(lines)):
            cut = lines[:start] + lines[end:]
            if end > len(lines) or braces(lines[start:end]) != 0:
                continue
            if wrong("\n".join(cut)).split(" ")[0] == said:
                lines, changed = cut, True
    return "\n".join(lines)
