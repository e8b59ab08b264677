# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_torch.py MODEL.pt2 OUT.mlir: a saved torch.export program as linalg on tensors, by torch-mlir."""

import sys

import torch
from torch_mlir import fx
from torch_mlir.passmanager import PassManager

# Sorting, scattering and scanning are a dialect of torch-mlir's own, which becomes loops before it leaves.
OWN_OPS_TO_LOOPS = (
    "builtin.module(func.func(tm-tensor-bufferize),one-shot-bufferize{copy-before-write bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},canonicalize,cse,func.func(tm-tensor-to-loops),canonicalize,cse)")

source, target = sys.argv[1:3]
module = fx.export_and_import(torch.export.load(source), output_type="linalg-on-tensors", func_name="main")
if "tm_tensor." in str(module.operation.get_asm(large_elements_limit=16)):
    with module.context:
        PassManager.parse(OWN_OPS_TO_LOOPS).run(module.operation)
with open(target, "w") as file:
    file.write(module.operation.get_asm(enable_debug_info=False))
