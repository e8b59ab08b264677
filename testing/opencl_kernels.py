# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of a GPU module, run by OpenCL as one workgroup: the bits that it leaves in the arrays that it gets."""

import ctypes
import re
import struct
from pathlib import Path

from fuzz.kernels import translate
from fuzz.paths import generic
from testing import opencl_c, places, process
from testing.opencl import Local

NUMBERS = {"index": ctypes.c_uint64, "i1": ctypes.c_uint8, "i8": ctypes.c_uint8, "i32": ctypes.c_uint32, "f32": ctypes.c_float,
           "f64": ctypes.c_double}  # fmt: skip
FORMS = {"f16": "e", "f32": "f", "f64": "d"}
MEMREF = re.compile(r"memref<((?:\d+x)*)(\w+)>")


class Kernel:
    """Of a text with one `gpu.func`."""

    def __init__(self, device, text):
        opt = Path(places.llvm_bindir()) / "mlir-opt"
        module = generic.read_modules(process.call([opt, "--mlir-print-op-generic"], text).out)[0]
        ops = list(translate.ops_in(module))
        self.device, self.function = device, next(op for op in ops if op.name == "gpu.func")
        self.dynamic = int(translate.dynamic_bytes(ops))
        self.source = opencl_c.source_of(text)
        self.copies = "start(started, " in self.source

    def run(self, threads, poison=0, late=False):
        """`poison`: what workgroup memory holds before; `late`: copies are done when they are waited for."""
        program = self.device.build(self.source, "-DLATE" if late and self.copies else "")
        given = [value for seed, type in enumerate(self.parameters()) for value in argument(type, seed)]
        if "__local uchar *dynamic," in self.source:
            given += [Local(self.dynamic), ctypes.c_uint64(self.dynamic)]
        return b"".join(self.device.run(program, opencl_c.name_of(self.function), [*given, ctypes.c_uint8(poison)], (threads, 1, 1)))

    def parameters(self):
        return [type for type in self.function.regions[0][0].types if "address_space" not in type]


def argument(type, seed):
    """What a parameter of that type gets: of a memref its base, which nothing reads, and what describes it."""
    found = MEMREF.fullmatch(type)
    if not found:
        return [NUMBERS[type](2)]
    sizes = [int(n) for n in found[1].split("x") if n]
    strides = [1] * len(sizes)
    for i in reversed(range(len(sizes) - 1)):
        strides[i] = strides[i + 1] * sizes[i + 1]
    return [bytes(1), contents(found[2], strides[0] * sizes[0], seed), *map(ctypes.c_uint64, [0, *sizes, *strides])]


def contents(element, count, seed):
    """Small numbers, in eighths."""
    numbers = [(i * (7 - 2 * seed) % 31 - 9 * seed) / 8 for i in range(count)]
    return struct.pack(f"<{count}{FORMS[element]}", *numbers)
