# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_onnx.py MODEL.onnx OUT.mlir [NAME=SIZE ...]: a model as linalg on tensors, by onnxslim and torch-mlir.

Named dimensions become the sizes that are given, else 1.
"""

import subprocess
import sys
from pathlib import Path

import onnx
import onnxslim

PIPELINES = ("--torch-onnx-to-torch-backend-pipeline", "--torch-backend-to-linalg-on-tensors-backend-pipeline")


def set_sizes(values, sizes, unnamed):
    for value in values:
        for dim in value.type.tensor_type.shape.dim:
            if dim.HasField("dim_param"):
                name = dim.dim_param
                dim.Clear()
                if name in sizes or unnamed:
                    dim.dim_value = sizes.get(name, unnamed)


def run(tool, *arguments):
    program = Path(sys.executable).parent / tool
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{tool}: {done.stderr}")


source, target = Path(sys.argv[1]), Path(sys.argv[2])
sizes = {name: int(size) for name, size in (text.split("=") for text in sys.argv[3:])}
model = onnx.load(str(source))
set_sizes(model.graph.input, sizes, 1)
set_sizes(model.graph.output, sizes, None)
del model.graph.value_info[:]
slim, imported = target.with_suffix(".onnx"), target.with_suffix(".torch.mlir")
onnx.save(onnxslim.slim(model), str(slim))
run("torch-mlir-import-onnx", slim, "-o", imported)
run("torch-mlir-opt", imported, "-o", target, *PIPELINES)
