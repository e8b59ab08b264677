# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_torch.py MODEL.pt2 OUT.mlir: a saved torch.export program as linalg on tensors, by torch-mlir.

torch-mlir freezes buffers. Those that the model changes become arguments of a function `step` here, which returns what they are
after a call, and `main` keeps them in globals of ml_program.
"""

import json
import re
import sys

import open_sizes
import tm_tensor
import torch
import torch_linalg
from torch.export.graph_signature import InputKind, OutputKind
from torch_mlir import fx, ir
from torch_mlir.compiler_utils import run_pipeline_with_repro_report

UNSIGNED = {torch.uint8: "ui8", torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64"}


def elements(program):
    """What arrays are given and returned where that is unsigned, which linalg does not say."""
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    signature = program.graph_signature
    sides = signature.user_inputs, signature.user_outputs
    return " -> ".join(", ".join(UNSIGNED.get(getattr(values.get(name), "dtype", None), "-") for name in side) for side in sides)


def free_state(program):
    """Makes inputs of the buffers that the program changes. Their names, in the order of inputs."""
    signature = program.graph_signature
    changed = set(signature.buffers_to_mutate.values())
    freed = [spec for spec in signature.input_specs if spec.kind == InputKind.BUFFER and spec.target in changed]
    for spec in freed:
        spec.kind = InputKind.USER_INPUT
    return [spec.target for spec in freed]


def literal(tensor):
    """What a buffer is at first, as an attribute."""
    tensor = tensor.detach().contiguous()
    if not tensor.is_floating_point():
        return f"dense<{json.dumps(tensor.tolist())}>"
    return f'dense<"0x{bytes(tensor.reshape(-1).view(torch.uint8).tolist()).hex()}">'


def main_function(function, program, freed, before):
    """`main`, and its globals, around `step`; `before` has the buffers as they are at first."""
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    inputs, results, outputs = list(map(str, kind.inputs)), list(map(str, kind.results)), program.graph_signature.output_specs
    given = [f"%x{i}" for i in range(len(inputs))]
    returned = [i for i, spec in enumerate(outputs) if spec.kind == OutputKind.USER_OUTPUT]
    after = {spec.target: i for i, spec in enumerate(outputs) if spec.kind == OutputKind.BUFFER_MUTATION}
    types = ", ".join(results[i] for i in returned)
    lines = [f"ml_program.global private mutable @state{i}({literal(before[name])} : {inputs[i]}) : {inputs[i]}"
             for i, name in enumerate(freed)]
    arguments = [f"{name}: {one}" for name, one in zip(given, inputs)][len(freed):]
    lines.append(f"func.func @main({', '.join(arguments)}) -> ({types}) {{")
    lines += [f"  %x{i} = ml_program.global_load @state{i} : {inputs[i]}" for i in range(len(freed))]
    lines.append(f"  %r:{len(results)} = func.call @step({', '.join(given)}) : ({', '.join(inputs)}) -> ({', '.join(results)})")
    lines += [f"  ml_program.global_store @state{i} = %r#{after[name]} : {inputs[i]}" for i, name in enumerate(freed)]
    return "\n".join([*lines, f"  return {', '.join(f'%r#{i}' for i in returned)} : {types}", "}", ""])


def convert(program):
    before = {**program.constants, **program.state_dict}
    for name in program.graph_signature.buffers:  # torch-mlir looks for those that are not saved, too
        program.state_dict.setdefault(name, before[name])
    freed = free_state(program)
    module = fx.export_and_import(program, output_type="torch", func_name="main", decomposition_table={})
    run_pipeline_with_repro_report(module, f"builtin.module({torch_linalg.passes()})", "to linalg on tensors")
    if tm_tensor.MARK in str(module.operation.get_asm(large_elements_limit=16)):
        tm_tensor.to_loops(module)
    if all(spec.kind == OutputKind.USER_OUTPUT for spec in program.graph_signature.output_specs):
        return module.operation.get_asm(enable_debug_info=True)
    with module.context:
        function = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main")
        function.attributes["sym_name"] = ir.StringAttr.get("step")
        function.attributes["sym_visibility"] = ir.StringAttr.get("private")
        main = main_function(function, program, freed, before)
    text = module.operation.get_asm(enable_debug_info=True)
    return re.sub(r"^module.*\{\n", lambda head: head[0] + main, text, count=1, flags=re.M)


def open_arguments(program):
    """Of each input what is known of sizes that change; empty: none does."""
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    shapes = [list(values[name].shape) for name in program.graph_signature.user_inputs]
    if all(isinstance(size, int) for shape in shapes for size in shape):
        return []
    return [[open_entry(program, size) for size in shape] for shape in shapes]


def open_entry(program, size):
    if isinstance(size, int):
        return "{}"
    limits = program.range_constraints[size.node.expr]
    return open_sizes.entry(size.node.expr, limits.lower, limits.upper)


def refuse_branches(program):
    """torch-mlir takes few of the ops that have functions inside, and does not say which it failed at."""
    for node in program.graph.nodes:
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            places = [place for place in re.findall(r'File "([^<"]+)", line (\d+)', node.meta.get("stack_trace") or "")
                      if "/torch/" not in place[0]]
            sys.exit(f"{':'.join(places[-1]) if places else '-'}: error: op '{node.target.__name__}' has no form in torch-mlir")


source, target = sys.argv[1:3]
loaded = torch.export.load(source)
program = loaded.run_decompositions(fx.get_decomposition_table())
said, sizes = elements(program), open_arguments(program)
try:
    converted = open_sizes.state(convert(program), "main", sizes)
except (AssertionError, NotImplementedError):
    refuse_branches(loaded)
    raise
with open(target, "w") as file:
    file.write(f"{converted}// elements: {said}\n")
