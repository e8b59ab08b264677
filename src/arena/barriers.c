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

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>
#include <string.h>

int32_t *stow_arena_block_loops(const stow_flow *flow) {
  int32_t *loops = stow_ir_allocate(flow->ops.count + 1, sizeof *loops);
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
  const stow_kernel *kernel;
  stow_map values; // made in the kernel: 1 where uniform, else 0
  stow_symbols *symbols;
  stow_map callees; // 1 where a call of it may come to a barrier, else 0
  stow_map run;     // functions that all threads run, so far as it matters
  stow_map meeting; // 1 where all threads that call the function surely meet in it, else 0
  stow_steps *steps;
  int32_t sequence; // of `steps`, around the op at hand
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
      (stow_ir_op_traits(op) & STOW_UNIFORM) && are_uniform(u, op, mlirOperationGetNumOperands(op));
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

bool stow_arena_is_for(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_FOR) || stow_ir_is(op, STOW_AFFINE_FOR);
}

intptr_t stow_arena_deciding_operands(MlirOperation op) {
  if (!has_single_blocks(op))
    return -1;
  if (stow_ir_is(op, STOW_SCF_FOR))
    return 3;
  if (stow_ir_is(op, STOW_SCF_IF) || stow_ir_is(op, STOW_SCF_INDEX_SWITCH))
    return 1;
  if (stow_ir_is(op, STOW_AFFINE_FOR) || stow_ir_is(op, STOW_AFFINE_IF) ||
      stow_ir_is(op, STOW_VECTOR_MASK))
    return mlirOperationGetNumOperands(op);
  return stow_ir_op_traits(op) & STOW_RUNS_ONCE ? 0 : -1;
}

static bool is_in_own_block(const stow_kernel *kernel, MlirOperation op) {
  return mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)),
                         kernel->scope->region);
}

// Of an op in one of the kernel's own blocks.
static bool is_passed_once(const stow_kernel *k, MlirOperation op, int64_t position) {
  const MlirBlock entry = mlirRegionGetFirstBlock(k->scope->region);
  const MlirBlock block = mlirOperationGetBlock(op);
  const int32_t around = k->loops[k->flow->nests.at[k->scope->nest].begin];
  return k->loops[position] == around &&
         (mlirBlockEqual(block, entry) || stow_bridge_post_dominates(k->dominance, block, entry));
}

bool stow_arena_is_passed_in(const stow_kernel *kernel, const stow_sequence *sequence,
                             MlirOperation op, int64_t position) {
  return sequence->parent < 0
             ? is_in_own_block(kernel, op) && is_passed_once(kernel, op, position)
             : mlirOperationEqual(mlirOperationGetParentOperation(op), sequence->op);
}

static bool runs_together(const uniformity *u, MlirOperation op, int64_t position) {
  intptr_t deciding = stow_arena_deciding_operands(op);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return stow_map_get(&u->steps->regions, parent.ptr) > 0 && deciding >= 0 &&
         are_uniform(u, op, deciding) &&
         (!is_in_own_block(u->kernel, op) || is_passed_once(u->kernel, op, position));
}

enum { FIRST_SEQUENCE = 2 }; // of the numbers of regions

static void begin_sequence(uniformity *u, MlirOperation op, int64_t begin, int64_t end) {
  STOW_PUSH(u->steps->sequences,
            (stow_sequence){.op = op, .parent = u->sequence, .begin = begin, .end = end});
  u->sequence = (int32_t)u->steps->sequences.count - 1;
  stow_map_add(&u->steps->regions, op.ptr, FIRST_SEQUENCE + u->sequence);
}

static void note_regions(uniformity *u, MlirOperation op, int64_t position) {
  if (mlirOperationGetNumRegions(op) == 0 || stow_map_get(&u->steps->regions, op.ptr) >= 0)
    return;
  const bool together = runs_together(u, op, position);
  if (together && stow_arena_is_for(op))
    begin_sequence(u, op, position, position);
  else
    stow_map_add(&u->steps->regions, op.ptr, together);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      intptr_t variables = stow_arena_is_for(op) && together ? 1 : 0;
      note_arguments(u, block, 0, variables, true);
      note_arguments(u, block, variables, mlirBlockGetNumArguments(block), false);
    }
}

// The kernel's own arguments are uniform, but for a gpu.launch's place of the thread. Those of its
// other blocks are what some branch makes of them.
static void note_kernel(uniformity *u) {
  enum { FIRST_THREAD_ID = 3, LAST_THREAD_ID = 5 };
  const stow_scope *kernel = u->kernel->scope;
  const stow_nest *nest = &u->flow->nests.at[kernel->nest];
  MlirBlock entry = mlirRegionGetFirstBlock(kernel->region);
  begin_sequence(u, kernel->op, nest->begin, nest->end);
  if (stow_ir_is(kernel->op, STOW_GPU_LAUNCH))
    note_arguments(u, entry, FIRST_THREAD_ID, LAST_THREAD_ID + 1, false);
  for (MlirBlock block = mlirBlockGetNextInRegion(entry); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    note_arguments(u, block, 0, mlirBlockGetNumArguments(block), false);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool mentions_barrier(MlirStringRef name) {
  static const char after[] = "arrier";
  for (size_t i = 0; i + sizeof after <= name.length; ++i)
    if ((name.data[i] == 'b' || name.data[i] == 'B') &&
        memcmp(name.data + i + 1, after, sizeof after - 1) == 0)
      return true;
  return false;
}

static bool begins_with(MlirStringRef name, const char *prefix) {
  const size_t length = strlen(prefix);
  return name.length >= length && memcmp(name.data, prefix, length) == 0;
}

// Threads do not meet at an mbarrier: one that waits there waits for others to have been somewhere.
static bool is_of_mbarrier(MlirStringRef name) {
  return begins_with(name, "nvgpu.mbarrier.") || begins_with(name, "nvvm.mbarrier.") ||
         begins_with(name, "llvm.nvvm.mbarrier.");
}

// An op that may be a barrier, as its name says, or that of the intrinsic that it calls; and
// assembly, which is not read.
static bool is_some_barrier(MlirOperation op) {
  MlirStringRef name = stow_ir_op_name(op);
  if (stow_ir_is(op, STOW_LLVM_CALL_INTRINSIC))
    name = mlirStringAttrGetValue(stow_attribute_of(op, "intrin"));
  if (stow_ir_is(op, STOW_LLVM_INLINE_ASM))
    return stow_ir_has_attribute(op, "has_side_effects");
  return stow_ir_is(op, STOW_NVVM_INLINE_PTX) || (mentions_barrier(name) && !is_of_mbarrier(name));
}

static bool is_barrier_or_call(MlirOperation op) {
  return is_some_barrier(op) || (stow_op_facts(op) & STOW_OP_CALL);
}

// Adds the functions that a function may call. False: it may come to a barrier, or is not known.
static bool passes_no_barrier(stow_symbols *symbols, MlirOperation function, stow_op_set *todo) {
  if (mlirRegionIsNull(stow_bridge_function_body(function)))
    return false;
  stow_op_list ops = stow_ir_ops_in(function, is_barrier_or_call);
  bool none = true;
  for (size_t i = 0; i < ops.count && none; ++i) {
    const MlirOperation called =
        is_some_barrier(ops.at[i]) ? (MlirOperation){NULL} : stow_bridge_callee(ops.at[i], symbols);
    none = !mlirOperationIsNull(called);
    if (none)
      STOW_INCLUDE(*todo, called);
  }
  free(ops.at);
  return none;
}

// Whether threads that make the call may come to a barrier in it.
static bool calls_barrier(uniformity *u, MlirOperation call) {
  const MlirOperation callee = stow_bridge_callee(call, u->symbols);
  if (mlirOperationIsNull(callee))
    return true;
  const int32_t known = stow_map_get(&u->callees, callee.ptr);
  if (known >= 0)
    return known;
  stow_op_set todo = {0};
  bool none = true;
  STOW_INCLUDE(todo, callee);
  while (todo.count > 0 && none)
    none = passes_no_barrier(u->symbols, todo.at[--todo.count], &todo);
  STOW_SET_FREE(todo);
  stow_map_add(&u->callees, callee.ptr, !none);
  return !none;
}

// Whether all threads that call the function run an op of it.
static bool is_run_by_all(MlirOperation op, MlirOperation function) {
  const MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  const MlirBlock next = mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(region));
  return mlirRegionEqual(region, stow_bridge_function_body(function)) && mlirBlockIsNull(next);
}

static bool is_known_function(MlirOperation function) {
  return !mlirOperationIsNull(function) && !mlirRegionIsNull(stow_bridge_function_body(function));
}

// Whether only some threads may come to a barrier by an op of a function that all of them run. Adds
// what all of them call by it.
static bool may_part(uniformity *u, MlirOperation op, MlirOperation function, stow_op_list *todo) {
  if (!is_run_by_all(op, function))
    return is_some_barrier(op) || calls_barrier(u, op);
  if (is_some_barrier(op))
    return false;
  const MlirOperation callee = stow_bridge_callee(op, u->symbols);
  if (is_known_function(callee) && stow_map_note(&u->run, callee.ptr))
    STOW_PUSH(*todo, callee);
  return !is_known_function(callee);
}

// The first op of the function that may part threads, or null.
static MlirOperation parted_in(uniformity *u, MlirOperation function, stow_op_list *todo) {
  MlirOperation found = {NULL};
  stow_op_list ops = stow_ir_ops_in(function, is_barrier_or_call);
  for (size_t i = 0; i < ops.count && mlirOperationIsNull(found); ++i)
    if (may_part(u, ops.at[i], function, todo))
      found = ops.at[i];
  free(ops.at);
  return found;
}

// What may part threads that make a call together, before they come to a barrier in it: the call
// where that is not known, or null.
static MlirOperation parted_by_call(uniformity *u, MlirOperation call) {
  const MlirOperation callee = stow_bridge_callee(call, u->symbols);
  if (!is_known_function(callee))
    return call;
  MlirOperation found = {NULL};
  stow_op_list todo = {0};
  if (stow_map_note(&u->run, callee.ptr))
    STOW_PUSH(todo, callee);
  while (todo.count > 0 && mlirOperationIsNull(found))
    found = parted_in(u, todo.at[--todo.count], &todo);
  free(todo.at);
  return found;
}

// Whether a function comes to a gpu.barrier in its only block, or calls one there that does.
static bool comes_to_barrier(uniformity *u, MlirOperation function, stow_op_set *todo) {
  bool meets = false;
  stow_op_list ops = stow_ir_ops_in(function, is_barrier_or_call);
  for (size_t i = 0; i < ops.count && !meets; ++i) {
    if (!is_run_by_all(ops.at[i], function))
      continue;
    meets = stow_ir_is(ops.at[i], STOW_GPU_BARRIER);
    const MlirOperation callee = stow_ir_is(ops.at[i], STOW_FUNC_CALL)
                                     ? stow_bridge_callee(ops.at[i], u->symbols)
                                     : (MlirOperation){NULL};
    if (is_known_function(callee))
      STOW_INCLUDE(*todo, callee);
  }
  free(ops.at);
  return meets;
}

static bool meets_in(uniformity *u, MlirOperation callee) {
  const int32_t known = stow_map_get(&u->meeting, callee.ptr);
  if (known >= 0)
    return known;
  stow_op_set todo = {0};
  bool meets = false;
  STOW_INCLUDE(todo, callee);
  while (todo.count > 0 && !meets)
    meets = comes_to_barrier(u, todo.at[--todo.count], &todo);
  STOW_SET_FREE(todo);
  stow_map_add(&u->meeting, callee.ptr, meets);
  return meets;
}

// Whether all threads pass a barrier together. One in the kernel's own blocks they pass once.
static bool is_passed_together(const uniformity *u, MlirOperation barrier, int64_t position) {
  if (is_in_own_block(u->kernel, barrier))
    return is_passed_once(u->kernel, barrier, position);
  return stow_map_get(&u->steps->regions, mlirOperationGetParentOperation(barrier).ptr) > 0;
}

// An op that may touch the memory of one of the flow's values.
static bool may_touch(const stow_flow *flow, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_map_get(&flow->index, mlirOperationGetOperand(op, i).ptr) >= 0)
      return true;
  return mlirOperationGetNumRegions(op) > 0;
}

static bool takes_only_numbers(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!stow_bridge_type_is_plain(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return false;
  return true;
}

// Whether threads that run the op together have met when they have done it, and what they touch is
// in front of that. A call that is given a buffer may touch it behind its barrier.
static bool is_meeting(uniformity *u, MlirOperation op) {
  if (stow_ir_is(op, STOW_GPU_BARRIER))
    return true;
  const MlirOperation callee = stow_ir_is(op, STOW_FUNC_CALL) && takes_only_numbers(op)
                                   ? stow_bridge_callee(op, u->symbols)
                                   : (MlirOperation){NULL};
  return is_known_function(callee) && meets_in(u, callee);
}

// Whether threads that leave the loop, which they run together, have passed a barrier after all
// that its body touches.
static bool ends_with_barrier(uniformity *u, MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  bool passed = false;
  STOW_EACH_OP(op, body)
    passed = is_meeting(u, op) || (passed && !may_touch(u->flow, op));
  return passed;
}

static bool is_in_sequence(const uniformity *u, MlirOperation op, int32_t sequence) {
  return sequence == 0 ? is_in_own_block(u->kernel, op)
                       : mlirOperationEqual(mlirOperationGetParentOperation(op),
                                            u->steps->sequences.at[sequence].op);
}

static void end_step(uniformity *u, int64_t position, int64_t from) {
  STOW_PUSH(u->steps->sequences.at[u->sequence].ends, (stow_step_end){position, from});
  STOW_PUSH(u->steps->cuts, position);
}

static void end_sequence(uniformity *u, int64_t position) {
  stow_sequence *s = &u->steps->sequences.at[u->sequence];
  s->end = position;
  u->sequence = s->parent;
  if (is_in_sequence(u, s->op, u->sequence) && ends_with_barrier(u, s->op))
    end_step(u, position, s->begin);
}

static void pass_barrier(uniformity *u, MlirOperation op, int64_t position) {
  if (!is_passed_together(u, op, position))
    u->steps->divergent = op;
  else if (!is_some_barrier(op))
    u->steps->divergent = parted_by_call(u, op);
  if (mlirOperationIsNull(u->steps->divergent) && is_in_sequence(u, op, u->sequence) &&
      is_meeting(u, op))
    end_step(u, position, u->steps->sequences.at[u->sequence].begin);
}

static void pass(uniformity *u, MlirOperation op, int64_t position) {
  if (mlirOperationEqual(op, u->steps->sequences.at[u->sequence].op)) {
    end_sequence(u, position);
    return;
  }
  note_regions(u, op, position);
  note_results(u, op);
  if (is_some_barrier(op) || ((stow_op_facts(op) & STOW_OP_CALL) && calls_barrier(u, op)))
    pass_barrier(u, op, position);
}

stow_steps stow_steps_of(const stow_kernel *kernel) {
  const stow_flow *flow = kernel->flow;
  const stow_nest *nest = &flow->nests.at[kernel->scope->nest];
  stow_steps steps = {0};
  uniformity u = {.flow = flow,
                  .kernel = kernel,
                  .symbols = stow_symbols_create(),
                  .steps = &steps,
                  .sequence = -1};
  note_kernel(&u);
  for (int64_t p = nest->begin; p < nest->end && mlirOperationIsNull(steps.divergent); ++p)
    pass(&u, flow->ops.at[p], p);
  stow_map_free(&u.values);
  stow_map_free(&u.callees);
  stow_map_free(&u.run);
  stow_map_free(&u.meeting);
  stow_symbols_destroy(u.symbols);
  return steps;
}

void stow_steps_free(stow_steps *steps) {
  STOW_EACH(stow_sequence, sequence, steps->sequences)
    free(sequence->ends.at);
  free(steps->sequences.at);
  free(steps->cuts.at);
  stow_map_free(&steps->regions);
  *steps = (stow_steps){0};
}

int32_t stow_sequence_around(const stow_steps *steps, MlirOperation op) {
  int32_t region = 1;
  while (region == 1) {
    op = mlirOperationGetParentOperation(op);
    region = stow_map_get(&steps->regions, op.ptr);
  }
  return region - FIRST_SEQUENCE;
}

//===----------------------------------------------------------------------===//
// Numbers of steps
//===----------------------------------------------------------------------===//

// Some steps of a sequence, both ends included, and their numbers.
typedef struct step_range {
  bool opens;  // no barrier need be between the beginning of the sequence and the first
  bool closes; // nor between the last and its end
  int64_t begin, end;
} step_range;

static size_t step_at(const stow_sequence *sequence, int64_t position) {
  return stow_ir_first_from(STOW_COLUMN(sequence->ends.at, sequence->ends.count, position),
                            position);
}

// The step up to which it is not known that all threads have done what is last touched.
static size_t last_step(const stow_sequence *sequence, int64_t begin, int64_t last) {
  size_t step = step_at(sequence, last);
  while (step < sequence->ends.count && sequence->ends.at[step].from > begin)
    ++step;
  return step;
}

bool stow_arena_are_in_steps(const stow_sequence *sequence, int64_t position, int64_t later) {
  return last_step(sequence, position, position) < step_at(sequence, later);
}

// Behind an inner loop that may have no iteration, a sequence is where it began.
static bool may_be_first(const stow_sequence *sequence, size_t step) {
  for (size_t i = 0; i < step; ++i)
    if (sequence->ends.at[i].from == sequence->begin)
      return false;
  return true;
}

bool stow_arena_meets_itself(const stow_sequence *sequence, int64_t begin, int64_t last) {
  return sequence->parent >= 0 && may_be_first(sequence, step_at(sequence, begin)) &&
         last_step(sequence, begin, last) == sequence->ends.count;
}

static int64_t number_at(const stow_steps *steps, int64_t position) {
  return (int64_t)stow_ir_first_from(STOW_NUMBERS(steps->cuts.at, steps->cuts.count), position);
}

static step_range range_between(const stow_steps *steps, const stow_sequence *sequence,
                                int64_t begin, int64_t last_touch) {
  const stow_step_end *ends = sequence->ends.at;
  const size_t first = step_at(sequence, begin), last = last_step(sequence, begin, last_touch);
  const bool closes = last == sequence->ends.count;
  const int64_t from = first > 0 ? ends[first - 1].position + 1 : sequence->begin;
  const int64_t to = closes ? sequence->end : ends[last].position;
  return (step_range){.opens = may_be_first(sequence, first),
                      .closes = closes,
                      .begin = number_at(steps, from),
                      .end = number_at(steps, to) + 1};
}

// Puts numbers behind those that are there, or joins them to the last.
static void add_numbers(stow_live_pieces *pieces, int64_t begin, int64_t end) {
  stow_live_piece *last = pieces->count > 0 ? &pieces->at[pieces->count - 1] : NULL;
  if (last && begin <= last->end)
    last->end = stow_ir_later(last->end, end);
  else
    STOW_PUSH(*pieces, (stow_live_piece){.begin = begin, .end = end});
}

// What is alive in a loop's first or last step is so in the step around, but for the steps between
// these two.
static stow_live_pieces with_step_around(const stow_steps *steps, const stow_sequence *loop,
                                         step_range around, const stow_live_pieces *inside) {
  stow_live_pieces all = {0};
  add_numbers(&all, around.begin, number_at(steps, loop->begin) + 1);
  STOW_EACH(const stow_live_piece, piece, *inside)
    add_numbers(&all, piece->begin, piece->end);
  add_numbers(&all, number_at(steps, loop->end), around.end);
  return all;
}

void stow_arena_add_steps_between(const stow_steps *steps, int32_t sequence, int64_t begin,
                                  int64_t last, stow_live_pieces *out) {
  const stow_sequence *now = &steps->sequences.at[sequence];
  step_range range = range_between(steps, now, begin, last);
  stow_live_pieces pieces = {0};
  add_numbers(&pieces, range.begin, range.end);
  while (now->parent >= 0 && (range.opens || range.closes)) {
    const stow_sequence *loop = now;
    now = &steps->sequences.at[loop->parent];
    range = range_between(steps, now, loop->begin, loop->begin);
    const stow_live_pieces more = with_step_around(steps, loop, range, &pieces);
    free(pieces.at);
    pieces = more;
  }
  *out = pieces;
}

void stow_arena_add_steps_from(const stow_steps *steps, int64_t position,
                               stow_live_pieces *pieces) {
  const int64_t begin = number_at(steps, position);
  if (pieces->count > 0 && begin < pieces->at[0].begin)
    pieces->at[0].begin = begin;
}
