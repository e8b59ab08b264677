#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPU kernels as OpenCL on the CPU, before and after merge-alloc: every bit of what they write is the same.

Each kernel names the numbers of threads that it may have. It runs with workgroup memory that is zero before, and with memory that is
not, and with copies that are done when they are started, and when they are waited for."""

import functools
import hashlib
import re
import unittest
from pathlib import Path

from testing import opencl, places, process
from testing.opencl_kernels import Kernel

INPUTS = sorted((Path(__file__).parent / "Inputs").glob("*.mlir"))
PIPELINED = [path for path in sorted((places.ROOT / "bench/arena/kernels").glob("*.mlir"))
             if "tma.async" not in path.read_text()]  # fmt: skip
DEVICE = opencl.Device()
WAYS = [(0, False), (0xFF, True), (0x3B, False)]  # what memory holds, and whether copies are late
VIEW = re.compile(r"(memref\.view %\w+\[)(%\w+)(\]\[\])")


def planned(text, options=""):
    return process.call([places.OPT, f"--merge-alloc{options}", "--check-arena-plan"], text).out


def sizes_of(text):
    return [int(n) for n in re.search(r"threads: ([\d ]+)", text)[1].split()]


@functools.cache
def results(text, threads):
    """A digest of each way's result: one, if all is well."""
    kernel = Kernel(DEVICE, text)
    return {hashlib.sha256(kernel.run(threads, poison, late)).hexdigest() for poison, late in WAYS}


def launched(text, threads):
    """The kernel, and a function that launches it."""
    name, parameters = re.search(r"gpu\.func @(\w+)\(([^)]*)\)", text).groups()
    head, module, kernel = text.partition("gpu.module")
    return (f"{head}module attributes {{gpu.container_module}} {{\n{module}{kernel}\nfunc.func @host({parameters}) {{\n"
            f"  %one = arith.constant 1 : index\n  %size = arith.constant {threads} : index\n"
            f"  gpu.launch_func @m::@{name} blocks in (%one, %one, %one) threads in (%size, %one, %one) args({parameters})\n"
            "  return\n}\n}\n")  # fmt: skip


class Pocl(unittest.TestCase):
    def each(self, inputs=INPUTS):
        """What each kernel is and gives, for each number of threads."""
        for path in inputs:
            text = path.read_text()
            for threads in sizes_of(text):
                with self.subTest(f"{path.stem}, {threads} threads"):
                    was = results(text, threads)
                    self.assertEqual(len(was), 1, "the kernel reads what nothing has written")
                    self.check(path.stem, text, threads, was)

    def test_same_bits(self):
        def check(name, text, threads, was):
            after = planned(text)
            self.assertGreater(after.count("memref.view"), 1)
            self.assertEqual(results(after, threads), was)

        self.check = check
        self.each(INPUTS + PIPELINED)

    def test_dynamic_memory(self):
        def check(name, text, threads, was):
            after = planned(launched(text, threads), "=dynamic-workgroup-memory")
            if "gpu.dynamic_shared_memory" in after:
                self.assertEqual(results(after, threads), was)
                seen.add(name)

        seen = set()
        self.check = check
        self.each()
        self.assertGreater(len(seen), 1)

    def test_a_wrong_plan_is_seen(self):
        """Where all buffers lie in the same bytes, and that is another plan, every kernel computes something else."""
        def check(name, text, threads, was):
            after = planned(text)
            places = {found[2] for found in VIEW.finditer(after)}
            if len(places) > 1:
                self.assertNotEqual(results(VIEW.sub(rf"\g<1>{min(places)}\g<3>", after), threads), was)
                seen.add(name)

        seen = set()
        self.check = check
        self.each()
        self.assertGreater(len(seen), 1)


if __name__ == "__main__":
    if DEVICE.why_not:
        places.skip(DEVICE.why_not)
    unittest.main()
