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


# Sizes that assertions make equal, and limit: three buffers in the bytes of two.
ASSERTED = """
func.func private @f(%x: memref<?xf32>, %y: memref<?xf32>) -> f32 attributes {passthrough = ["noinline"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "sizes differ"
  %small = arith.cmpi ule, %n, %c40 : index
  cf.assert %small, "too large"
  %b = memref.alloc(%m) : memref<?xf32>
  linalg.add ins(%a, %y : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>)
  %c = memref.alloc(%m) : memref<?xf32>
  linalg.add ins(%b, %x : memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  %last = arith.subi %m, %c1 : index
  %p = memref.load %c[%c0] : memref<?xf32>
  %q = memref.load %c[%last] : memref<?xf32>
  %r = arith.mulf %p, %q : f32
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  return %r : f32
}
func.func @main() {
  %one = arith.constant 1.5 : f32
  %two = arith.constant 2.25 : f32
  %x = memref.alloc() : memref<37xf32>
  %y = memref.alloc() : memref<37xf32>
  linalg.fill ins(%one : f32) outs(%x : memref<37xf32>)
  linalg.fill ins(%two : f32) outs(%y : memref<37xf32>)
  %xs = memref.cast %x : memref<37xf32> to memref<?xf32>
  %ys = memref.cast %y : memref<37xf32> to memref<?xf32>
  %r = call @f(%xs, %ys) : (memref<?xf32>, memref<?xf32>) -> f32
  vector.print %r : f32
  memref.dealloc %x : memref<37xf32>
  memref.dealloc %y : memref<37xf32>
  return
}
"""

# The result has room for %b, and for %a beside it, or in its place, where the size is small.
LENDS_TO_SMALL = """
func.func private @f(%x: memref<?xf32>) -> memref<64xf32> attributes {passthrough = ["noinline"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.5 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%two : f32) outs(%b : memref<16xf32>)
  %last = arith.subi %n, %c1 : index
  %end = memref.load %a[%last] : memref<?xf32>
  memref.store %end, %b[%c1] : memref<16xf32>
  %r = memref.alloc() : memref<64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %j = arith.remui %i, %c16 : index
    %p = memref.load %a[%i] : memref<?xf32>
    %q = memref.load %b[%j] : memref<16xf32>
    %pq = arith.mulf %p, %q : f32
    %t = arith.addf %s, %pq : f32
    scf.yield %t : f32
  }
  linalg.fill ins(%sum : f32) outs(%r : memref<64xf32>)
  return %r : memref<64xf32>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant SIZE : index
  %x = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %v = arith.sitofp %k : i32 to f32
    memref.store %v, %x[%i] : memref<?xf32>
  }
  %r = call @f(%x) : (memref<?xf32>) -> memref<64xf32>
  memref.dealloc %x : memref<?xf32>
  %last = arith.constant 63 : index
  %p = memref.load %r[%c0] : memref<64xf32>
  %q = memref.load %r[%last] : memref<64xf32>
  vector.print %p : f32
  vector.print %q : f32
  memref.dealloc %r : memref<64xf32>
  return
}
"""


class Executed(unittest.TestCase):
    def test_lends_to_small(self):
        for size, arena in ((1, 0), (16, 0), (47, 0), (48, 0), (49, 64), (64, 64), (65, 260), (1000, 4000)):
            with self.subTest(size):
                text = LENDS_TO_SMALL.replace("SIZE", str(size))
                planned = TOOLS.apply(text, "builtin.module(merge-alloc{dynamic=exact poison},check-arena-plan{samples=64})")
                self.assertIn("arith.select", planned)
                expected = TOOLS.run(text)
                found = TOOLS.run(planned)
                self.assertIsNone(difference(expected, found))
                self.assertEqual(found.heap.peak_bytes, 256 + sum(-(-b // 64) * 64 for b in (4 * size, arena)))  # the heap rounds

    def test_asserted(self):
        expected = TOOLS.run(ASSERTED)
        for dynamic, views in (("exact", 5), ("bound", 4)):  # two in main; %a is allocated in front of its limit
            with self.subTest(dynamic):
                planned, poisoned = (TOOLS.apply(ASSERTED, f"builtin.module(merge-alloc{{dynamic={dynamic} {more}}})") for more in ("", "poison"))
                self.assertEqual(planned.count("memref.view "), views)
                self.assertIsNone(difference(expected, TOOLS.run(poisoned)))

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
