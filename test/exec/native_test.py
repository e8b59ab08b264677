#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of native.py and least_peak.py: planted faults are seen, and least peaks are what a reader
counts."""

import unittest

from testing.execute import Tools
from testing.least_peak import instrumented, least_peak
from testing.process import ToolError
from testing.native import Native, can_sanitize, sanitizer_said

TOOLS = Tools()
NATIVE = Native(TOOLS)
T = "memref<8xf32>"
D = "memref<8xf32, strided<[2]>>"


def program(*lines):
    return "\n".join(["func.func @main() {", "%c1 = arith.constant 1 : index",
                      "%past = arith.constant 8 : index", "%f = arith.constant 1.5 : f32", *lines,
                      "return", "}"])


def new(name):
    return f"%{name} = memref.alloc() : {T}\nmemref.store %f, %{name}[%c1] : {T}"


def show(name, index="c1"):
    return (f"%v{name} = memref.load %{name}[%{index}] : {T}\n"
            f"vector.print %v{name} : f32")


def free(name):
    return f"memref.dealloc %{name} : {T}"


@unittest.skipUnless(can_sanitize(NATIVE), "the C compiler has no AddressSanitizer")
class Sanitized(unittest.TestCase):
    def check(self, said, *lines):
        run = NATIVE.run(NATIVE.sanitized(program(*lines)))
        self.assertEqual(run.status, 67, run.stderr)
        self.assertIn(said, sanitizer_said(run))
        self.assertIn(said, run.fault())

    def test_nothing_wrong(self):
        run = NATIVE.run(NATIVE.sanitized(program(new("a"), show("a"), free("a"))))
        self.assertEqual((run.fault(), run.output), (None, ["1.5"]))

    def test_use_after_free(self):
        self.check("heap-use-after-free", new("a"), free("a"), show("a"))

    def test_second_free(self):
        self.check("double-free", new("a"), free("a"), free("a"))

    def test_overrun(self):
        self.check("heap-buffer-overflow", new("a"), show("a", "past"), free("a"))

    def test_leak(self):
        self.check("32 byte(s) leaked in 1 allocation(s)", new("a"), show("a"))


class Optimized(unittest.TestCase):
    def test_output(self):
        run = NATIVE.run(NATIVE.optimized(program(new("a"), show("a"), free("a"))))
        self.assertEqual((run.fault(), run.output), (None, ["1.5"]))

    def test_heap(self):
        heap = NATIVE.run(NATIVE.counted(program(new("a"), new("b"), show("a"), free("a"), free("b")))).heap
        self.assertEqual((heap.allocs, heap.frees, heap.peak_bytes, heap.leaked_bytes), (2, 2, 64, 0))


class LeastPeak(unittest.TestCase):
    def check(self, allocs, peak, *lines):
        least = least_peak(TOOLS, program(*lines))
        self.assertEqual((least.allocs, least.bytes), (allocs, peak))
        return least.run.output

    def test_a_block_ends_with_its_last_access(self):
        output = self.check(2, 32, new("a"), show("a"), new("b"), show("b"))
        self.assertEqual(output, ["1.5", "1.5"])
        self.check(2, 64, new("a"), new("b"), show("a"), show("b"))

    def test_a_block_is_there_at_its_allocation(self):
        self.check(3, 64, new("a"), new("b"), show("b"), new("e"), show("e"), show("a"))
        self.check(1, 32, new("a"))

    def test_a_view_keeps_its_block(self):
        view = f"%s = memref.subview %a[4] [4] [1] : {T} to memref<4xf32, strided<[1], offset: 4>>"
        read = "%r = memref.load %s[%c1] : memref<4xf32, strided<[1], offset: 4>>"
        self.check(2, 64, new("a"), view, new("b"), show("b"), read, "vector.print %r : f32")

    def test_copies(self):
        self.check(3, 64, new("a"), new("b"), f"memref.copy %a, %b : {T} to {T}", new("e"),
                   show("b"), show("e"))

    def test_strided_copies(self):
        wide = "%w = memref.alloc() : memref<16xf32>"
        view = f"%s = memref.subview %w[0] [8] [2] : memref<16xf32> to {D}"
        self.check(3, 128, new("a"), wide, view, new("b"), show("b"), f"memref.copy %a, %s : {T} to {D}",
                   "%r = memref.load %w[%c1] : memref<16xf32>", "vector.print %r : f32")

    def test_stack_memory_is_no_heap(self):
        self.check(0, 0, f"%a = memref.alloca() : {T}\nmemref.store %f, %a[%c1] : {T}", show("a"))

    def test_loops(self):
        loop = ["%c0 = arith.constant 0 : index", "scf.for %i = %c0 to %past step %c1 {", new("b"),
                show("b"), "}"]
        self.check(9, 64, new("a"), *loop, show("a"))
        self.check(9, 32, new("a"), *loop)

    def test_what_is_not_known_is_an_error(self):
        with self.assertRaisesRegex(ToolError, "llvm.prefetch"):
            instrumented('module {\n  "llvm.prefetch"(%0) : (!llvm.ptr) -> ()\n}\n')


if __name__ == "__main__":
    unittest.main()
