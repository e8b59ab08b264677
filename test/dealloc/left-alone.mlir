// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation --split-input-file \
// RUN:   --remarks-filter=buffer-deallocation 2> %t.remarks -o /dev/null
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not="remark: [{{[^A]}}" < %t.remarks

// REMARK: remark: {{.*}}Function=regions_that_do_not_tell | Reason="control flow through this op's regions is not known; implement RegionBranchOpInterface, and its terminator interface on what ends each region"
// REMARK: remark: {{.*}}Function=regions_that_do_not_tell | Reason="a block around it has no terminator, or one that is not known"
// REMARK: remark: {{.*}}Function=regions_that_do_not_tell | Reason="a block around it has no terminator, or one that is not known"
// REMARK: remark: {{.*}}Function=told_by_addresses | Reason="it is passed to a target that must free it, while it is needed or freed elsewhere and written later; pass a copy"
// REMARK: remark: {{.*}}Function=told_by_addresses | Reason="it is passed to a target that must free it, while it is needed or freed elsewhere and written later; pass a copy"
// REMARK: remark: {{.*}}Function=told_by_addresses | Reason="it is passed to a target that must free it, while it is needed or freed elsewhere and written later; pass a copy"
// REMARK: remark: {{.*}}Function=tiled | Reason="it meets a memref without an owner, and their type cannot be cloned; copy that into an allocation of identity layout"
// REMARK: remark: {{.*}}Function=tiled | Reason="it meets a memref without an owner, and their type cannot be cloned; copy that into an allocation of identity layout"
// REMARK: remark: {{.*}}Function=tiled | Reason="it meets a memref without an owner, and their type cannot be cloned; copy that into an allocation of identity layout"
// REMARK: remark: {{.*}}Function=regions_without_results | Reason="control flow through this op's regions is not known; implement RegionBranchOpInterface, and its terminator interface on what ends each region"
// REMARK: remark: {{.*}}Function=regions_without_results | Reason="a block around it has no terminator, or one that is not known"
// REMARK: remark: {{.*}}Function=layout_that_cannot_be_cloned | Reason="it meets a memref without an owner, and their type cannot be cloned; copy that into an allocation of identity layout"
// REMARK: remark: {{.*}}Function=unranked_cannot_be_cloned | Reason="it meets a memref without an owner, and their type cannot be cloned; copy that into an allocation of identity layout"
// REMARK: remark: {{.*}}Function=handed_on | Reason="an op of its own frees it, and code that a branch, a loop or a call gives it to cannot tell it from a memref.alloc; free it in the program"
// REMARK: remark: {{.*}}Function=unknown_end | Reason="a block around it has no terminator, or one that is not known"
// REMARK: remark: {{.*}}Function=its_caller | Reason="the function called keeps it, or frees it in some cases only", Remark="no dealloc is placed for this buffer, because of 'func.call'"
// REMARK: remark: {{.*}}Function=reduced | Reason="it becomes what may come from elsewhere, too"
// REMARK: remark: {{.*}}Function=reduced | Reason="it is yielded where control flow is not known"
// REMARK: remark: {{.*}}Function=reduced | Reason="it is yielded where control flow is not known"
// REMARK: remark: {{.*}}Function=read_by_reduction | Reason="the op at the end of its block uses it, and no place is behind that; read what is needed in front of that op", Remark="no dealloc is placed for this buffer, because of 'scf.reduce'"

// What is valid is no error: what cannot be decided is left alone, with a remark that tells a way out.

func.func @regions_that_do_not_tell(%c: i1) {
  %0 = "u.if"(%c) ({
    %1 = memref.alloc() : memref<2xf32>
    "u.yield"(%1) : (memref<2xf32>) -> ()
  }, {
    %2 = memref.alloc() : memref<2xf32>
    "u.yield"(%2) : (memref<2xf32>) -> ()
  }) : (i1) -> memref<2xf32>
  return
}

// -----

func.func @freed_in_the_program() {
  %0 = gpu.alloc () : memref<2xf32, 1>
  gpu.dealloc %0 : memref<2xf32, 1>
  return
}

// -----

// Which of the buffers came is told by addresses; a view with an offset has another one.
func.func @told_by_addresses(%n: index, %c: i1, %d: i1, %v: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xi8>
  %b = memref.alloc() : memref<8xi8>
  %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<8xi8>, memref<8xi8>) {
    %next = memref.alloc() : memref<64xi8>
    %view = memref.view %next[%c8][] : memref<64xi8> to memref<8xi8>
    %s = arith.select %c, %p, %view : memref<8xi8>
    %t = arith.select %d, %view, %q : memref<8xi8>
    memref.store %v, %s[%c0] : memref<8xi8>
    memref.store %v, %t[%c0] : memref<8xi8>
    scf.yield %s, %t : memref<8xi8>, memref<8xi8>
  }
  memref.store %v, %x#0[%c0] : memref<8xi8>
  memref.store %v, %x#1[%c0] : memref<8xi8>
  return
}

// -----

// A layout that has no strides has no base to ask for its address.
#tiled = affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
func.func @tiled(%n: index, %c: i1, %d: i1, %v: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi8, #tiled>
  %b = memref.alloc() : memref<8xi8, #tiled>
  %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<8xi8, #tiled>, memref<8xi8, #tiled>) {
    %next = memref.alloc() : memref<8xi8, #tiled>
    %s = arith.select %c, %p, %next : memref<8xi8, #tiled>
    %t = arith.select %d, %next, %q : memref<8xi8, #tiled>
    memref.store %v, %s[%c0] : memref<8xi8, #tiled>
    memref.store %v, %t[%c0] : memref<8xi8, #tiled>
    scf.yield %s, %t : memref<8xi8, #tiled>, memref<8xi8, #tiled>
  }
  memref.store %v, %x#0[%c0] : memref<8xi8, #tiled>
  memref.store %v, %x#1[%c0] : memref<8xi8, #tiled>
  return
}

// -----

func.func @regions_without_results(%c: i1) {
  "u.if"(%c) ({
    %0 = memref.alloc() : memref<2xf32>
    "u.end"(%0) : (memref<2xf32>) -> ()
  }, {
    "u.end"() : () -> ()
  }) : (i1) -> ()
  return
}

// -----

// What they only use is freed behind the op.
func.func @regions_that_only_use(%c: i1) {
  %0 = memref.alloc() : memref<2xf32>
  "u.if"(%c) ({
    "u.end"(%0) : (memref<2xf32>) -> ()
  }, {
    "u.end"(%0) : (memref<2xf32>) -> ()
  }) : (i1) -> ()
  return
}

// -----

func.func @freed_in_the_program_async() {
  %0 = gpu.wait async
  %1, %2 = gpu.alloc async [%0] () : memref<2xf32, 1>
  %3 = gpu.dealloc async [%2] %1 : memref<2xf32, 1>
  gpu.wait [%3]
  return
}

// -----

func.func @layout_that_cannot_be_cloned(%c: i1, %n: index, %given: memref<?xf32, strided<[2]>>) -> memref<?xf32, strided<[2]>> {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.subview %0[0] [%n] [2] : memref<4xf32> to memref<?xf32, strided<[2]>>
  %2 = arith.select %c, %given, %1 : memref<?xf32, strided<[2]>>
  return %2 : memref<?xf32, strided<[2]>>
}

// -----

func.func @unranked_cannot_be_cloned(%c: i1, %given: memref<*xf32>) -> memref<*xf32> {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.cast %0 : memref<4xf32> to memref<*xf32>
  %2 = arith.select %c, %given, %1 : memref<*xf32>
  return %2 : memref<*xf32>
}

// -----

func.func @unranked_but_ours() -> memref<*xf32> {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.cast %0 : memref<4xf32> to memref<*xf32>
  return %1 : memref<*xf32>
}

// -----

func.func @freed_by_another_name() {
  %0 = gpu.alloc () : memref<2xf32, 1>
  %1 = memref.cast %0 : memref<2xf32, 1> to memref<?xf32, 1>
  gpu.dealloc %1 : memref<?xf32, 1>
  return
}

// -----

// Whoever gets it frees it.
func.func @handed_on() -> memref<2xf32, 1> {
  %0 = gpu.alloc () : memref<2xf32, 1>
  return %0 : memref<2xf32, 1>
}
func.func @freed_by_the_caller() {
  %0 = call @handed_on() : () -> memref<2xf32, 1>
  gpu.dealloc %0 : memref<2xf32, 1>
  return
}

// -----

// What ends the block may be a terminator that nobody has registered.
func.func @unknown_end(%out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  "u.end"() : () -> ()
}

// -----

func.func private @ends_in_its_own_way(%a: memref<4xf32>) -> memref<4xf32> {
  "u.end"(%a) : (memref<4xf32>) -> ()
}
func.func @its_caller(%out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = call @ends_in_its_own_way(%a) : (memref<4xf32>) -> memref<4xf32>
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Nobody knows which of its buffers a reduction gives.
func.func @reduced(%n: index, %given: memref<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = memref.alloc() : memref<4xi64>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> memref<4xi64> {
    %x = memref.alloc() : memref<4xi64>
    memref.copy %given, %x : memref<4xi64> to memref<4xi64>
    scf.reduce(%x : memref<4xi64>) {
    ^bb0(%left: memref<4xi64>, %right: memref<4xi64>):
      %sum = memref.alloc() : memref<4xi64>
      linalg.add ins(%left, %right : memref<4xi64>, memref<4xi64>) outs(%sum : memref<4xi64>)
      scf.reduce.return %sum : memref<4xi64>
    }
  }
  %v = memref.load %r[%c0] : memref<4xi64>
  return %v : i64
}

// -----

// Between the op at the end of an iteration and the next one no code can stand.
func.func @read_by_reduction(%n: index, %x: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %x, %a : memref<4xf32> to memref<4xf32>
    %v = memref.load %x[%i] : memref<4xf32>
    scf.reduce(%v : f32) {
    ^bb0(%left: f32, %right: f32):
      %w = memref.load %a[%c0] : memref<4xf32>
      %sum = arith.addf %left, %right : f32
      %more = arith.addf %sum, %w : f32
      scf.reduce.return %more : f32
    }
  }
  return %r : f32
}
