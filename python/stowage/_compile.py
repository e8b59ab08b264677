# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a program: a road to MLIR's text, passes, machine code."""

from __future__ import annotations

import re
import time
from typing import Callable, Optional

from stowage import _roads
from stowage._errors import CompileError
from stowage._library import Compiler, find_target
from stowage._memory import Memory
from stowage._program import Function, Program

# What converters leave of TOSA; nothing of it touches a module without.
TO_LINALG = ("inline,func.func(tosa-convert-integer-type-to-signless),tosa-to-mlprogram,func.func("
             "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale},tosa-to-tensor,tosa-to-scf),"
             "canonicalize,cse")
ARENAS = ("argument", "global")
DYNAMIC = ("off", "exact", "bound")


def compile(model, *inputs, capacity: Optional[int] = None, reduce_peak: bool = True, arena: str = "argument",
            dynamic: str = "off", name: Optional[str] = None, dims: Optional[dict] = None,
            progress: Optional[Callable[[str, float], None]] = None) -> Program:
    """Compiles a model to a program that works in one arena and never calls malloc.

    model       a torch.nn.Module or a JAX function, with arrays like its `inputs`; a path to an .onnx, .tflite or
                .mlir file (linalg, TOSA or StableHLO); or MLIR's text
    inputs      arrays of the shapes and types that the program is for; only modules and functions need them
    capacity    bytes that the arena may have; a larger one is a CapacityError that lists what is live at the peak
    reduce_peak run the network row by row, reorder it, remove copies: the smallest arena, in more time
    arena       "argument" (the caller's memory) or "global" (the object's own, one call at a time)
    dynamic     "off", "exact" or "bound": buffers whose size is known at run time only
    name        of the function in C; as the model's file by default
    dims        for ONNX: sizes of dimensions, by name or as "input.axis"; 1 where none is given
    progress    called with each stage and the seconds it took

    Raises CompileError; its text names the op, the tool that refused it, and what to do.
    """
    _check_word("arena", arena, ARENAS)
    _check_word("dynamic", dynamic, DYNAMIC)
    tell = _Clock(progress)
    road = _roads.read(model, inputs, dims or {})
    tell(f"convert ({road.tool})")
    _check_state(road)
    compiler = Compiler()
    module = compiler.parse(road.text, road.source)
    tell("parse")
    entry = _entry(module, name or road.name)
    del road  # whose text may be as large as all weights
    before = dict(module.functions())[entry]
    module.run("linalg", TO_LINALG)
    tell("linalg")
    tensors = module.clone()
    memory = Memory(entry, arena, dynamic)
    planned = memory.plan(module, reduce_peak, capacity)
    tell("plan")
    after = module.clone()
    host = find_target("host")
    module.lower(host)
    machine_code = module.emit(host)
    tell("machine code")
    function = Function(entry, before, dict(after.functions())[entry], planned.header)
    return Program(after, tensors, memory, function, machine_code, planned)


class _Clock:
    def __init__(self, progress):
        self.progress = progress
        self.begin = time.monotonic()

    def __call__(self, stage):
        now = time.monotonic()
        if self.progress:
            self.progress(stage, now - self.begin)
        self.begin = now


def _check_word(option, given, words):
    if given not in words:
        raise ValueError(f"{option}: expected {' or '.join(words)}, not {given!r}")


def _check_state(road):
    """MLIR 22 bufferizes stores to global tensors wrongly, without a word."""
    op = next((op for op in ("tosa.variable_write", "ml_program.global_store") if op.encode() in road.text), None)
    if op:
        raise CompileError("linalg", text=f"{road.source}: {op}: the model keeps state from call to call",
                           advice="make the state an argument and a result of the model")


def _entry(module, wanted):
    """The name in C of the one function that is called from outside."""
    names = [name for name, _ in module.functions()]
    if not names:
        raise CompileError("parse", text="the model has no public function with a body")
    found = wanted if wanted in names else "main" if "main" in names else names[0]
    if len(names) > 1 and found not in (wanted, "main"):
        raise CompileError("parse", text=f"which function? There are {', '.join(names)}", advice="give `name`")
    name = re.sub(r"\W", "_", wanted) or "model"
    name = "model" if name == "main" else f"model_{name}" if name[0].isdigit() else name
    if found != name:
        module.rename(found, name)
    return name
