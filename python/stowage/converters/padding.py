# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pattern of canonicalize in MLIR adds the low padding of a tensor that goes into zeros to the offset, not times the stride."""

import sys

PATTERN = "FoldInsertPadIntoFill"
LEFT_OUT = f"disable-patterns={{(anonymous namespace)::{PATTERN},{{anonymous}}::{PATTERN}}}"  # as Clang and GCC write it
CANONICALIZE = f"canonicalize{{{LEFT_OUT}}}"
PADDED = """func.func @padded(%x: tensor<2xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<9xf32>) -> tensor<9xf32>
  %padded = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<4xf32>
  %made = tensor.insert_slice %padded into %zeros[1] [4] [2] : tensor<4xf32> into tensor<9xf32>
  return %made : tensor<9xf32>
}
"""


def check(ir, manager):
    """Ends the converter whose canonicalize is wrong for all that: its pattern may have got another name."""
    with ir.Context():
        module = ir.Module.parse(PADDED)
        manager.parse(f"builtin.module({CANONICALIZE})").run(module.operation)
        if "[2] [2] [2]" in str(module):
            sys.exit(f"error: this version's canonicalize loses strides ({PATTERN}); install the one that the package names")
