# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a program: a road to MLIR's text, passes, machine code."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path
from typing import Callable, Optional, Union

from stowage import _roads
from stowage._errors import CompileError
from stowage._library import CONSTANTS_SYMBOL, Compiler, positive_bytes
from stowage._memory import Memory
from stowage._program import Function, Program, read_function
from stowage._sizes import check_dims, open_dims, read_stated, teller, with_tellers

# The pattern left out, which inline would run as well, loses the stride of a padded tensor that goes into zeros; its name is as Clang
# writes it, and as GCC does.
CANONICALIZE = "canonicalize{disable-patterns={(anonymous namespace)::FoldInsertPadIntoFill,{anonymous}::FoldInsertPadIntoFill}}"
# What converters leave of TOSA; nothing of it touches a module without.
TO_LINALG = ("inline{default-pipeline=},symbol-dce,func.func(tosa-convert-integer-type-to-signless),tosa-to-mlprogram,func.func("
             "tosa-optional-decompositions,tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale},tosa-to-tensor,"
             f"tosa-to-scf),{CANONICALIZE},cse")
# Of functions that tell the sizes of results arithmetic is left. Sizes are not negative, so that converters' checks of that go, and with
# them the divisions that would keep a size from being known where the arena begins.
OPEN_SIZES = f"scf-for-loop-canonicalization,resolve-ranked-shaped-type-result-dims,resolve-shaped-type-result-dims,int-range-optimizations,{CANONICALIZE},cse"
C_WORDS = ("asm auto break case char const continue default do double else enum extern float for goto if inline int long register "
           "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while").split()
ARENAS = ("argument", "global")
DYNAMIC = ("off", "exact", "bound")


def compile(model, *inputs, capacity: Union[int, str, None] = None, reduce_peak: bool = True, arena: str = "argument",
            dynamic: str = "off", name: Optional[str] = None, dims: Optional[dict] = None,
            memories: Union[str, Path, None] = None,
            progress: Optional[Callable[[str, float], None]] = None) -> Program:
    """Compiles a model to a program that works in one arena and never calls malloc.

    model       a torch.nn.Module or a JAX function, with arrays like its `inputs`; a path to an .onnx, .tflite or
                .mlir file (linalg, TOSA or StableHLO); or MLIR's text
    inputs      arrays of the shapes and types that the program is for; only modules and functions need them
    capacity    bytes that the arena may have, 65536 or "64KiB"; to fit, ops run again where reduce_peak is not enough; what cannot fit is
                a CapacityError that says what is in the way
    reduce_peak run the network row by row, reorder it, remove copies: the smallest arena, in more time
    arena       "argument" (the caller's memory) or "global" (the object's own, one call at a time)
    dynamic     for sizes that change from call to call: "exact", an arena as large as those of the call need; "bound", one for the largest
    name        of the function in C; as the model's file by default
    dims        sizes of dimensions, by name (ONNX) or as "input.axis" (ONNX, PyTorch): a number, or (least, most) of one that changes from
                call to call, with `dynamic`. ONNX: 1 where none is given, and an input of one integer becomes the constant given
    memories    file of the machine's memories, fast and slow, in which buffers are placed (docs/fit-memory.md); instead of `capacity`. There is
                an arena in each, which C code gives to the function; a call from Python has all of them in this computer's memory
    progress    called with each stage and the seconds it took

    Raises CompileError; its text names the op, the tool that refused it, and what to do.
    """
    tell = Clock(progress)
    program = plan_model(model, inputs, capacity, reduce_peak, arena, dynamic, name, dims, memories, tell)
    program.load()
    tell("machine code")
    return program


def plan_model(model, inputs, capacity, reduce_peak, arena, dynamic, name, dims, memories, tell):
    """A program without machine code."""
    _check_word("arena", arena, ARENAS)
    _check_word("dynamic", dynamic, DYNAMIC)
    capacity, dims = positive_bytes("capacity", capacity), dims or {}
    check_dims(dims, dynamic)
    memories = _check_memories(memories, capacity, arena, dynamic)
    road = _roads.read(model, inputs, dims)
    tell(f"convert ({road.tool})")
    compiler = Compiler()
    module = compiler.parse(road.text, road.source, road.constants)
    found, entry = _entry(module, name or road.name)
    kind = dict(module.functions())[found]
    inputs, results = read_function(kind, road.elements)
    _check_sizes(inputs, results)
    tellers = [teller(entry, *dim) for dim in open_dims(results)]
    if tellers:
        module = Compiler().parse(with_tellers(road.text, found, entry, kind, inputs, results), road.source, road.constants)
    tell("parse")
    for is_result, arrays in enumerate((inputs, results)):
        for index, array in enumerate(arrays):
            if array.element.startswith("ui"):
                module.mark_unsigned(found, bool(is_result), index)
    stated = [read_stated(module.argument_says(found, index, "stowage.dims")) for index in range(len(inputs))]
    del road  # which has the dense constants once more
    module.run("linalg", TO_LINALG)
    for one in tellers:
        module.forget_stores(one)
    if any(array.is_open for array in inputs):
        module.run("linalg", OPEN_SIZES)
    if found != entry:
        module.rename(found, entry)
    tell("linalg")
    tensors = module.clone()
    memory = Memory((entry, *tellers), arena, dynamic, memories)
    planned = memory.plan(module, reduce_peak, capacity)
    tell("plan")
    return Program(module, tensors, memory, Function(entry, inputs, results, planned.header, stated), planned)


class Clock:
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


def _check_sizes(inputs, results):
    for side, arrays in (("input", inputs), ("result", results)):
        for index, array in enumerate(arrays):
            if not array.is_open and math.prod(array.shape) >= 2**59:  # numbers of 16 bytes
                raise CompileError("parse", text=f"{side} {index} is {array}: its bytes are more than 64 bits can count")


def _check_memories(path, capacity, arena, dynamic):
    """The file, for wherever passes run; None: there is one memory."""
    if path is None:
        return None
    if capacity:
        raise ValueError("memories: each has its bytes; `capacity` is for one memory")
    if arena != "argument" or dynamic != "off":
        raise ValueError("memories: arenas are arguments, of sizes that do not change: leave `arena` and `dynamic` as they are")
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    return Path(path).resolve()


def _entry(module, wanted):
    """The one function that is called from outside, and its name in C."""
    names = [name for name, _ in module.functions()]
    if not names:
        raise CompileError("parse", text="the model has no public function with a body")
    found = wanted if wanted in names else "main" if "main" in names else names[0]
    if len(names) > 1 and found not in (wanted, "main"):
        raise CompileError("parse", text=f"which function? There are {', '.join(names)}", advice="give `name`")
    name = re.sub(r"\W", "_", wanted, flags=re.ASCII) or "model"
    name = "model" if name == "main" else f"model_{name}" if name[0].isdigit() or name in (*C_WORDS, CONSTANTS_SYMBOL) else name
    return found, name
