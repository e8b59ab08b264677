// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// With `contract`, exp, tanh and erf are polynomials. Executed on a million and one numbers, of all exponents and both signs,
// subnormal numbers, infinities and NaN among them: at most so many units in the last place from the C library's
// results, and NaN for NaN. Lanes of all widths and single numbers are equal bit for bit.

// RUN: stowage-opt %s --convert-linalg-to-vectors | FileCheck %s --check-prefix=EXACT
// RUN: stowage-opt %s --convert-linalg-to-vectors="contract vector-bits=512 registers=32" -o %t.wide
// RUN: stowage-opt %s --convert-linalg-to-vectors="contract vector-bits=32" -o %t.single
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.wide
// RUN: %python "%root/exec/harness.py" run %t.wide | FileCheck %s
// RUN: %python "%root/exec/harness.py" compare %t.wide %t.single | FileCheck %s --check-prefix=EQUAL

// EXACT: math.exp {{.*}} : vector<4xf32>
// EXACT: math.tanh {{.*}} : vector<4xf32>
// EXACT: math.erf {{.*}} : vector<4xf32>
// FUSED-LABEL: func.func @all
// FUSED-NOT: math.{{.*}}f32
// FUSED: math.exp {{.*}} : vector<8xf64>
// FUSED-LABEL: func.func @main

// Of exp, tanh, erf.
// CHECK: ( {{[01], [0-2], [0-3]}} )
// EQUAL: equal bit for bit in all 2 programs

#id = affine_map<(d0) -> (d0)>

memref.global @of : memref<1000001xf32> = uninitialized
memref.global @of_exp : memref<1000001xf32> = uninitialized
memref.global @of_tanh : memref<1000001xf32> = uninitialized
memref.global @of_erf : memref<1000001xf32> = uninitialized

func.func @all(%x: memref<1000001xf32>, %e: memref<1000001xf32>, %t: memref<1000001xf32>, %f: memref<1000001xf32>, %d: memref<17xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000001xf32>) outs(%e : memref<1000001xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000001xf32>) outs(%t : memref<1000001xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000001xf32>) outs(%f : memref<1000001xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.erf %a : f32
    linalg.yield %r : f32
  }
  linalg.exp ins(%d : memref<17xf64>) outs(%d : memref<17xf64>) // 64 bits: the C library's
  return
}

// How far two results are apart; of NaN and a number, far.
func.func @apart(%a: f32, %b: f32) -> i32 {
  %zero = arith.constant 0 : i32
  %i = arith.bitcast %a : f32 to i32
  %j = arith.bitcast %b : f32 to i32
  %d = arith.subi %i, %j : i32
  %n = arith.subi %zero, %d : i32
  %far = arith.maxsi %d, %n : i32
  %na = arith.cmpf uno, %a, %a : f32
  %nb = arith.cmpf uno, %b, %b : f32
  %both = arith.andi %na, %nb : i1
  %r = arith.select %both, %zero, %far : i32
  return %r : i32
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000001 : index
  %zero = arith.constant 0 : i32
  %h0 = arith.constant 0 : i64
  %prime = arith.constant 1099511628211 : i64
  %step = arith.constant 4295 : i32
  %x = memref.get_global @of : memref<1000001xf32>
  %e = memref.get_global @of_exp : memref<1000001xf32>
  %t = memref.get_global @of_tanh : memref<1000001xf32>
  %f = memref.get_global @of_erf : memref<1000001xf32>
  %d = memref.alloca() : memref<17xf64>
  %half = arith.constant 0.5 : f64
  linalg.fill ins(%half : f64) outs(%d : memref<17xf64>)
  scf.for %i = %c0 to %n step %c1 {
    %w = arith.index_cast %i : index to i32
    %bits = arith.muli %w, %step : i32
    %v = arith.bitcast %bits : i32 to f32
    memref.store %v, %x[%i] : memref<1000001xf32>
  }
  // Infinity, the largest number, and where e^x ends.
  %inf = arith.constant 0x7F800000 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %most = arith.constant 0x7F7FFFFF : f32
  %top = arith.constant 88.7228391 : f32
  %over = arith.constant 88.7228470 : f32
  %least = arith.constant -103.972076 : f32
  %under = arith.constant -103.972084 : f32
  %minus_zero = arith.constant -0.0 : f32
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %k4 = arith.constant 4 : index
  %k5 = arith.constant 5 : index
  %k6 = arith.constant 6 : index
  %k7 = arith.constant 7 : index
  %k8 = arith.constant 8 : index
  memref.store %inf, %x[%k1] : memref<1000001xf32>
  memref.store %ninf, %x[%k2] : memref<1000001xf32>
  memref.store %most, %x[%k3] : memref<1000001xf32>
  memref.store %top, %x[%k4] : memref<1000001xf32>
  memref.store %over, %x[%k5] : memref<1000001xf32>
  memref.store %least, %x[%k6] : memref<1000001xf32>
  memref.store %under, %x[%k7] : memref<1000001xf32>
  memref.store %minus_zero, %x[%k8] : memref<1000001xf32>
  call @all(%x, %e, %t, %f, %d) : (memref<1000001xf32>, memref<1000001xf32>, memref<1000001xf32>, memref<1000001xf32>, memref<17xf64>) -> ()
  %far:4 = scf.for %i = %c0 to %n step %c1 iter_args(%fe = %zero, %ft = %zero, %ff = %zero, %h = %h0) -> (i32, i32, i32, i64) {
    %v = memref.load %x[%i] : memref<1000001xf32>
    %ve = memref.load %e[%i] : memref<1000001xf32>
    %vt = memref.load %t[%i] : memref<1000001xf32>
    %vf = memref.load %f[%i] : memref<1000001xf32>
    %we = math.exp %v : f32
    %wt = math.tanh %v : f32
    %wf = math.erf %v : f32
    %de = func.call @apart(%ve, %we) : (f32, f32) -> i32
    %dt = func.call @apart(%vt, %wt) : (f32, f32) -> i32
    %df = func.call @apart(%vf, %wf) : (f32, f32) -> i32
    %ne = arith.maxui %fe, %de : i32
    %nt = arith.maxui %ft, %dt : i32
    %nf = arith.maxui %ff, %df : i32
    %be = arith.bitcast %ve : f32 to i32
    %bt = arith.bitcast %vt : f32 to i32
    %bf = arith.bitcast %vf : f32 to i32
    %xe = arith.xori %be, %bt : i32
    %xf = arith.addi %xe, %bf : i32
    %word = arith.extui %xf : i32 to i64
    %mixed = arith.xori %h, %word : i64
    %next = arith.muli %mixed, %prime : i64
    scf.yield %ne, %nt, %nf, %next : i32, i32, i32, i64
  }
  %said = vector.from_elements %far#0, %far#1, %far#2 : vector<3xi32>
  vector.print %said : vector<3xi32>
  vector.print %far#3 : i64
  return
}
