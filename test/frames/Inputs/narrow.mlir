// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are narrower than a register, whose other bits are those of the argument.
func.func @odd(%x: i32) -> i1 attributes {llvm.emit_c_interface} {
  %r = arith.trunci %x : i32 to i1
  return %r : i1
}

func.func @low(%x: i32) -> i8 attributes {llvm.emit_c_interface} {
  %r = arith.trunci %x : i32 to i8
  return %r : i8
}

func.func @half(%x: i32) -> i16 attributes {llvm.emit_c_interface} {
  %r = arith.trunci %x : i32 to i16
  return %r : i16
}
