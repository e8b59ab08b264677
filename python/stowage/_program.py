# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model: called with arrays, looked at, saved as C."""

from __future__ import annotations

import ctypes
import html
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from stowage._errors import MISSED, REMARK, CompileError
from stowage._library import archive, find_target

ELEMENTS = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "i1": np.bool_, "index": np.intp,
    **{f"{sign}i{bits}": np.dtype(f"i{bits // 8}") for sign in ("", "s") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
    "bf16": np.uint16,  # its bits
}


@dataclass(frozen=True)
class Array:
    """Shape and element type of an argument or a result."""

    shape: tuple  # of a dimension that is not known before run time, None
    element: str  # as MLIR writes it

    @property
    def dtype(self):
        if self.element not in ELEMENTS:
            raise CompileError("call", text=f"elements of type {self.element} are not numpy's")
        return np.dtype(ELEMENTS[self.element])

    @property
    def bytes(self):
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def __str__(self):
        return f"{self.element}[{', '.join('?' if size is None else str(size) for size in self.shape)}]"


def read_types(text):
    """The types of tensors and memrefs in a list, in order; a number is an array without dimensions."""
    types = []
    for shaped, plain in re.findall(r"(?:tensor|memref)<((?:[^<>]|<[^<>]*>)*)>|(?<![\w<])((?:[su]?i|f|bf)\d+|index)\b", text):
        sizes = re.match(r"((?:(?:\d+|\?)x)*)(.*)", shaped or plain)
        shape = tuple(None if size == "?" else int(size) for size in sizes.group(1).split("x")[:-1])
        types.append(Array(shape, sizes.group(2).split(",")[0].strip()))
    return types


class Function:
    """How the entry point is called: inputs, memory of results, the arena."""

    def __init__(self, name, before, after, header):
        inputs, results = re.split(r"\) -> ", before + " ", maxsplit=1)
        self.name, self.header = name, header
        self.inputs, self.results = read_types(inputs), read_types(results)
        self.arguments = read_types(after.split(") -> ")[0])
        bytes_of = re.search(r"_ARENA_BYTES (\d+)", header)
        alignment = re.search(r"_ARENA_ALIGNMENT (\d+)", header)
        self.arena_bytes = int(bytes_of.group(1)) if bytes_of else 0
        self.alignment = int(alignment.group(1)) if alignment else 64
        self.takes_arena = len(self.arguments) > len(self.inputs) + len(self.results)

    def check(self, given):
        if len(given) != len(self.inputs):
            raise ValueError(f"{self.name} takes {len(self.inputs)} arrays, not {len(given)}")
        return [self._check_one(i, array) for i, array in enumerate(given)]

    def _check_one(self, index, given):
        wanted, array = self.inputs[index], np.asarray(given)
        fits = len(array.shape) == len(wanted.shape) and all(
            size in (None, actual) for size, actual in zip(wanted.shape, array.shape))
        if not fits or array.dtype != wanted.dtype:
            raise ValueError(f"{self.name}: input {index} is {wanted}, not {array.dtype}{list(array.shape)}")
        return np.ascontiguousarray(array).reshape(array.shape)


def aligned(size, alignment):
    """Bytes that begin at a multiple of `alignment`."""
    memory = np.empty(size + alignment, np.uint8)
    begin = -memory.ctypes.data % alignment
    return memory[begin:begin + size]


class Program:
    """A model whose memory is planned. `program(*arrays)` runs it on this computer."""

    def __init__(self, module, tensors, memory, function, machine_code, planned):
        self._compiler, self._module, self._tensors = module.compiler, module, tensors
        self._memory, self._function, self._object, self._planned = memory, function, machine_code, planned
        self.report = planned.report
        self.weight_bytes = module.constant_bytes()
        self.name = function.name
        self.arena_bytes = function.arena_bytes

    state_bytes = 0

    @property
    def inputs(self):
        """Shapes and types of what it is called with."""
        return list(self._function.inputs)

    @property
    def results(self):
        """Shapes and types of what it returns."""
        return list(self._function.results)

    @property
    def remarks(self):
        """What passes did and what they left alone, each with a reason and a suggestion where there is one."""
        return [message for message in self._compiler.messages if message.kind in (REMARK, MISSED)]

    @property
    def header(self):
        """The C header."""
        return self._function.header

    @property
    def mlir(self):
        """The planned module, as text."""
        return str(self._module)

    @cached_property
    def _whole(self):
        """The arena's entry in the report of a plan without reduce-peak."""
        return self._memory.plan(self._tensors.clone(), reduce_peak=False).report.get("arenas", [])

    @property
    def unplanned_bytes(self):
        """All buffers, each in memory of its own."""
        return sum(arena["planned_bytes"] + arena["left_alone_bytes"] for arena in self._whole)

    @property
    def unreduced_bytes(self):
        """The arena of the network as it is, op by op."""
        return sum(arena["arena_size"] for arena in self._whole)

    @cached_property
    def map(self):
        """The memory map, drawn in a notebook; `str(program.map)` is an HTML page."""
        return Map(self._planned.page)

    @cached_property
    def _call(self):
        code = self._compiler.load(self._object)
        count = len(self._function.arguments)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(code.find(self.name))
        call.code = code  # which it needs
        return call

    @cached_property
    def _arena(self):
        return aligned(self.arena_bytes, self._function.alignment)

    def __call__(self, *arrays):
        """Results as a numpy array, or a tuple where there are several. Calls of one program are not for two threads."""
        function = self._function
        given = function.check(arrays)
        results = [np.empty(result.shape, result.dtype) for result in function.results]
        memory = given + results + ([self._arena] if function.takes_arena else [])
        self._call(*(array.ctypes.data for array in memory))
        return results[0] if len(results) == 1 else tuple(results)

    def save(self, folder, target: str = "host"):
        """Writes NAME.o, NAME.h, libNAME.a and example.c, which calls it. Returns their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        code = self._object if target == "host" else self.object(target)
        files = {f"{self.name}.o": code, f"{self.name}.h": self.header.encode(), "example.c": self._example().encode()}
        for name, data in files.items():
            (folder / name).write_bytes(data)
        library = folder / f"lib{self.name}.a"
        with library.open("wb") as file:
            archive(f"{self.name}.o", code, file)
        return [*(folder / name for name in files), library]

    def object(self, target: str = "host") -> bytes:
        """Machine code for a processor by its short name."""
        module, machine = self._module.clone(), find_target(target)
        module.lower(machine)
        return module.emit(machine)

    def _example(self):
        function, macro = self._function, self.name.upper()
        arrays = [(f"in{i}", array) for i, array in enumerate(function.inputs)]
        arrays += [(f"out{i}", array) for i, array in enumerate(function.results)]
        lines = [f'#include "{self.name}.h"', ""]
        lines += [f"static _Alignas(64) unsigned char {name}[{max(array.bytes, 1)}]; /* {array} */"
                  for name, array in arrays]
        if function.takes_arena:
            lines.append(f"static _Alignas({macro}_ARENA_ALIGNMENT) unsigned char arena[{max(self.arena_bytes, 1)}];")
        names = [f"(void *){name}" for name, _ in arrays] + (["arena"] if function.takes_arena else [])
        lines += ["", "int main(void) {", f"  {self.name}({', '.join(names)});", "  return 0;", "}", ""]
        return "\n".join(lines)

    def __repr__(self):
        return (f"<stowage program {self.name}({', '.join(map(str, self.inputs))}) -> "
                f"{', '.join(map(str, self.results))}, arena {self.arena_bytes:,} bytes>")

    def _repr_html_(self):
        return f"<code>{html.escape(repr(self))}</code>{self.map._repr_html_()}"


class Map:
    """A page with the memory map."""

    def __init__(self, page):
        self.page = page

    def __str__(self):
        return self.page

    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width:100%;height:40em;border:0"></iframe>'
