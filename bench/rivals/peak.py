# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the processor itself allows: the time of a network's multiply-adds at the rate of a loop that does nothing else."""

import math
import subprocess
from pathlib import Path
from types import SimpleNamespace

from bench.rivals import networks, side

VERSION = "multiply-adds alone"


def tensor(*shape):
    return SimpleNamespace(shape=shape)


def same(self, x, *others):
    return x


class Counting(networks.Form):
    """Tensors are shapes. What is neither a product nor a convolution is free."""

    multiply_adds = 0

    def argument(self, shape): return tensor(*shape)
    def constant(self, array): return tensor(*array.shape)
    def reshaped(self, x, shape): return tensor(*shape)
    def transposed(self, x, order): return tensor(*(x.shape[i] for i in order))
    def spatial_mean(self, x): return tensor(x.shape[0], x.shape[3])
    def rows(self, x): return tensor(math.prod(x.shape[:-1]), x.shape[-1])

    relu = relu6 = gelu = softmax = plus = scaled = normalized = same

    def upsample(self, x):
        batch, rows, columns, channels = x.shape
        return tensor(batch, 2 * rows, 2 * columns, channels)

    def concat(self, parts, axis):
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return tensor(*shape)

    def pooled(self, x, size, stride, pads):
        batch, rows, columns, channels = x.shape
        return tensor(batch, *((extent + sum(pad) - size) // stride + 1 for extent, pad in zip((rows, columns), pads)), channels)

    def convolved(self, x, weight, stride, pads, groups):
        rows, columns, before, channels = weight.shape
        image = self.pooled(x, rows, stride, pads)
        made = tensor(*image.shape[:3], channels)
        self.multiply_adds += math.prod(made.shape) * rows * columns * before
        return made

    def times(self, x, y):
        made = tensor(*x.shape[:-1], y.shape[-1])
        self.multiply_adds += math.prod(made.shape) * x.shape[-1]
        return made


def rate(folder):
    """Multiply-adds in a second."""
    binary = folder / "peak"
    subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=fast", Path(__file__).with_name("peak.c"), "-o", binary], check=True)
    return float(subprocess.run([binary], check=True, capture_output=True, text=True).stdout)


def measure(generated, folder, seconds):
    if networks.is_narrow(generated):
        return {"reason": "only networks of 32 bits"}
    net, _ = networks.build(generated, Counting)
    return {"multiply_adds": net.multiply_adds, "seconds": net.multiply_adds / rate(folder)}


if __name__ == "__main__":
    side.run(VERSION, measure)
