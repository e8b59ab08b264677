// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// %c is computed from what %a has at first, so it cannot be computed again once %a is updated in place. What the update writes gets a
// buffer of its own: then both are computed again. Where the update reads other cells than those that it sets, or reads its buffer
// where it stands, or sets a cell more than once, it stays in place.

// DEFINE: %{within} = fit-memory{capacity-in-bytes=1024 reduce-peak=false}
// RUN: split-file %s %t
// RUN: %python "%root/exec/harness.py" check %t/apart.mlir --pipeline 'builtin.module(%{within},merge-alloc{poison capacity-in-bytes=1024},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %t/apart.mlir --pass-pipeline='builtin.module(%{within})' --remarks-filter=fit-memory 2>&1 | FileCheck %s --check-prefix=APART
// RUN: stowage-opt %t/elsewhere.mlir --pass-pipeline='builtin.module(%{within})' | FileCheck %s --check-prefix=ELSEWHERE
// RUN: not stowage-opt %t/others.mlir --pass-pipeline='builtin.module(%{within})' 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not stowage-opt %t/inside.mlir --pass-pipeline='builtin.module(%{within})' 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not stowage-opt %t/often.mlir --pass-pipeline='builtin.module(%{within})' 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: equal

// APART: arenas of 1024 bytes, not 1536; ops that run again: {{[0-9]+}}; {{[0-9.]+}} % more time by the model, at least 0.00 %
// APART: linalg.exp ins(%{{.*}}) outs(%[[A:[a-z0-9_]+]] : memref<64xf32>)
// APART: linalg.abs ins(%[[A]]
// APART: linalg.add ins(%[[A]], %{{.*}}) outs(%[[B:[a-z0-9_]+]] : memref<64xf32>)

// Of another memory, which has no limit here, nothing is changed.
// ELSEWHERE: %[[Z:[a-z0-9_]+]] = memref.alloc() : memref<64xf32, 3>
// ELSEWHERE: linalg.add ins(%[[Z]], %{{.*}}) outs(%[[Z]] : memref<64xf32, 3>)

// REFUSED: error: fit-memory: the function needs 1536 bytes, capacity-in-bytes is 1024: no ops that may run again make it fit

//--- apart.mlir
func.func @update(%x: memref<64xf32>, %y: memref<64xf32>, %u: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %y : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.abs ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  linalg.mul ins(%d, %e : memref<64xf32>, memref<64xf32>) outs(%g : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d, %e, %g : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%h : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%c, %a, %h : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%u : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.subf %i, %j : f32
    %t = arith.mulf %s, %k : f32
    linalg.yield %t : f32
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<64xf32>
  %u = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %k = arith.constant 0.03125 : f32
    %s = arith.mulf %f, %k : f32
    %t = arith.negf %s : f32
    memref.store %s, %x[%i] : memref<64xf32>
    memref.store %t, %y[%i] : memref<64xf32>
  }
  call @update(%x, %y, %u) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  scf.for %i = %c0 to %c64 step %c1 {
    %p = memref.load %u[%i] : memref<64xf32>
    vector.print %p : f32
  }
  memref.dealloc %x : memref<64xf32>
  memref.dealloc %y : memref<64xf32>
  memref.dealloc %u : memref<64xf32>
  return
}

//--- others.mlir
func.func @update(%x: memref<64xf32>, %y: memref<64xf32>, %u: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (63 - d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %y : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  }
  linalg.exp ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.abs ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  linalg.mul ins(%d, %e : memref<64xf32>, memref<64xf32>) outs(%g : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d, %e, %g : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%h : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%c, %a, %h : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%u : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.subf %i, %j : f32
    %t = arith.mulf %s, %k : f32
    linalg.yield %t : f32
  }
  return
}

//--- inside.mlir
func.func @update(%x: memref<64xf32>, %y: memref<64xf32>, %u: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %y : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %at = linalg.index 0 : index
    %k = memref.load %a[%at] : memref<64xf32>
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  }
  linalg.exp ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.abs ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  linalg.mul ins(%d, %e : memref<64xf32>, memref<64xf32>) outs(%g : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d, %e, %g : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%h : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%c, %a, %h : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%u : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.subf %i, %j : f32
    %t = arith.mulf %s, %k : f32
    linalg.yield %t : f32
  }
  return
}

//--- often.mlir
func.func @update(%x: memref<64xf32>, %y: memref<64xf32>, %u: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a, %y : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  }
  linalg.exp ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.abs ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  linalg.mul ins(%d, %e : memref<64xf32>, memref<64xf32>) outs(%g : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d, %e, %g : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%h : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%c, %a, %h : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%u : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.subf %i, %j : f32
    %t = arith.mulf %s, %k : f32
    linalg.yield %t : f32
  }
  return
}

//--- elsewhere.mlir
func.func @update(%x: memref<64xf32>, %y: memref<64xf32>, %u: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %y : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.abs ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  linalg.mul ins(%d, %e : memref<64xf32>, memref<64xf32>) outs(%g : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d, %e, %g : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%h : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%c, %a, %h : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%u : memref<64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %out: f32):
    %s = arith.subf %i, %j : f32
    %t = arith.mulf %s, %k : f32
    linalg.yield %t : f32
  }
  %z = memref.alloc() : memref<64xf32, 3>
  linalg.exp ins(%x : memref<64xf32>) outs(%z : memref<64xf32, 3>)
  linalg.abs ins(%z : memref<64xf32, 3>) outs(%u : memref<64xf32>)
  linalg.add ins(%z, %y : memref<64xf32, 3>, memref<64xf32>) outs(%z : memref<64xf32, 3>)
  linalg.abs ins(%z : memref<64xf32, 3>) outs(%u : memref<64xf32>)
  linalg.add ins(%z, %y : memref<64xf32, 3>, memref<64xf32>) outs(%z : memref<64xf32, 3>)
  linalg.abs ins(%z : memref<64xf32, 3>) outs(%u : memref<64xf32>)
  return
}
