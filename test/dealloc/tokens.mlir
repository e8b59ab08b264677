// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s

// Work whose token is waited for in its block is done there; other work goes on.

// CHECK-LABEL: func.func @waited_for(
// CHECK: gpu.memcpy async
// CHECK-NOT: memref.dealloc
// CHECK: gpu.wait [
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: return
func.func @waited_for(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %a, %in : memref<64xf32>, memref<64xf32>
  %2 = gpu.memcpy async [%1] %out, %a : memref<64xf32>, memref<64xf32>
  gpu.wait [%2]
  return
}

// CHECK-LABEL: func.func @one_of_two(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: gpu.wait [
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @one_of_two(%in: memref<64xf32>) -> !gpu.async.token {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %a, %in : memref<64xf32>, memref<64xf32>
  %2 = gpu.memcpy async [%0] %b, %in : memref<64xf32>, memref<64xf32>
  gpu.wait [%1]
  return %2 : !gpu.async.token
}

// CHECK-LABEL: func.func @in_a_closed_region(
// CHECK: gpu.wait [
// CHECK: memref.dealloc
// CHECK: return
func.func @in_a_closed_region(%in: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  scf.forall (%i) in (1) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %a, %in : memref<64xf32>, memref<64xf32>
    gpu.wait [%1]
  }
  return
}

// Control gives the token another name, in one run of a block: what is allocated in a block before it is still that buffer.
// CHECK-LABEL: func.func @renamed_in_a_later_block(
// CHECK: memref.alloc
// CHECK: async.await
// CHECK-NEXT: memref.dealloc
// CHECK: return
func.func @renamed_in_a_later_block(%in: memref<8xi64>, %c: i1) {
  cf.br ^first
^first:
  %a = memref.alloc() : memref<8xi64>
  cf.br ^second
^second:
  %t = async.execute {
    memref.copy %in, %a : memref<8xi64> to memref<8xi64>
    async.yield
  }
  %u = scf.if %c -> (!async.token) {
    scf.yield %t : !async.token
  } else {
    %s = async.execute [%t] {
      async.yield
    }
    scf.yield %s : !async.token
  }
  async.await %u : !async.token
  cf.cond_br %c, ^first, ^end
^end:
  return
}

// Blocks give it to their next run: where it is waited for, %a is another buffer.
// CHECK-LABEL: func.func @given_to_the_next_run(
// CHECK-NOT: memref.dealloc
func.func @given_to_the_next_run(%in: memref<8xi64>, %c: i1) {
  %0 = async.execute {
    async.yield
  }
  cf.br ^first(%0 : !async.token)
^first(%t: !async.token):
  %a = memref.alloc() : memref<8xi64>
  cf.br ^second
^second:
  %s = async.execute {
    memref.copy %in, %a : memref<8xi64> to memref<8xi64>
    async.yield
  }
  async.await %t : !async.token
  cf.cond_br %c, ^first(%s : !async.token), ^end
^end:
  async.await %s : !async.token
  return
}
