#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network on an emulated board: memory is what the arena's constant tells, outputs are those of this computer."""

import re
import tempfile
import unittest
from pathlib import Path

from testing import embedded, places, process
from testing.embedded import Network

PAGE = embedded.HERE / "README.md"


class Board(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="stowage-board-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.network = Network("ds-cnn", cls.folder.name)
        cls.network.compile("cortex-m4")

    def test_runs(self):
        elf = self.network.board("cortex-m4")
        self.assertEqual(embedded.faults(self.network, "cortex-m4", elf), [])
        printed, stack, instructions = embedded.on_board(elf, "cortex-m4")
        self.network.compile("host")
        self.assertEqual(printed, embedded.on_host(self.network.host()))
        self.assertTrue(0 < stack < embedded.STACK, stack)
        self.assertTrue(2_656_000 < instructions < 100_000_000, instructions)  # the products, at least
        row = re.search(r"^\| ds-cnn \|.*$", PAGE.read_text(), re.M)[0]
        memory = embedded.memory_of(self.network, "cortex-m4", elf)
        self.assertIn(f" {memory.arena:,} | {memory.arguments:,} |", row)

    def test_planted(self):
        """A variable that nobody accounts for, and a function out of a library."""
        source, library = Path(self.folder.name, "planted.c"), Path(self.folder.name, "libplanted.a")
        source.write_text("int more[64];\nvoid *malloc(unsigned long bytes) { return bytes ? more : 0; }\n")
        process.call(["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-ffreestanding", "-c",
                      source, "-o", source.with_suffix(".o")])  # fmt: skip
        embedded.llvm("llvm-ar", "rc", library, source.with_suffix(".o"))
        elf = self.network.board("cortex-m4", "-Wl,--undefined=malloc", library)
        found = "; ".join(embedded.faults(self.network, "cortex-m4", elf))
        self.assertRegex(found, r"libplanted\.a\(planted\.o\) of a library is linked; \d{3} bytes of memory are neither")


if __name__ == "__main__":
    if embedded.missing():
        places.skip(f"not installed: {', '.join(embedded.missing())}; scripts/setup.sh embedded installs them")
    unittest.main()
