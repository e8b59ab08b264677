# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs (fuzz/memref_gen) without deallocs, their peaks beside the least.

A program is called three times from a main that fills its arguments, looks at its results and
prints a hash of its integer arguments. Left out are programs whose buffers get out of sight (stored,
turned into numbers, given to tasks), since nobody can tell when to free those, and those whose
arguments are of no static size. What the generator leaves to C is written in MLIR here, so that all
accesses are seen. cse and canonicalization run first, so that all ways allocate the same.
"""

import re
from dataclasses import dataclass

from bench import ir_text
from bench.dealloc import networks
from fuzz.memref_gen import programs
from testing.execute import difference
from testing.least_peak import least_peak
from testing.native import sanitizer_said
from testing.networks import DEALLOCATION
from testing.process import ToolError
from testing.tables import count

OUT_OF_SIGHT = re.compile(r"@stow_fuzz_(keep|recall|peek)\b|memref<[^<>]*memref<|async\.|extract_aligned|gpu\.")
CLEAN = "builtin.module(expand-realloc{emit-deallocs=false},cse,canonicalize)"
CALLS = 3

HELPERS = """
func.func private @stow_fuzz_pause() {
  return
}
func.func private @stow_fuzz_touch(%m: memref<?xi8>, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %m, %c0 : memref<?xi8>
  %byte = arith.trunci %v : i64 to i8
  scf.for %i = %c0 to %size step %c1 {
    %old = memref.load %m[%i] : memref<?xi8>
    %new = arith.xori %old, %byte : i8
    memref.store %new, %m[%i] : memref<?xi8>
  }
  return
}
func.func private @stow_fuzz_hash(%m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %prime = arith.constant 1099511628211 : i64
  %size = memref.dim %m, %c0 : memref<?xi64>
  %hash = scf.for %i = %c0 to %size step %c1 iter_args(%h = %zero) -> (i64) {
    %v = memref.load %m[%i] : memref<?xi64>
    %x = arith.xori %h, %v : i64
    %n = arith.muli %x, %prime : i64
    scf.yield %n : i64
  }
  vector.print %hash : i64
  return
}
"""


def split(text):
    """At the commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "<([{"
        depth -= c in "])}" or (c == ">" and text[i - 1] != "-")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [p for p in [*parts, text[start:].strip()] if p]


def constant(element, run):
    """An op of one value of the element type; None for types without a simple one."""
    if re.fullmatch(r"i\d+|index", element):
        return f"arith.constant {run % 2 if element != 'i1' else ['false', 'true'][run % 2]} : {element}"
    if re.fullmatch(r"b?f\d+", element):
        return f"arith.constant {run + 0.5} : {element}"
    vector = re.fullmatch(r"vector<[\dx]+x(\w+)>", element)
    if vector and constant(vector[1], run):
        return f"arith.constant dense<{constant(vector[1], run).split()[1]}> : {element}"
    return None


def fill(name, kind, run, argument):
    """Ops that write all of an argument, a rank 1 memref of i64 with varied values; None if it
    cannot be filled."""
    if ir_text.memref_bytes(kind) is None:
        return None
    element = re.fullmatch(r"memref<(?:\d+x)*(.+?)(?:, *\d+)?>", kind)[1]
    size = re.fullmatch(r"memref<(\d+)xi64>", kind)
    if not size:
        value = constant(element, run)
        return value and (f"  %f{run}_{argument} = {value}\n  linalg.fill ins(%f{run}_{argument} : "
                          f"{element}) outs({name} : {kind})\n")
    lines = []
    for i in range(int(size[1])):
        value, at = (i * 2654435761 + run * 40503 + argument) >> 3 & 0xFFFF, f"{run}_{argument}_{i}"
        lines.append(f"  %w{at} = arith.constant {value} : i64\n  %x{at} = arith.constant {i} : index\n"
                     f"  memref.store %w{at}, {name}[%x{at}] : {kind}\n")
    return "".join(lines)


def look(name, kind, value):
    """Reads and writes the first element, if there surely is one."""
    if not ir_text.memref_bytes(kind):
        return ""
    rank = kind.count("x", 0, re.match(r"memref<(?:\d+x)*", kind).end())
    at = ", ".join(["%c0"] * rank)
    return f"  {value} = memref.load {name}[{at}] : {kind}\n  memref.store {value}, {name}[{at}] : {kind}\n"


def one_call(name, kinds, results, run):
    """The arguments filled, the call, its results read, the integer arguments hashed."""
    lines = [fill(f"%a{i}", kind, run, i) for i, kind in enumerate(kinds)]
    if None in lines:
        return None
    given = ", ".join(f"%a{i}" for i in range(len(kinds)))
    lines.append((f"  %r{run}:{len(results)} = " if results else "  ")
                 + f"func.call @{name}({given}) : ({', '.join(kinds)}) -> ({', '.join(results)})\n")
    for i, kind in enumerate(results):
        lines.append(look(f"%r{run}#{i}", kind, f"%v{run}_{i}"))
    for i, kind in enumerate(kinds):
        if re.fullmatch(r"memref<\d+xi64>", kind):
            lines.append(f"  %d{run}_{i} = memref.cast %a{i} : {kind} to memref<?xi64>\n"
                         f"  func.call @stow_fuzz_hash(%d{run}_{i}) : (memref<?xi64>) -> ()\n")
    return "".join(lines)


def main_of(name, signature):
    found = re.match(r"func\.func @\w+\((.*?)\)(?: -> (.*?))? attributes", signature)
    kinds = [a.split(":", 1)[1].strip() for a in split(found[1])]
    results = split((found[2] or "").strip().removeprefix("(").removesuffix(")"))
    calls = [one_call(name, kinds, results, run) for run in range(CALLS)]
    if None in calls:
        return None
    allocs = "".join(f"  %a{i} = memref.alloc() : {kind}\n" for i, kind in enumerate(kinds))
    return f"func.func @main() {{\n  %c0 = arith.constant 0 : index\n{allocs}{''.join(calls)}  return\n}}\n"


def program_of(seed):
    """A module that can be run, or None."""
    text = programs.module([seed], "none")
    name = f"p{seed}"
    start = text.index(f"func.func @{name}")
    # What the generator declares, it declares for all programs.
    shared = [l for l in text[:start].splitlines() if l.startswith("memref.global")]
    body = text[start:text.rindex("}")]
    main = None if OUT_OF_SIGHT.search(body) else main_of(name, body.splitlines()[0])
    return main and "\n".join(shared) + HELPERS + body + main


@dataclass
class Row:
    seed: int
    least: int
    ours: int
    clones: int
    upstream: int = None
    theirs: str = "refuses"  # what is wrong with upstream's
    said: str = ""  # what is wrong with ours


def peak_of(tools, text, pipeline, first, opt=None):
    """(peak, what is wrong)"""
    run = tools.run(tools.apply(text, f"builtin.module({pipeline},cse,canonicalize)", opt=opt))
    said = difference(first, run) or (f"leaks {run.heap.leaked_bytes} bytes" if run.heap.leaked_bytes else "")
    return (None if said else run.heap.peak_bytes), said


def row_of(tools, seed):
    """None if the program is not one for this table."""
    text = program_of(seed)
    if not text:
        return None
    try:
        text = tools.apply(text, CLEAN, opt=tools.mlir_opt)
        least, first = least_peak(tools, text), tools.run(text)
    except ToolError:  # what this lowering cannot do
        return None
    row = Row(seed, least.bytes, None, None)
    try:
        row.ours, row.said = peak_of(tools, text, "buffer-deallocation", first)
        row.clones, said = peak_of(tools, text, "buffer-deallocation{prefer=clones}", first)
        row.said = row.said or said
    except ToolError as error:
        row.said = str(error).splitlines()[-1]
    try:
        row.upstream, row.theirs = peak_of(tools, text, DEALLOCATION, first, tools.mlir_opt)
    except ToolError:
        pass
    return row


def sanitized(tools, native, most):
    """What AddressSanitizer says, by program and way."""
    found = {}
    for seed in range(1, most + 1):
        text = program_of(seed)
        try:
            first = text and tools.run(text)
        except ToolError:  # what this lowering cannot do
            continue
        for way in networks.WAYS if text else ():
            run = native.run(native.sanitized(networks.after(tools, text, way)))
            found[f"random program {seed}, {way}"] = sanitizer_said(run) or difference(first, run) or ""
    return found


def summary(rows):
    both = [r for r in rows if r.upstream is not None]
    above = [r for r in both if r.upstream > r.least]
    refused = sum(r.theirs == "refuses" for r in rows)
    yield (f"{len(rows)} programs; ours goes wrong on {sum(bool(r.said) for r in rows)}, upstream refuses "
           f"{refused} and goes wrong on {len(rows) - len(both) - refused}")
    for way in ("ours", "clones"):
        peaks = [(getattr(r, way), r) for r in both if getattr(r, way) is not None]
        excess = [getattr(r, way) / r.least - 1 for r in rows if getattr(r, way) is not None]
        yield (f"{'prefer=clones' if way == 'clones' else 'bits'}: at the least peak on "
               f"{sum(getattr(r, way) == r.least for r in rows)}, at most {100 * max(excess):.0f} % above it; "
               f"upstream is above it on {len(above)} of {len(both)}, and there ours is lower on "
               f"{sum(p < r.upstream for p, r in peaks if r in above)}; higher than upstream on "
               f"{sum(p > r.upstream for p, r in peaks)}")


def table_rows(rows):
    """Those above the least peak."""
    for r in rows:
        if r.said or r.ours != r.least or r.clones != r.least:
            yield (r.seed, count(r.least), r.said or count(r.ours), count(r.clones),
                   r.theirs.splitlines()[0] if r.theirs else count(r.upstream))
