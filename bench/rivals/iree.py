# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE on one thread. It reads the text of examples/generate.py: the same linalg on tensors.

Bytes: the transient slabs that it allocates in a run, which are intermediates alone.
"""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from bench.rivals import side
from testing import places, process
from testing.process import Limits

VERSION = f"IREE {version('iree-base-compiler')}"
TARGET = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]  # fmt: skip
TOOLS = Path(sys.executable).parent

GLOBAL = re.compile(r'^memref\.global "private" constant (@\w+) : memref<(.*?)> = (dense.*)$')
GET = re.compile(r"^\s*(%\w+) = memref\.get_global (@\w+) : memref<.*>$")
TENSOR = re.compile(r"^(\s*%\w+) = bufferization\.to_tensor (%\w+) restrict : memref<.*?> to (tensor<.*?>)$")


def translated(text):
    """Weights are globals of IREE's."""
    found = {}
    for line in text.splitlines():
        if match := GLOBAL.match(line):
            yield f"util.global private {match[1]} = {match[3]} : tensor<{match[2]}>"
        elif match := GET.match(line):
            found[match[1]] = match[2]
        elif (match := TENSOR.match(line)) and match[2] in found:
            yield f"{match[1]} = util.global.load immutable {found[match[2]]} : {match[3]}"
        else:
            yield line


def compiled(source, out, *more):
    process.call([TOOLS / "iree-compile", source, *TARGET, *more, "-o", out], limits=Limits(clock=3600))
    return out


def slabs(text):
    """The largest that one function has at a time: those of forward, added up."""
    sizes = dict(re.findall(r"(%\w+) = arith\.constant (\d+) : index", text))
    found = re.findall(r"stream\.resource\.alloca uninitialized[^\n]*?: !stream\.resource<transient>\{(%\w+)\}", text)
    return sum(int(sizes[name]) for name in found)


def benchmarked(module, shape, element, seconds):
    """Milliseconds of the processor, the least of ten repetitions."""
    given = f"--input={'x'.join(map(str, shape))}x{element}=1"
    out = subprocess.run(
        [TOOLS / "iree-benchmark-module", f"--module={module}", "--device=local-sync", "--function=forward", given,
         f"--benchmark_min_time={seconds / 10}s", "--benchmark_repetitions=10", "--benchmark_format=json"],
        check=True, capture_output=True, text=True).stdout  # fmt: skip
    runs = json.loads(out[out.index("{"):])["benchmarks"]
    return min(run["cpu_time"] for run in runs if run["run_type"] == "iteration") / 1000


def measure(generated, folder, seconds):
    text = subprocess.run([sys.executable, places.ROOT / "examples" / "generate.py", *generated.split(), "--library"],
                          check=True, capture_output=True, text=True).stdout
    shape, element = re.search(r"func\.func @forward\(%\w+ ?: tensor<([\dx]+)x(\w+)>", text).groups()
    source = folder / "model.mlir"
    source.write_text("\n".join(translated(text)))
    planned = compiled(source, folder / "stream.mlir", "--compile-to=stream", "--mlir-elide-elementsattrs-if-larger=8",
                       "--mlir-elide-resource-strings-if-larger=8").read_text()
    module = compiled(source, folder / "model.vmfb")
    return {"bytes": slabs(planned), "seconds": benchmarked(module, shape.split("x"), element, seconds)}


if __name__ == "__main__":
    side.run(VERSION, measure)
