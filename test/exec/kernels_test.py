#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPU kernels run on the CPU, before and after merge-alloc: every bit of the result is the same, in all orders of threads.

They are lowered as for a device of NVIDIA. Inputs/threads.c has what the instructions do."""

import re
import tempfile
import unittest
from pathlib import Path

from testing import places, process
from testing.opencl_c import LOWERING

KERNELS = Path(__file__).parent / "Inputs"
MODULE = re.compile(r"^  gpu\.module @\w+[^\n]*\{\n(.*?)^  \}\n", re.S | re.M)
ORDERS = range(6)
DYNAMIC = re.compile(r"(@__dynamic_shmem__\d+ = )[^\n]*\[0 x i8\][^\n]*")
LLVM = Path(places.llvm_bindir())
HOST = """
func.func @host(%x: memref<16x32xf32>, %out: memref<16x16xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  gpu.launch_func @m::@kernel blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%x : memref<16x32xf32>, %x : memref<16x32xf32>, %out : memref<16x16xf32>)
  return
}
}
"""


def planned(text, options=""):
    return process.call([places.OPT, f"--merge-alloc{options}", "--check-arena-plan"], text).out


def launched(text):
    """The kernel, and a function that launches it."""
    head, module, kernel = text.partition("gpu.module")
    return f"{head}module attributes {{gpu.container_module}} {{\n{module}{kernel}{HOST}"


def plain(ir):
    """LLVM IR in which the device's instructions are functions."""
    ir = re.sub(r"@llvm\.nvvm\.([\w.]+)", lambda found: "@nvvm_" + found[1].replace(".", "_"), ir)
    ir = DYNAMIC.sub(r"\1internal addrspace(3) global [65536 x i8] zeroinitializer, align 16", ir)
    return ir.replace("ptx_kernel ", "").replace(" immarg", "")


def results(work, text):
    """What the kernel gives, by the order of its threads."""
    lowered = process.call([LLVM / "mlir-opt", f"--pass-pipeline={LOWERING}"], text).out
    ir = process.call([LLVM / "mlir-translate", "--mlir-to-llvmir"], MODULE.search(lowered)[1]).out
    source, program = Path(work) / "kernel.ll", Path(work) / "kernel"
    source.write_text(plain(ir))
    process.call([LLVM / "clang", "-O1", "-Wno-override-module", source, KERNELS / "threads.c", "-o", program])
    return [process.call([program, order]).out for order in ORDERS]


def without(text, index):
    """The text without its barrier of that index."""
    found = list(re.finditer(r"gpu\.barrier", text))[index]
    return text[: found.start()] + text[found.end() :]


class Kernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def test_same_bits(self):
        for path in sorted(KERNELS.glob("*.mlir")):
            with self.subTest(path.stem):
                was = results(self.work, path.read_text())
                self.assertEqual(len(set(was)), 1, "the kernel itself depends on the order of its threads")
                self.assertGreater(len(set(was[0].split())), 8, "it computes next to nothing")
                text = planned(path.read_text())
                self.assertGreater(text.count("memref.view"), 1)
                self.assertEqual(results(self.work, text), was)

    def test_dynamic_memory(self):
        path = KERNELS / "scores.mlir"
        text = planned(launched(path.read_text()), "=dynamic-workgroup-memory")
        self.assertIn("gpu.dynamic_shared_memory", text)
        self.assertEqual(results(self.work, text), results(self.work, path.read_text()))

    def test_barriers_are_seen(self):
        path = KERNELS / "scores.mlir"
        was, text = results(self.work, path.read_text()), planned(path.read_text())
        differ = [results(self.work, without(text, i)) != was for i in range(text.count("gpu.barrier"))]
        self.assertGreater(sum(differ), len(differ) // 2)


if __name__ == "__main__":
    unittest.main()
