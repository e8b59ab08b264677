# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a function with a task that writes to as many views as it is told."""

import sys

count = int(sys.argv[1])
print("func.func @task(%x: f32) {")
print(f"  %arena = memref.alloc() : memref<{4 * count}xi8>")
for i in range(count):
    print(f"  %c{i} = arith.constant {4 * i} : index")
    print(f"  %v{i} = memref.view %arena[%c{i}][] : memref<{4 * count}xi8> to memref<1xf32>")
print("  %token = async.execute {")
for i in range(count):
    print(f"    memref.store %x, %v{i}[%c0] : memref<1xf32>")
print("    async.yield\n  }\n  async.await %token : !async.token")
print(f"  memref.dealloc %arena : memref<{4 * count}xi8>\n  return\n}}")
