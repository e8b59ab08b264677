# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model, compiled and run: measured.py MODEL prints its figures as JSON, and stages on standard error."""

import ctypes
import json
import sys
import time

import numpy as np
import stowage
from stowage import _library
from stowage._program import aligned

from bench.python import catalogue
from testing import tables

# As MLIR's own passes leave a model whose loops carry tensors in place. Copies of parts of buffers become loops, as MLIR
# has a runtime library for them.
UPSTREAM = ("canonicalize,cse,prepare-model,eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{"
            "bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},canonicalize,cse,symbol-dce,"
            "buffer-results-to-out-params{hoist-static-allocs modify-public-functions},canonicalize,"
            "buffer-deallocation-pipeline,lower-strided-copies")


class CountingHeap:
    """malloc and free for code of this process, and what they were asked for."""

    def __init__(self):
        self.libc = ctypes.CDLL(None)
        self.libc.malloc.restype, self.libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        self.libc.free.restype, self.libc.free.argtypes = None, [ctypes.c_void_p]
        self.sizes, self.count, self.bytes, self.peak = {}, 0, 0, 0
        self.malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(self._malloc)
        self.free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._free)

    def symbols(self):
        return [(name, ctypes.cast(getattr(self, name), ctypes.c_void_p).value) for name in ("malloc", "free")]

    def _malloc(self, size):
        address = self.libc.malloc(size)
        self.sizes[address] = size
        self.count, self.bytes = self.count + 1, self.bytes + size
        self.peak = max(self.peak, self.bytes)
        return address

    def _free(self, address):
        if address:
            self.bytes -= self.sizes.pop(address)
            self.libc.free(address)


class Upstream:
    """The model as MLIR's own passes leave it."""

    def __init__(self, program):
        module, host = program._tensors.clone(), _library.find_target("host")
        module.run("upstream", UPSTREAM)
        module.lower(host)
        self.heap, self.results = CountingHeap(), program.results
        self.code = _library.Code(program._compiler, module.emit(host), self.heap.symbols())
        self.name = program.name
        self.state = [aligned(program.state_bytes, 64)] if program.state_bytes else []
        if self.state:
            self.function("_state_init", 1)(self.state[0].ctypes.data)

    def function(self, suffix, count):
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(self.code.find(self.name + suffix))

    def __call__(self, *inputs):
        results = [np.empty(result.shape, result.dtype) for result in self.results]
        arrays = [np.ascontiguousarray(array) for array in inputs] + self.state + results
        self.function("", len(arrays))(*(array.ctypes.data for array in arrays))
        return results


def difference(made, expected):
    """The largest, as a share of the largest number expected; infinite where one has numbers and the other none."""
    worst, largest = 0.0, 0.0
    for a, b in zip(made, expected, strict=True):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64).reshape(np.shape(a))
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
        worst = max(worst, float(np.nan_to_num(apart, nan=np.inf).max(initial=0)))
        largest = max(largest, float(np.abs(b[np.isfinite(b)]).max(initial=0)))
    return worst / largest if largest else worst


def seconds_of(program, inputs):
    """Of the processor, for one call: the least of several, in about a second."""
    times = []
    while sum(times) < 1 and len(times) < 20:
        begin = time.process_time()
        program(*inputs)
        times.append(time.process_time() - begin)
    return min(times)


def measure(name):
    model = catalogue.MODELS[name]()
    program = stowage.compile(model.source, *model.example, name="net", dims=model.dims,
                              progress=lambda stage, seconds: tables.say(f"{stage}: {seconds:.1f} s"))
    tables.say("upstream")
    upstream, worst, equal, heap = Upstream(program), 0.0, True, None
    for inputs, expected in model.calls:
        made = program(*inputs)
        made = made if isinstance(made, tuple) else (made,)
        before = upstream(*inputs)
        heap = heap or (upstream.heap.count, upstream.heap.peak)
        equal = equal and all(a.tobytes() == b.tobytes() for a, b in zip(made, before, strict=True))
        worst = max(worst, difference(made, expected))
    arrays = sum(array.bytes for array in program.inputs + program.results)
    return {"allocations": heap[0], "heap": heap[1], "merge": program.unreduced_bytes, "reduced": program.arena_bytes,
            "all": program.arena_bytes + program.state_bytes + arrays, "difference": worst, "equal": equal,
            "seconds": seconds_of(program, model.calls[0][0])}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
