# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real models through the installed package: what they need before and after, and how far from their framework.

Each model is compiled and run in a process of its own. Needs the wheel and the frameworks, which `make models` installs.
"""

import argparse
import ctypes
import json
import subprocess
import sys
import time

from bench.python import catalogue
from testing import tables

# Copies of parts of buffers as loops, as MLIR has a runtime library for them.
UPSTREAM = ("canonicalize,cse,prepare-model,eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{"
            "bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},canonicalize,cse,symbol-dce,"
            "buffer-results-to-out-params{hoist-static-allocs modify-public-functions},canonicalize,"
            "buffer-deallocation-pipeline,lower-strided-copies")
TOLERANCE = 1e-4  # of the largest number that the framework gives


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
    import numpy as np
    from stowage import _library

    module, host, heap = program._tensors.clone(), _library.find_target("host"), CountingHeap()
    module.run("upstream", UPSTREAM)
    module.lower(host)
    code = program._compiler.load(module.emit(host), heap.symbols())
    results = [np.empty(result.shape, result.dtype) for result in program.results]
    arrays = [np.ascontiguousarray(array) for array in inputs] + results
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(code.find(program.name))(*(a.ctypes.data for a in arrays))
    return results, heap


def difference(made, expected):
    """The largest, as a share of the largest number expected."""
    import numpy as np

    worst, largest = 0.0, 0.0
    for a, b in zip(made, expected):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        worst = max(worst, float(np.abs(a - b.reshape(a.shape)).max(initial=0)))
        largest = max(largest, float(np.abs(b).max(initial=0)))
    return worst / largest if largest else worst


def measure(name):
    import stowage

    model = catalogue.MODELS[name]()
    program = stowage.compile(model.source, *model.example, name="net", dims=model.dims)
    made = program(*model.inputs)
    made = made if isinstance(made, tuple) else (made,)
    begin = time.perf_counter()
    program(*model.inputs)
    seconds = time.perf_counter() - begin
    before, heap = run_upstream(program, model.inputs)
    arrays = sum(array.bytes for array in program.inputs + program.results)
    return {"allocations": heap.count, "heap": heap.peak, "merge": program.unreduced_bytes, "reduced": program.arena_bytes,
            "all": program.arena_bytes + program.state_bytes + arrays, "difference": difference(made, model.expected),
            "equal": all(a.tobytes() == b.tobytes() for a, b in zip(made, before)), "seconds": seconds}


def attempt(name, limit):
    """Figures, or {"reason": why there are none}."""
    command = [sys.executable, "-m", "bench.python.models", "--measure", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"reason": f"more than {limit} seconds"}
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    said = [line for line in done.stderr.splitlines() if line.strip()]
    told = next((line for line in said if line.startswith("stowage._errors")), said[-1] if said else "")
    return {"reason": told.split("CompileError: ")[-1][:240] or f"ended with {done.returncode}"}


def through(figures):
    return "reason" not in figures and figures["equal"] and figures["difference"] <= TOLERANCE


def row(name, figures):
    return [name, catalogue.road(name), *(tables.count(figures[key]) for key in ("allocations", "heap", "merge", "reduced", "all")),
            f"{figures['difference']:.1e}", "yes" if figures["equal"] else "**no**", f"{1000 * figures['seconds']:.1f} ms"]


HEAD = ["<model", "<road", "allocations", "heap peak", "merge-alloc", "reduce-peak", "with input, output, state", "difference",
        "<equal", "time"]
PAGE = """# Models

Written by `python3 -m bench.python.models`, which `make models` runs with the wheel and the frameworks in an environment of their own.
Each model is compiled and run on the processor below.

- commit: {commit}
- machine: {machine}

- allocations, heap peak: of one call, as MLIR's own passes leave the model; bytes that are asked for
- merge-alloc, reduce-peak: the arena in bytes
- difference: the largest to the framework's results, as a share of their largest number
- equal: results before and after are the same bit for bit
- time: of one call, lowered to plain loops
- weights are those of the packages; torchvision's are random, from a seed

{count} of {total} go through: equal, and within {tolerance:g}.

{table}

{failed}
"""


def page(results):
    rows = [row(name, figures) for name, figures in results.items() if "reason" not in figures]
    failed = [[name, catalogue.road(name), figures["reason"].replace("|", "\\|")]
              for name, figures in results.items() if "reason" in figures]
    return PAGE.format(commit=tables.commit(), machine=tables.cpu(), count=sum(map(through, results.values())),
                       total=len(results), tolerance=TOLERANCE, table=tables.table(HEAD, rows),
                       failed=tables.table(["<what does not go through", "<road", "<reason"], failed) if failed else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a model")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(catalogue.MODELS))
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure)))
        return
    results = {}
    for name in given.models or catalogue.MODELS:
        results[name] = attempt(name, given.limit)
        tables.say(f"{name}: {json.dumps(results[name])}")
    text = page(results)
    if given.output:
        with open(given.output, "w") as file:
            file.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
