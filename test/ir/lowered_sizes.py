#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds our byte sizes and alignments against the ones of LLVM.

Sizes are measured: lowered code allocates buffers of each type, one with 64 elements more than
the other, and the counting allocator says how many bytes those took. Alignments are asked of
LLVM's own constant folder with the data layout of x86-64: an element is loaded with the natural
alignment of its LLVM type.
"""

import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from testing.execute import Tools

COUNT = 64
LLVM_TYPES = {
    "i1": "i1", "i4": "i4", "i7": "i7", "i8": "i8", "i9": "i9", "i16": "i16", "i24": "i24",
    "i32": "i32", "i33": "i33", "i48": "i48", "i64": "i64", "i100": "i100",
    "i128": "i128", "i256": "i256", "index": "i64",
    "f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double", "f80": "x86_fp80",
    "f128": "fp128", "f8E5M2": "i8", "f8E4M3FN": "i8", "f4E2M1FN": "i4", "f6E3M2FN": "i6",
    "complex<f16>": "{half, half}", "complex<f32>": "{float, float}",
    "complex<f64>": "{double, double}", "complex<f80>": "{x86_fp80, x86_fp80}",
    "complex<i1>": "{i1, i1}", "complex<i24>": "{i24, i24}", "complex<i128>": "{i128, i128}",
    "vector<2xi1>": "<2 x i1>", "vector<8xi1>": "<8 x i1>", "vector<9xi1>": "<9 x i1>",
    "vector<4xi4>": "<4 x i4>", "vector<3xi8>": "<3 x i8>", "vector<3xi24>": "<3 x i24>",
    "vector<5xi16>": "<5 x i16>", "vector<1xf32>": "<1 x float>", "vector<f32>": "<1 x float>",
    "vector<2xf32>": "<2 x float>", "vector<3xf32>": "<3 x float>", "vector<4xf32>": "<4 x float>",
    "vector<7xf32>": "<7 x float>", "vector<8xf32>": "<8 x float>",
    "vector<16xf32>": "<16 x float>",
    "vector<2xf80>": "<2 x x86_fp80>", "vector<3xf64>": "<3 x double>",
    "vector<4xindex>": "<4 x i64>", "vector<2xi128>": "<2 x i128>",
    "vector<2x3xf32>": "[2 x <3 x float>]", "vector<3x8xi1>": "[3 x <8 x i1>]",
    "vector<2x2x5xi16>": "[2 x [2 x <5 x i16>]]",
    "memref<4xf32>": "{ptr, ptr, i64, [1 x i64], [1 x i64]}",
    "memref<f32>": "{ptr, ptr, i64}", "memref<*xf32>": "{i64, ptr}",
    "memref<?x?xf64, strided<[?, ?], offset: ?>>": "{ptr, ptr, i64, [2 x i64], [2 x i64]}",
    "memref<2xmemref<i8>>": "{ptr, ptr, i64, [1 x i64], [1 x i64]}",
}
DATA_LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"


def memref(element, count=COUNT):
    return f"memref<{count}x{element}>"


# Without aligned_alloc, so that no size is rounded up.
LOWER = ("builtin.module(finalize-memref-to-llvm{use-generic-functions=1},convert-arith-to-llvm,"
         "convert-func-to-llvm,reconcile-unrealized-casts)")

# An alloc whose address nobody sees is folded away.
ALLOCATE = """
func.func private @printI64(i64)
func.func @main() {{
  %a = memref.alloc() : {0}
  %p = memref.extract_aligned_pointer_as_index %a : {0} -> index
  %v = arith.index_cast %p : index to i64
  call @printI64(%v) : (i64) -> ()
  return
}}"""


def allocated(tools):
    """Bytes that lowered code asks of the allocator for 64 elements, in the table's order. The
    lowering adds an element's size where it aligns by hand; the difference of two is without it."""
    found = []
    for element in LLVM_TYPES:
        totals = []
        for count in (COUNT, 2 * COUNT):
            program = ALLOCATE.format(memref(element, count))
            run = tools.execute(tools.apply(program, LOWER, opt=tools.mlir_opt))
            totals.append(run.heap.total_bytes)
        found.append(totals[1] - totals[0])
    return found


def natural_alignments(tools):
    fields = "\n".join(
        f"@a{i} = global i64 ptrtoint (ptr getelementptr ({{i1, {llvm}}}, ptr null, i64 0, i32 1) "
        "to i64)" for i, llvm in enumerate(LLVM_TYPES.values()))
    text = f'target datalayout = "{DATA_LAYOUT}"\n{fields}\n'
    done = subprocess.run([tools.bindir / "opt", "-passes=globalopt", "-S"], input=text,
                          capture_output=True, text=True, check=True)
    return [int(n) for n in re.findall(r"^@a\d+ = .*global i64 (\d+)$", done.stdout, re.M)]


def ours(tools):
    lines = [f"%a{i} = memref.alloc() : {memref(t)}\n"
             f"memref.copy %a{i}, %a{i} : {memref(t)} to {memref(t)}\n"
             f"memref.dealloc %a{i} : {memref(t)}"
             for i, t in enumerate(LLVM_TYPES)]
    program = "func.func @f() {\n" + "\n".join(lines) + "\nreturn }"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sizes.csv")
        tools.apply(program, "builtin.module(buffer-reuse{analysis pool-all alignment-in-bytes=1 "
                             f"report=\"csv:{path}\"}})")
        rows = list(csv.DictReader(path.open()))
    return [(int(row["size"]), int(row["alignment"])) for row in rows]


def main():
    tools = Tools()
    table = list(zip(LLVM_TYPES, ours(tools), allocated(tools), natural_alignments(tools)))
    assert len(table) == len(LLVM_TYPES), "a type is missing"
    wrong = 0
    for element, (size, alignment), bytes_allocated, needed in table:
        good = size == bytes_allocated and alignment % needed == 0
        wrong += not good
        print(f"{'ok' if good else 'WRONG'} {element}: {size} bytes, alignment {alignment}; "
              f"LLVM: {bytes_allocated}, {needed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
