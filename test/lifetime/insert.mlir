// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --insert-lifetimes --verify-lifetimes > %t.once
// RUN: FileCheck %s < %t.once
// RUN: stowage-opt %t.once --insert-lifetimes | diff - %t.once
// RUN: stowage-opt %s --insert-lifetimes=form=value --verify-lifetimes > %t.value
// RUN: FileCheck %s --check-prefix=VALUE < %t.value
// RUN: stowage-opt %t.value --insert-lifetimes=form=value | diff - %t.value
// RUN: stowage-opt %s --insert-lifetimes=unknown-ops=use --verify-lifetimes | FileCheck %s --check-prefix=USE
// RUN: not stowage-opt %s --insert-lifetimes=form=other 2>&1 | FileCheck %s --check-prefix=FORM

// FORM: insert-lifetimes: form must be marker or value, not 

func.func private @unknown(memref<4xf32>)

// One ends where it is last read, before the next one begins; a second life after an overwrite.
// CHECK-LABEL: func @straight
// CHECK: %[[A:.*]] = memref.alloca
// CHECK: %[[B:.*]] = memref.alloc(
// CHECK-NEXT: lifetime.start %[[A]]
// CHECK-NEXT: memref.copy %arg0, %[[A]]
// CHECK-NEXT: lifetime.start %[[B]]
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: memref.copy %[[B]], %arg0
// CHECK-NEXT: lifetime.end %[[B]]
// CHECK-NEXT: lifetime.start %[[A]]
// CHECK-NEXT: memref.copy %arg0, %[[A]]
// CHECK-NEXT: memref.copy %[[A]], %arg0
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: memref.dealloc %[[B]]
// VALUE-LABEL: func @straight
// VALUE: %[[A:.*]] = memref.alloca
// VALUE: %[[LA:.*]] = lifetime.start %[[A]]
// VALUE-NEXT: memref.copy %arg0, %[[LA]]
// VALUE: memref.copy %[[LA]], %arg0
// VALUE-NEXT: lifetime.end %[[LA]]
// VALUE-NEXT: memref.dealloc %alloc
func.func @straight(%io: memref<?xf32>, %n: index) {
  %a = memref.alloca(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %io, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  memref.copy %b, %io : memref<?xf32> to memref<?xf32>
  memref.copy %io, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %io : memref<?xf32> to memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}

// What a loop uses without overwriting it lives around the loop; what it overwrites, in the loop.
// CHECK-LABEL: func @loop
// CHECK: %[[A:.*]] = memref.alloca() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.alloca() : memref<4xf32>
// CHECK-NEXT: lifetime.start %[[A]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.store %{{.*}}, %[[A]]
// CHECK-NEXT: lifetime.start %[[B]]
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %[[B]]
// CHECK-NEXT: lifetime.end %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: lifetime.end %[[A]]
func.func @loop(%io: memref<4xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %io : memref<4xf32> to memref<4xf32>
  }
  return
}

// The arms of an if: started in each, for the join; ended where only one arm needs it.
// CHECK-LABEL: func @arms
// CHECK: scf.if
// CHECK-NEXT: lifetime.start %[[A:.*]] :
// CHECK-NEXT: memref.copy %arg0, %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store
// CHECK-NEXT: lifetime.start %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.copy %[[A]]
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: memref.store
func.func @arms(%io: memref<4xf32>, %c: i1, %x: f32, %i: index) {
  %a = memref.alloca() : memref<4xf32>
  scf.if %c {
    memref.copy %io, %a : memref<4xf32> to memref<4xf32>
  } else {
    memref.store %x, %io[%i] : memref<4xf32>
  }
  scf.if %c {
    memref.copy %a, %io : memref<4xf32> to memref<4xf32>
  } else {
    memref.store %x, %io[%i] : memref<4xf32>
  }
  return
}

// No arm to put the start in: it goes before the if.
// CHECK-LABEL: func @no_else
// CHECK: lifetime.start %[[A:.*]] :
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.copy %arg0, %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: cf.cond_br
// CHECK: ^bb1:
// CHECK-NEXT: memref.copy %[[A]]
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: return
// CHECK: ^bb2:
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: return
func.func @no_else(%io: memref<4xf32>, %c: i1) {
  %a = memref.alloca() : memref<4xf32>
  scf.if %c {
    memref.copy %io, %a : memref<4xf32> to memref<4xf32>
  }
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  memref.copy %a, %io : memref<4xf32> to memref<4xf32>
  return
^bb2:
  return
}

// A loop of blocks with an edge that leaves it from the middle.
// CHECK-LABEL: func @blocks
// CHECK: lifetime.start %[[A:.*]] :
// CHECK-NEXT: cf.br ^bb1
// CHECK: ^bb1:
// CHECK-NOT: lifetime
// CHECK: ^bb3:
// CHECK-NEXT: lifetime.end %[[A]]
// CHECK-NEXT: return
func.func @blocks(%io: memref<4xf32>, %c: i1, %x: f32, %i: index) {
  %a = memref.alloca() : memref<4xf32>
  cf.br ^head
^head:
  memref.store %x, %a[%i] : memref<4xf32>
  cf.cond_br %c, ^body, ^done
^body:
  memref.copy %a, %io : memref<4xf32> to memref<4xf32>
  cf.br ^head
^done:
  return
}

// In a region whose iterations may run at once, nothing of outside is marked; what it allocates is.
// CHECK-LABEL: func @parallel
// CHECK: lifetime.start %[[A:.*]] :
// CHECK-NEXT: scf.parallel
// CHECK-NEXT: %[[OWN:.*]] = memref.alloca
// CHECK-NEXT: lifetime.start %[[OWN]]
// CHECK-NEXT: memref.copy %[[A]], %[[OWN]]
// CHECK-NEXT: memref.copy %[[OWN]]
// CHECK-NEXT: lifetime.end %[[OWN]]
// CHECK: }
// CHECK: lifetime.end %[[A]]
func.func @parallel(%io: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<4xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %own = memref.alloca() : memref<4xf32>
    memref.copy %a, %own : memref<4xf32> to memref<4xf32>
    memref.copy %own, %io : memref<4xf32> to memref<4xf32>
  }
  return
}

// A buffer carved by views: each view has its life, apart in space or in time.
// CHECK-LABEL: func @carved
// CHECK: %[[T1:.*]] = memref.view
// CHECK: %[[T2:.*]] = memref.view
// CHECK: %[[T3:.*]] = memref.view
// CHECK: lifetime.start %[[T1]]
// CHECK: lifetime.start %[[T2]]
// CHECK-NEXT: memref.copy %[[T1]], %[[T2]]
// CHECK-NEXT: lifetime.end %[[T1]]
// CHECK-NEXT: lifetime.start %[[T3]]
// CHECK-NEXT: memref.copy %[[T2]], %[[T3]]
// CHECK-NEXT: lifetime.end %[[T2]]
// CHECK: lifetime.end %[[T3]]
func.func @carved(%io: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloc() : memref<32xi8>
  %t1 = memref.view %a[%c0][] : memref<32xi8> to memref<4xf32>
  %t2 = memref.view %a[%c16][] : memref<32xi8> to memref<4xf32>
  %t3 = memref.view %a[%c0][] : memref<32xi8> to memref<4xf32>
  memref.copy %io, %t1 : memref<4xf32> to memref<4xf32>
  memref.copy %t1, %t2 : memref<4xf32> to memref<4xf32>
  memref.copy %t2, %t3 : memref<4xf32> to memref<4xf32>
  memref.copy %t3, %io : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<32xi8>
  return
}

// The same bytes under two names: a value passes from the one to the other.
// CHECK-LABEL: func @passed_on
// CHECK-NOT: lifetime
// CHECK: return
func.func @passed_on(%io: memref<4xf32>, %x: i32, %i: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<16xi8>
  %t1 = memref.view %a[%c0][] : memref<16xi8> to memref<4xf32>
  %t2 = memref.view %a[%c0][] : memref<16xi8> to memref<4xi32>
  memref.copy %io, %t1 : memref<4xf32> to memref<4xf32>
  memref.store %x, %t2[%i] : memref<4xi32>
  memref.copy %t1, %io : memref<4xf32> to memref<4xf32>
  return
}

// Reading what is overwritten, through another name or in the op's region, keeps it alive.
// CHECK-LABEL: func @read_while_overwritten
// CHECK: lifetime.start %[[A:.*]] :
// CHECK-NEXT: memref.store
// CHECK-NEXT: linalg.generic
// CHECK: lifetime.end %[[A]]
// CHECK-NEXT: return
func.func @read_while_overwritten(%io: memref<4xf32>, %x: f32, %i: index) {
  %a = memref.alloca() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : memref<4xf32>) {
  ^bb0(%out: f32):
    %y = memref.load %a[%i] : memref<4xf32>
    linalg.yield %y : f32
  }
  memref.copy %a, %io : memref<4xf32> to memref<4xf32>
  return
}

// A clone may be taken for its source: the source lives as long.
// CHECK-LABEL: func @cloned
// CHECK: bufferization.clone %[[A:.*]] :
// CHECK-NEXT: memref.copy
// CHECK-NEXT: lifetime.end %[[A]]
func.func @cloned(%io: memref<4xf32>) {
  %a = memref.alloca() : memref<4xf32>
  memref.copy %io, %a : memref<4xf32> to memref<4xf32>
  %b = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.copy %b, %io : memref<4xf32> to memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}

// CHECK-LABEL: func @gets_away
// CHECK-NOT: lifetime
// CHECK: return
// USE-LABEL: func @gets_away
// USE: lifetime.start
// USE-NEXT: call
// USE-NEXT: lifetime.end
func.func @gets_away() {
  %a = memref.alloca() : memref<4xf32>
  call @unknown(%a) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func @left_alone
// CHECK-NOT: lifetime
// CHECK: return
func.func @left_alone(%c: i1, %x: f32, %i: index) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  %r = scf.if %c -> memref<4xf32> {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  memref.store %x, %r[%i] : memref<4xf32>
  return %a : memref<4xf32>
}
