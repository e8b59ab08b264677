# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of examples/generate.py."""

import sys

from testing import places, process

# With their options: each kind, as large as it was published.
EVERY = [
    "mobilenetv1", "mobilenetv1 --layout nchw", "person-detection", "mobilenetv2", "mobilenetv2 --type i8", "resnet50",
    "resnet50 --layout nchw", "resnet50 --type i8", "resnet8", "ds-cnn", "unet",
    "unet --size 256 --channels 64 --levels 4", "unet --size 256 --channels 64 --levels 4 --up transposed", "lenet",
    "transformer", "bert-base", "decoder", "attention", "mlp", "autoencoder",
]  # fmt: skip

# Those with branches, whose ops can run in many orders.
BRANCHY = [
    "inception", "densenet", "nasnet", "nasnet --cells 1 --channels 8", "randwire", "randwire --nodes 12 --stages 2",
    "randwire --nodes 16 --stages 1 --wiring 2", "swiftnet", "swiftnet --type f32",
]  # fmt: skip

BUFFERIZE = ("eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{"
             "bufferize-function-boundaries=1 function-boundary-type-conversion="
             "identity-layout-map},canonicalize,cse")  # fmt: skip
DEALLOCATION = "buffer-deallocation-pipeline"
LIVENESS = "func.func(optimize-allocation-liveness)"


def generate(*arguments):
    """A network as linalg on tensors."""
    return process.call([sys.executable, places.ROOT / "examples" / "generate.py", *arguments]).out


def bufferize(tools, tensors):
    """A network right after one-shot bufferization, without a dealloc."""
    return tools.apply(tensors, f"builtin.module({BUFFERIZE})", opt=tools.mlir_opt)


def bufferized(tools, *arguments):
    return bufferize(tools, generate(*arguments))
