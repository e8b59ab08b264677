# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of examples/generate.py."""

import sys

from testing import places, process

BUFFERIZE = ("eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{"
             "bufferize-function-boundaries=1 function-boundary-type-conversion="
             "identity-layout-map},canonicalize,cse")  # fmt: skip
DEALLOCATION = "buffer-deallocation-pipeline"
LIVENESS = "func.func(optimize-allocation-liveness)"


def generate(*arguments):
    """A network as linalg on tensors."""
    return process.call([sys.executable, places.ROOT / "examples" / "generate.py", *arguments]).out


def bufferize(tools, tensors):
    """A network right after one-shot bufferization, without a dealloc."""
    return tools.apply(tensors, f"builtin.module({BUFFERIZE})", opt=tools.mlir_opt)


def bufferized(tools, *arguments):
    return bufferize(tools, generate(*arguments))
