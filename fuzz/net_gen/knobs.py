# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The knobs: how often each kind of layer is tried, relative to the others.

Each is a function under @layer of that name. A weight of 0 switches it off; `--knob NAME=WEIGHT` of
run.py sets one.
"""

# What came later is only in programs of seeds from where it came on, so that older seeds still mean the
# programs that they meant.
LATER = dict.fromkeys(("deliver", "handled", "rows_conv", "rows_pool", "offset_conv", "multiplied", "scaled"), 1_000_000) | {"wide": 6_000_000_000} | dict.fromkeys(("backward_conv", "offset_reads", "offset_writes", "cell"), 7_000_000_000) | dict.fromkeys(("carried", "keep", "again"), 7_100_000_000)

KEEP = 0.6  # the share of the layers that one program may use

WEIGHTS = {
    # Images.
    "conv": 8,  # with padding, strides, dilations; named
    "depthwise": 5,
    "pool": 4,
    "pointwise_conv": 3,  # a matmul of the collapsed image
    "loose_conv": 3,  # a generic, its loops in any order, windows along any dimensions
    "backward_conv": 2,  # the same, from the window's end, and not from the first cell on
    "separable": 3,  # depthwise, then pointwise
    "residual": 5,  # around one to three layers
    "branches": 4,  # two ways to the same shape, with strides
    "skip": 2,  # down, up again, and beside what was there
    "upsample": 2,
    "global_pool": 1,
    "two_windows": 2,  # two convolutions of one image, other kernels
    "offset_conv": 2,  # of 8 bits with zero points
    "multiplied": 1,  # several results of each channel
    # Rows of numbers.
    "rows_conv": 2,  # along one dimension
    "rows_pool": 2,
    "matmul": 4,
    "wide": 1,  # two products with large weights
    "batch_matmul": 1,
    "attention": 2,
    "softmax": 2,
    "layer_norm": 2,
    # Elementwise.
    "unary": 6,
    "binary": 5,
    "broadcast": 4,  # along some dimensions
    "named": 3,  # linalg.add, linalg.map and their like
    "indexed": 3,  # with the index of a loop
    "scaled": 2,  # linalg.mul and linalg.div
    "cast": 2,
    "twins": 1,  # a generic with two results
    "accumulate": 3,  # onto what is there
    "refill": 2,  # filled with what was computed
    # Reductions.
    "reduce": 4,
    # Shapes.
    "pad": 3,
    "slice": 3,
    "concat": 4,
    "insert": 3,  # into what is there
    "reshape": 3,
    "transpose": 2,
    "reverse": 2,
    "pinned": 1,  # every row reads the same row of another
    "shifted": 3,  # rows i and i + k
    "offset_reads": 3,  # cells that lie apart along all dimensions
    "offset_writes": 2,  # onto a part of what is there
    "cell": 3,  # one element, by a view without a dimension
    # What is no network.
    "call": 1.5,
    "loop": 1.5,  # over rows already
    "choice": 1,  # an if
    "store": 1.5,
    "deliver": 1.5,  # to a buffer of the caller's
    "handled": 1,  # by code that knows buffers only
    "carried": 3,  # loops that carry tensors
    "keep": 1.5,  # state, from call to call
    "fresh": 1,  # another input
}

PROFILES = {
    "all": {},
    "images": {"matmul": 1, "attention": 0, "softmax": 0, "batch_matmul": 0, "layer_norm": 0.5},
    "rows": {"conv": 0, "depthwise": 0, "pool": 0, "pointwise_conv": 0, "separable": 0, "branches": 0, "skip": 0,
             "upsample": 0, "two_windows": 0, "offset_conv": 0, "multiplied": 0, "matmul": 6, "attention": 5, "softmax": 4, "layer_norm": 4},
    "plain": {"call": 0, "loop": 0, "choice": 0, "store": 0, "pinned": 0, "reverse": 0, "refill": 0, "carried": 0, "keep": 0},
    "loops": {"carried": 20, "keep": 6},
    "training": {},  # no layers of these: training.py
    "mean": {"call": 4, "loop": 4, "choice": 3, "store": 4, "pinned": 4, "reverse": 5, "refill": 4, "insert": 6,
             "slice": 6, "accumulate": 8, "deliver": 4, "handled": 4, "twins": 4, "transpose": 4, "indexed": 6},
}  # fmt: skip

# Layers of a program.
LAYERS = [(2, 2), (4, 3), (7, 4), (12, 3), (20, 1)]

ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 20]
CHANNELS = [1, 2, 3, 4, 6]
MOST = 1500  # elements of one tensor
FAR = 1 << 20  # bytes of weights that a cache does not hold

OVERRIDES = {}


def has(name, seed):
    """Whether programs of this seed have what came later."""
    return seed >= LATER.get(name, 0)


def weights(profile, seed):
    chosen = {**WEIGHTS, **PROFILES[profile], **OVERRIDES}
    return {name: weight for name, weight in chosen.items() if weight and has(name, seed)}
