# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers on images: rank 4, channels last or first."""

from fuzz.net_gen import knobs
from fuzz.net_gen.elements import Body, is_float
from fuzz.net_gen.layers import layer
from fuzz.net_gen.numbers import function_of, reduced


def sizes(x):
    """Batch, rows, columns, channels."""
    n, a, b, c = x.shape
    return (n, b, c, a) if x.channels_first else x.shape


def image(x, n, h, w, c):
    """The shape of an image with the layout of x."""
    return (n, c, h, w) if x.channels_first else (n, h, w, c)


class Window:
    """Of a kernel, per dimension: size, stride, dilation, and what is padded."""

    def __init__(self, gen, extents, same=False, stride=None, kernel=None):
        pick = gen.rng.pick
        self.kernel = kernel or [pick([1, 2, 3, 3, 5]) for _ in extents]
        self.stride = [1 if same else stride or pick([1, 1, 1, 2, 3]) for _ in extents]
        self.dilation = [pick([1, 1, 1, 2]) for _ in extents]
        spans = [(k - 1) * d for k, d in zip(self.kernel, self.dilation)]
        around = [self.around(gen, e, span, same) for e, span in zip(extents, spans)]
        self.low, self.high = zip(*around)
        self.out = [(e + low + high - span - 1) // s + 1
                    for e, (low, high), span, s in zip(extents, around, spans, self.stride)]  # fmt: skip

    def around(self, gen, extent, span, same):
        low, high = gen.rng.pick([(span // 2, span - span // 2), (0, 0), (span, 0),
                                  (gen.rng.below(3), gen.rng.below(3))])  # fmt: skip
        if same:
            low, high = span // 2, span - span // 2
        return low, high + max(0, span + 1 - extent - low - high)

    @property
    def attributes(self):
        return (f"{{dilations = dense<{self.dilation}> : tensor<{len(self.dilation)}xi64>, "
                f"strides = dense<{self.stride}> : tensor<{len(self.stride)}xi64>}} ")  # fmt: skip


def padded(gen, x, window, edge=None):
    if not (any(window.low) or any(window.high)):
        return x
    n, h, w, c = sizes(x)
    low, high = image(x, 0, *window.low, 0), image(x, 0, *window.high, 0)
    shape = [size + a + b for size, a, b in zip(x.shape, low, high)]
    if not gen.fits(*shape):
        return None
    if edge is None:
        edge = gen.rng.weighted([(0, 6), (1, 1), (-2, 1)])
    return gen.make("pad", [x], shape, x.element, x.bound if isinstance(edge, str) else max(x.bound, 2), x, low=low,
                    high=high, edge=edge)  # fmt: skip


def into(gen, shape, element, channel):
    """What sums start from: zero, a number, a bias per channel, or what is there."""
    way = gen.rng.weighted([("zero", 6), ("number", 1.5), ("bias", 1.5), ("value", 1.5)])
    if way == "value":
        there = gen.pick(accept=lambda v: v.shape == tuple(shape) and v.element == element)
        if there:
            return [there], {"start": "onto"}, there.bound
    if way == "bias":
        bias = gen.weight(shape[channel], element=element)
        made = gen.make("named", [bias], shape, element, 1, op="broadcast", inferred=True,
                        after=f" dimensions = {[d for d in range(len(shape)) if d != channel]}")  # fmt: skip
        return [gen.hidden(made)], {"start": "onto"}, 1
    return [], {"start": 0 if way == "zero" else gen.rng.pick([1, -3])}, 3


def sums_of(gen, element):
    """The element type of sums."""
    return "i32" if element == "i8" and gen.rng.chance(0.8) else element


def products(gen, op, x, weight, shape, window):
    element = sums_of(gen, x.element)
    start, attrs, begin = into(gen, shape, element, 1 if x.channels_first else 3)
    taps = weight.size // (shape[1] if x.channels_first else shape[3]) or 1
    made = gen.make("named", [x, weight, *start], shape, element, x.bound * taps + begin, x, op=op,
                    before=window.attributes, **attrs)  # fmt: skip
    return settled(gen, made)


def settled(gen, x):
    if x.element == "i32" and gen.usual == "i8" and gen.rng.chance(0.7):
        return requantized(gen, x)
    return gen.settled(x)


def requantized(gen, x):
    """Multiplied, rounded, shifted, clamped: 8 bits of 32."""
    low = gen.rng.pick([-128, 0])

    def function(b, e):
        wide = b.line(f"arith.extsi {e[0]} : i32 to i64")
        product = b.line(f"arith.muli {wide}, {b.line('arith.constant 1503238553 : i64')} : i64")
        rounded = b.line(f"arith.addi {product}, {b.line('arith.constant 8589934592 : i64')} : i64")
        shifted = b.line(f"arith.shrsi {rounded}, {b.line('arith.constant 34 : i64')} : i64")
        above = b.line(f"arith.maxsi {shifted}, {b.line(f'arith.constant {low} : i64')} : i64")
        below = b.line(f"arith.minsi {above}, {b.line('arith.constant 127 : i64')} : i64")
        return b.line(f"arith.trunci {below} : i64 to i8")

    return gen.elementwise([x], "i8", 0, function)


def convolved(gen, x, channels=None, **window):
    n, h, w, before = sizes(x)
    channels = channels or gen.rng.pick(knobs.CHANNELS)
    win = Window(gen, (h, w), **window)
    shape = image(x, n, *win.out, channels)
    source = gen.fits(*shape) and padded(gen, x, win)
    if not source:
        return None
    op, weights = "conv_2d_nhwc_hwcf", (*win.kernel, before, channels)
    if x.channels_first:
        op, weights = "conv_2d_nchw_fchw", (channels, before, *win.kernel)
    return products(gen, op, source, gen.weight(*weights, element=x.element), shape, win)


def apart(gen, x, **window):
    """Each channel on its own."""
    n, h, w, c = sizes(x)
    win = Window(gen, (h, w), **window)
    shape = image(x, n, *win.out, c)
    source = gen.fits(*shape) and padded(gen, x, win)
    if not source:
        return None
    op, weights = "depthwise_conv_2d_nhwc_hwc", (*win.kernel, c)
    if x.channels_first:
        op, weights = "depthwise_conv_2d_nchw_chw", (c, *win.kernel)
    return products(gen, op, source, gen.weight(*weights, element=x.element), shape, win)


def pooled(gen, x, **window):
    n, h, w, c = sizes(x)
    win = Window(gen, (h, w), **window)
    shape = image(x, n, *win.out, c)
    kinds = ["max", "sum"] if x.channels_first else ["max", "sum", "min"]
    kind = gen.rng.pick(kinds)
    start = {"max": "least", "sum": 0, "min": "greatest"}[kind]
    if is_float(x.element) and kind != "sum" and (any(win.low) or any(win.high)):
        start = gen.rng.pick([-2, 1])  # a window in what was padded alone is no infinity
    source = gen.fits(*shape) and padded(gen, x, win, start)
    if not source:
        return None
    layout = "nchw" if x.channels_first else "nhwc"
    bound = x.bound * (win.kernel[0] * win.kernel[1] if kind == "sum" else 1)
    made = gen.make("named", [source], shape, x.element, max(bound, 2), x, op=f"pooling_{layout}_{kind}",
                    before=win.attributes, windows=tuple(win.kernel), start=start)  # fmt: skip
    return gen.settled(made)


def added(gen, x, y):
    y = gen.converted(y, x.element)
    if x.shape != y.shape:
        return None
    return gen.settled(gen.elementwise([x, y], x.element, x.bound + y.bound, lambda b, e: b.op("add", x.element, *e)))


@layer
def conv(gen):
    return convolved(gen, gen.image())


@layer
def depthwise(gen):
    return apart(gen, gen.image())


@layer
def pool(gen):
    return pooled(gen, gen.image())


@layer
def offset_conv(gen):
    """Of numbers of 8 bits whose zero is another number."""
    x = gen.pick(4, accept=lambda v: v.element == "i8" and not v.channels_first)
    if not x:
        return None
    n, h, w, before = x.shape
    win, channels = Window(gen, (h, w)), gen.rng.pick(knobs.CHANNELS)
    points = (gen.rng.between(-9, 9), gen.rng.between(-2, 2))
    shape = (n, *win.out, channels)
    source = gen.fits(*shape) and padded(gen, x, win, points[0])
    if not source:
        return None
    weight = gen.weight(*win.kernel, before, channels, element="i8")
    return settled(gen, gen.make("named", [source, weight], shape, "i32", like=x, op="conv_2d_nhwc_hwcf_q", points=points,
                                 before=win.attributes, start=0))  # fmt: skip


@layer
def multiplied(gen):
    """Each channel on its own, two results of each."""
    x = gen.pick(4, accept=lambda v: not v.channels_first)
    if not x:
        return None
    n, h, w, c = x.shape
    win = Window(gen, (h, w))
    shape = (n, *win.out, c, 2)
    source = gen.fits(*shape) and padded(gen, x, win)
    if not source:
        return None
    weight, element = gen.weight(*win.kernel, c, 2, element=x.element), sums_of(gen, x.element)
    sums = gen.make("named", [source, weight], shape, element, x.bound * win.kernel[0] * win.kernel[1],
                    op="depthwise_conv_2d_nhwc_hwcm", before=win.attributes, start=0)  # fmt: skip
    return settled(gen, gen.make("collapse", [gen.hidden(sums)], (*shape[:3], 2 * c), element, sums.bound,
                                 groups=[[0], [1], [2], [3, 4]]))  # fmt: skip


@layer
def rows_conv(gen):
    """[batch, rows, channels], or channels before rows."""
    x = gen.rows(3)
    first, channels = gen.rng.chance(0.4), gen.rng.pick(knobs.CHANNELS)
    n, h, c = (x.shape[0], x.shape[2], x.shape[1]) if first else x.shape
    win = unpadded(gen, [h])
    shape = (n, channels, *win.out) if first else (n, *win.out, channels)
    if not gen.fits(*shape):
        return None
    weight = gen.weight(*((channels, c, *win.kernel) if first else (*win.kernel, c, channels)), element=x.element)
    return settled(gen, gen.make("named", [x, weight], shape, sums_of(gen, x.element), x.bound * c * win.kernel[0],
                                 op="conv_1d_ncw_fcw" if first else "conv_1d_nwc_wcf", before=win.attributes,
                                 start=gen.rng.pick([0, 2])))  # fmt: skip


@layer
def rows_pool(gen):
    x = gen.rows(3)
    first, kind = gen.rng.chance(0.4), gen.rng.pick(["max", "sum"])
    n, h, c = (x.shape[0], x.shape[2], x.shape[1]) if first else x.shape
    win = unpadded(gen, [h])
    return gen.settled(gen.make("named", [x], (n, c, *win.out) if first else (n, *win.out, c), x.element,
                                x.bound * win.kernel[0], op=f"pooling_{'ncw' if first else 'nwc'}_{kind}",
                                before=win.attributes, windows=tuple(win.kernel),
                                start="least" if kind == "max" else 0))  # fmt: skip


def unpadded(gen, extents):
    """A window that fits."""
    win = Window(gen, extents, kernel=[gen.rng.between(1, min(3, e)) for e in extents])
    win.dilation, win.low, win.high = [1] * len(extents), (0,) * len(extents), (0,) * len(extents)
    win.out = [(e - k) // s + 1 for e, k, s in zip(extents, win.kernel, win.stride)]
    return win


@layer
def separable(gen):
    x = apart(gen, gen.image())
    return x and convolved(gen, x, kernel=[1, 1], same=True)


@layer
def two_windows(gen):
    x = gen.image()
    first = convolved(gen, x, 2, same=True)
    second = convolved(gen, x, 2, same=True)
    return first and second and added(gen, first, second)


@layer
def residual(gen):
    x = y = gen.image()
    for _ in range(gen.rng.between(1, 3)):
        way = gen.rng.pick(["conv", "depthwise", "unary"])
        if way == "conv":
            y = convolved(gen, y, sizes(x)[3], same=True)
        elif way == "depthwise":
            y = apart(gen, y, same=True)
        else:
            y = function_of(gen, y)
        if y is None:
            return None
    return added(gen, x, y)


@layer
def branches(gen):
    x = gen.image()
    stride, channels = gen.rng.pick([2, 3]), gen.rng.pick(knobs.CHANNELS)
    n, h, w, c = sizes(x)
    short = convolved(gen, x, channels, kernel=[1, 1], same=True)
    if not short:
        return None
    strides = image(x, 1, stride, stride, 1)
    kept = [-(-size // s) for size, s in zip(short.shape, strides)]
    short = gen.make("slice", [short], kept, short.element, short.bound, short, offsets=(0,) * 4, sizes=kept, strides=strides)
    long = convolved(gen, x, channels, same=True)
    if not long or not gen.fits(*long.shape):
        return None
    long = gen.make("slice", [long], kept, long.element, long.bound, long, offsets=(0,) * 4, sizes=kept,
                    strides=strides) if gen.rng.chance(0.4) else strided(gen, x, channels, stride)  # fmt: skip
    return long and added(gen, short, long)


def strided(gen, x, channels, stride):
    """3 x 3 with one row around: as many rows as every stride-th."""
    n, h, w, c = sizes(x)
    win = Window(gen, (h, w), kernel=[3, 3], stride=stride)
    win.dilation, win.low, win.high = [1, 1], (1, 1), (1, 1)
    shape = image(x, n, *[(e - 1) // stride + 1 for e in (h, w)], channels)
    source = padded(gen, x, win)
    if not source:
        return None
    op, weights = "conv_2d_nhwc_hwcf", (3, 3, c, channels)
    if x.channels_first:
        op, weights = "conv_2d_nchw_fchw", (channels, c, 3, 3)
    return products(gen, op, source, gen.weight(*weights, element=x.element), shape, win)


@layer
def pointwise_conv(gen):
    x = gen.pick(4, accept=lambda v: not v.channels_first)
    if not x:
        return None
    n, h, w, c = x.shape
    channels, groups = gen.rng.pick(knobs.CHANNELS), [[0, 1, 2], [3]]
    if not gen.fits(n, h, w, channels):
        return None
    flat = gen.make("collapse", [x], (n * h * w, c), x.element, x.bound, groups=groups)
    element = sums_of(gen, x.element)
    start, attrs, begin = into(gen, (n * h * w, channels), element, 1)
    sums = gen.make("named", [flat, gen.weight(c, channels, element=x.element), *start], (n * h * w, channels), element,
                    x.bound * c + begin, op="matmul", **attrs)  # fmt: skip
    return settled(gen, gen.make("expand", [sums], (n, h, w, channels), element, sums.bound, groups=groups))


@layer
def upsample(gen):
    return larger(gen, gen.image())


def larger(gen, x):
    """Twice the rows and columns: nearest neighbour, zeros between, or a transposed convolution."""
    n, h, w, c = sizes(x)
    shape = image(x, n, 2 * h, 2 * w, c)
    if not gen.fits(*shape):
        return None
    way = gen.rng.pick(["nearest", "zeros", "transposed"])
    if way == "zeros":
        where = {"offsets": (0,) * 4, "sizes": x.shape, "strides": image(x, 1, 2, 2, 1)}
        return gen.make("insert", [x], shape, x.element, x.bound, x, start=0, regions=[where])
    if way == "transposed" and not x.channels_first:
        return up_conv(gen, x)
    twice = image(x, 0, 1, 1, 0)
    halved = [f"d{d} floordiv 2" if twice[d] else f"d{d}" for d in range(4)]
    return gen.generic([x], [halved, [f"d{d}" for d in range(4)]], ["parallel"] * 4, shape, x.element, Body(), "%a0",
                       x.bound, x)  # fmt: skip


def up_conv(gen, x):
    n, h, w, c = x.shape
    element, body = sums_of(gen, x.element), Body()
    product = body.op("mul", element, body.cast("%a0", x.element, element), body.cast("%a1", x.element, element))
    total = body.op("add", element, "%o0", product)
    maps = [["d0", "d1", "d3", "d6"], ["d2", "d4", "d6", "d5"], ["d0", "d1", "d2", "d3", "d4", "d5"]]
    sums = gen.generic([x, gen.weight(2, 2, c, c, element=x.element)], maps, ["parallel"] * 6 + ["reduction"],
                       (n, h, 2, w, 2, c), element, body, total, x.bound * c, start=0)  # fmt: skip
    made = gen.make("collapse", [gen.hidden(sums)], (n, 2 * h, 2 * w, c), element, sums.bound,
                    groups=[[0], [1, 2], [3, 4], [5]])  # fmt: skip
    return settled(gen, made)


@layer
def skip(gen):
    """Down, up again, and beside what was there."""
    x = gen.image()
    n, h, w, c = sizes(x)
    if h < 2 or w < 2:
        return None
    win = Window(gen, (h, w), kernel=[2, 2], stride=2)
    win.dilation, win.low, win.high, win.out = [1, 1], (0, 0), (0, 0), [h // 2, w // 2]
    layout = "nchw" if x.channels_first else "nhwc"
    small = gen.make("named", [x], image(x, n, h // 2, w // 2, c), x.element, x.bound, x, start="least",
                     op=f"pooling_{layout}_max", before=win.attributes, windows=(2, 2))  # fmt: skip
    inner = convolved(gen, small, c, same=True)
    y = inner and larger(gen, inner)
    if not y:
        return None
    y = gen.converted(y, x.element)
    if y.shape != x.shape:
        x = gen.make("slice", [x], y.shape, x.element, x.bound, x, offsets=(0,) * 4, sizes=y.shape, strides=(1,) * 4)
    channel = 1 if x.channels_first else 3
    return joined(gen, [x, y], channel)


def joined(gen, parts, dim):
    shape = list(parts[0].shape)
    shape[dim] = sum(p.shape[dim] for p in parts)
    if not gen.fits(*shape):
        return None
    bound, like = max(p.bound for p in parts), parts[0]
    if gen.rng.chance(0.4):
        return gen.make("concat", parts, shape, like.element, bound, like, dim=dim)
    regions, at = [], 0
    for p in parts:
        offsets = [0] * p.rank
        offsets[dim] = at
        regions.append({"offsets": offsets, "sizes": p.shape, "strides": (1,) * p.rank})
        at += p.shape[dim]
    order = gen.rng.shuffled(range(len(parts)))
    start = gen.rng.weighted([("empty", 4), (0, 1), (3, 1)])
    return gen.make("insert", [parts[i] for i in order], shape, like.element, max(bound, 3), like, start=start,
                    regions=[regions[i] for i in order])  # fmt: skip


@layer
def global_pool(gen):
    x = gen.image()
    return reduced(gen, x, [2, 3] if x.channels_first else [1, 2])


@layer
def loose_conv(gen):
    """A generic: windows along any dimensions, loops and results in any order."""
    return windowed_by(gen, lambda x: ([0] * x.rank, [False] * x.rank))


@layer
def backward_conv(gen):
    """The same with indices that have constants, along any dimensions, and windows that may go backwards."""
    def ways(x):
        return [gen.rng.below(min(2, size - 1) + 1) for size in x.shape], [gen.rng.chance(0.6) for _ in x.shape]

    return windowed_by(gen, ways)


def windowed_by(gen, ways):
    x = gen.pick(least=1, accept=lambda v: v.rank <= 4)
    if not x:
        return None
    windowed = [d for d in range(x.rank) if gen.rng.chance(0.5)] or [gen.rng.below(x.rank)]
    win = Window(gen, [x.shape[d] for d in windowed], same=False)
    win.low = win.high = (0,) * len(windowed)
    spans = [(k - 1) * d for k, d in zip(win.kernel, win.dilation)]
    first, backwards = ways(x)
    if any(span + first[d] >= x.shape[d] for span, d in zip(spans, windowed)):
        return None
    loops = [f"o{d}" for d in range(x.rank)] + [f"k{i}" for i in range(len(windowed))]
    loops = loops if gen.rng.chance(0.5) else gen.rng.shuffled(loops)
    name = {loop: f"d{i}" for i, loop in enumerate(loops)}
    read, shape = [name[f"o{d}"] for d in range(x.rank)], [size - first[d] for d, size in enumerate(x.shape)]
    for i, d in enumerate(windowed):
        read[d] = f"{name[f'o{d}']} * {win.stride[i]} {'-' if backwards[d] else '+'} {name[f'k{i}']} * {win.dilation[i]}"
        shape[d] = (shape[d] - spans[i] - 1) // win.stride[i] + 1
        first[d] += spans[i] if backwards[d] else 0
    read = [f"{index} + {c}" if c else index for index, c in zip(read, first)]
    order = gen.rng.shuffled(range(x.rank)) if gen.rng.chance(0.3) else list(range(x.rank))
    element, body = sums_of(gen, x.element), Body()
    weight = gen.weight(*win.kernel, element=x.element)
    product = body.op("mul", element, body.cast("%a0", x.element, element), body.cast("%a1", x.element, element))
    total = body.op("add", element, "%o0", product)
    maps = [read, [name[f"k{i}"] for i in range(len(windowed))], [name[f"o{d}"] for d in order]]
    kinds = ["reduction" if loop[0] == "k" else "parallel" for loop in loops]
    made = gen.generic([x, weight], maps, kinds, [shape[d] for d in order], element, body, total,
                       x.bound * weight.size + 3, x, start=gen.rng.pick([0, 0, 2]))  # fmt: skip
    return settled(gen, made)
