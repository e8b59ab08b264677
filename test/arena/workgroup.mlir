// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --split-input-file | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --split-input-file --remarks-filter=merge-alloc 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --buffer-reuse --split-input-file | FileCheck %s --check-prefix=REUSE
// RUN: stowage-opt %s --merge-alloc=analysis-only --split-input-file | FileCheck %s --check-prefix=REUSE
// REUSE-NOT: memref.view

// Workgroup attributions share bytes where a barrier that all threads pass lies between their uses.

!f = memref<64xf32, #gpu.address_space<workgroup>>
!h = memref<64xf16, #gpu.address_space<workgroup>>

// CHECK-LABEL: gpu.func @shared
// CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:    private(%{{.*}} : memref<4xf32, #gpu.address_space<private>>)
// CHECK:         %[[A:.*]] = memref.view %[[BYTES]][%{{.*}}][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[B:.*]] = memref.view %[[BYTES]][%{{.*}}][] : {{.*}} to memref<64xf16, #gpu.address_space<workgroup>>
// CHECK:         memref.store %{{.*}}, %[[A]]
// CHECK:         gpu.barrier
// CHECK:         memref.load %[[A]]
// CHECK:         gpu.barrier
// CHECK:         memref.store %{{.*}}, %[[B]]
// CHECK-NOT:     dealloc
// SAID: [Passed] workgroup {{.*}}Function=shared{{.*}}Remark="2 workgroup buffers of 384 bytes put into 256 bytes"
gpu.module @shared_module {
  gpu.func @shared(%x: f32, %y: f16) workgroup(%a: !f, %b: !h)
      private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    gpu.barrier
    %v = memref.load %a[%t] : !f
    %c0 = arith.constant 0 : index
    memref.store %v, %p[%c0] : memref<4xf32, #gpu.address_space<private>>
    gpu.barrier
    memref.store %y, %b[%t] : !h
    gpu.return
  }
}

// -----

// Without a barrier between the last use of the one and the first of the other, nothing is shared:
// another thread may still be reading.

// CHECK-LABEL: gpu.func @no_barrier
// CHECK-NOT:     memref.view
// SAID: [Missed] no-partner {{.*}}Function=no_barrier{{.*}}Remark="workgroup buffer of 256 bytes left alone", Suggestion="a gpu.barrier between its uses and another's would let them share"
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @no_barrier(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    gpu.barrier
    %v = memref.load %a[%t] : !f
    memref.store %v, %b[%t] : !f
    gpu.barrier
    gpu.return
  }
}

// -----

// Three lives in a row, with a fourth through all of them: that one stays as it is, and so do its
// attributes.

// CHECK-LABEL: gpu.func @four
// CHECK-SAME:    workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}, %[[LONG:[^ ]*]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 32 : i64})
// CHECK-COUNT-3: memref.view
// CHECK:         memref.store %{{.*}}, %[[LONG]]
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @four(%x: f32) workgroup(%a: !f, %long: !f {llvm.align = 32 : i64}, %b: !f {llvm.align = 128 : i64}, %c: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %long[%t] : !f
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.barrier
    memref.store %x, %c[%t] : !f
    %v = memref.load %long[%t] : !f
    gpu.return
  }
}

// -----

// A launch cannot say how its memory is aligned: the first aligned byte is found at run time.

// CHECK-LABEL: func @launch
// CHECK:         gpu.launch
// CHECK-SAME:      workgroup(%[[BYTES:[^ ]*]] : memref<271xi8, #gpu.address_space<workgroup>>)
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[BYTES]]
// CHECK:         %[[MASK:.*]] = arith.constant 15 : index
// CHECK:         %[[BACK:.*]] = arith.subi %[[ZERO]], %[[AT]]
// CHECK:         %[[SKIP:.*]] = arith.andi %[[BACK]], %[[MASK]]
// CHECK:         %[[FIRST:.*]] = arith.addi %[[SKIP]],
// CHECK:         memref.view %[[BYTES]][%[[FIRST]]][]
// CHECK:         %[[SECOND:.*]] = arith.addi %[[SKIP]],
// CHECK:         memref.view %[[BYTES]][%[[SECOND]]][]
// SAID: Function=launch{{.*}}2 workgroup buffers of 512 bytes put into 271 bytes
!f = memref<64xf32, #gpu.address_space<workgroup>>
func.func @launch(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             workgroup(%a: !f, %b: !f) {
    memref.store %x, %a[%tx] : !f
    gpu.barrier
    memref.store %x, %b[%tx] : !f
    gpu.terminator
  }
  return
}

// -----

// With clusters a body has more arguments in front; an asynchronous launch is a kernel like others.

// CHECK-LABEL: func @clusters
// CHECK:         gpu.launch async
// CHECK-SAME:      workgroup(%{{[^ ]*}} : memref<271xi8, #gpu.address_space<workgroup>>)
!f = memref<64xf32, #gpu.address_space<workgroup>>
func.func @clusters(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t0 = gpu.wait async
  %t1 = gpu.launch async [%t0] clusters(%kx, %ky, %kz) in (%nx = %c1, %ny = %c1, %nz = %c1)
             blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             workgroup(%a: !f, %b: !f) {
    memref.store %x, %a[%tx] : !f
    gpu.barrier
    memref.store %x, %b[%tx] : !f
    gpu.terminator
  }
  gpu.wait [%t1]
  return
}

// -----

// A loop is used as a whole: the accesses of its next iteration count. A barrier in it that all
// threads pass together, as often as they all go around, ends no step.

// CHECK-LABEL: gpu.func @loops
// CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{[^ ]*}} : memref<64xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2: memref.view %[[BYTES]]
// CHECK-NOT:     memref.view
// SAID: [Passed] workgroup {{.*}}Function=loops{{.*}}2 workgroup buffers
// SAID: [Missed] no-partner {{.*}}Function=loops
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @loops(%x: f32, %n: index) workgroup(%a: !f, %b: !f, %after: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    memref.store %x, %after[%t] : !f
    memref.store %x, %a[%t] : !f
    gpu.barrier
    %bound = arith.addi %n, %block : index
    scf.for %k = %c0 to %bound step %c1 {
      %even = arith.cmpi eq, %k, %c0 : index
      scf.if %even {
        gpu.barrier
      }
      memref.store %x, %b[%t] : !f
      gpu.barrier
      %v = memref.load %b[%t] : !f
      memref.store %v, %after[%t] : !f
    }
    gpu.return
  }
}

// -----

// In a loop two attributions that alternate share nothing where one iteration reads what another has left.

// CHECK-LABEL: gpu.func @alternate
// CHECK-NOT:     memref.view
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @alternate(%x: f32, %n: index) workgroup(%a: !f, %b: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      %v = memref.load %a[%t] : !f
      memref.store %x, %a[%t] : !f
      gpu.barrier
      memref.store %v, %b[%t] : !f
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// A barrier that depends on the thread: threads that wait at it might meet others at another one.

// CHECK-LABEL: gpu.func @divergent
// CHECK-NOT:     memref.view
// SAID: [Missed] divergent-barrier {{.*}}Function=divergent{{.*}}Reason="some threads may reach 'gpu.barrier' without the others, or more often", {{.*}}Suggestion="move it to the kernel's own blocks"
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @divergent(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      gpu.barrier
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}

// -----

// The same by what was read from memory, in the loop's bound.

// CHECK-LABEL: gpu.func @divergent_loop
// CHECK-NOT:     memref.view
// SAID: divergent-barrier {{.*}}Function=divergent_loop
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @divergent_loop(%x: f32, %bounds: memref<64xindex>) workgroup(%a: !f, %b: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %n = memref.load %bounds[%c0] : memref<64xindex>
    memref.store %x, %a[%t] : !f
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}

// -----

// Between blocks: a barrier on every way counts.

// CHECK-LABEL: gpu.func @blocks
// CHECK-SAME:    workgroup(%{{[^ ]*}} : memref<512xi8,
// CHECK-COUNT-3: memref.view
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @blocks(%x: f32, %c: i1) workgroup(%a: !f, %b: !f, %after: !f) kernel {
    %t = gpu.thread_id x
    cf.cond_br %c, ^one, ^two
  ^one:
    memref.store %x, %a[%t] : !f
    cf.br ^join
  ^two:
    memref.store %x, %b[%t] : !f
    cf.br ^join
  ^join:
    gpu.barrier
    memref.store %x, %after[%t] : !f
    gpu.return
  }
}

// -----

// One on some ways only, or in a loop of blocks, or in an op that not every thread gets to, does not.

// CHECK-LABEL: gpu.func @some_ways
// CHECK-NOT:     memref.view
// SAID: divergent-barrier {{.*}}Function=some_ways
// CHECK-LABEL: gpu.func @block_loop
// CHECK-NOT:     memref.view
// SAID: divergent-barrier {{.*}}Function=block_loop
// CHECK-LABEL: gpu.func @op_on_some_ways
// CHECK-NOT:     memref.view
// SAID: divergent-barrier {{.*}}Function=op_on_some_ways
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @some_ways(%x: f32, %c: i1) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    cf.cond_br %c, ^one, ^join
  ^one:
    gpu.barrier
    cf.br ^join
  ^join:
    memref.store %x, %b[%t] : !f
    gpu.return
  }
  gpu.func @block_loop(%x: f32, %c: i1) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    cf.br ^loop
  ^loop:
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    cf.cond_br %c, ^loop, ^end
  ^end:
    gpu.return
  }
  gpu.func @op_on_some_ways(%x: f32, %c: i1, %d: i1) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    cf.cond_br %c, ^one, ^join
  ^one:
    scf.if %d {
      gpu.barrier
    }
    cf.br ^join
  ^join:
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}

// -----

// Names are followed: through views, selects and loops' values. An attribution whose name gets away
// stays alone.

// CHECK-LABEL: gpu.func @names
// CHECK-NOT:     memref.view
// CHECK-LABEL: gpu.func @passed
// CHECK-NOT:     memref.view
// SAID: passed-to-call {{.*}}Function=passed{{.*}}Reason="it is passed to '@keep', which may keep it"
// CHECK-LABEL: gpu.func @pointer
// CHECK-NOT:     memref.view
// SAID: pointer-taken {{.*}}Function=pointer
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  func.func @keep(%m: !f) -> index {
    %p = memref.extract_aligned_pointer_as_index %m : !f -> index
    return %p : index
  }
  gpu.func @names(%x: f32, %c: i1) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    %s = arith.select %c, %a, %b : !f
    %v = memref.subview %a[0] [8] [1] : !f to memref<8xf32, strided<[1]>, #gpu.address_space<workgroup>>
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.barrier
    memref.store %x, %s[%t] : !f
    memref.store %x, %v[%t] : memref<8xf32, strided<[1]>, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @passed(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    %p = func.call @keep(%a) : (!f) -> index
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
  gpu.func @pointer(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    %p = memref.extract_aligned_pointer_as_index %a : !f -> index
    memref.store %x, %a[%p] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}

// -----

// A function that kernels call may be called again while some threads are still in the last step;
// spaces do not mix; what says more than an alignment stays; small ones would need more bytes.

// CHECK-LABEL: gpu.func @called
// CHECK-NOT:     memref.view
// SAID: not-a-kernel {{.*}}Function=called{{.*}}Reason="its function may be called again while threads still use it", {{.*}}Suggestion="inline it into its kernels"
// CHECK-LABEL: gpu.func @spaces
// CHECK-NOT:     memref.view
// CHECK-LABEL: gpu.func @marked
// CHECK-NOT:     memref.view
// SAID: attributes {{.*}}Function=marked
// CHECK-LABEL: gpu.func @small
// CHECK-NOT:     memref.view
// SAID: no-gain {{.*}}Function=small
!f = memref<64xf32, #gpu.address_space<workgroup>>
!s = memref<1xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @called(%x: f32) workgroup(%a: !f, %b: !f) {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
  gpu.func @spaces(%x: f32) workgroup(%a: !f, %b: memref<64xf32, 3>) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : memref<64xf32, 3>
    gpu.return
  }
  gpu.func @marked(%x: f32) workgroup(%a: !f {llvm.noalias}, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
  gpu.func @small(%x: f32) workgroup(%a: !s, %b: !s, %c: !s, %d: !s) kernel {
    %t = arith.constant 0 : index
    memref.store %x, %a[%t] : !s
    memref.store %x, %b[%t] : !s
    gpu.barrier
    memref.store %x, %c[%t] : !s
    memref.store %x, %d[%t] : !s
    gpu.return
  }
}

// -----

// Threads that leave a loop have passed the barrier at the end of its body: what it touches has been
// done. What was touched before it has not, as the loop may have no iteration.

// CHECK-LABEL: gpu.func @tiles
// CHECK-SAME:    workgroup(%{{[^ ]*}} : memref<512xi8,
// CHECK-COUNT-3: memref.view
// CHECK-NOT:     memref.view
// CHECK-LABEL: gpu.func @no_iteration
// CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8, {{.*}}, %[[BEFORE:[^ ]*]] : memref<64xf32,
// CHECK:         memref.view %[[BYTES]]
// CHECK:         memref.store %{{.*}}, %[[BEFORE]]
// CHECK:         memref.view %[[BYTES]]
// CHECK-NOT:     memref.view
// CHECK-LABEL: gpu.func @touched_behind
// CHECK-NOT:     memref.view
// CHECK-LABEL: gpu.func @one_way
// CHECK-NOT:     memref.view
!f = memref<64xf32, #gpu.address_space<workgroup>>
!g = memref<128xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @tiles(%x: f32, %n: index) workgroup(%a: !f, %b: !f, %c: !g) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> (f32) {
      memref.store %s, %a[%t] : !f
      memref.store %x, %b[%t] : !f
      gpu.barrier
      %v = memref.load %a[%k] : !f
      %w = memref.load %b[%k] : !f
      gpu.barrier
      %p = arith.mulf %v, %w : f32
      scf.yield %p : f32
    }
    memref.store %r, %c[%t] : !g
    gpu.return
  }
  gpu.func @no_iteration(%x: f32, %n: index) workgroup(%before: !f, %a: !f, %after: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    memref.store %x, %before[%t] : !f
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !f
      gpu.barrier
    }
    memref.store %x, %after[%t] : !f
    gpu.return
  }
  gpu.func @touched_behind(%x: f32, %n: index) workgroup(%a: !f, %after: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !f
      gpu.barrier
      %v = memref.load %a[%k] : !f
    }
    memref.store %x, %after[%t] : !f
    gpu.return
  }
  gpu.func @one_way(%x: f32, %n: index, %c: i1) workgroup(%a: !f, %after: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !f
      scf.if %c {
        gpu.barrier
      }
    }
    memref.store %x, %after[%t] : !f
    gpu.return
  }
}
