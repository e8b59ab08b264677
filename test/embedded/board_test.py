#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network on an emulated board: memory is what the arena's constant tells, outputs are those of this computer."""

import re
import tempfile
import unittest

from testing import embedded, places
from testing.embedded import Network

PAGE = embedded.HERE / "README.md"


class Board(unittest.TestCase):
    def test_ds_cnn(self):
        with tempfile.TemporaryDirectory(prefix="stowage-board-") as folder:
            network = Network("ds-cnn", folder)
            network.compile("host")
            network.compile("cortex-m4")
            elf = network.board("cortex-m4")
            self.assertEqual(embedded.faults(network, "cortex-m4", elf), [])
            printed, stack = embedded.on_board(elf, "cortex-m4")
            self.assertEqual(printed, embedded.on_host(network.host()))
            self.assertTrue(0 < stack < embedded.STACK, stack)
            row = re.search(r"^\| ds-cnn \|.*$", PAGE.read_text(), re.M)[0]
            memory = embedded.memory_of(network, "cortex-m4", elf)
            self.assertIn(f" {memory.arena:,} | {memory.arguments:,} |", row)


if __name__ == "__main__":
    if embedded.missing():
        places.skip(f"not installed: {', '.join(embedded.missing())}; scripts/setup.sh embedded installs them")
    unittest.main()
