# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roads from frameworks to MLIR's text.

A road ends in a process of its own (converters/*.py), so that no two versions of MLIR meet: text crosses. ROADS is all that
differs between them.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from stowage import _constants
from stowage._errors import ERROR, CompileError, Message, short_location

CONVERTERS = Path(__file__).resolve().parent / "converters"


@dataclass(frozen=True)
class Text:
    """What a road ends in."""

    text: bytes
    constants: list  # that the text only names
    source: str  # for locations
    name: str  # of the model
    tool: str

    @property
    def elements(self):
        """Of inputs and of results, as the framework calls them, where the converter says so in the last line."""
        said = re.search(rb"// elements: (.*) -> (.*)\n\Z", self.text[-10000:])
        return said and [side.decode().split(", ") if side else [] for side in said.groups()]


@dataclass(frozen=True)
class Road:
    tool: str  # the converter, for messages
    script: str  # of converters/
    extra: str  # of this package
    modules: tuple  # that the converter needs
    give: Callable  # (model, inputs, folder, dims) -> the file that the script reads
    takes_dims: bool = False


def _torch(model, inputs, folder, dims):
    import torch

    tensors = tuple(torch.as_tensor(array) for array in inputs)
    path, shapes = folder / "model.pt2", _torch_shapes(model, tensors, dims)
    try:
        with torch.no_grad():
            exported = torch.export.export(model.eval(), tensors, dynamic_shapes=shapes)
    except Exception as error:  # of a dozen kinds
        raise CompileError("convert", text=f"torch.export ended with an error: {error}", advice=EXPORT_ADVICE) from error
    torch.export.save(exported, str(path))
    return path


EXPORT_ADVICE = ("PyTorch itself cannot write this model as a graph of ops, which is the first step of every compiler for it. Conditions on "
                 "values become torch.where; see https://docs.pytorch.org/docs/stable/export.html")


def _torch_shapes(model, tensors, dims):
    """What torch.export takes for sizes that change; None: none does."""
    import torch

    if not dims:
        return None
    arguments = inspect.signature(model.forward).bind(*tensors).arguments
    sizes = [{} for _ in tensors]
    known = {f"{name}.{axis}": (index, axis) for index, names in enumerate(_input_names(arguments)) for name in names
             for axis in range(tensors[index].dim())}
    for name, size in dims.items():
        if name not in known:
            raise CompileError("convert", text=f"dims: no input has a dimension '{name}'; there are: {', '.join(known) or 'none'}")
        if isinstance(size, int):
            raise CompileError("convert", text=f"dims: {name}: a PyTorch model has the sizes of the inputs that are given",
                               advice="give (least, most) for a size that changes from call to call")
        index, axis = known[name]
        sizes[index][axis] = torch.export.Dim.DYNAMIC(min=size[0], max=size[1])
    left = iter(sizes)
    return {name: tuple(next(left) for _ in given) if isinstance(given, tuple) else next(left) for name, given in arguments.items()}


def _input_names(arguments):
    """Of each input its number, and its name where it has one of its own."""
    flat = [name for names in ([""] * len(given) if isinstance(given, tuple) else [name] for name, given in arguments.items()) for name in names]
    return [[str(index), name] if name else [str(index)] for index, name in enumerate(flat)]


def _jax(function, inputs, folder, dims):
    import jax
    import numpy

    shapes = [jax.ShapeDtypeStruct(numpy.shape(array), numpy.asarray(array).dtype) for array in inputs]
    path = folder / "model.mlir"
    path.write_text(jax.jit(function, keep_unused=True).lower(*shapes).as_text(debug_info=True))
    return path


def _file(path, inputs, folder, dims):
    return path


ROADS = {
    "torch": Road("torch-mlir", "from_torch.py", "torch", ("torch", "torch_mlir"), _torch, True),
    "jax": Road("jaxlib", "from_stablehlo.py", "jax", ("jax",), _jax),
    "stablehlo": Road("jaxlib", "from_stablehlo.py", "jax", ("jax",), _file),
    ".onnx": Road("torch-mlir", "from_onnx.py", "onnx", ("onnx", "onnxslim", "torch_mlir"), _file, True),
    ".tflite": Road("tosa-converter-for-tflite", "from_tflite.py", "tflite", ("tosa_converter_for_tflite",), _file),
}


def read(model, inputs, dims):
    """Takes the model's road to its end."""
    if isinstance(model, (str, Path)):
        return _read_text_or_file(model, dims)
    if any(base.__module__.split(".")[0] == "torch" for base in type(model).__mro__):
        return _travel("torch", model, inputs, type(model).__name__.lower(), dims)
    if callable(model):
        return _travel("jax", model, inputs, getattr(model, "__name__", "model"), dims)
    raise TypeError(f"expected a torch.nn.Module, a JAX function, a path or MLIR's text, not {type(model).__name__}")


def _read_text_or_file(model, dims):
    if isinstance(model, str) and ("\n" in model or "func.func" in model):
        with tempfile.NamedTemporaryFile(suffix=".mlir") as file:
            file.write(model.encode())
            file.flush()
            return _read_mlir(Path(file.name), "text", "model", dims)
    path = Path(model)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    if path.suffix in ROADS:
        return _travel(path.suffix, path.resolve(), (), path.stem, dims)
    if path.suffix in (".mlir", ".mlirbc"):
        return _read_mlir(path, str(path), path.stem, dims)
    raise CompileError("convert", text=f"{path}: expected a file .mlir, {', '.join(k for k in ROADS if k[0] == '.')}")


def _read_mlir(path, source, name, dims):
    text, constants = _constants.take(path)
    if b"hlo." in text and re.search(rb"\b(stablehlo|chlo)\.", text):
        return _travel("stablehlo", path, (), name, dims)
    if dims:
        raise CompileError("convert", text="dims: MLIR's text has the sizes that its types say",
                           advice="write ? for a size that changes, and its limits in stowage.dims of the argument (docs/dynamic-shapes.md)")
    return Text(text, constants, source, name, "none needed")


def _travel(name, model, inputs, stem, dims):
    road = ROADS[name]
    missing = [module for module in road.modules if importlib.util.find_spec(module) is None]
    if missing:
        raise CompileError("convert", text=f"{', '.join(missing)}: not installed",
                           advice=f"pip install {_needed(road.extra)}")
    if dims and not road.takes_dims:
        raise CompileError("convert", text=f"dims: {road.tool} converts no model whose sizes are open",
                           advice="compile for the largest size, fill shorter inputs, and ignore the rest of the results")
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        source, target = road.give(model, inputs, Path(folder), dims), Path(folder, "converted.mlir")
        _run(road, source, target, dims)
        return Text(*_constants.take(target), target.name, stem, road.tool)


def _needed(extra):
    """What pip is given for a converter: no registry need have this package."""
    try:
        lines = importlib.metadata.requires("stowage") or []
    except importlib.metadata.PackageNotFoundError:
        lines = []
    return " ".join(line.split(";")[0].strip() for line in lines if re.search(rf"extra == ['\"]{extra}['\"]", line)) or f"'./python[{extra}]'"


def _run(road, source, target, dims):
    command = [sys.executable, str(CONVERTERS / road.script), str(source), str(target)]
    command += [f"{name}={size}" if isinstance(size, int) else f"{name}={size[0]}..{size[1]}" for name, size in dims.items()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not target.exists():
        raise _refused(road, done.stderr.replace(f"{target.parent}/", ""))  # which is gone when this is read


ADVICE = ("replace that op in the model, cut the model in front of it, or give MLIR's text (linalg or TOSA) from another "
          "converter")
REQUEST = "request: "  # how a converter's script begins what is wrong with the options, not with the model
REFUSED = (r'torch\.operator"\(.*?name = "([\w.]+)"', r"failed to legalize operation '([\w.]+)'", r"(?:op|operation) '([\w.]+)'",
           r"'([\w.]+)' op ", r"(?<!\w)(onnx\.\w+|aten\.[\w.]+|stablehlo\.\w+)")


def _refused(road, said):
    """The error that names the first op which the converter did not take."""
    lines = said.splitlines()
    if lines and lines[-1].startswith(REQUEST):
        return CompileError("convert", text=lines[-1].removeprefix(REQUEST))
    line = next((line for line in lines if "error:" in line), None) or next(
        (line for line in reversed(lines) if re.match(r"[\w.]*(Error|Exception)\b", line)), said.strip()[-300:])
    op = next((found.group(1) for pattern in REFUSED if (found := re.search(pattern, said))), None)
    place = re.match(r"(.*?):? *error:", line)
    where = place and (short_location(place.group(1)) or place.group(1)) or ""
    line = line.replace(place.group(1), where, 1) if place else line
    what = f"{road.tool} cannot convert the op {op}" if op else f"{road.tool} ended with an error"
    message = Message(ERROR, f"{what}: {line.strip()[:400]}", where)
    notes = [line for line in lines if line.startswith("note: ")]
    return CompileError("convert", [message], advice="\n".join([*notes, ADVICE] if op else notes or [ADVICE]))
