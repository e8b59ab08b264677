# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model: called with arrays, looked at, saved as C."""

from __future__ import annotations

import ctypes
import html
import math
import os
import re
import tempfile
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from stowage._errors import MISSED, REMARK, CompileError
from stowage._example import example
from stowage._library import archive, find_target, uninterrupted
from stowage._sizes import check_stated, descriptor, open_dims, teller

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
    written: str = field(default="", compare=False)  # the type in MLIR

    @property
    def dtype(self):
        if self.element not in ELEMENTS:
            raise CompileError("call", text=f"elements of type {self.element} are not numpy's")
        return np.dtype(ELEMENTS[self.element])

    def holds(self, dtype):
        """Whether arrays of this type are elements as they are: MLIR's integers may have no sign, and bf16 may be bits."""
        same = dtype == self.dtype or (self.element == "bf16" and dtype == np.uint16)
        return same or (self.element[0] == "i" and dtype.kind in "iu" and dtype.itemsize == self.dtype.itemsize)

    def empty(self, shape=None):
        return np.empty(self.shape if shape is None else shape, self.dtype)

    @property
    def is_open(self):
        return None in self.shape

    @property
    def bytes(self):
        """None: it depends on the call."""
        return None if self.is_open else math.prod(self.shape) * self.dtype.itemsize

    def __str__(self):
        return f"{self.element}[{', '.join('?' if size is None else str(size) for size in self.shape)}]"


TYPE = re.compile(r"(?:tensor|memref)<((?:[^<>]|<[^<>]*>)*)>|(?<![\w<])((?:[su]?i|f|bf)\d+|index)\b")


def read_types(text):
    """The types of tensors and memrefs in a list, in order; a number is an array without dimensions."""
    types = []
    for found in TYPE.finditer(text):
        shaped, plain = found.groups()
        sizes = re.match(r"((?:(?:\d+|\?)x)*)(.*)", shaped or plain)
        shape = tuple(None if size == "?" else int(size) for size in sizes.group(1).split("x")[:-1])
        types.append(Array(shape, sizes.group(2).split(",")[0].strip(), bool(plain), found[0]))
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

    def __init__(self, name, inputs, results, header, stated=()):
        self.name, self.header, self.inputs, self.results = name, header, inputs, results
        self.stated = list(stated)  # of the dimensions of each input
        self.by_descriptor = any(array.is_open for array in inputs)
        said = self._comment()
        arguments = {word: read_types(text)[0] for word, text in re.findall(r"^ \*   (\w+): (.*)$", said, re.M)}
        self.returned = arguments.pop("returns", None)
        self.arguments = arguments
        self.made = [name for name in arguments if name.startswith("result")]
        elsewhere = re.findall(r"^ \*   result (\d+) of the program: (.*) in (\w+)$", said, re.M)
        self.places = self._places({int(index): place for index, _, place in elsewhere})
        self.layouts = {int(index): read_layout(text) for index, text, _ in elsewhere}
        self.arena_bytes, self.arena_alignment = self._number("ARENA_BYTES", 0), self._number("ARENA_ALIGNMENT", 64)
        self.named_arenas = {name: (self._number(f"ARENA_BYTES{suffix(name)}", 0), self._number(f"ARENA_ALIGNMENT{suffix(name)}", 64))
                             for name in arguments if name.startswith("arena_")}
        self.state_bytes, self.state_alignment = self._number("STATE_BYTES", 0), self._number("STATE_ALIGNMENT", 64)
        self.tellers = [teller(name, *dim) for dim in open_dims(results)]
        for (index, axis), told in zip(open_dims(results), self.tellers):
            if self._number("ARENA_BYTES", None, told) != 0:
                raise CompileError("plan", text=f"the size of result {index}, dimension {axis}, depends on values, not on sizes of inputs alone",
                                   advice="have the model return a result of the largest size, and how much of it counts")

    def _number(self, macro, otherwise, name=None):
        found = re.search(rf"#define {(name or self.name).upper()}_{macro} (\d+)", self.header)
        return int(found.group(1)) if found else otherwise

    def _comment(self):
        """What the header says of the arguments."""
        found = re.search(rf"^/\* {self.name}\n((?: \*   .*\n)*) \*/\n(?:/\* (no bare pointers: .*) \*/)?", self.header, re.M)
        if not found or (found.group(2) and not self.by_descriptor):
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
        arrays = [self._check_one(i, array) for i, array in enumerate(given)]
        check_stated(self.name, self.stated, arrays)
        return arrays

    @cached_property
    def measure(self):
        """What NAME_arena_bytes takes, as pairs of an argument and its dimension, None: the argument itself; None: the arena has a constant size."""
        found = re.search(rf"((?:^[/ ]\* .*\n)*)^intptr_t {self.name}_arena_bytes\((?!void)", self.header, re.M)
        lines = re.findall(r"^[/ ]\*? \w+: (?:dimension (\d+) of )?(arg\d+)(?: itself)?$", found[1], re.M) if found else []
        return [(name, int(axis) if axis else None) for axis, name in lines] if found else None

    def _check_one(self, index, given):
        wanted, array = self.inputs[index], np.asarray(given)
        fits = len(array.shape) == len(wanted.shape) and all(
            size in (None, actual) for size, actual in zip(wanted.shape, array.shape))
        if not fits or not wanted.holds(array.dtype):
            raise ValueError(f"{self.name}: input {index} is {wanted}, not {array.dtype}{list(array.shape)}")
        return np.ascontiguousarray(array).view(wanted.dtype).reshape(array.shape)


def suffix(arena):
    """What the macros of an argument arena_sram end with; nothing of the default memory's."""
    return arena.removeprefix("arena").upper()


def ctypes_of(array):
    return np.ctypeslib.as_ctypes_type(array.dtype) if array.scalar else ctypes.c_void_p


def passed(array, kind):
    return array.item() if kind.scalar else array.ctypes.data


def aligned(size, alignment):
    """Bytes that begin at a multiple of `alignment`."""
    memory = np.empty(size + alignment, np.uint8)
    begin = -memory.ctypes.data % alignment
    return memory[begin:begin + size]


NOTHING = Array((0,), "i8")  # an arena of no bytes


@uninterrupted
def write_files(folder, contents):
    """Writes all files, or after an error none: those that were there stay. Returns their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in contents]
    with tempfile.TemporaryDirectory(prefix=".stowage-", dir=folder) as beside:
        for name, content in contents.items():
            with open(Path(beside, name), "wb") as file:
                content(file) if callable(content) else file.write(content)
        _replace(paths, Path(beside))
    return paths


def _replace(paths, beside):
    """Moves all old files away, then the new ones from `beside` to their places; after an error, all back."""
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a directory: remove it, or write to another folder")
    old = [(path, beside / f"{path.name}.old") for path in paths if os.path.lexists(path)]
    moved = []
    try:
        for move in [*old, *((beside / path.name, path) for path in paths)]:
            os.replace(*move)
            moved.append(move)
    except BaseException:
        for source, target in reversed(moved):
            os.replace(target, source)
        raise


class Program:
    """A model whose memory is planned. `program(*arrays)` runs it on this computer."""

    def __init__(self, module, tensors, memory, function, planned):
        self._compiler, self._module, self._tensors = module.compiler, module, tensors
        self._memory, self._function, self._planned = memory, function, planned
        self.report = planned.report
        self.weight_bytes = module.constant_bytes()
        self.name = function.name
        frames = {frame["function"]: frame for frame in planned.report.get("frames", [])}
        self.arena_formula = frames.get(self.name, {}).get("formula")
        self.arena_bytes = frames[self.name]["bytes"] if self.arena_formula else function.arena_bytes
        self.state_bytes = function.state_bytes

    @property
    def inputs(self):
        """Shapes and types of what it is called with."""
        return list(self._function.inputs)

    @property
    def results(self):
        """Shapes and types of what it returns."""
        return list(self._function.results)

    @property
    def arenas(self):
        """Bytes of each arena by its argument: "arena" in the default memory, and such as "arena_sram" in others."""
        named = {name: size for name, (size, _) in self._function.named_arenas.items()}
        return {"arena": self.arena_bytes, **named} if "arena" in self._function.arguments or not named else named

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
        return replace(self._memory, memories=None).plan(self._tensors.clone(), reduce_peak=False).report.get("arenas", [])

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

    def _find(self, name, returned, kinds):
        """A function of C whose memrefs are pointers, to what they hold or to descriptors."""
        prefix = "_mlir_ciface_" if self._function.by_descriptor else ""
        return ctypes.CFUNCTYPE(returned, *kinds)(self._code.find(prefix + name))

    @cached_property
    def _call(self):
        kinds = [ctypes_of(array) for array in self._function.arguments.values()]
        return self._find(self.name, self._function.returned and ctypes_of(self._function.returned), kinds)

    @cached_property
    def _tellers(self):
        kinds = [ctypes_of(array) for array in self._function.inputs] + [ctypes.c_void_p]
        return [self._find(name, ctypes.c_int64, kinds) for name in self._function.tellers]

    @cached_property
    def _measure(self):
        """NAME_arena_bytes; None: the arena has a constant size."""
        reads = self._function.measure
        kinds = [ctypes.c_int64] * len(reads or ())
        return reads and ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self._code.find(f"{self.name}_arena_bytes"))

    @cached_property
    def _arena(self):
        return aligned(self.arena_bytes, self._function.arena_alignment)

    @cached_property
    def _named_arenas(self):
        return {name: aligned(*size) for name, size in self._function.named_arenas.items()}

    def _arena_of(self, memory):
        """The arena of a call, which is kept for the next unless that needs a larger one."""
        if not self._measure:
            return self._arena
        sizes = (memory[name].item() if axis is None else memory[name].shape[axis] for name, axis in self._function.measure)
        size = self._measure(*sizes)
        if self._arena.size < size:
            self._arena = aligned(size, self._function.arena_alignment)
        return self._arena[:size]

    @cached_property
    def _state(self):
        state = aligned(self.state_bytes, self._function.state_alignment)
        if self.state_bytes:
            passed_on = descriptor(state) if self._function.by_descriptor else None
            self._find(f"{self.name}_state_init", None, [ctypes.c_void_p])(ctypes.addressof(passed_on) if passed_on else state.ctypes.data)
        return state

    def reset(self):
        """The state is again what it was before the first call."""
        self.__dict__.pop("_state", None)

    def __call__(self, *arrays):
        """Results as a numpy array, or a tuple where there are several. Calls of one program are not for two threads."""
        function = self._function
        memory = dict(zip(function.arguments, function.check(arrays)))
        shapes = self._result_shapes(memory.values())
        memory.update((name, function.arguments[name].empty(shapes[index] if index >= 0 else None)) for index, name in self._made)
        memory.update(arena=self._arena_of(memory), state=self._state, **self._named_arenas)
        returned = self._pass(self._call, [(memory[name], kind) for name, kind in function.arguments.items()])
        if function.returned:
            memory["returns"] = np.array([returned], function.returned.dtype)
        results = [self._result(i, memory, shape) for i, shape in enumerate(shapes)]
        return results[0] if len(results) == 1 else tuple(results)

    @cached_property
    def _shapes(self):
        return [result.shape for result in self._function.results]

    @cached_property
    def _made(self):
        """The memory that a call makes, each with the result that has its shape, or -1, where it has a shape itself."""
        function = self._function
        return [(function.places.index(name) if function.arguments[name].is_open else -1, name) for name in function.made]

    def _pass(self, call, arrays):
        """Calls with arrays, each with its kind; descriptors last as long as the call."""
        if not self._function.by_descriptor:
            return call(*(passed(array, kind) for array, kind in arrays))
        kept = [array if kind.scalar else descriptor(array) for array, kind in arrays]
        return call(*(one.item() if kind.scalar else ctypes.addressof(one) for one, (_, kind) in zip(kept, arrays)))

    def _result_shapes(self, inputs):
        """Shapes of the results for inputs, by what tells open sizes."""
        if not self._tellers:
            return self._shapes
        given = [*zip(inputs, self._function.inputs), (np.empty(0, np.int8), NOTHING)]
        told = iter([self._pass(tell, given) for tell in self._tellers])
        return [tuple(next(told) if size is None else size for size in shape) for shape in self._shapes]

    def _result(self, index, memory, shape):
        function, result = self._function, self._function.results[index]
        array, layout = memory[function.places[index]].reshape(-1).view(result.dtype), function.layouts.get(index)
        if layout is None and function.places[index] in (*function.made, "returns"):
            return array.reshape(shape)
        offset, strides = layout or (0, None)
        strides = strides and [stride * result.dtype.itemsize for stride in strides]
        return np.ndarray(shape, result.dtype, array, offset * result.dtype.itemsize, strides).copy()

    def save(self, folder, target: str = "host"):
        """Writes NAME.o, NAME.h, libNAME.a and example.c, which calls it. Returns their paths."""
        return write_files(folder, self.files(target))

    def files(self, target):
        """What `save` writes: names, and contents or what writes them to a file."""
        code, member = self.object(target), f"{self.name}.o"
        return {member: code, f"{self.name}.h": self.header.encode(), "example.c": example(self._function).encode(),
                f"lib{self.name}.a": lambda file: archive(member, code, file)}

    def object(self, target: str = "host") -> bytes:
        """Machine code for a processor by its short name."""
        module, machine = self._lowered(target)
        return module.emit(machine)

    def _lowered(self, target):
        module, machine = self._module.clone(), find_target(target)
        module.lower(machine)
        return module, machine

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
