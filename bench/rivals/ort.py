# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime on one thread.

Bytes: of the heap at the peak of a run above what was alive before it, without the session's arena, so that each tensor is an
allocation of its own: intermediates and what kernels need, less the result.
"""

import ctypes

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from bench.rivals import networks, side

VERSION = f"ONNX Runtime {onnxruntime.__version__}"


class Name(str):
    """Of a tensor, with its shape: an image is [batch, channels, rows, columns]."""

    def __new__(cls, text, shape):
        made = super().__new__(cls, text)
        made.shape = tuple(shape)
        return made


class Network(networks.Form):
    channel = 1

    def argument(self, shape):
        self.nodes, self.weights = [], []
        n, *others = shape
        return Name("x", (n, others[-1], *others[:-1]) if len(shape) == 4 else shape)

    def sizes(self, x):
        n, c, h, w = x.shape
        return n, h, w, c

    def op(self, kind, operands, shape, **attributes):
        name = Name(f"t{len(self.nodes)}", shape)
        self.nodes.append(helper.make_node(kind, operands, [name], **attributes))
        return name

    def constant(self, array):
        name = Name(f"w{len(self.weights)}", array.shape)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def numbers(self, *values):
        return self.constant(np.array(values, np.int64))

    def weight(self, *shape, fan):
        """Of a convolution: [channels, inputs, rows, columns]."""
        return super().weight(*((shape[3], shape[2], *shape[:2]) if len(shape) == 4 else shape), fan=fan)

    def size_of(self, x, kernel, stride, pads):
        return [(extent + sum(pad) - k) // stride + 1 for extent, k, pad in zip(x.shape[2:], kernel, pads)]

    def window(self, kind, operands, channels, kernel, stride, pads, **attributes):
        (top, bottom), (left, right) = pads
        return self.op(kind, operands, (operands[0].shape[0], channels, *self.size_of(operands[0], kernel, stride, pads)),
                       kernel_shape=kernel, strides=[stride] * 2, pads=[top, left, bottom, right], **attributes)

    def convolved(self, x, weight, stride, pads, groups):
        return self.window("Conv", [x, weight], weight.shape[0], weight.shape[2:], stride, pads, group=groups)

    def pooled(self, x, size, stride, pads):
        return self.window("MaxPool", [x], x.shape[1], [size] * 2, stride, pads)

    def plus(self, x, y):
        """The bias of a convolution is an operand of it."""
        last = self.nodes[-1] if self.nodes else None
        if last and last.op_type == "Conv" and last.output[0] == x and len(y.shape) == 1:
            last.input.append(y)
            return x
        return self.op("Add", [x, y], x.shape)

    def relu(self, x): return self.op("Relu", [x], x.shape)
    def relu6(self, x): return self.op("Clip", [x, *map(self.constant, np.float32([[0], [6]]).reshape(2))], x.shape)
    def gelu(self, x): return self.op("Gelu", [x], x.shape, approximate="tanh")
    def softmax(self, x): return self.op("Softmax", [x], x.shape, axis=-1)
    def times(self, x, y): return self.op("MatMul", [x, y], (*x.shape[:-1], y.shape[-1]))
    def scaled(self, x, by): return self.op("Mul", [x, self.constant(np.float32(by))], x.shape)
    def transposed(self, x, order): return self.op("Transpose", [x], [x.shape[i] for i in order], perm=order)
    def reshaped(self, x, shape): return self.op("Reshape", [x, self.numbers(*shape)], shape)
    def concat(self, parts, axis):
        return self.op("Concat", parts, (1, sum(p.shape[1] for p in parts), *parts[0].shape[2:]), axis=axis)

    def normalized(self, x, gain, bias):
        return self.op("LayerNormalization", [x, gain, bias], x.shape, axis=-1, epsilon=1e-5)

    def spatial_mean(self, x):
        return self.reshaped(self.op("GlobalAveragePool", [x], (*x.shape[:2], 1, 1)), x.shape[:2])

    def upsample(self, x):
        n, c, h, w = x.shape
        return self.op("Resize", [x, "", self.constant(np.float32([1, 1, 2, 2]))], (n, c, 2 * h, 2 * w), mode="nearest",
                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def rows(self, x):
        n, c, h, w = x.shape
        return self.reshaped(self.transposed(x, (0, 2, 3, 1)), (n * h * w, c))


def model_of(generated):
    net, output = networks.build(generated, Network)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, name.shape) for name in (net.input, output)]
    graph = helper.make_graph(net.nodes, "forward", ends[:1], ends[1:], net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    return model, net.input.shape


def narrowed(source, shape):
    """Activations of 8 bits without sign and weights with: what it computes fastest with on x86."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Reader(CalibrationDataReader):
        inputs = iter([{"x": side.values(shape, seed)} for seed in range(4)])

        def get_next(self):
            return next(self.inputs, None)

    made = source.with_suffix(".i8.onnx")
    quantize_static(str(source), str(made), Reader(), QuantFormat.QDQ, activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8, per_channel=True)
    return made


def session(path, arena):
    given = onnxruntime.SessionOptions()
    given.intra_op_num_threads = given.inter_op_num_threads = 1
    given.enable_cpu_mem_arena = given.enable_mem_pattern = arena
    return onnxruntime.InferenceSession(str(path), given, providers=["CPUExecutionProvider"])


def measure(generated, folder, seconds):
    heap = ctypes.CDLL(None)
    heap.heap_peak.restype = ctypes.c_long
    model, shape = model_of(generated)
    path = folder / "model.onnx"
    onnx.save(model, path)
    if networks.is_narrow(generated):
        path = narrowed(path, shape)
    inputs, apart = {"x": side.values(shape)}, session(path, False)
    apart.run(None, inputs)
    heap.heap_begin()
    results = apart.run(None, inputs)
    peak = heap.heap_peak() - sum(result.nbytes for result in results)
    del apart
    fast = session(path, True)
    return {"bytes": peak, "seconds": side.least(lambda: fast.run(None, inputs), seconds)}


if __name__ == "__main__":
    side.run(VERSION, measure)
