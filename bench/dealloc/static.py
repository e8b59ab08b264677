# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks, as text: what deallocation and stowage-memory leave of them.

Nothing runs here: other people's networks lack their weights, or call functions that are not there.
Peaks are those of ir_text.py's walk through a function's text, summed over the module's functions.
A network goes through stowage-memory with every choice the pipeline has; what comes out must verify
in stock mlir-opt, and must lower to LLVM if the network as it was given does.
"""

import re
from dataclasses import dataclass

from bench import ir_text
from bench.measure import ELIDE
from testing.execute import LOWERING, drop_memory_spaces
from testing.networks import DEALLOCATION, LIVENESS
from testing.process import ToolError
from testing.tables import count, percent

CHOICES = ["", "start=merge-alloc", "hoist=true", "stack-bytes=4096", "unknown-ops=use"]
FREES = ["buffer-deallocation", "buffer-deallocation{prefer=clones}"]
GENERIC_OP = re.compile(r'^\s*(?:%[\w:, %]+ = )?"([\w.]+)"\(', re.M)


@dataclass
class Form:
    """One module: its ops by name, and its heap."""

    said: str = ""
    ops: int = 0
    allocs: int = 0
    deallocs: int = 0
    clones: int = 0
    bits: int = 0
    peak: int = 0
    least: int = 0
    leaked: int = 0
    untraced: int = 0
    ratio: float = 0.0  # the passes' time to that of parser and output
    lowers: bool = False


def pass_seconds(text):
    """Of --mlir-timing's list: all passes, and parser and output."""
    rows = re.findall(r"^\s+([\d.]+) \(\s*[\d.]+%\)\s+(.+)$", text, re.M)
    around = sum(float(s) for s, name in rows if name in ("Parser", "Output"))
    passes = sum(float(s) for s, name in rows if re.fullmatch(r"[A-Z]\w+", name)
                 and name not in ("Parser", "Output", "Rest", "Total"))
    return passes, around


def measured(bench, path, form):
    generic = path.with_suffix(".generic")
    bench.run(bench.mlir_opt, path, output=generic, extra=["--mlir-print-op-generic", *ELIDE])
    text = generic.read_text()
    names = GENERIC_OP.findall(text)
    form.ops, form.allocs = len(names), names.count("memref.alloc")
    form.deallocs, form.clones = names.count("memref.dealloc"), names.count("bufferization.clone")
    form.bits = len(re.findall(r'"memref.dealloc"\(.*stowage.by_bit', text))
    for function in ir_text.read(text):
        liveness = ir_text.Liveness(function)
        heap = ir_text.heap(liveness)
        form.peak, form.untraced = form.peak + heap.peak, form.untraced + heap.unmatched
        form.least += ir_text.least_peak(liveness)
        form.leaked += ir_text.leaked(liveness)
    return form


def lowers(bench, path):
    """Whether nothing but LLVM's dialect is left of it."""
    passes = ",".join(LOWERING).replace(";", " ")
    source, lowered = path.with_suffix(".flat"), path.with_suffix(".llvm")
    source.write_text(drop_memory_spaces(path.read_text()))
    try:
        bench.run(bench.mlir_opt, source, passes, lowered, ["--mlir-print-op-generic"])
    except ToolError:
        return False
    names = set(GENERIC_OP.findall(lowered.read_text()))
    source.unlink(), lowered.unlink()
    return all(n.startswith("llvm.") or n == "builtin.module" for n in names)


def written(bench, name, pipeline):
    return bench.folder / f"{name}.{re.sub(r'[^a-z-]+', '.', pipeline)}.mlir"


def form_of(bench, name, program, memref, pipeline):
    form, out = Form(), written(bench, name, pipeline)
    timing = ["--mlir-timing", "--mlir-timing-display=list", "--verify-each=false"]
    try:
        taken = [pass_seconds(bench.run(program, memref, pipeline, out, timing))
                 for _ in range(bench.runs)]
        form.ratio = min(p for p, _ in taken) / max(min(a for _, a in taken), 1e-4)
        return measured(bench, out, form)
    except ToolError as error:
        form.said = str(error).splitlines()[0][:120]
        return form


@dataclass
class Network:
    name: str
    given: Form
    forms: dict  # by pipeline


def network_of(bench, name, memref, upstream=True):
    given = measured(bench, memref, Form())
    given.lowers = lowers(bench, memref)
    ways = {way: bench.opt for way in FREES}
    ways |= {f"stowage-memory{{{choice}}}": bench.opt for choice in CHOICES}
    if upstream:
        ways |= {DEALLOCATION: bench.mlir_opt,
                 f"{DEALLOCATION},{LIVENESS}": bench.mlir_opt}
    forms = {way: form_of(bench, name, tool, memref, way) for way, tool in ways.items()}
    for way in FREES:  # an allocation and a copy each
        forms[way].clones += max(forms[way].allocs - given.allocs, 0)
    for way in map("stowage-memory{{{}}}".format, CHOICES):
        forms[way].lowers = not forms[way].said and lowers(bench, written(bench, name, way))
    return Network(name, given, forms)


# ---- tables -----------------------------------------------------------------------------


def shown(form, *cells):
    return ("refused",) + ("",) * (len(cells) - 1) if form.said else cells


def peak_of(form):
    return count(form.peak) + (f" ({form.untraced} untraced)" if form.untraced else "")


def deallocation_rows(networks):
    for n in networks:
        ours, clones = n.forms[FREES[0]], n.forms[FREES[1]]
        theirs = n.forms[DEALLOCATION]
        liveness = n.forms[f"{DEALLOCATION},{LIVENESS}"]
        yield (n.name, n.given.allocs, count(n.given.least),
               *shown(ours, ours.deallocs, ours.clones + clones.clones, ours.bits, count(ours.ops),
                      peak_of(ours), percent(ours.ratio)),
               *shown(theirs, theirs.allocs, theirs.deallocs, theirs.clones, count(theirs.ops),
                      peak_of(theirs), percent(theirs.ratio)),
               *shown(liveness, peak_of(liveness)))


def summary(networks):
    ours = [n.forms[FREES[0]] for n in networks]
    pairs = [(o, n.forms[DEALLOCATION]) for n, o in zip(networks, ours)]
    both = [(o, t) for o, t in pairs if not o.said and not t.said]
    yield (f"of {len(networks)} networks, buffer-deallocation is at the least peak on "
           f"{sum(o.peak == n.given.least for n, o in zip(networks, ours))}; on {len(both)} that upstream handles, too, "
           f"its peak is lower on {sum(o.peak < t.peak for o, t in both)} and higher on "
           f"{sum(o.peak > t.peak for o, t in both)}")
    left = sum(f.leaked for n in networks for way, f in n.forms.items() if not way.startswith(DEALLOCATION))
    yield f"allocations that ours leaves without a dealloc, though nothing returns them: {left}"
    yield (f"in sum {sum(o.clones for o, _ in both)} clones against {sum(t.clones for _, t in both)}, "
           f"{sum(o.ops for o, _ in both):,} ops against {sum(t.ops for _, t in both):,}")


def memory_rows(networks):
    for n in networks:
        forms = [n.forms[f"stowage-memory{{{choice}}}"] for choice in CHOICES]
        wrong = [c or "default" for c, f in zip(CHOICES, forms) if f.said]
        unlowered = [c or "default" for c, f in zip(CHOICES, forms) if n.given.lowers and not f.lowers]
        cells = [c for f in forms[:2] for c in (f.allocs, count(f.peak), percent(f.ratio))]
        yield (n.name, n.given.allocs, count(n.given.least), *cells,
               *(f.allocs for f in forms[2:]), ", ".join(wrong) or "all",
               ", ".join(unlowered) or ("all" if n.given.lowers else "as given: no"))


def faults(networks):
    """What must not be (a crash, an error, IR that leaks or does not verify or lower), by network
    and way."""
    for n in networks:
        for way, form in n.forms.items():
            ours = form.said or ("an allocation is not freed" if form.leaked else "")
            if way.startswith("stowage") and n.given.lowers and not form.lowers and not form.said:
                ours = "does not lower to LLVM"
            if not way.startswith(DEALLOCATION):
                yield f"{n.name}, {way}", ours
