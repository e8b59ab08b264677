# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks. Each function takes its options and gives the network and its output."""

from networks.branchy import densenet, inception, nasnet, randwire, swiftnet
from networks.layers import Network
from networks.ops import Dynamic, demand, gelu, relu, relu6


def scaled(channels, width):
    """To a multiple of 8, and not below nine tenths."""
    exact = channels * width
    rounded = max(8, int(exact + 4) // 8 * 8)
    return rounded if rounded >= 0.9 * exact else rounded + 8


# ---- Images ---------------------------------------------------------------------------------


def mobilenetv1(args):
    """Howard et al., 2017, table 1."""
    net = Network.of_images(args, args.size, args.size, 3, "same")
    x = net.conv(net.input, scaled(32, args.width), 3, 2, relu6)
    for channels, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
                             *[(512, 1)] * 5, (1024, 2), (1024, 1)]:
        x = net.conv(net.depthwise(x, stride, relu6), scaled(channels, args.width), activation=relu6)
    return net, net.dense(net.spatial_mean(x), args.classes)


def mobilenetv2(args):
    """Sandler et al., 2018, table 2."""
    def bottleneck(x, expansion, out, stride):
        before = net.sizes(x)[3]
        y = net.conv(x, before * expansion, activation=relu6) if expansion > 1 else x
        y = net.conv(net.depthwise(y, stride, relu6), out)
        return net.add(x, y) if stride == 1 and x.shape == y.shape else y

    rows, columns = (Dynamic(args.size) if args.dynamic == "image" else args.size for _ in range(2))
    batch = Dynamic(args.batch) if args.dynamic == "batch" else args.batch
    net = Network.of_images(args, rows, columns, 3, batch=batch)
    x = net.conv(net.input, scaled(32, args.width), 3, 2, relu6)
    for expansion, count, repeats, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                              (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                              (6, 320, 1, 1)]:
        for i in range(repeats):
            x = bottleneck(x, expansion, scaled(count, args.width), stride if i == 0 else 1)
    x = net.conv(x, scaled(1280, args.width) if args.width > 1 else 1280, activation=relu6)
    return net, net.dense(net.spatial_mean(x), args.classes)


def resnet50(args):
    """He et al., 2015, table 1; the stride is in the 3 x 3 convolution, as in most code."""
    def block(x, middle, stride):
        y = net.conv(x, middle, activation=relu)
        y = net.conv(net.conv(y, middle, 3, stride, relu), 4 * middle)
        changed = stride > 1 or net.sizes(x)[3] != 4 * middle
        return net.add(net.conv(x, 4 * middle, 1, stride) if changed else x, y, relu)

    net = Network.of_images(args, args.size, args.size, 3)
    x = net.conv(net.input, scaled(64, args.width), 7, 2, relu)
    x = net.max_pool(x, 3, padding=1)
    for stage, repeats in enumerate([3, 4, 6, 3]):
        for i in range(repeats):
            x = block(x, scaled(64 << stage, args.width), 2 if stage and i == 0 else 1)
    return net, net.dense(net.spatial_mean(x), args.classes)


def resnet8(args):
    """The image classifier of MLPerf Tiny, for images of 32 x 32."""
    net = Network.of_images(args, 32, 32, 3, "same")
    x = net.conv(net.input, 16, 3, activation=relu)
    for channels, stride in [(16, 1), (32, 2), (64, 2)]:
        y = net.conv(net.conv(x, channels, 3, stride, relu), channels, 3)
        x = net.add(net.conv(x, channels, 1, stride) if stride > 1 else x, y, relu)
    return net, net.dense(net.spatial_mean(x), 10)


def ds_cnn(args):
    """The keyword spotter of MLPerf Tiny: 49 slices of a spectrogram, 10 numbers each."""
    net = Network.of_images(args, 49, 10, 1, "same")
    x = net.conv(net.input, 64, (10, 4), 2, relu)
    for _ in range(4):
        x = net.conv(net.depthwise(x, 1, relu), 64, activation=relu)
    return net, net.dense(net.spatial_mean(x), 12)


def unet(args):
    """Ronneberger et al., 2015, with padded convolutions."""
    def twice(x, channels):
        return net.conv(net.conv(x, channels, 3, activation=relu), channels, 3, activation=relu)

    def upwards(x, channels):
        return net.up_conv(x, channels) if args.up == "transposed" else net.conv(net.upsample(x), channels)

    demand(args.size % 2 ** args.levels == 0, "--size must be a multiple of 2 ** --levels")
    net = Network.of_images(args, args.size, args.size, 3)
    x, skips, channels = net.input, [], args.channels
    for _ in range(args.levels):
        skips.append(twice(x, channels))
        x, channels = net.max_pool(skips[-1]), 2 * channels
    x = twice(x, channels)
    while skips:
        channels //= 2
        x = upwards(x, channels)
        x = twice(net.concat([skips.pop(), x], net.channel), channels)
    return net, net.conv(x, args.classes)


def lenet(args):
    """LeCun et al., 1998: two convolutions without padding, two pools, three dense layers."""
    net = Network(args.batch, 32, 32, 1)
    x = net.max_pool(net.conv(net.input, 6, kernel=5, activation=relu, padding=0))
    x = net.max_pool(net.conv(x, 16, kernel=5, activation=relu, padding=0))
    x = net.collapsed(x, [[0], [1, 2, 3]])
    return net, net.dense(net.dense(net.dense(x, 120, relu), 84, relu), 10)


# ---- Rows of numbers ------------------------------------------------------------------------


def transformer(args):
    """The encoder of Vaswani et al., 2017, as in BERT: GELU, normalization after each sum."""
    demand(args.hidden % args.heads == 0, "--hidden must be a multiple of --heads")
    net = Network(Dynamic(args.sequence) if args.dynamic else args.sequence, args.hidden)
    x = net.input
    for _ in range(args.layers):
        x = net.layer_norm(net.add(x, net.attention(x, args.heads)))
        wide = net.dense(x, 4 * args.hidden, gelu)
        x = net.layer_norm(net.add(x, net.dense(wide, args.hidden)))
    return net, x


def vit(args):
    """The encoder of Dosovitskiy et al., 2020, without a class token: patches of 16 x 16, normalization before each part."""
    demand(args.size % 16 == 0 and args.hidden % args.heads == 0, "--size must be a multiple of 16, --hidden of --heads")
    net = Network(1, args.size, args.size, 3)
    x = net.rows(net.conv(net.input, args.hidden, 16, 16, padding=0))
    for _ in range(args.layers):
        x = net.add(x, net.attention(net.layer_norm(x), args.heads))
        wide = net.dense(net.layer_norm(x), 4 * args.hidden, gelu)
        x = net.add(x, net.dense(wide, args.hidden))
    return net, net.layer_norm(x)


def decoder(args):
    """One token through the decoder of Radford et al., 2019 (GPT-2): keys and values are kept."""
    demand(args.hidden % args.heads == 0, "--hidden must be a multiple of --heads")
    net, context = Network(1, args.hidden), Dynamic(args.context) if args.dynamic else args.context
    x = net.input
    for _ in range(args.layers):
        x = net.add(x, net.cached_attention(net.layer_norm(x), args.heads, context))
        wide = net.dense(net.layer_norm(x), 4 * args.hidden, gelu)
        x = net.add(x, net.dense(wide, args.hidden))
    return net, net.layer_norm(x)


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


def autoencoder(args):
    """The anomaly detector of MLPerf Tiny: 640 numbers through 8 and back."""
    net = Network(args.batch, 640, element=args.type)
    x = net.input
    for units in [128] * 4 + [8] + [128] * 4:
        x = net.dense(x, units, relu)
    return net, net.dense(x, 640)


# ---- By name, with the default and the meaning of each option --------------------------------

LAYERS = {"layers": (2, "encoder layers"), "sequence": (128, "tokens")}
HEADS = {"hidden": (256, "width of a token"), "heads": (4, "attention heads")}
CLASSES = {"classes": (1000, "units of the last layer")}
TYPE = {"type": ("f32", "of weights and activations: f32 or i8", ["f32", "i8"])}
LAYOUT = {"layout": ("nhwc", "channels last or first: nhwc or nchw", ["nhwc", "nchw"])}
IMAGES = {"size": (224, "height and width of the image"), "width": (1.0, "multiplier of the channels"),
          **CLASSES, **TYPE, **LAYOUT}


def changed(options, **defaults):
    return {name: (defaults.get(name, default), *more) for name, (default, *more) in options.items()}


def dynamic(what):
    return {"dynamic": (0, f"1: the number of {what} is known at run time only")}


ENCODER = {**dynamic("tokens"), **LAYERS, **HEADS}
NETWORKS = {
    "mobilenetv1": (mobilenetv1, IMAGES),
    "person-detection": (mobilenetv1, changed(IMAGES, size=96, width=0.25, classes=2, type="i8")),
    "mobilenetv2": (mobilenetv2, {"dynamic": ("", "what is known at run time only: batch, or height and width of the image",
                                              ["batch", "image"]),
                                  "batch": (1, "images"), **IMAGES}),
    "resnet50": (resnet50, IMAGES),
    "resnet8": (resnet8, changed({**TYPE, **LAYOUT}, type="i8")),
    "ds-cnn": (ds_cnn, changed({**TYPE, **LAYOUT}, type="i8")),
    "unet": (unet, {"size": (64, "height and width of the image, a multiple of 2 ** levels"),
                    "channels": (16, "of the first level"),
                    "levels": (3, "times the image is halved"),
                    "classes": (4, "channels of the output"),
                    "up": ("nearest", "to twice the size: nearest neighbour and 1 x 1, or transposed "
                                      "convolution", ["nearest", "transposed"]),
                    **TYPE, **LAYOUT}),
    "inception": (inception, IMAGES),
    "densenet": (densenet, {"growth": (32, "channels that a layer adds"),
                            "shorter": (1, "blocks have so many times fewer layers"),
                            **{name: IMAGES[name] for name in ("size", "classes", "type", "layout")}}),
    "nasnet": (nasnet, {"channels": (32, "of the first cells"), "cells": (6, "normal cells in each of three stages"),
                        **changed(CLASSES, classes=10), **TYPE, **LAYOUT}),
    "randwire": (randwire, {"nodes": (32, "of a stage"), "neighbours": (4, "K of the wiring"),
                            "percent": (75, "P of the wiring"), "wiring": (1, "seed of the wiring"),
                            "channels": (78, "of the first stage"), "stages": (3, "of random wiring"),
                            **changed({name: IMAGES[name] for name in ("size", "classes", "type", "layout")},
                                      size=112)}),
    "swiftnet": (swiftnet, {"size": (64, "height and width of the image"), "channels": (8, "of a node of the first cell"),
                            **changed(CLASSES, classes=2), **changed(TYPE, type="i8"), **LAYOUT}),
    "lenet": (lenet, {"batch": (1, "images")}),
    "transformer": (transformer, ENCODER),
    "bert-base": (transformer, changed(ENCODER, layers=12, hidden=768, heads=12)),
    "vit-base": (vit, {"size": (224, "height and width of the image, a multiple of 16"),
                       **changed({"layers": LAYERS["layers"], **HEADS}, layers=12, hidden=768, heads=12)}),
    "decoder": (decoder, {**dynamic("tokens"), "layers": (4, "decoder layers"),
                          "context": (1024, "tokens, of which the last is computed"),
                          **changed(HEADS, hidden=768, heads=12)}),
    "attention": (attention, {"sequence": (128, "tokens"), **HEADS}),
    "mlp": (mlp, {**dynamic("rows"), "batch": (16, "rows"), "inputs": (784, "columns"),
                  "hidden": (512, "units of a layer"), "layers": (4, "hidden layers"),
                  **changed(CLASSES, classes=10)}),
    "autoencoder": (autoencoder, {"batch": (1, "rows"), **changed(TYPE, type="i8")}),
}  # fmt: skip
