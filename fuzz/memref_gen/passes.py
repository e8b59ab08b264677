# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pass pipelines under test."""

from dataclasses import dataclass

# Programs in which a buffer leaves the module's sight are not for a policy
# that is told nothing outside keeps a buffer.
OUT_OF_SIGHT = {"keep", "pointer", "stash"}


@dataclass(frozen=True)
class Config:
    name: str
    options: str
    deallocs: bool = True  # the program as it is before deallocation, if False
    twice: bool = False  # a second run must change nothing
    inside: bool = False  # only for programs without OUT_OF_SIGHT statements

    @property
    def pipeline(self):
        options = f"{{{self.options}}}" if self.options else ""
        return f"builtin.module(buffer-reuse{options})"

    def takes(self, kinds):
        return not (self.inside and kinds & OUT_OF_SIGHT)


CONFIGS = {
    c.name: c
    for c in [
        Config("default", "", twice=True),
        Config("pool-all", "pool-all", twice=True),
        Config("poison", "pool-all poison"),
        Config("use", "pool-all unknown-ops=use", inside=True),
        Config("open", "pool-all require-dealloc=false", deallocs=False),
        Config("open-poison", "pool-all poison require-dealloc=false", deallocs=False),
        Config("packed", "pool-all alignment-in-bytes=1"),
        Config("small-left", "pool-all min-size-in-bytes=40"),
    ]
    + [
        Config(name, f"pool-all strategy={name}")
        for fit in ("first-fit", "best-fit")
        for name in (f"{fit}-{order}" for order in ("size", "area", "duration", "start"))
    ]
}

# What every batch goes through; `--configs` of run.py chooses others.
USUAL = ["default", "pool-all", "poison", "use", "open-poison", "packed"]
