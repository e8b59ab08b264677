// A channel in place of a buffer that one task stores and another loads, and why others stay buffers.
// DEFINE: %{fuse} = convert-affine-to-taskflow,memory-access-streaming-fusion{form=channels assume-noalias-arguments report=text}
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse},check-arena-plan)' 2>/dev/null | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse},convert-taskflow-to-affine)' 2>/dev/null | FileCheck %s --check-prefix=BACK --implicit-check-not=taskflow
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='form=channels assume-noalias-arguments report=json:%t' -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='form=channels assume-noalias-arguments' --remarks-filter=memory-access-streaming-fusion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// A second time changes nothing.
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse})' -o %t.once 2>/dev/null
// RUN: stowage-opt %t.once --memory-access-streaming-fusion=form=channels -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: not stowage-opt %s --memory-access-streaming-fusion=form=pipes 2>&1 | FileCheck %s --check-prefix=WORD

// WORD: windows or channels

// Elements are numbered row by row. Two rows and a cell are needed at a time.
// SAID-LABEL: @rows
// SAID-NEXT: before 2 tasks 288 bytes
// SAID-NEXT: after 2 tasks 68 bytes
// SAID: @Task_0 and @Task_1 stay two (channel): a channel takes the place of the buffer between them, 17 of 72 elements deep: 220 bytes fewer
// JSON: "reason": "channel"{{.*}}"depth": 17, "elements": 72, "bytes": 220
// REMARK: remark: [Passed] channel |{{.*}}Function=rows
// CHECK-LABEL: func.func @rows
// CHECK: %[[C:.*]] = taskflow.channel depth 17 : memref<72xf32>
// CHECK: %[[W:.*]] = taskflow.task @Task_0 read_memrefs({{.*}}) write_memrefs(%[[C]] : memref<72xf32>)
// CHECK: affine.for %[[I:.*]] = 0 to 9 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 8 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[J]] + %[[I]] * 8] : memref<72xf32>
// CHECK: taskflow.task @Task_1 read_memrefs(%[[W]] : memref<72xf32>) write_memrefs(
// CHECK: affine.for %[[I:.*]] = 0 to 7 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 8 {
// CHECK-NEXT: %[[N:.*]] = affine.apply #{{.*}}(%[[I]], %[[J]])
// CHECK-NEXT: taskflow.release %[[R:.*]] before %[[N]] : memref<72xf32>
// CHECK-NEXT: affine.load %{{.*}}[%[[J]] + %[[I]] * 8] : memref<72xf32>
// CHECK-NEXT: affine.load %{{.*}}[%[[J]] + (%[[I]] + 2) * 8] : memref<72xf32>
// CHECK: %[[ALL:.*]] = arith.constant 72 : index
// CHECK-NEXT: taskflow.release %[[R]] before %[[ALL]]
// BACK-LABEL: func.func @rows
// BACK: %[[C:.*]] = memref.alloc() : memref<72xf32>
// BACK: affine.store %{{.*}}, %[[C]][
// BACK: affine.load %[[C]][
// BACK: memref.dealloc %[[C]]
func.func @rows(%a: memref<9x8xf32>, %b: memref<7x8xf32>) {
  %t = memref.alloc() : memref<9x8xf32>
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<9x8xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %t[%i, %j] : memref<9x8xf32>
    }
  }
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to 8 {
      %x = affine.load %t[%i, %j] : memref<9x8xf32>
      %y = affine.load %t[%i + 2, %j] : memref<9x8xf32>
      %z = arith.subf %x, %y : f32
      affine.store %z, %b[%i, %j] : memref<7x8xf32>
    }
  }
  memref.dealloc %t : memref<9x8xf32>
  return
}

// Two elements per iteration, and taps in a loop of their own.
// SAID-LABEL: @stride
// SAID: (channel): {{.*}}, 5 of 17 elements deep
func.func @stride(%a: memref<17xf32>, %b: memref<7xf32>) {
  %t = memref.alloc() : memref<17xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 17 {
    %x = affine.load %a[%i] : memref<17xf32>
    affine.store %x, %t[%i] : memref<17xf32>
  }
  affine.for %i = 0 to 7 {
    %s = affine.for %k = 0 to 3 iter_args(%p = %zero) -> (f32) {
      %x = affine.load %t[2 * %i + 2 * %k] : memref<17xf32>
      %y = arith.addf %p, %x : f32
      affine.yield %y : f32
    }
    affine.store %s, %b[%i] : memref<7xf32>
  }
  memref.dealloc %t : memref<17xf32>
  return
}

// A writer that runs backwards, and a reader that does so, too: the last cell is the first element.
// SAID-LABEL: @backwards
// SAID: (channel): {{.*}}, 3 of 16 elements deep
// CHECK-LABEL: func.func @backwards
// CHECK: affine.store %{{.*}}, %{{.*}}[-(-%{{.*}} + 15) + 15] : memref<16xf32>
func.func @backwards(%a: memref<16xf32>, %b: memref<14xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[15 - %i] : memref<16xf32>
  }
  affine.for %i = 0 to 14 {
    %x = affine.load %t[15 - %i] : memref<16xf32>
    %y = affine.load %t[13 - %i] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<14xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// The reader begins with the last row.
// SAID-LABEL: @order
// SAID: @Task_0 and @Task_1 stay two (channel-order)
// CHECK-LABEL: func.func @order
// CHECK-NOT: taskflow.channel
// CHECK: memref.alloc() : memref<8x8xf32>
func.func @order(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  %t = memref.alloc() : memref<8x8xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<8x8xf32>
      affine.store %x, %t[%i, %j] : memref<8x8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %x = affine.load %t[%i, %j] : memref<8x8xf32>
      %y = affine.load %t[7 - %i, %j] : memref<8x8xf32>
      %z = arith.subf %x, %y : f32
      affine.store %z, %b[%i, %j] : memref<8x8xf32>
    }
  }
  memref.dealloc %t : memref<8x8xf32>
  return
}

// Whether a cell is loaded is known at run time only: no simulation could tell whether the depth is enough.
// SAID-LABEL: @condition
// SAID: (channel-order)
func.func @condition(%a: memref<16xf32>, %b: memref<14xf32>, %n: index) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 14 {
    affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%n] {
      %x = affine.load %t[%i] : memref<16xf32>
      %y = affine.load %t[%i + 2] : memref<16xf32>
      %z = arith.subf %x, %y : f32
      affine.store %z, %b[%i] : memref<14xf32>
    }
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// The second buffer between the two would keep the reader waiting for all of the writer.
// SAID-LABEL: @two_ways
// SAID: @Task_0 and @Task_1 stay two (channel-way): something else connects them, too
// CHECK-LABEL: func.func @two_ways
// CHECK-NOT: taskflow.channel
// CHECK: return
func.func @two_ways(%a: memref<16xf32>, %b: memref<14xf32>) {
  %t = memref.alloc() : memref<16xf32>
  %u = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
    affine.store %x, %u[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 13 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 2] : memref<16xf32>
    %v = affine.load %u[%i + 3] : memref<16xf32>
    %w = affine.load %u[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    %s = arith.subf %z, %v : f32
    %r = arith.subf %s, %w : f32
    affine.store %r, %b[%i] : memref<14xf32>
  }
  memref.dealloc %t : memref<16xf32>
  memref.dealloc %u : memref<16xf32>
  return
}

// What an op between the two computes of a value of the writer keeps the reader waiting for all of the writer.
// SAID-LABEL: @value_between
// SAID: @Task_0 and @Task_1 stay two (channel-way): something else connects them, too
// CHECK-LABEL: func.func @value_between
// CHECK-NOT: taskflow.channel
// CHECK: return
func.func @value_between(%a: memref<16xf32>, %b: memref<14xf32>) {
  %t = memref.alloc() : memref<16xf32>
  %zero = arith.constant 0.0 : f32
  %last = affine.for %i = 0 to 16 iter_args(%before = %zero) -> (f32) {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
    affine.yield %x : f32
  }
  %n = arith.negf %last : f32
  affine.for %i = 0 to 14 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 2] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    %s = arith.mulf %z, %n : f32
    affine.store %s, %b[%i] : memref<14xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// A call between the two, which touches memory, waits for the one and keeps the other waiting.
// SAID-LABEL: @call_between
// SAID: (channel-way)
// CHECK-LABEL: func.func @call_between
// CHECK-NOT: taskflow.channel
// CHECK: return
func.func private @use(memref<14xf32>)
func.func @call_between(%a: memref<16xf32>, %b: memref<14xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  func.call @use(%b) : (memref<14xf32>) -> ()
  affine.for %i = 0 to 14 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 2] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<14xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// Nothing reads the last buffer, so nothing loads the one before it: there is nothing to make a channel of.
// SAID-LABEL: @unread
// SAID: nothing read 2 buffers of 120 bytes: gone
// SAID-NOT: channel
// CHECK-LABEL: func.func @unread
// CHECK-NOT: taskflow.channel
// CHECK: return
func.func @unread(%a: memref<16xf32>) {
  %t = memref.alloc() : memref<16xf32>
  %u = memref.alloc() : memref<14xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 14 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 2] : memref<16xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %u[%i] : memref<14xf32>
  }
  memref.dealloc %t : memref<16xf32>
  memref.dealloc %u : memref<14xf32>
  return
}
