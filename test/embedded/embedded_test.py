#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks without malloc (examples/embedded): what the objects call and hold, outputs against the plain network's,
threads with an arena each, and vectors (docs/tutorial.md).
"""

import ctypes
import tempfile
import unittest
from pathlib import Path

from testing import embedded, networks, places, process
from testing.embedded import Network
from testing.execute import Tools
from testing.process import Limits, ToolError

TOOLS = Tools()
FOLDER = tempfile.TemporaryDirectory(prefix="stowage-embedded-")
DS_CNN = Network("ds-cnn", Path(FOLDER.name, "ds-cnn"))


def printed_as(output):
    """The hash that the generator's main prints, as the programs in C do."""
    return f"output {int(output[0]) & (1 << 64) - 1:016x}"


class Host(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        DS_CNN.compile("host")

    def test_equals_the_plain_network(self):
        plain = TOOLS.run(networks.bufferized(TOOLS, "ds-cnn"))
        self.assertEqual(embedded.on_host(DS_CNN.host()).splitlines()[0], printed_as(plain.output))

    def test_calls(self):
        self.assertEqual(embedded.foreign(DS_CNN.object("host")), [])

    def test_threads(self):
        self.assertEqual(embedded.on_host(DS_CNN.threads()), "1000 calls, 0 outputs differ\n")


class Strided(unittest.TestCase):
    """Copies into and out of parts of buffers, which MLIR lowers to calls of its runtime library."""

    def test_no_runtime(self):
        name = "unet --size 16 --channels 4 --levels 2 --type i8"
        network = Network(name, Path(FOLDER.name, "strided"))
        network.compile("host")
        self.assertTrue("linalg.copy" in (network.folder / "host" / "planned.mlir").read_text())
        self.assertEqual(embedded.foreign(network.object("host")), [])
        plain = TOOLS.run(networks.bufferized(TOOLS, *name.split()))
        self.assertEqual(embedded.on_host(network.host()).splitlines()[0], printed_as(plain.output))


class Watched(unittest.TestCase):
    """ThreadSanitizer finds nothing, and finds the mistake of one arena for all."""

    @classmethod
    def setUpClass(cls):
        cls.network = Network("autoencoder", Path(FOLDER.name, "autoencoder"))
        cls.network.compile("host")

    def run_watched(self, *flags):
        try:
            done = process.run([self.network.watched_threads(*flags)], limits=Limits(clock=120))
        except ToolError as error:
            if "-ltsan" not in str(error) and "libtsan" not in str(error):
                raise
            self.skipTest("the C compiler has no ThreadSanitizer")
        if "FATAL: ThreadSanitizer: unexpected memory mapping" in done.err:
            self.skipTest("this kernel lays out memory as the sanitizer does not expect it")
        return done

    def test_own_arenas(self):
        done = self.run_watched("-DCALLS=40")
        self.assertEqual((done.status, done.out, done.err), (0, "40 calls, 0 outputs differ\n", ""))

    def test_shared_arena(self):
        self.assertIn("data race", self.run_watched("-DCALLS=16", "-DSHARED").err)


class Vectors(unittest.TestCase):
    def outputs(self, folder, *script):
        """What a compiled network computes; its arguments are numbers of 32 bits."""
        source = Path(FOLDER.name, "mlp.mlir")
        source.write_text(networks.generate("mlp", "--inputs", "64", "--hidden", "64", "--library"))
        compiled = embedded.compile(source, Path(FOLDER.name, folder), "host", *script)
        library = compiled / "network.so"
        process.call(["cc", "-shared", compiled / "network.o", "-lm", "-o", library])
        numbers = ctypes.c_float * (16 * 64)
        output, arena = numbers(), (ctypes.c_uint8 * 65536)()
        aligned = ctypes.addressof(arena) + -ctypes.addressof(arena) % 64
        ctypes.CDLL(library).forward(numbers(*(i % 101 / 50 - 1 for i in range(16 * 64))), output, ctypes.c_void_p(aligned))
        return output[:160]

    def test_equals_loops(self):
        loops = self.outputs("loops")
        vectors = self.outputs("vectors", places.ROOT / "examples" / "tutorial" / "vectorize.mlir")
        self.assertIn("fmuladd.v16f32", Path(FOLDER.name, "vectors", "network.ll").read_text())
        self.assertAlmostEqual(sum(loops), 16, places=4)  # a softmax of 16 rows
        for a, b in zip(loops, vectors):  # a fused product and sum rounds once
            self.assertAlmostEqual(a, b, places=5)


class CortexM(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        DS_CNN.compile("cortex-m4")

    def test_object(self):
        self.assertEqual(embedded.foreign(DS_CNN.object("cortex-m4")), [])
        sections = embedded.sections_of(DS_CNN.object("cortex-m4"))
        self.assertEqual({sections.get(name, 0) for name in embedded.WRITABLE}, {0})
        self.assertGreater(sections[".rodata"], 20_000)  # the weights

    def test_own_arena(self):
        """arena=global: it is the only variable of the object."""
        compiled = embedded.compile(DS_CNN.source, DS_CNN.folder / "global", "cortex-m4", arena="global")
        sections = embedded.sections_of(compiled / "network.o")
        self.assertEqual(embedded.foreign(compiled / "network.o"), [])
        self.assertEqual([sections.get(name, 0) for name in embedded.WRITABLE], [0, embedded.arena_bytes(compiled)])

    def test_planted(self):
        source, object = Path(FOLDER.name, "planted.ll"), Path(FOLDER.name, "planted.o")
        source.write_text("declare ptr @malloc(i32)\ndeclare ptr @memcpy(ptr, ptr, i32)\n"
                          "define ptr @forward(ptr %x) nounwind {\n  %a = call ptr @malloc(i32 8)\n"
                          "  %b = call ptr @memcpy(ptr %a, ptr %x, i32 8)\n  ret ptr %b\n}\n")  # fmt: skip
        embedded.llvm("llc", "-mtriple=thumbv7em-none-eabihf", "-filetype=obj", source, "-o", object)
        self.assertEqual(embedded.foreign(object), ["malloc"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
