//===- narrow.c - results that are narrower than a register ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "narrow.h"

#include <stdio.h>
#include <string.h>

// The byte that a bool is says more than its value, which compilers take for 0 or 1.
static int byte_of(bool value) {
  unsigned char byte;
  memcpy(&byte, &value, 1);
  return byte;
}

int main(void) {
  printf("%d %d\n", byte_of(odd(0x102)), byte_of(_mlir_ciface_odd(0x103)));
  printf("%d %d\n", low(0x1ff), _mlir_ciface_low(0x17f));
  printf("%d %d\n", half(0x1ffff), _mlir_ciface_half(0x17fff));
  return 0;
}
