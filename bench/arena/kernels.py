#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared memory of pipelined GPU kernels: as written, after merge-alloc, and as one lays it out by hand.

    python3 -m bench.arena.kernels [--output bench/kernels.md]

Each result is checked by check-arena-plan and compiled to assembly.
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
TO_GCN = ("builtin.module(rocdl-attach-target{chip=gfx90a},gpu.module(convert-scf-to-cf,expand-strided-metadata,lower-affine,"
          "convert-gpu-to-rocdl{chipset=gfx90a},reconcile-unrealized-casts),gpu-module-to-binary{format=isa})")  # fmt: skip
LDS = re.compile(r"amdhsa_group_segment_fixed_size (\d+)")


def compiled(text, pipeline):
    return process.call([Path(places.llvm_bindir()) / "mlir-opt", f"--pass-pipeline={pipeline}"], text).out


def reserved(text):
    """Bytes of shared memory in the PTX of a kernel."""
    target = "chip=sm_90 features=+ptx80" if "tma.async" in text else "chip=sm_80"
    ptx = compiled(text, TO_PTX.format(target))
    found = SHARED.findall(ptx)
    if ("cp.async" in ptx) != ("nvgpu" in text) or not found:
        raise ToolError("no kernel with its copies and shared memory came out")
    return sum(map(int, found))


def reserved_on_amd(text):
    """The same in the assembly for AMD, of a kernel that has no ops of NVIDIA's."""
    return "-" if "nvgpu" in text else int(LDS.search(compiled(text, TO_GCN))[1])


def row_of(opt, path):
    text = path.read_text()
    by_hand = int(re.search(r"by hand: (\d+)", text)[1])
    before = reserved(process.call([opt], text).out)
    planned = process.call([opt, "--merge-alloc", "--check-arena-plan"], text).out
    after = reserved(planned)
    return [path.stem, before, after, reserved_on_amd(planned), by_hand, f"{after / by_hand:.2f}", DEVICE // before, DEVICE // after]


def main():
    args = measure.arguments(__doc__).parse_args()
    head = ["<kernel", "as written", "merge-alloc", "on gfx90a", "by hand", "of that", "at a time, as written", "merge-alloc"]
    rows = [row_of(args.opt, path) for path in sorted(KERNELS.glob("*.mlir"))]
    tables.write(args.output, f"# Shared memory of pipelined kernels\n\n{HEAD}\n\n{tables.table(head, rows)}")
    return 0


HEAD = """\
Written by `python3 -m bench.arena.kernels`. Kernels that fetch tiles ahead while they work on others, in the form that compilers of tiled
programs print, with the arithmetic of one element per thread: [bench/arena/kernels](arena/kernels). A comment there says what lies where by
hand. The test `exec-kernels.pocl` runs them all but gemm_tma: every bit of what they give is the same after merge-alloc. Bytes are those
of the PTX for sm_80, or sm_90 where TMA loads tiles, and of the assembly for gfx90a where a kernel has no copies of NVIDIA's. The last
two columns: workgroups that fit into 100 KiB at a time."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
