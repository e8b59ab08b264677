// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are no allocation of their own: run from results.c.

func.func @twice(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  return %a, %a : memref<4xf32>, memref<4xf32>
}

func.func @selected(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %r = arith.select %c, %a, %x : memref<4xf32>
  return %r : memref<4xf32>
}

func.func @branch(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    linalg.negf ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
    scf.yield %b : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// Two buffers go around a loop.
func.func @carried(%n: index, %x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.negf ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a, %w = %b) -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %w, %v : memref<4xf32>, memref<4xf32>
  }
  return %p, %q : memref<4xf32>, memref<4xf32>
}

func.func @blocks(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  cf.cond_br %c, ^own, ^other(%x : memref<4xf32>)
^own:
  return %a : memref<4xf32>
^other(%y: memref<4xf32>):
  return %y : memref<4xf32>
}

func.func @argument(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

func.func @part(%x: memref<4xf32>) -> memref<2xf32, strided<[1], offset: 2>> {
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %p = memref.subview %a[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  return %p : memref<2xf32, strided<[1], offset: 2>>
}

func.func @somewhere(%x: memref<4xf32>, %i: index) -> memref<2xf32, strided<[1], offset: ?>> {
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %p = memref.subview %a[%i] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
  return %p : memref<2xf32, strided<[1], offset: ?>>
}

// What is called returns phis, too: of its own memory, and of its arguments.
func.func private @own(%c: i1, %x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %r = func.call @either(%c, %x) : (i1, memref<4xf32>) -> memref<4xf32>
  return %r, %r : memref<4xf32>, memref<4xf32>
}
func.func private @either(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.negf ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  %r = arith.select %c, %a, %b : memref<4xf32>
  return %r : memref<4xf32>
}
func.func private @pick(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  %r = arith.select %c, %x, %y : memref<4xf32>
  return %r : memref<4xf32>
}
// The second result of @own is the first one: it reads what is written there.
func.func @called(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %p, %q = call @own(%c, %x) : (i1, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  linalg.add ins(%p, %x : memref<4xf32>, memref<4xf32>) outs(%p : memref<4xf32>)
  %r = call @pick(%c, %q, %x) : (i1, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return %r : memref<4xf32>
}
