// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --no-implicit-module --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --no-implicit-module --buffer-reuse=analysis -o /dev/null

// A module that is written out, empty, or without functions is no trouble.

// CHECK: module
module {
}
