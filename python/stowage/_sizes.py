# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are known when a program is called: what is stated of them, functions that tell those of results, and descriptors.

A function @net whose result 1 has an open dimension 0 gets another beside it, `index @net_result1_dim0(inputs)`. It calls @net; what
is inlined and reduced to the size is a few additions and products of sizes of inputs.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Optional

from stowage._errors import CompileError


def check_dims(dims, dynamic):
    """Sizes are numbers, or pairs (least, most) of those that change from call to call."""
    for name, size in dims.items():
        pair = size if isinstance(size, (tuple, list)) else (size, size)
        if len(pair) != 2 or not all(isinstance(end, int) for end in pair) or not 0 <= pair[0] <= pair[1]:
            raise ValueError(f"dims: {name}: expected a size or (least, most), not {size!r}")
        if isinstance(size, (tuple, list)) and dynamic == "off":
            raise ValueError(f"dims: {name} may change from call to call: set dynamic to 'exact' (an arena as large as the sizes of the "
                             "call need) or 'bound' (one for the largest)")


@dataclass(frozen=True)
class Stated:
    """What `stowage.dims` says of one dimension."""

    name: Optional[str] = None
    least: int = 0
    most: Optional[int] = None


def read_stated(text):
    """The dimensions of an argument, or the one of a number."""
    found = []
    for entry in re.findall(r'\{((?:[^{}"]|"[^"]*")*)\}', text):
        name = re.search(r'name = "([^"]*)"', entry)
        numbers = {key: int(value) for key, value in re.findall(r"\b(min|max) = (-?\d+)", entry)}
        found.append(Stated(name and name.group(1), numbers.get("min", 0), numbers.get("max")))
    return found


def check_stated(function, stated, arrays):
    """Outside of what is stated a program does anything."""
    seen = {}
    for index, (dims, array) in enumerate(zip(stated, arrays)):
        for axis, (dim, size) in enumerate(zip(dims, array.shape or [int(array)])):
            where = f"{function}: dimension {axis} of input {index}"
            if size < dim.least or (dim.most is not None and size > dim.most):
                raise ValueError(f"{where} is {size}; it was compiled for {dim.least} to {'any' if dim.most is None else dim.most}")
            if dim.name and seen.setdefault(dim.name, (size, where))[0] != size:
                raise ValueError(f"{where} is {size}, but {seen[dim.name][1].split(': ')[1]}, which is also {dim.name}, is {seen[dim.name][0]}")


def teller(name, result, axis):
    return f"{name}_result{result}_dim{axis}"


def open_dims(results):
    return [(index, axis) for index, result in enumerate(results) for axis, size in enumerate(result.shape) if size is None]


def with_tellers(text, found, entry, kind, inputs, results):
    """The module's text with a function per open dimension of a result, in front of the function `found` of type `kind`."""
    head = re.search(rb'func\.func (?:public )?@"?' + re.escape(found.encode()) + rb'"?\(', text)
    if not head:
        raise CompileError("parse", text=f"{found} has results of open sizes, which only MLIR's text may have, not its bytecode")
    given = ", ".join(f"%a{i}: {array.written}" for i, array in enumerate(inputs))
    names, lines = ", ".join(f"%a{i}" for i in range(len(inputs))), []
    for index, axis in open_dims(results):
        result = results[index].written
        lines.append(f"func.func @{teller(entry, index, axis)}({given}) -> index {{ %c = arith.constant {axis} : index "
                     f'%r:{len(results)} = func.call @"{found}"({names}) : {kind} '
                     f"%d = {result.split('<')[0]}.dim %r#{index}, %c : {result} func.return %d : index }} ")
    return text[:head.start()] + "".join(lines).encode() + text[head.start():]


def descriptor(array):
    """A memref as C passes it."""
    rank = array.ndim
    words = [array.ctypes.data] * 2 + [0, *array.shape] + [stride // array.itemsize for stride in array.strides]
    return (ctypes.c_int64 * (3 + 2 * rank))(*words)
