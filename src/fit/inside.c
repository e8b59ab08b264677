//===- inside.c - buffers that an op has for itself -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a node with regions that allocate. Computes which of its own buffers costs the least per
// byte in the next memory, for the case that the node alone has too many bytes.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "ir/parts.h"

bool stow_fit_may_move(const stow_function_memory *memory, size_t alloc,
                       const stow_machine_memory *to) {
  MlirOperation op = memory->flow.allocs.at[alloc].op;
  return memory->buffers[alloc].reason == STOW_PLANNED && stow_ir_is_plain_alloc(op) &&
         !stow_ir_has_attribute(op, "stowage.offset") &&
         stow_fit_may_be_in(mlirOperationGetResult(op, 0), to);
}

typedef struct sending {
  const stow_fit_prices *prices;
  stow_fit_sent sent;
} sending;

static void add_cost(void *user, MlirValue operand, stow_fit_amount amount) {
  sending *s = user;
  if (mlirValueEqual(stow_ir_root_of(operand), s->sent.buffer))
    s->sent.cost = stow_fit_sum(s->sent.cost,
                                stow_fit_more(s->prices, amount, s->prices->next, s->prices->here));
}

// Per byte; then the one with more bytes.
static bool is_cheaper(const stow_fit_sent *a, const stow_fit_sent *b) {
  const double one = (double)a->cost * (double)b->bytes, other = (double)b->cost * (double)a->bytes;
  return one < other || (one <= other && a->bytes > b->bytes);
}

stow_fit_sent stow_fit_cheapest_inside(const stow_fit_prices *prices,
                                       const stow_function_memory *memory, MlirOperation node) {
  stow_fit_sent cheapest = {0};
  uint64_t all = 0;
  for (size_t i = 0; i < memory->flow.allocs.count; ++i) {
    const stow_alloc *alloc = &memory->flow.allocs.at[i];
    if (!stow_fit_may_move(memory, i, prices->next) ||
        !mlirAttributeEqual(stow_ir_memory_space(alloc->type), prices->here->space) ||
        mlirOperationEqual(alloc->op, node) || !stow_ir_is_inside(alloc->op, node))
      continue;
    sending s = {prices,
                 {mlirOperationGetResult(alloc->op, 0), memory->buffers[i].size.bytes, 0, 0}};
    stow_fit_each_operand(node, add_cost, &s);
    all += s.sent.bytes;
    if (cheapest.bytes == 0 || is_cheaper(&s.sent, &cheapest))
      cheapest = s.sent;
  }
  cheapest.others = all - cheapest.bytes;
  return cheapest;
}
