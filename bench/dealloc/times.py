# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run time of deallocated programs, as native code on the C library's malloc.

Ways are compared in rounds: in each, all run one after another, in another order each time, and a
way's time is divided by that of the last way named in the same round. What is told is the median of
these ratios and the quartiles around it, so that a slow moment of the machine hits both sides.
"""

import statistics
from dataclasses import dataclass

from bench.dealloc import cases
from testing.process import ToolError

# The parts that are the same in all ways stay functions.
SHARED = ("fill", "mix", "sum")

CLOCKED = """
  %start_{name} = func.call @rtclock() : () -> f64
  %end_{name} = scf.for %i = %c0 to %times step %c1 iter_args(%hash = %zero) -> (i64) {{
{calls}
    scf.yield %h{last} : i64
  }}
  %stop_{name} = func.call @rtclock() : () -> f64
  %took_{name} = arith.subf %stop_{name}, %start_{name} : f64
  vector.print str "# {name} "
  vector.print %took_{name} : f64
  vector.print %end_{name} : i64
"""
CALL = """    %s{i} = func.call @k_{name}(%arg, %{c}, %{d}, %n{i}) : (T, i1, i1, index) -> i64
    %m{i} = arith.muli {before}, %prime : i64
    %h{i} = arith.addi %m{i}, %s{i} : i64"""
MAIN = """
func.func private @rtclock() -> f64
func.func @main() {{
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %times = arith.constant {times} : index
  %rounds = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %prime = arith.constant 31 : i64
{numbers}
  %arg = memref.alloc() : T
  func.call @fill(%arg, %prime) : (T, i64) -> ()
  scf.for %round = %c0 to %rounds step %c1 {{
{body}
  }}
  return
}}
"""


@dataclass
class Ratio:
    """Of a way's time to that of the way it is compared with."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(ratios):
        low, median, high = statistics.quantiles(ratios, n=4)
        return Ratio(median, low, high)

    def __str__(self):
        return f"{self.median:.2f} ({self.low:.2f}–{self.high:.2f})"


def clocked(name):
    calls = []
    for i, (c, d, _) in enumerate(cases.INPUTS):
        calls.append(CALL.format(i=i, name=name, c=str(c).lower(), d=str(d).lower(),
                                 before=f"%h{i - 1}" if i else "%hash"))
    return CLOCKED.format(name=name, calls="\n".join(calls), last=len(cases.INPUTS) - 1)


def program(names, times):
    """A module that runs each function so many times on each input, and tells the seconds."""
    numbers = "\n".join(f"  %n{i} = arith.constant {n} : index" for i, (_, _, n) in enumerate(cases.INPUTS))
    main = MAIN.format(times=times, numbers=numbers, body="".join(map(clocked, names)))
    return cases.full_types(cases.parts(names) + main)


def rounds_of(native, executables, rounds):
    """Per round and way: the seconds of each measure."""
    first, taken = None, []
    for i in range(rounds):
        names = list(executables)
        row = {}
        for name in names[i % len(names):] + names[:i % len(names)]:
            run = native.run(executables[name], timeout=600)
            first = first or run
            if run.fault() or run.output != first.output:
                raise ToolError(f"timing {name}: {run.fault() or 'outputs differ'}")
            row[name] = run.measures
        taken.append(row)
    return taken


def ratios(taken, way, base, measure):
    return Ratio.of([row[way][measure] / row[base][measure] for row in taken])


def time_functions(tools, native, ways, names, rounds, times=1000):
    """{way: {function: Ratio}} for all ways but the last, which they are compared with."""
    text = program(names, times)
    executables = {w: native.optimized(tools.apply(text, pipeline, opt=opt), noinline=(
        *SHARED, *(f"k_{n}" for n in names))) for w, (pipeline, opt) in ways.items()}
    taken = rounds_of(native, executables, rounds)
    base = list(ways)[-1]
    return {w: {n: ratios(taken, w, base, n) for n in names} for w in list(ways)[:-1]}
