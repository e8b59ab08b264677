#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in the streams of small networks: the checker of src/stream finds them, and where it finds none, an
execution finds none. bench/planted.md has all of them executed.
"""

import collections
import unittest

from testing import networks, planted
from testing.execute import Tools

TOOLS = Tools()

# A delay less one step may do no harm: between two turns of a group nothing else touches its rows.
ALWAYS_FOUND = {"window", "move", "moved-row", "period"}
EXECUTED = {"lenet": 1, "resnet8": 20}  # each so many of its faults


class Schedules(unittest.TestCase):
    def test_checker_finds_them(self):
        found, passed = collections.Counter(), collections.Counter()
        for network in planted.SMALL:
            for fault in planted.faults(networks.bufferized(TOOLS, *network.split()), "schedules"):
                with self.subTest(network, fault=fault):
                    self.assertTrue(fault.found or fault.kind not in ALWAYS_FOUND)
                (found if fault.found else passed)[fault.kind] += 1
        self.assertGreater(min(found[kind] for kind in ALWAYS_FOUND), 10)
        self.assertGreater(found["delay"], 4 * passed["delay"])

    def test_execution_finds_no_more(self):
        for network, each in EXECUTED.items():
            for kind in planted.PASSES:
                self.execute(networks.bufferized(TOOLS, *network.split()), network, kind, each)

    def execute(self, memrefs, network, kind, each):
        effects = collections.Counter()
        expected = TOOLS.run(TOOLS.apply(memrefs, "builtin.module(buffer-deallocation)"))
        for fault in planted.faults(memrefs, kind)[::each]:
            effect = planted.effect(TOOLS, memrefs, kind, fault, expected)
            effects[effect] += 1
            with self.subTest(network, fault=fault, effect=effect):
                self.assertTrue(fault.found or effect in (None, "unused"))
        self.assertGreater(effects["differs"] + effects["refused"], 0)


if __name__ == "__main__":
    unittest.main()
