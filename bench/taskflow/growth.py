#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of memory-access-streaming-fusion grows with the tasks of a function.

    python3 -m bench.taskflow.growth [--output FILE] [--limit SECONDS] [--sizes N ...] [SHAPE ...]

Tells processor time, the power of its growth over the last doubling (1 is linear), and how many
tasks are left. With --limit, fails where a function takes longer.
"""

from bench import growing, measure
from testing.taskflow import FUSE, TO

T = "memref<64xf32>"
SIZES = [50, 100, 200, 400]
PASSES = f"{TO},{FUSE}{{report=text}}"


def nest(source, target, index="%i"):
    return f"""affine.for %i = 0 to 64 {{
  %v = affine.load {source}[{index}] : {T}
  %w = arith.addf %v, %v : f32
  affine.store %w, {target}[%i] : {T}
}}"""


def buffers(count):
    return [f"%b{i} = memref.alloc() : {T}" for i in range(count)]


def uses(count):
    return [f"func.call @use(%b{i}) : ({T}) -> ()" for i in range(count)]


def readers(n):
    """n tasks read one buffer; all fuse with its writer"""
    return [*buffers(n + 1), nest("%a", "%b0"), *(nest("%b0", f"%b{i}") for i in range(1, n + 1)), *uses(n + 1)]


def half_of_the_readers(n):
    """every other one reads the buffer in leaps, and cannot fuse"""
    index = ["%i", "(%i * 3) mod 64"]
    return [*buffers(n + 1), nest("%a", "%b0"),
            *(nest("%b0", f"%b{i}", index[i % 2]) for i in range(1, n + 1)), *uses(n + 1)]


def chain(n):
    """each task reads what the one before wrote"""
    return [*buffers(n), nest("%a", "%b0"), *(nest(f"%b{i - 1}", f"%b{i}") for i in range(1, n)),
            f"func.call @use(%b{n - 1}) : ({T}) -> ()"]


def apart(n):
    """the readers of one buffer with calls between that forbid to move them"""
    lines = [*buffers(n + 1), nest("%a", "%b0")]
    for i in range(1, n + 1):
        lines += [nest("%b0", f"%b{i}"), f"func.call @use(%b{i}) : ({T}) -> ()"]
    return lines


SHAPES = {shape.__name__.replace("_", " "): shape for shape in (readers, half_of_the_readers, chain, apart)}


def program(shape, n):
    return "\n".join([f"func.func private @use({T})", f"func.func @f(%a: {T}) {{", *SHAPES[shape](n), "return", "}"])


def command(opt):
    return [opt, "-", "-o", "/dev/null", f"--pass-pipeline=builtin.module({PASSES})"]


def run(opt, shape, n):
    """Processor time."""
    return measure.processor_seconds(command(opt), program(shape, n))[0]


def left(opt, shape, n):
    """The tasks that are left."""
    _, said = measure.processor_seconds(command(opt), program(shape, n))
    return next(line.split()[1] for line in said.splitlines() if line.startswith("  after"))


HEAD = """\
Written by `python3 -m bench.taskflow.growth --output FILE`, which `make bench` runs.

{machine}

Processor time of the whole process by the number of tasks, the power of its growth over the last
doubling (1 is linear), and how many tasks are left of the most."""

if __name__ == "__main__":
    growing.main(growing.Growth(__doc__, SHAPES, SIZES, program, run, "Streaming fusion and functions that grow", HEAD,
                                unit=f"tasks of {T}", last="left", tell=left))  # fmt: skip
