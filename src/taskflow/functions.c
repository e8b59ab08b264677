//===- functions.c - the functions of a module, one after the other -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/functions.h"

#include "bridge/bridge.h"

typedef struct each {
  stow_function_fn fn;
  void *user;
} each;

static MlirWalkResult visit(MlirOperation op, void *user) {
  const each *e = user;
  if (!stow_op_is_function(op))
    return MlirWalkResultAdvance;
  if (!mlirRegionIsNull(stow_function_body(op)))
    e->fn(op, e->user);
  return MlirWalkResultSkip;
}

void stow_each_function(MlirOperation module, stow_function_fn fn, void *user) {
  each e = {fn, user};
  mlirOperationWalk(module, visit, &e, MlirWalkPreOrder);
}
