// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics

// Arenas that a function is given, and those that a callback lends.

func.func private @take(index, index) -> (memref<?xi8> {stowage.borrowed})
func.func private @give_back(memref<?xi8>)

func.func @lent_twice(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %arena = call @take(%c512, %c64) : (index, index) -> memref<?xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena, which hold what another view has yet to read}}
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  // expected-note @+1 {{and read here}}
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  call @give_back(%arena) : (memref<?xi8>) -> ()
  return
}

// -----

func.func private @take(index, index) -> (memref<?xi8> {stowage.borrowed})
func.func private @give_back(memref<?xi8>)

func.func @used_after(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  // expected-note @+1 {{this is the arena}}
  %arena = call @take(%c256, %c64) : (index, index) -> memref<?xi8>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  // expected-note @+1 {{deallocated here}}
  call @give_back(%arena) : (memref<?xi8>) -> ()
  // expected-error @+1 {{uses an arena after it was deallocated}}
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// -----

// What a function is promised of its argument, each call of it must keep.

func.func private @leaf(%x: memref<64xf32>, %frame: memref<256xi8>) {
  %c0 = arith.constant 0 : index
  %arena = memref.assume_alignment %frame, 64 : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

func.func @misaligned(%x: memref<64xf32>) {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the arena is this}}
  %arena = memref.alloc() {alignment = 16} : memref<320xi8>
  %good = memref.view %arena[%c64][] : memref<320xi8> to memref<256xi8>
  %bad = memref.view %arena[%c32][] : memref<320xi8> to memref<256xi8>
  // expected-error @+1 {{the arena is aligned to 16 bytes, not to 64, which the function called is promised}}
  call @leaf(%x, %good) : (memref<64xf32>, memref<256xi8>) -> ()
  // expected-error @+1 {{offset 32 is not a multiple of 64, which the function called is promised}}
  call @leaf(%x, %bad) : (memref<64xf32>, memref<256xi8>) -> ()
  memref.dealloc %arena : memref<320xi8>
  return
}

// -----

func.func private @take(index, index) -> (memref<?xi8> {stowage.borrowed})
func.func private @give_back(memref<?xi8>)

func.func @more_than_asked(%x: memref<64xf32>, %v: memref<4xvector<8xf32>>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  // expected-note @+2 {{it is cut from this}}
  // expected-note @+1 {{the arena is this}}
  %arena = call @take(%c256, %c16) : (index, index) -> memref<?xi8>
  // expected-error @+1 {{bytes 8 to 264 of 256: the view leaves its arena}}
  %a = memref.view %arena[%c8][] : memref<?xi8> to memref<64xf32>
  // expected-error @+1 {{the arena is aligned to 16 bytes, not to 32, which the element type asks for}}
  %b = memref.view %arena[%c0][] : memref<?xi8> to memref<4xvector<8xf32>>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  memref.copy %b, %v : memref<4xvector<8xf32>> to memref<4xvector<8xf32>>
  call @give_back(%arena) : (memref<?xi8>) -> ()
  return
}

// -----

// One frame for calls that run at once, though each is given a row of its own.

func.func private @leaf(%x: memref<64xf32, strided<[1], offset: ?>>, %frame: memref<256xi8>) {
  %c0 = arith.constant 0 : index
  %a = memref.view %frame[%c0][] : memref<256xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32, strided<[1], offset: ?>>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32, strided<[1], offset: ?>>)
  return
}

// expected-note @+1 {{the arena is made outside of it}}
func.func @iterations(%x: memref<4x64xf32>, %arena: memref<1024xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %one = memref.view %arena[%c0][] : memref<1024xi8> to memref<256xi8>
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %row = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %at = arith.muli %i, %c256 : index
    %own = memref.view %arena[%at][] : memref<1024xi8> to memref<256xi8>
    func.call @leaf(%row, %own) : (memref<64xf32, strided<[1], offset: ?>>, memref<256xi8>) -> ()
    scf.reduce
  }
  // expected-note @+1 {{iterations of this may run at once}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %row = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
    func.call @leaf(%row, %one) : (memref<64xf32, strided<[1], offset: ?>>, memref<256xi8>) -> ()
    scf.reduce
  }
  return
}

// -----

func.func private @leaf(%x: memref<64xf32>, %frame: memref<256xi8>) {
  %c0 = arith.constant 0 : index
  %a = memref.view %frame[%c0][] : memref<256xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

func.func @tasks(%x: memref<64xf32>, %y: memref<64xf32>, %arena: memref<512xi8>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  // expected-note @+1 {{both are given this view}}
  %one = memref.view %arena[%c0][] : memref<512xi8> to memref<256xi8>
  %first = async.execute {
    // expected-note @+1 {{this call may still run}}
    func.call @leaf(%x, %one) : (memref<64xf32>, memref<256xi8>) -> ()
    async.yield
  }
  %second = async.execute {
    // expected-error @+1 {{calls that run at once use the same bytes of an arena}}
    func.call @leaf(%y, %one) : (memref<64xf32>, memref<256xi8>) -> ()
    async.yield
  }
  async.await %first : !async.token
  async.await %second : !async.token
  return
}

func.func @tasks_in_turn(%x: memref<64xf32>, %y: memref<64xf32>, %arena: memref<512xi8>) {
  %c0 = arith.constant 0 : index
  %one = memref.view %arena[%c0][] : memref<512xi8> to memref<256xi8>
  %first = async.execute {
    func.call @leaf(%x, %one) : (memref<64xf32>, memref<256xi8>) -> ()
    async.yield
  }
  %second = async.execute [%first] {
    func.call @leaf(%y, %one) : (memref<64xf32>, memref<256xi8>) -> ()
    async.yield
  }
  async.await %second : !async.token
  call @leaf(%y, %one) : (memref<64xf32>, memref<256xi8>) -> ()
  return
}

// -----

// One global arena, of two functions of which one calls the other.

memref.global "private" @arena : memref<512xi8> = uninitialized

func.func private @inner(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.get_global @arena : memref<512xi8>
  %memory = memref.assume_alignment %arena, 4 : memref<512xi8>
  %a = memref.view %memory[%c0][] : memref<512xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

func.func private @middle(%x: memref<64xf32>) {
  call @inner(%x) : (memref<64xf32>) -> ()
  return
}

func.func @outer(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  // expected-note @+1 {{this is the view that is written}}
  %arena = memref.get_global @arena : memref<512xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  // expected-note @+1 {{it is written here}}
  linalg.exp ins(%b : memref<64xf32>) outs(%a : memref<64xf32>)
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena, which hold what another view has yet to read}}
  call @middle(%y) : (memref<64xf32>) -> ()
  // expected-note @+1 {{and read here}}
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

func.func @nothing_alive(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c256 = arith.constant 256 : index
  %arena = memref.get_global @arena : memref<512xi8>
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  call @middle(%y) : (memref<64xf32>) -> ()
  linalg.exp ins(%b : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// -----

// Constants in one memory, which functions only read: by views of their own, also at once.

memref.global "private" @weights : memref<512xi8> = uninitialized

func.func private @reads(%y: memref<64xf32>, %bytes: memref<256xi8>) {
  %c0 = arith.constant 0 : index
  %memory = memref.get_global @weights : memref<512xi8>
  %a = memref.view %memory[%c0][] : memref<512xi8> to memref<64xf32>
  %part = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %b = memref.view %bytes[%c0][] : memref<256xi8> to memref<64xf32>
  %first = memref.load %part[%c0] : memref<32xf32, strided<[1]>>
  memref.store %first, %y[%c0] : memref<64xf32>
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

func.func @constants(%x: memref<4x64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %memory = memref.get_global @weights : memref<512xi8>
  %a = memref.view %memory[%c0][] : memref<512xi8> to memref<64xf32>
  %bytes = memref.view %memory[%c256][] : memref<512xi8> to memref<256xi8>
  linalg.exp ins(%y : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %own = memref.alloc() : memref<64xf32>
    func.call @reads(%own, %bytes) : (memref<64xf32>, memref<256xi8>) -> ()
    %v = memref.load %own[%i] : memref<64xf32>
    memref.store %v, %x[%i, %c0] : memref<4x64xf32>
    memref.dealloc %own : memref<64xf32>
    scf.reduce
  }
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
