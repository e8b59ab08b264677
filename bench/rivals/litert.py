# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LiteRT with XNNPACK on one thread; TensorFlow writes the file.

Bytes: TFLite's arena as the interpreter lays it out without XNNPACK, input and result with it. With XNNPACK intermediates lie in
a workspace of which it tells nothing.
"""

import os

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow")

import tensorflow as tf  # noqa: E402
from ai_edge_litert import __version__ as litert  # noqa: E402
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402

from bench.rivals import networks, side  # noqa: E402

VERSION = f"LiteRT {litert}"


class Network(networks.Form):
    """Run as it is built. Padding is TensorFlow's own, which needs no op."""

    image = None

    def argument(self, shape): return tf.zeros(shape) if self.image is None else self.image
    def constant(self, array): return tf.constant(array)
    def named(self, pads): return "SAME" if any(map(sum, pads)) else "VALID"

    def convolved(self, x, weight, stride, pads, groups):
        if groups == 1:
            return tf.nn.conv2d(x, weight, stride, self.named(pads))
        return tf.nn.depthwise_conv2d(x, tf.transpose(weight, (0, 1, 3, 2)), [1, stride, stride, 1], self.named(pads))

    def pooled(self, x, size, stride, pads): return tf.nn.max_pool2d(x, size, stride, self.named(pads))
    def plus(self, x, y): return tf.nn.bias_add(x, y) if len(y.shape) == 1 else x + y
    def relu(self, x): return tf.nn.relu(x)
    def relu6(self, x): return tf.nn.relu6(x)
    def gelu(self, x): return tf.nn.gelu(x, approximate=True)
    def softmax(self, x): return tf.nn.softmax(x)
    def times(self, x, y): return tf.matmul(x, y)
    def scaled(self, x, by): return x * by
    def transposed(self, x, order): return tf.transpose(x, order)
    def reshaped(self, x, shape): return tf.reshape(x, shape)
    def concat(self, parts, axis): return tf.concat(parts, axis)
    def spatial_mean(self, x): return tf.reduce_mean(x, (1, 2))
    def upsample(self, x): return tf.image.resize(x, (2 * x.shape[1], 2 * x.shape[2]), "nearest")
    def rows(self, x): return tf.reshape(x, (-1, x.shape[-1]))

    def normalized(self, x, gain, bias):
        centred = x - tf.reduce_mean(x, -1, keepdims=True)
        return centred * tf.math.rsqrt(tf.reduce_mean(centred * centred, -1, keepdims=True) + 1e-5) * gain + bias


def model_of(generated):
    """A file, and the input's shape."""
    shape = networks.build(generated, Network)[0].shape

    def network(image):
        Network.image = image
        return networks.build(generated, Network)[1]

    concrete = tf.function(network, input_signature=[tf.TensorSpec(shape, tf.float32)]).get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    if networks.is_narrow(generated):
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([side.values(shape, seed)] for seed in range(4))
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert(), shape


def loaded(path, resolver):
    interpreter = Interpreter(model_path=str(path), num_threads=1, experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    for given in interpreter.get_input_details():
        interpreter.set_tensor(given["index"], (50 * side.values(given["shape"])).astype(given["dtype"]) if given["dtype"] != "float32"
                               else side.values(given["shape"]))
    interpreter.invoke()
    return interpreter


def arena_of(interpreter, path):
    """The run of memory without a gap that has the input."""
    def place(index):
        array = interpreter.tensor(index)()
        return array.__array_interface__["data"][0], array.nbytes

    mapped = [tuple(int(v, 16) for v in line.split()[0].split("-")) for line in open("/proc/self/maps") if path.name in line]
    spans, runs = [], []
    for tensor in interpreter.get_tensor_details():
        try:
            spans.append(place(tensor["index"]))
        except ValueError:
            continue  # it has no memory
    for begin, size in sorted(s for s in spans if s[1]):
        if any(a <= begin < b for a, b in mapped):
            continue
        if runs and begin <= runs[-1][1] + 256:
            runs[-1][1] = max(runs[-1][1], begin + size)
        else:
            runs.append([begin, begin + size])
    first = place(interpreter.get_input_details()[0]["index"])[0]
    return next(end - begin for begin, end in runs if begin <= first < end)


def measure(generated, folder, seconds):
    path = folder / "model.tflite"
    path.write_bytes(model_of(generated)[0])
    planned = arena_of(loaded(path, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES), path)
    return {"bytes": planned, "seconds": side.least(loaded(path, OpResolverType.AUTO).invoke, seconds)}


if __name__ == "__main__":
    side.run(VERSION, measure)
