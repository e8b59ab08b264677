// Two readers of one buffer are fused to see whether a third one fits, for which an allocation has to rise; it does not fit, and
// all tasks stand in their order again.
// RUN: stowage-opt %s --pass-pipeline='builtin.module(convert-affine-to-taskflow{copies},memory-access-streaming-fusion{max-rounds=1},canonicalize,cse,memory-access-streaming-fusion)' | FileCheck %s

// CHECK-LABEL: func.func @undone
// CHECK: taskflow.task
// CHECK: return
func.func @undone(%a0: memref<3x2xi32>) -> memref<3x3xi32> {
  %x0 = arith.constant 0 : index
  %x1 = arith.constant 1 : index
  %x2 = arith.constant 2 : index
  %yes = arith.cmpi eq, %x1, %x1 : index
  %t0 = memref.alloc() : memref<3x2xi32>
  %t1 = memref.alloc() : memref<2x2x3xi32>
  %t2 = memref.alloc() : memref<3xi32>
  %t3 = memref.alloc() : memref<3x3xi32>
  memref.copy %a0, %t0 : memref<3x2xi32> to memref<3x2xi32>
  affine.for %i3_1 = 0 to 2 {
    affine.for %i3_2 = 0 to 2 {
      affine.for %i3_3 = 0 to 3 {
        %v3_4 = affine.load %t0[%i3_1, %i3_2] : memref<3x2xi32>
        %c3_6 = arith.constant 733 : i32
        %v3_5 = arith.xori %v3_4, %c3_6 : i32
        affine.store %v3_5, %t1[%i3_1, %i3_2, %i3_3] : memref<2x2x3xi32>
      }
    }
  }
  affine.for %i4_1 = 0 to 3 {
    %v4_2 = affine.load %t0[%i4_1, 0] : memref<3x2xi32>
    %v4_3 = affine.load %t0[%i4_1, 1] : memref<3x2xi32>
    %c4_6 = arith.constant 70881 : i32
    %v4_4 = arith.muli %v4_2, %c4_6 : i32
    %v4_5 = arith.subi %v4_4, %v4_3 : i32
    affine.store %v4_5, %t2[%i4_1] : memref<3xi32>
  }
  affine.for %i5_3 = 0 to 3 {
    affine.for %k5_5 = 0 to 1 {
      affine.for %k5_4 = 0 to 3 {
        affine.for %i5_2 = 0 to 2 {
          affine.for %i5_1 = 0 to 2 {
            %v5_6 = affine.load %t1[%i5_1, %i5_2, %i5_3] : memref<2x2x3xi32>
            %v5_7 = memref.load %a0[%i5_1, %i5_2] : memref<3x2xi32>
            %v5_8 = affine.load %a0[2, %i5_2] : memref<3x2xi32>
            %c5_11 = arith.constant 65485 : i32
            %v5_9 = arith.muli %v5_6, %c5_11 : i32
            %v5_10 = arith.subi %v5_9, %v5_7 : i32
            %c5_14 = arith.constant 37623 : i32
            %v5_12 = arith.muli %v5_10, %c5_14 : i32
            %v5_13 = arith.subi %v5_12, %v5_8 : i32
            memref.store %v5_13, %t1[%i5_1, %i5_2, %i5_3] : memref<2x2x3xi32>
          }
        }
      }
    }
  }
  affine.for %i6_1 = 0 to 3 {
    affine.for %i6_2 = 0 to 3 {
      %v6_3 = affine.load %t0[%i6_1, (%i6_1 + 10) mod 2] : memref<3x2xi32>
      %v6_4 = affine.load %t0[%i6_1, (%i6_1 + 9) mod 2] : memref<3x2xi32>
      %v6_5 = affine.load %a0[%i6_1, 1] : memref<3x2xi32>
      %c6_8 = arith.constant 32331 : i32
      %v6_6 = arith.muli %v6_3, %c6_8 : i32
      %v6_7 = arith.xori %v6_6, %v6_4 : i32
      %c6_11 = arith.constant 58633 : i32
      %v6_9 = arith.muli %v6_7, %c6_11 : i32
      %v6_10 = arith.subi %v6_9, %v6_5 : i32
      %c6_13 = arith.constant 735 : i32
      %v6_12 = arith.xori %v6_10, %c6_13 : i32
      affine.store %v6_12, %t3[%i6_1, %i6_2] : memref<3x3xi32>
    }
  }
  affine.for %i7_1 = 0 to 3 {
    %v7_2 = memref.load %t2[%i7_1] : memref<3xi32>
    %c7_3 = arith.constant 2 : i32
    %v7_4 = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i7_1) -> i32 {
      %v7_5 = affine.load %a0[%i7_1, 0] : memref<3x2xi32>
      affine.yield %v7_5 : i32
    } else {
      affine.yield %c7_3 : i32
    }
    %c7_6 = arith.constant 34 : i32
    %v7_7 = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i7_1) -> i32 {
      %v7_8 = affine.load %t3[%i7_1, %i7_1] : memref<3x3xi32>
      affine.yield %v7_8 : i32
    } else {
      affine.yield %c7_6 : i32
    }
    %c7_11 = arith.constant 9941 : i32
    %v7_9 = arith.muli %v7_2, %c7_11 : i32
    %v7_10 = arith.addi %v7_9, %v7_4 : i32
    %c7_14 = arith.constant 2677 : i32
    %v7_12 = arith.muli %v7_10, %c7_14 : i32
    %v7_13 = arith.subi %v7_12, %v7_7 : i32
    affine.store %v7_13, %t2[%i7_1] : memref<3xi32>
  }
  affine.for %i9_1 = 2 to 3 {
    %v9_2 = affine.load %t0[%i9_1, %i9_1 - 1] : memref<3x2xi32>
    %v9_3 = affine.load %t0[%i9_1, %i9_1 - 2] : memref<3x2xi32>
    %v9_4 = affine.load %t0[%i9_1, %i9_1 - 2] : memref<3x2xi32>
    %c9_7 = arith.constant 55149 : i32
    %v9_5 = arith.muli %v9_2, %c9_7 : i32
    %v9_6 = arith.subi %v9_5, %v9_3 : i32
    %c9_10 = arith.constant 98029 : i32
    %v9_8 = arith.muli %v9_6, %c9_10 : i32
    %v9_9 = arith.subi %v9_8, %v9_4 : i32
    %v9_11 = vector.broadcast %v9_9 : i32 to vector<1xi32>
    vector.store %v9_11, %t2[%i9_1] : memref<3xi32>, vector<1xi32>
  }
  affine.for %i10_2 = 0 to 2 {
    affine.for %i10_1 = 0 to 2 {
      %v10_3 = affine.load %a0[%i10_1, %i10_2] : memref<3x2xi32>
      %b10_4 = memref.assume_alignment %t3, 4 : memref<3x3xi32>
      %v10_5 = memref.load %b10_4[%i10_1, %i10_2] : memref<3x3xi32>
      %c10_8 = arith.constant 26651 : i32
      %v10_6 = arith.muli %v10_3, %c10_8 : i32
      %v10_7 = arith.xori %v10_6, %v10_5 : i32
      affine.store %v10_7, %t0[%i10_1, %i10_2] : memref<3x2xi32>
    }
  }
  memref.dealloc %t0 : memref<3x2xi32>
  memref.dealloc %t1 : memref<2x2x3xi32>
  memref.dealloc %t2 : memref<3xi32>
  return %t3 : memref<3x3xi32>
}
