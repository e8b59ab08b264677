# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows small programs along many paths, before and after deallocation, without compiling them.

    python3 -m fuzz.paths.run --programs 200
    python3 -m fuzz.paths.run --pipeline dealloc --only 1234 --shrink
    python3 -m fuzz.paths.run --pipeline 'buffer-deallocation,canonicalize' --programs 50
    python3 -m fuzz.paths.run --mutants 100                    would it notice?
    python3 -m fuzz.paths.run --only 1234 --print

Exit status: 0 all well, 1 not.
"""

import re
import sys
from dataclasses import dataclass, field

from fuzz.paths import generic, grow, machine, mutate, shrink
from fuzz.paths import ops  # noqa: F401
from fuzz.rng import Rng
from testing import batch, options, process

NOTHING = "canonicalize{max-iterations=0}"
PIPELINES = {
    "dealloc": "buffer-deallocation",
    "clones": "buffer-deallocation{prefer=clones}",
    "twice": "buffer-deallocation,buffer-deallocation",
    "simplified": "buffer-deallocation{prefer=clones},lower-clones{simplify-only}",
    "tightened": "buffer-deallocation,buffer-deallocation{tighten}",
    "hoisted": "hoist-allocations,buffer-deallocation",
    "hoisted-after": "buffer-deallocation,hoist-allocations",
    "blocks": "convert-scf-to-cf,buffer-deallocation",
    "blocks-between": "buffer-deallocation,convert-scf-to-cf,buffer-deallocation",
    "canonical": "buffer-deallocation,canonicalize,buffer-deallocation",
    "inlined": "buffer-deallocation,inline,buffer-deallocation",
    "stack": "buffer-deallocation,promote-allocs-to-stack",
    "stack-first": "promote-allocs-to-stack,buffer-deallocation",
}
# Where upstream puts blocks that may not be there.
REFUSALS = ("expects region", "region with 1 blocks")
# The pass need not free what it says to leave alone for this reason, nor then what callees keep.
LEFT_ALONE = re.compile(r"(\d+:\d+): remark: .* left-alone .*Reason=\"[^\"]*; pass a copy\"")
KEPT = re.compile(r"(\d+:\d+): remark: .* left-alone .*Reason=\"the function called keeps it[^\"]*\"")


def apply(opt, sources, pipeline, refuse):
    """Modules after a pipeline, by name; `refuse` is told of which program there is none, and why."""
    command = [opt, "--mlir-print-op-generic", f"--pass-pipeline=builtin.module({pipeline})"]
    done = {}
    for name, outcome in zip(sources, batch.run(command, list(sources.values()))):
        if outcome.status == "ok":
            done |= {name: module for module in generic.read_modules(outcome.text)}
        else:
            refuse(name, gist(outcome))
    return done


def apply_telling(opt, source, pipeline):
    """A module after a pipeline, and the places of the ops whose buffers that leaves alone."""
    command = [opt, "--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope",
               *batch.FLAGS,
               "--remarks-filter=buffer-deallocation", f"--pass-pipeline=builtin.module({pipeline})"]  # fmt: skip
    done = process.call(command, source)
    places = set(LEFT_ALONE.findall(done.err))
    return generic.read_modules(done.out)[0], places | set(KEPT.findall(done.err)) if places else places


def gist(outcome):
    said = [line for line in outcome.said.splitlines() if "error:" in line or "Assertion" in line]
    return said[0] if said else outcome.status


def paths(module, seed, most):
    """Paths of a program and what comes of them: all of them, or some from everywhere."""
    rng = Rng(int(seed[1:]))
    work, seen = [()], 0
    while work and seen < most:
        path = work.pop(rng.below(len(work)) if seen > most // 3 else -1)
        outcome = machine.run_path(module, path, lenient=True)
        seen += 1
        for i in range(len(path), min(len(outcome.asked), len(path) + 8)):
            work += [path + (0,) * (i - len(path)) + (way,) for way in range(1, outcome.asked[i])]
        yield path, outcome


def difference(before, after, may_leak, left_alone):
    """What is wrong on one path, or ""; `left_alone`: places whose buffers may leak in any case."""
    if after.fault:
        return after.fault
    if before.endless != after.endless and not before.deep:
        return "" if after.endless else "it ends, where the original does not"
    if before.endless:  # it does not come as far with more ops
        common = min(len(before.trace), len(after.trace))
        return "" if before.trace[:common] == after.trace[:common] else "it differs on the way"
    for i, (a, b) in enumerate(zip(before.trace + [None], after.trace + [None])):
        if a != b:
            return f"at {i}, {a!r} became {b!r}"
    leaks = [b.name for b in after.leaks if not b.places & left_alone]
    return "" if may_leak or not leaks else f"it leaks {', '.join(leaks)}"


class Invalid(Exception):
    """The program itself is wrong: the generator's fault."""


def check(before, after, seed, may_leak, most, left_alone=frozenset()):
    """What is wrong with a module on the first path that shows it, or ""."""
    fresh = {}
    for path, outcome in paths(before, seed, most):
        if outcome.fault:
            raise Invalid(outcome.fault)
        got = machine.run_path(after, path, lenient=may_leak)
        wrong = difference(outcome, got, may_leak, left_alone)
        for i, kind in enumerate([] if may_leak else got.results):
            if fresh.setdefault(i, kind == "heap") != (kind == "heap"):
                wrong = wrong or f"result {i} is the caller's to free on some paths only"
        if wrong:
            return f"{wrong} (path {','.join(map(str, path)) or 'of zeros'})"
    return ""


def judge(args, name, source, before, after, loose, pipeline):
    """What is wrong with a module, and whether it leaks only what the pass says to leave alone."""
    leaky = may_leak(source, loose, pipeline)
    wrong = check(before, after, name, leaky, args.paths)
    if not wrong.startswith("it leaks"):
        return wrong, False
    after, left_alone = apply_telling(args.opt, source, pipeline)
    wrong = check(before, after, name, leaky, args.paths, left_alone)
    return wrong, not wrong


def may_leak(source, loose, pipeline):
    # In other blocks, an await is not seen.
    return loose or ("scf-to-cf" in pipeline and "async.execute" in source)


@dataclass
class Tally:
    ran: int = 0
    bad: int = 0
    counts: dict = field(default_factory=lambda: {"refused": 0, "invalid": 0, "left alone": 0})

    def fail(self, name, config, what):
        self.bad += 1
        print(f"{name} {config}: {what}", flush=True)


def run_batch(args, sources, loose, tally):
    def refuse(config):
        def said(name, what):
            if any(r in what for r in REFUSALS):
                tally.counts["refused"] += 1
            else:
                tally.fail(name, config, what)
        return said

    originals = apply(args.opt, sources, NOTHING, refuse("original"))
    for config in args.pipeline or PIPELINES:
        pipeline = PIPELINES.get(config, config)
        done = apply(args.opt, sources, pipeline, refuse(config))
        for name in done:
            try:
                wrong, told = judge(args, name, sources[name], originals[name], done[name],
                                    loose[name], pipeline)  # fmt: skip
            except Invalid:
                tally.counts["invalid"] += 1
                continue
            tally.ran += 1
            tally.counts["left alone"] += told
            if wrong:
                tally.fail(name, config, wrong)


def run_mutants(args, sources, loose, tally):
    """Plants faults in what the pass makes of strict programs; counts those that are not seen."""
    strict = {n: s for n, s in sources.items() if not loose[n]}
    originals = apply(args.opt, strict, NOTHING, lambda *_: None)
    for name, module in apply(args.opt, strict, "buffer-deallocation",
                                   lambda *_: None).items():
        mutation = mutate.plant(module, Rng(int(name[1:])))
        try:
            seen = mutation and check(originals[name], module, name, False, args.paths)
        except Invalid:
            continue
        if mutation and mutate.is_reached(module):
            tally.ran += 1
            if not seen:
                tally.bad += 1
                print(f"{name}: {mutation} is not seen", flush=True)


def shrink_one(args, name, source, loose):
    config = (args.pipeline or ["dealloc"])[0]
    pipeline = PIPELINES.get(config, config)

    def wrong(text):
        refused = []
        before, after = (apply(args.opt, {name: text}, passes, lambda _, said: refused.append(said))
                         for passes in (NOTHING, pipeline))  # fmt: skip
        if not before:
            return ""
        if not after:
            return "" if any(r in refused[0] for r in REFUSALS) else refused[0].split("error: ")[-1]
        try:
            return judge(args, name, text, before[name], after[name], loose, pipeline)[0]
        except (Invalid, KeyError, NotImplementedError):
            return ""
    print(shrink.shrink(source, wrong))


def main():
    parser = options.parser(__doc__)
    options.add_seeds(parser, programs=200, seed=0)
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--paths", type=int, default=60, help="per program, at most")
    parser.add_argument("--pipeline", action="append", help="a name, or passes; default: all names")
    parser.add_argument("--without", action="append", default=[], help="a kind of statement")
    parser.add_argument("--shrink", action="store_true", help="with --only")
    args = parser.parse_args()
    seeds = options.seeds(args, args.mutants or args.programs)
    grown = {f"p{s}": grow.grow(s, f"p{s}", args.without) for s in seeds}
    sources = {n: g[0] for n, g in grown.items()}
    loose = {n: g[1] for n, g in grown.items()}
    if args.print:
        print("\n// -----\n".join(sources.values()))
        return 0
    if args.shrink:
        for name in sources:
            shrink_one(args, name, sources[name], loose[name])
        return 0
    tally = Tally()
    for names in options.batches(list(sources), 25):
        (run_mutants if args.mutants else run_batch)(args, {n: sources[n] for n in names}, loose, tally)
    if args.mutants:
        print(f"{tally.ran} faults reached, {tally.bad} not seen")
        return 20 * tally.bad > tally.ran
    print(f"{tally.ran} runs, {tally.bad} wrong, {tally.counts}")
    return tally.bad > 0


if __name__ == "__main__":
    sys.exit(main())
