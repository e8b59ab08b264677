// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// A launch states as many bytes of dynamic shared memory as its kernel uses.

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: f32) kernel {
      %c0 = arith.constant 0 : index
      %c256 = arith.constant 256 : index
      %bytes = gpu.dynamic_shared_memory : !bytes
      // expected-note @+1 {{this is the view that ends last}}
      %b = memref.view %bytes[%c256][] : !bytes to !f
      %a = memref.view %bytes[%c0][] : !bytes to !f
      memref.store %x, %a[%c0] : !f
      memref.store %x, %b[%c0] : !f
      gpu.return
    }
    gpu.func @without(%x: f32) kernel {
      gpu.return
    }
  }
  func.func @host(%x: f32, %n: i32) {
    %c1 = arith.constant 1 : index
    %few = arith.constant 511 : i32
    %enough = arith.constant 512 : i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %enough args(%x : f32)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %n args(%x : f32)
    gpu.launch_func @m::@without blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    // expected-error @+1 {{states 511 bytes of dynamic shared memory, but the views of the kernel need 512: state these at the launch}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %few args(%x : f32)
    // expected-error @+1 {{states 0 bytes of dynamic shared memory, but the views of the kernel need 512}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    return
  }
}

// -----

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
func.func @launch(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 128 : i32
  // expected-error @+1 {{states 128 bytes of dynamic shared memory, but the views of the kernel need 256}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %few {
    %bytes = gpu.dynamic_shared_memory : !bytes
    // expected-note @+1 {{this is the view that ends last}}
    %a = memref.view %bytes[%c0][] : !bytes to !f
    memref.store %x, %a[%c0] : !f
    gpu.terminator
  }
  return
}

// -----

// What a launch states is read as unsigned, as runtimes do, so that no constant is less than nothing.

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @without(%x: f32) kernel {
      gpu.return
    }
    gpu.func @k(%x: f32) kernel {
      %c0 = arith.constant 0 : index
      %bytes = gpu.dynamic_shared_memory : !bytes
      %a = memref.view %bytes[%c0][] : !bytes to !f
      memref.store %x, %a[%c0] : !f
      gpu.return
    }
  }
  func.func @host(%x: f32) {
    %c1 = arith.constant 1 : index
    %negative = arith.constant -1 : i32
    %large = arith.constant 2147483648 : i32
    gpu.launch_func @m::@without blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %negative args(%x : f32)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %large args(%x : f32)
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %negative {
      gpu.terminator
    }
    return
  }
}

// -----

// Through a cast; and at an offset that no launch can reach.

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @cast(%x: f32) kernel {
      %c0 = arith.constant 0 : index
      %c256 = arith.constant 256 : index
      %bytes = gpu.dynamic_shared_memory : !bytes
      %same = memref.cast %bytes : !bytes to !bytes
      // expected-note @+1 {{this is the view that ends last}}
      %a = memref.view %same[%c256][] : !bytes to !f
      memref.store %x, %a[%c0] : !f
      gpu.return
    }
    gpu.func @far(%x: f32) kernel {
      %c0 = arith.constant 0 : index
      %far = arith.constant 9223372036854775800 : index
      %bytes = gpu.dynamic_shared_memory : !bytes
      // expected-note @+1 {{this is the view that ends last}}
      %a = memref.view %bytes[%far][] : !bytes to !f
      memref.store %x, %a[%c0] : !f
      gpu.return
    }
  }
  func.func @host(%x: f32) {
    %c1 = arith.constant 1 : index
    %some = arith.constant 256 : i32
    // expected-error @+1 {{states 256 bytes of dynamic shared memory, but the views of the kernel need 512: state these at the launch}}
    gpu.launch_func @m::@cast blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %some args(%x : f32)
    // expected-error @+1 {{states 256 bytes of dynamic shared memory, but the views of the kernel need more than any launch can state}}
    gpu.launch_func @m::@far blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %some args(%x : f32)
    return
  }
}

// -----

// Views that may not be made prove no need: in a branch, in a loop that may not run, in a block behind a branch.

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: f32, %large: i1, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c256 = arith.constant 256 : index
      %c4096 = arith.constant 4096 : index
      %bytes = gpu.dynamic_shared_memory : !bytes
      scf.if %large {
        %a = memref.view %bytes[%c4096][] : !bytes to !f
        memref.store %x, %a[%c0] : !f
      }
      gpu.barrier
      scf.for %i = %c0 to %n step %c1 {
        %b = memref.view %bytes[%c4096][] : !bytes to !f
        memref.store %x, %b[%c0] : !f
        gpu.barrier
      }
      gpu.barrier
      scf.for %i = %c0 to %c2 step %c1 {
        // expected-note @+1 {{this is the view that ends last}}
        %c = memref.view %bytes[%c256][] : !bytes to !f
        memref.store %x, %c[%c0] : !f
        gpu.barrier
      }
      cf.cond_br %large, ^more, ^end
    ^more:
      gpu.barrier
      %d = memref.view %bytes[%c4096][] : !bytes to !f
      memref.store %x, %d[%c0] : !f
      cf.br ^end
    ^end:
      gpu.return
    }
  }
  func.func @host(%x: f32, %n: index) {
    %c1 = arith.constant 1 : index
    %no = arith.constant false
    %few = arith.constant 256 : i32
    %enough = arith.constant 512 : i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %enough args(%x : f32, %no : i1, %n : index)
    // expected-error @+1 {{but the views of the kernel need 512}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %few args(%x : f32, %no : i1, %n : index)
    return
  }
}
