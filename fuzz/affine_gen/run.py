# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random affine programs, executed as they are and after streaming fusion.

    python3 -m fuzz.affine_gen.run --programs 150                       a small share
    python3 -m fuzz.affine_gen.run --programs 3000 --seed 1 --config all
    python3 -m fuzz.affine_gen.run --only 1234 --config fused --shrink  one program, reduced
    python3 -m fuzz.affine_gen.run --only 1234 --print                  its text
    python3 -m fuzz.affine_gen.run --kind windows --programs 2000       readers that want windows
    python3 -m fuzz.affine_gen.run --kind products --programs 2000      buffers that take the place of others

Exit status: 0 no difference, 1 some, 2 bad usage or a missing tool.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from fuzz import shrinker
from fuzz.affine_gen import gen, products, windows
from testing import options
from testing.batch import ENOUGH, Failure, by_halves, join, split
from testing.compiled import PATTERNS, Outcome, Toolchain, compare, fault
from testing.taskflow import BACK, FUSE, TO

# Indices that arith computes in loops of scf become affine once these are.
ALL = f"{TO}{{copies parallel-loops}},func.func(affine-raise-from-memref)"
CONFIGS = {
    "tasks": f"{TO}{{copies}},{BACK}",
    "fused": f"{ALL},{FUSE}{{REPORT}},{BACK}",
    "plain": f"{TO},{FUSE}{{allow-permutation=false allow-reduction=false REPORT}},{BACK}",
    "noalias": f"{ALL},{FUSE}{{assume-noalias-arguments REPORT}},{BACK}",
    "twice": f"{TO}{{copies}},{FUSE}{{max-rounds=1 REPORT}},canonicalize,cse,{FUSE},{BACK},canonicalize",
    "rolled": f"{ALL},{FUSE}{{unroll-windows=false assume-noalias-arguments REPORT}},{BACK}",
    "whole": f"{ALL},{FUSE}{{windows=false assume-noalias-arguments REPORT}},{BACK}",
    "planned": f"{ALL},{FUSE}{{assume-noalias-arguments REPORT}},{BACK},canonicalize,"
               "buffer-reuse{pool-all poison}",
    "channels": f"{ALL},{FUSE}{{form=channels assume-noalias-arguments REPORT}},check-arena-plan,{BACK}",
    "queues": f"{ALL},{FUSE}{{form=channels allow-permutation=false allow-reduction=false assume-noalias-arguments REPORT}},check-arena-plan,{BACK}",
}  # fmt: skip
KINDS = {"nests": gen.generate, "windows": windows.generate, "products": products.generate}
USUAL = ["fused", "noalias"]
BATCH = 25


def takes(config, program):
    """Aliased arguments are for those that do not assume there are none."""
    return not (program.aliased and config not in ("tasks", "fused", "plain", "twice"))


def module(texts):
    return "module {\n" + "\n".join(texts) + "\n}\n"


def execute(tools, programs, texts, header, common, label, failures, kind):
    def work(names):
        library = tools.build(join(header, {None: "\n".join(common), **texts}, names), label)
        manifest = "\n".join(programs[n].manifest for n in names)
        runs = [tools.run(library, manifest, pattern) for pattern in PATTERNS]
        return {n: [run.get(n, Outcome("missing")) for run in runs] for n in names}

    return by_halves(work, list(texts), failures, kind)


def rewrite(tools, config, before, failures, report):
    """{name: (header, common, text)} of the programs after a config's passes, and its reports."""
    reports = []

    def work(names):
        pipeline = CONFIGS[config].replace("REPORT", f'report="json:{report}"')
        said = tools.opt(module([before[n] for n in names]), f"builtin.module({pipeline})")
        if "REPORT" in CONFIGS[config]:
            reports.append(json.loads(Path(report).read_text()))
        header, parts = split(said)
        return {n: (header, parts.get(None, ""), parts[n]) for n in names}

    return by_halves(work, list(before), failures, "pass", ENOUGH), reports


def check_batch(tools, programs, texts, configs, work):
    """{(name, config): Failure}, and per config the reports on what was fused."""
    invalid, failures, accounts = {}, {}, {c: [] for c in configs}
    before = execute(tools, programs, texts, [], [], "before", invalid, "invalid")
    for name, (one, other) in before.items():
        said = fault(one, other, "freed")
        if said:
            invalid[name] = Failure("invalid", said)
    failures.update({(name, "none"): f for name, f in invalid.items()})
    for config in configs:
        sound = {n: texts[n] for n in before if n not in invalid and takes(config, programs[n])}
        found = {}
        after, reports = rewrite(tools, config, sound, found, Path(work, "report.json"))
        accounts[config] += reports
        for header, common in {(tuple(h), c) for h, c, _ in after.values()}:
            group = {n: t for n, (h, c, t) in after.items() if (tuple(h), c) == (header, common)}
            ran = execute(tools, programs, group, list(header), [common], config, found, "lower")
            for name, now in ran.items():
                failure = compare(before[name][0], now, before[name][0].leaks)
                if failure:
                    found[name] = failure
        failures.update({(name, config): f for name, f in found.items()})
    return failures, accounts


def shrink(tools, program, config, failure, work):
    """The fewest steps with which the same kind of failure shows."""

    def fails(chosen):
        texts = {program.name: gen.text(program, chosen)}
        found, _ = check_batch(tools, {program.name: program}, texts, [config], work)
        return found.get((program.name, config), Failure("", "")).kind == failure.kind

    return gen.text(program, shrinker.without_runs(list(range(len(program.steps))), fails))


def tally(accounts):
    pairs = [p for report in accounts for f in report["functions"] for p in f["pairs"]]
    reasons = {}
    for pair in pairs:
        reasons[pair["reason"]] = reasons.get(pair["reason"], 0) + 1
    functions = [f for report in accounts for f in report["functions"]]
    touched = sum(any("fused" in p for p in f["pairs"]) for f in functions)
    removed = sum(p.get("buffers", 0) for p in pairs)
    in_place = sum(f["in_place"]["buffers"] > 0 for f in functions)
    return len(functions), touched, removed, in_place, reasons


def show(accounts):
    for config, reports in accounts.items():
        functions, touched, removed, in_place, reasons = tally(reports)
        if functions:
            print(f"{config}: {touched} of {functions} functions with tasks had a pair fused "
                  f"({100 * touched / functions:.0f} %), {removed} buffers gone, {in_place} in place; pairs: "
                  + ", ".join(f"{k} {v}" for k, v in sorted(reasons.items(), key=lambda x: -x[1])))  # fmt: skip


def arguments():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=150)
    p.add_argument("--config", default="usual", help=f"usual, all, or of {', '.join(CONFIGS)}")
    p.add_argument("--kind", default="nests", choices=KINDS, help="of programs")
    p.add_argument("--shrink", action="store_true", help="reduce the first failure")
    return p.parse_args()


def main():
    args = arguments()
    seeds, generate = options.seeds(args), KINDS[args.kind]
    if args.print:
        print(module([gen.text(generate(s)) for s in seeds]))
        return 0
    named = {"usual": USUAL, "all": list(CONFIGS)}
    configs = named.get(args.config, args.config.split(","))
    start, failures = time.monotonic(), {}
    accounts = {c: [] for c in configs}
    with tempfile.TemporaryDirectory(prefix="affine_gen") as work:
        tools = Toolchain(work, args.opt)
        for batch in options.batches(seeds, BATCH):
            programs = {f"p{s}": generate(s) for s in batch}
            texts = {name: gen.text(p) for name, p in programs.items()}
            found, parts = check_batch(tools, programs, texts, configs, work)
            for (name, config), failure in found.items():
                print(f"seed {name[1:]}, config {config}: {failure.kind}: {failure.said}", flush=True)
            failures.update(found)
            for config, reports in parts.items():
                accounts[config] += reports
            if len(failures) > 40:
                break
        show(accounts)
        print(f"{len(seeds)} programs, {len(failures)} failures, {time.monotonic() - start:.0f} s")
        wrong = [(k, f) for k, f in failures.items() if k[1] != "none"]
        if args.shrink and wrong:
            (name, config), failure = wrong[0]
            print(f"// {name}, {config}: {failure.kind}: {failure.said}")
            print(module([shrink(tools, generate(int(name[1:])), config, failure, work)]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
