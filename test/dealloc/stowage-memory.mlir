// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --stowage-memory | FileCheck %s --check-prefixes=ALL,REUSED --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory=start=merge-alloc | FileCheck %s --check-prefixes=ALL,MERGED --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory=hoist | FileCheck %s --check-prefixes=ALL,HOISTED --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory='start=merge-alloc hoist' | FileCheck %s --check-prefixes=ALL,MERGED --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory=stack-bytes=256 | FileCheck %s --check-prefixes=ALL,STACK --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory='start=merge-alloc stack-bytes=512' | FileCheck %s --check-prefixes=ALL,MERGED-STACK --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory='hoist stack-bytes=256' | FileCheck %s --check-prefixes=ALL,STACK --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory='start=merge-alloc hoist stack-bytes=512 unknown-ops=use' | FileCheck %s --check-prefixes=ALL,MERGED-STACK --implicit-check-not=bufferization.
// RUN: stowage-opt %s --stowage-memory='alignment-in-bytes=128 pool-all require-dealloc=false max-heap-overhead=0.5' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REUSE-OPTIONS
// RUN: stowage-opt %s --stowage-memory='start=merge-alloc alignment-in-bytes=128 reduce-peak' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=MERGE-OPTIONS
// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(stowage-memory{start=merge-alloc hoist})' | FileCheck %s --check-prefixes=ALL,MERGED --implicit-check-not=bufferization.
// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='any(stowage-memory)' | FileCheck %s --check-prefixes=ALL,REUSED --implicit-check-not=bufferization.

// From bufferized IR to IR that is ready to be lowered, by every choice of options.

// What the passes that plan may suggest can be set here.
// REUSE-OPTIONS: buffer-reuse{alignment-in-bytes=128 {{.*}}max-heap-overhead=5.000000e-01{{.*}}pool-all=true{{.*}}require-dealloc=false
// MERGE-OPTIONS: merge-alloc{alignment-in-bytes=128 {{.*}}max-heap-overhead=0.000000e+00

// ALL-LABEL: func.func @chain(
// Three buffers, of which two are alive at a time: one of them is shared.
// REUSED: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// REUSED: memref.alloc() : memref<64xf32>
// REUSED-NOT: memref.alloc
// REUSED-COUNT-2: memref.dealloc
// HOISTED: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// HOISTED: memref.alloc() : memref<64xf32>
// HOISTED: linalg.copy
// HOISTED-COUNT-2: memref.dealloc
// MERGED: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// MERGED-NOT: memref.alloc
// MERGED-COUNT-1: memref.dealloc
// MERGED-NOT: memref.dealloc
// STACK-COUNT-3: memref.alloca() {alignment = 16 : i64} : memref<64xf32>
// STACK-NOT: memref.dealloc
// MERGED-STACK: memref.alloca() {alignment = 64 : i64} : memref<512xi8>
// MERGED-STACK-NOT: memref.dealloc
// ALL: return
func.func @chain(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.copy ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.copy ins(%c : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
// A clone is lowered to an allocation and a copy.
// ALL-LABEL: func.func @clone(
// ALL: memref.copy
// ALL: return
func.func @clone(%c: i1, %in: memref<64xf32>) -> memref<64xf32> {
  %r = scf.if %c -> (memref<64xf32>) {
    scf.yield %in : memref<64xf32>
  } else {
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    scf.yield %a : memref<64xf32>
  }
  return %r : memref<64xf32>
}
