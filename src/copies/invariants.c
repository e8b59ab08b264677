//===- invariants.c - what the steps hand on ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asserts what stages leave. A buffer's uses: a view is made of the buffer or of an earlier view,
// and `opaque` is set exactly where some touch is. A rewritten function: no link was rewritten that
// was not allowed, and what one cost is of those that were.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#ifndef NDEBUG

#include <assert.h>

// A view is made of the buffer or of an earlier view.
static bool is_view_before(const stow_copies_uses *uses, size_t count, MlirValue value) {
  if (mlirValueEqual(value, uses->value))
    return true;
  for (size_t i = 0; i < count; ++i)
    if (mlirValueEqual(value, mlirOperationGetResult(uses->views.at[i], 0)))
      return true;
  return false;
}

void stow_copies_assert_uses(const stow_copies_uses *uses) {
  bool opaque = false;
  for (size_t i = 0; i < uses->views.count; ++i)
    assert(is_view_before(uses, i, mlirOperationGetOperand(uses->views.at[i], 0)));
  STOW_EACH(const stow_copies_touch, touch, uses->touches) {
    assert(is_view_before(uses, uses->views.count, touch->view));
    assert(mlirValueEqual(mlirOperationGetOperand(touch->op, touch->operand), touch->view));
    assert(touch->reads || touch->writes);
    assert(!touch->opaque || touch->writes);
    opaque |= touch->opaque;
  }
  assert(opaque == !mlirOperationIsNull(uses->opaque));
}

void stow_copies_assert_rewritten(const stow_copies_trial *trial) {
  for (size_t i = 0; i < trial->link_count; ++i) {
    const stow_copies_link *link = &trial->links[i];
    assert(link->allowed || !link->done);
    assert(link->done || link->cost == STOW_COPIES_NOTHING);
    assert(mlirOperationIsNull(trial->ops[i]) ||
           stow_copies_may(trial, trial->ops[i]) == link->allowed);
  }
}

#endif // NDEBUG
