// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer that is overwritten as a whole may be another one from then on. An op may write over an operand that it reads
// at the only index of a loop that runs once.
//
// RUN: stowage-opt %s --elide-copies | FileCheck %s
// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
//
// SAME: equal

#same = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (7 - i)>

// Three buffers one after the other, each in the place of the one before.
// CHECK-LABEL: func.func @gains
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.exp ins(%{{.*}} : memref<8xf32>) outs(%[[B]] : memref<8xf32>)
// CHECK: linalg.abs ins(%[[B]] : memref<8xf32>) outs(%[[B]] : memref<8xf32>)
// CHECK: linalg.exp ins(%[[B]] : memref<8xf32>) outs(%[[B]] : memref<8xf32>)
func.func @gains(%x: memref<8xf32>, %y: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  %g = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.abs ins(%b : memref<8xf32>) outs(%g : memref<8xf32>)
  linalg.exp ins(%g : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  return
}

// Between its lives two others are there.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-4: memref.alloc() : memref<8xf32>
// CHECK: return
// REMARK: Function=between | Remark="32 bytes begin another life"
func.func @between(%x: memref<8xf32>, %y: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  %g = memref.alloc() : memref<8xf32>
  %h = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%g : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%g : memref<8xf32>) outs(%h : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%h : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  return
}

// Two buffers would lie in the same bytes: nothing is saved.
// CHECK-LABEL: func.func @gains_nothing
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @gains_nothing(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.abs ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
  linalg.exp ins(%y : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.abs ins(%b : memref<8xf32>) outs(%z : memref<8xf32>)
  return
}

// The plan knows the bytes of one of the two only.
// CHECK-LABEL: func.func @gains_beside
// CHECK-COUNT-2: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-COUNT-1: memref.alloc() : memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @gains_beside(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %wide = memref.cast %x : memref<8xf32> to memref<?xf32>
  %d = memref.alloc(%n) : memref<?xf32>
  %e = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%wide : memref<?xf32>) outs(%d : memref<?xf32>)
  linalg.abs ins(%d : memref<?xf32>) outs(%e : memref<?xf32>)
  linalg.exp ins(%e : memref<?xf32>) outs(%d : memref<?xf32>)
  %narrow = memref.cast %d : memref<?xf32> to memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %g = memref.alloc() : memref<8xf32>
  linalg.exp ins(%narrow : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.abs ins(%b : memref<8xf32>) outs(%g : memref<8xf32>)
  linalg.exp ins(%g : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.absf %in : f32
    linalg.yield %v : f32
  }
  return
}

// What overwrites the buffer looks at what is there.
// CHECK-LABEL: func.func @is_read
// CHECK-COUNT-2: memref.alloc
// CHECK: return
func.func @is_read(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<8xf32>
  %g = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.abs ins(%b : memref<8xf32>) outs(%g : memref<8xf32>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%g : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %old = memref.load %b[%c0] : memref<8xf32>
    %e = arith.addf %in, %old : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  return
}

// A view is of both lives.
// CHECK-LABEL: func.func @view
// CHECK-COUNT-2: memref.alloc
// CHECK: return
func.func @view(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<8xf32>
  %part = memref.subview %b[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %g = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%g : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  linalg.exp ins(%g : memref<8xf32>) outs(%b : memref<8xf32>)
  %first = memref.load %part[%c0] : memref<4xf32, strided<[1], offset: 4>>
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %first : f32
    linalg.yield %e : f32
  }
  return
}

// Some runs do not overwrite it.
// CHECK-LABEL: func.func @branch
// CHECK-COUNT-2: memref.alloc
// CHECK: return
func.func @branch(%x: memref<8xf32>, %y: memref<8xf32>, %some: i1) {
  %b = memref.alloc() : memref<8xf32>
  %g = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.abs ins(%b : memref<8xf32>) outs(%g : memref<8xf32>)
  scf.if %some {
    linalg.exp ins(%g : memref<8xf32>) outs(%b : memref<8xf32>)
  }
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  return
}

// CHECK-LABEL: func.func @once
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {indexing_maps = [#[[M:.*]], #[[M]]],
// CHECK: linalg.generic {indexing_maps = [#[[M]], #[[M]], #[[M]]],
// CHECK: return
func.func @once(%x: memref<1x8xf32>, %y: memref<1x8xf32>) {
  %a = memref.alloc() : memref<1x8xf32>
  %b = memref.alloc() : memref<1x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<1x8xf32>) outs(%a : memref<1x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : memref<1x8xf32>, memref<1x8xf32>) outs(%b : memref<1x8xf32>) {
  ^bb0(%in: f32, %too: f32, %out: f32):
    %e = arith.mulf %in, %too : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 7 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<1x8xf32>) outs(%y : memref<1x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  return
}

func.func @print(%y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %row = vector.load %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.print %row : vector<8xf32>
  return
}

func.func @main() {
  %step = arith.constant 1.250000e-01 : f32
  %true = arith.constant true
  %false = arith.constant false
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  %z = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = arith.mulf %f, %step : f32
    linalg.yield %v : f32
  }
  call @gains(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @gains_nothing(%x, %y, %z) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @print(%z) : (memref<8xf32>) -> ()
  %eight = arith.constant 8 : index
  call @gains_beside(%x, %y, %eight) : (memref<8xf32>, memref<8xf32>, index) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @is_read(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @view(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @branch(%x, %y, %true) : (memref<8xf32>, memref<8xf32>, i1) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @branch(%x, %y, %false) : (memref<8xf32>, memref<8xf32>, i1) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  %wide = memref.expand_shape %x [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  %result = memref.expand_shape %y [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  call @once(%wide, %result) : (memref<1x8xf32>, memref<1x8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  return
}
