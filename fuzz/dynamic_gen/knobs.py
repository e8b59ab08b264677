# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often each feature is tried, relative to the others; 0 switches it off. `--knob NAME=WEIGHT` of run.py sets one.

A seed must mean the same program for ever: a new feature is only in programs of seeds from some number on,
which stands in LATER.
"""

WEIGHTS = {
    # Buffers.
    "alloc": 14,
    "fixed": 4,  # of static shape
    "alike": 4,  # the dims of another buffer
    "write": 3,
    "mix": 4,
    "digest": 4,
    "copy": 3,
    "linalg": 3,
    "retire": 9,
    "touch": 0.7,  # a function without a body reads and writes it
    # Sizes.
    "size": 8,
    "dim": 4,
    "loaded": 2,
    "stored": 1,  # written to memory by the program, and loaded
    "quotient": 4,  # divided by another size, and the rest
    "chosen": 1.5,  # by a region or a select
    "asserted": 2,  # of two sizes, or one and a number
    # Views.
    "subview": 2.5,
    "cast": 1,
    "collapse": 1.5,
    "expand": 1.5,
    "transpose": 0.7,
    "view": 1.5,
    "select": 1,
    # Control.
    "if": 2.5,
    "guarded": 2,  # by the sanity of a size
    "for": 2.5,
    "zero_trips": 1,
    "counted": 2,  # a loop that begins anywhere
    "switch": 2,  # an index_switch
    "while": 2,
    "given": 2,  # an if that yields a buffer
    "carried": 2,  # a loop that takes and yields a buffer
    "region": 1,  # execute_region, with blocks
    "diamond": 1.2,
    "circle": 1,  # a loop of blocks
    "call": 3,
    # Switches.
    "elements": 1,
    "alignment": 1,
    "ranges": 1,  # stowage.dims
    "returned": 1,
    "insane": 1,
}

LATER = {"quotient": 1_000_000, "counted": 300_000_000, "switch": 600_000_000, "while": 600_000_000,
         "asserted": 900_000_000}  # fmt: skip

# Never switched off.
ALWAYS = {"alloc", "retire", "size", "digest"}
KEEP = 0.75  # the share of the features that one program may use

STATEMENTS = [(6, 1), (12, 2), (20, 3), (32, 2.5), (50, 1.5), (80, 0.5)]

OVERRIDES = {}


def weights(rng, seed):
    """Those of one program."""
    known = {k: w for k, w in {**WEIGHTS, **OVERRIDES}.items() if seed >= LATER.get(k, 0)}
    return {k: w for k, w in known.items() if k in ALWAYS or rng.chance(KEEP)}
