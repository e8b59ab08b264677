// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// What works on a view needs it until it is waited for.

func.func @execute(%x: f32, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %token = async.execute {
    memref.copy %a, %m : memref<16xf32> to memref<16xf32>
    async.yield
  }
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  // expected-note @+1 {{and read here}}
  async.await %token : !async.token
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

func.func @group(%x: f32, %m: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %group = async.create_group %n : !async.group
  %token = async.execute {
    memref.copy %a, %m : memref<16xf32> to memref<16xf32>
    async.yield
  }
  async.add_to_group %token, %group : !async.token
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  // expected-note @+1 {{and read here}}
  async.await_all %group
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

func.func @waited(%x: f32, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %token = async.execute {
    memref.copy %a, %m : memref<16xf32> to memref<16xf32>
    async.yield
  }
  async.await %token : !async.token
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  memref.copy %b, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// A device's copy; the dealloc comes too early, too.

func.func @device(%x: f32, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %t = gpu.wait async
  // expected-note @+1 {{this work may still run}}
  %token = gpu.memcpy async [%t] %m, %a : memref<16xf32>, memref<16xf32>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %arena : memref<64xi8>
  gpu.wait [%token]
  return
}

// -----

// A pointer is the view.

func.func private @fill(index)
func.func @pointer(%x: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = arith.addi %p, %c4 : index
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  // expected-note @+1 {{and read here}}
  func.call @fill(%q) : (index) -> ()
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Who holds a stored view may read it as long as the function runs, and longer.

// expected-note @+1 {{and may be read when the function is done}}
func.func @stored(%x: f32, %where: memref<1xmemref<16xf32>>, %arena: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  memref.store %a, %where[%c0] : memref<1xmemref<16xf32>>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  return
}

// -----

// What a body makes and frees itself, its token does not stand for.

func.func @own(%x: f32, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %token = async.execute {
    %arena = memref.alloc() : memref<64xi8>
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    memref.copy %a, %m : memref<16xf32> to memref<16xf32>
    memref.dealloc %arena : memref<64xi8>
    async.yield
  }
  async.await %token : !async.token
  return
}

// -----

// No turn of the loop runs, or one: where none does, what the body reads is not needed yet.
func.func @body_may_be_passed_over(%x: f32, %m: memref<16xf32>, %more: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %no = arith.constant false
  %arena = memref.alloc() : memref<128xi8>
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %c = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<16xf32>)
  %token = async.execute {
    %last:2 = scf.while (%go = %more, %v = %b) : (i1, memref<16xf32>) -> (i1, memref<16xf32>) {
      scf.condition(%go) %go, %v : i1, memref<16xf32>
    } do {
    ^bb0(%go: i1, %v: memref<16xf32>):
      memref.copy %v, %m : memref<16xf32> to memref<16xf32>
      scf.yield %no, %a : i1, memref<16xf32>
    }
    async.yield
  }
  async.await %token : !async.token
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

func.func @body_may_run(%x: f32, %m: memref<16xf32>, %more: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{this is the view that is written}}
  %c = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %token = async.execute {
    %last:2 = scf.while (%go = %more, %v = %b) : (i1, memref<16xf32>) -> (i1, memref<16xf32>) {
      scf.condition(%go) %go, %v : i1, memref<16xf32>
    } do {
    ^bb0(%go: i1, %v: memref<16xf32>):
      memref.copy %v, %m : memref<16xf32> to memref<16xf32>
      scf.yield %go, %a : i1, memref<16xf32>
    }
    async.yield
  }
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%c : memref<16xf32>)
  // expected-note @+1 {{and read here}}
  async.await %token : !async.token
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

// A group that is made outside of a loop holds the tokens of earlier turns.

func.func @group_of_turns(%x: f32, %m: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the other view}}
  %group = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{overwrites bytes}}
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    memref.copy %b, %m : memref<16xf32> to memref<16xf32>
    // expected-note @+1 {{it is written here}}
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    %token = async.execute {
      memref.copy %a, %m : memref<16xf32> to memref<16xf32>
      async.yield
    }
    async.add_to_group %token, %group : !async.token
  }
  // expected-note @+1 {{and read here}}
  async.await_all %group
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

func.func @group_of_one_turn(%x: f32, %m: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    memref.copy %b, %m : memref<16xf32> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    %group = async.create_group %n : !async.group
    scf.for %j = %c0 to %n step %c1 {
      %token = async.execute {
        memref.copy %a, %m : memref<16xf32> to memref<16xf32>
        async.yield
      }
      async.add_to_group %token, %group : !async.token
    }
    async.await_all %group
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// The same where the loop carries the group, and tasks of a task join it.

func.func @carried_group(%x: f32, %m: memref<16xf32>, %n: index) {
  %g0 = async.create_group %n : !async.group
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the other view}}
  %gl = scf.for %i = %c0 to %n step %c1 iter_args(%group = %g0) -> !async.group {
    // expected-error @+2 {{overwrites bytes 0 to 64 of an arena, which}}
    // expected-error @+1 {{overwrites bytes of an arena}}
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    memref.copy %b, %m : memref<16xf32> to memref<16xf32>
    // expected-note @+1 {{it is written here}}
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    %outer = async.execute {
      %token = async.execute {
        memref.copy %a, %m : memref<16xf32> to memref<16xf32>
        async.yield
      }
      async.add_to_group %token, %group : !async.token
      async.yield
    }
    async.await %outer : !async.token
    scf.yield %group : !async.group
  }
  // expected-note @+1 {{and read here}}
  async.await_all %gl
  memref.dealloc %arena : memref<64xi8>
  return
}
