#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of examples/generate.py whose sizes are known at run time only compute what those of fixed sizes do."""

import unittest

from testing import networks
from testing.execute import Tools, difference

TOOLS = Tools()

# Network, options of a small form, and the option that makes sizes dynamic.
DYNAMIC = [
    ("mlp", "--batch 3 --inputs 12 --hidden 16 --layers 2", "--dynamic 1"),
    ("transformer", "--sequence 5 --hidden 16 --heads 2", "--dynamic 1"),
    ("decoder", "--layers 2 --context 7 --hidden 16 --heads 2 --runs 2", "--dynamic 1"),
    ("mobilenetv2", "--batch 2 --size 32 --width 0.125 --classes 10", "--dynamic batch"),
    ("mobilenetv2", "--size 37 --width 0.125 --classes 10", "--dynamic image"),
]


class Executed(unittest.TestCase):
    def test_all(self):
        for network, options, dynamic in DYNAMIC:
            with self.subTest(f"{network} {options} {dynamic}"):
                static, known_late = (networks.bufferized(TOOLS, network, *options.split(), *more) for more in ([], dynamic.split()))
                self.assertRegex(known_late, r"memref\.alloc\(%")
                expected, found = TOOLS.run(static), TOOLS.run(known_late)
                self.assertLess(abs(float(expected.output[1])), 1000)
                if dynamic.endswith("image"):  # a mean divides by a number there, and multiplies by its inverse here
                    self.assertAlmostEqual(float(expected.output[1]), float(found.output[1]), 4)
                else:
                    self.assertIsNone(difference(expected, found))


if __name__ == "__main__":
    unittest.main()
