// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Markers that are right: nothing is said, and nothing changes.

// RUN: stowage-opt %s --verify-lifetimes -verify-diagnostics > %t.after
// RUN: stowage-opt %s > %t.before
// RUN: diff %t.before %t.after

func.func private @unknown(memref<4xf32>)

func.func @straight(%x: f32, %out: memref<4xf32>, %n: index, %u: memref<*xf32>) {
  %a = memref.alloca() : memref<4xf32>
  lifetime.start %a : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  lifetime.end %a : memref<4xf32>
  %h = memref.alloc(%n) : memref<?xf32>
  %l = lifetime.start %h : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%l : memref<?xf32>)
  lifetime.end %l : memref<?xf32>
  memref.dealloc %h : memref<?xf32>
  lifetime.start %u : memref<*xf32>
  lifetime.end %u : memref<*xf32>
  return
}

// Several lives, one after the other, in both forms.
func.func @several(%x: f32) {
  %a = memref.alloca() : memref<4xf32>
  %l = lifetime.start %a : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%l : memref<4xf32>)
  lifetime.end %l : memref<4xf32>
  %m = lifetime.start %a : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  lifetime.end %m : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  lifetime.start %b : memref<4xf32>
  call @unknown(%b) : (memref<4xf32>) -> ()
  lifetime.end %b : memref<4xf32>
  lifetime.start %b : memref<4xf32>
  call @unknown(%b) : (memref<4xf32>) -> ()
  lifetime.end %b : memref<4xf32>
  return
}

// A buffer carved by views: at one time apart in space, in one space apart in time.
func.func @carved(%x: f32, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloca() : memref<32xi8>
  %t1 = memref.view %a[%c0][] : memref<32xi8> to memref<4xf32>
  %t2 = memref.view %a[%c16][] : memref<32xi8> to memref<4xf32>
  %t3 = memref.view %a[%c0][] : memref<32xi8> to memref<8xf32>
  %t4 = memref.subview %t3[0] [2] [2] : memref<8xf32> to memref<2xf32, strided<[2]>>
  %t5 = memref.subview %t3[4] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: 4>>
  lifetime.start %t1 : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%t1 : memref<4xf32>)
  lifetime.start %t2 : memref<4xf32>
  memref.copy %t1, %t2 : memref<4xf32> to memref<4xf32>
  lifetime.end %t1 : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%t2 : memref<4xf32>)
  lifetime.end %t2 : memref<4xf32>
  %l = lifetime.start %t3 : memref<8xf32>
  memref.copy %out, %l : memref<8xf32> to memref<8xf32>
  lifetime.end %l : memref<8xf32>
  lifetime.start %t4 : memref<2xf32, strided<[2]>>
  lifetime.start %t5 : memref<2xf32, strided<[1], offset: 4>>
  linalg.fill ins(%x : f32) outs(%t4 : memref<2xf32, strided<[2]>>)
  linalg.fill ins(%x : f32) outs(%t5 : memref<2xf32, strided<[1], offset: 4>>)
  lifetime.end %t4 : memref<2xf32, strided<[2]>>
  lifetime.end %t5 : memref<2xf32, strided<[1], offset: 4>>
  return
}

// The two arms, the loop, the block that is left early; a life need not end.
func.func @control(%c: i1, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  scf.if %c {
    lifetime.start %a : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  } else {
    lifetime.start %a : memref<4xf32>
  }
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.cast %b : memref<4xf32> to memref<?xf32>
    lifetime.start %v : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%v : memref<?xf32>)
    lifetime.end %v : memref<?xf32>
    %own = memref.alloca() : memref<4xf32>
    lifetime.start %own : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%own : memref<4xf32>)
  }
  cf.cond_br %c, ^early, ^late
^early:
  lifetime.end %a : memref<4xf32>
  return
^late:
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  lifetime.end %a : memref<4xf32>
  return
}

// The value of the other arm is another buffer.
func.func @arms(%c: i1, %x: f32) {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    lifetime.start %a : memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    %l = lifetime.start %b : memref<4xf32>
    scf.yield %l : memref<4xf32>
  }
  linalg.fill ins(%x : f32) outs(%r : memref<4xf32>)
  memref.dealloc %r : memref<4xf32>
  return
}

// In a region that may run at once, its own buffers have lives; one from outside lives around it.
func.func @parallel(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<4xf32>
  lifetime.start %a : memref<4xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %own = memref.alloca() : memref<4xf32>
    lifetime.start %own : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%own : memref<4xf32>)
    lifetime.end %own : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
  }
  lifetime.end %a : memref<4xf32>
  return
}

// Asking for a shape or an address is no use.
func.func @no_use(%n: index) -> index {
  %a = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<?xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
  lifetime.start %a : memref<?xf32>
  lifetime.end %a : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return %d : index
}

// A dealloc by a bit is no use of contents, and frees nothing where the bit or what it retains may say so.
func.func @freed_by_bit(%c: i1, %x: f32, %other: memref<f32>) -> f32 {
  %true = arith.constant true
  %a = memref.alloc() : memref<f32>
  lifetime.start %a : memref<f32>
  memref.store %x, %a[] : memref<f32>
  bufferization.dealloc (%a : memref<f32>) if (%c)
  %0 = bufferization.dealloc (%a : memref<f32>) if (%true) retain (%other : memref<f32>)
  %1 = memref.load %a[] : memref<f32>
  lifetime.end %a : memref<f32>
  bufferization.dealloc (%a : memref<f32>) if (%true)
  return %1 : f32
}
