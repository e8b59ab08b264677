# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model: called with arrays, looked at, saved as C."""

from __future__ import annotations

import ctypes
import html
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from stowage._errors import MISSED, REMARK, CompileError
from stowage._library import archive, find_target

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = np.uint16  # its bits

ELEMENTS = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "i1": np.bool_, "index": np.intp,
    **{f"{sign}i{bits}": np.dtype(f"i{bits // 8}") for sign in ("", "s") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
    "bf16": bfloat16,
}


@dataclass(frozen=True)
class Array:
    """Shape and element type of an argument or a result."""

    shape: tuple  # of a dimension that is not known before run time, None
    element: str  # as MLIR writes it
    scalar: bool = False  # a number that is passed as such

    @property
    def dtype(self):
        if self.element not in ELEMENTS:
            raise CompileError("call", text=f"elements of type {self.element} are not numpy's")
        return np.dtype(ELEMENTS[self.element])

    def holds(self, dtype):
        """Whether arrays of this type are elements as they are: MLIR's integers may have no sign, and bf16 may be bits."""
        same = dtype == self.dtype or (self.element == "bf16" and dtype == np.uint16)
        return same or (self.element[0] == "i" and dtype.kind in "iu" and dtype.itemsize == self.dtype.itemsize)

    def empty(self):
        return np.empty(self.shape, self.dtype)

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
        types.append(Array(shape, sizes.group(2).split(",")[0].strip(), bool(plain)))
    return types


def read_layout(text):
    """Offset and strides of a memref in elements; None in the place of strides without gaps."""
    strides, offset = re.search(r"strided<\[([^]]*)\]", text), re.search(r"offset: (\d+)", text)
    return int(offset.group(1)) if offset else 0, strides and [int(n) for n in strides.group(1).split(",") if n.strip()]


AS_WRITTEN = "-"  # of an element, where a converter has nothing to add


def read_function(text, elements=None):
    """Inputs and results of a function by its type; `elements` are what the model calls theirs."""
    sides = [read_types(side) for side in re.split(r"\) -> ", text + " ", maxsplit=1)]
    if elements:
        sides = [[replace(array, element=element) if element != AS_WRITTEN else array for array, element in zip(*pair)] for pair in zip(sides, elements)]
    return sides


class Function:
    """How the entry point is called: inputs, state, memory of results, the arena, in this order."""

    def __init__(self, name, inputs, results, header):
        self.name, self.header, self.inputs, self.results = name, header, inputs, results
        said = self._comment()
        arguments = {word: read_types(text)[0] for word, text in re.findall(r"^ \*   (\w+): (.*)$", said, re.M)}
        self.returned = arguments.pop("returns", None)
        self.arguments = arguments
        self.made = [name for name in arguments if name.startswith("result")]
        elsewhere = re.findall(r"^ \*   result (\d+) of the program: (.*) in (\w+)$", said, re.M)
        self.places = self._places({int(index): place for index, _, place in elsewhere})
        self.layouts = {int(index): read_layout(text) for index, text, _ in elsewhere}
        self.arena_bytes, self.arena_alignment = self._number("ARENA_BYTES", 0), self._number("ARENA_ALIGNMENT", 64)
        self.state_bytes, self.state_alignment = self._number("STATE_BYTES", 0), self._number("STATE_ALIGNMENT", 64)

    def _number(self, macro, otherwise):
        found = re.search(rf"#define \w+_{macro} (\d+)", self.header)
        return int(found.group(1)) if found else otherwise

    def _comment(self):
        """What the header says of the arguments."""
        found = re.search(rf"^/\* {self.name}\n((?: \*   .*\n)*) \*/\n(?:/\* (no bare pointers: .*) \*/)?", self.header, re.M)
        if not found or found.group(2):
            why = found.group(2) if found else "C has no such name"
            raise CompileError("plan", text=f"{self.name} cannot be called from C: {why}",
                               advice="give another `name`, or have it take and return tensors of constant shape")
        return found.group(1)

    def _places(self, elsewhere):
        """Per result what holds it: an input, state, memory that was made for results, or what the call returns."""
        if self.returned:
            return ["returns"]
        places, made = [], iter(self.made)
        following = next(made, None)
        for i in range(len(self.results)):
            places.append(elsewhere.get(i, following))
            if places[-1] == following:
                following = next(made, None)
        return places

    def check(self, given):
        if len(given) != len(self.inputs):
            raise ValueError(f"{self.name} takes {len(self.inputs)} arrays, not {len(given)}")
        return [self._check_one(i, array) for i, array in enumerate(given)]

    def _check_one(self, index, given):
        wanted, array = self.inputs[index], np.asarray(given)
        fits = len(array.shape) == len(wanted.shape) and all(
            size in (None, actual) for size, actual in zip(wanted.shape, array.shape))
        if not fits or not wanted.holds(array.dtype):
            raise ValueError(f"{self.name}: input {index} is {wanted}, not {array.dtype}{list(array.shape)}")
        return np.ascontiguousarray(array).view(wanted.dtype).reshape(array.shape)


def ctypes_of(array):
    return np.ctypeslib.as_ctypes_type(array.dtype) if array.scalar else ctypes.c_void_p


def passed(array, kind):
    return array.item() if kind.scalar else array.ctypes.data


def aligned(size, alignment):
    """Bytes that begin at a multiple of `alignment`."""
    memory = np.empty(size + alignment, np.uint8)
    begin = -memory.ctypes.data % alignment
    return memory[begin:begin + size]


class Program:
    """A model whose memory is planned. `program(*arrays)` runs it on this computer."""

    def __init__(self, module, tensors, memory, function, planned):
        self._compiler, self._module, self._tensors = module.compiler, module, tensors
        self._memory, self._function, self._planned = memory, function, planned
        self.report = planned.report
        self.weight_bytes = module.constant_bytes()
        self.name = function.name
        self.arena_bytes, self.state_bytes = function.arena_bytes, function.state_bytes

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
    def _code(self):
        module, host = self._lowered("host")
        return module.code(host)

    def load(self):
        """Makes the machine code that a call runs, which `compile` has done."""
        self._call

    @cached_property
    def _call(self):
        kinds = [ctypes_of(array) for array in self._function.arguments.values()]
        returned = self._function.returned and ctypes_of(self._function.returned)
        return ctypes.CFUNCTYPE(returned, *kinds)(self._code.find(self.name))

    @cached_property
    def _arena(self):
        return aligned(self.arena_bytes, self._function.arena_alignment)

    @cached_property
    def _state(self):
        state = aligned(self.state_bytes, self._function.state_alignment)
        if self.state_bytes:
            initialize = self._code.find(f"{self.name}_state_init")
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(initialize)(state.ctypes.data)
        return state

    def reset(self):
        """The state is again what it was before the first call."""
        self.__dict__.pop("_state", None)

    def __call__(self, *arrays):
        """Results as a numpy array, or a tuple where there are several. Calls of one program are not for two threads."""
        function = self._function
        memory = dict(zip(function.arguments, function.check(arrays)))
        memory.update((name, function.arguments[name].empty()) for name in function.made)
        memory.update(arena=self._arena, state=self._state)
        returned = self._call(*(passed(memory[name], kind) for name, kind in function.arguments.items()))
        if function.returned:
            memory["returns"] = np.array([returned], function.returned.dtype)
        results = [self._result(i, memory) for i in range(len(function.places))]
        return results[0] if len(results) == 1 else tuple(results)

    def _result(self, index, memory):
        function, result = self._function, self._function.results[index]
        array, layout = memory[function.places[index]].reshape(-1).view(result.dtype), function.layouts.get(index)
        if layout is None and function.places[index] in (*function.made, "returns"):
            return array.reshape(result.shape)
        offset, strides = layout or (0, None)
        strides = strides and [stride * result.dtype.itemsize for stride in strides]
        return np.ndarray(result.shape, result.dtype, array, offset * result.dtype.itemsize, strides).copy()

    def save(self, folder, target: str = "host"):
        """Writes NAME.o, NAME.h, libNAME.a and example.c, which calls it. Returns their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        code = self.object(target)
        files = {f"{self.name}.o": code, f"{self.name}.h": self.header.encode(), "example.c": self._example().encode()}
        for name, data in files.items():
            (folder / name).write_bytes(data)
        library = folder / f"lib{self.name}.a"
        with library.open("wb") as file:
            archive(f"{self.name}.o", code, file)
        return [*(folder / name for name in files), library]

    def object(self, target: str = "host") -> bytes:
        """Machine code for a processor by its short name."""
        module, machine = self._lowered(target)
        return module.emit(machine)

    def _lowered(self, target):
        module, machine = self._module.clone(), find_target(target)
        module.lower(machine)
        return module, machine

    def _example(self):
        function, macro = self._function, self.name.upper()
        lines, passed_on = [f'#include "{self.name}.h"', ""], []
        for name, array in function.arguments.items():
            size, alignment, kind = max(array.bytes, 1), "64", str(array)
            if name == "state":
                alignment, kind = f"{macro}_STATE_ALIGNMENT", "kept from call to call"
            if name == "arena":
                alignment, kind = f"{macro}_ARENA_ALIGNMENT", "used while it runs"
            if not array.scalar:
                lines.append(f"static _Alignas({alignment}) unsigned char {name}[{size}]; /* {kind} */")
            passed_on.append("0" if array.scalar else f"(void *){name}")
        begin = [f"  {self.name}_state_init(state);"] if self.state_bytes else []
        lines += ["", "int main(void) {", *begin, f"  {self.name}({', '.join(passed_on)});", "  return 0;", "}", ""]
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
