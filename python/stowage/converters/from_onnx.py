# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_onnx.py MODEL.onnx OUT.mlir [NAME=SIZE | NAME=LEAST..MOST ...]: a model as linalg on tensors, by onnxslim and torch-mlir.

Dimensions without a size become the sizes that are given, by their name or as INPUT.AXIS, else 1; with a least and a most they stay open. An input that is one integer, such as a
rate of samples, becomes the constant that is given by its name.
"""

import re
import subprocess
import sys
from pathlib import Path

import onnx
import onnxslim
import open_sizes
import tm_tensor
import torch_linalg
from onnx import version_converter
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_d
from torch_mlir.extras import onnx_importer
from torch_mlir.tools.import_onnx import __main__ as importer

OPSET = 17
# Those with a sign that the text does not have.
ELEMENTS = {getattr(onnx.TensorProto, f"UINT{bits}"): f"ui{bits}" for bits in (8, 16, 32, 64)}


def unknown_sizes(values):
    """Dimensions without a size, each with its names: of its own, and by its place."""
    for value in values:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_value <= 0:
                yield dim, (dim.dim_param, f"{value.name}.{axis}")


def set_sizes(values, sizes):
    """Returns a name of each dimension that got a size which nobody gave."""
    guessed = []
    for dim, names in unknown_sizes(values):
        name = next((name for name in names if name in sizes), None)
        if name is None:
            guessed.append(names[0] or names[1])
        dim.Clear()
        if isinstance(sizes.get(name), tuple):
            dim.dim_param = name
        else:
            dim.dim_value = sizes.get(name, 1)
    return list(dict.fromkeys(guessed))


def open_arguments(values, sizes):
    """Of each input what is given of sizes that change."""
    def entry(dim):
        return open_sizes.entry(re.sub(r"\W", "_", dim.dim_param), *sizes[dim.dim_param]) if dim.dim_param else "{}"

    return [[entry(dim) for dim in value.type.tensor_type.shape.dim] for value in values]


def numbers(graph):
    """Inputs that are one integer."""
    integers = (onnx.TensorProto.INT32, onnx.TensorProto.INT64)
    return [value for value in graph.input if value.type.tensor_type.HasField("shape") and not value.type.tensor_type.shape.dim
            and value.type.tensor_type.elem_type in integers]


def fix_numbers(graph, sizes):
    """Makes constants of those that are given."""
    for value in numbers(graph):
        if isinstance(sizes.get(value.name), int):
            graph.initializer.append(onnx.helper.make_tensor(value.name, value.type.tensor_type.elem_type, (), [sizes[value.name]]))
            graph.input.remove(value)


def check_names(model, sizes):
    known = [name for _, names in unknown_sizes(model.graph.input) for name in names if name] + [value.name for value in numbers(model.graph)]
    wrong = next((name for name in sizes if name not in known), None)
    if wrong is not None:
        sys.exit(f"request: dims: no input has an open dimension or is an integer '{wrong}'; there are: {', '.join(known) or 'none'}")


def modern(model):
    """The model in ops as torch-mlir knows them; as it is where ONNX has no rule for one."""
    if next(opset.version for opset in model.opset_import if opset.domain in ("", "ai.onnx")) >= OPSET:
        return model
    try:
        return version_converter.convert_version(model, OPSET)
    except RuntimeError:
        return model


def run(tool, *arguments):
    program = Path(sys.executable).parent / tool
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 1):  # it crashed, and its stack says nothing of the model
        sys.exit(f"{tool}: error: crashed at one of the ops {', '.join(sorted({node.op_type for node in model.graph.node}))}")
    if done.returncode:
        sys.exit(f"{tool}: {done.stderr}")


def name_nodes(graph):
    """Names become locations; a node without one has that of what it makes."""
    for node in graph.node:
        node.name = node.name or node.output[0]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                name_nodes(attribute.g)


def import_model(path):
    """As torch-mlir-import-onnx writes it, with the names of nodes as locations."""
    context = ir.Context()
    torch_d.register_dialect(context)
    info = onnx_importer.ModelInfo(importer.load_onnx_model(importer.parse_arguments([str(path)])))
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    return module.get_asm(enable_debug_info=True, assume_verified=True)


def elements(model):
    """What arrays are given and returned, as integers have no sign in linalg."""
    sides = given_values(model), model.graph.output
    return " -> ".join(", ".join(ELEMENTS.get(value.type.tensor_type.elem_type, "-") for value in side) for side in sides)


def given_values(model):
    constants = {constant.name for constant in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in constants]


def read_size(text):
    ends = tuple(map(int, text.split("..")))
    return ends if len(ends) > 1 else ends[0]


source, target = Path(sys.argv[1]), Path(sys.argv[2])
sizes = {name: read_size(size) for name, _, size in (text.rpartition("=") for text in sys.argv[3:])}
model = onnx.load(str(source))
check_names(model, sizes)
foreign = {f"{node.domain}.{node.op_type}" for node in model.graph.node if node.domain not in ("", "ai.onnx")}
if foreign:
    print(f"note: ops that are not ONNX's own, which torch-mlir does not know: {', '.join(sorted(foreign))}", file=sys.stderr)
fix_numbers(model.graph, sizes)
guessed = set_sizes(model.graph.input, sizes)
if guessed:
    print(f"note: the model leaves sizes open, which are 1 here: {', '.join(guessed)}; give `dims` (--dim NAME=SIZE)", file=sys.stderr)
for dim, _ in unknown_sizes(model.graph.output):
    dim.Clear()
del model.graph.value_info[:]
slim, imported = target.with_suffix(".onnx"), target.with_suffix(".torch.mlir")
slimmed = modern(onnxslim.slim(model))
name_nodes(slimmed.graph)
onnx.save(slimmed, str(slim))
imported.write_text(import_model(slim))
run("torch-mlir-opt", imported, "-o", target, "--mlir-print-debuginfo",
    f"--pass-pipeline=builtin.module(torch-onnx-to-torch-backend-pipeline,{torch_linalg.passes()})")
with target.open() as file:
    converted = file.read()
if tm_tensor.MARK in converted:
    converted = tm_tensor.text_to_loops(converted)
opened = open_arguments(given_values(model), sizes)
if any(dim != "{}" for dims in opened for dim in dims):
    converted = open_sizes.state(converted, re.search(r"func\.func (?:public )?@(\w+)", converted)[1], opened)
with target.open("w") as file:
    file.write(f"{converted}// elements: {elements(model)}\n")
