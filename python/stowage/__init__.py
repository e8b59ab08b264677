# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of networks, planned at compile time.

    plan(size, begin, end)      offsets for buffers with known lives
    compile(model, *inputs)     a program whose memory is one arena, from PyTorch, JAX, ONNX, TFLite or MLIR
"""

from stowage._compile import compile
from stowage._errors import CapacityError, CompileError, Error, InfeasibleError, Message
from stowage._plan import Plan, plan
from stowage._program import Program

__all__ = ["CapacityError", "CompileError", "Error", "InfeasibleError", "Message", "Plan", "Program", "compile", "plan"]
__version__ = "0.1.0"
