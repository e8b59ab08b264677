// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What upstream passes make of markers: they stay where they are true, or go.

// RUN: stowage-opt %s --inline --cse --canonicalize | FileCheck %s --check-prefix=INLINE
// RUN: stowage-opt %s --mem2reg | FileCheck %s --check-prefix=MEM2REG
// RUN: stowage-opt %s --sroa | FileCheck %s --check-prefix=SROA
// RUN: stowage-opt %s --loop-invariant-code-motion --cse | FileCheck %s --check-prefix=LICM
// RUN: stowage-opt %s --pass-pipeline="builtin.module(func.func(promote-buffers-to-stack))" | FileCheck %s --check-prefix=STACK
// RUN: stowage-opt %s --pass-pipeline="builtin.module(func.func(optimize-allocation-liveness))" | FileCheck %s --check-prefix=FREE

func.func private @callee(%out: memref<4xf32>, %x: f32) {
  %a = memref.alloca() : memref<4xf32>
  lifetime.start %a : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  lifetime.end %a : memref<4xf32>
  return
}

// INLINE-LABEL: func @caller
// INLINE-COUNT-2: lifetime.start
// INLINE-NOT: call
func.func @caller(%out: memref<4xf32>, %x: f32) {
  call @callee(%out, %x) : (memref<4xf32>, f32) -> ()
  call @callee(%out, %x) : (memref<4xf32>, f32) -> ()
  return
}

// A buffer that becomes a register takes its markers along.
// MEM2REG-LABEL: func @promoted
// MEM2REG-NEXT: return %arg0
func.func @promoted(%x: f32) -> f32 {
  %a = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  memref.store %x, %a[] : memref<f32>
  %y = memref.load %a[] : memref<f32>
  lifetime.end %a : memref<f32>
  return %y : f32
}

// The value form may have users that know the buffer by its new name only.
// MEM2REG-LABEL: func @not_promoted
// MEM2REG: lifetime.start
func.func @not_promoted(%x: f32) -> f32 {
  %a = memref.alloca() : memref<f32>
  %l = lifetime.start %a : memref<f32>
  memref.store %x, %l[] : memref<f32>
  %y = memref.load %l[] : memref<f32>
  lifetime.end %l : memref<f32>
  return %y : f32
}

// SROA-LABEL: func @whole
// SROA: memref.alloca() : memref<f32>
// SROA-NOT: lifetime
// SROA: return
func.func @whole(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<2xf32>
  lifetime.start %a : memref<2xf32>
  memref.store %x, %a[%c0] : memref<2xf32>
  %y = memref.load %a[%c0] : memref<2xf32>
  lifetime.end %a : memref<2xf32>
  return %y : f32
}

// Nothing moves over a marker, and loads on its two sides are not one.
// LICM-LABEL: func @in_a_loop
// LICM: scf.for
// LICM-NEXT: lifetime.start
// LICM-NEXT: memref.store
// LICM-NEXT: memref.load
// LICM-NEXT: lifetime.end
// LICM-NEXT: lifetime.start
// LICM-NEXT: memref.store
// LICM-NEXT: memref.load
// LICM: lifetime.end
func.func @in_a_loop(%n: index, %x: f32, %sum: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    lifetime.start %a : memref<f32>
    memref.store %x, %a[] : memref<f32>
    %y = memref.load %a[] : memref<f32>
    lifetime.end %a : memref<f32>
    lifetime.start %a : memref<f32>
    memref.store %y, %a[] : memref<f32>
    %z = memref.load %a[] : memref<f32>
    %s = arith.addf %y, %z : f32
    memref.store %s, %sum[] : memref<f32>
    lifetime.end %a : memref<f32>
  }
  return
}

// STACK-LABEL: func @to_the_stack
// STACK: %[[A:.*]] = memref.alloca
// STACK: lifetime.start %[[A]]
func.func @to_the_stack(%out: memref<4xf32>, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  %l = lifetime.start %a : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%l : memref<4xf32>)
  memref.copy %l, %out : memref<4xf32> to memref<4xf32>
  lifetime.end %l : memref<4xf32>
  return
}

// A dealloc does not move up over the end of a life, whatever its name.
// FREE-LABEL: func @freed
// FREE: lifetime.end
// FREE-NEXT: memref.dealloc
func.func @freed(%out: memref<4xf32>, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  %l = lifetime.start %a : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%l : memref<4xf32>)
  memref.copy %l, %out : memref<4xf32> to memref<4xf32>
  lifetime.end %l : memref<4xf32>
  memref.copy %out, %out : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}
