// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed with fused products: what stands between ops, so that they run in one tile or through memory, changes no bit. Sums of
// squares of two steps begin with -0.0 and 0.0; what is added to a product rounds it first.

// DEFINE: %{run} = %python "%root/exec/harness.py" run %t --level 3
// RUN: stowage-opt %s --convert-linalg-to-vectors="contract vector-bits=256" -o %t && %{run} | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors="contract vector-bits=512 registers=32" -o %t && %{run} | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors="contract vector-bits=32" -o %t && %{run} | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors=contract | FileCheck %s --check-prefix=FORM

// CHECK: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}

// FORM-LABEL: func.func @product_together
// FORM: scf.for
// FORM: arith.mulf
// FORM: scf.yield
// FORM: arith.addf
// FORM-NOT: scf.for
// FORM: return

func.func private @printI64(i64)
func.func private @printNewline()

func.func @negative_together(%a: memref<2x16xf32>, %z: memref<16xf32> {llvm.noalias}, %first: f32, %sink: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant -0.0 : f32
  %r = memref.alloc() : memref<16xf32>
  linalg.fill ins(%start : f32) outs(%r : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x16xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %x : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  memref.copy %r, %z : memref<16xf32> to memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @negative_between(%a: memref<2x16xf32>, %z: memref<16xf32> {llvm.noalias}, %first: f32, %sink: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant -0.0 : f32
  %r = memref.alloc() : memref<16xf32>
  linalg.fill ins(%start : f32) outs(%r : memref<16xf32>)
  memref.store %first, %sink[%c0] : memref<1xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x16xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %x : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  memref.copy %r, %z : memref<16xf32> to memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @positive_together(%a: memref<2x16xf32>, %z: memref<16xf32> {llvm.noalias}, %first: f32, %sink: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<16xf32>
  linalg.fill ins(%start : f32) outs(%r : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x16xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %x : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  memref.copy %r, %z : memref<16xf32> to memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @positive_between(%a: memref<2x16xf32>, %z: memref<16xf32> {llvm.noalias}, %first: f32, %sink: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<16xf32>
  linalg.fill ins(%start : f32) outs(%r : memref<16xf32>)
  memref.store %first, %sink[%c0] : memref<1xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x16xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %x : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  memref.copy %r, %z : memref<16xf32> to memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @product_together(%a: memref<2x16xf32>, %z: memref<16xf32> {llvm.noalias}, %bias: f32, %sink: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 1.0 : f32
  %r = memref.alloc() : memref<16xf32>
  linalg.fill ins(%start : f32) outs(%r : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x16xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %o, %x : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%r, %bias : memref<16xf32>, f32) outs(%z : memref<16xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  }
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @product_between(%a: memref<2x16xf32>, %z: memref<16xf32> {llvm.noalias}, %bias: f32, %sink: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 1.0 : f32
  %r = memref.alloc() : memref<16xf32>
  linalg.fill ins(%start : f32) outs(%r : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x16xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %o, %x : f32
    linalg.yield %m : f32
  }
  memref.store %bias, %sink[%c0] : memref<1xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%r, %bias : memref<16xf32>, f32) outs(%z : memref<16xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  }
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @differences(%a: memref<16xf32>, %b: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant 0 : i64
  %count = scf.for %i = %c0 to %c16 step %c1 iter_args(%n = %none) -> i64 {
    %x = memref.load %a[%i] : memref<16xf32>
    %y = memref.load %b[%i] : memref<16xf32>
    %p = arith.bitcast %x : f32 to i32
    %q = arith.bitcast %y : f32 to i32
    %differs = arith.cmpi ne, %p, %q : i32
    %one = arith.extui %differs : i1 to i64
    %m = arith.addi %n, %one : i64
    scf.yield %m : i64
  }
  call @printI64(%count) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  %k = arith.constant 0.7 : f32
  %third = arith.constant 0.3333333 : f32
  %a = memref.alloc() : memref<2x16xf32>
  %x = memref.alloc() : memref<16xf32>
  %y = memref.alloc() : memref<16xf32>
  %sink = memref.alloc() : memref<1xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%a : memref<2x16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c37 = arith.constant 37 : index
    %t = arith.muli %i, %c37 : index
    %u = arith.addi %t, %j : index
    %v = arith.index_cast %u : index to i32
    %f = arith.sitofp %v : i32 to f32
    %q = arith.constant 0.0173 : f32
    %g = arith.mulf %f, %q : f32
    linalg.yield %g : f32
  }
  call @negative_together(%a, %x, %k, %sink) : (memref<2x16xf32>, memref<16xf32>, f32, memref<1xf32>) -> ()
  call @negative_between(%a, %y, %k, %sink) : (memref<2x16xf32>, memref<16xf32>, f32, memref<1xf32>) -> ()
  call @differences(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  call @positive_together(%a, %x, %k, %sink) : (memref<2x16xf32>, memref<16xf32>, f32, memref<1xf32>) -> ()
  call @positive_between(%a, %y, %k, %sink) : (memref<2x16xf32>, memref<16xf32>, f32, memref<1xf32>) -> ()
  call @differences(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  call @product_together(%a, %x, %third, %sink) : (memref<2x16xf32>, memref<16xf32>, f32, memref<1xf32>) -> ()
  call @product_between(%a, %y, %third, %sink) : (memref<2x16xf32>, memref<16xf32>, f32, memref<1xf32>) -> ()
  call @differences(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  memref.dealloc %a : memref<2x16xf32>
  memref.dealloc %x : memref<16xf32>
  memref.dealloc %y : memref<16xf32>
  memref.dealloc %sink : memref<1xf32>
  return
}
