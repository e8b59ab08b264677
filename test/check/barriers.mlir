// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null
// RUN: sed 's/#gpu.address_space<workgroup>/3/' %s | stowage-opt --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null
// RUN: sed 's/#gpu.address_space<workgroup>/#spirv.storage_class<Workgroup>/' %s | stowage-opt --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Threads of a workgroup share memory: between uses of two views of the same bytes stands a barrier.

!arena = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @missing(%x: f32, %out: memref<64xf32>) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c0][] : !arena to !f
    %t = gpu.thread_id x
    %other = arith.xori %t, %c1 : index
    memref.store %x, %a[%t] : !f
    gpu.barrier
    // expected-note @+1 {{after this: a gpu.barrier is missing between the two, on some path}}
    %v = memref.load %a[%other] : !f
    memref.store %v, %out[%t] : memref<64xf32>
    // expected-error @+1 {{threads use bytes here that others may still use through another view, as no barrier comes first}}
    memref.store %x, %b[%t] : !f
    gpu.barrier
    %w = memref.load %b[%other] : !f
    memref.store %w, %out[%t] : memref<64xf32>
    gpu.return
  }
}

// -----

// The next iteration of a loop comes after this one: a barrier stands at its end, too.

!arena = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @around(%x: f32, %n: index) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%c0][] : !arena to !f
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      // expected-error @+1 {{as no barrier comes first}}
      memref.store %x, %a[%t] : !f
      gpu.barrier
      // expected-note @+1 {{after this}}
      memref.store %x, %b[%t] : !f
    }
    gpu.return
  }
}

// -----

// A barrier on one way only.

!arena = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @one_way(%x: f32, %c: i1) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c0][] : !arena to !f
    %t = gpu.thread_id x
    // expected-note @+1 {{after this}}
    memref.store %x, %a[%t] : !f
    scf.if %c {
      gpu.barrier
    }
    // expected-error @+1 {{as no barrier comes first}}
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}

// -----

// Threads go both ways at once; of a launch, too. Where the ways meet, a barrier does again.

!arena = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
func.func @both_ways(%x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             workgroup(%arena : !arena) {
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c0][] : !arena to !f
    %low = arith.cmpi ult, %tx, %c1 : index
    scf.if %low {
      // expected-note @+1 {{while others, which go another way, do this}}
      memref.store %x, %a[%tx] : !f
    } else {
      // expected-error @+1 {{as a branch takes them different ways}}
      memref.store %x, %b[%tx] : !f
    }
    gpu.barrier
    scf.if %low {
      memref.store %x, %b[%tx] : !f
    }
    gpu.barrier
    scf.if %c {
      memref.store %x, %a[%tx] : !f
    } else {
      memref.store %x, %b[%tx] : !f
    }
    gpu.terminator
  }
  return
}

// -----

// Between blocks; through a name that may be either view; through a part of a view.

!arena = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
!half = memref<32xf32, strided<[1], offset: 32>, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @blocks(%x: f32, %c: i1) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c128][] : !arena to !f
    // expected-note @+1 {{this is the other view}}
    %d = memref.view %arena[%c256][] : !arena to !f
    %t = gpu.thread_id x
    cf.br ^loop
  ^loop:
    // expected-note @+1 {{this is the view that it uses}}
    %s = arith.select %c, %a, %b : !f
    // expected-error @+1 {{as no barrier comes first}}
    memref.store %x, %s[%t] : !f
    gpu.barrier
    // expected-note @+1 {{after this}}
    memref.store %x, %d[%t] : !f
    cf.cond_br %c, ^loop, ^end
  ^end:
    gpu.barrier
    %upper = memref.subview %a[32] [32] [1] : !f to !half
    // expected-note @+1 {{after this}}
    memref.store %x, %upper[%c0] : !half
    // expected-error @+1 {{as no barrier comes first}}
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}

// -----

// Right: barriers in loops, in branches that all threads take together and at the end of a loop's
// body; other bytes, reads alone, one view; two kernels; one launch after the other.

!arena = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
!half = memref<32xf32, strided<[1]>, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @right(%x: f32, %n: index, %out: memref<64xf32>) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %a = memref.view %arena[%c0][] : !arena to !f
    %b = memref.view %arena[%c128][] : !arena to !f
    %d = memref.view %arena[%c256][] : !arena to !f
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %other = arith.xori %t, %c1 : index
    %v = memref.load %a[%other] : !f
    %w = memref.load %b[%other] : !f
    %u = arith.addf %v, %w : f32
    memref.store %u, %out[%t] : memref<64xf32>
    gpu.barrier
    %end = arith.addi %n, %block : index
    scf.for %k = %c0 to %end step %c1 {
      linalg.fill ins(%x : f32) outs(%b : !f)
      gpu.barrier
      %r = memref.load %b[%other] : !f
      memref.store %r, %out[%t] : memref<64xf32>
      gpu.barrier
      %m = arith.remui %k, %c2 : index
      %even = arith.cmpi eq, %m, %c0 : index
      scf.if %even {
        memref.store %x, %a[%t] : !f
        gpu.barrier
      } else {
        memref.store %x, %d[%t] : !f
        gpu.barrier
      }
    }
    gpu.barrier
    %lower = memref.subview %a[0] [32] [1] : !f to !half
    memref.store %x, %lower[%c0] : !half
    memref.store %x, %b[%c0] : !f
    gpu.return
  }
  gpu.func @other(%x: f32) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : !arena to !f
    %b = memref.view %arena[%c0][] : !arena to !f
    memref.store %x, %a[%c0] : !f
    gpu.barrier
    memref.store %x, %b[%c0] : !f
    gpu.return
  }
}

func.func @again(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1)
               workgroup(%arena : !arena) {
      %a = memref.view %arena[%c0][] : !arena to !f
      %b = memref.view %arena[%c0][] : !arena to !f
      memref.store %x, %a[%tx] : !f
      gpu.barrier
      memref.store %x, %b[%tx] : !f
      gpu.terminator
    }
  }
  return
}

// -----

// Which way is gone is the same for all threads where it follows from a loop's values, of blocks,
// too, that do; not where memory or the thread tells.

!arena = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @carried(%x: f32, %n: index, %bits: memref<64xi1>) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c0][] : !arena to !f
    %t = gpu.thread_id x
    %turn = scf.for %k = %c0 to %n step %c1 iter_args(%now = %true) -> (i1) {
      scf.if %now {
        memref.store %x, %a[%t] : !f
      } else {
        memref.store %x, %b[%t] : !f
      }
      gpu.barrier
      %next = arith.xori %now, %true : i1
      scf.yield %next : i1
    }
    cf.br ^loop(%turn, %c0 : i1, index)
  ^loop(%now: i1, %k: index):
    gpu.barrier
    scf.if %now {
      memref.store %x, %a[%t] : !f
    } else {
      memref.store %x, %b[%t] : !f
    }
    %next = arith.xori %now, %true : i1
    %k1 = arith.addi %k, %c1 : index
    %again = arith.cmpi ult, %k1, %n : index
    cf.cond_br %again, ^loop(%next, %k1 : i1, index), ^end
  ^end:
    gpu.barrier
    %bit = memref.load %bits[%c0] : memref<64xi1>
    scf.if %bit {
      // expected-note @+1 {{while others, which go another way, do this}}
      memref.store %x, %a[%t] : !f
    } else {
      // expected-error @+1 {{as a branch takes them different ways}}
      memref.store %x, %b[%t] : !f
    }
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    cf.cond_br %first, ^one, ^two
  ^one:
    // expected-note @+1 {{while others, which go another way, do this}}
    memref.store %x, %a[%t] : !f
    cf.br ^join
  ^two:
    // expected-error @+1 {{as a branch takes them different ways}}
    memref.store %x, %b[%t] : !f
    cf.br ^join
  ^join:
    gpu.return
  }
}

// -----

// One op that uses both views: each thread is somewhere in it.

!arena = memref<192xi8, #gpu.address_space<workgroup>>
!f = memref<32xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @itself() workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c64][] : !arena to !f
    // expected-error @+2 {{threads use bytes here that others may use at once through another view}}
    // expected-note @+1 {{while others do the same}}
    memref.copy %a, %b : !f to !f
    gpu.return
  }
}

// -----

// Turns of a loop of two parts; a kernel without an end; the way that a number picks.

!arena = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @while(%x: f32, %n: index) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.view %arena[%c0][] : !arena to !f
    %b = memref.view %arena[%c0][] : !arena to !f
    %t = gpu.thread_id x
    %r = scf.while (%i = %c0) : (index) -> index {
      memref.store %x, %a[%t] : !f
      gpu.barrier
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      memref.store %x, %b[%t] : !f
      gpu.barrier
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    scf.index_switch %n
    case 0 {
      memref.store %x, %a[%t] : !f
      scf.yield
    }
    default {
      memref.store %x, %b[%t] : !f
      scf.yield
    }
    gpu.return
  }
  gpu.func @endless(%x: f32) workgroup(%arena: !arena {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : !arena to !f
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%c0][] : !arena to !f
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    cf.br ^loop
  ^loop:
    cf.cond_br %first, ^one, ^two
  ^one:
    // expected-error @+1 {{as a branch takes them different ways}}
    memref.store %x, %a[%t] : !f
    gpu.barrier
    cf.br ^loop
  ^two:
    // expected-note @+1 {{while others, which go another way, do this}}
    memref.store %x, %b[%t] : !f
    gpu.barrier
    cf.br ^loop
  }
}

// -----

// A view that is made in each iteration is another one each time, unless its place differs.

!f = memref<64xf32, #gpu.address_space<workgroup>>
!bytes = memref<512xi8, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @made_again(%x: f32, %n: index) workgroup(%arena: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      // expected-note @+1 {{this is the view that it uses}}
      %a = memref.view %arena[%c0][] : !bytes to !f
      // expected-error @+1 {{threads use bytes here that others may still use, which made the view before, as no barrier comes first}}
      memref.store %x, %a[%t] : !f
      gpu.barrier
      // expected-note @+1 {{a gpu.barrier is missing before the view is made again}}
      %v = memref.load %a[%k] : !f
    }
    gpu.return
  }
  gpu.func @behind_a_barrier(%x: f32, %n: index) workgroup(%arena: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      %a = memref.view %arena[%c0][] : !bytes to !f
      memref.store %x, %a[%t] : !f
      gpu.barrier
      %v = memref.load %a[%k] : !f
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @in_turns(%x: f32, %n: index) workgroup(%arena: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      %turn = arith.remui %k, %c2 : index
      %at = arith.muli %turn, %c256 : index
      %a = memref.view %arena[%at][] : !bytes to !f
      memref.store %x, %a[%t] : !f
      gpu.barrier
      %v = memref.load %a[%k] : !f
    }
    gpu.return
  }
}

// -----

// All threads meet in what they call, unless they may do so in a branch there, or the callee is given the bytes.
!bytes = memref<256xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @calls {
  func.func @meet() {
    gpu.barrier
    return
  }
  func.func @meet_there(%x: f32) {
    func.call @meet() : () -> ()
    return
  }
  func.func @perhaps(%c: i1) {
    scf.if %c {
      gpu.barrier
    }
    return
  }
  func.func @store_behind(%m: !f, %x: f32, %t: index) {
    gpu.barrier
    memref.store %x, %m[%t] : !f
    return
  }
  gpu.func @by_a_call(%x: f32) workgroup(%arena: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %a = memref.view %arena[%c0][] : !bytes to !f
    %b = memref.view %arena[%c0][] : !bytes to !f
    memref.store %x, %a[%t] : !f
    func.call @meet_there(%x) : (f32) -> ()
    memref.store %x, %b[%t] : !f
    gpu.return
  }
  gpu.func @by_chance(%x: f32, %c: i1) workgroup(%arena: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !bytes to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c0][] : !bytes to !f
    // expected-note @+1 {{after this: a gpu.barrier is missing between the two, on some path}}
    memref.store %x, %a[%t] : !f
    func.call @perhaps(%c) : (i1) -> ()
    // expected-error @+1 {{threads use bytes here that others may still use through another view, as no barrier comes first}}
    memref.store %x, %b[%t] : !f
    gpu.return
  }
  gpu.func @given(%x: f32) workgroup(%arena: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : !bytes to !f
    // expected-note @+1 {{this is the view that it uses}}
    %b = memref.view %arena[%c0][] : !bytes to !f
    // expected-note @+1 {{after this: a gpu.barrier is missing between the two, on some path}}
    func.call @store_behind(%a, %x, %t) : (!f, f32, index) -> ()
    // expected-error @+1 {{threads use bytes here that others may still use through another view, as no barrier comes first}}
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}
