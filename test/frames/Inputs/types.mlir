// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each copies its argument by way of its arena.
func.func @copy_f16(%x: memref<5xf16>, %y: memref<5xf16>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xf16>
  memref.copy %x, %t : memref<5xf16> to memref<5xf16>
  memref.copy %t, %y : memref<5xf16> to memref<5xf16>
  return
}

func.func @copy_bf16(%x: memref<5xbf16>, %y: memref<5xbf16>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xbf16>
  memref.copy %x, %t : memref<5xbf16> to memref<5xbf16>
  memref.copy %t, %y : memref<5xbf16> to memref<5xbf16>
  return
}

func.func @copy_f64(%x: memref<5xf64>, %y: memref<5xf64>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xf64>
  memref.copy %x, %t : memref<5xf64> to memref<5xf64>
  memref.copy %t, %y : memref<5xf64> to memref<5xf64>
  return
}

func.func @copy_i1(%x: memref<5xi1>, %y: memref<5xi1>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xi1>
  memref.copy %x, %t : memref<5xi1> to memref<5xi1>
  memref.copy %t, %y : memref<5xi1> to memref<5xi1>
  return
}

func.func @copy_i4(%x: memref<5xi4>, %y: memref<5xi4>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xi4>
  memref.copy %x, %t : memref<5xi4> to memref<5xi4>
  memref.copy %t, %y : memref<5xi4> to memref<5xi4>
  return
}

func.func @copy_ui16(%x: memref<5xui16>, %y: memref<5xui16>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xui16>
  memref.copy %x, %t : memref<5xui16> to memref<5xui16>
  memref.copy %t, %y : memref<5xui16> to memref<5xui16>
  return
}

func.func @copy_i24(%x: memref<5xi24>, %y: memref<5xi24>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xi24>
  memref.copy %x, %t : memref<5xi24> to memref<5xi24>
  memref.copy %t, %y : memref<5xi24> to memref<5xi24>
  return
}

func.func @copy_index(%x: memref<5xindex>, %y: memref<5xindex>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xindex>
  memref.copy %x, %t : memref<5xindex> to memref<5xindex>
  memref.copy %t, %y : memref<5xindex> to memref<5xindex>
  return
}

func.func @copy_complex(%x: memref<5xcomplex<f32>>, %y: memref<5xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xcomplex<f32>>
  memref.copy %x, %t : memref<5xcomplex<f32>> to memref<5xcomplex<f32>>
  memref.copy %t, %y : memref<5xcomplex<f32>> to memref<5xcomplex<f32>>
  return
}

func.func @copy_vector(%x: memref<5xvector<4xf32>>, %y: memref<5xvector<4xf32>>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xvector<4xf32>>
  memref.copy %x, %t : memref<5xvector<4xf32>> to memref<5xvector<4xf32>>
  memref.copy %t, %y : memref<5xvector<4xf32>> to memref<5xvector<4xf32>>
  return
}

func.func @copy_i128(%x: memref<5xi128>, %y: memref<5xi128>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<5xi128>
  memref.copy %x, %t : memref<5xi128> to memref<5xi128>
  memref.copy %t, %y : memref<5xi128> to memref<5xi128>
  return
}

func.func @copy_point(%x: memref<f32>, %y: memref<f32>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<f32>
  memref.copy %x, %t : memref<f32> to memref<f32>
  memref.copy %t, %y : memref<f32> to memref<f32>
  return
}

func.func @copy_none(%x: memref<0x4xf32>, %y: memref<0x4xf32>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<0x4xf32>
  memref.copy %x, %t : memref<0x4xf32> to memref<0x4xf32>
  memref.copy %t, %y : memref<0x4xf32> to memref<0x4xf32>
  return
}

// What only a descriptor tells: strides, an offset, a dimension.
func.func @column(%x: memref<3x2xf32, strided<[?, ?], offset: ?>>, %y: memref<?xf32>) -> (i1, memref<?xf32>) attributes {llvm.emit_c_interface} {
  %t = memref.alloc() : memref<3xf32>
  %from = memref.subview %x[0, 1] [3, 1] [1, 1] : memref<3x2xf32, strided<[?, ?], offset: ?>> to memref<3xf32, strided<[?], offset: ?>>
  linalg.copy ins(%from : memref<3xf32, strided<[?], offset: ?>>) outs(%t : memref<3xf32>)
  %to = memref.subview %y[1] [3] [1] : memref<?xf32> to memref<3xf32, strided<[1], offset: 1>>
  linalg.copy ins(%t : memref<3xf32>) outs(%to : memref<3xf32, strided<[1], offset: 1>>)
  %yes = arith.constant true
  return %yes, %y : i1, memref<?xf32>
}
