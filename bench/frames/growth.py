#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of merge-alloc with frames grows with the functions of a module.

    python3 -m bench.frames.growth [--output FILE] [--limit SECONDS] [--sizes N ...] [SHAPE ...]

Tells processor time without that of reading the input, the power of its growth over the last doubling (1 is
linear), and the bytes of the entry point's frame. With --limit, fails where a module takes longer.
"""

import re

from bench import growing, measure

SIZES = [1000, 2000, 4000]
T = "memref<64xf32>"


def function(number, callees, public=False):
    """Reads %x, writes %y, and calls those functions one after the other."""
    lines = [f"func.func {'' if public else 'private '}@f{number}(%x: {T}, %y: {T}) {{", f"  %b0 = memref.alloc() : {T}",
             f"  linalg.exp ins(%x : {T}) outs(%b0 : {T})"]  # fmt: skip
    for i, callee in enumerate(callees):
        lines += [f"  %b{i + 1} = memref.alloc() : {T}", f"  func.call @f{callee}(%b{i}, %b{i + 1}) : ({T}, {T}) -> ()"]
    return "\n".join([*lines, f"  linalg.exp ins(%b{len(callees)} : {T}) outs(%y : {T})", "  return", "}"])


def chain(n):
    """each function calls the one before it"""
    return [function(i, [i - 1] if i else [], i == n - 1) for i in range(n)]


def fan(n):
    """one function calls all others"""
    return [function(i, []) for i in range(n - 1)] + [function(n - 1, range(n - 1), True)]


def ladder(n):
    """each function calls the two before it"""
    return [function(i, range(max(0, i - 2), i), i == n - 1) for i in range(n)]


def apart(n):
    """all are entry points"""
    return [function(i, [], True) for i in range(n)]


def wrapped(n):
    """all are entry points, each with a wrapper"""
    return apart(n)


SHAPES = {shape.__name__: shape for shape in (chain, fan, ladder, apart, wrapped)}
OPTIONS = {"wrapped": "arena=argument public keep-wrapper emit-header=/dev/null"}


def merge_alloc(shape, more=""):
    return f"--merge-alloc={OPTIONS.get(shape, 'arena=global')}{more}"


def program(shape, n):
    return "\n".join(SHAPES[shape](n)) + "\n"


def run(opt, shape, n):
    """Processor time of the pass, without parser and output."""
    text, command = program(shape, n), [opt, "-", "-o", "/dev/null"]
    read, _ = measure.processor_seconds(command, text)
    seconds, _ = measure.processor_seconds([*command, merge_alloc(shape)], text)
    return max(seconds - read, 0.001)


def frame(opt, shape, n):
    """Of the last entry point."""
    command = [opt, "-", "-o", "/dev/null", merge_alloc(shape, " report=text")]
    _, said = measure.processor_seconds(command, program(shape, n))
    return re.findall(r"^  f\w+  (\d+) B, .* (?:global|argument)$", said, re.M)[-1]


HEAD = """\
Written by `python3 -m bench.frames.growth --output FILE`, which `make bench` runs.

{machine}

Processor time by the number of functions, without that of a run that only reads the input; the power of its growth over
the last doubling (1 is linear); and the bytes of the last entry point's frame, of the most functions.

{notes}"""

if __name__ == "__main__":
    growing.main(growing.Growth(__doc__, SHAPES, SIZES, program, run, "Frames and modules that grow", HEAD,
                                unit="functions", last="frame", tell=frame))  # fmt: skip
