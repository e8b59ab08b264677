// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --remarks-filter-missed=.* 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID

// Threads that call a function may meet others there, who wait at a barrier of the kernel.

!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  func.func @meet() {
    gpu.barrier
    return
  }
  func.func @deep(%n: index) {
    %c0 = arith.constant 0 : index
    %more = arith.cmpi ugt, %n, %c0 : index
    scf.if %more {
      func.call @deeper(%n) : (index) -> ()
    }
    return
  }
  func.func @deeper(%n: index) {
    %c1 = arith.constant 1 : index
    %less = arith.subi %n, %c1 : index
    func.call @deep(%less) : (index) -> ()
    func.call @meet() : () -> ()
    return
  }
  func.func @some(%c: i1) {
    scf.if %c {
      gpu.barrier
    }
    return
  }
  func.func @calls_some(%c: i1) {
    func.call @some(%c) : (i1) -> ()
    return
  }
  func.func @branches(%c: i1) {
    cf.cond_br %c, ^meet, ^end
  ^meet:
    func.call @meet() : () -> ()
    cf.br ^end
  ^end:
    return
  }
  func.func @all(%x: f32, %c: i1) -> f32 {
    %y = scf.if %c -> f32 {
      %z = func.call @twice(%x) : (f32) -> f32
      scf.yield %z : f32
    } else {
      scf.yield %x : f32
    }
    func.call @meet() : () -> ()
    return %y : f32
  }
  func.func @twice(%x: f32) -> f32 {
    %y = arith.addf %x, %x : f32
    return %y : f32
  }
  func.func @deep_meet(%x: f32) -> f32 {
    %y = func.call @twice(%x) : (f32) -> f32
    func.call @meet() : () -> ()
    return %y : f32
  }
  func.func @store_behind(%m: !f, %x: f32, %t: index) {
    gpu.barrier
    memref.store %x, %m[%t] : !f
    return
  }
  func.func private @elsewhere()

  // All threads make the call: it is at least no step less.
  // CHECK-LABEL: gpu.func @together
  // CHECK-COUNT-2: memref.view
  gpu.func @together(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    func.call @meet() : () -> ()
    %v = memref.load %a[%t] : !f
    gpu.barrier
    memref.store %v, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @apart
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=apart{{.*}}some threads may reach '@meet' without the others
  gpu.func @apart(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      func.call @meet() : () -> ()
    } else {
      gpu.barrier
    }
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @by_a_cycle
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=by_a_cycle{{.*}}'@deep'
  gpu.func @by_a_cycle(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      func.call @deep(%t) : (index) -> ()
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unknown
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=unknown{{.*}}'@elsewhere'
  gpu.func @unknown(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      func.call @elsewhere() : () -> ()
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @arithmetic
  // CHECK-COUNT-2: memref.view
  gpu.func @arithmetic(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    scf.if %low {
      %y = func.call @twice(%x) : (f32) -> f32
      memref.store %y, %a[%t] : !f
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // All threads make the calls, but some meet in the callee while the others wait in the kernel.
  // CHECK-LABEL: gpu.func @parted_inside
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=parted_inside{{.*}}some threads may reach 'gpu.barrier' without the others
  gpu.func @parted_inside(%x: f32, %o: memref<64xf32>) workgroup(%a: !f, %b: !f) kernel {
    %c63 = arith.constant 63 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %r = arith.subi %c63, %t : index
    %low = arith.cmpi ult, %t, %c32 : index
    %high = arith.cmpi uge, %t, %c32 : index
    memref.store %x, %a[%t] : !f
    func.call @some(%low) : (i1) -> ()
    %v = memref.load %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%r] : !f
    func.call @some(%high) : (i1) -> ()
    %w = memref.load %b[%r] : !f
    %u = arith.addf %v, %w : f32
    memref.store %u, %o[%t] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @parted_deeper
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=parted_deeper{{.*}}'gpu.barrier'
  gpu.func @parted_deeper(%x: f32, %c: i1) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    func.call @calls_some(%c) : (i1) -> ()
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @parted_by_a_branch
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=parted_by_a_branch{{.*}}'@meet'
  gpu.func @parted_by_a_branch(%x: f32, %c: i1) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    func.call @branches(%c) : (i1) -> ()
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @parted_elsewhere
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=parted_elsewhere{{.*}}'@elsewhere'
  gpu.func @parted_elsewhere(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    func.call @elsewhere() : () -> ()
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @together_inside
  // CHECK-COUNT-2: memref.view
  gpu.func @together_inside(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    %y = func.call @all(%x, %low) : (f32, i1) -> f32
    gpu.barrier
    memref.store %y, %b[%t] : !f
    gpu.return
  }

  // A step ends where all threads meet in a callee.
  // CHECK-LABEL: gpu.func @step
  // CHECK-SAME:    workgroup(%{{[a-z0-9]+}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
  gpu.func @step(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    %y = func.call @deep_meet(%x) : (f32) -> f32
    memref.store %y, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @step_of_a_loop
  // CHECK-SAME:    workgroup(%{{[a-z0-9]+}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
  gpu.func @step_of_a_loop(%x: f32, %n: index) workgroup(%a: !f, %b: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !f
      func.call @meet() : () -> ()
    }
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // The callee stores behind its barrier what it is given: other threads may still do so.
  // CHECK-LABEL: gpu.func @given
  // CHECK-NOT:     memref.view
  gpu.func @given(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    func.call @store_behind(%a, %x, %t) : (!f, f32, index) -> ()
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // What comes in front of it, too: the call ends no step.
  // CHECK-LABEL: gpu.func @given_other
  // CHECK-NOT:     memref.view
  gpu.func @given_other(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %b[%t] : !f
    func.call @store_behind(%a, %x, %t) : (!f, f32, index) -> ()
    gpu.return
  }
}
