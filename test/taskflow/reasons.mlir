// Why pairs stay two: each reason once, as a remark with its place, and in the report.
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='windows=false read-through-copies=false' --remarks-filter=memory-access-streaming-fusion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='allow-permutation=false windows=false read-through-copies=false report=text' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='allow-reduction=false windows=false read-through-copies=false report=text' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='assume-noalias-arguments windows=false read-through-copies=false report=text' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOALIAS

func.func @fused(%a: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: [[@LINE+1]]:3: remark: [Passed] fused | Category:memory-access-streaming-fusion | Function=fused | Remark="@Task_0 and @Task_1 became @Task_0_Task_1_fused: 1 buffers of 32 bytes gone, 8 loads and 8 stores fewer"
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

func.func @bounds(%a: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: [[@LINE+1]]:3: remark: [Missed] bounds-differ | {{.*}}Function=bounds | Reason="the loops to share have different bounds", Remark="@Task_0 and @Task_1 stay two"
  affine.for %i = 0 to 7 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// One side's index is two variables, so no loops belong together.
func.func @index(%a: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: remark: [Missed] index-maps-differ | {{.*}}Function=index
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 2 {
      %v = affine.load %t[2 * %i + %j] : memref<8xf32>
      affine.store %v, %r[2 * %i + %j] : memref<8xf32>
    }
  }
  return %r : memref<8xf32>
}

// The reader may overwrite the cell before it loads it.
func.func @not_forwarded(%a: memref<8xf32>) -> memref<8xf32> {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: remark: [Missed] not-forwarded | {{.*}}Function=not_forwarded
  affine.for %i = 0 to 8 {
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      affine.store %zero, %t[%i] : memref<8xf32>
    }
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

func.func @conditional(%a: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      affine.store %v, %t[%i] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    // CHECK: remark: [Missed] conditional-store | {{.*}}Function=conditional | Reason="the cell that is loaded is stored under a condition: {{.*}}reasons.mlir:[[@LINE+1]]:10"
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

func.func @dependence(%a: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  // CHECK: remark: [Missed] dependence | {{.*}}Function=dependence | Reason="two accesses to the same cell would change their order: {{.*}}reasons.mlir:[[@LINE+2]]:10 and {{.*}}reasons.mlir:[[@LINE+7]]:5"
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %a[-%i + 7] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

func.func @alias(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: remark: [Missed] may-alias | {{.*}}Function=alias | {{.*}}Suggestion="if arguments never overlap, nor a global, set assume-noalias-arguments"
  // NOALIAS-LABEL: @alias
  // NOALIAS: round 1: @Task_0_Task_1_fused
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %b[%i] : memref<8xf32>
  }
  return %t : memref<8xf32>
}

// One promise is enough.
func.func @promised(%a: memref<8xf32>, %b: memref<8xf32> {llvm.noalias}) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: remark: [Passed] fused | {{.*}}Function=promised
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %b[%i] : memref<8xf32>
  }
  return %t : memref<8xf32>
}

// The writer reads its own neighbours, so its loops may not change places; nor may the reader's.
func.func @permutation(%a: memref<8x8xf32>) -> memref<8x8xf32> {
  %t = memref.alloc() : memref<8x8xf32>
  %r = memref.alloc() : memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %a, %r : memref<8x8xf32> to memref<8x8xf32>
  affine.for %i = 1 to 8 {
    affine.for %j = 0 to 7 {
      %v = affine.load %t[%i - 1, %j + 1] : memref<8x8xf32>
      affine.store %v, %t[%i, %j] : memref<8x8xf32>
    }
  }
  // CHECK: remark: [Missed] permutation | {{.*}}Function=permutation
  // PLAIN-LABEL: @permutation
  // PLAIN: stay two (permutation-off)
  affine.for %j = 0 to 7 {
    affine.for %i = 1 to 8 {
      %v = affine.load %t[%i, %j] : memref<8x8xf32>
      %w = affine.load %r[%i - 1, %j + 1] : memref<8x8xf32>
      %x = arith.addf %v, %w : f32
      affine.store %x, %r[%i, %j] : memref<8x8xf32>
    }
  }
  return %r : memref<8x8xf32>
}

// WHOLE-LABEL: @reduction
// WHOLE: stay two (reduction-off): only some of the loops can be shared{{.*}}; to change that: set allow-reduction
func.func @reduction(%a: memref<8x8xf32>) -> memref<8xf32> {
  %zero = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    affine.store %zero, %r[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = affine.load %a[%i, %j] : memref<8x8xf32>
      %w = affine.load %r[%i] : memref<8xf32>
      %x = arith.addf %v, %w : f32
      affine.store %x, %r[%i] : memref<8xf32>
    }
  }
  return %r : memref<8xf32>
}

func.func private @use(memref<8xf32>)
func.func @between(%a: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  // CHECK: remark: [Missed] between | {{.*}}Function=between | {{.*}}reasons.mlir:[[@LINE+1]]:3 and
  call @use(%t) : (memref<8xf32>) -> ()
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

func.func @value(%a: memref<8xf32>) -> memref<8xf32> {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %s = affine.for %i = 0 to 8 iter_args(%x = %zero) -> f32 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
    %n = arith.addf %x, %v : f32
    affine.yield %n : f32
  }
  // CHECK: remark: [Missed] value-dependence | {{.*}}Function=value
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    %w = arith.divf %v, %s : f32
    affine.store %w, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// In the place of the first task the copy would be alive together with the square; and the first task cannot move down.
// CHECK: remark: [Missed] peak | {{.*}}Function=peak | Reason="more bytes of buffers would be alive at once", Remark="@Task_0 and @Task_3 stay two", Suggestion="set allow-higher-peak"
// NOALIAS-LABEL: @peak
// NOALIAS: @Task_0 and @Task_3 stay two (peak)
func.func @peak(%a: memref<8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  %square = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %t[(%i * 3) mod 8] : memref<8xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %square[%i] : memref<8xf32>
  }
  %sum = affine.for %i = 0 to 8 iter_args(%part = %zero) -> f32 {
    %v = affine.load %square[(%i * 3) mod 8] : memref<8xf32>
    %next = arith.addf %part, %v : f32
    affine.yield %next : f32
  }
  %copy = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %copy[%i] : memref<8xf32>
  }
  call @use(%copy) : (memref<8xf32>) -> ()
  return %sum : f32
}
