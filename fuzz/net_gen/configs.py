# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pipelines under test: a table.

Each starts right after bufferization, where nothing is freed, and must free all. A pipeline may name passes or
options that a binary does not have; it is then reported as missing, and not run.
"""

from dataclasses import dataclass

from testing import networks, places

# Loops that yield new tensors have them bufferized, too.
BUFFERIZE = networks.BUFFERIZE.replace("one-shot-bufferize{", "one-shot-bufferize{allow-return-allocs-from-loops=1 ")
# As simple as it can be.
COPYING = ("empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1 "
           "function-boundary-type-conversion=identity-layout-map copy-before-write=1}")  # fmt: skip

MERGE = "merge-alloc,check-arena-plan,buffer-deallocation"
POISON = "merge-alloc{poison},check-arena-plan,buffer-deallocation"

COPIED_OUT = "buffer-results-to-out-params"
OUT_PARAMS = f"{COPIED_OUT}{{hoist-static-allocs}}"
LENDING = "lend-arguments assume-noalias-arguments"


MEMORIES = str(places.ROOT / "fuzz" / "memref_gen" / "memories.txt")


def in_module(*passes):
    return f"builtin.module({','.join(passes)})"


@dataclass(frozen=True)
class Config:
    name: str
    passes: str  # what stands inside builtin.module(...)
    group: str = ""
    bounded: bool = True  # no more bytes at once than under BASELINE
    called: bool = False  # the network is a private function, whose results may become arguments
    arena: str = ""  # of stowage-model, which begins with tensors: argument, global
    shares: tuple = ()  # of the baseline's arena, the first that is enough: CAPACITY in `passes`; what fits in none is refused
    space: str = ""  # the arenas that have this capacity are in it; MEMORIES in `passes` becomes a file of it and a larger, slower memory
    banks: int = 1  # of that memory
    constants: bool = False  # constants are in a third one, and some copied from there; if by transfers, these are late
    before: str = ""  # somebody else's passes, with which it begins: what they refuse alone is no failure

    @property
    def one_memory(self):
        return not self.space and "spill-space" not in self.passes

    @property
    def pipeline(self):
        return in_module(*filter(None, [self.before, self.passes]))


def lent(name, before, passes):
    """With results that are arguments. The caller's memory is there all the time."""
    return Config(name, passes, "lent", bounded=False, called=True, before=before)


def model(name, options="", arena="argument"):
    return Config(name, f"stowage-model{{arena={arena} {options}}}", "model", bounded=False, arena=arena)


def fit(name, *shares, options="", group="fit"):
    return Config(name, f"fit-memory{{capacity-in-bytes=CAPACITY {options}}},{POISON}", group, bounded=False, shares=shares)


def placed(name, share, options="", constants=False, banks=1, before=""):
    return Config(name, f"{before}fit-memory{{memories={MEMORIES} {options}}},{POISON},lower-memory-spaces", "fit", bounded=False, shares=(share,), space="1", banks=banks, constants=constants)


BASELINE = Config("baseline", MERGE)

TABLE = [
    Config("merged", MERGE, "merge"),
    Config("poisoned", POISON, "merge"),
    Config("freed", "buffer-deallocation", "merge", bounded=False),
    Config("memory", "stowage-memory", "merge", bounded=False),
    Config("elided", f"elide-copies,{MERGE}", "elide"),
    Config("elided-poisoned", f"elide-copies,{POISON}", "elide"),
    Config("elided-copies-only", f"elide-copies{{in-place=false}},{POISON}", "elide"),
    Config("elided-freed", "elide-copies,buffer-deallocation", "elide", bounded=False),
    Config("elided-twice", f"elide-copies,elide-copies,{POISON}", "elide"),
    Config("elided-lowered", f"elide-copies,{POISON},lower-strided-copies", "elide"),
    Config("elided-streamed", f"elide-copies,stream-rows,{POISON}", "elide"),
    lent("lent", OUT_PARAMS, f"elide-copies{{{LENDING}}},{POISON}"),
    lent("lent-streamed", OUT_PARAMS, f"elide-copies{{{LENDING}}},stream-rows,{POISON}"),
    lent("lent-copied", COPIED_OUT, f"elide-copies{{{LENDING} in-place=false}},{POISON}"),
    Config("ordered", f"order-for-memory,{MERGE}", "order"),
    Config("ordered-poisoned", f"order-for-memory,{POISON}", "order"),
    Config("ordered-freed", "order-for-memory,buffer-deallocation", "order", bounded=False),
    Config("ordered-all", f"elide-copies,order-for-memory,stream-rows,{POISON}", "order"),
    Config("reduced", f"reduce-peak,{POISON}", "reduce"),
    Config("reduced-memory", "stowage-memory{reduce-peak}", "reduce", bounded=False),
    fit("fitted", 0.7),
    fit("fitted-alone", 0.85, options="reduce-peak=false"),
    fit("fitted-spilled", 0.8, options="reduce-peak=false spill-space=1 spill-cost=1"),
    fit("budget", 0.5, 0.7, 0.9, options="effort=500000", group="budget"),
    fit("budget-alone", 0.5, 0.7, 0.9, options="reduce-peak=false effort=500000", group="budget"),
    placed("placed", 0.5),
    placed("placed-alone", 0.3, "reduce-peak=false"),
    placed("placed-banks", 0.6, banks=4),
    placed("placed-banks-alone", 1.2, "reduce-peak=false", banks=2),
    placed("placed-constants", 0.6, "reduce-peak=false", constants=True),
    placed("placed-reduced-constants", 1.2, constants=True),
    placed("placed-transfers", 0.8, "reduce-peak=false dma", constants=True),
    placed("placed-rows", 0.5, "reduce-peak=false dma", constants=True),
    placed("placed-streamed-rows", 0.5, "reduce-peak=false dma", constants=True, before="stream-rows{overlap=false},"),
    Config("streamed", f"stream-rows,{MERGE}", "stream"),
    Config("streamed-poisoned", f"stream-rows,{POISON}", "stream"),
    Config("streamed-1", f"stream-rows{{rows=1}},{POISON}", "stream"),
    Config("streamed-unmoved", f"stream-rows{{max-moved=0}},{POISON}", "stream"),
    Config("streamed-freed", "stream-rows,buffer-deallocation", "stream", bounded=False),
    Config("streamed-twice", f"stream-rows,stream-rows,{POISON}", "stream"),
    Config("vectors", f"{MERGE},convert-linalg-to-vectors", "vectors"),
    Config("vectors-wide", f"stream-rows,{POISON},convert-linalg-to-vectors{{vector-bits=512 registers=32 pairs}}", "vectors"),
    Config("vectors-reduced", f"reduce-peak,{POISON},convert-linalg-to-vectors{{vector-bits=256}}", "vectors"),
    Config("distinct", f"{MERGE},outline-distinct-views", "distinct"),
    Config("distinct-reduced", f"reduce-peak,{MERGE},outline-distinct-views", "distinct"),
    model("model"),
    model("model-unreduced", "reduce-peak=false"),
    model("model-global", arena="global"),
    model("model-poisoned", "reduce-peak=false merge-options=poison"),
    Config("streamed-folded", f"stream-rows,canonicalize,cse,{POISON}", "stream"),
]

CONFIGS = {c.name: c for c in TABLE}
GROUPS = {g: [c.name for c in TABLE if c.group == g] for g in ("merge", "elide", "lent", "reduce", "fit", "budget", "order", "stream", "vectors", "distinct", "model")}
GROUPS["usual"] = ["elided", "elided-streamed", "lent", "ordered-poisoned", "reduced", "streamed", "streamed-poisoned", "streamed-1"]
GROUPS["all"] = list(CONFIGS)
