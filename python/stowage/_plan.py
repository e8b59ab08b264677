# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Offsets for buffers whose lives are known."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Optional, Sequence, Union

import numpy as np

from stowage._errors import Error, InfeasibleError
from stowage._library import ANY_OFFSET, OUTCOMES, STATUSES, Buffer, PlanOptions, PlanResult, Problem, collect, library, positive_bytes

BUFFER = np.dtype([("size", np.uint64), ("alignment", np.uint64), ("begin", np.int64), ("end", np.int64)])


@dataclass(frozen=True)
class Plan:
    """Where each buffer lies in one arena."""

    offset: np.ndarray  # (n,) uint64, bytes
    arena_bytes: int
    bound: int  # bytes: no plan has a smaller arena
    outcome: str  # "optimal" (the arena is proven least) or "feasible"
    names: Optional[Sequence[str]]
    _buffers: np.ndarray = field(repr=False)
    _result: PlanResult = field(repr=False)
    _capacity: int = field(repr=False)

    def svg(self) -> str:
        """The memory map: life by offset, as an SVG picture."""
        names = None
        if self.names is not None:
            names = (ctypes.c_char_p * len(self.names))(*(str(name).encode() for name in self.names))
        problem = _problem(self._buffers)
        picture, status = collect(lambda write: library.stow_plan_svg(
            ctypes.byref(problem), names, self.offset.ctypes.data, ctypes.byref(self._result), self._capacity, write,
            None))
        _check(status)
        return picture.decode()

    def _repr_html_(self) -> str:
        return self.svg()


def plan(size, begin, end, *, alignment=1, capacity: Union[int, str, None] = None, fixed=None,
         names: Optional[Sequence[str]] = None, effort: Optional[int] = None) -> Plan:
    """Offsets for `n` buffers in one arena, as small as can be found.

    size        (n,) bytes of each buffer
    begin, end  (n,) its life, half-open, in any unit of time: it needs its bytes at begin, begin + 1, ..., end - 1
    alignment   (n,) or one number: bytes, a power of two
    capacity    bytes that the arena may have, 65536 or "64KiB"
    fixed       (n,) offsets in bytes that are given; negative: free
    names       (n,) for messages and the map
    effort      steps of work, of a few nanoseconds each, beyond the first plan

    Raises InfeasibleError, which names the buffers, where no plan fits; ValueError for arrays that do not describe
    buffers, with the index of the first that does not.
    """
    capacity = positive_bytes("capacity", capacity)
    buffers = _read(size, begin, end, alignment, names)
    count = len(buffers)
    culprits = np.zeros(max(count, 1), np.uint8)
    offset = np.zeros(count, np.uint64)
    options = PlanOptions(struct_size=ctypes.sizeof(PlanOptions), capacity=capacity,
                          max_effort=_natural("effort", effort), out_culprits=culprits.ctypes.data)
    problem = _problem(buffers)
    held = _fixed(fixed, count)
    problem.fixed_offsets = held.ctypes.data if held is not None else None
    result = PlanResult()
    _check(library.stow_plan_run(ctypes.byref(problem), ctypes.byref(options), offset.ctypes.data,
                                 ctypes.byref(result)))
    outcome = OUTCOMES[result.outcome]
    if outcome in ("unknown", "infeasible"):
        raise _infeasible(outcome, buffers, names, capacity, result, culprits[:count])
    return Plan(offset, result.arena_size, result.lower_bound, outcome, names, buffers, result, capacity)


def _natural(what, number):
    if number is None:
        return 0
    if int(number) != number or number < 1:
        raise ValueError(f"{what}: {number} is not a positive whole number")
    return int(number)


def _column(what, values, count=None):
    column = np.asarray(values)
    if column.size == 0:
        column = column.astype(np.int64)
    if column.ndim != 1 or column.dtype.kind not in "iu":
        raise ValueError(f"{what}: expected whole numbers in one dimension, not {column.dtype} of shape {column.shape}")
    if count is not None and len(column) != count:
        raise ValueError(f"{what}: {len(column)} entries for {count} buffers")
    return column


def _refuse_first(wrong, why, names):
    if wrong.any():
        raise ValueError(f"{_name(int(np.argmax(wrong)), names)}: {why}")


def _name(index, names):
    return f"buffer {index}" + (f" ({names[index]})" if names is not None else "")


def _read(size, begin, end, alignment, names):
    size = _column("size", size)
    count = len(size)
    begin, end = _column("begin", begin, count), _column("end", end, count)
    alignment = np.full(count, alignment) if np.ndim(alignment) == 0 else _column("alignment", alignment, count)
    if names is not None and len(names) != count:
        raise ValueError(f"names: {len(names)} entries for {count} buffers")
    _refuse_first(size < 0, "its size is negative", names)
    _refuse_first(begin >= end, "its life ends before it begins", names)
    _refuse_first((alignment < 1) | (alignment & (alignment - 1) != 0), "its alignment is no power of two", names)
    buffers = np.zeros(count, BUFFER)
    buffers["size"], buffers["alignment"], buffers["begin"], buffers["end"] = size, alignment, begin, end
    return buffers


def _fixed(fixed, count):
    if fixed is None:
        return None
    fixed = _column("fixed", fixed, count)
    return np.where(fixed < 0, ANY_OFFSET, fixed.astype(np.uint64)).astype(np.uint64)


def _problem(buffers):
    assert buffers.dtype.itemsize == ctypes.sizeof(Buffer)
    return Problem(struct_size=ctypes.sizeof(Problem), buffer_count=len(buffers), buffers=buffers.ctypes.data)


def _check(status):
    if status:
        raise Error({"overflow": "the sum of sizes does not fit 64 bits", "no memory": "out of memory"}.get(
            STATUSES[status], "the buffers are no planning problem"))


def _infeasible(outcome, buffers, names, capacity, result, culprits):
    indices = np.flatnonzero(culprits).tolist()
    what = f"a capacity of {capacity} bytes" if capacity else "the fixed offsets"
    if outcome == "unknown":
        return InfeasibleError(f"no plan within {what} was found, and none is proven impossible; a larger `effort` "
                               f"may find one (no plan needs less than {result.lower_bound} bytes)",
                               bound=result.lower_bound)
    listed = "; ".join(f"{_name(i, names)}, {buffers['size'][i]} bytes, alive [{buffers['begin'][i]}, "
                       f"{buffers['end'][i]})" for i in indices[:8])
    more = f"; and {len(indices) - 8} more" if len(indices) > 8 else ""
    return InfeasibleError(f"no plan fits {what}: these do not fit together: {listed}{more}", indices,
                           result.lower_bound)
