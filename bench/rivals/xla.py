# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA for CPUs on one thread, by JAX.

Bytes: temp_size of XLA's own account, which is intermediates alone.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402

from bench.rivals import networks, side  # noqa: E402

VERSION = f"XLA of JAX {jax.__version__}"


class Network(networks.Form):
    """Run as it is built. Weights are noted first, and given as arguments then."""

    given = weights = None
    image = None

    def argument(self, shape):
        return self.image if self.given else jnp.zeros(shape)

    def constant(self, array):
        if self.given is not None:
            return next(self.given)
        self.weights.append(array)
        return jnp.asarray(array)

    def convolved(self, x, weight, stride, pads, groups):
        return lax.conv_general_dilated(x, weight, (stride, stride), pads, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                        feature_group_count=groups)

    def pooled(self, x, size, stride, pads):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), [(0, 0), *pads, (0, 0)])

    def plus(self, x, y): return x + y
    def relu(self, x): return jnp.maximum(x, 0.0)
    def relu6(self, x): return jnp.clip(x, 0.0, 6.0)
    def gelu(self, x): return jax.nn.gelu(x)
    def softmax(self, x): return jax.nn.softmax(x, -1)
    def times(self, x, y): return x @ y
    def scaled(self, x, by): return x * by
    def transposed(self, x, order): return x.transpose(order)
    def reshaped(self, x, shape): return x.reshape(shape)
    def concat(self, parts, axis): return jnp.concatenate(parts, axis)
    def spatial_mean(self, x): return x.mean((1, 2))
    def upsample(self, x): return jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
    def rows(self, x): return x.reshape(-1, x.shape[-1])

    def normalized(self, x, gain, bias):
        centred = x - x.mean(-1, keepdims=True)
        return centred * lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain + bias


def measure(generated, folder, seconds):
    if networks.is_narrow(generated):
        return {"reason": "JAX has no networks of 8 bits"}
    Network.weights, shape = [], None

    def first():
        nonlocal shape
        net, output = networks.build(generated, Network)
        shape = net.shape
        return output

    def network(weights, image):
        Network.given, Network.image = iter(weights), image
        return networks.build(generated, Network)[1]

    jax.eval_shape(first)
    image = side.values(shape)
    compiled = jax.jit(network).lower(Network.weights, image).compile()
    arguments = jax.device_put(Network.weights), jax.device_put(image)
    return {"bytes": compiled.memory_analysis().temp_size_in_bytes,
            "seconds": side.least(lambda: compiled(*arguments).block_until_ready(), seconds)}


if __name__ == "__main__":
    side.run(VERSION, measure)
