# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Would the fuzzer notice? Passes that are wrong on purpose, and one that is right.

    python3 -m fuzz.memref_gen.selfcheck [--programs N] [--seed S]

Deallocs that buffer-deallocation placed are misplaced, too. Prints one line per experiment; exit status
1 if one went otherwise than it must.
"""

import sys
import tempfile

from fuzz.memref_gen import check, emit, grow, knobs, mutate, shrink
from fuzz.memref_gen import ops  # noqa: F401
from fuzz.memref_gen.misplace import misplaced
from fuzz.memref_gen.passes import OUT_OF_SIGHT, Config
from testing import options
from testing.compiled import StageError, Toolchain

# Of what is planted, this share must be seen. The rest overwrites bits with equal bits.
NOTICED = 0.95

# Of races fewer: whether iterations meet is for the machine to say.
MET = 0.4

# Of late frees that make a peak higher; where the pass frees on each path what the generator
# frees behind the branch, there is some room below.
LATE = 0.8

# Upstream's promotion puts stack memory into the bodies of loops.
IN_PLACE = "func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=65536})"

# The kinds of programs it is planted in.
KINDS = [("all", "freed"), ("all", "none"), ("blocks", "none"), ("beside", "none")]


def planted(tools, programs, original, input, plant, threads=False):
    """{name: outcome} of the programs that `plant` changes, and that MLIR lowers."""
    texts = {}
    for name, program in programs.items():
        mutation = plant(program)
        if mutation and name not in original.failures:
            texts[name] = emit.program(program, name, input, mutation)
    failures = {}
    ran = check.execute(tools, programs, texts, [], emit.OUTSIDE, "planted", failures, "lower",
                        threads)  # fmt: skip
    assert all(check.is_limit(f) for f in failures.values()), failures
    return ran


def overlaps(tools, programs, original, input, overlapping):
    """(number of programs in which two allocations at one address were made,
    number seen to differ)"""
    ran = planted(tools, programs, original, input, lambda p: mutate.overlap(p, overlapping))
    was = original.outcomes
    made = [n for n in ran if ran[n][0].status != "ok" or ran[n][0].allocs < was[n][0].allocs]
    # The planted arena leaks.
    return len(made), sum(bool(check.compare(was[n][0], ran[n], None)) for n in made)


def frees(tools, programs, original, how):
    """(number of programs in which a changed dealloc was reached, number seen)"""
    mark = planted(tools, programs, original, "freed", lambda p: mutate.misplaced(p, "marked"))
    ran = planted(tools, programs, original, "freed", lambda p: mutate.misplaced(p, how))
    reached = [n for n in mark if n in ran and mark[n][0].allocs > original.outcomes[n][0].allocs]
    return len(reached), sum(bool(check.compare(original.outcomes[n][0], ran[n], 0)) for n in reached)


def races(tools, programs, original):
    """(number of programs in which iterations share a buffer, number seen)"""
    ran = planted(tools, programs, original, "none", mutate.hoist, True)
    was = original.outcomes
    made = [n for n in ran if ran[n][0].status != "ok" or ran[n][0].allocs < was[n][0].allocs]
    return len(made), sum(bool(check.compare(was[n][0], ran[n], None)) for n in made)


def placed(tools, programs, original):
    """The programs as buffer-deallocation leaves them."""
    result, config = check.Result(), Config("placed", "buffer-deallocation", input="none")
    before = {n: emit.program(p, n, "none") for n, p in programs.items() if n not in original.failures}
    rewritten = check.rewrite_all(tools, before, config, result)
    assert not result.failures, result.failures
    return rewritten


def run_misplaced(tools, programs, rewritten, how):
    """{name: outcomes} of the programs in which a dealloc that fits was found."""
    texts = {}
    for name, (header, common, text) in rewritten.items():
        changed = misplaced(text, programs[name].seed, how) if how else text
        if changed:
            texts[name] = header, common, changed
    result = check.Result()
    check.run_texts(tools, programs, texts, "misplaced", "lower", False, result)
    assert not result.failures, result.failures
    return result.outcomes


def frees_of_pass(tools, programs, original, report):
    rewritten = placed(tools, programs, original)
    right = run_misplaced(tools, programs, rewritten, None)
    for how, mark in (("dropped", "marked"), ("doubled", "marked"), ("early", "marked-early")):
        ran, marked = (run_misplaced(tools, programs, rewritten, h) for h in (how, mark))
        reached = [n for n in ran if marked[n][0].allocs > right[n][0].allocs]
        seen = sum(bool(check.compare(original.outcomes[n][0], ran[n], 0)) for n in reached)
        report(seen >= NOTICED * len(reached) > 0, f"one dealloc of the pass {how}: {seen} of {len(reached)} seen")
    ran = run_misplaced(tools, programs, rewritten, "late")
    peaks = check.prompt_peaks(tools, programs, original, Config("late", "", input="none"))
    larger = [n for n in peaks if n in ran and ran[n][0].peak > right[n][0].peak]
    failures = [check.compare(original.outcomes[n][0], ran[n], 0, peaks[n]) for n in larger]
    seen = sum(bool(f) and f.kind == "late" for f in failures)
    report(seen >= LATE * len(larger) > 0, f"all deallocs of the pass late: {seen} of {len(larger)} seen")


def stacks(tools, seeds, report):
    """Allocations of loops become stack memory where they stand."""
    grown = [grow.generate(knobs.LATER["crowd"] + s, "crowded", "none") for s in seeds]
    programs = {f"p{p.seed}": p for p in grown if "crowd" in check.kinds(p)}
    original = check.run_original(tools, programs, "none")
    config = Config("in-place", IN_PLACE, input="none", leaks="before")
    failures = check.check(tools, programs, original, config).failures
    made = len(programs.keys() - original.failures.keys())
    seen = sum(f.kind == "crash" for f in failures.values())
    report(seen >= NOTICED * made > 0, f"a stack that grows with iterations: {seen} of {made} seen")


class Wrong:
    """Stands for a tool chain whose pass edits the text in one wrong way."""

    def __init__(self, tools, edit):
        self.build, self.run, self.verify = tools.build, tools.run, tools.verify
        self.work = tools.work
        self.edit = edit

    def opt(self, text, pipeline):
        return self.edit(self.verify(text))


def edit_lines(choose):
    """Edits the lines that `choose` turns into something else."""
    return lambda text: "\n".join(x for line in text.splitlines() for x in choose(line)) + "\n"


def is_free(line):
    return line.strip().startswith("memref.dealloc")


def refuse(text):
    raise StageError("pass", "refused")


WRONG = [
    ("deallocs dropped", "leak", edit_lines(lambda line: [] if is_free(line) else [line])),
    ("deallocs doubled", "fault", edit_lines(lambda line: [line] * (2 if is_free(line) else 1))),
    ("pass refuses", "pass", refuse),
    ("output is no IR", "lower", lambda text: text.replace("memref.load", "memref.lod")),
]


def shrunk(tools, programs, original):
    """Shrinks the largest program that a pass which loses copies breaks."""
    wrong = Wrong(tools, edit_lines(lambda line: [] if "memref.copy" in line else [line]))
    config = Config("shrunk", "")
    failures = check.check(wrong, programs, original, config).failures
    differing = [n for n, f in failures.items() if f.kind == "differs"]
    name = max(differing, key=lambda n: shrink.size(programs[n]))
    return shrink.size(shrink.shrink(wrong, programs[name], config, failures[name]))


def main():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=100)
    args = p.parse_args()
    bad = 0

    def report(right, text):
        nonlocal bad
        bad += not right
        print(f"{'ok  ' if right else 'FAIL'} {text}", flush=True)

    with tempfile.TemporaryDirectory(prefix="memref_gen") as work:
        tools = Toolchain(work, args.opt)
        seeds = options.seeds(args)
        total = seen = 0
        for profile, input in reversed(KINDS):
            programs = {f"p{s}": grow.generate(s, profile, input) for s in seeds}
            original = check.run_original(tools, programs, input)
            what = f"{profile}, {input}"
            report(not original.failures, f"{what}: {len(programs)} run clean: {original.failures or ''}")
            made, noticed = overlaps(tools, programs, original, input, True)
            total, seen = total + made, seen + noticed
            print(f"     lives that overlap at one address: {noticed} of {made} seen")
            made, noticed = overlaps(tools, programs, original, input, False)
            report(made and not noticed, f"lives that follow each other there: {noticed} of {made} seen")
            if (profile, input) == ("all", "none"):
                inside = {n: p for n, p in programs.items() if not OUT_OF_SIGHT & check.kinds(p)}
                frees_of_pass(tools, inside, original, report)
            if profile == "beside":
                made, noticed = races(tools, programs, original)
                report(noticed >= MET * made > 0, f"iterations that share: {noticed} of {made} seen")
        stacks(tools, seeds[:12], report)
        report(seen >= NOTICED * total > 0, f"lives that overlap at one address: {seen} of {total} seen")
        again = {f"p{s}": grow.generate(s) for s in seeds}
        same = all(emit.program(programs[n], n) == emit.program(again[n], n) for n in programs)
        report(same, "a seed gives the same program twice")
        for how in ("dropped", "doubled", "early"):
            total, seen = frees(tools, programs, original, how)
            report(seen >= NOTICED * total > 0, f"one dealloc {how}: {seen} of {total} seen")
        few = dict(list(programs.items())[:20])
        for name, kind, edit in WRONG:
            result = check.check(Wrong(tools, edit), few, original, Config(name.split()[0], ""))
            kinds = {f.kind for f in result.failures.values()}
            report(kinds == {kind}, f"{name}: {len(result.failures)} of {len(few)} seen as {kinds or '-'}")
        left = shrunk(tools, programs, original)
        report(left <= 10, f"a wrong program is shrunk to {left} statements")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
