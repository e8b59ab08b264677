# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks with branches: their ops can run in many orders. As published, but for what a docstring says. Ops are in
the order in which the papers' figures and most code have them: level by level."""

from networks.layers import Network
from networks.ops import demand, relu


def scaled(channels, width):
    return max(1, round(channels * width))


# ---- Inception ------------------------------------------------------------------------------

# Of each module: 1 x 1; 3 x 3 after 1 x 1; 5 x 5 after 1 x 1; 1 x 1 after the pool.
GOOGLENET = {
    "3a": (64, 96, 128, 16, 32, 32), "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64), "4b": (160, 112, 224, 24, 64, 64), "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64), "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128), "5b": (384, 192, 384, 48, 128, 128),
}  # fmt: skip


def inception(args):
    """GoogLeNet of Szegedy et al., 2014, table 1, without its auxiliary classifiers."""
    def conv(x, channels, *more):
        return net.conv(x, scaled(channels, args.width), *more, activation=relu)

    def module(x, one, three_in, three, five_in, five, pooled):
        inner = [conv(x, three_in), conv(x, five_in), net.max_pool(x, 3, padding=1, stride=1)]
        outer = [conv(x, one), conv(inner[0], three, 3), conv(inner[1], five, 5), conv(inner[2], pooled)]
        return net.concat(outer, net.channel)

    net = Network.of_images(args, args.size, args.size, 3)
    x = net.max_pool(conv(net.input, 64, 7, 2), 3, padding=1)
    x = net.max_pool(conv(conv(x, 64), 192, 3), 3, padding=1)
    for name, channels in GOOGLENET.items():
        x = module(x, *channels)
        if name in ("3b", "4e"):
            x = net.max_pool(x, 3, padding=1)
    return net, net.dense(net.spatial_mean(x), args.classes)


# ---- DenseNet -------------------------------------------------------------------------------


def densenet(args):
    """DenseNet-121 of Huang et al., 2016, table 1: each layer reads all before it in its block, joined anew."""
    net = Network.of_images(args, args.size, args.size, 3)
    growth = args.growth
    x = net.max_pool(net.conv(net.input, 2 * growth, 7, 2, relu), 3, padding=1)
    for block, layers in enumerate((6, 12, 24, 16)):
        parts = [x]
        for _ in range(max(1, layers // args.shorter)):
            joined = net.concat(parts, net.channel)
            parts.append(net.conv(net.conv(joined, 4 * growth, activation=relu), growth, 3, 1, relu))
        x = net.concat(parts, net.channel)
        if block < 3:
            x = net.max_pool(net.conv(x, net.sizes(x)[3] // 2, activation=relu))
    return net, net.dense(net.spatial_mean(x), args.classes)


# ---- NASNet ---------------------------------------------------------------------------------

# Of each pair: op and input, twice; 0 is the cell before, 1 the one before that, then the pairs' sums.
NORMAL = [("sep3", 0, "id", 0), ("sep3", 1, "sep5", 0), ("pool", 0, "id", 1), ("pool", 1, "pool", 1),
          ("sep5", 1, "sep3", 1)]  # fmt: skip
REDUCTION = [("sep7", 1, "sep5", 0), ("pool", 0, "sep7", 1), ("pool", 0, "sep5", 1), ("pool", 0, "sep3", 2),
             ("pool", 2, "id", 3)]  # fmt: skip


def nasnet(args):
    """NASNet-A of Zoph et al., 2018, figure 4, on images of 32 x 32: cells of five pairs; every pool is a max pool."""
    def apply(op, x, channels, stride):
        if op == "id":
            return net.conv(x, channels, 1, stride) if stride > 1 else x
        if op == "pool":
            return net.max_pool(x, 3, padding=1, stride=stride)
        size = int(op[3:])
        y = net.conv(net.depthwise(x, stride, relu, size), channels, activation=relu)
        return net.conv(net.depthwise(y, 1, relu, size), channels)

    def cell(before, last, pairs, channels, stride):
        shrink = 2 if net.sizes(before)[1] > net.sizes(last)[1] else 1
        states = [net.conv(last, channels, activation=relu), net.conv(before, channels, 1, shrink, relu)]
        halves = []
        for left, i, right, k in pairs:
            halves += [apply(left, states[i], channels, stride if i < 2 else 1),
                       apply(right, states[k], channels, stride if k < 2 else 1)] if max(i, k) < 2 else [None, None]
        for at, (left, i, right, k) in enumerate(pairs):
            a, b = halves[2 * at: 2 * at + 2]
            if a is None:
                a = apply(left, states[i], channels, stride if i < 2 else 1)
                b = apply(right, states[k], channels, stride if k < 2 else 1)
            states.append(net.add(a, b))
        read = {i for _, i, _, k in pairs for i in (i, k)}
        return net.concat([s for at, s in enumerate(states) if at > 1 and at not in read], net.channel)

    net = Network.of_images(args, 32, 32, 3)
    before = last = net.conv(net.input, args.channels, 3, activation=relu)
    channels = args.channels
    for stage in range(3):
        for _ in range(args.cells):
            before, last = last, cell(before, last, NORMAL, channels, 1)
        if stage < 2:
            channels *= 2
            before, last = last, cell(before, last, REDUCTION, channels, 2)
    return net, net.dense(net.spatial_mean(last), args.classes)


# ---- Random wirings -------------------------------------------------------------------------


class Numbers:
    """The same on every machine and in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


def watts_strogatz(nodes, neighbours, percent, numbers):
    """Sources of each node: a ring of neighbours, each edge rewired with that probability; edges ascend."""
    edges = set()
    for distance in range(1, neighbours // 2 + 1):
        for i in range(nodes):
            to = (i + distance) % nodes
            if numbers.below(100) < percent:
                to = numbers.below(nodes)
                while to == i or (min(i, to), max(i, to)) in edges:
                    to = numbers.below(nodes)
            edges.add((min(i, to), max(i, to)))
    return [sorted(a for a, b in edges if b == i) for i in range(nodes)]


def randwire(args):
    """The small regime of Xie et al., 2019: stages of WS(K, P); a node adds its inputs, then ReLU and a separable
    convolution. The sum has no weights, and the wiring is by our own random numbers."""
    def stage(x, channels):
        sources, made = watts_strogatz(args.nodes, args.neighbours, args.percent, numbers), []
        for inputs in sources:
            stride = 1 if inputs else 2
            y = made[inputs[0]] if inputs else x
            for i in inputs[1:]:
                y = net.add(y, made[i])
            made.append(net.conv(net.depthwise(y, stride, relu), channels, activation=relu))
        ends = [y for i, y in enumerate(made) if not any(i in inputs for inputs in sources)]
        total = ends[0]
        for y in ends[1:]:
            total = net.add(total, y)
        return total

    demand(args.neighbours % 2 == 0 and args.neighbours < args.nodes, "--neighbours must be even and below --nodes")
    net, numbers = Network.of_images(args, args.size, args.size, 3), Numbers(args.wiring)
    x = net.conv(net.input, args.channels // 2, 3, 2, relu)
    for i in range(args.stages):
        x = stage(x, args.channels << i)
    return net, net.dense(net.spatial_mean(x), args.classes)


# ---- Cells as found by a search over graphs --------------------------------------------------

# Sources of each node of a cell; 0 is the cell's input. Nodes that none reads are joined.
SWIFTNET = [
    [[0], [0], [1, 2], [0, 1], [2, 3], [1, 4], [3, 5], [2, 6], [4, 7], [5, 6]],
    [[0], [0], [0], [1, 3], [2], [1, 5], [4, 6], [3, 5], [2, 7], [6, 8]],
    [[0], [1], [0, 1], [0], [2, 4], [3, 5], [1, 4], [5, 7], [6, 8]],
]


def swiftnet(args):
    """Three cells in the manner of SwiftNet (Cheng et al., 2019), as a visual wake word detector: nodes join what they
    read, and are separable convolutions of a few channels. The wiring is our own."""
    def cell(x, sources, channels, stride):
        made = [x]
        for inputs in sources:
            joined = net.concat([made[i] for i in inputs], net.channel) if 0 not in inputs or len(inputs) == 1 else (
                net.concat([shrunk(made[i], stride) if i == 0 else made[i] for i in inputs], net.channel))
            made.append(net.conv(net.depthwise(joined, stride if inputs == [0] else 1, relu), channels, activation=relu))
        read = {i for inputs in sources for i in inputs}
        return net.concat([y for i, y in enumerate(made) if i and i not in read], net.channel)

    def shrunk(x, stride):
        return net.max_pool(x, 3, padding=1) if stride > 1 else x

    net = Network.of_images(args, args.size, args.size, 3)
    x = net.conv(net.input, args.channels, 3, 2, relu)
    for i, sources in enumerate(SWIFTNET):
        x = cell(x, sources, args.channels << i, 1 if i == 0 else 2)
    return net, net.dense(net.spatial_mean(x), args.classes)
