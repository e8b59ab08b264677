// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: rm -f %t.*
// RUN: stowage-opt %s --buffer-reuse="analysis report=json:%t.json" -o /dev/null
// RUN: %python -m json.tool %t.json
// RUN: stowage-opt %s --buffer-reuse="analysis report=csv:%t.csv" -o /dev/null
// RUN: FileCheck %s < %t.csv

// A module with nothing to plan still gets the report that was asked for.

// CHECK: id,lower,upper,size,alignment,name,op,layer,type,location,op_location{{$}}
// CHECK-NOT: {{.}}
func.func @nothing() {
  return
}
