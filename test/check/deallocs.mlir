// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

func.func @used_after(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.if %c {
    // expected-note @+1 {{it is deallocated here}}
    memref.dealloc %arena : memref<64xi8>
  }
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}

// -----

func.func @freed_twice(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  cf.cond_br %c, ^free, ^end
^free:
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %arena : memref<64xi8>
  cf.br ^end
^end:
  // expected-error @+1 {{deallocates an arena for the second time}}
  memref.dealloc %arena : memref<64xi8>
  return %r : f32
}

// -----

func.func @returned(%x: f32) -> memref<16xf32> {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %arena : memref<64xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  return %a : memref<16xf32>
}

// -----

// One of two arenas is freed; the view may be of that one.

func.func @one_of_two(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %one = memref.alloc() : memref<64xi8>
  %two = memref.alloc() : memref<64xi8>
  %a = memref.view %one[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %two[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the arena}}
  %v = arith.select %c, %a, %b : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%v : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %one : memref<64xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %v[%i] : memref<16xf32>
  memref.dealloc %two : memref<64xi8>
  return %r : f32
}

// -----

// Each iteration has an arena of its own.

func.func @each(%x: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %arena = memref.alloc() : memref<64xi8>
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    %r = memref.load %a[%i] : memref<16xf32>
    memref.dealloc %arena : memref<64xi8>
  }
  return
}

// -----

// Memory of the task's own, whichever it is, is gone before the task is awaited ...

func.func @of_the_task(%x: f32, %out: memref<16xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %token = async.execute {
    %arena = memref.alloc() : memref<64xi8>
    %r = scf.if %c -> memref<16xf32> {
      %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
      scf.yield %a : memref<16xf32>
    } else {
      %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
      scf.yield %b : memref<16xf32>
    }
    memref.copy %r, %out : memref<16xf32> to memref<16xf32>
    memref.dealloc %arena : memref<64xi8>
    async.yield
  }
  async.await %token : !async.token
  return
}

// -----

// ... but not what it may use instead.

func.func @of_the_task_or_not(%x: f32, %out: memref<16xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %outer = memref.alloc() : memref<64xi8>
  %token = async.execute {
    %arena = memref.alloc() : memref<64xi8>
    %r = scf.if %c -> memref<16xf32> {
      %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      scf.yield %a : memref<16xf32>
    } else {
      %b = memref.view %outer[%c0][] : memref<64xi8> to memref<16xf32>
      scf.yield %b : memref<16xf32>
    }
    linalg.fill ins(%x : f32) outs(%r : memref<16xf32>)
    memref.copy %r, %out : memref<16xf32> to memref<16xf32>
    memref.dealloc %arena : memref<64xi8>
    async.yield
  }
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %outer : memref<64xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  async.await %token : !async.token
  return
}

// -----

// A view on one path, memory of its own on another: a flag tells which.

func.func @flagged(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %last, %own = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %a, %flag = %false) -> (memref<16xf32>, i1) {
    %next = memref.alloc() : memref<16xf32>
    memref.copy %m, %next : memref<16xf32> to memref<16xf32>
    scf.if %flag {
      memref.dealloc %m : memref<16xf32>
    }
    scf.yield %next, %true : memref<16xf32>, i1
  }
  %r = memref.load %last[%c0] : memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  scf.if %own {
    memref.dealloc %last : memref<16xf32>
  }
  return %r : f32
}

// -----

// Without the flag it is the view that is deallocated where the loop does not run.

func.func @not_flagged(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{this is the arena}}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a) -> (memref<16xf32>) {
    %next = memref.alloc() : memref<16xf32>
    memref.copy %m, %next : memref<16xf32> to memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  %r = memref.load %last[%c0] : memref<16xf32>
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %arena : memref<64xi8>
  // expected-error @+1 {{deallocates an arena for the second time}}
  memref.dealloc %last : memref<16xf32>
  return %r : f32
}

// -----

// A flag does not make it right to deallocate an arena too soon.

func.func @flagged_arena(%x: f32, %i: index, %c: i1, %d: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %one = memref.alloc() : memref<64xi8>
  %two = memref.alloc() : memref<64xi8>
  %a = memref.view %one[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %two[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the arena}}
  %v = arith.select %c, %one, %two : memref<64xi8>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.if %d {
    // expected-note @+1 {{it is deallocated here}}
    memref.dealloc %v : memref<64xi8>
  }
  %w = memref.view %v[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %w[%i] : memref<16xf32>
  return %r : f32
}

// -----

// bufferization.dealloc frees where a bit says so, and an op that has the effect frees, too.

func.func @used_after_bit(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  bufferization.dealloc (%arena : memref<64xi8>) if (%c)
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}

// -----

func.func @freed_again(%x: f32, %i: index) -> f32 {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  // expected-note @+1 {{it is deallocated here}}
  bufferization.dealloc (%arena : memref<64xi8>) if (%true)
  // expected-error @+1 {{deallocates an arena for the second time}}
  memref.dealloc %arena : memref<64xi8>
  return %r : f32
}

// -----

func.func @other_is_retained(%x: f32, %i: index, %other: memref<4xf32>) -> f32 {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  %0 = bufferization.dealloc (%arena : memref<64xi8>) if (%true) retain (%other : memref<4xf32>)
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}

// -----

func.func @freed_by_effect(%x: f32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  %more = memref.realloc %arena : memref<64xi8> to memref<128xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}

// -----

// What it retains, and what a bit never frees, is there.

func.func @retained(%x: f32, %i: index) -> f32 {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %owned = bufferization.dealloc (%arena : memref<64xi8>) if (%true) retain (%a : memref<16xf32>)
  bufferization.dealloc (%arena : memref<64xi8>) if (%false)
  %r = memref.load %a[%i] : memref<16xf32>
  bufferization.dealloc (%arena : memref<64xi8>) if (%owned)
  return %r : f32
}
