// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null
// A depth that is enough, and one less; the release of one element too many.
// RUN: stowage-opt %root/../examples/blur.mlir --convert-affine-to-taskflow --memory-access-streaming-fusion=form=channels -o %t
// RUN: stowage-opt %t --check-arena-plan -o /dev/null
// RUN: sed 's/depth 37/depth 36/' %t > %t.shallow
// RUN: not stowage-opt %t.shallow --check-arena-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHALLOW
// RUN: sed 's/-> (d1 + d0 \* 18)/-> (d1 + d0 * 18 + 1)/' %t > %t.early
// RUN: not stowage-opt %t.early --check-arena-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not stowage-opt %t --check-arena-plan=max-effort=1000 -o /dev/null 2>&1 | FileCheck %s --check-prefix=EFFORT

// SHALLOW: error: waits forever: @Task_0 waits for room for element 36 in a channel that is 36 deep
// SHALLOW: note: @Task_1 waits for element 36 of a channel
// EARLY: error: loads element 0 of a channel, of which all before 1 were released
// EARLY: note: this is the channel
// EFFORT: error: channels were not simulated to the end: 1000 steps do not suffice; raise max-effort

func.func @order(%v: f32) {
  // expected-note @+1 {{this is the channel}}
  %c = taskflow.channel depth 2 : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%c : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%c : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 8 {
      // expected-error @+1 {{stores element 7 of a channel of which element 0 of 8 is the next}}
      affine.store %x, %m[7 - %i] : memref<8xf32>
    }
    taskflow.yield writes(%m : memref<8xf32>)
  }
  return
}

// -----

// The reader waits for the end of a task that waits for the end of the writer.
func.func @waits_for_the_end(%v: f32, %b: memref<8xf32>, %d: memref<8xf32>) {
  %c = taskflow.channel depth 2 : memref<8xf32>
  %w:2 = taskflow.task @a write_memrefs(%c, %b : memref<8xf32>, memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%c, %b : memref<8xf32>, memref<8xf32>)] : (memref<8xf32>, memref<8xf32>, f32) -> (memref<8xf32>, memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 8 {
      affine.store %x, %n[%i] : memref<8xf32>
      // expected-error @+1 {{waits forever: @a waits for room for element 2 in a channel that is 2 deep}}
      affine.store %x, %m[%i] : memref<8xf32>
    }
    taskflow.yield writes(%m, %n : memref<8xf32>, memref<8xf32>)
  }
  %u = taskflow.task @b read_memrefs(%w#1 : memref<8xf32>) write_memrefs(%d : memref<8xf32>) [original_read_memrefs(%b : memref<8xf32>), original_write_memrefs(%d : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>):
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %n[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n : memref<8xf32>)
  }
  %r:2 = taskflow.task @c read_memrefs(%w#0 : memref<8xf32>) write_memrefs(%w#0, %u : memref<8xf32>, memref<8xf32>) [original_read_memrefs(%c : memref<8xf32>), original_write_memrefs(%c, %d : memref<8xf32>, memref<8xf32>)] : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>, %o: memref<8xf32>):
    affine.for %i = 0 to 8 {
      taskflow.release %n before %i : memref<8xf32>
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %o[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n, %o : memref<8xf32>, memref<8xf32>)
  }
  return
}

// -----

// What is behind a condition is not known.
func.func @condition(%v: f32, %n: index) {
  %c = taskflow.channel depth 2 : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%c : memref<8xf32>) value_inputs(%v, %n : f32, index) [original_write_memrefs(%c : memref<8xf32>)] : (memref<8xf32>, f32, index) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32, %k: index):
    affine.for %i = 0 to 8 {
      // expected-error @+1 {{is around or at an access to a channel and cannot be simulated}}
      affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%k] {
        affine.store %x, %m[%i] : memref<8xf32>
      }
    }
    taskflow.yield writes(%m : memref<8xf32>)
  }
  return
}

// -----

// A condition on loops' variables is followed: all elements are stored, and then the first one again.
func.func @known_condition(%v: f32) {
  // expected-note @+1 {{this is the channel}}
  %c = taskflow.channel depth 8 : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%c : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%c : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 16 {
      affine.if affine_set<(d0) : (7 - d0 >= 0)>(%i) {
        affine.store %x, %m[%i] : memref<8xf32>
      } else {
        %y = arith.addf %x, %x : f32
      }
      affine.if affine_set<(d0) : (d0 - 12 == 0)>(%i) {
        // expected-error @+1 {{stores element 0 of a channel of which element 8 of 8 is the next}}
        affine.store %x, %m[%i - 12] : memref<8xf32>
      }
    }
    taskflow.yield writes(%m : memref<8xf32>)
  }
  return
}

// -----

// Nobody stores what is loaded.
func.func @nothing_stored(%b: memref<8xf32>) {
  %c = taskflow.channel depth 2 : memref<8xf32>
  %r:2 = taskflow.task @c read_memrefs(%c : memref<8xf32>) write_memrefs(%c, %b : memref<8xf32>, memref<8xf32>) [original_read_memrefs(%c : memref<8xf32>), original_write_memrefs(%c, %b : memref<8xf32>, memref<8xf32>)] : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>, %o: memref<8xf32>):
    affine.for %i = 0 to 8 {
      // expected-error @+1 {{waits forever: @c waits for element 0 of a channel}}
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %o[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n, %o : memref<8xf32>, memref<8xf32>)
  }
  return
}
