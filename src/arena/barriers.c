//===- barriers.c - what the threads of a workgroup do at once -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the kernel's ops in the order of positions, in which a value comes
// before what uses it. It notes for every value made in the kernel whether it is
// *uniform*, the same in all threads of a workgroup: what is computed from constants,
// from the kernel's arguments, from the place of the workgroup in the grid, and not
// from the thread's own place or from memory. And for every op with regions, whether
// all threads run these together.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

#include <string.h>

int32_t *stow_block_loops(const stow_flow *flow) {
  int32_t *loops = stow_allocate(flow->ops.count + 1, sizeof *loops);
  for (size_t n = 0; n < flow->nests.count; ++n)
    if (flow->nests.at[n].flags & STOW_NEST_BLOCKS) {
      ++loops[flow->nests.at[n].begin];
      --loops[flow->nests.at[n].end];
    }
  for (size_t p = 1; p <= flow->ops.count; ++p)
    loops[p] += loops[p - 1];
  return loops;
}

//===----------------------------------------------------------------------===//
// Uniform values
//===----------------------------------------------------------------------===//

typedef struct uniformity {
  const stow_flow *flow;
  const stow_scope *kernel;
  const int32_t *loops;
  stow_post_dominance *dominance;
  stow_map values;  // made in the kernel: 1 where uniform, else 0
  stow_map regions; // ops with regions: 1 where all threads run them together, else 0
} uniformity;

// What the kernel does not make comes from outside: the same for all threads.
static bool is_uniform(const uniformity *u, MlirValue value) {
  return stow_map_get(&u->values, value.ptr) != 0;
}

static bool are_uniform(const uniformity *u, MlirOperation op, intptr_t count) {
  for (intptr_t i = 0; i < count; ++i)
    if (!is_uniform(u, mlirOperationGetOperand(op, i)))
      return false;
  return true;
}

static void note(uniformity *u, MlirValue value, bool uniform) {
  if (stow_map_get(&u->values, value.ptr) < 0)
    stow_map_add(&u->values, value.ptr, uniform);
}

static void note_results(uniformity *u, MlirOperation op) {
  bool uniform =
      (stow_op_traits(op) & STOW_UNIFORM) && are_uniform(u, op, mlirOperationGetNumOperands(op));
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    note(u, mlirOperationGetResult(op, i), uniform);
}

static void note_arguments(uniformity *u, MlirBlock block, intptr_t first, intptr_t end,
                           bool uniform) {
  for (intptr_t i = first; i < end; ++i)
    note(u, mlirBlockGetArgument(block, i), uniform);
}

//===----------------------------------------------------------------------===//
// Uniform control flow
//===----------------------------------------------------------------------===//

static bool has_single_blocks(MlirOperation op) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (!mlirBlockIsNull(entry) && !mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
      return false;
  }
  return true;
}

static bool is_for(MlirOperation op) {
  return stow_is(op, STOW_SCF_FOR) || stow_is(op, STOW_AFFINE_FOR);
}

// How many of an op's first operands decide how its regions run; -1: something else does.
static intptr_t deciding_operands(MlirOperation op) {
  if (stow_is(op, STOW_SCF_FOR))
    return 3;
  if (stow_is(op, STOW_SCF_IF) || stow_is(op, STOW_SCF_INDEX_SWITCH))
    return 1;
  if (stow_is(op, STOW_AFFINE_FOR) || stow_is(op, STOW_AFFINE_IF))
    return mlirOperationGetNumOperands(op);
  return stow_op_traits(op) & STOW_RUNS_ONCE ? 0 : -1;
}

static bool is_in_own_block(const uniformity *u, MlirOperation op) {
  return mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), u->kernel->region);
}

// Of an op in one of the kernel's own blocks.
static bool is_passed_once(const uniformity *u, MlirOperation op, int64_t position) {
  MlirBlock entry = mlirRegionGetFirstBlock(u->kernel->region), block = mlirOperationGetBlock(op);
  int32_t around = u->loops[u->flow->nests.at[u->kernel->nest].begin];
  return u->loops[position] == around &&
         (mlirBlockEqual(block, entry) || stow_post_dominates(u->dominance, block, entry));
}

static bool runs_together(const uniformity *u, MlirOperation op, int64_t position) {
  intptr_t deciding = deciding_operands(op);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return stow_map_get(&u->regions, parent.ptr) == 1 && deciding >= 0 && has_single_blocks(op) &&
         are_uniform(u, op, deciding) &&
         (!is_in_own_block(u, op) || is_passed_once(u, op, position));
}

static void note_regions(uniformity *u, MlirOperation op, int64_t position) {
  if (mlirOperationGetNumRegions(op) == 0 || stow_map_get(&u->regions, op.ptr) >= 0)
    return;
  bool together = runs_together(u, op, position);
  stow_map_add(&u->regions, op.ptr, together);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      intptr_t variables = is_for(op) && together ? 1 : 0;
      note_arguments(u, block, 0, variables, true);
      note_arguments(u, block, variables, mlirBlockGetNumArguments(block), false);
    }
}

// The kernel's own arguments are uniform, but for a gpu.launch's place of the thread. Those of its
// other blocks are what some branch makes of them.
static void note_kernel(uniformity *u) {
  enum { FIRST_THREAD_ID = 3, LAST_THREAD_ID = 5 };
  const stow_scope *kernel = u->kernel;
  MlirBlock entry = mlirRegionGetFirstBlock(kernel->region);
  stow_map_add(&u->regions, kernel->op.ptr, 1);
  if (stow_is(kernel->op, STOW_GPU_LAUNCH))
    note_arguments(u, entry, FIRST_THREAD_ID, LAST_THREAD_ID + 1, false);
  for (MlirBlock block = mlirBlockGetNextInRegion(entry); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    note_arguments(u, block, 0, mlirBlockGetNumArguments(block), false);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool is_some_barrier(MlirOperation op) {
  MlirStringRef name = stow_op_name(op);
  static const char word[] = "barrier";
  for (size_t i = 0; i + sizeof word - 1 <= name.length; ++i)
    if (memcmp(name.data + i, word, sizeof word - 1) == 0)
      return true;
  return false;
}

// Whether all threads pass a barrier together. One in the kernel's own blocks they pass once.
static bool is_passed_together(const uniformity *u, MlirOperation barrier, int64_t position) {
  if (is_in_own_block(u, barrier))
    return is_passed_once(u, barrier, position);
  return stow_map_get(&u->regions, mlirOperationGetParentOperation(barrier).ptr) == 1;
}

// An op that may touch the memory of one of the flow's values.
static bool may_touch(const stow_flow *flow, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_map_get(&flow->index, mlirOperationGetOperand(op, i).ptr) >= 0)
      return true;
  return mlirOperationGetNumRegions(op) > 0;
}

// Whether threads that leave the loop, which they run together, have passed a barrier after all
// that its body touches.
static bool ends_with_barrier(const uniformity *u, MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  bool passed = false;
  STOW_EACH_OP(op, body)
    passed = stow_is(op, STOW_GPU_BARRIER) || (passed && !may_touch(u->flow, op));
  return passed;
}

static bool ends_step(const uniformity *u, MlirOperation op) {
  return is_for(op) && is_in_own_block(u, op) && stow_map_get(&u->regions, op.ptr) == 1 &&
         ends_with_barrier(u, op);
}

stow_steps stow_steps_of(const stow_flow *flow, const stow_scope *kernel, const int32_t *loops,
                         stow_post_dominance *dominance) {
  const stow_nest *nest = &flow->nests.at[kernel->nest];
  stow_steps steps = {0};
  uniformity u = {.flow = flow, .kernel = kernel, .loops = loops, .dominance = dominance};
  note_kernel(&u);
  int64_t begin = nest->begin; // of the last op in the kernel's own blocks
  for (int64_t p = nest->begin; p < nest->end && mlirOperationIsNull(steps.divergent); ++p) {
    MlirOperation op = flow->ops.at[p];
    const bool again = stow_map_get(&u.regions, op.ptr) >= 0; // its end
    if (again && ends_step(&u, op))
      STOW_PUSH(steps.ends, (stow_step_end){p, begin});
    else if (!again && is_in_own_block(&u, op))
      begin = p;
    note_regions(&u, op, p);
    note_results(&u, op);
    if (!is_some_barrier(op))
      continue;
    if (!is_passed_together(&u, op, p)) {
      steps.divergent = op;
    } else if (is_in_own_block(&u, op) && stow_is(op, STOW_GPU_BARRIER)) {
      STOW_PUSH(steps.ends, (stow_step_end){p, nest->begin});
    }
  }
  stow_map_free(&u.values);
  stow_map_free(&u.regions);
  return steps;
}

static int64_t step_at(const stow_steps *steps, int64_t position) {
  return (int64_t)stow_first_from(STOW_COLUMN(steps->ends.at, steps->ends.count, position),
                                  position);
}

stow_live_piece stow_steps_between(const stow_steps *steps, int64_t begin, int64_t last) {
  int64_t end = step_at(steps, last);
  while ((size_t)end < steps->ends.count && steps->ends.at[end].from > begin)
    ++end;
  return (stow_live_piece){.begin = step_at(steps, begin), .end = end + 1};
}
