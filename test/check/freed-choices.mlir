// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Arenas are freed by names that stand for one of several: work may still use them, ops behind it do,
// or they are freed again.

func.func @select(%x: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<256xi8>
  %q = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %q[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
  %m = arith.select %c, %p, %q : memref<256xi8>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %m : memref<256xi8>
  gpu.wait [%t]
  return
}

// -----

func.func @select_behind_the_wait(%x: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<256xi8>
  %q = memref.alloc() : memref<256xi8>
  %a = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %q[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
  %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
  %m = arith.select %c, %p, %q : memref<256xi8>
  gpu.wait [%t]
  memref.dealloc %m : memref<256xi8>
  return
}

// -----

// The work uses neither of the two.
func.func @select_of_others(%x: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<256xi8>
  %q = memref.alloc() : memref<256xi8>
  %r = memref.alloc() : memref<256xi8>
  %a = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %q[%c0][] : memref<256xi8> to memref<64xf32>
  %d = memref.view %r[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
  %t = gpu.memcpy async %d, %x : memref<64xf32>, memref<64xf32>
  %m = arith.select %c, %p, %q : memref<256xi8>
  memref.dealloc %m : memref<256xi8>
  gpu.wait [%t]
  memref.dealloc %r : memref<256xi8>
  return
}

// -----

func.func @if(%x: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
  %m = scf.if %c -> memref<256xi8> {
    scf.yield %p : memref<256xi8>
  } else {
    %q = memref.alloc() : memref<256xi8>
    scf.yield %q : memref<256xi8>
  }
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %m : memref<256xi8>
  return
}

// -----

// An iteration frees the arena of the one before, and that before has not waited.
func.func @loop(%x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<256xi8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %first) -> memref<256xi8> {
    // expected-error @+1 {{deallocates an arena that work may still use}}
    memref.dealloc %m : memref<256xi8>
    %arena = memref.alloc() : memref<256xi8>
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{this work may still run}}
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    scf.yield %arena : memref<256xi8>
  }
  memref.dealloc %r : memref<256xi8>
  return
}

// -----

// The token is carried beside the arena, and waited for first.
func.func @loop_with_tokens(%x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<256xi8>
  %t0 = gpu.wait async
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %first, %u = %t0) -> (memref<256xi8>, !gpu.async.token) {
    %arena = memref.alloc() : memref<256xi8>
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%u]
    memref.dealloc %m : memref<256xi8>
    scf.yield %arena, %t : memref<256xi8>, !gpu.async.token
  }
  gpu.wait [%r#1]
  memref.dealloc %r#0 : memref<256xi8>
  return
}

// -----

// The wait is for the iteration's own work, not for that on the arena that it frees.
func.func @loop_with_wrong_token(%x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<256xi8>
  %t0 = gpu.wait async
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %first, %u = %t0, %v = %t0) -> (memref<256xi8>, !gpu.async.token, !gpu.async.token) {
    %arena = memref.alloc() : memref<256xi8>
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{this work may still run}}
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%v]
    // expected-error @+1 {{deallocates an arena that work may still use}}
    memref.dealloc %m : memref<256xi8>
    scf.yield %arena, %t, %u : memref<256xi8>, !gpu.async.token, !gpu.async.token
  }
  gpu.wait [%r#1, %r#2]
  memref.dealloc %r#0 : memref<256xi8>
  return
}

// -----

func.func @block(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
  cf.br ^next(%p : memref<256xi8>)
^next(%m: memref<256xi8>):
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %m : memref<256xi8>
  gpu.wait [%t]
  return
}

// -----

// What is carried was chosen before the iteration made its own arena.
func.func @view_of_before(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena0 = memref.alloc() : memref<256xi8>
  %first = memref.view %arena0[%c0][] : memref<256xi8> to memref<64xf32>
  %t0 = gpu.wait async
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %first, %u = %t0) -> (memref<64xf32>, !gpu.async.token) {
    %arena = memref.alloc() : memref<256xi8>
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%u]
    memref.copy %x, %k : memref<64xf32> to memref<64xf32>
    memref.copy %k, %o : memref<64xf32> to memref<64xf32>
    scf.yield %a, %t : memref<64xf32>, !gpu.async.token
  }
  gpu.wait [%r#1]
  return
}

// -----

// As before, without the wait, and through another view of the arena of before.
func.func @view_of_before_too_early(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena0 = memref.alloc() : memref<256xi8>
  %first = memref.view %arena0[%c0][] : memref<256xi8> to memref<64xf32>
  %second = memref.view %arena0[%c0][] : memref<256xi8> to memref<64xf32>
  %t0 = gpu.wait async
  // expected-note @+1 {{this is the other view}}
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%j = %first, %k = %second, %u = %t0) -> (memref<64xf32>, memref<64xf32>, !gpu.async.token) {
    %arena = memref.alloc() : memref<256xi8>
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{this work may still run}}
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.copy %x, %k : memref<64xf32> to memref<64xf32>
    memref.copy %k, %o : memref<64xf32> to memref<64xf32>
    gpu.wait [%u]
    scf.yield %a, %b, %t : memref<64xf32>, memref<64xf32>, !gpu.async.token
  }
  gpu.wait [%r#2]
  return
}

// -----

// Too early: nothing has waited for the work on the arena of the iteration before.
func.func @while_too_early(%x: memref<64xf32>, %n: i1) {
  %c0 = arith.constant 0 : index
  %first = memref.alloc() : memref<256xi8>
  %r = scf.while (%m = %first) : (memref<256xi8>) -> memref<256xi8> {
    // expected-error @+1 {{deallocates an arena that work may still use}}
    memref.dealloc %m : memref<256xi8>
    %arena = memref.alloc() : memref<256xi8>
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{this work may still run}}
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    scf.condition(%n) %arena : memref<256xi8>
  } do {
  ^bb0(%k: memref<256xi8>):
    scf.yield %k : memref<256xi8>
  }
  memref.dealloc %r : memref<256xi8>
  return
}

// -----

// The token goes the way of the arena.
func.func @while_tokens(%x: memref<64xf32>, %n: i1) {
  %c0 = arith.constant 0 : index
  %first = memref.alloc() : memref<256xi8>
  %t0 = gpu.wait async
  %r:2 = scf.while (%m = %first, %u = %t0) : (memref<256xi8>, !gpu.async.token) -> (memref<256xi8>, !gpu.async.token) {
    gpu.wait [%u]
    memref.dealloc %m : memref<256xi8>
    %arena = memref.alloc() : memref<256xi8>
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    scf.condition(%n) %arena, %t : memref<256xi8>, !gpu.async.token
  } do {
  ^bb0(%k: memref<256xi8>, %v: !gpu.async.token):
    scf.yield %k, %v : memref<256xi8>, !gpu.async.token
  }
  gpu.wait [%r#1]
  memref.dealloc %r#0 : memref<256xi8>
  return
}

// -----

func.func @twice(%x: memref<64xf32>, %o: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %s = memref.alloc() : memref<256xi8>
  %s2 = memref.alloc() : memref<256xi8>
  %b = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  %d = memref.view %s2[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %x, %d : memref<64xf32> to memref<64xf32>
  %r = arith.select %c, %s, %s2 : memref<256xi8>
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %r : memref<256xi8>
  // expected-error @+1 {{deallocates an arena for the second time}}
  memref.dealloc %s : memref<256xi8>
  return
}

// -----

func.func @used_behind_select(%x: memref<64xf32>, %o: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %s = memref.alloc() : memref<256xi8>
  %s2 = memref.alloc() : memref<256xi8>
  %b = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  %d = memref.view %s2[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %x, %d : memref<64xf32> to memref<64xf32>
  %r = arith.select %c, %s, %s2 : memref<256xi8>
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %r : memref<256xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @used_behind_if(%x: memref<64xf32>, %o: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %s = memref.alloc() : memref<256xi8>
  %s2 = memref.alloc() : memref<256xi8>
  %b = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  %r = scf.if %c -> memref<256xi8> { scf.yield %s : memref<256xi8> } else { scf.yield %s2 : memref<256xi8> }
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %r : memref<256xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @used_behind_loop(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the arena}}
  %s = memref.alloc() : memref<256xi8>
  %b = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %s) -> memref<256xi8> {
    // expected-note @+1 {{it is deallocated here}}
    memref.dealloc %m : memref<256xi8>
    %q = memref.alloc() : memref<256xi8>
    scf.yield %q : memref<256xi8>
  }
  // expected-error @+1 {{uses an arena after it was deallocated}}
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  memref.dealloc %r : memref<256xi8>
  return
}

// -----

func.func @used_behind_branch(%x: memref<64xf32>, %o: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %s = memref.alloc() : memref<256xi8>
  %b = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  cf.br ^n(%s : memref<256xi8>)
^n(%m: memref<256xi8>):
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %m : memref<256xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Each iteration frees the arena of two iterations before.
func.func @ring(%x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<256xi8>
  %second = memref.alloc() : memref<256xi8>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %first, %k = %second) -> (memref<256xi8>, memref<256xi8>) {
    memref.dealloc %m : memref<256xi8>
    %arena = memref.alloc() : memref<256xi8>
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    scf.yield %k, %arena : memref<256xi8>, memref<256xi8>
  }
  memref.dealloc %r#0 : memref<256xi8>
  memref.dealloc %r#1 : memref<256xi8>
  return
}

// -----

// The condition that chooses which is freed chooses the view of the other.
func.func @the_other(%x: memref<64xf32>, %c: i1) {
  %s = memref.alloc() : memref<256xi8>
  %s2 = memref.alloc() : memref<256xi8>
  %c0 = arith.constant 0 : index
  %a = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %s2[%c0][] : memref<256xi8> to memref<64xf32>
  %u = arith.select %c, %a, %b : memref<64xf32>
  %v = arith.select %c, %b, %a : memref<64xf32>
  memref.copy %x, %u : memref<64xf32> to memref<64xf32>
  memref.copy %x, %v : memref<64xf32> to memref<64xf32>
  %p = arith.select %c, %s, %s2 : memref<256xi8>
  %q = arith.select %c, %s2, %s : memref<256xi8>
  memref.dealloc %p : memref<256xi8>
  memref.copy %v, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %q : memref<256xi8>
  return
}

// -----

func.func @the_same(%x: memref<64xf32>, %c: i1) {
  %s = memref.alloc() : memref<256xi8>
  %s2 = memref.alloc() : memref<256xi8>
  %c0 = arith.constant 0 : index
  %a = memref.view %s[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %s2[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the arena}}
  %u = arith.select %c, %a, %b : memref<64xf32>
  %v = arith.select %c, %b, %a : memref<64xf32>
  memref.copy %x, %u : memref<64xf32> to memref<64xf32>
  memref.copy %x, %v : memref<64xf32> to memref<64xf32>
  %p = arith.select %c, %s, %s2 : memref<256xi8>
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %p : memref<256xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  memref.copy %u, %x : memref<64xf32> to memref<64xf32>
  return
}
