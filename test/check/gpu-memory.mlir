// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// An arena that gpu.alloc makes and gpu.dealloc frees, at once or in the order of tokens.

func.func @right_sync(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = gpu.alloc () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %a : memref<64xf32>, memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %b : memref<64xf32>, memref<64xf32>
  gpu.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @clobbered(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = gpu.alloc () : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{and read here}}
  gpu.memcpy %o, %a : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %b : memref<64xf32>, memref<64xf32>
  gpu.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @freed(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = gpu.alloc () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{it is deallocated here}}
  gpu.dealloc %arena : memref<256xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  gpu.memcpy %o, %a : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @twice(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = gpu.alloc () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %a : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{it is deallocated here}}
  gpu.dealloc %arena : memref<256xi8>
  // expected-error @+1 {{deallocates an arena for the second time}}
  gpu.dealloc %arena : memref<256xi8>
  return
}

// -----

// Each op of the stream begins when the one in front of it is done.
func.func @right_async(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
  %t6 = gpu.memcpy async [%t3] %b, %x : memref<64xf32>, memref<64xf32>
  %t7 = gpu.memcpy async [%t6] %o, %b : memref<64xf32>, memref<64xf32>
  %t8 = gpu.dealloc async [%t7] %arena : memref<256xi8>
  gpu.wait [%t8]
  return
}

// -----

// Two streams are not ordered.
func.func @two_streams(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  %t6 = gpu.memcpy async [%t1] %b, %x : memref<64xf32>, memref<64xf32>
  %t7 = gpu.memcpy async [%t6] %o, %b : memref<64xf32>, memref<64xf32>
  %t8 = gpu.dealloc async [%t3, %t7] %arena : memref<256xi8>
  gpu.wait [%t8]
  return
}

// -----

// The stream that frees does not wait for the read.
func.func @dealloc_unordered(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  %t8 = gpu.dealloc async [%t2] %arena : memref<256xi8>
  gpu.wait [%t8]
  gpu.wait [%t3]
  return
}

// -----

// It is freed first in the stream.
func.func @used_behind_async_dealloc(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  // expected-note @+1 {{this is the arena}}
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{it is deallocated here}}
  %t8 = gpu.dealloc async [%t2] %arena : memref<256xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %t3 = gpu.memcpy async [%t8] %o, %a : memref<64xf32>, memref<64xf32>
  gpu.wait [%t3]
  return
}

// -----

// The token that is returned does not stand for the first copy alone, which may still run.
func.func @freed_before_the_stream_is_done(%x: memref<64xf32>, %o: memref<64xf32>) -> !gpu.async.token {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %t1 = gpu.wait async
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %o, %x : memref<64xf32>, memref<64xf32>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %arena : memref<256xi8>
  return %t3 : !gpu.async.token
}

// -----

// In a loop, the stream goes on with the memory of the iteration before.
func.func @one_stream_in_a_loop(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t1) -> !gpu.async.token {
    %t2 = gpu.memcpy async [%t] %a, %x : memref<64xf32>, memref<64xf32>
    %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
    %t4 = gpu.memcpy async [%t3] %b, %x : memref<64xf32>, memref<64xf32>
    %t5 = gpu.memcpy async [%t4] %o, %b : memref<64xf32>, memref<64xf32>
    scf.yield %t5 : !gpu.async.token
  }
  %t6 = gpu.dealloc async [%last] %arena : memref<256xi8>
  gpu.wait [%t6]
  return
}

// -----

// A kernel that reads a view, and a copy that begins behind another one.
module attributes {gpu.container_module} {
gpu.module @m { gpu.func @k(%a: memref<64xf32>, %b: memref<64xf32>) kernel { gpu.return } }
func.func @launch_two(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t3 = gpu.launch_func async [%t2] @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<64xf32>, %o : memref<64xf32>)
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  %t4 = gpu.memcpy async [%t2] %b, %x : memref<64xf32>, memref<64xf32>
  %t5 = gpu.memcpy async [%t4] %o, %b : memref<64xf32>, memref<64xf32>
  %t6 = gpu.dealloc async [%t5, %t3] %arena : memref<256xi8>
  gpu.wait [%t6]
  return
}
}

// -----

module attributes {gpu.container_module} {
gpu.module @m { gpu.func @k(%a: memref<64xf32>, %b: memref<64xf32>) kernel { gpu.return } }
func.func @launch_one_behind_the_other(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.launch_func async [%t2] @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<64xf32>, %o : memref<64xf32>)
  %t4 = gpu.memcpy async [%t3] %b, %x : memref<64xf32>, memref<64xf32>
  %t5 = gpu.memcpy async [%t4] %o, %b : memref<64xf32>, memref<64xf32>
  %t6 = gpu.dealloc async [%t5, %t3] %arena : memref<256xi8>
  gpu.wait [%t6]
  return
}
}

// -----

// A stream goes on behind two.
func.func @join(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<512xi8>
  %c256 = arith.constant 256 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  %d = memref.view %arena[%c0][] : memref<512xi8> to memref<128xf32>
  %y = memref.alloc() : memref<128xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t1] %b, %x : memref<64xf32>, memref<64xf32>
  %t4 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
  %t5 = gpu.memcpy async [%t3] %o, %b : memref<64xf32>, memref<64xf32>
  %j = gpu.wait async [%t4, %t5]
  %t6 = gpu.memcpy async [%j] %d, %y : memref<128xf32>, memref<128xf32>
  %t7 = gpu.memcpy async [%t6] %y, %d : memref<128xf32>, memref<128xf32>
  %t8 = gpu.dealloc async [%t7] %arena : memref<512xi8>
  gpu.wait [%t8]
  return
}

// -----

// A wait for both streams uses nothing that a stream did before.
func.func @wait_for_both(%x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
  %s1 = gpu.memcpy async [%t3] %p, %x : memref<64xf32>, memref<64xf32>
  %t4 = gpu.memcpy async [%t3] %b, %x : memref<64xf32>, memref<64xf32>
  %j = gpu.wait async [%t3, %t4, %s1]
  %t5 = gpu.memcpy async [%j] %o, %b : memref<64xf32>, memref<64xf32>
  gpu.wait [%s1, %t3, %t5]
  %t6 = gpu.wait async
  %t7 = gpu.dealloc async [%t6] %arena : memref<256xi8>
  gpu.wait [%t7]
  return
}

// -----

// An op that runs at once, behind the work of a token, uses nothing that this did.
func.func @at_once_behind(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = gpu.alloc () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy [%t] %b, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %b : memref<64xf32>, memref<64xf32>
  gpu.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @at_once_beside(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = gpu.alloc () : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy [%t] %o, %b : memref<64xf32>, memref<64xf32>
  gpu.dealloc %arena : memref<256xi8>
  return
}

// -----

// A launch on a stream that is an object may still read what it was given.

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
  // expected-note @+1 {{and may be read when the function is done}}
  func.func @on_object(%x: memref<64xf32>, %o: memref<64xf32>, %stream: !llvm.ptr) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %arena = gpu.alloc () : memref<256xi8>
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{it is written here}}
    gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
    gpu.launch_func <%stream : !llvm.ptr> @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<64xf32>)
    // expected-note @+1 {{this is the view that is written}}
    %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
    gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
    gpu.memcpy %o, %b : memref<64xf32>, memref<64xf32>
    gpu.dealloc %arena : memref<256xi8>
    return
  }
}

// -----

// Two launches of one stream are in order, and two that no token orders are not.
func.func @right_launches(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %a[%tx] : memref<64xf32>
    %w = memref.load %a[%tx] : memref<64xf32>
    memref.store %w, %o[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t3 = gpu.launch async [%t2] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %b[%tx] : memref<64xf32>
    %w = memref.load %b[%tx] : memref<64xf32>
    memref.store %w, %o[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t4 = gpu.dealloc async [%t3] %arena : memref<256xi8>
  gpu.wait [%t4]
  return
}

func.func @launches_of_two_streams(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %t0 = gpu.wait async
  %arena, %t1 = gpu.alloc async [%t0] () : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run, as nothing has waited for it on some path}}
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %a[%tx] : memref<64xf32>
    %w = memref.load %a[%tx] : memref<64xf32>
    memref.store %w, %o[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t3 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    // expected-error @+1 {{uses bytes of an arena that work may still use through another view}}
    memref.store %v, %b[%tx] : memref<64xf32>
    %w = memref.load %b[%tx] : memref<64xf32>
    memref.store %w, %o[%tx] : memref<64xf32>
    gpu.terminator
  }
  gpu.wait [%t2, %t3]
  gpu.dealloc %arena : memref<256xi8>
  return
}
