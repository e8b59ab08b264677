#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams stay small: few ops for each that was there before, and as many of them for any number of rows."""

import unittest

from testing import networks, places, stream_ops
from testing.execute import Tools

MOST = 6.5  # after, for one before

WINDOW = """
#row = affine_map<(r, c, k) -> (r, c)>
#window = affine_map<(r, c, k) -> (r + k, c)>
#kernel = affine_map<(r, c, k) -> (k)>
func.func @f(%x: memref<ROWSx16xf32>, %k: memref<3xf32>) -> memref<ROWSx16xf32> {
  %zero = arith.constant 0.0 : f32
  %frame = memref.alloc() : memref<WHOLEx16xf32>
  linalg.fill ins(%zero : f32) outs(%frame : memref<WHOLEx16xf32>)
  %inner = memref.subview %frame[1, 0] [ROWS, 16] [1, 1] : memref<WHOLEx16xf32> to memref<ROWSx16xf32, strided<[16, 1], offset: 16>>
  linalg.exp ins(%x : memref<ROWSx16xf32>) outs(%inner : memref<ROWSx16xf32, strided<[16, 1], offset: 16>>)
  %sum = memref.alloc() : memref<ROWSx16xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<ROWSx16xf32>)
  linalg.generic {indexing_maps = [#window, #kernel, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%frame, %k : memref<WHOLEx16xf32>, memref<3xf32>) outs(%sum : memref<ROWSx16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  }
  %y = memref.alloc() : memref<ROWSx16xf32>
  linalg.abs ins(%sum : memref<ROWSx16xf32>) outs(%y : memref<ROWSx16xf32>)
  return %y : memref<ROWSx16xf32>
}
"""


class Ops(unittest.TestCase):
    def test_of_networks(self):
        tools = Tools()
        for network in ("mobilenetv1", "resnet50 --layout nchw", "unet", "ds-cnn", "attention", "decoder"):
            streams = list(stream_ops.counts(places.OPT, networks.bufferized(tools, *network.split())))
            self.assertTrue(streams, network)
            for before, after in streams:
                self.assertLessEqual(after, MOST * before, network)

    def test_of_any_number_of_rows(self):
        found = {tuple(stream_ops.counts(places.OPT, WINDOW.replace("ROWS", str(n)).replace("WHOLE", str(n + 2))))
                 for n in (48, 480, 4800)}  # fmt: skip
        self.assertEqual(len(found), 1, found)
        self.assertEqual(len(*found), 1)


if __name__ == "__main__":
    unittest.main()
