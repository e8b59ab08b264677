# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From steps to MLIR: linalg on tensors, a function per program."""

import re

from fuzz.net_gen.elements import BYTES, GREATEST, LEAST, is_float, literal
from fuzz.net_gen.tree import states, tensor

EMITS = {}
FLOATS_OF_DRIVER = 256  # a mask of driver.c
OUT = 16  # words that stores go to


def emits(function):
    EMITS[function.__name__] = function
    return function


READ_ONLY = " {bufferization.writable = false}"


def program(p, name, mark="", entry=""):
    """`mark`: what is said of tensors that are arguments. `entry`: what its name ends with, if others call it."""
    attributes = "" if entry else "attributes {llvm.emit_c_interface} "
    arguments = [f"%out: memref<{OUT}xi64>"] + [f"{v.name}: {v.type}{'' if v.memory else mark}" for v in p.arguments]
    types = ", ".join(v.type for v in p.returned)
    helpers = state_globals(p, name) + [text for step in p.steps for text in helper(step, name)]
    lines = [f"func.func @{name}{entry}({', '.join(arguments)}) -> ({types}) {attributes}{{"]
    for step in p.steps:
        lines += ["  " + line for line in EMITS[step.kind](step, name)]
    lines.append(f"  return {', '.join(v.name for v in p.returned)} : {types}")
    return "\n".join(helpers + lines + ["}"])


def helper(step, name):
    """The function that a step calls."""
    if step.kind in ("load", "save") and step.attrs["called"]:
        return [state_function(step, name)]
    if step.kind != "call":
        return []
    (x,), result = step.inputs, step.result
    inner = "\n".join("  " + line for line in generic(step, name))
    return [f"func.func private @{name}_f{result.number}({x.name}: {x.type}) -> {result.type} {{\n{inner}\n"
            f"  return {result.name} : {result.type}\n}}"]  # fmt: skip


OUTSIDE = "func.func private @stow_fuzz_touch(memref<?xi8>, i64) attributes {llvm.emit_c_interface}"


def module(texts):
    outside = [OUTSIDE] if any("@stow_fuzz_touch(" in text for text in texts) else []
    return "\n".join(["module {", *outside, *texts, "}"]) + "\n"


def manifest(p, name):
    """What driver.c reads: the arguments' types and the results'."""
    words = [name, 1 + len(p.arguments), 8, 255, 1, OUT]
    for v in p.arguments:
        words += [BYTES[v.element], FLOATS_OF_DRIVER if is_float(v.element) else 255, v.rank, *v.shape]
    words.append(len(p.returned))
    for v in p.returned:
        words += [BYTES[v.element], v.rank]
    return " ".join(map(str, words))


# ---- Pieces.


def number(value, element):
    return {"least": LEAST, "greatest": GREATEST}[value][element] if isinstance(value, str) else literal(value, element)


def destination(step, result):
    """(lines, name) of what a step writes: new memory, filled or not, or its last input."""
    start = step.attrs.get("start", "empty")
    if start == "onto":
        return [], step.inputs[-1].name
    into = f"{result.name}_into"
    lines = [f"{into} = tensor.empty() : {result.type}"]
    if start == "empty":
        return lines, into
    return lines + [
        f"{result.name}_start = arith.constant {number(start, result.element)} : {result.element}",
        f"{result.name}_filled = linalg.fill ins({result.name}_start : {result.element}) outs({into} : {result.type}) "
        f"-> {result.type}",
    ], f"{result.name}_filled"  # fmt: skip


def sources(step):
    return step.inputs[:-1] if step.attrs.get("start") == "onto" else step.inputs


def listed(values):
    return f"{', '.join(v.name for v in values)} : {', '.join(v.type for v in values)}"


def nested(numbers, shape, element):
    if not shape:
        return literal(numbers[0], element)
    part = len(numbers) // shape[0]
    return "[" + ", ".join(nested(numbers[i * part :], shape[1:], element) for i in range(shape[0])) + "]"


def affine(rank, results):
    return f"affine_map<({', '.join(f'd{i}' for i in range(rank))}) -> ({', '.join(results)})>"


# ---- Ops.


@emits
def constant(step, name):
    r = step.result
    return [f"{r.name} = arith.constant dense<{nested(step.attrs['numbers'], r.shape, r.element)}> : {r.type}"]


@emits
def generic(step, name):
    a, results = step.attrs, step.results
    read, lines, into = sources(step), [], []
    for r in results:
        more, written = destination(step, r)
        lines, into = lines + more, into + [written]
    kinds = ", ".join(f'"{kind}"' for kind in a["kinds"])
    names = [f"%a{i}: {v.element}" for i, v in enumerate(read)] + [f"%o{i}: {r.element}" for i, r in enumerate(results)]
    types = ", ".join(r.type for r in results)
    given = f"ins({listed(read)}) " if read else ""
    made = results[0].name if len(results) == 1 else f"{results[0].name}_all:{len(results)}"
    lines += [
        f"{made} = linalg.generic {{indexing_maps = [{', '.join(affine(len(a['kinds']), m) for m in a['maps'])}],",
        f"    iterator_types = [{kinds}]}} {given}outs({', '.join(into)} : {types}) {{",
        f"  ^bb0({', '.join(names)}):",
        *("    " + line for line in a["body"]),
        f"    linalg.yield {', '.join(a['yields'])} : {', '.join(r.element for r in results)}",
        f"  }} -> {types if len(results) == 1 else f'({types})'}",
    ]
    if len(results) > 1:
        lines += [f"{r.name} = tensor.cast {results[0].name}_all#{i} : {r.type} to {r.type}" for i, r in enumerate(results)]
    return lines


@emits
def named(step, name):
    """`windows`: the shape of a window, which an op takes as an operand without contents; `points`: of zeros."""
    r, a, read = step.result, step.attrs, sources(step)
    lines, into = destination(step, r)
    names, types = [v.name for v in read], [v.type for v in read]
    for i, point in enumerate(a.get("points", ())):
        lines.append(f"{r.name}_point{i} = arith.constant {point} : i32")
        names, types = names + [f"{r.name}_point{i}"], types + ["i32"]
    if "windows" in a:
        type = tensor(a["windows"], read[0].element)
        lines.append(f"{r.name}_window = tensor.empty() : {type}")
        names, types = names + [f"{r.name}_window"], types + [type]
    given = f"ins({', '.join(names)} : {', '.join(types)}) outs({into} : {r.type})"
    arrow = "" if a.get("inferred") else f" -> {r.type}"
    return lines + [f"{r.name} = linalg.{a['op']} {a.get('before', '')}{given}{a.get('after', '')}{arrow}"]


@emits
def pad(step, name):
    (x,), r, a = step.inputs, step.result, step.attrs
    indices = ", ".join(f"%i{d}: index" for d in range(r.rank))
    return [f"{r.name}_edge = arith.constant {number(a['edge'], r.element)} : {r.element}",
            f"{r.name} = tensor.pad {x.name} low{list(a['low'])} high{list(a['high'])} {{",
            f"  ^bb0({indices}):", f"    tensor.yield {r.name}_edge : {r.element}",
            f"  }} : {x.type} to {r.type}"]  # fmt: skip


def region(a):
    return f"{list(a['offsets'])} {list(a['sizes'])} {list(a['strides'])}"


@emits
def slice(step, name):
    (x,), r = step.inputs, step.result
    return [f"{r.name} = tensor.extract_slice {x.name}{region(step.attrs)} : {x.type} to {r.type}"]


@emits
def insert(step, name):
    """Of each part, at its region; `start` says into what."""
    r = step.result
    lines, into = destination(step, r)
    parts = sources(step)
    for i, (part, where) in enumerate(zip(parts, step.attrs["regions"])):
        now = r.name if i == len(parts) - 1 else f"{r.name}_{i}"
        lines.append(f"{now} = tensor.insert_slice {part.name} into {into}{region(where)} : {part.type} into {r.type}")
        into = now
    return lines


@emits
def concat(step, name):
    types = ", ".join(v.type for v in step.inputs)
    return [f"{step.result.name} = tensor.concat dim({step.attrs['dim']}) {', '.join(v.name for v in step.inputs)} : "
            f"({types}) -> {step.result.type}"]  # fmt: skip


@emits
def collapse(step, name):
    (x,), r = step.inputs, step.result
    return [f"{r.name} = tensor.collapse_shape {x.name} {step.attrs['groups']} : {x.type} into {r.type}"]


@emits
def expand(step, name):
    (x,), r = step.inputs, step.result
    return [f"{r.name} = tensor.expand_shape {x.name} {step.attrs['groups']} output_shape {list(r.shape)} : "
            f"{x.type} into {r.type}"]  # fmt: skip


# ---- What is no network.


@emits
def call(step, name):
    (x,), r = step.inputs, step.result
    return [f"{r.name} = call @{name}_f{r.number}({x.name}) : ({x.type}) -> {r.type}"]


def words(r, at):
    """Lines of indices, and their names."""
    names = [f"{r}_i{d}" for d in range(len(at))]
    return [f"{name} = arith.constant {i} : index" for name, i in zip(names, at)], ", ".join(names)


@emits
def refill(step, name):
    """Filled with an element of another value."""
    (x,), r = step.inputs, step.result
    lines, at = words(r.name, step.attrs["at"])
    return lines + [f"{r.name}_e = tensor.extract {x.name}[{at}] : {x.type}",
                    f"{r.name}_into = tensor.empty() : {r.type}",
                    f"{r.name} = linalg.fill ins({r.name}_e : {r.element}) outs({r.name}_into : {r.type}) -> {r.type}"]  # fmt: skip


@emits
def loop(step, name):
    """Row by row, each twice its row of the input, and a little of the one before."""
    (x,), r = step.inputs, step.result
    n, row = r.name, tensor(x.shape[1:], x.element)
    rest = f"{', 0' * (x.rank - 1)}] [1{''.join(f', {s}' for s in x.shape[1:])}] [1{', 1' * (x.rank - 1)}]"
    add = "arith.addf" if is_float(x.element) else "arith.addi"
    return [f"{n}_0 = arith.constant 0 : index", f"{n}_1 = arith.constant 1 : index",
            f"{n}_n = arith.constant {x.shape[0]} : index", f"{n}_into = tensor.empty() : {r.type}",
            f"{n} = scf.for {n}_i = {n}_0 to {n}_n step {n}_1 iter_args({n}_t = {n}_into) -> ({r.type}) {{",
            f"  {n}_row = tensor.extract_slice {x.name}[{n}_i{rest} : {x.type} to {row}",
            f"  {n}_new = tensor.empty() : {row}",
            f"  {n}_sum = linalg.map {{ {add} }} ins({n}_row, {n}_row : {row}, {row}) outs({n}_new : {row})",
            f"  {n}_next = tensor.insert_slice {n}_sum into {n}_t[{n}_i{rest} : {row} into {r.type}",
            f"  scf.yield {n}_next : {r.type}", "}"]  # fmt: skip


@emits
def choice(step, name):
    (x, y), r, n = step.inputs, step.result, step.result.name
    return [f"{n}_i = arith.constant {step.attrs['word']} : index",
            f"{n}_w = memref.load %out[{n}_i] : memref<{OUT}xi64>", f"{n}_0 = arith.constant 0 : i64",
            f"{n}_c = arith.cmpi slt, {n}_w, {n}_0 : i64",
            f"{n} = scf.if {n}_c -> ({r.type}) {{", f"  scf.yield {x.name} : {x.type}", "} else {",
            f"  scf.yield {y.name} : {y.type}", "}"]  # fmt: skip


def bits(name, value, element):
    """Lines that make {name}_b, an i64, of an element's bits."""
    if element in ("i64", "f64"):
        return [f"{name}_b = arith.bitcast {value} : {element} to i64"] if element == "f64" else []
    lines, word = [], value
    if element == "f32":
        lines, word = [f"{name}_w = arith.bitcast {value} : f32 to i32"], f"{name}_w"
    return lines + [f"{name}_b = arith.extsi {word} : {'i8' if element == 'i8' else 'i32'} to i64"]


@emits
def store(step, name):
    """An element goes to the memory that the caller gave."""
    (x,), n, a = step.inputs, f"%store{step.attrs['number']}", step.attrs
    lines, at = words(n, a["at"])
    return lines + [f"{n}_e = tensor.extract {x.name}[{at}] : {x.type}", *bits(n, f"{n}_e", x.element),
                    f"{n}_at = arith.constant {a['word']} : index",
                    f"memref.store {n}_b, %out[{n}_at] : memref<{OUT}xi64>"]  # fmt: skip


@emits
def deliver(step, name):
    x, memory = step.inputs
    return [f"bufferization.materialize_in_destination {x.name} in restrict writable {memory.name} : "
            f"({x.type}, {memory.type}) -> ()"]  # fmt: skip


@emits
def handled(step, name):
    """Copied to a buffer of its own, which a function without a body changes."""
    (x,), r, n = step.inputs, step.result, step.result.name
    memory, any = x.type.replace("tensor", "memref"), "memref<?xi8>"
    return [f"{n}_m = memref.alloc() : {memory}",
            f"bufferization.materialize_in_destination {x.name} in restrict writable {n}_m : ({x.type}, {memory}) -> ()",
            f"{n}_any = memref.cast {n}_m : {memory} to {any}", f"{n}_w = arith.constant {step.attrs['word']} : i64",
            f"call @stow_fuzz_touch({n}_any, {n}_w) : ({any}, i64) -> ()",
            f"{n} = bufferization.to_tensor {n}_m restrict writable : {memory} to {r.type}"]  # fmt: skip


@emits
def sink(step, name):
    """All elements, in an order that tells, to the memory that the caller gave."""
    (x,), n, a = step.inputs, f"%store{step.attrs['number']}", step.attrs
    i = [f"{n}_i{d}" for d in range(x.rank)]
    opening, closing = [], []
    outer, indent = f"{n}_t0", ""
    for d, size in enumerate(x.shape):
        carried = f"{n}_a{d}"
        opening.append(f"{indent}{n}_r{d} = affine.for {i[d]} = 0 to {size} iter_args({carried} = {outer}) -> (i64) {{")
        inside = f"{n}_r{d + 1}" if d + 1 < x.rank else f"{n}_s"
        closing.insert(0, f"{indent}}}")
        closing.insert(0, f"{indent}  affine.yield {inside} : i64")
        outer, indent = carried, indent + "  "
    core = [f"{n}_e = tensor.extract {x.name}[{', '.join(i)}] : {x.type}", *bits(n, f"{n}_e", x.element),
            f"{n}_m = arith.muli {outer}, {n}_f : i64", f"{n}_s = arith.addi {n}_m, {n}_b : i64"]  # fmt: skip
    return [f"{n}_t0 = arith.constant 1 : i64", f"{n}_f = arith.constant 31 : i64", *opening,
            *(indent + line for line in core), *closing, f"{n}_at = arith.constant {a['word']} : index",
            f"memref.store {n}_r0, %out[{n}_at] : memref<{OUT}xi64>"]  # fmt: skip

# ---- State, as prepare-model takes it.


def symbol(program, kept):
    return f"@{program}_s{kept.number}"


def load_lines(program, kept, name):
    return [f"{name} = ml_program.global_load {symbol(program, kept)} : {kept.type}"]


def save_lines(program, kept, name):
    return [f"ml_program.global_store {symbol(program, kept)} = {name} : {kept.type}"]


@emits
def load(step, name):
    kept, r = step.attrs["kept"], step.result
    if step.attrs["called"]:
        return [f"{r.name} = call @{name}_load{r.number}() : () -> {r.type}"]
    return load_lines(name, kept, r.name)


@emits
def save(step, name):
    (x,), a = step.inputs, step.attrs
    if a["called"]:
        return [f"call @{name}_save{a['number']}({x.name}) : ({x.type}) -> ()"]
    return save_lines(name, a["kept"], x.name)


def state_function(step, name):
    kept = step.attrs["kept"]
    if step.kind == "load":
        head, body = f"_load{step.result.number}() -> {kept.type}", [*load_lines(name, kept, "%s"), f"return %s : {kept.type}"]
    else:
        head, body = f"_save{step.attrs['number']}(%s: {kept.type})", [*save_lines(name, kept, "%s"), "return"]
    return "\n  ".join([f"func.func private @{name}{head} {{", *body]) + "\n}"


def state_globals(p, name):
    return [f"ml_program.global private mutable {symbol(name, k)}(dense<{nested(k.first, k.shape, k.element)}> : {k.type}) : {k.type}"
            for k in states(p)]  # fmt: skip


# ---- State in memory of the program's own.

GLOBAL = re.compile(r"^ml_program.global private mutable (@\w+)\((.*) : .*\) : tensor(<.*>)$", re.M)
LOAD = re.compile(r"^( *)(%\w+) = ml_program.global_load (@\w+) : tensor(<.*>)$", re.M)
STORE = re.compile(r"^( *)ml_program.global_store (@\w+) = (%\w+) : tensor(<.*>)$", re.M)


def in_memory(text):
    """The same programs, with their state in memory that is copied where it is loaded. (Upstream's bufferization of
    ml_program would take what was loaded for the state itself, behind a store, too.)"""
    text = GLOBAL.sub(r'memref.global "private" \1 : memref\3 = \2', text)
    text = LOAD.sub(r"\1\2_g = memref.get_global \3 : memref\4" "\n"
                    r"\1\2_c = memref.alloc() : memref\4" "\n"
                    r"\1memref.copy \2_g, \2_c : memref\4 to memref\4" "\n"
                    r"\1\2 = bufferization.to_tensor \2_c restrict writable : memref\4 to tensor\4", text)  # fmt: skip
    parts = STORE.split(text)
    lines = parts[:1]
    for i in range(1, len(parts), 5):
        indent, at, value, type = parts[i : i + 4]
        to = f"%kept{i}"
        lines += [f"{indent}{to} = memref.get_global {at} : memref{type}\n"
                  f"{indent}bufferization.materialize_in_destination {value} in restrict writable {to} : "
                  f"(tensor{type}, memref{type}) -> ()", parts[i + 4]]  # fmt: skip
    return "".join(lines)
