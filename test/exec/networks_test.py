#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of examples/generate.py: each bufferizes to buffers of identity layout and plans at its
known bytes; small forms run, compute what depends on their input, and the same in one arena.
"""

import json
import re
import tempfile
import unittest

from testing import networks
from testing.execute import Tools, difference

TOOLS = Tools()

# Bytes of the arena: what is alive at the peak and does not lie in the result, so that only another network or other
# lives change it.
PLANNED = {
    "mobilenetv1": 6_480_128,
    "mobilenetv1 --layout nchw": 6_480_128,
    "person-detection": 184_320,
    "mobilenetv2": 9_807_360,
    "mobilenetv2 --type i8": 6_021_120,
    "resnet50": 9_633_792,
    "resnet50 --layout nchw": 9_633_792,
    "resnet50 --type i8": 4_816_896,
    "resnet8": 100_416,
    "ds-cnn": 44_096,
    "unet": 1_310_720,
    "unet --size 256 --channels 64 --levels 4": 83_886_080,
    "unet --size 256 --channels 64 --levels 4 --up transposed": 67_649_536,
    "lenet": 37_632,
    "transformer": 1_048_576,
    "bert-base": 3_145_728,
    "decoder": 98_352,
    "attention": 526_336,
    "mlp": 65_536,
    "autoencoder": 2_560,
}

# And row by row: most, of elide-copies,stream-rows,merge-alloc. Where channels stand in the image makes no difference.
STREAMED = {
    "person-detection": 15_616,
    "mobilenetv1": 624_128,
    "mobilenetv1 --layout nchw": 624_128,
}

SMALL = [
    "person-detection --size 32",
    "mobilenetv2 --type i8 --layout nchw --size 32 --width 0.25 --classes 10",
    "resnet50 --size 32 --width 0.125 --classes 10",
    "resnet8 --layout nchw",
    "ds-cnn",
    "unet --size 16 --channels 4 --levels 2 --up transposed",
    "unet --size 16 --channels 4 --levels 2 --layout nchw --type i8",
    "decoder --layers 2 --context 8 --hidden 16 --heads 2 --runs 2",
    "autoencoder",
]

# Their ops change places.
BRANCHY = [
    "inception --size 32 --width 0.125 --classes 10",
    "densenet --size 32 --growth 4 --shorter 6 --classes 10 --layout nchw",
    "nasnet --cells 1 --channels 4 --type i8",
    "randwire --size 8 --nodes 12 --stages 2 --channels 16 --classes 10",
    "swiftnet --size 16 --channels 4",
]


def arena_of(memrefs):
    """(bytes, what no plan can be below) of forward."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        TOOLS.apply(memrefs, f'builtin.module(merge-alloc{{report="json:{report.name}"}},check-arena-plan)')
        arenas = [a for a in json.load(report)["arenas"] if a["function"] == "forward" and not a["within"]]
    return [(a["arena_size"], a["lower_bound"]) for a in arenas]


class Planned(unittest.TestCase):
    def test_all(self):
        self.assertEqual(list(PLANNED), networks.EVERY)
        for network, size in PLANNED.items():
            with self.subTest(network):
                memrefs = networks.bufferized(TOOLS, *network.split())
                allocated = re.findall(r"memref\.alloc\(.*?\).*? : (memref<.*>)", memrefs)
                self.assertFalse([type for type in allocated if "," in type])
                self.assertEqual(arena_of(memrefs), [(size, size)])


    def test_streamed(self):
        for network, size in STREAMED.items():
            with self.subTest(network):
                memrefs = networks.bufferized(TOOLS, *network.split())
                rows = TOOLS.apply(memrefs, "builtin.module(elide-copies,stream-rows)")
                self.assertLessEqual(sum(arena for arena, _ in arena_of(rows)), size)


class Executed(unittest.TestCase):
    def test_all(self):
        for network in SMALL:
            with self.subTest(network):
                self.check(networks.generate(*network.split()))

    def test_ordered(self):
        changed = 0
        for network in BRANCHY:
            with self.subTest(network):
                memrefs = networks.bufferize(TOOLS, networks.generate(*network.split()))
                expected = TOOLS.run(memrefs)
                self.assertLess(abs(float(expected.output[1])), 1000)
                ordered = TOOLS.apply(memrefs, "builtin.module(order-for-memory,merge-alloc{poison},check-arena-plan)")
                self.assertIsNone(difference(expected, TOOLS.run(ordered)))
                changed += memrefs != TOOLS.apply(memrefs, "builtin.module(order-for-memory)")
        self.assertGreater(changed, 0)

    def test_constants(self):
        for network in ["ds-cnn", "mlp --inputs 16 --hidden 32", "decoder --layers 1 --context 4 --hidden 8 --heads 2"]:
            with self.subTest(network):
                filled, constant = (networks.bufferized(TOOLS, *network.split(), *option) for option in ([], ["--constants"]))
                self.assertIsNone(difference(TOOLS.run(filled), TOOLS.run(constant)))
                self.assertEqual(constant.count("constant @weight"), filled.count("global \"private\" @weight"))

    def check(self, tensors):
        memrefs = networks.bufferize(TOOLS, tensors)
        expected = TOOLS.run(memrefs)
        merged = TOOLS.apply(memrefs, "builtin.module(merge-alloc,check-arena-plan)")
        self.assertIsNone(difference(expected, TOOLS.run(merged)))
        value = expected.output[1]
        self.assertLess(abs(float(value)), 128 if re.fullmatch(r"-?\d+", value) else 1000)  # nan and inf are not
        number = re.search(r"%held(\d+) = memref.get_global @input ", tensors)[1]
        other = re.sub(rf"(%seed{number} = arith.constant) \d+", r"\1 7", tensors)
        self.assertIsNotNone(difference(expected, TOOLS.run(networks.bufferize(TOOLS, other))))


if __name__ == "__main__":
    unittest.main()
