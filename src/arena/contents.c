//===- contents.c - what is in buffers, for reports -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/contents.h"

#include "ir/bytes.h"
#include "ir/parts.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

static MlirOperation owner_of(const stow_flow *flow, int32_t value) {
  const MlirValue name = flow->values.at[value].value;
  return mlirValueIsAOpResult(name) ? mlirOpResultGetOwner(name) : (MlirOperation){NULL};
}

uint64_t stow_arena_bytes_before(MlirOperation op) {
  const MlirAttribute bytes = stow_attribute_of(op, STOW_ROWS);
  const bool known = !mlirAttributeIsNull(bytes) && mlirAttributeIsAInteger(bytes);
  const int64_t number = known ? mlirIntegerAttrGetValueInt(bytes) : 0;
  return number > 0 ? (uint64_t)number : 0;
}

// Of a value that is no part, 0.
static uint64_t bytes_before(const stow_flow *flow, int32_t value) {
  const MlirOperation op = owner_of(flow, value);
  return !mlirOperationIsNull(op) && stow_ir_is(op, STOW_MEMREF_VIEW) ? stow_arena_bytes_before(op)
                                                                      : 0;
}

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

// How well an op says what a buffer is.
enum { READS_OR_UNKNOWN, CLEARS, MAKES };

static int rank_of(MlirOperation op, MlirValue value) {
  stow_effects effects;
  stow_effects_of(op, &effects);
  bool writes = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    writes |=
        mlirValueEqual(mlirOperationGetOperand(op, i), value) && effects.operands[i] & STOW_WRITE;
  const bool clears = stow_ir_op_has_prefix(op, "linalg.") && !(effects.all & STOW_READ);
  stow_effects_free(&effects);
  return !writes ? READS_OR_UNKNOWN : clears || stow_ir_is(op, STOW_LINALG_FILL) ? CLEARS : MAKES;
}

typedef struct making {
  int rank;
  int64_t position;
} making;

// What a use says of a value, and of what that is a view of.
static void put_use(stow_contents *c, const stow_flow *flow, making *best, const stow_use *use) {
  const MlirOperation op = flow->ops.at[use->begin];
  const making now = {rank_of(op, flow->values.at[use->value].value), use->begin};
  stow_way way = {0};
  for (int32_t v = use->value, source;; v = source) {
    making *known = &best[v];
    if (mlirOperationIsNull(c->makers[v]) || now.rank > known->rank ||
        (now.rank == known->rank && now.position < known->position)) {
      *known = now;
      c->makers[v] = op;
    }
    source = stow_flow_only_source(flow, v);
    if (bytes_before(flow, v) || source < 0 || stow_ir_comes_again(&way, flow->values.at[v].value))
      break;
  }
}

static void find_makers(stow_contents *c, const stow_flow *flow) {
  making *best = stow_ir_allocate(flow->values.count, sizeof *best);
  c->makers = stow_ir_allocate(flow->values.count, sizeof *c->makers);
  STOW_EACH(const stow_use, use, flow->uses)
    put_use(c, flow, best, use);
  free(best);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static void find_parts(stow_contents *c, const stow_function_memory *f) {
  const stow_flow *flow = &f->flow;
  for (size_t v = 0; v < flow->values.count; ++v) {
    const uint64_t before = bytes_before(flow, (int32_t)v);
    if (before == 0 || f->lives[v].begin >= f->lives[v].end)
      continue;
    const stow_view_bytes bytes = stow_view_bytes_of(flow, (int32_t)v);
    const int32_t alloc = flow->values.at[bytes.root].alloc;
    if (bytes.known && alloc != STOW_NO_ALLOC)
      STOW_PUSH(c->parts,
                (stow_held){(int32_t)v, alloc, (uint64_t)bytes.begin, (uint64_t)bytes.end, before});
  }
}

stow_contents stow_contents_of(const stow_function_memory *function) {
  stow_contents contents = {0};
  find_makers(&contents, &function->flow);
  find_parts(&contents, function);
  contents.parts_of = stow_index_of(STOW_COLUMN(contents.parts.at, contents.parts.count, alloc),
                                    function->flow.allocs.count);
  return contents;
}

void stow_contents_free(stow_contents *contents) {
  stow_index_free(&contents->parts_of);
  free(contents->makers);
  free(contents->parts.at);
  *contents = (stow_contents){0};
}
