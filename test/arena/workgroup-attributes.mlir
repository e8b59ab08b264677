// An attribution that says more than its alignment is left alone: what the attribute asks for is not known.
// RUN: stowage-opt %s --merge-alloc | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --remarks-filter=merge-alloc 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID

!b = memref<64xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @m {
    // CHECK-LABEL: gpu.func @kept(
    // CHECK-SAME: workgroup(%[[ARENA:.*]] : memref<256xi8, {{.*}}> {llvm.align = 16 : i64}, %[[B:.*]] : memref<64xf32, {{.*}}> {other.keeps}) kernel
    // CHECK: memref.view %[[ARENA]]
    // CHECK: memref.view %[[ARENA]]
    // CHECK: memref.store %{{.*}}, %[[B]][
    // SAID: [Passed] workgroup {{.*}}Remark="2 workgroup buffers of 512 bytes put into 256 bytes"
    // SAID: [Missed] attributes {{.*}}Reason="it has attributes other than an alignment", Remark="workgroup buffer of 256 bytes left alone"
    gpu.func @kept(%x: f32, %out: memref<64xf32>) workgroup(%a: !b {llvm.align = 16 : i64}, %b: !b {other.keeps}, %c: !b) kernel {
      %i = gpu.thread_id x
      memref.store %x, %a[%i] : !b
      gpu.barrier
      %v = memref.load %a[%i] : !b
      memref.store %v, %out[%i] : memref<64xf32>
      gpu.barrier
      memref.store %v, %b[%i] : !b
      gpu.barrier
      %w = memref.load %b[%i] : !b
      memref.store %w, %out[%i] : memref<64xf32>
      gpu.barrier
      memref.store %w, %c[%i] : !b
      gpu.barrier
      %u = memref.load %c[%i] : !b
      memref.store %u, %out[%i] : memref<64xf32>
      gpu.return
    }
  }
}
