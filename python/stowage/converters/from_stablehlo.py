# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_stablehlo.py MODEL.mlir OUT.mlir: StableHLO as linalg on tensors, by the passes that jaxlib has."""

import re
import sys

import jax._src.interpreters.mlir as interpreter
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo
from jaxlib.mlir.passmanager import PassManager

PIPELINE = ("builtin.module(inline,func.func(chlo-legalize-to-stablehlo),stablehlo-legalize-to-linalg,canonicalize,cse)")


def convert(text):
    with interpreter.make_ir_context() as context:
        stablehlo.register_dialect(context)
        chlo.register_dialect(context)
        stablehlo.register_stablehlo_passes()
        module = ir.Module.parse(text)
        PassManager.parse(PIPELINE).run(module.operation)
        return module.operation.get_asm(enable_debug_info=False)


def control_flow(text):
    """What is left of StableHLO's loops, as scf."""
    out, open_loops, count = [], [], 0
    for line in text.splitlines():
        begin = re.match(r"(\s*)(\S+ = )?stablehlo\.while\((.*)\) : (.*?)(?: attributes .*)?$", line)
        if begin:
            indent, result, values, types = begin.groups()
            names = [value.split(" = ")[0] for value in values.split(", ")]
            open_loops.append(["while", indent, names, types])
            out.append(f"{indent}{result or ''}scf.while ({values}) : ({types}) -> ({types}) {{")
            continue
        if open_loops:
            count += 1
            line = continue_loop(line, open_loops, f"%stowage_condition{count}")
        if line is not None:
            out.append(line)
    return "\n".join(out) + "\n"


def continue_loop(line, open_loops, condition):
    """A line of a loop; None where it goes."""
    state, indent, names, types = open_loops[-1]
    word = line.strip()
    if state == "while" and word == "cond {":
        open_loops[-1][0] = "cond"
        return None
    if state == "cond" and word.startswith("stablehlo.return"):
        return (f"{indent}  {condition} = tensor.extract {word.split()[1]}[] : tensor<i1>\n"
                f"{indent}  scf.condition({condition}) {', '.join(names)} : {types}")
    if state == "cond" and word == "} do {":
        open_loops[-1][0] = "do"
        arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(names, re.findall(r"tensor<[^>]*>", types)))
        return f"{indent}}} do {{\n{indent}^bb0({arguments}):"
    if state == "do" and word.startswith("stablehlo.return"):
        return line.replace("stablehlo.return", "scf.yield")
    if state == "do" and word == "}" and line.startswith(indent + " }") or line == indent + "}":
        open_loops.pop()
        return f"{indent}}}"
    return line


def first_left(text):
    found = re.search(r"\b(?:stablehlo|chlo)\.(?!bounds)\w+", text)
    return found and found.group(0)


source, target = sys.argv[1:3]
with open(source) as file:
    converted = control_flow(convert(file.read()))
converted = re.sub(r"(module @\S+) attributes \{.*?\} \{", r"\1 {", converted)
converted = re.sub(r" \{jax\.[^}]*\}", "", converted)
left = first_left(converted)
if left:
    sys.exit(f"error: op '{left}' has no form in linalg")
with open(target, "w") as file:
    file.write(converted)
