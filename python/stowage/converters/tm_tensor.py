# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, scattering and scanning are a dialect of torch-mlir's own, tm_tensor, which becomes loops before it leaves."""

from torch_mlir import ir
from torch_mlir.dialects import torch  # noqa: F401: whose library has the passes
from torch_mlir.passmanager import PassManager

BUFFERIZE = "func.func(tm-tensor-bufferize)"
TO_LOOPS = (
    f"builtin.module({BUFFERIZE},one-shot-bufferize{{copy-before-write bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},canonicalize,cse,func.func(tm-tensor-to-loops),canonicalize,cse)")
MARK = "tm_tensor."


def to_loops(module):
    with module.context:
        PassManager.parse(TO_LOOPS).run(module.operation)


def text_to_loops(text):
    """Of linalg on tensors that has MARK."""
    with ir.Context():  # which has the dialect when one of its passes has run
        PassManager.parse(f"builtin.module({BUFFERIZE})").run(ir.Module.parse("").operation)
        module = ir.Module.parse(text)
        to_loops(module)
        return module.operation.get_asm(enable_debug_info=True)
