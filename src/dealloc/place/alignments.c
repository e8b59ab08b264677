//===- alignments.c - how aligned a clone must be -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops promise the alignment of their operands (memref.assume_alignment, an `alignment` of
// a load), and elements of views have alignments of their own. A promise that holds for a
// buffer must hold for its clone.
//
// A clone is read by all that its phis flow to. It gets the largest alignment that these
// readers rely on, and that was asked for at the other buffers which they may read.
// Readers in callees, callers and closed regions are not seen: they rely on the largest
// alignment of the module.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"
#include "dealloc/place/place.h"
#include "ir/buffers.h"
#include "mlir-c/BuiltinTypes.h"

// The alignment of the elements, if a heap does not give it anyway.
static uint64_t natural_alignment(const stow_layout *layout, MlirType type) {
  uint64_t alignment = stow_ir_natural_alignment(layout, type);
  return alignment > STOW_HEAP_ALIGNMENT ? alignment : 0;
}

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

static uint64_t promise_of(const stow_layout *layout, MlirOperation op) {
  uint64_t largest = stow_ir_alignment_attribute(op);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (stow_ir_is_buffer(type))
      largest = stow_ir_larger(largest, natural_alignment(layout, type));
  }
  return largest;
}

uint64_t stow_dealloc_largest_promise(MlirOperation module) {
  const stow_layout layout = stow_layout_at(module);
  uint64_t largest = 0;
  STOW_EACH_OP_OF(op, module)
    largest = stow_ir_larger(largest, promise_of(&layout, op));
  return largest;
}

//===----------------------------------------------------------------------===//
// One clone
//===----------------------------------------------------------------------===//

stow_promises stow_promises_of(const stow_domain *domain, uint64_t largest) {
  return (stow_promises){.domain = domain,
                         .layout = stow_layout_at(domain->op),
                         .largest = largest,
                         .readers = stow_walk_create(domain->refs.count),
                         .sources = stow_walk_create(domain->refs.count)};
}

void stow_promises_free(stow_promises *promises) {
  stow_walk_free(&promises->readers);
  stow_walk_free(&promises->sources);
}

static bool is_read_out_of_sight(MlirOperation op) {
  return stow_bridge_op_is_call(op) || mlirOperationGetNumRegions(op) > 0;
}

// What the readers of a ref rely on, and the elements of its type.
static uint64_t relied_on(const stow_promises *promises, int32_t ref) {
  const stow_domain *d = promises->domain;
  if (mlirValueIsNull(d->refs.at[ref].value))
    return promises->largest;
  uint64_t most = natural_alignment(&promises->layout, mlirValueGetType(d->refs.at[ref].value));
  STOW_EACH_OF(i, d->uses_of, ref) {
    MlirOperation op = d->uses.at[i].op;
    most = stow_ir_larger(most, is_read_out_of_sight(op) ? promises->largest
                                                         : stow_ir_alignment_attribute(op));
  }
  return most;
}

static uint64_t asked_for(const stow_domain *domain, int32_t ref) {
  MlirValue value = domain->refs.at[ref].value;
  bool made = !mlirValueIsNull(value) && mlirValueIsAOpResult(value);
  return made ? stow_ir_alignment_attribute(mlirOpResultGetOwner(value)) : 0;
}

uint64_t stow_dealloc_clone_alignment(stow_promises *promises, const stow_forwarded *f) {
  const stow_domain *d = promises->domain;
  uint64_t most = 0;
  stow_walk_restart(&promises->readers);
  stow_walk_restart(&promises->sources);
  stow_dealloc_add_phis(d, &promises->readers, f);
  for (int32_t r; stow_walk_next(&promises->readers, &r);) {
    stow_dealloc_walk_forward(d, &promises->readers, r, NULL, NULL);
    most = stow_ir_larger(most, relied_on(promises, r));
    stow_walk_add(&promises->sources, r);
  }
  for (int32_t r; stow_walk_next(&promises->sources, &r);) {
    stow_dealloc_walk_backward(d, &promises->sources, r, NULL, NULL);
    most = stow_ir_larger(most, asked_for(d, r));
  }
  return most;
}
