// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

func.func @shared_temporary(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it: make it inside, or give each iteration a slice}}
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    %r = memref.load %a[%c0] : memref<16xf32>
    scf.reduce
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Also where the view was hoisted, and the loop inside does not tell iterations apart.

func.func @hoisted(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.forall (%i) in (%n) {
    scf.for %k = %c0 to %n step %c1 {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.store %x, %a[%k] : memref<16xf32>
    }
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// The result of a parallel loop, a slice per iteration, an arena per iteration, one iteration alone.

func.func @right(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  %slices = memref.alloc() : memref<4096xi8>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %a[%i] : memref<16xf32>
    %offset = arith.muli %i, %c64 : index
    %t = memref.view %slices[%offset][] : memref<4096xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%t : memref<16xf32>)
    %own = memref.alloc() : memref<64xi8>
    %b = memref.view %own[%c0][] : memref<64xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    memref.dealloc %own : memref<64xi8>
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %x, %a[%c0] : memref<16xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<64xi8>
  memref.dealloc %slices : memref<4096xi8>
  return
}

// -----

func.func @kernel(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    memref.store %x, %a[%tx] : memref<16xf32>
    // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
    memref.store %x, %a[%c0] : memref<16xf32>
    gpu.terminator
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Bodies that a loop starts and does not wait for.

func.func @bodies(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<64xi8>
  %group = async.create_group %n : !async.group
  // expected-note @+1 {{iterations of this may run at once}}
  scf.for %k = %c0 to %n step %c1 {
    %token = async.execute {
      %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
      async.yield
    }
    async.add_to_group %token, %group : !async.token
  }
  async.await_all %group
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Constant bounds allow one iteration: nothing runs beside it.
func.func @one_iteration(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %arena = memref.alloc() : memref<64xi8>
  %v = memref.view %arena[%c0][] : memref<64xi8> to memref<f32>
  scf.parallel (%i, %j) = (%c0, %c1) to (%c1, %c2) step (%c1, %c1) {
    memref.store %x, %v[] : memref<f32>
    scf.reduce
  }
  scf.forall (%i) in (1) {
    memref.store %x, %v[] : memref<f32>
  }
  %r = memref.load %v[] : memref<f32>
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// One dimension has one iteration, the other two.
func.func @two_iterations(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<64xi8>
  %v = memref.view %arena[%c0][] : memref<64xi8> to memref<f32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1, %c2) step (%c1, %c1) {
    // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
    memref.store %x, %v[] : memref<f32>
    scf.reduce
  }
  %r = memref.load %v[] : memref<f32>
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Work that reads what is made outside, and is waited for.

func.func @readers(%x: f32, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.forall (%k) in (%n) {
    %token = async.execute {
      %v = memref.load %a[%c0] : memref<16xf32>
      memref.store %v, %out[%k] : memref<?xf32>
      async.yield
    }
    async.await %token : !async.token
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Work that writes it.

func.func @writers(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.forall (%k) in (%n) {
    %token = async.execute {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
      async.yield
    }
    async.await %token : !async.token
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Work that gives memory to whoever waits for it, which is written there.

func.func @given(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.forall (%k) in (%n) {
    %token, %v = async.execute -> !async.value<memref<16xf32>> {
      async.yield %a : memref<16xf32>
    }
    // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
    %m = async.await %v : !async.value<memref<16xf32>>
    memref.store %x, %m[%c0] : memref<16xf32>
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// A group of readers.

func.func @group(%x: f32, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.forall (%k) in (%n) {
    %group = async.create_group %c1 : !async.group
    %token = async.execute {
      %v = memref.load %a[%c0] : memref<16xf32>
      memref.store %v, %out[%k] : memref<?xf32>
      async.yield
    }
    async.add_to_group %token, %group : !async.token
    async.await_all %group
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// What a loop is given for one of its arguments says nothing of another.

func.func @other_argument(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<4096xi8>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%at = %c0, %b = %i) -> (index, index) {
      %a = memref.view %arena[%at][] : memref<4096xi8> to memref<16xf32>
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.store %x, %a[%c0] : memref<16xf32>
      scf.yield %at, %i : index, index
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<4096xi8>
  return
}

// -----

// The first turn writes to a slice of the iteration, the later ones to what all of them share.

func.func @yields_shared_view(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<4096xi8>
  %shared = memref.view %arena[%c0][] : memref<4096xi8> to memref<16xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c1) to (%c64) step (%c1) {
    %offset = arith.muli %i, %c64 : index
    %a = memref.view %arena[%offset][] : memref<4096xi8> to memref<16xf32>
    %r = scf.for %k = %c0 to %c64 step %c1 iter_args(%to = %a) -> (memref<16xf32>) {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.store %x, %to[%c0] : memref<16xf32>
      scf.yield %shared : memref<16xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<4096xi8>
  return
}

// -----

// Two slices of an iteration that change places in each turn.

func.func @own_slices_in_turn(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<4096xi8>
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %offset = arith.muli %i, %c64 : index
    %behind = arith.addi %offset, %c32 : index
    %a = memref.view %arena[%offset][] : memref<4096xi8> to memref<8xf32>
    %b = memref.view %arena[%behind][] : memref<4096xi8> to memref<8xf32>
    %r:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%to = %a, %next = %b)
        -> (memref<8xf32>, memref<8xf32>) {
      memref.store %x, %to[%c0] : memref<8xf32>
      %s:2 = scf.for %l = %c0 to %c64 step %c1 iter_args(%from = %next, %last = %to)
          -> (memref<8xf32>, memref<8xf32>) {
        memref.store %x, %from[%c0] : memref<8xf32>
        scf.yield %last, %from : memref<8xf32>, memref<8xf32>
      }
      scf.yield %next, %to : memref<8xf32>, memref<8xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<4096xi8>
  return
}

// -----

// The third iteration writes to what all share: it comes there through another argument.

func.func @shared_view_comes_last(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<4096xi8>
  %shared = memref.view %arena[%c0][] : memref<4096xi8> to memref<8xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c1) to (%c64) step (%c1) {
    %offset = arith.muli %i, %c64 : index
    %behind = arith.addi %offset, %c32 : index
    %a = memref.view %arena[%offset][] : memref<4096xi8> to memref<8xf32>
    %b = memref.view %arena[%behind][] : memref<4096xi8> to memref<8xf32>
    %r:3 = scf.for %k = %c0 to %c64 step %c1 iter_args(%to = %a, %next = %b, %last = %shared)
        -> (memref<8xf32>, memref<8xf32>, memref<8xf32>) {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.store %x, %to[%c0] : memref<8xf32>
      scf.yield %next, %last, %to : memref<8xf32>, memref<8xf32>, memref<8xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<4096xi8>
  return
}

// -----

// An inner loop is given it by the second iteration of an outer one.

func.func @shared_view_from_outer_loop(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<4096xi8>
  %shared = memref.view %arena[%c0][] : memref<4096xi8> to memref<16xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c1) to (%c64) step (%c1) {
    %offset = arith.muli %i, %c64 : index
    %a = memref.view %arena[%offset][] : memref<4096xi8> to memref<16xf32>
    %r = scf.for %k = %c0 to %c64 step %c1 iter_args(%outer = %a) -> (memref<16xf32>) {
      %s = scf.for %l = %c0 to %c64 step %c1 iter_args(%to = %outer) -> (memref<16xf32>) {
        // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
        memref.store %x, %to[%c0] : memref<16xf32>
        scf.yield %to : memref<16xf32>
      }
      scf.yield %shared : memref<16xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<4096xi8>
  return
}

// -----

// A global is no iteration's own, wherever its address is taken.

memref.global "private" @arena : memref<64xi8>

func.func @global(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-note @+1 {{the arena is made outside of it}}
    %arena = memref.get_global @arena : memref<64xi8>
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    scf.reduce
  }
  return
}

// -----

// A wait in one arm is none for the other.
func.func @waits_in_one_arm(%q: memref<64xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %g = async.create_group %n : !async.group
  // expected-note @+1 {{iterations of this may run at once}}
  scf.for %i = %c0 to %n step %c1 {
    %t = async.execute {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.copy %q, %a : memref<64xf32> to memref<64xf32>
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    async.add_to_group %t, %g : !async.token
    scf.if %c {
      async.await %t : !async.token
    }
  }
  async.await_all %g
  return
}

// -----

func.func @waits_in_both_arms(%q: memref<64xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %t = async.execute {
      memref.copy %q, %a : memref<64xf32> to memref<64xf32>
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    async.add_to_group %t, %g : !async.token
    scf.if %c {
      async.await %t : !async.token
    } else {
      async.await_all %g
    }
  }
  return
}

// -----

// The task that is waited for has started another, for which nothing waits.
func.func @waits_for_the_outer_task(%q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{iterations of this may run at once}}
  scf.for %i = %c0 to %n step %c1 {
    %t = async.execute {
      %u = async.execute {
        // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
        memref.copy %q, %a : memref<64xf32> to memref<64xf32>
        memref.copy %a, %q : memref<64xf32> to memref<64xf32>
        async.yield
      }
      async.yield
    }
    async.await %t : !async.token
  }
  return
}

// -----

// Each outer iteration has memory of its own, and its inner iterations follow each other.
func.func @chained_on_memory_of_an_iteration(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<256xi8>
    %v = memref.view %a[%c0][] : memref<256xi8> to memref<64xf32>
    %first = async.execute {
      memref.store %x, %v[%c0] : memref<64xf32>
      async.yield
    }
    scf.for %k = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %u = async.execute [%t] {
        memref.store %x, %v[%c0] : memref<64xf32>
        async.yield
      }
      scf.yield %u : !async.token
    }
  }
  return
}

// -----

// All that an outer iteration has started is done when its memory is freed.
func.func @chained_and_awaited(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<256xi8>
    %v = memref.view %a[%c0][] : memref<256xi8> to memref<64xf32>
    %first = async.execute {
      memref.store %x, %v[%c0] : memref<64xf32>
      async.yield
    }
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %u = async.execute [%t] {
        memref.store %x, %v[%c0] : memref<64xf32>
        async.yield
      }
      scf.yield %u : !async.token
    }
    async.await %last : !async.token
    memref.dealloc %a : memref<256xi8>
  }
  return
}

// -----

// Without the chain they run at once.
func.func @unchained_on_memory_of_an_iteration(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{the arena is made outside of it}}
    %a = memref.alloc() : memref<256xi8>
    %v = memref.view %a[%c0][] : memref<256xi8> to memref<64xf32>
    %first = async.execute {
      memref.store %x, %v[%c0] : memref<64xf32>
      async.yield
    }
    // expected-note @+1 {{iterations of this may run at once}}
    scf.for %k = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %u = async.execute {
        // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
        memref.store %x, %v[%c0] : memref<64xf32>
        async.yield
      }
      scf.yield %u : !async.token
    }
  }
  return
}

// -----

// The chain begins anew in each outer iteration, on the same memory.
func.func @chained_on_memory_of_all_iterations(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %a = memref.alloc() : memref<256xi8>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.view %a[%c0][] : memref<256xi8> to memref<64xf32>
    %first = async.execute {
      async.yield
    }
    // expected-note @+1 {{iterations of this may run at once}}
    scf.for %k = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %u = async.execute [%t] {
        // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
        memref.store %x, %v[%c0] : memref<64xf32>
        async.yield
      }
      scf.yield %u : !async.token
    }
  }
  return
}
