#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sizes that are known at run time only cost: when a network runs, when a function with 1,000 buffers is called, and in the pass.

    python3 -m bench.arena.dynamic_times [--output FILE] [--seconds N] [--pairs N] [--only RE]

Networks of examples/generate.py, dynamic in a batch, a sequence or an image, run with dynamic=exact and with an allocation for each
buffer; and the same network of fixed sizes, in an arena. bench/pairs.py says how times are taken. The outputs of what is timed
together are equal bit for bit, but where an image is dynamic: there a mean divides by a number that the network of fixed
sizes multiplies by the inverse of.
"""

import re
from dataclasses import dataclass

from bench import measure, pairs
from bench.arena import pass_time
from testing import networks, places, tables
from testing.execute import Tools
from testing.native import Native

FREE = "buffer-deallocation"
APART, EXACT, FIXED = FREE, f"merge-alloc{{dynamic=exact}},{FREE}", f"merge-alloc,{FREE}"


@dataclass(frozen=True)
class Case:
    network: str
    dynamic: str  # the option that makes it so
    size: str
    runs: int  # of which the fastest counts


CASES = [
    Case("mlp", "--dynamic 1", "--batch 1", 200), Case("mlp", "--dynamic 1", "--batch 64", 50),
    Case("transformer", "--dynamic 1", "--sequence 5", 5), Case("transformer", "--dynamic 1", "--sequence 64", 1),
    Case("decoder", "--dynamic 1", "--context 16", 4), Case("decoder", "--dynamic 1", "--context 512", 4),
    Case("mobilenetv2", "--dynamic batch", "--batch 1", 1), Case("mobilenetv2", "--dynamic batch", "--batch 2", 1),
    Case("mobilenetv2", "--dynamic image", "--size 64", 5), Case("mobilenetv2", "--dynamic image", "--size 160", 1),
]  # fmt: skip

# ---- Networks -------------------------------------------------------------------------------


def network_row(native, case, args):
    def form(passes, dynamic=""):
        options = f"{case.size} {dynamic} --runs {case.runs}".split()
        return native.tools.apply(networks.bufferized(native.tools, case.network, *options), f"builtin.module({passes})")

    (apart, exact), printed = pairs.compiled(native, [form(APART, case.dynamic), form(EXACT, case.dynamic)])
    (fixed,), _ = pairs.compiled(native, [form(FIXED)], None if case.dynamic.endswith("image") else printed)
    alone, beside = (pairs.timed(native, both, args.seconds, args.pairs) for both in ((apart, exact), (fixed, exact)))
    tables.say(f"{case} {alone.median():.3f} {beside.median():.3f}")
    return [f"{case.network} {case.dynamic} {case.size}", f"{1000 * min(alone.first):.3f}",
            *(f(t) for t in (alone, beside) for f in (lambda t: f"{t.median():.3f}", lambda t: f"{t.least():.3f}",
                                                      lambda t: f"{t.spread():.3f}"))]  # fmt: skip


# ---- A function of 1,000 buffers ------------------------------------------------------------

CALLS, BUFFERS, ALIVE = 20000, 1000, 8
SIZES = (64, 96, 80)
ANY = "memref<?xf32>"
USES = f"""
func.func @write(%b: {ANY}, %v: f32) attributes {{passthrough = ["noinline", "optnone"]}} {{
  %c0 = arith.constant 0 : index
  memref.store %v, %b[%c0] : {ANY}
  return
}}
func.func @read(%b: {ANY}) -> f32 attributes {{passthrough = ["noinline", "optnone"]}} {{
  %c0 = arith.constant 0 : index
  %v = memref.load %b[%c0] : {ANY}
  return %v : f32
}}
func.func private @rtclock() -> f64
func.func @main() {{
  %n = arith.constant {SIZES[0]} : index
  %m = arith.constant {SIZES[1]} : index
  %k = arith.constant {SIZES[2]} : index
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %calls = arith.constant {CALLS} : index
  %start = call @rtclock() : () -> f64
  %sum = scf.for %i = %c0 to %calls step %c1 iter_args(%s = %v) -> f32 {{
    %t = func.call @work(%n, %m, %k, %s) : (index, index, index, f32) -> f32
    scf.yield %t : f32
  }}
  %end = call @rtclock() : () -> f64
  %seconds = arith.subf %end, %start : f64
  vector.print %sum : f32
  vector.print str "# seconds "
  vector.print %seconds : f64
  return
}}
"""


def many_buffers(dynamic):
    """Of three sizes in turn, times 1 to 40; a function that is not inlined writes each, another reads it when eight more are there."""
    lines = ["func.func @work(%n: index, %m: index, %k: index, %v0: f32) -> f32 {"]
    for i in range(BUFFERS):
        scale = i % 40 + 1
        if dynamic:
            lines += [f"  %f{i} = arith.constant {scale} : index", f"  %s{i} = arith.muli %{'nmk'[i % 3]}, %f{i} : index",
                      f"  %b{i} = memref.alloc(%s{i}) : {ANY}"]  # fmt: skip
        else:
            fixed = f"memref<{SIZES[i % 3] * scale}xf32>"
            lines += [f"  %a{i} = memref.alloc() : {fixed}", f"  %b{i} = memref.cast %a{i} : {fixed} to {ANY}"]
        lines.append(f"  call @write(%b{i}, %v{max(i - ALIVE, 0)}) : ({ANY}, f32) -> ()")
        if i >= ALIVE:
            lines.append(f"  %v{i - ALIVE + 1} = call @read(%b{i - ALIVE}) : ({ANY}) -> f32")
    return "\n".join([*lines, f"  return %v{BUFFERS - ALIVE} : f32", "}", USES])


def call_rows(native, args):
    forms = [native.tools.apply(many_buffers(dynamic), f"builtin.module({passes})")
             for dynamic, passes in ((False, FIXED), (True, EXACT), (True, APART))]  # fmt: skip
    programs, first = [], None
    for form in forms:
        programs.append(native.optimized(form, noinline=("work",), cpu="native"))
        run = native.run(programs[-1], pairs.CLOCK)
        first = first or run
        assert not run.fault() and run.output == first.output
    beside, apart = (pairs.timed(native, (programs[0], other), args.seconds, args.pairs) for other in programs[1:])
    names = ("fixed sizes, in an arena", "sizes as arguments, in an arena", "sizes as arguments, apart")
    least = (min(beside.first), min(beside.second), min(apart.second))
    calls = [form[: form.index("return %")].count("memref.alloc") for form in forms]
    return [(name, f"{1e6 * s / CALLS:.2f}", n) for name, s, n in zip(names, least, calls)]


# ---- The pass -------------------------------------------------------------------------------

GROWTH = (300, 600, 1200, 2400)
PASSES = ("merge-alloc{dynamic=exact}", "merge-alloc{dynamic=exact max-heap-overhead=0.05}")


def loaded(count):
    """Sizes that are loaded one after the other, each of two buffers, of which one is there until the next but one: as many arenas."""
    lines = [f"func.func @f(%sizes: memref<{count}xindex>, %v: f32) {{"]
    for i in range(count):
        lines += [f"  %i{i} = arith.constant {i} : index", f"  %n{i} = memref.load %sizes[%i{i}] : memref<{count}xindex>",
                  f"  %a{i} = memref.alloc(%n{i}) : memref<?x1024xf32>", f"  %b{i} = memref.alloc(%n{i}) : {ANY}",
                  f"  linalg.fill ins(%v : f32) outs(%a{i} : memref<?x1024xf32>)",
                  *(f"  linalg.fill ins(%v : f32) outs(%b{j} : {ANY})" for j in (i, i - 2) if j >= 0)]  # fmt: skip
    return "\n".join([*lines, "  return", "}", ""])


def growth_row(args, count):
    path = places.BUILD / "bench" / f"loaded-{count}.mlir"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(loaded(count))
    without, *with_passes = ([pass_time.phases(args.opt.resolve(), path, p, 1) for _ in range(3)] for p in ("", *PASSES))
    around = min(p.parse + p.before for p in without)
    spent = [min(p.passes + p.after - p.before for p in taken) for taken in with_passes]  # microseconds
    return [count, f"{around / 1000:.0f}", *(c for s in spent for c in (f"{s / 1000:.0f}", f"{s / count:.0f}"))]


HEAD = """\
# What dynamic sizes cost

Written by `python3 -m bench.arena.dynamic_times --output FILE`, which says what is measured.

{machine}

Times are the processor's, taken in pairs. *apart*: `{apart}` alone, an allocation for each buffer. *exact*: `{exact}`.
*fixed*: the network generated with this size, `{fixed}`.

- ms: milliseconds of one run apart, the least
- ratio: the median of pairs that ran one after the other; of least: of the least times; spread: by how much the middle half differs"""


def main():
    parser = measure.arguments(__doc__)
    pairs.arguments(parser)
    parser.add_argument("--only", default="", help="networks whose name and options match this regular expression")
    args = parser.parse_args()
    native = Native(Tools(opt=args.opt))
    rows = [network_row(native, c, args) for c in CASES if re.search(args.only, f"{c.network} {c.dynamic} {c.size}")]
    parts = [HEAD.format(machine=tables.machine(), apart=APART, exact=EXACT, fixed=FIXED)] if args.output else []
    parts.append(tables.table(["<network", "apart, ms", "exact to apart", "of least", "spread", "exact to fixed", "of least", "spread"],
                              rows))  # fmt: skip
    parts += [f"A function with {BUFFERS:,} buffers of three sizes, {ALIVE} of them alive at once, each written and read through a call:",
              tables.table(["<buffers", "µs per call", "allocator calls"], call_rows(native, args)),
              "The pass, on sizes that are loaded one after the other: milliseconds that parsing and printing takes, what the pass adds, "
              "and that in microseconds per size.",
              tables.table(["<sizes", "ms", "dynamic=exact, ms", "per size, µs", "with max-heap-overhead, ms", "per size, µs"],
                           [growth_row(args, n) for n in GROWTH])]  # fmt: skip
    tables.write(args.output, "\n\n".join(parts))


if __name__ == "__main__":
    main()
