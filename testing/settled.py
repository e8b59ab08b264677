# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with transfers as one without, which LLVM can run.

    python3 -m testing.settled early < FILE        each transfer is done when it starts
    python3 -m testing.settled late < FILE         each is done when it is waited for

Each start is in front of its wait, in the same block, and has an element of the tag of its own."""

import re
import sys

MEMREF = r"(memref<(?:(?!memref<).)*>)"
START = re.compile(rf"^ *memref\.dma_start (%\w+)\[[^]]*\], (%\w+)\[[^]]*\], %\w+, (%\w+\[%\w+\]) : {MEMREF}, {MEMREF}, memref<\d+xi32>$")
WAIT = re.compile(r"^ *memref\.dma_wait (%\w+\[%\w+\]),")


def settled(text, late):
    return "".join(line + "\n" for line in settled_lines(text.splitlines(), late))


def settled_lines(lines, late):
    pending = {}
    for line in lines:
        start, wait = START.match(line), WAIT.match(line)
        if start:
            source, target, tag, given, to = start.groups()
            copy = f"    memref.copy {source}, {target} : {given} to {to}"
            assert tag not in pending, line
            pending[tag] = copy
            if not late:
                yield copy
        elif wait:
            copy = pending.pop(wait.group(1))
            if late:
                yield copy
        else:
            assert "memref.dma_" not in line, line
            yield line
    assert not pending


if __name__ == "__main__":
    sys.stdout.write(settled(sys.stdin.read(), sys.argv[1] == "late"))
