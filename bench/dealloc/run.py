#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""buffer-deallocation and stowage-memory beside upstream's ownership-based deallocation.

    python3 -m bench.dealloc.run --output bench/deallocation.md     the page, all of it
    python3 -m bench.dealloc.run --only chain for_swap              some functions, printed
    python3 -m bench.dealloc.run --check                            the functions run after all of our passes
    python3 -m bench.dealloc.run --check-networks                   generated networks: verify, lower
    python3 -m bench.dealloc.run --sanitize                         functions and networks run with AddressSanitizer

The checks need no output file: exit status 1 if anything is wrong with ours. What is measured:
functions.py, networks.py, randoms.py, static.py, times.py.
"""

import sys

from bench import measure
from bench.dealloc import cases, functions, networks, randoms, static
from testing import tables
from testing.execute import Tools
from testing.native import Native, can_sanitize
from testing.tables import say, table


# ---- checks -----------------------------------------------------------------------------


def report(what, found):
    """`found`: what is wrong, by name."""
    wrong = {name: said for name, said in found.items() if said}
    for name, said in wrong.items():
        print(f"{name}: {said}", file=sys.stderr)
    print(f"{what}: {len(wrong)} of {len(found)} wrong")
    return 1 if wrong else 0


def check(tools, names):
    return report(f"{len(names)} functions, pipelines", functions.check(tools, names))


def check_networks(args):
    bench = measure.Bench(args)
    given = [static.network_of(bench, name, path, upstream=False)
             for name, path in networks.written(bench, networks.SMALL)]
    return report("networks, pipelines", dict(static.faults(given)))


def sanitized_programs(tools, native, names, all_ways):
    found = functions.sanitized(tools, native, names, all_ways)
    return ({f"functions, {way}": said for way, said in found.items()}
            | networks.sanitized(tools, native, all_ways))


def sanitize(tools, names):
    native = Native(tools)
    if not can_sanitize(native):
        print("sanitized: skipped, the C compiler has no AddressSanitizer")
        return 0
    return report("sanitized programs", sanitized_programs(tools, native, names, all_ways=False))


# ---- the page ---------------------------------------------------------------------------


FUNCTION_HEAD = ["<function", "least peak", "bits: added allocs", "peak", "ops",
                 "clones: added allocs", "peak", "ops", "upstream: added allocs", "peak", "ops",
                 "time: bits", "clones"]
HEAP_HEAD = ["<network", "<way", "peak", "to least", "leaked", "allocator calls", "ops"]
TIME_HEAD = ["<network", "upstream, µs", *networks.TIMED[:-1]]
RANDOM_HEAD = ["seed", "least peak", "bits", "clones", "upstream"]
DEALLOCATION_HEAD = ["<network", "allocs", "least peak", "deallocs", "clones", "bits", "ops", "peak",
                     "time", "upstream: allocs", "deallocs", "clones", "ops", "peak", "time",
                     "+ liveness: peak"]
MEMORY_HEAD = ["<network", "allocs", "least peak", "default: allocs", "peak", "time",
               "merge-alloc: allocs", "peak", "time", "hoist: allocs", "stack: allocs",
               "unknown-ops=use: allocs", "<verify", "<lower"]

INTRO = """# buffer-deallocation beside upstream's

Written by `python3 -m bench.dealloc.run --output bench/deallocation.md`, which `make bench` runs.

{machine}

*Upstream* is stock mlir-opt's `buffer-deallocation-pipeline`: `ownership-based-buffer-deallocation`,
`buffer-deallocation-simplification`, `bufferization-lower-deallocations`, and canonicalization before,
between and after. *+ liveness* is `optimize-allocation-liveness` after it. Ours has `cse,canonicalize`
after it where programs run, since the other pipeline has."""

FUNCTIONS = """## Functions

One per shape of control flow (bench/dealloc/cases.py); each runs four times with other inputs. *Least
peak*: bytes that no placement of deallocs can go below on this run, as every block must live from its
allocation to its last access (testing/least_peak.py); peaks above it are bold. *Added allocs*:
allocator calls at run time beyond the program's own. *Ops*: of the function and what it calls, after
lowering to LLVM. *Time*: native code at -O2 on the C library's malloc, to upstream's; median of
{rounds} interleaved rounds, and the quartiles."""

NETWORKS = """## Generated networks, executed

The IR right after one-shot bufferization, without a dealloc, run as it is and after each way. Outputs
are equal bit for bit, or the row says what went wrong."""

TIMES = """## Generated networks, time

Native code at -O2 on the C library's malloc; times to upstream's, median of {rounds} interleaved
rounds, and the quartiles. The loops of the networks take most of it."""

RANDOM = """## Random programs

Programs of fuzz/memref_gen without their deallocs, seeds 1 to {count}: branches, loops, selects,
calls, views, buffers passed on by all of them; {left_out} are left out, whose buffers get out of sight or
whose arguments have no static size. The table has those that are above the least peak."""

SANITIZED = """## AddressSanitizer

The functions in one module, the small networks, and the first of the random programs, as native code
with AddressSanitizer and LeakSanitizer, after every way of ours: {ran} programs, {wrong}."""

STATIC = """## Whole networks, as text

Nothing runs here. Peaks are of a walk through the text of every function (ir_text.py), summed; so is
the *least peak*, an allocation ending with the last op that mentions it, and one in a loop as if the
loop ran once. *Time*: all passes to parser and output, the fastest of {runs} runs of each.

### Deallocation"""

MEMORY = """### stowage-memory

*Default*, `start=merge-alloc`, `hoist=true`, `stack-bytes=4096`, `unknown-ops=use`. A slice of an
arena lives from its first write, an allocation from where it is in the program: so a peak may be below the
least one. *Verify*: in stock mlir-opt. *Lower*: to LLVM, with nothing of other dialects left."""


def items(lines):
    return "\n".join(f"- {line}" for line in lines)


def function_part(tools, native, names, rounds):
    rows = []
    for name in names:
        say(name)
        rows.append(functions.row_of(tools, name))
    say("times")
    times = functions.times_of(tools, native, rows, rounds)
    wrong = [r.name for r in rows if not (r.good("bits") and r.good("clones"))]
    return wrong, [FUNCTIONS.format(rounds=rounds), items(functions.summary(rows, times)),
                   table(FUNCTION_HEAD, functions.table_rows(rows, times))]


def network_part(tools, native, rounds):
    found = []
    for network in networks.NETWORKS:
        say(networks.label(network))
        found.append(networks.rows_of(tools, network))
    wrong = [f"{r.network}, {r.way}" for rows, _ in found for r in rows
             if r.said and r.way in networks.WAYS]
    times = networks.time_rows(tools, native, networks.LARGE, rounds)
    return wrong, [NETWORKS, items(networks.summary(found)),
                   table(HEAP_HEAD, networks.heap_rows(found)), TIMES.format(rounds=rounds),
                   table(TIME_HEAD, times)]


def random_part(tools, count):
    rows = []
    for seed in range(1, count + 1):
        if seed % 10 == 0:
            say(f"random program {seed}")
        row = randoms.row_of(tools, seed)
        rows += [row] if row else []
    return ([f"random program {r.seed}: {r.said}" for r in rows if r.said],
            [RANDOM.format(count=count, left_out=count - len(rows)), items(randoms.summary(rows)),
             table(RANDOM_HEAD, randoms.table_rows(rows))])


def sanitized_part(tools, native, names, count):
    if not can_sanitize(native):
        return [], ["## AddressSanitizer\n\nSkipped: the C compiler has none."]
    say("AddressSanitizer")
    found = (sanitized_programs(tools, native, names, all_ways=True)
             | randoms.sanitized(tools, native, count // 12))
    wrong = [f"{name}: {said}" for name, said in found.items() if said]
    return wrong, [SANITIZED.format(ran=len(found), wrong="; ".join(wrong) or "no leak, no double "
                                    "free, no use after free, outputs equal")]


def static_part(bench):
    found = []
    for name, path in [*measure.given(bench.args.models), *measure.generated(bench)]:
        say(name)
        found.append(static.network_of(bench, name, path))
    return ([f"{name}: {said}" for name, said in static.faults(found) if said],
            [STATIC.format(runs=bench.runs), items(static.summary(found)),
             table(DEALLOCATION_HEAD, static.deallocation_rows(found)), MEMORY,
             table(MEMORY_HEAD, static.memory_rows(found))])


def page(args, tools, names):
    bench, native = measure.Bench(args), Native(tools)
    wrong, parts = function_part(tools, native, names, args.rounds)
    if not args.only:
        intro = INTRO.format(machine=tables.machine())
        parts = [intro, *parts]
        for more, text in (random_part(tools, args.random), network_part(tools, native, args.rounds),
                           sanitized_part(tools, native, names, args.random), static_part(bench)):
            wrong, parts = wrong + more, parts + text
    tables.write(args.output, "\n\n".join(parts))
    for said in wrong:
        say(f"WRONG: {said}")
    return 1 if wrong else 0


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--check-networks", action="store_true")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--only", nargs="+", choices=cases.CASES, metavar="FUNCTION")
    parser.add_argument("--random", type=int, default=120, help="programs (default: 120)")
    parser.add_argument("--rounds", type=int, default=15, help="of times (default: 15)")
    args = parser.parse_args()
    args.runs = 1 if args.check_networks else 3
    tools, names = Tools(opt=args.opt), args.only or list(cases.CASES)
    if args.check:
        return check(tools, names)
    if args.check_networks:
        return check_networks(args)
    if args.sanitize:
        return sanitize(tools, names)
    return page(args, tools, names)


if __name__ == "__main__":
    sys.exit(main())
