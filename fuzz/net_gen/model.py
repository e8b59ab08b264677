# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as stowage-model makes them, called as the programs were: by a function that has the memory which the
caller is to have, and finds the results where the header says."""

import re
from math import prod

from testing.batch import Failure
from testing.compiled import RUNS, StageError

ENTRY = "_model"  # what the name ends with
ALIGNED = "{alignment = 64 : i64}"


def takes(program):
    """Whether it needs no memory of the heap, whatever is done."""
    return all(step.kind != "handled" for step in program.steps)


def header(tools):
    return tools.work / "model.h"


def pipeline(tools, config):
    return config.pipeline.replace("}", f" emit-header={header(tools)}}}", 1)


def wrapped(tools, config, programs, parts):
    said = header(tools).read_text()
    return {name: (first, common, text + "\n" + caller(programs[name], name, text, said, config))
            for name, (first, common, text) in parts.items()}  # fmt: skip


def arguments(name, text):
    """(type, what is said of it) of each of the model's arguments."""
    found = re.search(rf"func\.func @{name}{ENTRY}\((.*)\) (?:attributes .*)?\{{$", text, re.M)
    if not found:
        raise StageError("pass", f"error: {name} has results")
    return re.findall(r"%\w+: (memref<[^<>]*>)(?: \{([^{}]*)\})?", found[1])


def places(name, said):
    """Of the header: the names of the arguments, and {number of a result: the argument that it is, if not the one in its place}."""
    comment = said.split(f"/* {name}{ENTRY}\n", 1)[1].split("*/", 1)[0]
    elsewhere = re.findall(r"result (\d+) of the program: .* in (\w+)$", comment, re.M)
    return re.findall(r"^ \*   (\w+): ", comment, re.M), {int(k): place for k, place in elsewhere}


def caller(p, name, text, said, config):
    given, (names, elsewhere) = arguments(name, text), places(name, said)
    taken = 1 + len(p.arguments)
    values = {n: f"%m{i}" for i, n in enumerate(names)}
    types = dict(zip(names, (type for type, _ in given)))
    memory, lines, after = [], [], []
    for n, (type, marks) in list(zip(names, given))[taken:]:
        if "stowage.state" in marks:
            memory, more = state(name, values[n], type)
            lines += more
        else:
            lines.append(f"{values[n]} = memref.alloc() {ALIGNED} : {type}")
    lines.append(f"call @{name}{ENTRY}({', '.join(values.values())}) : ({', '.join(types.values())}) -> ()")
    if config.arena == "argument":
        after = [f"memref.dealloc {values[names[-1]]} : {types[names[-1]]}"]
    results, own = [], [n for n in names[taken:] if n.startswith("result")]
    for k, r in enumerate(p.returned):
        place = elsewhere.get(k) or own[0]
        own = own[1:] if own[:1] == [place] else own
        more, result = shaped(values[place], types[place], r, f"%r{k}")
        lines, results = lines + more, results + [result]
    head = ", ".join(f"{values[n]}: {types[n]}" for n in names[:taken])
    back = ", ".join(map(memref, p.returned))
    return "\n".join([*memory, f"  func.func @{name}({head}) -> ({back}) attributes {{llvm.emit_c_interface}} {{",
                      *("    " + line for line in lines + after), f"    return {', '.join(results)} : {back}", "  }"])  # fmt: skip


def memref(value):
    return value.type.replace("tensor", "memref")


def state(name, value, type):
    """Globals, and lines that write it before the first call."""
    memory = [f'  memref.global "private" @{name}_begun : memref<1xi8> = dense<0>',
              f'  memref.global "private" @{name}_kept : {type} = uninitialized {ALIGNED}']  # fmt: skip
    return memory, [
        f"{value} = memref.get_global @{name}_kept : {type}", f"%begun = memref.get_global @{name}_begun : memref<1xi8>",
        "%first = arith.constant 0 : index", "%none = arith.constant 0 : i8", "%some = arith.constant 1 : i8",
        "%was = memref.load %begun[%first] : memref<1xi8>", "%new = arith.cmpi eq, %was, %none : i8", "scf.if %new {",
        f"  func.call @{name}{ENTRY}_state_init({value}) : ({type}) -> ()",
        "  memref.store %some, %begun[%first] : memref<1xi8>", "}"]  # fmt: skip


def shaped(value, type, r, name):
    """Lines, and a value of the same bytes, as the program has the result."""
    if type == memref(r):
        return [], value
    strides = [prod(r.shape[d + 1 :]) for d in range(r.rank)]
    strided = memref(r)[:-1] + f", strided<{strides}>>"
    return [f"{name} = memref.reinterpret_cast {value} to offset: [0], sizes: {list(r.shape)}, strides: {strides} : {type} to {strided}",
            f"{name}_all = memref.cast {name} : {strided} to {memref(r)}"], f"{name}_all"  # fmt: skip


def allocates(text, after):
    """What the caller allocates is all."""
    own = text[2].rsplit("func.func @", 1)[1].count("memref.alloc()")
    more = after[0].allocs - RUNS * own
    return Failure("allocates", f"{more} allocations of its own") if more else None
