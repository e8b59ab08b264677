# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks that are compared, once: those of examples/networks/models.py, in the ops of whoever runs them.

    net, output = networks.build("resnet50", form.Network)

A form is a class with the layers of examples/networks/layers.py: `Form` has what all share, in terms of a few ops that each
form has of its own. Weights are random, from a seed.
"""

import math
import sys
from argparse import Namespace

import numpy as np

from testing import places

sys.path.insert(0, str(places.ROOT / "examples"))

from networks import models  # noqa: E402
from networks.layers import around, pair  # noqa: E402
from networks.ops import linear  # noqa: E402

# With the options of examples/generate.py.
NETWORKS = {
    "MobileNetV2": "mobilenetv2",
    "ResNet-50": "resnet50",
    "BERT-base, 128 tokens": "bert-base",
    "UNet, 256 x 256": "unet --size 256 --channels 64 --levels 4",
    "attention, 128 x 256": "attention",
    "ViT-base": "vit-base",
    "MobileNetV2, 8 bits": "mobilenetv2 --type i8",
    "person detection, 8 bits": "person-detection",
}


def options(generated):
    """The function of models.py and its options."""
    name, *words = generated.split()
    make, known = models.NETWORKS[name]
    values = {option: default for option, (default, *_) in known.items()}
    for option, text in zip(words[::2], words[1::2]):
        values[option[2:]] = type(values[option[2:]])(text)
    return make, Namespace(**values)


def is_narrow(generated):
    """Whether weights and activations have 8 bits."""
    return getattr(options(generated)[1], "type", "f32") == "i8"


def build(generated, form):
    make, given = options(generated)
    models.Network = form
    return make(given)


class Form:
    """A network in other ops. Images are [batch, rows, columns, channels] unless `sizes` says otherwise. Numbers have 32 bits
    here: who computes with 8 makes them of these."""

    channel = 3

    def __init__(self, *shape, element="f32", padding="centred"):
        self.padding, self.random = padding, np.random.default_rng(0)
        self.shape = shape
        self.input = self.argument(shape)

    @classmethod
    def of_images(cls, args, rows, columns, channels, padding="centred", batch=1):
        return cls(batch, rows, columns, channels, padding=padding)

    def sizes(self, x):
        return tuple(x.shape)

    def weight(self, *shape, fan):
        return self.constant((self.random.uniform(-1, 1, shape) * math.sqrt(6 / fan)).astype(np.float32))

    def biased(self, x, channels, activation):
        y = self.plus(x, self.constant(self.random.uniform(-0.1, 0.1, channels).astype(np.float32)))
        return y if activation is linear else getattr(self, activation.__name__)(y)

    def around(self, x, kernel, stride, padding):
        _, h, w, _ = self.sizes(x)
        return [around(extent, kernel, stride, padding) for extent in (h, w)]

    def conv(self, x, channels, kernel=1, stride=1, activation=linear, padding=None):
        before, (rows, columns) = self.sizes(x)[3], pair(kernel)
        weight = self.weight(rows, columns, before, channels, fan=rows * columns * before)
        pads = self.around(x, rows, stride, self.padding if padding is None else padding)
        return self.biased(self.convolved(x, weight, stride, pads, 1), channels, activation)

    def depthwise(self, x, stride, activation):
        channels = self.sizes(x)[3]
        weight = self.weight(3, 3, 1, channels, fan=9)
        return self.biased(self.convolved(x, weight, stride, self.around(x, 3, stride, self.padding), channels), channels, activation)

    def max_pool(self, x, size=2, padding=0, stride=2):
        return self.pooled(x, size, stride, self.around(x, size, stride, padding))

    def dense(self, x, units, activation=linear):
        weight = self.weight(x.shape[-1], units, fan=x.shape[-1])
        return self.biased(self.times(x, weight), units, activation)

    def add(self, x, y, activation=linear):
        total = self.plus(x, y)
        return total if activation is linear else getattr(self, activation.__name__)(total)

    def heads(self, x, count):
        return self.transposed(self.reshaped(x, (x.shape[0], count, x.shape[1] // count)), (1, 0, 2))

    def attention(self, x, count):
        rows, columns = x.shape
        queries, keys, values = (self.heads(self.dense(x, columns), count) for _ in range(3))
        scores = self.scaled(self.times(queries, self.transposed(keys, (0, 2, 1))), (columns // count) ** -0.5)
        mixed = self.transposed(self.times(self.softmax(scores), values), (1, 0, 2))
        return self.dense(self.reshaped(mixed, (rows, columns)), columns)

    def layer_norm(self, x):
        columns = x.shape[-1]
        return self.normalized(x, self.weight(columns, fan=6), self.weight(columns, fan=600))
