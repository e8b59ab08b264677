# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of some seeds, as text."""

from fuzz.memref_gen import emit, grow
from fuzz.memref_gen import ops  # noqa: F401


def module(seeds, input="freed", profile="all", only_used=False):
    """One module; `input` says which deallocs the programs have: freed (all), some, none."""
    texts = [emit.program(grow.generate(s, profile, input), f"p{s}", input) for s in seeds]
    return emit.module(texts, only_used)
