# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pass pipelines under test: a table.

A pipeline may name passes or options that a binary does not have; it is then
reported as missing, and not run.
"""

import pathlib
import re
from dataclasses import dataclass

# Statements by which a buffer leaves the module's sight. KEPT is what functions without a body
# may do with it: by a policy that is told they keep nothing they do not, so that programs in which
# they do are not for it.
OUT_OF_SIGHT = frozenset({"keep", "address", "stash", "deposit"})
KEPT = {"keep", "touch", "echo", "indirect"}
ESCAPE = "unknown-ops=escape"
NO_REALLOC = "expand-realloc{emit-deallocs=false}"

MARKED = {"dealloc": "buffer-deallocation", "tighten": "buffer-deallocation{tighten}", "hoist": "hoist-allocations",
          "stack": "promote-allocs-to-stack{max-size-in-bytes=65536}", "merge": "merge-alloc", "reuse": "buffer-reuse",
          "elided": "elide-copies", "ordered": "order-for-memory"}

PLANNING = re.compile("buffer-reuse|merge-alloc")


def in_module(passes):
    return f"builtin.module({','.join(filter(None, passes))})"


@dataclass(frozen=True)
class Config:
    name: str
    passes: str  # what stands inside builtin.module(...)
    group: str = ""
    input: str = "freed"  # the deallocs the program has: freed (all), others (all, and marks of others), some, none
    leaks: str = "none"  # what may stay: none (but for what left), before (as much as it was)
    prompt: bool = False  # no more bytes at once than if each buffer is freed after its last use
    twice: bool = False  # a second run must change nothing
    steady: bool = False  # where the report says that all is planned, nothing is allocated
    threads: bool = False  # iterations run beside each other; only for programs with such
    lacks: frozenset = frozenset()  # only for programs without such statements
    comparison: bool = False  # somebody else's passes: what goes wrong is only counted
    before: str = ""  # somebody else's passes, with which it begins: what they refuse alone is no failure
    refusal: str = ""  # a pattern: a located error that is right of some programs

    @property
    def pipeline(self):
        """With check-arena-plan at the end, if arenas are what it ends with. The check cannot
        follow bits that tell at run time what is freed."""
        checked = PLANNING.search(self.passes.split(",")[-1]) and not self.comparison
        return in_module([self.passes, "check-arena-plan" if checked else ""])

    @property
    def unchecked(self):
        return in_module([self.passes])

    @property
    def before_planning(self):
        """All but the arenas, and the check: if it says no to that already, it says nothing."""
        return in_module([*filter(lambda p: not PLANNING.search(p), self.passes.split(",")), "check-arena-plan"])

    def takes(self, kinds):
        """Whether it is for a program of statements of these kinds."""
        if self.threads and ("beside" not in kinds or "crowd" in kinds):
            return False
        return not self.lacks & kinds

    @property
    def leaving(self):
        """The statements that may take a buffer out of the pass's hands."""
        return OUT_OF_SIGHT - self.lacks | (KEPT if ESCAPE in self.passes else set())


def reuse(name, options="", **more):
    text = f"buffer-reuse{{{options}}}" if options else "buffer-reuse"
    return Config(name, text, "reuse", **more)


def merge(name, options="", **more):
    """Runs before deallocation, and frees what it makes."""
    text = f"merge-alloc{{{options}}}" if options else "merge-alloc"
    return Config(name, text, "merge", input="none", leaks="before", **more)


def framed(name, options, before="", **more):
    """Arenas in other memory than each function's own."""
    text = f"{before + ',' if before else ''}merge-alloc{{arena={options} poison}},check-arena-plan{{dynamic-offsets=ignore}}"
    return Config(name, text, "frames", input="none", leaks="before", before=before, **more)


def dynamic(name, options, **more):
    """merge-alloc of buffers of dynamic shape, too; where they lie is known at run time only."""
    text = f"merge-alloc{{dynamic=exact {options}}},check-arena-plan{{samples=64 dynamic-offsets=ignore}}"
    return Config(name, text, "dynamic", input="none", leaks="before", **more)


def fitted(name, options):
    return merged(name, f"fit-memory{{capacity-in-bytes=256 {options}}},merge-alloc{{poison}},check-arena-plan", refusal=TOO_SMALL)


def placed(name, options, before="", after=""):
    """Buffers in three memories, the first two of them small; constants in a fourth."""
    return merged(name, f"{before}fit-memory{{memories={MEMORIES} {options}}},{after}lower-memory-spaces", refusal=TOO_SMALL)


def merged(name, passes, **more):
    """The same, as passes."""
    return Config(name, passes, "merge", input="none", leaks="before", **more)


def dealloc(name, passes="buffer-deallocation", input="none", **more):
    """Nothing may be left when it is done, but for what left the module's sight."""
    lacks = set() if ESCAPE in passes else {"keep"}
    return Config(name, passes, "dealloc", input=input, lacks=frozenset(lacks), **more)


def race(name, passes, input, **more):
    """Once more, with threads. Programs that leak do so here as well."""
    return Config(name, passes, "race", input=input, leaks="before", threads=True, **more)


def upstream(name, passes):
    return Config(name, passes, "upstream", input="none", comparison=True)


MEMORIES = pathlib.Path(__file__).parent / "memories.txt"
TOO_SMALL = r":\d+:\d+: error: fit-memory: "  # of a capacity

FITS = [f"{fit}-{order}" for fit in ("first-fit", "best-fit")
        for order in ("size", "area", "duration", "start")]  # fmt: skip

TABLE = [
    reuse("default", twice=True),
    reuse("pool-all", "pool-all", twice=True),
    reuse("poison", "pool-all poison"),
    reuse("use", "pool-all unknown-ops=use", lacks=OUT_OF_SIGHT),
    reuse("open", "pool-all require-dealloc=false", input="none", leaks="before"),
    reuse("open-poison", "pool-all poison require-dealloc=false", input="none", leaks="before"),
    reuse("some", "pool-all", input="some", leaks="before"),
    reuse("packed", "pool-all alignment-in-bytes=1"),
    reuse("small-left", "pool-all min-size-in-bytes=40"),
    *[reuse(name, f"pool-all strategy={name}") for name in FITS],
    merge("merge-alone", twice=True),
    merge("merge-poison", "poison"),
    merge("merge-phases", "poison max-heap-overhead=0"),
    merge("merge-use", "unknown-ops=use", lacks=OUT_OF_SIGHT),
    dynamic("dynamic-merge", "", twice=True),
    dynamic("dynamic-poison", "poison"),
    dynamic("dynamic-phases", "poison max-heap-overhead=0"),
    dynamic("dynamic-packed", "alignment-in-bytes=1 stackings=1 poison"),
    dynamic("dynamic-use", "unknown-ops=use", lacks=OUT_OF_SIGHT),
    merge("merge-packed", "alignment-in-bytes=1 poison"),
    # Arenas in arenas: the checker must be as right as the plans.
    merged("merge-nested", "merge-alloc,inline,buffer-reuse{pool-all require-dealloc=false poison},check-arena-plan"),
    merged("merge-hoisted", "merge-alloc{hoist-parallel poison},check-arena-plan{dynamic-offsets=ignore}"),
    merged("merge-elided", "elide-copies,merge-alloc{poison},check-arena-plan"),
    merged("merge-ordered", "order-for-memory,merge-alloc{poison},check-arena-plan"),
    merged("merge-reduced", "reduce-peak,merge-alloc{poison},check-arena-plan"),
    merged("merge-distinct", "merge-alloc,outline-distinct-views"),
    fitted("fit-alone", "reduce-peak=false"),
    fitted("fit-reduced", ""),
    fitted("fit-spilled", "reduce-peak=false spill-space=1 spill-cost=1"),
    placed("placed-alone", "reduce-peak=false", after="merge-alloc{poison},check-arena-plan,"),
    placed("placed-reduced", "", after="merge-alloc{poison},check-arena-plan,"),
    placed("placed-elided", "reduce-peak=false", before="elide-copies,", after="merge-alloc{poison},"),
    dealloc("fit-dealloc", "fit-memory{capacity-in-bytes=256 reduce-peak=false},buffer-deallocation", refusal=TOO_SMALL),
    dealloc("fit-freed", "fit-memory{capacity-in-bytes=256 reduce-peak=false spill-space=1}", input="freed", refusal=TOO_SMALL),
    dealloc("fit-placed", f"fit-memory{{memories={MEMORIES} reduce-peak=false}},lower-memory-spaces", input="freed", refusal=TOO_SMALL),
    framed("frames-argument", "argument public keep-wrapper", steady=True),
    framed("frames-results", "argument public keep-wrapper result-arguments", steady=True,
           refusal=r"result \d+ cannot be an argument: "
                   "(its address is taken|it may call itself|callers in the module|it may be memory that a function allocates that is called)"),
    framed("frames-global", "global", steady=True),
    framed("frames-stack", "stack", steady=True),
    # Upstream makes copies of results that are arguments.
    framed("frames-out-params", "global", steady=True, before="buffer-results-to-out-params{hoist-static-allocs}",
           lacks=frozenset({"given back"})),
    framed("frames-callback", "callback"),
    dealloc("frames-dealloc", "merge-alloc{arena=global},buffer-deallocation"),
    dealloc("frames-callback-dealloc", "merge-alloc{arena=callback},buffer-deallocation"),
    # Deallocation after it must know that the arena is freed already.
    dealloc("merge-dealloc", "merge-alloc,buffer-deallocation"),
    dealloc("merge-dealloc-some", "merge-alloc,buffer-deallocation", input="some"),
    dealloc("merge-dealloc-escape", f"merge-alloc,buffer-deallocation{{{ESCAPE}}}"),
    dealloc("elided", "elide-copies,buffer-deallocation"),
    dealloc("elided-freed", "elide-copies", input="freed"),
    dealloc("copies-lowered", "lower-strided-copies", input="freed", twice=True),
    dealloc("ordered", "order-for-memory,buffer-deallocation"),
    dealloc("ordered-freed", "order-for-memory", input="freed"),
    dealloc("dealloc-alone", prompt=True, twice=True),
    dealloc("dealloc-some", input="some", twice=True),
    dealloc("dealloc-freed", input="freed", twice=True),
    dealloc("freed-moved", "hoist-allocations,buffer-deallocation,buffer-deallocation{tighten}", input="freed"),
    dealloc("dealloc-clone", "buffer-deallocation{prefer=clones}", twice=True),
    dealloc("dealloc-escape", f"buffer-deallocation{{{ESCAPE}}}", twice=True),
    dealloc("dealloc-moved", f"hoist-allocations{{{ESCAPE}}},buffer-deallocation{{{ESCAPE}}},"
            f"promote-allocs-to-stack{{max-size-in-bytes=65536 {ESCAPE}}}"),
    dealloc("dealloc-hoist", "hoist-allocations,buffer-deallocation,hoist-allocations"),
    dealloc("dealloc-stack", "buffer-deallocation,promote-allocs-to-stack{max-size-in-bytes=65536}"),
    dealloc("dealloc-simplify", "buffer-deallocation{prefer=clones},lower-clones{simplify-only}"),
    dealloc("tighten", "buffer-deallocation{tighten}", input="freed", prompt=True, twice=True),
    dealloc("tighten-some", "buffer-deallocation{tighten}", input="some", twice=True),
    dealloc("tighten-escape", f"buffer-deallocation{{tighten {ESCAPE}}}", input="freed", twice=True),
    dealloc("hoisted", "hoist-allocations", input="freed", twice=True),
    dealloc("dealloc-reuse", "buffer-deallocation,buffer-reuse{pool-all}"),
    dealloc("dealloc-poison", "buffer-deallocation,buffer-reuse{pool-all poison}"),
    dealloc("dealloc-clones", "buffer-deallocation,lower-clones{simplify-only}"),
    # What others fold, behind it, must be what it meant. Upstream's canonicalize erases a realloc that
    # is only freed, and with it the free of what was reallocated; expand-realloc cannot shrink.
    dealloc("dealloc-folded", f"{NO_REALLOC},buffer-deallocation,inline,cse,canonicalize", before=NO_REALLOC),
    dealloc("dealloc-clone-folded",
            f"{NO_REALLOC},buffer-deallocation{{prefer=clones}},inline,canonicalize,cse", before=NO_REALLOC),
    # Many deallocs are such as upstream's passes read and make. What those free is left alone.
    *[dealloc(f"others-{name}", passes, input="others", twice=name == "dealloc") for name, passes in MARKED.items()],
    race("race-none", "", "freed"),
    race("race-reuse", "buffer-reuse{pool-all}", "freed"),
    race("race-merge", "merge-alloc", "none"),
    race("race-frames", "merge-alloc{arena=argument public keep-wrapper}", "none"),
    race("race-global", "merge-alloc{arena=global}", "none"),
    race("race-elided", "elide-copies,merge-alloc", "none"),
    race("race-ordered", "order-for-memory,merge-alloc", "none"),
    race("race-dealloc", "buffer-deallocation", "none", lacks=frozenset({"keep"})),
    upstream("upstream", "buffer-deallocation-pipeline"),
    upstream("upstream-reuse", "buffer-deallocation-pipeline,buffer-reuse{pool-all}"),
]

CONFIGS = {c.name: c for c in TABLE}
GROUPS = {g: [c.name for c in TABLE if c.group == g] for g in ("reuse", "merge", "dynamic", "frames", "dealloc", "race", "upstream")}
GROUPS["again"] = [c.name for c in TABLE if c.group == "dealloc" and c.twice]

# What every batch goes through; `--config` of run.py chooses others.
USUAL = ["default", "pool-all", "poison", "use", "open-poison", "packed"]
GROUPS["usual"] = USUAL
GROUPS["all"] = list(CONFIGS)
