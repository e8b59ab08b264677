# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The knobs: how often each feature is tried, relative to the others.

A weight of 0 switches a feature off. Names without an action of their own are
switches that other actions ask for. `--knob NAME=WEIGHT` of run.py sets one.
"""

# Features that came later are only in programs of seeds from where they came on, so that older
# seeds still mean the programs they meant.
SINCE = 10_000_000
LATER = dict.fromkeys(("affine_if", "turn", "realloc", "sized", "deep", "several"), SINCE)
LATER["grown"] = 20_000_000
LATER["echo"] = LATER["poke"] = 40_000_000
LATER["wide"] = 50_000_000
LATER.update(dict.fromkeys(("crowd", "extent", "deposit", "revise"), 60_000_000))
LATER["around"] = 110_000_000
LATER.update(dict.fromkeys(("tower", "indirect", "into", "open"), 970_000_000))
LATER["addressed"] = 1_000_000_000
LATER["handed"] = LATER["shared"] = 7_000_000_000
LATER["carried"] = 7_100_000_000
NEWEST = max(LATER.values())

KEEP = 0.72  # the share of the features that one program may use

# How often a buffer is read once more when nothing else reads it.
READ = 0.97

# Never switched off: without these a program computes nothing.
ALWAYS = {"alloc", "write", "mix"}

# Switched off in programs that own nothing.
OWNING = {"moves", "recast"}

WEIGHTS = {
    # Buffers and what is written to them.
    "alloc": 9,
    "write": 9,  # first and later full writes
    "mix": 9,  # element-wise into old contents
    "cell": 2,  # one element
    "copy": 4,
    "sink": 3,
    "fresh": 7,  # several buffers, written late, read late
    "clone": 1.5,  # bufferization.clone
    "alloca": 0.7,
    "dynamic": 0.8,  # memref.alloc(%n)
    "sized": 1,  # such allocations where regions yield
    "realloc": 0.8,
    "table": 0.5,  # memref.get_global
    "matmul": 1,
    "transposed": 1,  # linalg.transpose
    "transfer": 1.2,  # vector.transfer_read and _write
    "extent": 1.5,  # the size of a buffer, which may be freed by then, is asked for
    "wide": 1.5,  # vectors in bytes as aligned as a heap, by a view or a promise
    "linalg": 3,  # fill, copy, generic
    "affine": 1,
    # Views.
    "subview": 3,
    "cast": 2,
    "reinterpret": 1,
    "reshape": 1.5,  # expand_shape, collapse_shape
    "permute": 1,  # memref.transpose
    "view": 1.5,  # memref.view of bytes
    "assume": 0.7,  # assume_alignment
    "distinct": 0.4,  # distinct_objects
    "select": 2,
    # Ownership.
    "pair": 1,  # two buffers exchanged by two selects, freed by their new names
    "recast": 0.3,  # freed by the name of a cast
    # Control.
    "condition": 2,
    "if": 4,
    "for": 4,
    "while": 1.5,
    "switch": 1,
    "execute": 0.8,
    "alloca_scope": 0.6,
    "parallel": 1.2,
    "forall": 0.8,
    "crowd": 2,  # a loop whose iterations' buffers do not fit on the stack together
    "leave": 1,  # early return, by branches
    "break": 0.6,  # out of a loop of branches
    "maze": 2,  # blocks that jump where they like
    "ping_pong": 1.2,  # a loop that swaps two buffers
    "carried": 2,  # a loop whose buffers nothing else knows
    "hole": 2,  # a buffer whose contents are dead for a while
    "before": 1,  # the first region of a while does something
    "async": 0.25,  # async.execute and what runs beside it
    "branches": 1,  # ifs and loops as blocks of a CFG
    "affine_if": 1,
    "turn": 1.5,  # a while whose second region takes other buffers than its first
    # Calls.
    "call": 3,
    "returned": 1,  # the program returns buffers
    "handed": 1,  # they are phis, one twice, or one beside a part of it
    "shared": 1,  # functions that give a buffer twice, or beside a part of it
    "deep": 1,  # calls itself, and returns what that gives
    "several": 1,  # functions with two results
    "around": 1,  # two functions that call each other
    "tower": 1,  # more functions, which call those before them
    "indirect": 1,  # calls of one or two functions by their address
    "into": 1,  # functions that write their result into an argument
    "open": 1,  # functions that the program outside may call as well
    "addressed": 1,  # what is run calls all the rest by its address
    "grown": 1,  # functions that give their argument back or free it for another
    "touch": 0.6,  # a function without a body that reads and writes
    # What takes a buffer out of sight.
    "keep": 0.4,  # a function without a body that keeps it
    "pointer": 0.4,  # extract_aligned_pointer_as_index
    "poke": 0.4,  # the same, and written through
    "echo": 0.6,  # a function without a body that gives back what it is given
    "stash": 0.4,  # a memref stored in a memref
    "deposit": 0.6,  # the same by a function, and written by another one later
    "revise": 1,  # what a function keeps is written by it later
    # Switches.
    "elements": 1,  # all element types
    "zero_sized": 1,
    "spaces": 1,  # memory spaces 1 and 2
    "alignment": 1,  # alignment attributes
    "moves": 1,  # ownership handed into and out of regions
}

PLAIN_ELEMENTS = {"f32", "i8", "i32", "i64"}

# Sizes that overlap in part when buffers share bytes.
SIZES = {
    0: [1],
    1: [1, 2, 3, 5, 8, 16, 17, 24, 31, 32, 33, 48, 64, 65, 80],
    2: [1, 2, 3, 4, 5, 8, 9, 12],
    3: [1, 2, 3, 4, 5],
}

# How many statements a program is given; helpers such as a first write are free.
STATEMENTS = [(4, 0.5), (8, 1.5), (12, 3), (20, 3), (30, 2.5), (45, 1.5), (70, 0.7)]

PROFILES = {
    "all": {},
    # Nothing that a policy of `unknown-ops=use` would be wrong about.
    "inside": {"keep": 0, "pointer": 0, "stash": 0, "poke": 0, "deposit": 0},
    # Much that leaves the module's sight.
    "hidden": {"keep": 5, "pointer": 5, "stash": 5, "touch": 2, "poke": 5, "echo": 3,
               "deposit": 5},
    # Structured control flow only.
    "structured": {"maze": 0, "branches": 0, "leave": 0, "break": 0},
    # Straight lines: many buffers, no control.
    "straight": {k: 0 for k in ("if", "for", "while", "switch", "execute", "parallel", "forall",
                                "leave", "break", "branches", "alloca_scope", "call", "maze", "ping_pong", "carried",
                                "async", "affine_if", "turn", "crowd")},
    # Branches and loops of blocks, and little else.
    "blocks": {"branches": 8, "maze": 8, "leave": 3, "break": 2},
    # Iterations and tasks that run beside each other.
    "beside": {"parallel": 6, "forall": 4, "async": 3},
    # Many functions and calls, also from iterations that run beside each other.
    "graphs": {"call": 12, "parallel": 4, "forall": 2},
    # Nothing that keeps a buffer out of an arena.
    "planned": {k: 0 for k in ("returned", "dynamic", "sized", "extent", "realloc", "keep", "pointer", "stash", "poke",
                               "shared", "echo", "touch", "deposit", "indirect", "deep", "several", "grown", "async", "maze",
                               "ping_pong", "carried", "turn", "before")},
    # Loops of many iterations, on a small stack.
    "crowded": {"crowd": 20},
    # Loops that carry buffers.
    "carrying": {"carried": 20, "ping_pong": 3},
}  # fmt: skip

OVERRIDES = {}


def profile(name, seed=NEWEST):
    weights = {**WEIGHTS, **PROFILES[name], **OVERRIDES}
    return {k: w for k, w in weights.items() if seed >= LATER.get(k, 0)}
