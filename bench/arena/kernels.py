#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared memory of pipelined GPU kernels: as written, after merge-alloc, and as one lays it out by hand.

    python3 -m bench.arena.kernels [--output bench/kernels.md]

Each result is checked by check-arena-plan and compiled to PTX.
"""

import re
import sys
from pathlib import Path

from bench import measure
from testing import places, process, tables
from testing.process import ToolError

KERNELS = Path(__file__).parent / "kernels"
SHARED = re.compile(r"\.shared \.align \d+ \.b8 \w+\[(\d+)\]")
DEVICE = 100 << 10  # bytes of shared memory of a multiprocessor
TO_PTX = ("builtin.module(nvvm-attach-target{{{}}},gpu.module(convert-scf-to-cf,convert-nvgpu-to-nvvm,expand-strided-metadata,"
          "lower-affine,convert-gpu-to-nvvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),gpu-module-to-binary{{format=isa}})")  # fmt: skip


def reserved(text):
    """Bytes of shared memory in the PTX of a kernel."""
    target = "chip=sm_90 features=+ptx80" if "tma.async" in text else "chip=sm_80"
    ptx = process.call([Path(places.llvm_bindir()) / "mlir-opt", f"--pass-pipeline={TO_PTX.format(target)}"], text).out
    found = SHARED.findall(ptx)
    if "cp.async" not in ptx or not found:
        raise ToolError("no kernel with copies and shared memory came out")
    return sum(map(int, found))


def row_of(opt, path):
    text = path.read_text()
    by_hand = int(re.search(r"by hand: (\d+)", text)[1])
    before = reserved(process.call([opt], text).out)
    after = reserved(process.call([opt, "--merge-alloc", "--check-arena-plan"], text).out)
    return [path.stem, before, after, by_hand, f"{after / by_hand:.2f}", DEVICE // before, DEVICE // after]


def main():
    args = measure.arguments(__doc__).parse_args()
    head = ["<kernel", "as written", "merge-alloc", "by hand", "of that", "at a time, as written", "merge-alloc"]
    rows = [row_of(args.opt, path) for path in sorted(KERNELS.glob("*.mlir"))]
    tables.write(args.output, f"# Shared memory of pipelined kernels\n\n{HEAD}\n\n{tables.table(head, rows)}")
    return 0


HEAD = """\
Written by `python3 -m bench.arena.kernels`. Kernels that copy tiles ahead while they work on others, in the form that compilers of tiled
programs print, with the arithmetic of one element per thread: [bench/arena/kernels](arena/kernels). A comment there says what lies where by
hand. They are compiled, not executed. Bytes are those of the PTX for sm_80, and for
sm_90 where TMA loads tiles. The last two columns: workgroups that fit into 100 KiB at a time."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
