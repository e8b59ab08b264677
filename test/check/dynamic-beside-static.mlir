// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Dynamic shared memory is lowered to a variable without bytes: static memory may lie there, too.

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {
  gpu.func @attribution(%x: f32, %i: index) workgroup(
      // expected-note @+1 {{this is static}}
      %a: !f) kernel {
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory of the kernel: let it have one of the two only}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %a[%i] : !f
    memref.store %x, %b[%i] : !f
    gpu.return
  }

  gpu.func @clone(%x: f32, %i: index, %q: memref<64xf32>) kernel {
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    // expected-note @+1 {{this is static}}
    %a = bufferization.clone %q : memref<64xf32> to !f
    memref.store %x, %a[%i] : !f
    memref.store %x, %b[%i] : !f
    gpu.return
  }

  memref.global "private" @g : !f = uninitialized
  gpu.func @global(%x: f32, %i: index) kernel {
    // expected-note @+1 {{this is static}}
    %a = memref.get_global @g : !f
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %a[%i] : !f
    memref.store %x, %b[%i] : !f
    gpu.return
  }

  // What nothing uses is not there, and what each thread has is somewhere else.
  gpu.func @unused(%x: f32, %i: index, %w: !f) workgroup(%a: !f) private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %b[%i] : !f
    memref.store %x, %p[%i] : memref<4xf32, #gpu.address_space<private>>
    %c = memref.alloc() : !f
    %own = memref.alloca() : memref<4xf32>
    memref.store %x, %own[%i] : memref<4xf32>
    %v = memref.load %w[%i] : !f
    gpu.return
  }
}

// -----

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
func.func @launch(%x: f32, %bytes: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %bytes {
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %d = gpu.dynamic_shared_memory : !bytes
    // expected-note @+1 {{this is static}}
    %a = memref.alloc() : !f
    %b = memref.view %d[%c0][] : !bytes to !f
    memref.store %x, %a[%tx] : !f
    memref.store %x, %b[%tx] : !f
    gpu.terminator
  }
  return
}

// -----

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {
  gpu.func @reduced(%x: f32, %i: index, %out: memref<64xf32>) kernel {
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %b[%i] : !f
    // expected-note @+1 {{this is static}}
    %sum = gpu.all_reduce add %x uniform {} : (f32) -> (f32)
    memref.store %sum, %out[%i] : memref<64xf32>
    gpu.return
  }
}

// -----

// Also where a function that the kernel calls has one of the two.

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
!bars = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

gpu.module @m {
  func.func @has_dynamic(%x: f32, %i: index) {
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %b[%i] : !f
    return
  }
  func.func @deeper(%x: f32, %i: index) {
    func.call @has_dynamic(%x, %i) : (f32, index) -> ()
    return
  }
  // expected-note @+1 {{this kernel comes to both}}
  gpu.func @in_callee(%x: f32, %i: index) workgroup(
      // expected-note @+1 {{this is static}}
      %a: !f) kernel {
    memref.store %x, %a[%i] : !f
    func.call @deeper(%x, %i) : (f32, index) -> ()
    gpu.return
  }

  memref.global "private" @g : !f = uninitialized
  func.func @has_global(%x: f32, %i: index) {
    // expected-note @+1 {{this is static}}
    %a = memref.get_global @g : !f
    memref.store %x, %a[%i] : !f
    return
  }
  // expected-note @+1 {{this kernel comes to both}}
  gpu.func @global_in_callee(%x: f32, %i: index) kernel {
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %b[%i] : !f
    func.call @has_global(%x, %i) : (f32, index) -> ()
    gpu.return
  }

  // A group of mbarriers is lowered to a global.
  gpu.func @mbarrier(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{may lie at the same bytes as static workgroup memory}}
    %bytes = gpu.dynamic_shared_memory : !bytes
    // expected-note @+1 {{this is static}}
    %bars = nvgpu.mbarrier.create -> !bars
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    %b = memref.view %bytes[%i][] : !bytes to !f
    memref.store %x, %b[%i] : !f
    gpu.return
  }

  // It does not come to the other one.
  gpu.func @one_alone(%x: f32, %i: index) workgroup(%a: !f) kernel {
    memref.store %x, %a[%i] : !f
    func.call @has_global(%x, %i) : (f32, index) -> ()
    gpu.return
  }
}
