// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=dynamic=exact | FileCheck %s --check-prefix=EXACT
// RUN: stowage-opt %s --merge-alloc --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=256 -o /dev/null 2>&1 | FileCheck %s --check-prefix=CAPACITY

// A memref.alloc of workgroup memory is planned as an attribution is.

#ws = #gpu.address_space<workgroup>

gpu.module @device {
  // CHECK-LABEL: gpu.func @two
  // CHECK-SAME:    workgroup(%[[BYTES:.*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 32 : i64})
  // CHECK:         memref.view %[[BYTES]]
  // CHECK:         gpu.barrier
  // CHECK:         memref.view %[[BYTES]]
  // CHECK-NOT:     alloc
  // CHECK:         gpu.return
  // REMARK: 2 workgroup buffers of 384 bytes put into 256 bytes
  gpu.func @two(%x: f32, %y: f16) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    gpu.barrier
    %b = memref.alloc() {alignment = 32 : i64} : memref<64xf16, #ws>
    memref.store %y, %b[%t] : memref<64xf16, #ws>
    memref.dealloc %a : memref<64xf32, #ws>
    memref.dealloc %b : memref<64xf16, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @beside_an_attribution
  // CHECK-SAME:    workgroup(%[[BYTES:.*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
  // CHECK-NOT:     alloc
  // CHECK:         gpu.return
  gpu.func @beside_an_attribution(%x: f32) workgroup(%c: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    gpu.barrier
    memref.store %x, %c[%t] : memref<64xf32, #ws>
    gpu.return
  }

  // Without the barrier both are live at once.
  // CHECK-LABEL: gpu.func @no_barrier
  // CHECK-COUNT-2: memref.alloc
  gpu.func @no_barrier(%x: f32) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.return
  }

  // Each iteration has memory of its own, which the barrier tells from that of the next.
  // CHECK-LABEL: gpu.func @in_a_loop(
  // CHECK-SAME:    workgroup(%[[BYTES:.*]] : memref<256xi8, {{.*}})
  // CHECK-NOT:     alloc
  // CHECK:         gpu.return
  gpu.func @in_a_loop(%x: f32, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.alloc() : memref<64xf32, #ws>
      memref.store %x, %a[%t] : memref<64xf32, #ws>
      gpu.barrier
    }
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @in_a_loop_of_blocks
  // CHECK-COUNT-2: memref.alloc
  // REMARK: workgroup-memory {{.*}}Function=in_a_loop_of_blocks
  gpu.func @in_a_loop_of_blocks(%x: f32, %c: i1) kernel {
    %t = gpu.thread_id x
    cf.br ^loop
  ^loop:
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    cf.cond_br %c, ^loop, ^exit
  ^exit:
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.return
  }

  // The dealloc may free the other memory.
  // CHECK-LABEL: gpu.func @shared_dealloc
  // CHECK-COUNT-2: memref.alloc
  // REMARK: shared-dealloc {{.*}}Function=shared_dealloc
  gpu.func @shared_dealloc(%x: f32, %m: memref<64xf32, #ws>, %c: i1) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    %s = arith.select %c, %a, %m : memref<64xf32, #ws>
    memref.dealloc %s : memref<64xf32, #ws>
    gpu.return
  }

  // The dealloc may free what is made in the branch, too.
  // CHECK-LABEL: gpu.func @in_a_branch
  // CHECK-COUNT-3: memref.alloc
  gpu.func @in_a_branch(%x: f32, %c: i1) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    %r = scf.if %c -> memref<64xf32, #ws> {
      %q = memref.alloc() : memref<64xf32, #ws>
      scf.yield %q : memref<64xf32, #ws>
    } else {
      scf.yield %a : memref<64xf32, #ws>
    }
    memref.dealloc %r : memref<64xf32, #ws>
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.return
  }

  // %a or %d is read behind the barrier: %b shares with neither, %e with one.
  // CHECK-LABEL: gpu.func @read_by_another_name
  // CHECK-SAME:    workgroup(%{{.*}} : memref<768xi8, {{.*}})
  // CHECK-NOT:     alloc
  // CHECK:         gpu.return
  gpu.func @read_by_another_name(%x: f32, %c: i1, %o: memref<64xf32>) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    %d = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %d[%t] : memref<64xf32, #ws>
    cf.cond_br %c, ^next(%a : memref<64xf32, #ws>), ^next(%d : memref<64xf32, #ws>)
  ^next(%s: memref<64xf32, #ws>):
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %v = memref.load %s[%t] : memref<64xf32, #ws>
    memref.store %v, %o[%t] : memref<64xf32>
    gpu.barrier
    %e = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %e[%t] : memref<64xf32, #ws>
    memref.dealloc %s : memref<64xf32, #ws>
    gpu.return
  }

  // Only the barrier of the kernel itself orders what a thread does that has freed the memory.
  // CHECK-LABEL: gpu.func @freed_before_the_barrier
  // CHECK-COUNT-2: memref.alloc
  gpu.func @freed_before_the_barrier(%x: f32) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    memref.dealloc %a : memref<64xf32, #ws>
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    memref.dealloc %b : memref<64xf32, #ws>
    gpu.return
  }

  // A function that a kernel calls is none itself.
  // CHECK-LABEL: func.func @callee
  // CHECK-COUNT-2: memref.alloc
  func.func @callee(%x: f32, %t: index) {
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    return
  }
  gpu.func @caller(%x: f32) kernel {
    %t = gpu.thread_id x
    func.call @callee(%x, %t) : (f32, index) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @dynamic
  // CHECK-COUNT-2: memref.alloc
  // EXACT-LABEL: gpu.func @dynamic
  // EXACT-COUNT-2: memref.alloc
  gpu.func @dynamic(%x: f32, %n: index) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc(%n) : memref<?xf32, #ws>
    memref.store %x, %a[%t] : memref<?xf32, #ws>
    gpu.barrier
    %b = memref.alloc(%n) : memref<?xf32, #ws>
    memref.store %x, %b[%t] : memref<?xf32, #ws>
    gpu.return
  }

  // What is left alone counts, too.
  // CAPACITY: error: the kernel needs 512 bytes of workgroup memory, but workgroup-capacity-in-bytes is 256
}

// CHECK-LABEL: func.func @launched
// CHECK:         workgroup(%{{.*}} : memref<271xi8, #gpu.address_space<workgroup>>)
// CHECK-NOT:     alloc
// CHECK:         gpu.terminator
func.func @launched(%x: f32, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %a = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, #ws>
    memref.store %x, %b[%t] : memref<64xf32, #ws>
    gpu.terminator
  }
  return
}
