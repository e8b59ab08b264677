// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s

// The barriers in a loop's body order what each iteration makes anew.

#ws = #gpu.address_space<workgroup>
!f = memref<64xf32, #ws>
!h = memref<64xf16, #ws>

gpu.module @m {
  // %p is written over %s, which the next iteration computes again.
  // CHECK-LABEL: gpu.func @scores
  // CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8,
  // CHECK:         scf.for
  // CHECK-COUNT-2:   memref.view %[[BYTES]]
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @scores(%x: f32, %y: f16, %n: index) workgroup(%s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      scf.for %j = %c0 to %c64 step %c16 {
        %at = arith.addi %j, %t : index
        memref.store %x, %s[%at] : !f
      }
      gpu.barrier
      %v = memref.load %s[%k] : !f
      gpu.barrier
      memref.store %y, %p[%t] : !h
      gpu.barrier
      %w = memref.load %p[%k] : !h
    }
    gpu.return
  }

  // Each of the others keeps its own bytes. The first thread to come reads what another iteration has left.
  // CHECK-LABEL: gpu.func @read_first
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @read_first(%x: f32, %y: f16, %n: index) workgroup(%s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      %v = memref.load %s[%k] : !f
      gpu.barrier
      memref.store %x, %s[%t] : !f
      gpu.barrier
      memref.store %y, %p[%t] : !h
      gpu.barrier
      %w = memref.load %p[%k] : !h
    }
    gpu.return
  }

  // An iteration stores at another place than the one before.
  // CHECK-LABEL: gpu.func @at_another_place
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @at_another_place(%x: f32, %y: f16, %n: index) workgroup(%s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      %at = arith.addi %k, %t : index
      memref.store %x, %s[%at] : !f
      gpu.barrier
      %v = memref.load %s[%t] : !f
      gpu.barrier
      memref.store %y, %p[%t] : !h
      gpu.barrier
      %w = memref.load %p[%k] : !h
    }
    gpu.return
  }

  // The inner loop stores less the longer the outer one runs.
  // CHECK-LABEL: gpu.func @fewer_and_fewer
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @fewer_and_fewer(%x: f32, %y: f16, %n: index) workgroup(%s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      scf.for %j = %k to %n step %c1 {
        memref.store %x, %s[%j] : !f
      }
      gpu.barrier
      %v = memref.load %s[%t] : !f
      gpu.barrier
      memref.store %y, %p[%t] : !h
      gpu.barrier
      %w = memref.load %p[%k] : !h
    }
    gpu.return
  }

  // The same threads store in each iteration; of %q those for which memory says so.
  // CHECK-LABEL: gpu.func @some_threads
  // CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8, {{.*}}, %[[Q:[^ ]*]] : memref<64xf32,
  // CHECK-COUNT-2: memref.view %[[BYTES]]
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @some_threads(%x: f32, %n: index, %m: memref<64xi1>) workgroup(%s: !f, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    scf.for %k = %c0 to %n step %c1 {
      %bit = memref.load %m[%t] : memref<64xi1>
      gpu.barrier
      scf.if %low {
        memref.store %x, %s[%t] : !f
      }
      gpu.barrier
      %v = memref.load %s[%k] : !f
      gpu.barrier
      scf.if %low {
        memref.store %x, %p[%t] : !f
      }
      gpu.barrier
      %w = memref.load %p[%k] : !f
      gpu.barrier
      scf.if %bit {
        memref.store %x, %q[%t] : !f
      }
      gpu.barrier
      %u = memref.load %q[%k] : !f
    }
    gpu.return
  }

  // Another thread may read before the store: what it finds is of the iteration before.
  // CHECK-LABEL: gpu.func @no_barrier_between
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @no_barrier_between(%x: f32, %y: f16, %n: index) workgroup(%s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      memref.store %x, %s[%t] : !f
      %v = memref.load %s[%k] : !f
      gpu.barrier
      memref.store %y, %p[%t] : !h
      gpu.barrier
      %w = memref.load %p[%k] : !h
    }
    gpu.return
  }

  // A fill sets all of it, and each thread has done so when it reads.
  // CHECK-LABEL: gpu.func @filled
  // CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8,
  // CHECK-COUNT-2: memref.view %[[BYTES]]
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @filled(%x: f32, %y: f16, %n: index) workgroup(%s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      linalg.fill ins(%x : f32) outs(%s : !f)
      %v = memref.load %s[%k] : !f
      memref.store %v, %s[%k] : !f
      gpu.barrier
      linalg.fill ins(%y : f16) outs(%p : !h)
      gpu.barrier
      %w = memref.load %p[%k] : !h
    }
    gpu.return
  }

  // Allocs in the loop, and in a branch that all threads take together.
  // CHECK-LABEL: gpu.func @allocs
  // CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8,
  // CHECK:         scf.for
  // CHECK:           memref.view %[[BYTES]]
  // CHECK:           scf.if
  // CHECK:             memref.view %[[BYTES]]
  // CHECK-NOT:     memref.alloc
  // CHECK:         gpu.return
  gpu.func @allocs(%x: f32, %y: f16, %n: index, %c: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      %s = memref.alloc() : !f
      memref.store %x, %s[%t] : !f
      gpu.barrier
      %v = memref.load %s[%k] : !f
      gpu.barrier
      scf.if %c {
        %p = memref.alloc() : !h
        memref.store %y, %p[%t] : !h
        memref.dealloc %p : !h
      }
      gpu.barrier
      memref.dealloc %s : !f
    }
    gpu.return
  }

  // Nothing is between the last step and the first of the next iteration.
  // CHECK-LABEL: gpu.func @around_the_back_edge
  // CHECK-COUNT-2: memref.alloc
  gpu.func @around_the_back_edge(%x: f32, %y: f16, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      %s = memref.alloc() : !f
      memref.store %x, %s[%t] : !f
      gpu.barrier
      %p = memref.alloc() : !h
      memref.store %y, %p[%t] : !h
    }
    gpu.return
  }

  // The inner loop may have no iteration, and then no barrier is before %p.
  // CHECK-LABEL: gpu.func @no_iteration_between
  // CHECK-COUNT-2: memref.alloc
  gpu.func @no_iteration_between(%x: f32, %y: f16, %n: index, %m: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      scf.for %j = %c0 to %m step %c1 {
        gpu.barrier
      }
      %p = memref.alloc() : !h
      memref.store %y, %p[%t] : !h
      gpu.barrier
      %s = memref.alloc() : !f
      memref.store %x, %s[%t] : !f
    }
    gpu.return
  }

  // Memory of two iterations is in use at once.
  // CHECK-LABEL: gpu.func @meets_itself
  // CHECK-COUNT-3: memref.alloc
  gpu.func @meets_itself(%x: f32, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %before = memref.alloc() : !f
    memref.store %x, %before[%t] : !f
    gpu.barrier
    scf.for %k = %c0 to %n step %c1 {
      %s = memref.alloc() : !f
      memref.store %x, %s[%t] : !f
      gpu.barrier
      %v = memref.load %s[%k] : !f
    }
    gpu.barrier
    %after = memref.alloc() : !h
    memref.store %x, %before[%t] : !f
    gpu.return
  }

  // Threads may be in different iterations.
  // CHECK-LABEL: gpu.func @apart
  // CHECK-COUNT-2: memref.alloc
  gpu.func @apart(%x: f32, %y: f16, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %t step %c1 {
      %s = memref.alloc() : !f
      memref.store %x, %s[%t] : !f
    }
    gpu.barrier
    %p = memref.alloc() : !h
    memref.store %y, %p[%t] : !h
    gpu.return
  }

  // An inner loop's steps are inside of one of the outer loop's.
  // CHECK-LABEL: gpu.func @nested
  // CHECK-SAME:    workgroup(%[[BYTES:[^ ]*]] : memref<256xi8, {{.*}}, %{{.*}} : memref<64xf32,
  // CHECK-COUNT-2: memref.view %[[BYTES]]
  // CHECK-NOT:     memref.view
  // CHECK:         gpu.return
  gpu.func @nested(%x: f32, %y: f16, %n: index) workgroup(%o: !f, %s: !f, %p: !h) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
      memref.store %x, %o[%t] : !f
      gpu.barrier
      scf.for %k = %c0 to %n step %c1 {
        gpu.barrier
        memref.store %x, %s[%t] : !f
        gpu.barrier
        %v = memref.load %s[%k] : !f
        %w = memref.load %o[%k] : !f
        gpu.barrier
        memref.store %y, %p[%t] : !h
        gpu.barrier
      }
      gpu.barrier
    }
    gpu.return
  }
}
