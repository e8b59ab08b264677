// Each layer's sums start from one buffer of zeros. Fused with the nest that fills it, all of them would be alive from the start
// on. The planner tells what that costs. Where it puts others into the result before that is written, an early write of the result
// costs as much.
// DEFINE: %{plan} = buffer-deallocation-pipeline,func.func(optimize-allocation-liveness),buffer-reuse{analysis pool-all lend-results=false report=text}
// DEFINE: %{before} = convert-affine-to-taskflow{copies}
// DEFINE: %{tasks} = %{before},memory-access-streaming-fusion{windows=false}
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{plan})' 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{tasks},convert-taskflow-to-affine,%{plan})' 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{before},memory-access-streaming-fusion{max-rounds=1 windows=false},convert-taskflow-to-affine,%{plan})' 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{before},memory-access-streaming-fusion{max-rounds=1 allow-higher-peak windows=false search-trials=0},convert-taskflow-to-affine,%{plan})' 2>&1 | FileCheck %s --check-prefix=HIGHER
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{before},memory-access-streaming-fusion{max-rounds=1 max-live-bytes=4096 windows=false search-trials=0},convert-taskflow-to-affine,%{plan})' 2>&1 | FileCheck %s --check-prefix=HIGHER
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{before},memory-access-streaming-fusion{max-rounds=1 max-live-bytes=4095 windows=false search-trials=0},convert-taskflow-to-affine,%{plan})' 2>&1 | FileCheck %s --check-prefix=PLANNED
// DEFINE: %{lent} = merge-alloc{report=text}
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{lent})' 2>&1 | FileCheck %s --check-prefix=LENT
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(%{tasks},convert-taskflow-to-affine,%{lent})' 2>&1 | FileCheck %s --check-prefix=LENT

// PLANNED: arena {{.*}} 3072 B
// HIGHER: arena {{.*}} 4096 B
// LENT: arena {{.*}} 2048 B
// LENT: left alone {{.*}} 1024 B
func.func @layers(%a: memref<16x16xf32>) -> memref<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc() : memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.store %zero, %z[%i, %j] : memref<16x16xf32>
    }
  }
  %t1 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t1 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %a[%i, %k] : memref<16x16xf32>
        %y = affine.load %t1[%i, %j] : memref<16x16xf32>
        %s = arith.addf %x, %y : f32
        affine.store %s, %t1[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t2 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t2 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t1[%i, %k] : memref<16x16xf32>
        %y = affine.load %t2[%i, %j] : memref<16x16xf32>
        %s = arith.addf %x, %y : f32
        affine.store %s, %t2[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t3 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t3 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t2[%i, %k] : memref<16x16xf32>
        %y = affine.load %t3[%i, %j] : memref<16x16xf32>
        %s = arith.addf %x, %y : f32
        affine.store %s, %t3[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t4 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t4 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t3[%i, %k] : memref<16x16xf32>
        %y = affine.load %t4[%i, %j] : memref<16x16xf32>
        %s = arith.addf %x, %y : f32
        affine.store %s, %t4[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t5 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t5 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t4[%i, %k] : memref<16x16xf32>
        %y = affine.load %t5[%i, %j] : memref<16x16xf32>
        %s = arith.addf %x, %y : f32
        affine.store %s, %t5[%i, %j] : memref<16x16xf32>
      }
    }
  }
  return %t5 : memref<16x16xf32>
}
