# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch-mlir's pipeline to linalg on tensors, without the pattern of canonicalize that padding.py is about."""

import padding
from torch_mlir import ir
from torch_mlir.dialects import torch  # noqa: F401: whose library has the passes
from torch_mlir.passmanager import PassManager

NAME = "torch-backend-to-linalg-on-tensors-backend-pipeline"


def passes():
    """Those of the pipeline, inside of builtin.module(...)."""
    padding.check(ir, PassManager)
    with ir.Context():
        text = str(PassManager.parse(f"builtin.module({NAME})"))
    return text.removeprefix("builtin.module(").removesuffix(")").replace("canonicalize{", f"canonicalize{{{padding.LEFT_OUT} ")
