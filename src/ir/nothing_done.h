//===- nothing_done.h - saying why a pass did nothing -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that finds nothing it works on, or leaves all of it as it is, says so in one line
// (stow_bridge_tell_idle_pass). Most passes work on one kind of op; this counts that op before and
// after. If neither a listener nor remarks are active, nothing is counted.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_NOTHING_DONE_H
#define STOWAGE_IR_NOTHING_DONE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the pass works on, and how it says that none of that changed.
typedef struct stow_idle_subject {
  const char *pass, *op;
  const char *none;    // beside "no OP": what to do about it; NULL: it comes from bufferization
  const char *changed; // "removed": where their number stays, none was; NULL: numbers say nothing
  const char *none_added; // beside "no OP" and "no OP added": why, unless the module has tensors
  bool adds;              // it makes such ops, and having none at first says nothing
  bool for_allocs;        // for what memref.alloc makes
  bool none_is_usual;     // having none is no reason to say so
} stow_idle_subject;

typedef struct stow_idle_watch {
  MlirOperation module;
  stow_idle_subject subject;
  size_t before;
  bool heard;
} stow_idle_watch;

stow_idle_watch stow_ir_idle_begin(MlirOperation module, stow_idle_subject subject);
void stow_ir_idle_end(const stow_idle_watch *watch);

// What follows "no OP": that tensors are not bufferized yet, if the module has any, else `reason`.
const char *stow_ir_or_tensors(MlirOperation module, const char *reason);

// The same for a pass that works on what memref.alloc makes: also that the module has none.
const char *stow_ir_or_no_alloc(MlirOperation module, const char *reason);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_IR_NOTHING_DONE_H
