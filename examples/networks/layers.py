# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What networks are made of.

Networks of `element` i8 have weights and activations of 8 bits with zero in the middle, sums and
biases of 32 bits, and come back to 8 bits by integer arithmetic. An image is [batch, rows, columns,
channels], or with `channels_first` [batch, channels, rows, columns].

Values stay in a healthy range: a weight is uniform with variance 2 / (inputs of a sum), as in He
initialization; of integers the scale after a sum is chosen so.
"""

import math

from networks.ops import Dynamic, Ops, Scalar, demand, dims, least, linear, listed, requantized, shaped

WEIGHT = 128 / math.sqrt(3)  # standard deviation of 8 bits
TYPICAL = 50  # of an activation of 8 bits


def pair(number):
    return (number, number) if isinstance(number, int) else number


def around(extent, kernel, stride, padding):
    """Rows to add before and after: as many on both sides ("centred"), or so many that the result has
    a row per stride ("same"), the odd one after; or a number."""
    if padding == "centred":
        return kernel // 2, kernel // 2
    if padding == "same":
        total = max((-(-extent // stride) - 1) * stride + kernel - extent, 0)
        return total // 2, total - total // 2
    return padding, padding


class Network(Ops):
    def __init__(self, *input_shape, element="f32", padding="centred"):
        super().__init__(*input_shape, element=element)
        self.padding, self.channels_first = padding, False

    @classmethod
    def of_images(cls, args, rows, columns, channels, padding="centred", batch=1):
        """By the options --type and --layout."""
        first = args.layout == "nchw"
        shape = (batch, channels, rows, columns) if first else (batch, rows, columns, channels)
        net = cls(*shape, element=args.type, padding=padding)
        net.channels_first = first
        return net

    # ---- Layouts

    def image(self, n, h, w, c):
        return (n, c, h, w) if self.channels_first else (n, h, w, c)

    def sizes(self, x):
        """Batch, rows, columns, channels."""
        n, *others = x.shape
        return (n, *others[1:], others[0]) if self.channels_first else x.shape

    @property
    def channel(self):
        return 1 if self.channels_first else 3

    # ---- Weights

    def weight(self, *shape, fan_in, offset=0.0):
        if self.element == "f32":
            return self.data(*shape, spread=math.sqrt(6 / fan_in), offset=offset)
        return self.data(*shape, element="i8")

    def bias(self, channels, fan_in):
        """Of floats in [-0.1, 0.1], else up to a fraction of the sum."""
        if self.element == "f32":
            return self.data(channels, spread=0.1)
        bits = 1 + math.floor(math.log2(0.4 * WEIGHT * TYPICAL * math.sqrt(fan_in)))
        return self.data(channels, element="i32", bits=bits)

    # ---- Layers

    def biased(self, x, activation, fan_in, rectified=False, channel=-1):
        """Of sums over fan_in products, whose one factor was rectified or not."""
        bias = (self.bias(x.shape[channel], fan_in), [dims(len(x.shape))[channel]])
        if self.element == "f32":
            return self.pointwise(lambda a, b: activation(a + b), x, bias)
        scale = math.sqrt((2 if rectified else 1) / fan_in) / WEIGHT
        low = -128 if activation == linear else 0
        result = self.pointwise(lambda a, b: requantized(a + b, scale, low), x, bias, element="i8")
        result.rectified = low == 0
        return result

    def add(self, x, y, activation=linear):
        if self.element == "f32":
            return self.pointwise(lambda a, b: activation(a + b), x, y)
        low = -128 if activation == linear else 0
        return self.pointwise(lambda a, b: requantized(a.widened("i32") + b.widened("i32"), 0.7, low), x, y)

    def pad(self, x, kernel, stride, padding, value=None):
        _, h, w, _ = self.sizes(x)
        (top, bottom), (left, right) = map(around, (h, w), kernel, stride, (padding, padding))
        if not (top or bottom or left or right):
            return x
        low, high = self.image(0, top, left, 0), self.image(0, bottom, right, 0)
        return self.padded(x, low, high, (0.0 if x.element == "f32" else 0) if value is None else value)

    def window(self, op, x, weight, start, channels, kernel, stride):
        """A named op with the windows of a padded x."""
        n, h, w, _ = self.sizes(x)
        size = [(extent - k) // s + 1 for extent, k, s in zip((h, w), kernel, stride)]
        into = self.filled(start, *self.image(n, *size, channels),
                           element=x.element if op.startswith("pooling") else self.sums)
        strides = stride[0] if stride[0] == stride[1] else list(stride)
        return self.named(op, [x, weight], into, f" {{strides = dense<{strides}> : tensor<2xi64>}}")

    def convolved(self, op, x, shape, channels, taps, kernel, stride, activation, padding):
        weight = self.weight(*shape, fan_in=taps)
        padded = self.pad(x, kernel, stride, self.padding if padding is None else padding)
        zero = 0.0 if self.sums == "f32" else 0
        sums = self.window(op, padded, weight, zero, channels, kernel, stride)
        return self.biased(sums, activation, taps, x.rectified, self.channel)

    def conv(self, x, channels, kernel=1, stride=1, activation=linear, padding=None):
        kernel, stride, before = pair(kernel), pair(stride), self.sizes(x)[3]
        op, shape = "conv_2d_nhwc_hwcf", (*kernel, before, channels)
        if self.channels_first:
            op, shape = "conv_2d_nchw_fchw", (channels, before, *kernel)
        return self.convolved(op, x, shape, channels, math.prod(kernel) * before, kernel, stride,
                              activation, padding)

    def depthwise(self, x, stride, activation, size=3):
        channels = self.sizes(x)[3]
        op, shape = "depthwise_conv_2d_nhwc_hwc", (size, size, channels)
        if self.channels_first:
            op, shape = "depthwise_conv_2d_nchw_chw", (channels, size, size)
        return self.convolved(op, x, shape, channels, size * size, pair(size), pair(stride), activation, None)

    def dense(self, x, units, activation=linear):
        rows, columns = x.shape
        weight = self.weight(columns, units, fan_in=columns)
        zero = self.filled(0.0 if self.sums == "f32" else 0, rows, units, element=self.sums)
        return self.biased(self.named("matmul", [x, weight], zero), activation, columns, x.rectified)

    def spatial_mean(self, x):
        _, h, w, _ = self.sizes(x)
        zero = 0.0 if self.sums == "f32" else 0
        total = self.reduce(x, [0, self.channel], zero,
                            lambda a, total: total + (a if x.element == "f32" else a.widened("i32")), self.sums)
        if isinstance(h, Dynamic) or isinstance(w, Dynamic):
            return self.divided(total, h, w)
        if self.element == "f32":
            return self.pointwise(lambda a: a * (1 / (h * w)), total)
        return self.pointwise(lambda a: requantized(a, 1 / (h * w), -128), total, element="i8")

    def divided(self, x, h, w):
        """Of floats, by a number of elements that is known at run time."""
        demand(self.element == "f32", "a mean over dynamic sizes is for --type f32")
        h, w = (s.name if isinstance(s, Dynamic) else self.value(f"arith.constant {s} : index") for s in (h, w))
        count = self.value(f"arith.muli {h}, {w} : index")
        number = self.value(f"arith.index_cast {count} : index to i32")
        number = Scalar(None, self.value(f"arith.sitofp {number} : i32 to f32"), "f32")
        return self.pointwise(lambda a: a / number, x)

    def max_pool(self, x, size=2, padding=0, stride=2):
        kernel, stride, lowest = pair(size), pair(stride), least(x.element)
        op = "pooling_nchw_max" if self.channels_first else "pooling_nhwc_max"
        windows = self.pad(x, kernel, stride, padding, lowest)
        shape = self.empty(*kernel, element=x.element)
        result = self.window(op, windows, shape, lowest, self.sizes(x)[3], kernel, stride)
        result.rectified = x.rectified
        return result

    def upsample(self, x):
        """To twice the size, each pixel four times."""
        n, h, w, c = self.sizes(x)
        pixel = self.image(0, 1, 1, 0)
        halved = [f"{d} floordiv 2" if pixel[i] else d for i, d in enumerate(dims(4))]
        into = self.empty(*self.image(n, 2 * h, 2 * w, c), element=x.element)
        return self.generic([x], [halved], into, dims(4), linear)

    def up_conv(self, x, channels):
        """A transposed convolution, 2 x 2 with stride 2: each pixel becomes four, which share nothing."""
        demand(not self.channels_first, "--up transposed is for --layout nhwc")
        n, h, w, before = x.shape
        weight = self.weight(2, 2, before, channels, fan_in=before)
        zero = 0.0 if self.sums == "f32" else 0
        n_, h_, i_, w_, j_, c_, k_ = dims(7)
        sums = self.generic(
            [x, weight], [[n_, h_, w_, k_], [i_, j_, k_, c_]],
            self.filled(zero, n, h, 2, w, 2, channels, element=self.sums), [n_, h_, i_, w_, j_, c_],
            lambda a, b, total: total + self.product(a, b), rank=7)  # fmt: skip
        return self.biased(self.collapsed(sums, [[0], [1, 2], [3, 4], [5]]), linear, before, x.rectified)

    def product(self, a, b):
        return a * b if self.element == "f32" else a.widened("i32") * b.widened("i32")

    def softmax(self, x):
        """Over the last dimension."""
        row = dims(len(x.shape) - 1)
        most = self.reduce_rows(x, -math.inf, lambda a, most: most.maximum(a))
        powers = self.pointwise(lambda a, most: (a - most).exp(), x, (most, row))
        total = self.reduce_rows(powers, 0.0, lambda a, total: total + a)
        return self.pointwise(lambda a, total: a / total, powers, (total, row))

    def layer_norm(self, x):
        columns = x.shape[-1]
        total = self.reduce_rows(x, 0.0, lambda a, total: total + a)
        centred = self.pointwise(lambda a, total: a - total * (1 / columns), x, (total, ["d0"]))
        squares = self.reduce_rows(centred, 0.0, lambda a, total: total + a * a)
        gain = self.weight(columns, fan_in=600, offset=1.0)
        return self.pointwise(
            lambda a, s, gain, bias: a * (s * (1 / columns) + 1e-5).rsqrt() * gain + bias,
            centred, (squares, ["d0"]), (gain, ["d1"]), (self.bias(columns, columns), ["d1"]))

    def heads(self, x, count, order):
        """[rows, columns] as [rows, count, columns / count], transposed to the order."""
        shape = (x.shape[0], count, x.shape[1] // count)
        split = self.tensor(shape, f"tensor.expand_shape {x.name} [[0], [1, 2]] output_shape "
                                   f"{listed(shape)} : {x.type} into {shaped('tensor', shape)}")
        return self.transpose(split, order)

    def rows(self, x):
        """Of the pixels of images [batch, rows, columns, channels]: [pixels, channels]."""
        return self.collapsed(x, [[0, 1, 2], [3]])

    def joined(self, x):
        """[count, rows, columns] of all heads as [rows, count * columns]."""
        return self.collapsed(self.transpose(x, [1, 0, 2]), [[0], [1, 2]])

    def mixed(self, scores, values, size):
        """The values in the proportions of softmax(scores / sqrt(size))."""
        scaled = self.pointwise(lambda a: a * size ** -0.5, scores)
        heads, rows, _ = scores.shape
        return self.named("batch_matmul", [self.softmax(scaled), values],
                          self.filled(0.0, heads, rows, size))

    def attention(self, x, heads):
        rows, columns = x.shape
        queries = self.heads(self.dense(x, columns), heads, [1, 0, 2])
        keys = self.heads(self.dense(x, columns), heads, [1, 2, 0])
        values = self.heads(self.dense(x, columns), heads, [1, 0, 2])
        scores = self.named("batch_matmul", [queries, keys], self.filled(0.0, heads, rows, rows))
        return self.dense(self.joined(self.mixed(scores, values, columns // heads)), columns)

    def cached_attention(self, x, heads, context):
        """Of one token, the last of the context; keys and values of those before are arguments,
        where its own are written."""
        size = x.shape[1] // heads
        queries, *own = [self.heads(self.dense(x, x.shape[1]), heads, [1, 0, 2]) for _ in range(3)]
        kept = [self.argument(heads, context, size) for _ in own]
        context = kept[0].shape[1]
        keys, values = [self.inserted(new, old, [0, context - 1, 0]) for new, old in zip(own, kept)]
        h, i, j, k = dims(4)
        scores = self.generic([queries, keys], [[h, i, k], [h, j, k]], self.filled(0.0, heads, 1, context),
                              [h, i, j], lambda q, key, total: total + q * key, rank=4)
        return self.dense(self.joined(self.mixed(scores, values, size)), x.shape[1])
