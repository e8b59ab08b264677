//===- guarded.c - sizes of branches and loops, as their scope sees them ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A size that belongs to a branch or to the body of a loop may be anything where that does not
// run. With a *guard* before it, 1 where it runs and 0 elsewhere, it counts in the whole scope:
//
//   scf.if            the bit, or 1 less the bit
//   scf.index_switch  whether the number is that of the case, or of none
//   scf.while         1 before the condition; behind it, what that is in the first iteration
//   another loop      min(1, max(its begin, its end) - its begin)
//
// A product with 0 is 0 even if another factor overflows. A size that grows with the iteration is
// taken from the last iteration, and one that falls from the first.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"

#include "mlir-c/BuiltinTypes.h"

typedef struct guarding {
  const stow_function_memory *function;
  const stow_scope *scope;
  stow_formula size;       // so far
  MlirOperation outermost; // that it was guarded for, or null
} guarding;

// What the larger of two numbers is above `from`.
static stow_formula above(const guarding *g, stow_formula number, stow_formula from) {
  stow_formulas *f = g->function->extents->formulas;
  const stow_formula of[] = {number, from};
  return stow_formula_sum(f, stow_formula_largest(f, of, 2), stow_formula_scaled(f, from, -1));
}

static void guard_with(guarding *g, stow_formula bit) {
  g->size = stow_formula_product(g->function->extents->formulas, g->size, bit);
}

static stow_formula last_of(const guarding *g, const stow_loop_range *loop) {
  stow_formulas *f = g->function->extents->formulas;
  const stow_formula before = stow_formula_sum(f, loop->end, stow_formula_number(f, -1));
  const stow_formula steps = stow_formula_quotient(f, above(g, before, loop->begin), loop->step);
  return stow_formula_sum(f, loop->begin, stow_formula_scaled(f, steps, loop->step));
}

// Replaces the size in any iteration by that in the last or the first one, whichever is largest.
// False if another iteration may have a larger one.
static bool take_largest(guarding *g, MlirOperation op, const stow_loop_range *loop) {
  stow_formulas *f = g->function->extents->formulas;
  const MlirRegion body = mlirOperationGetRegion(op, 0);
  const int64_t v = stow_variable_of(g->function->extents,
                                     mlirBlockGetArgument(mlirRegionGetFirstBlock(body), 0));
  const stow_growth growth = v < 0 ? STOW_STAYS : stow_formula_growth(f, g->size, (size_t)v);
  if (growth == STOW_GROWS || growth == STOW_FALLS)
    g->size = stow_formula_replaced(f, g->size, (size_t)v,
                                    growth == STOW_GROWS ? last_of(g, loop) : loop->begin);
  return growth != STOW_VARIES;
}

static bool guard_loop(guarding *g, MlirOperation op) {
  stow_formulas *f = g->function->extents->formulas;
  stow_loop_range loop;
  if (!stow_ir_read_loop(g->function->extents, op, &loop) || !take_largest(g, op, &loop))
    return false;
  const stow_formula of[] = {above(g, loop.end, loop.begin), stow_formula_number(f, 1)};
  guard_with(g, stow_formula_smallest(f, of, 2));
  return true;
}

static bool guard(guarding *g, const stow_block *block) {
  const MlirRegion region = mlirBlockGetParentRegion(block->block);
  g->outermost = mlirBlockGetParentOperation(block->block);
  if (!stow_arena_is_only_block(block->block))
    return false;
  const stow_formula taken = stow_ir_read_taken(g->function->extents, g->outermost, region);
  if (taken == STOW_NO_FORMULA)
    return guard_loop(g, g->outermost);
  guard_with(g, taken);
  return true;
}

// From the alloc's block outwards, to the first block of the scope.
static bool guard_all(guarding *g, const stow_alloc *alloc) {
  const stow_flow *flow = &g->function->flow;
  int32_t b = flow->blocks.at[alloc->block].once;
  for (; !mlirRegionEqual(mlirBlockGetParentRegion(flow->blocks.at[b].block), g->scope->region);
       b = flow->blocks.at[flow->blocks.at[b].parent].once)
    if (!guard(g, &flow->blocks.at[b]))
      return false;
  return !mlirOperationIsNull(g->outermost) &&
         mlirBlockEqual(flow->blocks.at[b].block, mlirRegionGetFirstBlock(g->scope->region));
}

static void guard_size(const stow_function_memory *function, stow_dominance *dominance,
                       const stow_alloc *alloc, stow_extent *size) {
  guarding g = {.function = function,
                .scope = &function->flow.scopes.at[alloc->scope],
                .size = size->formula};
  if (!guard_all(&g, alloc))
    return;
  const stow_availability found = stow_availability_of(
      function->extents, g.size, dominance, stow_ir_op_in_region(g.scope->region, g.outermost));
  size->too_deep = found == STOW_TOO_DEEP;
  size->guarded = found == STOW_AVAILABLE;
  if (size->guarded)
    size->formula = g.size;
}

static void guard_function(const stow_function_memory *function, stow_buffer_fact *selection) {
  stow_dominance *dominance = stow_dominance_create(function->flow.function);
  for (size_t i = 0; i < function->flow.allocs.count; ++i)
    if (selection[i].reason == STOW_PLANNED && !selection[i].size.known &&
        selection[i].size.formula != STOW_NO_FORMULA)
      guard_size(function, dominance, &function->flow.allocs.at[i], &selection[i].size);
  stow_dominance_destroy(dominance);
}

void stow_arena_guard_sizes(stow_arenas *arenas) {
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    if (arenas->memory.functions[f].extents && !arenas->memory.functions[f].extents->bound)
      guard_function(&arenas->memory.functions[f], arenas->selection[f]);
}
