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


def run_upstream(program, inputs):
    """Results of the model as MLIR's own passes leave it; the heap that it ran on."""
    module, host, heap = program._tensors.clone(), _library.find_target("host"), CountingHeap()
    module.run("upstream", UPSTREAM)
    module.lower(host)
    code = program._compiler.load(module.emit(host), heap.symbols())
    results = [np.empty(result.shape, result.dtype) for result in program.results]
    arrays = [np.ascontiguousarray(array) for array in inputs] + results
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(code.find(program.name))(*(a.ctypes.data for a in arrays))
    return results, heap


def difference(made, expected):
    """The largest, as a share of the largest number expected; infinite where one has numbers and the other none."""
    worst, largest = 0.0, 0.0
    for a, b in zip(made, expected, strict=True):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64).reshape(np.shape(a))
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
        worst = max(worst, float(np.nan_to_num(apart, nan=np.inf).max(initial=0)))
        largest = max(largest, float(np.abs(b[np.isfinite(b)]).max(initial=0)))
    return worst / largest if largest else worst


def measure(name):
    model = catalogue.MODELS[name]()
    begin = time.perf_counter()
    program = stowage.compile(model.source, *model.example, name="net", dims=model.dims,
                              progress=lambda stage, seconds: tables.say(f"{stage}: {seconds:.1f} s"))
    compiled = time.perf_counter() - begin
    made = program(*model.inputs)
    made = made if isinstance(made, tuple) else (made,)
    begin = time.perf_counter()
    program(*model.inputs)
    seconds = time.perf_counter() - begin
    before, heap = run_upstream(program, model.inputs)
    arrays = sum(array.bytes for array in program.inputs + program.results)
    return {"allocations": heap.count, "heap": heap.peak, "merge": program.unreduced_bytes, "reduced": program.arena_bytes,
            "all": program.arena_bytes + program.state_bytes + arrays, "difference": difference(made, model.expected),
            "equal": all(a.tobytes() == b.tobytes() for a, b in zip(made, before)), "seconds": seconds, "compiled": compiled}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
