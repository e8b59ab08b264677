// What is enough of a buffer where a reader wants more of it than the cell that the same iteration stores.
// DEFINE: %{fuse} = convert-affine-to-taskflow{copies},memory-access-streaming-fusion{read-through-copies=false unroll-windows=false assume-noalias-arguments report=text},convert-taskflow-to-affine
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse},canonicalize)' 2>&1 | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID

// In a loop that is unrolled three times, indices of the window are constants.
// RUN: stowage-opt %s --pass-pipeline='builtin.module(convert-affine-to-taskflow,memory-access-streaming-fusion{read-through-copies=false assume-noalias-arguments},convert-taskflow-to-affine,canonicalize)' | FileCheck %s --check-prefix=UNROLLED
// UNROLLED-LABEL: func.func @rows
// UNROLLED: affine.for %{{.*}} = 0 to 2 {
// UNROLLED: affine.for %[[T:.*]] = 0 to 2 {
// UNROLLED: affine.store %{{.*}}, %[[W:.*]][2, %{{.*}}] : memref<3x8xf32>
// UNROLLED: affine.store %{{.*}}, %[[W]][0, %{{.*}}] : memref<3x8xf32>
// UNROLLED: affine.store %{{.*}}, %[[W]][1, %{{.*}}] : memref<3x8xf32>
// UNROLLED-LABEL: func.func @stride

// Three rows of a vertical stencil. Before the reader begins, the writer makes two.
// SAID-LABEL: @rows
// SAID: after {{ *}}1 tasks {{ *}}96 bytes
// SAID: round 1: @Task_0_Task_1_fused: 192 bytes, 0 loads, 0 stores fewer; 1 window
// CHECK-LABEL: func.func @rows
// CHECK: memref.alloc() : memref<3x8xf32>
// CHECK: affine.for %{{.*}} = 0 to 2 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8 {
// CHECK: affine.for %[[T:.*]] = 2 to 9 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[T]] mod 3, %{{.*}}] : memref<3x8xf32>
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[T]] - 2, %{{.*}}] : memref<7x8xf32>
// CHECK-NOT: affine.for
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

// Two of the writer's iterations per one of the reader's.
// SAID-LABEL: @stride
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
// CHECK-LABEL: func.func @stride
// CHECK: memref.alloc() : memref<3xf32>
func.func @stride(%a: memref<16xf32>, %b: memref<7xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 7 {
    %x = affine.load %t[2 * %i] : memref<16xf32>
    %y = affine.load %t[2 * %i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    %u = affine.load %t[2 * %i + 2] : memref<16xf32>
    %v = arith.subf %z, %u : f32
    affine.store %v, %b[%i] : memref<7xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// A loop over taps that are two apart.
// SAID-LABEL: @dilation
// SAID: after {{ *}}1 tasks {{ *}}20 bytes
// CHECK-LABEL: func.func @dilation
// CHECK: memref.alloc() : memref<5xf32>
func.func @dilation(%a: memref<16xf32>, %b: memref<12xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 12 {
    %sum = affine.for %k = 0 to 3 iter_args(%s = %zero) -> (f32) {
      %x = affine.load %t[%i + 2 * %k] : memref<16xf32>
      %y = arith.addf %s, %x : f32
      affine.yield %y : f32
    }
    affine.store %sum, %b[%i] : memref<12xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// Two of the reader's iterations per one of the writer's.
// SAID-LABEL: @upsampled
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
// CHECK-LABEL: func.func @upsampled
// CHECK: memref.alloc() : memref<3xf32>
func.func @upsampled(%a: memref<8xf32>, %b: memref<15xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 8 {
    affine.for %r = 0 to 2 {
      %x = affine.load %a[%i] : memref<8xf32>
      affine.store %x, %t[2 * %i + %r] : memref<16xf32>
    }
  }
  affine.for %i = 0 to 15 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<15xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// A row is needed as a whole, one after the other: nothing is skewed.
// SAID-LABEL: @row_by_row
// SAID: after {{ *}}1 tasks {{ *}}32 bytes
// CHECK-LABEL: func.func @row_by_row
// CHECK: memref.alloc() : memref<1x8xf32>
func.func @row_by_row(%a: memref<9x8xf32>, %b: memref<9x8xf32>) {
  %t = memref.alloc() : memref<9x8xf32>
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<9x8xf32>
      affine.store %x, %t[%i, %j] : memref<9x8xf32>
    }
  }
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 8 {
      %x = affine.load %t[%i, (%j * 3) mod 8] : memref<9x8xf32>
      affine.store %x, %b[%i, %j] : memref<9x8xf32>
    }
  }
  memref.dealloc %t : memref<9x8xf32>
  return
}

// Two windows, one behind the other, in one loop.
// SAID-LABEL: @chain
// SAID: after {{ *}}1 tasks {{ *}}20 bytes
// CHECK-LABEL: func.func @chain
// CHECK-DAG: memref.alloc() : memref<2xf32>
// CHECK-DAG: memref.alloc() : memref<3xf32>
func.func @chain(%a: memref<16xf32>, %b: memref<13xf32>) {
  %t = memref.alloc() : memref<16xf32>
  %u = memref.alloc() : memref<15xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 15 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %u[%i] : memref<15xf32>
  }
  affine.for %i = 0 to 13 {
    %x = affine.load %u[%i] : memref<15xf32>
    %y = affine.load %u[%i + 2] : memref<15xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<13xf32>
  }
  memref.dealloc %t : memref<16xf32>
  memref.dealloc %u : memref<15xf32>
  return
}

// Something else reads the buffer, too.
// SAID-LABEL: @others
// SAID: after {{ *}}2 tasks {{ *}}64 bytes
// SAID: @Task_0 and @Task_1 stay two (other-users): a window of the buffer would be enough for the two, but others use it
// CHECK-LABEL: func.func @others
// CHECK: memref.alloc() : memref<16xf32>
func.func @others(%a: memref<16xf32>, %b: memref<15xf32>) -> memref<16xf32> {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 15 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<15xf32>
  }
  return %t : memref<16xf32>
}

// Ends with what the other one begins with: the writer runs backwards.
// SAID-LABEL: @backwards
// SAID: after {{ *}}1 tasks {{ *}}8 bytes
// CHECK-LABEL: func.func @backwards
// CHECK: memref.alloc() : memref<2xf32>
func.func @backwards(%a: memref<16xf32>, %b: memref<15xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 15 {
    %x = affine.load %t[-%i + 15] : memref<16xf32>
    %y = affine.load %t[-%i + 14] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<15xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// Neither may run backwards: each adds up what it stores.
// SAID-LABEL: @not_backwards
// SAID: after {{ *}}2 tasks
func.func @not_backwards(%a: memref<16xf32>, %b: memref<15xf32>, %zero: f32) -> f32 {
  %t = memref.alloc() : memref<16xf32>
  %p = affine.for %i = 0 to 16 iter_args(%s = %zero) -> (f32) {
    %x = affine.load %a[%i] : memref<16xf32>
    %y = arith.addf %s, %x : f32
    affine.store %y, %t[%i] : memref<16xf32>
    affine.yield %y : f32
  }
  %q = affine.for %i = 0 to 15 iter_args(%s = %zero) -> (f32) {
    %x = affine.load %t[-%i + 15] : memref<16xf32>
    %y = affine.load %t[-%i + 14] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    %n = arith.addf %s, %z : f32
    affine.store %n, %b[%i] : memref<15xf32>
    affine.yield %n : f32
  }
  memref.dealloc %t : memref<16xf32>
  return %q : f32
}

// The reader has an end that is not known here.
// SAID-LABEL: @unknown_end
// SAID: after {{ *}}2 tasks {{ *}}64 bytes
// SAID: @Task_0 and @Task_1 stay two (bounds-differ)
func.func @unknown_end(%a: memref<16xf32>, %b: memref<15xf32>, %n: index) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to min affine_map<(d0) -> (d0, 15)>(%n) {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<15xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// The result is written where the writer still reads.
// SAID-LABEL: @over_its_source
// SAID: after {{ *}}2 tasks {{ *}}64 bytes
func.func @over_its_source(%a: memref<16xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[-%i + 15] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 15 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %a[%i] : memref<16xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// A fill, the middle, and a reader of both: three tasks, one window.
// SAID-LABEL: @padded
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
// CHECK-LABEL: func.func @padded
// CHECK: memref.alloc() : memref<3xf32>
func.func @padded(%a: memref<16xf32>, %b: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<18xf32>
  affine.for %i = 0 to 18 {
    affine.store %zero, %t[%i] : memref<18xf32>
  }
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i + 1] : memref<18xf32>
  }
  affine.for %i = 0 to 16 {
    %x = affine.load %t[%i] : memref<18xf32>
    %y = affine.load %t[%i + 2] : memref<18xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %b[%i] : memref<16xf32>
  }
  memref.dealloc %t : memref<18xf32>
  return
}

// Two readers, one of which goes twice as fast.
// SAID-LABEL: @two_readers
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
// CHECK-LABEL: func.func @two_readers
// CHECK: memref.alloc() : memref<3xf32>
func.func @two_readers(%a: memref<16xf32>, %b: memref<8xf32>, %c: memref<15xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %t[2 * %i] : memref<16xf32>
    affine.store %x, %b[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 15 {
    %x = affine.load %t[%i] : memref<16xf32>
    %y = affine.load %t[%i + 1] : memref<16xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %c[%i] : memref<15xf32>
  }
  memref.dealloc %t : memref<16xf32>
  return
}

// Each cell is read twice.
// SAID-LABEL: @halved
// SAID: after {{ *}}1 tasks {{ *}}4 bytes
// CHECK-LABEL: func.func @halved
// CHECK: memref.alloc() : memref<1xf32>
func.func @halved(%a: memref<8xf32>, %b: memref<16xf32>) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.store %x, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 16 {
    %x = affine.load %t[%i floordiv 2] : memref<8xf32>
    affine.store %x, %b[%i] : memref<16xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// An index modulo a symbol is no window's: what the loop is unrolled by is the window alone.
// SAID-LABEL: @of_a_symbol
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
// UNROLLED-LABEL: func.func @of_a_symbol
// UNROLLED: affine.for %{{.*}} = 0 to 10 {
// UNROLLED-COUNT-3: affine.load %{{.*}}[{{.*}} mod symbol(%{{.*}})]
// UNROLLED: }
func.func @of_a_symbol(%a: memref<32xf32>, %b: memref<30xf32>, %c: memref<64xf32>, %s: index) {
  %t = memref.alloc() : memref<32xf32>
  affine.for %i = 0 to 32 {
    %x = affine.load %a[%i] : memref<32xf32>
    affine.store %x, %t[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 30 {
    %x = affine.load %t[%i] : memref<32xf32>
    %y = affine.load %t[%i + 2] : memref<32xf32>
    %z = affine.load %c[%i mod symbol(%s)] : memref<64xf32>
    %v = arith.addf %x, %y : f32
    %w = arith.addf %v, %z : f32
    affine.store %w, %b[%i] : memref<30xf32>
  }
  memref.dealloc %t : memref<32xf32>
  return
}

// The writer stores a cell twice; the first store is left out.
// SAID-LABEL: @stored_twice
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
func.func @stored_twice(%a: memref<8xf32>, %o: memref<6xf32>) {
  %c = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    affine.store %c, %t[%i] : memref<8xf32>
    %y = affine.load %a[%i] : memref<8xf32>
    affine.store %y, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 6 {
    %x = affine.load %t[%i] : memref<8xf32>
    %y = affine.load %t[%i + 2] : memref<8xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %o[%i] : memref<6xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// A sum that the writer keeps in memory is carried by its loop, and stored once.
// SAID-LABEL: @stored_sum
// SAID: after {{ *}}1 tasks {{ *}}12 bytes
func.func @stored_sum(%a: memref<8x4xf32>, %o: memref<6xf32>) {
  %c = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    affine.store %c, %t[%i] : memref<8xf32>
    affine.for %k = 0 to 4 {
      %s = affine.load %t[%i] : memref<8xf32>
      %y = affine.load %a[%i, %k] : memref<8x4xf32>
      %z = arith.addf %s, %y : f32
      affine.store %z, %t[%i] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 6 {
    %x = affine.load %t[%i] : memref<8xf32>
    %y = affine.load %t[%i + 2] : memref<8xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %o[%i] : memref<6xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}
