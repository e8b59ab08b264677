// Pairs that look alike, of which one may be fused and the other not, or not so.
// RUN: stowage-opt %s --memory-access-streaming-fusion=assume-noalias-arguments --convert-taskflow-to-affine | FileCheck %s

// A symbol at the top of the function is none in the loop: there, the pair does not store and load one cell for MLIR.
// CHECK-LABEL: func.func @symbol
// CHECK:         scf.for
// CHECK:           affine.store %{{.*}}, %arg2[%{{.*}}] : memref<64xf32>
// CHECK:         }
// CHECK:         affine.store %{{.*}}, %arg3[%{{.*}}] : memref<64xf32>
func.func @symbol(%n: i32, %x: memref<64xf32>, %y0: memref<64xf32>, %y1: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k0 = %c0 to %c2 step %c1 {
    %t0 = memref.alloc() : memref<64xf32>
    %v0 = arith.index_cast %n : i32 to index
    %w0 = taskflow.task @Task_0 read_memrefs(%x : memref<64xf32>) write_memrefs(%t0 : memref<64xf32>) value_inputs(%v0 : index) [original_read_memrefs(%x : memref<64xf32>), original_write_memrefs(%t0 : memref<64xf32>)] : (memref<64xf32>, memref<64xf32>, index) -> (memref<64xf32>) {
    ^bb0(%a3: memref<64xf32>, %a4: memref<64xf32>, %a5: index):
      affine.for %a6 = 0 to 32 {
        %1 = affine.load %a3[%a6] : memref<64xf32>
        %2 = arith.addf %1, %1 : f32
        affine.store %2, %a4[%a6 + symbol(%a5)] : memref<64xf32>
      }
      taskflow.yield writes(%a4 : memref<64xf32>)
    }
    %r0 = taskflow.task @Task_1 read_memrefs(%w0 : memref<64xf32>) write_memrefs(%y0 : memref<64xf32>) value_inputs(%v0 : index) [original_read_memrefs(%t0 : memref<64xf32>), original_write_memrefs(%y0 : memref<64xf32>)] : (memref<64xf32>, memref<64xf32>, index) -> (memref<64xf32>) {
    ^bb0(%a3: memref<64xf32>, %a4: memref<64xf32>, %a5: index):
      affine.for %a6 = 0 to 32 {
        %1 = affine.load %a3[%a6 + %a5] : memref<64xf32>
        %2 = arith.mulf %1, %1 : f32
        affine.store %2, %a4[%a6] : memref<64xf32>
      }
      taskflow.yield writes(%a4 : memref<64xf32>)
    }
    memref.dealloc %w0 : memref<64xf32>
  }

  %t1 = memref.alloc() : memref<64xf32>
    %v1 = arith.index_cast %n : i32 to index
    %w1 = taskflow.task @Task_2 read_memrefs(%x : memref<64xf32>) write_memrefs(%t1 : memref<64xf32>) value_inputs(%v1 : index) [original_read_memrefs(%x : memref<64xf32>), original_write_memrefs(%t1 : memref<64xf32>)] : (memref<64xf32>, memref<64xf32>, index) -> (memref<64xf32>) {
    ^bb0(%a3: memref<64xf32>, %a4: memref<64xf32>, %a5: index):
      affine.for %a6 = 0 to 32 {
        %1 = affine.load %a3[%a6] : memref<64xf32>
        %2 = arith.addf %1, %1 : f32
        affine.store %2, %a4[%a6 + symbol(%a5)] : memref<64xf32>
      }
      taskflow.yield writes(%a4 : memref<64xf32>)
    }
    %r1 = taskflow.task @Task_3 read_memrefs(%w1 : memref<64xf32>) write_memrefs(%y1 : memref<64xf32>) value_inputs(%v1 : index) [original_read_memrefs(%t1 : memref<64xf32>), original_write_memrefs(%y1 : memref<64xf32>)] : (memref<64xf32>, memref<64xf32>, index) -> (memref<64xf32>) {
    ^bb0(%a3: memref<64xf32>, %a4: memref<64xf32>, %a5: index):
      affine.for %a6 = 0 to 32 {
        %1 = affine.load %a3[%a6 + %a5] : memref<64xf32>
        %2 = arith.mulf %1, %1 : f32
        affine.store %2, %a4[%a6] : memref<64xf32>
      }
      taskflow.yield writes(%a4 : memref<64xf32>)
    }
    memref.dealloc %w1 : memref<64xf32>
  return
}
