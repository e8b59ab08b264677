# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pipelines under test: a table.

A pipeline may name passes or options that a binary does not have; it is then reported as missing, and not run.
"""

from dataclasses import dataclass

CHECK = "check-arena-plan{dynamic-offsets=ignore}"
FREE = "buffer-deallocation"


@dataclass(frozen=True)
class Config:
    name: str
    passes: str  # what stands inside builtin.module(...)
    group: str = ""
    freed: bool = False  # whether programs have their deallocs already
    leaks: bool = False  # whether what the program leaks may stay
    bounds: bool = False  # whether more bytes may be held than a run needs

    @property
    def pipeline(self):
        return f"builtin.module({self.passes})"

    @property
    def unchecked(self):
        """For a program whose own views the checker does not follow."""
        return f"builtin.module({self.passes.replace(f',{CHECK}', '')})"


def merge(name, options="", behind="", **more):
    return Config(name, f"merge-alloc{{{options}}}{',' if behind else ''}{behind}", **more)


def reuse(name, options="", behind="", **more):
    return Config(name, f"buffer-reuse{{{options}}}{',' if behind else ''}{behind}", freed=True, **more)


TABLE = [
    # Without dynamic shapes in arenas: what the harness itself is tested with.
    merge("off-merge", "", f"{CHECK},{FREE}", group="off"),
    merge("off-poison", "poison", CHECK, group="off", leaks=True),
    reuse("off-reuse", "pool-all poison", CHECK, group="off"),
    Config("off-memory", "stowage-memory", "off"),
    # With.
    merge("exact-merge", "dynamic=exact", group="exact", leaks=True),
    merge("exact-poison", "dynamic=exact poison", FREE, group="exact"),
    merge("exact-checked", "dynamic=exact", CHECK, group="checked", leaks=True),
    merge("exact-verified", "dynamic=exact verify-sizes", FREE, group="exact"),
    merge("exact-packed", "dynamic=exact alignment-in-bytes=1 poison", FREE, group="exact"),
    merge("exact-phases", "dynamic=exact poison max-heap-overhead=0", FREE, group="exact"),
    merge("exact-one", "dynamic=exact stackings=1 poison", FREE, group="exact"),
    merge("exact-folded", "dynamic=exact poison", f"canonicalize,cse,{FREE}", group="exact"),
    merge("exact-twice", "dynamic=exact", f"merge-alloc{{dynamic=exact poison}},{FREE}", group="exact"),
    reuse("exact-reuse", "dynamic=exact pool-all poison", group="exact"),
    reuse("exact-reuse-default", "dynamic=exact", group="exact"),
    Config("exact-memory", "stowage-memory{dynamic=exact}", "exact"),
    Config("exact-ordered", f"order-for-memory,merge-alloc{{dynamic=exact poison}},{FREE}", "exact"),
    Config("exact-elided", f"elide-copies,merge-alloc{{dynamic=exact poison}},{FREE}", "exact"),
    merge("exact-frames", "dynamic=exact arena=argument public keep-wrapper poison", FREE, group="exact"),
    merge("exact-callback", "dynamic=exact arena=callback poison", FREE, group="exact"),
    merge("exact-sampled", "dynamic=exact", f"check-arena-plan{{samples=64}},{FREE}", group="checked"),
    merge("exact-frames-checked", "dynamic=exact arena=argument public keep-wrapper", CHECK, group="checked", leaks=True),
    merge("exact-distinct", "dynamic=exact", f"{FREE},outline-distinct-views", group="distinct"),
    merge("exact-distinct-packed", "dynamic=exact alignment-in-bytes=1", f"{FREE},outline-distinct-views", group="distinct"),
    merge("bound-poison", "dynamic=bound poison", FREE, group="bound", bounds=True),
    reuse("bound-reuse", "dynamic=bound pool-all poison", group="bound", bounds=True),
]

CONFIGS = {c.name: c for c in TABLE}
GROUPS = {g: [c.name for c in TABLE if c.group == g] for g in ("off", "exact", "checked", "distinct", "bound")}
GROUPS["usual"] = ["off-merge", "exact-merge", "exact-poison", "exact-packed", "exact-reuse", "exact-memory", "bound-poison"]
GROUPS["all"] = list(CONFIGS)
