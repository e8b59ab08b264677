#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes whole networks as MLIR: linalg on tensors, ready for one-shot-bufferize.

    generate.py mobilenetv2 > mobilenetv2.mlir
    generate.py transformer --layers 2 --sequence 64 > transformer.mlir

Structure and shapes are the published ones, in the form a front end hands over: batch
normalization folded into weights and biases, every op with a destination of its own,
nothing fused. `forward` is the network. `main` runs it on an input that varies by index
and prints a hash over every output bit, so that two compilations of one file can be
compared exactly; lines that begin with '#' are times.

There are no trained weights. Each weight is a memref.global that the program fills as it
starts, with a hash of the weight's number and the element's index, in the range of He
initialization. Values differ between weights and within each, so a network that reads the
wrong buffer gives another answer; activations stay in a healthy range through all layers;
files are small; nothing folds or merges, as equal splats would. Weights are static data and
no part of the heap that is measured.
"""

import argparse
import math
import sys


def shaped(kind, shape):
    return f"{kind}<{'x'.join(map(str, shape))}xf32>"


def dims(rank):
    return [f"d{i}" for i in range(rank)]


def affine_map(rank, results):
    return f"affine_map<({', '.join(dims(rank))}) -> ({', '.join(results)})>"


def float_constant(value):
    return {math.inf: "0x7F800000", -math.inf: "0xFF800000"}.get(value, f"{value:.8e}") + " : f32"


def quoted(words):
    return ", ".join(f'"{word}"' for word in words)


class Dynamic(int):
    """A size that is known as the program runs only; the number is what `main` runs it with."""

    def __str__(self):
        return "?"


class Tensor:
    def __init__(self, name, shape):
        self.name, self.shape, self.type = name, tuple(shape), shaped("tensor", shape)
        self.typed = f"{name} : {self.type}"


def operands(tensors):
    return f"{', '.join(t.name for t in tensors)} : {', '.join(t.type for t in tensors)}"


class Scalar:
    """A value in the body of a linalg.generic. Arithmetic on it appends ops to the body."""

    def __init__(self, body, name):
        self.body, self.name = body, name

    def op(self, op, *others):
        names = [self.name] + [x.name if isinstance(x, Scalar) else self.constant(x)
                               for x in others]
        return Scalar(self.body, self.append(f"{op} {', '.join(names)} : f32"))

    def constant(self, value):
        return self.append(f"arith.constant {float_constant(value)}")

    def append(self, text):
        name = f"%s{len(self.body)}"
        self.body.append(f"{name} = {text}")
        return name

    def __add__(self, other): return self.op("arith.addf", other)
    def __sub__(self, other): return self.op("arith.subf", other)
    def __mul__(self, other): return self.op("arith.mulf", other)
    def __truediv__(self, other): return self.op("arith.divf", other)
    def maximum(self, other): return self.op("arith.maximumf", other)
    def minimum(self, other): return self.op("arith.minimumf", other)
    def exp(self): return self.op("math.exp")
    def tanh(self): return self.op("math.tanh")
    def rsqrt(self): return self.op("math.rsqrt")


def linear(x): return x
def relu(x): return x.maximum(0.0)
def relu6(x): return x.maximum(0.0).minimum(6.0)
def gelu(x): return x * 0.5 * (((x * x * x * 0.044715 + x) * 0.7978845608).tanh() + 1.0)


class Network:
    """The ops of `forward` in order, and the weights they read."""

    def __init__(self, *input_shape):
        self.ops, self.weights, self.names = [], [], 0
        self.input = Tensor("%input", input_shape)
        if isinstance(input_shape[0], Dynamic):
            first = self.value("arith.constant 0 : index")
            self.batch = self.value(f"tensor.dim {self.input.name}, {first} : {self.input.type}")

    def value(self, text):
        self.names += 1
        self.ops.append(f"%{self.names} = {text}")
        return f"%{self.names}"

    def tensor(self, shape, text):
        return Tensor(self.value(text), shape)

    # ---- Destinations and weights

    def weight(self, *shape, fan_in, offset=0.0):
        """Uniform around offset, with variance 2 / fan_in."""
        symbol = f"@weight{len(self.weights)}"
        self.weights.append((symbol, shape, math.sqrt(6 / fan_in), offset))
        held = self.value(f"memref.get_global {symbol} : {shaped('memref', shape)}")
        return self.tensor(shape, f"bufferization.to_tensor {held} restrict : "
                                  f"{shaped('memref', shape)} to {shaped('tensor', shape)}")

    def bias(self, channels):
        """In [-0.1, 0.1]."""
        return self.weight(channels, fan_in=600)

    def empty(self, *shape):
        size = self.batch if isinstance(shape[0], Dynamic) else ""
        return self.tensor(shape, f"tensor.empty({size}) : {shaped('tensor', shape)}")

    def filled(self, number, *shape):
        into = self.empty(*shape)
        constant = self.value(f"arith.constant {float_constant(number)}")
        return self.tensor(shape, f"linalg.fill ins({constant} : f32) outs({into.typed}) "
                                  f"-> {into.type}")

    # ---- Ops

    def named(self, op, inputs, into, attributes=""):
        return self.tensor(into.shape, f"linalg.{op}{attributes} ins({operands(inputs)}) "
                                       f"outs({into.typed}) -> {into.type}")

    def generic(self, inputs, maps, into, into_map, function):
        """function computes an element of the destination from one of each input; in a reduction
        (some dimension is not in the destination's map) also from its present value."""
        rank = len(inputs[0].shape)
        kinds = ["parallel" if d in into_map else "reduction" for d in dims(rank)]
        body, names = [], [f"%x{i}" for i in range(len(inputs))] + ["%into"]
        elements = [Scalar(body, name) for name in names]
        result = function(*(elements if "reduction" in kinds else elements[:-1]))
        return self.tensor(into.shape, "\n    ".join([
            "linalg.generic {",
            f"    indexing_maps = [{', '.join(affine_map(rank, m) for m in [*maps, into_map])}],",
            f"    iterator_types = [{quoted(kinds)}]}}",
            f"    ins({operands(inputs)}) outs({into.typed}) {{",
            f"^bb0({', '.join(f'{name}: f32' for name in names)}):",
            *(f"  {line}" for line in body),
            f"  linalg.yield {result.name} : f32",
            f"}} -> {into.type}"]))

    def pointwise(self, function, x, *others):
        """Elementwise over x; each other input is a tensor, or (tensor, its dimensions)."""
        every = dims(len(x.shape))
        others = [o if isinstance(o, tuple) else (o, every) for o in others]
        return self.generic([x] + [o[0] for o in others], [every] + [o[1] for o in others],
                            self.empty(*x.shape), every, function)

    def reduce(self, x, keep, start, function):
        """Over all but the dimensions to keep."""
        into = self.filled(start, *[x.shape[d] for d in keep])
        return self.generic([x], [dims(len(x.shape))], into, [f"d{d}" for d in keep], function)

    def reduce_rows(self, x, start, function):
        return self.reduce(x, range(len(x.shape) - 1), start, function)

    def add(self, x, y):
        return self.pointwise(lambda a, b: a + b, x, y)

    def pad(self, x, amount):
        n, h, w, c = x.shape
        shape = (n, h + 2 * amount, w + 2 * amount, c)
        zero = self.value("arith.constant 0.0 : f32")
        around = f"[0, {amount}, {amount}, 0]"
        return self.tensor(shape, f"tensor.pad {x.name} low{around} high{around} {{\n"
                                  f"    ^bb0(%n: index, %h: index, %w: index, %c: index):\n"
                                  f"      tensor.yield {zero} : f32\n"
                                  f"    }} : {x.type} to {shaped('tensor', shape)}")

    def transpose(self, x, order):
        into = self.empty(*[x.shape[d] for d in order])
        return self.tensor(into.shape, f"linalg.transpose ins({x.typed}) outs({into.typed}) "
                                       f"permutation = {order}")

    def concat(self, x, y):
        """Along the last dimension."""
        shape, at = (*x.shape[:-1], x.shape[-1] + y.shape[-1]), 0
        into = self.empty(*shape)
        for part in (x, y):
            offsets, ones = [0] * (len(shape) - 1) + [at], [1] * len(shape)
            into = self.tensor(shape, f"tensor.insert_slice {part.name} into {into.name}{offsets} "
                                      f"{list(part.shape)} {ones} : {part.type} into {into.type}")
            at += part.shape[-1]
        return into

    # ---- Layers

    def biased(self, x, activation):
        last = f"d{len(x.shape) - 1}"
        return self.pointwise(lambda a, b: activation(a + b), x, (self.bias(x.shape[-1]), [last]))

    def window(self, op, x, weight, stride, activation, padding=None):
        n, h, w, _ = x.shape
        kernel, channels = weight.shape[0], weight.shape[-1]
        padding = kernel // 2 if padding is None else padding
        size = [(extent + 2 * padding - kernel) // stride + 1 for extent in (h, w)]
        padded = self.pad(x, padding) if padding else x
        sums = self.named(op, [padded, weight], self.filled(0.0, n, *size, channels),
                          f" {{strides = dense<{stride}> : tensor<2xi64>}}")
        return self.biased(sums, activation)

    def conv(self, x, channels, kernel=1, stride=1, activation=linear, padding=None):
        taps = kernel * kernel * x.shape[-1]
        weight = self.weight(kernel, kernel, x.shape[-1], channels, fan_in=taps)
        return self.window("conv_2d_nhwc_hwcf", x, weight, stride, activation, padding)

    def depthwise(self, x, stride, activation):
        weight = self.weight(3, 3, x.shape[-1], fan_in=9)
        return self.window("depthwise_conv_2d_nhwc_hwc", x, weight, stride, activation)

    def dense(self, x, units, activation=linear):
        rows, columns = x.shape
        weight = self.weight(columns, units, fan_in=columns)
        return self.biased(self.named("matmul", [x, weight], self.filled(0.0, rows, units)),
                           activation)

    def spatial_mean(self, x):
        _, h, w, _ = x.shape
        total = self.reduce(x, [0, 3], 0.0, lambda a, total: total + a)
        return self.pointwise(lambda a: a * (1 / (h * w)), total)

    def max_pool(self, x):
        n, h, w, c = x.shape
        return self.named("pooling_nhwc_max", [x, self.empty(2, 2)],
                          self.filled(-math.inf, n, h // 2, w // 2, c),
                          " {strides = dense<2> : tensor<2xi64>}")

    def upsample(self, x):
        """To twice the size, each pixel four times."""
        n, h, w, c = x.shape
        halved = ["d0", "d1 floordiv 2", "d2 floordiv 2", "d3"]
        return self.generic([x], [halved], self.empty(n, 2 * h, 2 * w, c), dims(4), linear)

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
            centred, (squares, ["d0"]), (gain, ["d1"]), (self.bias(columns), ["d1"]))

    def heads(self, x, count, order):
        """[rows, columns] as [rows, count, columns / count], transposed to the order."""
        shape = (x.shape[0], count, x.shape[1] // count)
        split = self.tensor(shape, f"tensor.expand_shape {x.name} [[0], [1, 2]] output_shape "
                                   f"{list(shape)} : {x.type} into {shaped('tensor', shape)}")
        return self.transpose(split, order)

    def attention(self, x, heads):
        rows, columns = x.shape
        queries = self.heads(self.dense(x, columns), heads, [1, 0, 2])
        keys = self.heads(self.dense(x, columns), heads, [1, 2, 0])
        values = self.heads(self.dense(x, columns), heads, [1, 0, 2])
        scores = self.named("batch_matmul", [queries, keys], self.filled(0.0, heads, rows, rows))
        scaled = self.pointwise(lambda a: a * (columns // heads) ** -0.5, scores)
        mixed = self.named("batch_matmul", [self.softmax(scaled), values],
                           self.filled(0.0, *values.shape))
        joined = self.transpose(mixed, [1, 0, 2])
        flat = self.tensor(x.shape, f"tensor.collapse_shape {joined.name} [[0], [1, 2]] : "
                                    f"{joined.type} into {x.type}")
        return self.dense(flat, columns)


def demand(condition, message):
    if not condition:
        sys.exit(f"generate.py: {message}")


# ---- The networks ---------------------------------------------------------------------------


def mobilenetv2(args):
    """Sandler et al., 2018, table 2."""
    def channels(count):
        """Scaled by the width, to a multiple of 8, and not below nine tenths."""
        scaled = count * args.width
        rounded = max(8, int(scaled + 4) // 8 * 8)
        return rounded if rounded >= 0.9 * scaled else rounded + 8

    def bottleneck(x, expansion, out, stride):
        y = net.conv(x, x.shape[-1] * expansion, activation=relu6) if expansion > 1 else x
        y = net.conv(net.depthwise(y, stride, relu6), out)
        return net.add(x, y) if stride == 1 and x.shape == y.shape else y

    net = Network(1, args.size, args.size, 3)
    x = net.conv(net.input, channels(32), 3, 2, relu6)
    for expansion, count, repeats, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                              (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                              (6, 320, 1, 1)]:
        for i in range(repeats):
            x = bottleneck(x, expansion, channels(count), stride if i == 0 else 1)
    x = net.conv(x, channels(1280) if args.width > 1 else 1280, activation=relu6)
    return net, net.dense(net.spatial_mean(x), args.classes)


def transformer(args):
    """The encoder of Vaswani et al., 2017, as in BERT: GELU, normalization after each sum."""
    demand(args.hidden % args.heads == 0, "--hidden must be a multiple of --heads")
    net = Network(args.sequence, args.hidden)
    x = net.input
    for _ in range(args.layers):
        x = net.layer_norm(net.add(x, net.attention(x, args.heads)))
        wide = net.dense(x, 4 * args.hidden, gelu)
        x = net.layer_norm(net.add(x, net.dense(wide, args.hidden)))
    return net, x


def unet(args):
    """After Ronneberger et al., 2015: padded convolutions, nearest-neighbour upsampling."""
    def twice(x, channels):
        return net.conv(net.conv(x, channels, 3, activation=relu), channels, 3, activation=relu)

    demand(args.size % 2 ** args.levels == 0, "--size must be a multiple of 2 ** --levels")
    net = Network(1, args.size, args.size, 3)
    x, skips, channels = net.input, [], args.channels
    for _ in range(args.levels):
        skips.append(twice(x, channels))
        x, channels = net.max_pool(skips[-1]), 2 * channels
    x = twice(x, channels)
    while skips:
        channels //= 2
        x = net.conv(net.upsample(x), channels)
        x = twice(net.concat(skips.pop(), x), channels)
    return net, net.conv(x, args.classes)


def lenet(args):
    """LeCun et al., 1998: two convolutions without padding, two pools, three dense layers."""
    net = Network(args.batch, 32, 32, 1)
    x = net.max_pool(net.conv(net.input, 6, kernel=5, activation=relu, padding=0))
    x = net.max_pool(net.conv(x, 16, kernel=5, activation=relu, padding=0))
    flat = Tensor("", (args.batch, 400))
    x = net.tensor(flat.shape, f"tensor.collapse_shape {x.name} [[0], [1, 2, 3]] : {x.type} "
                               f"into {flat.type}")
    return net, net.dense(net.dense(net.dense(x, 120, relu), 84, relu), 10)


def attention(args):
    """One attention of Vaswani et al., 2017, with its four projections."""
    demand(args.hidden % args.heads == 0, "--hidden must be a multiple of --heads")
    net = Network(args.sequence, args.hidden)
    return net, net.attention(net.input, args.heads)


def mlp(args):
    """Dense layers and a softmax."""
    net = Network(Dynamic(args.batch) if args.dynamic else args.batch, args.inputs)
    x = net.input
    for _ in range(args.layers):
        x = net.dense(x, args.hidden, relu)
    return net, net.softmax(net.dense(x, args.classes))


# ---- The program around a network -----------------------------------------------------------

FILL = """\
// offset + range * u, u in [-1, 1) hashed from the index and the seed.
func.func private @fill(%into: memref<?xf32>, %seed: i32, %range: f32, %offset: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %shift = arith.constant 15 : i32
  %odd = arith.constant 739982445 : i32
  %unit = arith.constant 4.65661287e-10 : f32
  %size = memref.dim %into, %c0 : memref<?xf32>
  scf.for %i = %c0 to %size step %c1 {
    %index = arith.index_cast %i : index to i32
    %h0 = arith.addi %index, %seed : i32
    %h1 = arith.muli %h0, %odd : i32
    %h2 = arith.shrui %h1, %shift : i32
    %h3 = arith.xori %h1, %h2 : i32
    %h4 = arith.muli %h3, %odd : i32
    %h5 = arith.shrui %h4, %shift : i32
    %h6 = arith.xori %h4, %h5 : i32
    %hash = arith.sitofp %h6 : i32 to f32
    %u = arith.mulf %hash, %unit : f32
    %scaled = arith.mulf %u, %range : f32
    %value = arith.addf %scaled, %offset : f32
    memref.store %value, %into[%i] : memref<?xf32>
  }
  return
}
"""

# FNV-1a over the words of the output.
MAIN = """\
func.func private @rtclock() -> f64

func.func @main() {{
  call @fill_all() : () -> ()
  %memory = memref.get_global @input : {input_memref}
  {input_name} = bufferization.to_tensor %memory restrict : {input_memref} to {static_input}
{cast_input}  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %runs = arith.constant {runs} : index
  %size = arith.constant {size} : index
  %basis = arith.constant -3750763034362895579 : i64
  %prime = arith.constant 1099511628211 : i64
  scf.for %run = %c0 to %runs step %c1 {{
    %start = func.call @rtclock() : () -> f64
    %output = func.call @forward(%input) : ({input}) -> {output}
    %end = func.call @rtclock() : () -> f64
    %seconds = arith.subf %end, %start : f64
    vector.print str "# seconds "
    vector.print %seconds : f64
{cast_output}    %flat = tensor.collapse_shape {result} {all} : {static_output} into tensor<{size}xf32>
    %hash = scf.for %i = %c0 to %size step %c1 iter_args(%h = %basis) -> (i64) {{
      %element = tensor.extract %flat[%i] : tensor<{size}xf32>
      %bits = arith.bitcast %element : f32 to i32
      %word = arith.extui %bits : i32 to i64
      %mixed = arith.xori %h, %word : i64
      %next = arith.muli %mixed, %prime : i64
      scf.yield %next : i64
    }}
    vector.print %hash : i64
    %first = tensor.extract %flat[%c0] : tensor<{size}xf32>
    vector.print %first : f32
  }}
  return
}}
"""


def fill_call(number, symbol, shape, spread, offset):
    held, flat = shaped("memref", shape), shaped("memref", [math.prod(shape)])
    return f"""\
  %held{number} = memref.get_global {symbol} : {held}
  %flat{number} = memref.reinterpret_cast %held{number} to offset: [0],
    sizes: [{math.prod(shape)}], strides: [1] : {held} to {flat}
  %into{number} = memref.cast %flat{number} : {flat} to memref<?xf32>
  %seed{number} = arith.constant {(number + 1) * 1000003} : i32
  %range{number} = arith.constant {float_constant(spread)}
  %offset{number} = arith.constant {float_constant(offset)}
  call @fill(%into{number}, %seed{number}, %range{number}, %offset{number})
    : (memref<?xf32>, i32, f32, f32) -> ()
"""


def fixed(kind, shape):
    """The type with the sizes that main runs the program with."""
    return shaped(kind, [int(size) for size in shape])


def main_function(input, output, runs):
    static_input, static_output = fixed("tensor", input.shape), fixed("tensor", output.shape)
    casts = input.type != static_input
    return MAIN.format(
        input=input.type, output=output.type, runs=runs, static_input=static_input,
        static_output=static_output, input_memref=fixed("memref", input.shape),
        input_name="%static" if casts else "%input", result="%fixed" if casts else "%output",
        cast_input=f"  %input = tensor.cast %static : {static_input} to {input.type}\n" * casts,
        cast_output=f"    %fixed = tensor.cast %output : {output.type} to {static_output}\n" * casts,
        size=math.prod(output.shape), all=[list(range(len(output.shape)))])


def program(network, output, runs):
    data = [*network.weights, ("@input", tuple(map(int, network.input.shape)), 1.0, 0.0)]
    for symbol, shape, *_ in data:
        yield f'memref.global "private" {symbol} : {shaped("memref", shape)} = uninitialized\n'
    yield f"\nfunc.func @forward({network.input.typed}) -> {output.type} {{\n"
    yield from (f"  {op}\n" for op in network.ops)
    yield f"  return {output.typed}\n}}\n\n{FILL}\nfunc.func private @fill_all() {{\n"
    yield from (fill_call(number, *datum) for number, datum in enumerate(data))
    yield "  return\n}\n\n"
    yield main_function(network.input, output, runs)


# Name, and for each option its default and meaning.
NETWORKS = {
    mobilenetv2: {"size": (224, "height and width of the image"),
                  "width": (1.0, "multiplier of the channels"),
                  "classes": (1000, "units of the last layer")},
    transformer: {"layers": (2, "encoder layers"), "sequence": (128, "tokens"),
                  "hidden": (256, "width of a token"), "heads": (4, "attention heads")},
    unet: {"size": (64, "height and width of the image, a multiple of 2 ** levels"),
           "channels": (16, "of the first level"), "levels": (3, "times the image is halved"),
           "classes": (4, "channels of the output")},
    lenet: {"batch": (1, "images")},
    attention: {"sequence": (128, "tokens"), "hidden": (256, "width of a token"),
                "heads": (4, "attention heads")},
    mlp: {"dynamic": (0, "1: the number of rows is known at run time only"), "batch": (16, "rows"), "inputs": (784, "columns"), "hidden": (512, "units of a layer"),
          "layers": (4, "hidden layers"), "classes": (10, "units of the last layer")},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    networks = parser.add_subparsers(required=True, metavar="NETWORK")
    for build, options in NETWORKS.items():
        one = networks.add_parser(build.__name__, help=(build.__doc__ or "").strip())
        one.set_defaults(build=build)
        for name, (default, meaning) in options.items():
            one.add_argument(f"--{name}", type=type(default), default=default,
                             help=f"{meaning} (default: {default})")
        one.add_argument("--runs", type=int, default=1, help="times main runs it (default: 1)")
    args = parser.parse_args()
    network, output = args.build(args)
    sys.stdout.writelines(program(network, output, args.runs))


if __name__ == "__main__":
    main()
