#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures buffer-reuse on whole networks and on synthetic functions; writes a table.

    python3 -m bench.arena.models --output bench/results.md

Networks are the files NAME.memref.mlir of --models, and those of examples/generate.py. See
bench/README.md for what is measured and how to read it. What is not a time is the
same in every run.
"""

import contextlib
import math
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bench import growth, ir_text, measure
from bench.arena import llvm23_planner
from bench.measure import Bench, Timing, generated, given
from testing.execute import difference
from testing.networks import DEALLOCATION, LIVENESS
from testing.places import ROOT
from testing.process import ToolError
from testing.tables import count, machine, output_of, percent, ratio, say, table

EXPECTED_REASONS = {"returned", "passed-to-call", "no-partner", "empty"}
CONDITIONAL = {"hexagon-attention": {"pointer-taken", "loop-carried", "conditional-dealloc"}}
TRAINING_LIMIT, TIME_LIMIT, JUDGED_FROM_MS, GROWTH_LIMIT = 1.01, 0.20, 20.0, 1.2
GROWTH_SIZES, GROWTH_RUNS = (1_000, 10_000, 30_000, 100_000), 4


# ---- cases: a network in one form, with options -----------------------------------------


@dataclass
class Model:
    name: str
    memref: Path    # after bufferization
    dealloc: Path   # and after upstream's deallocation pipeline
    liveness: Path  # and after optimize-allocation-liveness; None if that fails


@dataclass
class Case:
    model: Model
    form: str
    options: str
    source: Path
    fault: str = None
    arenas: list = field(default_factory=list)
    stock_accepts: bool = False
    second_run_same: bool = False
    analysis: Timing = None
    reuse: Timing = None
    verified: Timing = None  # buffer-reuse and MLIR's verifier
    nothing: Timing = None   # a pass that does next to nothing, and the verifier
    heaps: dict = field(default_factory=dict)  # per function, after the rewrite

    @property
    def extra(self):
        return ", unknown-ops=use" if "unknown-ops" in self.options else ""

    @property
    def label(self):
        return self.form + self.extra

    @property
    def training(self):
        return "train" in self.model.name

    def of(self, pass_name, **more):
        options = " ".join([self.options, *(f"{k}={v}" for k, v in more.items())]).strip()
        return f"{pass_name}{{{options}}}"


def model_of(bench, name, memref):
    dealloc = bench.made(f"{name}.dealloc", bench.mlir_opt, memref, DEALLOCATION)
    liveness = None
    with contextlib.suppress(ToolError):
        liveness = bench.made(f"{name}.liveness", bench.mlir_opt, dealloc, LIVENESS)
    return Model(name, memref, dealloc, liveness)


def cases_of(model):
    extras = ["", "unknown-ops=use"] if model.name.startswith("byteir") else [""]
    for extra in extras:
        yield Case(model, "deallocated", extra, model.dealloc)
    for extra in extras:
        yield Case(model, "bufferized", f"require-dealloc=false {extra}".strip(), model.memref)


def measure_case(bench, case):
    stem = re.sub(r"[^\w.-]+", ".", f"{case.model.name}.{case.label}")
    report, out, again = (bench.folder / f"{stem}{s}" for s in (".json", ".mlir", ".again.mlir"))
    try:
        bench.run(bench.opt, case.source, ",".join([
            case.of("buffer-reuse", analysis="true", report=f'"json:{report}"'),
            case.of("buffer-reuse", report="none")]), out)
        case.arenas = measure.reported(report)
        case.heaps = {n: ir_text.heap(v) for n, v in bench.liveness_of(out).items()}
        case.stock_accepts = True
        bench.run(bench.opt, out, case.of("buffer-reuse", report="none"), again)
        case.second_run_same = out.read_bytes() == again.read_bytes()
        case.analysis = bench.timing(case.source, case.of("buffer-reuse", analysis="true", report="none"),
                                     "BufferReuse")
        pipeline = case.of("buffer-reuse", report="none")
        case.reuse = bench.timing(case.source, pipeline, "BufferReuse")
        few = (bench.runs + 1) // 2
        case.verified = bench.timing(case.source, pipeline, "BufferReuse", few, verify=True)
        case.nothing = bench.timing(case.source, "strip-debuginfo", "StripDebugInfo", few,
                                    verify=True)
    except ToolError as error:
        case.fault = str(error).splitlines()[0][:200]


def place(arena):
    scope = f" in {arena['scope']}" if arena["scope"] else ""
    space = f", space {arena['memory_space']}" if arena["memory_space"] else ""
    return arena["function"] + scope + space


# ---- the tables of networks -------------------------------------------------------------


def arena_rows(cases):
    for case in cases:
        for a in case.arenas:
            yield (case.model.name, case.label, place(a), a["planned"] + a["left_alone"],
                   count(a["planned_bytes"] + a["left_alone_bytes"]), a["planned"],
                   count(a["load"]), count(max(0, a["lower_bound"] - a["load"])), count(a["lower_bound"]),
                   count(a["arena_size"]), ratio(a["arena_size"], a["lower_bound"]),
                   a["left_alone"], count(a["left_alone_bytes"]))


def reasons_of(arena):
    found = {}
    for buffer in arena["buffers_left_alone"]:
        allocs, size, unsized = found.get(buffer["reason"], (0, 0, 0))
        has_size = buffer.get("size") is not None
        found[buffer["reason"]] = (allocs + 1, size + (buffer["size"] if has_size else 0),
                                   unsized + (not has_size))
    return sorted(found.items())


def reason_rows(cases):
    for case in cases:
        for a in case.arenas:
            for reason, (allocs, size, unsized) in reasons_of(a):
                yield (case.model.name, case.label, place(a), reason, allocs, count(size), unsized)


def health_rows(cases):
    for case in cases:
        if case.fault:
            yield case.model.name, case.label, "FAILED: " + case.fault, "-"
        else:
            yield (case.model.name, case.label, "yes" if case.stock_accepts else "NO",
                   "nothing" if case.second_run_same else "SOMETHING")


def time_rows(cases):
    for case in (c for c in cases if c.nothing):
        judged = case.reuse.around >= JUDGED_FROM_MS
        over = judged and max(case.analysis.ratio, case.reuse.ratio) > TIME_LIMIT
        yield (case.model.name, case.label, f"{case.reuse.around:.1f}",
               f"{case.analysis.work:.1f}", percent(case.analysis.ratio),
               f"{case.reuse.work:.1f}", percent(case.reuse.ratio),
               ("OVER" if over else "met") if judged else "not judged",
               f"{case.verified.work:.1f}", percent(case.verified.ratio),
               f"{case.nothing.work:.1f}")


@dataclass
class Rivals:
    """One function's heap as each way leaves it."""

    network: str
    function: str
    upstream: ir_text.Heap
    liveness: ir_text.Heap
    used_after_free: int
    planner: llvm23_planner.Plan
    planner_heap: ir_text.Heap
    planner_late: llvm23_planner.Plan
    planner_late_heap: ir_text.Heap
    reuse: ir_text.Heap
    arena: int


def planned(liveness):
    plan = llvm23_planner.plan(liveness)
    return plan, ir_text.heap(liveness, (plan.arena, plan.allocs))


def rivals_of(bench, case):
    before = bench.liveness_of(case.model.dealloc)
    after = bench.liveness_of(case.model.liveness) if case.model.liveness else before
    for name in case.heaps:
        if name not in before or not before[name].allocs:
            continue
        arena = sum(a["arena_size"] for a in case.arenas if a["function"] == name)
        yield Rivals(case.model.name + case.extra, name, ir_text.heap(before[name]),
                     ir_text.heap(after[name]), after[name].used_after_free(),
                     *planned(before[name]), *planned(after[name]), case.heaps[name], arena)


def refusal(plan):
    return " (refused)" if plan.refused else ""


def heap_rows(rivals):
    for r in rivals:
        yield (r.network, r.function, count(r.upstream.peak), count(r.liveness.peak),
               count(r.planner_heap.peak) + refusal(r.planner),
               count(r.planner_late_heap.peak) + refusal(r.planner_late), count(r.reuse.peak),
               ratio(r.reuse.peak, r.liveness.peak), r.upstream.allocs, r.planner_heap.allocs,
               r.reuse.allocs, r.used_after_free, r.upstream.unmatched)


def planner_rows(rivals):
    for r in rivals:
        yield (r.network, r.function, len(r.planner.allocs), count(r.planner.bytes_without_reuse),
               count(r.planner.arena), count(r.planner_late.arena), count(r.arena))


# ---- execution --------------------------------------------------------------------------


def execute(bench, model):
    """Upstream's IR, the same with liveness, and both rewritten, run by mlir-runner."""
    reuse = bench.made(f"{model.name}.run", bench.opt, model.dealloc, "buffer-reuse{report=none}")
    ways = [("buffer-deallocation-pipeline", model.dealloc),
            ("+ optimize-allocation-liveness", model.liveness), ("+ buffer-reuse", reuse)]
    first = None
    for label, path in ways:
        run = bench.tools.run(path, level=2, poison=False, timeout=300)
        first = first or run
        wrong = difference(first, run)
        if wrong:
            yield model.name, label, "FAILED: " + wrong.splitlines()[0], "-", "-", "-"
            continue
        yield (model.name, label, "equal" if run is not first else "-",
               count(run.heap.peak_bytes), count(run.heap.allocs),
               f"{1000 * run.measures['seconds']:.1f}")


# ---- growth -----------------------------------------------------------------------------


@dataclass
class Point:
    shape: str
    ops: int
    allocs: int
    analysis: float
    reuse: float
    around: float

    def per_op(self, milliseconds):
        return f"{1000 * milliseconds / self.ops:.2f}"


def grow(bench, shape):
    for wanted in GROWTH_SIZES:
        text, ops, allocs = growth.program(shape, wanted)
        path = bench.folder / f"growth-{shape}.mlir"
        path.write_text(text)
        analysis = bench.timing(path, "buffer-reuse{analysis report=none}", "BufferReuse",
                                GROWTH_RUNS, typical=min)
        reuse = bench.timing(path, "buffer-reuse{report=none}", "BufferReuse", GROWTH_RUNS,
                             typical=min)
        yield Point(shape, ops, allocs, analysis.work, reuse.work, reuse.around)


def exponent(points):
    """The power of the ops that buffer-reuse's time grows with, from 10,000 to 100,000."""
    small, large = points[1], points[-1]
    return math.log(large.reuse / max(small.reuse, 0.1)) / math.log(large.ops / small.ops)


def growth_rows(series):
    for points in series:
        for p in points:
            last = f"{exponent(points):.2f}" if p is points[-1] else ""
            yield (p.shape, count(p.ops), count(p.allocs), f"{p.analysis:.1f}",
                   p.per_op(p.analysis), f"{p.reuse:.1f}", p.per_op(p.reuse),
                   p.per_op(p.around), last)


# ---- targets ----------------------------------------------------------------------------


def target(name, wrong, of):
    if wrong:
        return f"- {name}: **{len(wrong)} of {of} miss it**: " + "; ".join(wrong)
    return f"- {name}: " + (f"met by all {of}" if of else "nothing to judge")


def arenas(cases, training):
    return [(c, a) for c in cases if c.training == training for a in c.arenas if a["planned"]]


def where(case, arena=None):
    return f"{case.model.name} ({case.label})" + (f" {place(arena)}" if arena else "")


def targets(cases, series):
    inference, training = arenas(cases, False), arenas(cases, True)
    judged = [(c, t) for c in cases if c.nothing for t in (c.analysis, c.reuse)
              if t.around >= JUDGED_FROM_MS]
    others = [(c, a, r) for c in cases for a in c.arenas for r, _ in reasons_of(a)]
    yield target("goes through both passes; stock mlir-opt accepts the result",
                 [where(c) for c in cases if c.fault or not c.stock_accepts], len(cases))
    yield target("a second run changes nothing",
                 [where(c) for c in cases if not c.second_run_same], len(cases))
    yield target("inference: the arena is the lower bound",
                 [f"{where(c, a)} +{a['arena_size'] - a['lower_bound']:,} bytes"
                  for c, a in inference if a["arena_size"] > a["lower_bound"]], len(inference))
    yield target(f"training steps: at most {TRAINING_LIMIT} of the lower bound",
                 [f"{where(c, a)} {ratio(a['arena_size'], a['lower_bound'])}" for c, a in training
                  if a["arena_size"] > TRAINING_LIMIT * a["lower_bound"]], len(training))
    yield target(f"buffers are left alone only as {', '.join(sorted(EXPECTED_REASONS))}; in "
                 "hexagon-attention also where the free is conditional",
                 [f"{where(c, a)} {r}" for c, a, r in others
                  if r not in EXPECTED_REASONS | CONDITIONAL.get(c.model.name, set())],
                 len(others))
    yield target(f"each pass takes less than {percent(TIME_LIMIT)} of parser and output, where "
                 f"these take {JUDGED_FROM_MS:.0f} ms or more",
                 [f"{where(c)} {percent(t.ratio)}" for c, t in judged if t.ratio > TIME_LIMIT],
                 len(judged))
    yield target("buffer-reuse's time grows with at most the ops to the power "
                 f"{GROWTH_LIMIT}, from 10,000 to 100,000",
                 [f"{p[0].shape} {exponent(p):.2f}" for p in series if exponent(p) > GROWTH_LIMIT],
                 len(series))


# ---- the page ---------------------------------------------------------------------------


def header(bench, missing):
    version = re.search(r"version (\S+)", output_of(bench.mlir_opt, "--version"))
    yield "# Results"
    yield ("Written by `make bench`, which runs `python3 -m bench.arena.models`. "
           "[README.md](README.md) says what is measured and how to read it.")
    yield "\n".join([machine(),
                     f"- tools: LLVM {version[1] if version else 'of unknown version'}, Python "
                     f"{sys.version.split()[0]}",
                     f"- times: medians of {bench.runs} runs; networks executed: the fastest of 3; "
                     f"growth: the fastest of {GROWTH_RUNS}"])
    if missing:
        yield f"**Skipped**: {missing}. Only the networks of examples/generate.py were measured."


SECTIONS = (
    ("Arenas", "Bytes. *Padding* is what alignment adds to the peak live bytes: bound = peak live "
     "+ padding. Where buffers can be in the bytes of results, no choice of these needs less than the bound, and it may be "
     "below the peak. Buffers left alone are in none of these but the first two columns."),
    ("Left alone", "Why buffers are not in the arena. *Unsized*: of a size the compiler does not "
     "know."),
    ("Heap peaks on the same input", "Bytes on the heap at the peak of one function, with all "
     "that is not planned, with the deallocs where the IR has them (callees are not counted). *Calls* are "
     "allocations in the text. *Used after free*: buffers that optimize-allocation-liveness frees "
     "before a use. *Untraced*: deallocs of merged values, which this walk cannot follow."),
    ("MLIR's own planner", "Arenas of LLVM 23's best-fit planner, with the alignment of 64 that "
     "buffer-reuse has: on the deallocs as they are, and after optimize-allocation-liveness. What buffer-reuse places in "
     "results is in no arena."),
    ("Executed", "The generated networks, run by mlir-runner at -O2; the heap as counted by the "
     "allocator under them. Three runs of the network in each program."),
    ("Rewritten IR", "Stock mlir-opt parses and verifies it; buffer-reuse runs on it again."),
    ("Pass time", "Milliseconds; ratios to parser and output of the same run (--mlir-timing "
     "--verify-each=false). By default MLIR verifies the whole module after a pass that changed "
     "it, and counts that as the pass's time: the last three columns, with strip-debuginfo, which "
     "does next to nothing, beside buffer-reuse."),
    ("Growth", "Synthetic functions (bench/growth.py). Milliseconds, and microseconds per op; "
     "*power*: buffer-reuse's time grows with ops to this power from 10,000 to 100,000 ops."),
)

HEADS = (
    ["<network", "<form", "<function", "allocs", "without reuse", "planned", "peak live",
     "padding", "bound", "arena", "arena / bound", "left alone", "bytes left alone"],
    ["<network", "<form", "<function", "<reason", "allocs", "bytes", "unsized"],
    ["<network", "<function", "deallocation pipeline", "+ liveness", "LLVM 23's planner",
     "liveness, LLVM 23's planner", "buffer-reuse", "to liveness", "calls before",
     "calls, LLVM 23", "calls, buffer-reuse", "used after free", "untraced"],
    ["<network", "<function", "planned", "without reuse", "arena", "arena after liveness",
     "buffer-reuse's arena"],
    ["<network", "<way", "<output", "heap peak", "allocator calls", "milliseconds"],
    ["<network", "<form", "<verifies", "<a second run changes"],
    ["<network", "<form", "parser + output", "analysis", "ratio", "buffer-reuse", "ratio",
     "<under 20 %", "with MLIR's verifier", "ratio",
     "strip-debuginfo, with it"],
    ["<shape", "ops", "allocs", "analysis", "per op", "buffer-reuse", "per op",
     "parser + output per op", "power"],
)


def page(head, target_lines, tables):
    yield from head
    yield "## Targets\n\n" + "\n".join(target_lines)
    for (title, text), columns, rows in zip(SECTIONS, HEADS, tables):
        yield f"## {title}\n\n{text}\n\n{table(columns, rows)}"


def models_of(bench, folder, only):
    for name, memref in [*given(folder), *generated(bench)]:
        if not only or re.search(only, name):
            yield model_of(bench, name, memref)


def parse(argv):
    parser = measure.arguments(__doc__, ROOT / "bench" / "results.md", models=True)
    parser.add_argument("--runs", type=int, default=11, help="runs per time (default: 11)")
    parser.add_argument("--only", help="networks whose name matches this regular expression")
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--no-execution", action="store_true")
    return parser.parse_args(argv)


def main(argv):
    args = parse(argv)
    bench = Bench(args)
    missing = None if args.models.is_dir() else "there is no ../shared/data/models"
    if missing:
        say(f"skipped: {missing}; measuring the generated networks alone")
    models, cases = list(models_of(bench, args.models, args.only)), []
    for model in models:
        for case in cases_of(model):
            say(f"{model.name}: {case.label}")
            measure_case(bench, case)
            cases.append(case)
    rivals = [r for c in cases if c.form == "deallocated" and not c.fault
              for r in rivals_of(bench, c)]
    runs = [row for m in models if m.name.startswith("generated-") and not args.no_execution
            for row in execute(bench, m)]
    say("growth")
    series = [] if args.no_growth else [list(grow(bench, shape)) for shape in growth.SHAPES]
    tables = (arena_rows(cases), reason_rows(cases), heap_rows(rivals), planner_rows(rivals), runs,
              health_rows(cases), time_rows(cases), growth_rows(series))
    text = "\n\n".join(page(header(bench, missing), targets(cases, series), tables)) + "\n"
    args.output.write_text(text)
    return 1 if any(c.fault for c in cases) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ToolError, OSError) as failure:
        say(f"bench: {failure}")
        sys.exit(2)
