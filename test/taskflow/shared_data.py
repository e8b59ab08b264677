# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks on programs that lie beside the tree, in ../shared/data/taskflow or $STOWAGE_SHARED.

    shared_data.py holes | resnet

Where they are not there, there is nothing to check.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from testing import places
from testing.execute import Tools, difference
from testing.taskflow import fuse

DATA = places.SHARED / "taskflow"
# What the pipeline of lower.sh leaves of a tosa.pad is a memref.copy into a subview.
TOSA_TO_AFFINE = """builtin.module(func.func(tosa-infer-shapes,tosa-make-broadcastable,
    tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},tosa-to-tensor,
    linalg-generalize-named-ops),canonicalize,one-shot-bufferize{bufferize-function-boundaries=1
    function-boundary-type-conversion=identity-layout-map},func.func(convert-linalg-to-affine-loops,
    affine-loop-normalize,affine-simplify-structures),canonicalize,cse)"""

# Calls @forward with pseudo-random input and prints every bit of its result.
MAIN = """
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 4096 : index
    %input = memref.alloc() : memref<1x64x8x8xf32>
    %flat = memref.collapse_shape %input [[0, 1, 2, 3]] : memref<1x64x8x8xf32> into memref<4096xf32>
    %a = arith.constant 1103515245 : i32
    %b = arith.constant 12345 : i32
    %eight = arith.constant 16 : i32
    %scale = arith.constant 3.0517578125e-05 : f32
    %seed = arith.constant 3000009 : i32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %seed) -> (i32) {
      %y = arith.muli %x, %a : i32
      %z = arith.addi %y, %b : i32
      %h = arith.shrsi %z, %eight : i32
      %f = arith.sitofp %h : i32 to f32
      %g = arith.mulf %f, %scale : f32
      memref.store %g, %flat[%i] : memref<4096xf32>
      scf.yield %z : i32
    }
    %result = call @forward(%input) : (memref<1x64x8x8xf32>) -> memref<1x64x8x8xf32>
    %out = memref.collapse_shape %result [[0, 1, 2, 3]] : memref<1x64x8x8xf32> into memref<4096xf32>
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %out[%i] : memref<4096xf32>
      %bits = arith.bitcast %v : f32 to i32
      vector.print %bits : i32
    }
    return
  }
}
"""


def expect(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what}: {actual}, not {expected}")


def holes():
    variants = Path(__file__).with_name("variants.py")
    for program in sorted((DATA / "holes").glob("*.mlir")):
        subprocess.run([sys.executable, variants, program, "--noalias", "--fuses", "1"], check=True)


def figures(of):
    return [of[key] for key in ("tasks", "bytes", "loads", "stores")]


def resnet():
    tools = Tools()
    tosa = (DATA / "simple_resnet_tosa22.mlir").read_text()
    with tempfile.NamedTemporaryFile("r", suffix=".mlir") as affine:
        subprocess.run([DATA / "lower.sh", DATA / "simple_resnet_tosa22.mlir", affine.name], check=True)
        lowered = affine.read()
    program = re.sub(r"}\s*$", "", lowered) + MAIN
    (forward, *_), after = fuse(tools, lowered)
    expect("before", figures(forward["before"]), [15, 198656, 9478144, 4776448])
    expect("after", figures(forward["after"]), [1, 33792, 5617664, 34048])
    (equal, *_), _ = fuse(tools, lowered, "windows=false")
    expect("equal bounds", figures(equal["after"]), [6, 83968, 4730880, 29184])
    (fewest, *_), _ = fuse(tools, lowered, "windows=false allow-higher-peak")
    expect("fewest", figures(fewest["after"]), [5, 67584, 4726784, 25088])
    reference = tools.run(program, level=2)
    for options in ["", "windows=false"]:
        _, program_after = fuse(tools, program, options)
        problem = difference(reference, tools.run(program_after, level=2))
        if problem:
            sys.exit(f"{options}: {problem}")
    copies = tools.apply(tosa, TOSA_TO_AFFINE, opt=tools.mlir_opt)
    (plain, *_), _ = fuse(tools, copies, "allow-permutation=false allow-reduction=false")
    expect("plain", [plain["before"]["tasks"], plain["after"]["tasks"]], [13, 10])
    expect("names", [(pair["round"], pair["fused"]) for pair in plain["pairs"] if "fused" in pair],
           [(1, "Task_4_Task_5_fused"), (1, "Task_11_Task_12_fused"),
            (2, "Task_10_Task_11_Task_12_fused_fused")])


if __name__ == "__main__":
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to check")
    else:
        {"holes": holes, "resnet": resnet}[sys.argv[1]]()
