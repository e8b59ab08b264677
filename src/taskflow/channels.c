//===- channels.c - channels in place of buffers between two tasks -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that one task stores, each cell once, and one other loads becomes a channel. A cell's
// element is numbered by when it is stored, which is linear in its indices, as each loop around
// the store moves one of them by 1. In loops around all of its loads, whose variables are x, the
// reader releases what is before
//
//     start + sum of pace[l] * x[l]
//
// at the beginning of each iteration. That never falls, as no loop moves it back further than the
// loops around it have moved it on; and `start` is such that no load is of an element before it.
// The depth is one more than the largest distance of a load from it. So a writer that has no room
// has stored what the reader waits for.
//
// That is all there is to wait for if nothing else connects the two: if no path of tasks that
// depend on each other, in either direction, joins them without the channel. What op between tasks
// is no task waits for all before it, and all behind it wait for it.
//
//===----------------------------------------------------------------------===//

#include "taskflow/pairs.h"

#include "bridge/affine.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/steps.h"

#include <assert.h>
#include <stdlib.h>

// A buffer on its way to a channel, and copies of its two tasks, each opened.
typedef struct channel {
  MlirValue buffer;
  stow_task writer, reader;
  stow_open_pair storing, loading;
  MlirOperation store;
  stow_op_list loads;
  // Element `first` + sum of scale[k] * index k is in the cell; indices go from low[k] to high[k].
  intptr_t rank;
  int64_t *scale, *low, *high, first, count;
  // Loops of the reader, the outermost first.
  stow_op_list loops;
  STOW_ARRAY(int64_t) pace; // per loop that moves what is released
  int64_t start, depth;
} channel;

static void drop_channel(channel *c) {
  stow_taskflow_open_drop(&c->storing);
  stow_taskflow_open_drop(&c->loading);
  free(c->loads.at);
  free(c->scale);
  free(c->low);
  free(c->high);
  free(c->loops.at);
  free(c->pace.at);
}

//===----------------------------------------------------------------------===//
// The two tasks
//===----------------------------------------------------------------------===//

static bool lists(const stow_task *task, intptr_t first, intptr_t end, MlirValue buffer) {
  for (intptr_t i = first; i < end; ++i)
    if (mlirValueEqual(stow_task_original_of_argument(task, i), buffer))
      return true;
  return false;
}

static bool is_read_by(const stow_task *task, MlirValue buffer) {
  return lists(task, 0, task->reads, buffer);
}

static bool is_written_by(const stow_task *task, MlirValue buffer) {
  return lists(task, task->reads, task->reads + task->writes, buffer);
}

static bool take_role(MlirOperation *role, MlirOperation task) {
  const bool free = mlirOperationIsNull(*role) || mlirOperationEqual(*role, task);
  *role = task;
  return free;
}

// False where they are more than two, or one of them does both.
static bool find_tasks(channel *c) {
  MlirOperation writer = {NULL}, reader = {NULL};
  STOW_EACH_USE(use, c->buffer) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_taskflow_is_task(op))
      continue;
    const stow_task task = stow_task_of(op);
    const bool writes = is_written_by(&task, c->buffer);
    if ((writes && is_read_by(&task, c->buffer)) || !take_role(writes ? &writer : &reader, op))
      return false;
  }
  if (mlirOperationIsNull(writer) || mlirOperationIsNull(reader) ||
      !mlirOperationIsBeforeInBlock(writer, reader))
    return false;
  c->writer = stow_task_of(writer);
  c->reader = stow_task_of(reader);
  return true;
}

static bool is_possible(MlirOperation op) {
  if (!stow_ir_is_allocation(op) || mlirOperationGetNumResults(op) != 1)
    return false;
  const MlirType type = mlirValueGetType(stow_taskflow_result(op));
  uint64_t bytes;
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) > 0 &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
         stow_taskflow_allocation_bytes(stow_taskflow_result(op), &bytes) && bytes > 0 &&
         stow_taskflow_only_tasks_use(stow_taskflow_result(op), mlirOperationGetBlock(op));
}

static void open_tasks(channel *c) {
  c->storing = stow_taskflow_open_alone(&c->writer);
  c->loading = stow_taskflow_open_alone(&c->reader);
  stow_taskflow_open_compose(&c->storing);
  stow_taskflow_open_compose(&c->loading);
}

// False where the writer does more than to store in one place, or the reader more than to load.
static bool find_accesses(channel *c) {
  STOW_EACH_USE(use, c->buffer) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const bool stores = stow_ir_is_inside(op, c->storing.shell);
    if (!stores && !stow_ir_is_inside(op, c->loading.shell))
      continue;
    if (!stow_taskflow_names_accessed(use) || stores != stow_taskflow_is_store(op) ||
        (stores && !mlirOperationIsNull(c->store)))
      return false;
    if (stores)
      c->store = op;
    else
      STOW_PUSH(c->loads, op);
  }
  return !mlirOperationIsNull(c->store) && c->loads.count > 0;
}

//===----------------------------------------------------------------------===//
// Numbers of elements
//===----------------------------------------------------------------------===//

enum { MOST = 1 << 20 }; // of bounds, steps and offsets: products stay far from the largest number

static bool is_moderate(int64_t number) { return -MOST < number && number < MOST; }

typedef struct run {
  int64_t lower, step, trips;
} run;

static bool find_run(MlirOperation loop, run *out) {
  int64_t upper;
  if (!stow_bridge_affine_constant_bounds(loop, &out->lower, &upper, &out->step))
    return false;
  if (out->lower >= upper || !is_moderate(out->lower) || !is_moderate(upper) ||
      !is_moderate(out->step))
    return false;
  out->trips = (upper - out->lower + out->step - 1) / out->step;
  return true;
}

// The index that is a multiple of the loop's variable and a constant; -1 where there are none, or
// several.
static intptr_t index_moved_by(const channel *c, MlirOperation loop) {
  intptr_t found = -1;
  for (intptr_t k = 0; k < c->rank; ++k) {
    MlirValue variable;
    int64_t scale, offset;
    if (!stow_bridge_affine_index_term(c->store, k, &variable, &scale, &offset))
      return -1;
    if (mlirValueIsNull(variable) || !mlirValueEqual(variable, stow_taskflow_loop_variable(loop)))
      continue;
    if (found >= 0)
      return -1;
    found = k;
  }
  return found;
}

// Lets a loop around the store, inside of which there are `c->count` elements, number the cells.
static bool number_by(channel *c, MlirOperation loop) {
  run r;
  const intptr_t k = index_moved_by(c, loop);
  if (k < 0 || !find_run(loop, &r))
    return false;
  MlirValue variable;
  int64_t scale, offset, count;
  stow_bridge_affine_index_term(c->store, k, &variable, &scale, &offset);
  if (!is_moderate(scale) || !is_moderate(offset) || (scale * r.step != 1 && scale * r.step != -1))
    return false;
  const int64_t from = offset + scale * r.lower, to = from + scale * r.step * (r.trips - 1);
  c->scale[k] = scale * r.step * c->count;
  c->first -= c->scale[k] * from;
  c->low[k] = from < to ? from : to;
  c->high[k] = from < to ? to : from;
  if (__builtin_mul_overflow(c->count, r.trips, &count) || count > INT32_MAX)
    return false;
  c->count = count;
  return true;
}

// What no loop moves must be a constant.
static bool number_constants(channel *c) {
  for (intptr_t k = 0; k < c->rank; ++k) {
    MlirValue variable;
    int64_t scale, offset;
    if (c->scale[k] != 0)
      continue;
    if (!stow_bridge_affine_index_term(c->store, k, &variable, &scale, &offset) ||
        !mlirValueIsNull(variable))
      return false;
    c->low[k] = c->high[k] = offset;
  }
  return true;
}

static bool number_cells(channel *c) {
  c->rank = mlirShapedTypeGetRank(mlirValueGetType(c->buffer));
  c->scale = stow_ir_allocate((size_t)c->rank, sizeof *c->scale);
  c->low = stow_ir_allocate((size_t)c->rank, sizeof *c->low);
  c->high = stow_ir_allocate((size_t)c->rank, sizeof *c->high);
  c->count = 1;
  for (MlirOperation op = mlirOperationGetParentOperation(c->store);
       !mlirOperationEqual(op, c->storing.shell); op = mlirOperationGetParentOperation(op))
    if (!stow_taskflow_is_loop(op) || !number_by(c, op))
      return false;
  return number_constants(c);
}

// The number of the element that an index map names.
static MlirAffineMap number_map(const channel *c, MlirAffineMap index) {
  MlirContext context = mlirAffineMapGetContext(index);
  MlirAffineExpr sum = mlirAffineConstantExprGet(context, c->first);
  for (intptr_t k = 0; k < c->rank; ++k)
    sum =
        mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineMapGetResult(index, k),
                                                  mlirAffineConstantExprGet(context, c->scale[k])),
                             sum);
  return mlirAffineMapGet(context, mlirAffineMapGetNumDims(index),
                          mlirAffineMapGetNumSymbols(index), 1, &sum);
}

//===----------------------------------------------------------------------===//
// What the reader loads
//===----------------------------------------------------------------------===//

// Whether no index `k` of the load, times `sign`, is more than `most`.
static bool stays_below(const stow_executions *e, intptr_t k, int64_t sign, int64_t most) {
  int64_t *row = stow_executions_row(e), largest;
  row[stow_executions_result(e, 0, (size_t)k)] = sign;
  const stow_affine_extent extent = stow_executions_largest(e, NULL, 0, row, &largest);
  free(row);
  return extent == STOW_AFFINE_EMPTY || (extent == STOW_AFFINE_BOUNDED && largest <= most);
}

static bool loads_what_is_stored(const channel *c, MlirOperation load) {
  const stow_execution one = stow_taskflow_access_execution(load, 0);
  stow_executions *e = stow_executions_create(&one, 1);
  bool inside = true;
  for (intptr_t k = 0; k < c->rank && inside; ++k)
    inside = stays_below(e, k, 1, c->high[k]) && stays_below(e, k, -1, -c->low[k]);
  stow_executions_free(e);
  return inside;
}

// Whether a value follows from variables of loops in the task alone. Takes its operands.
static bool follows_from_loops(stow_affine_value value) {
  bool follows = true;
  for (size_t i = 0; i < value.operand_count && follows; ++i) {
    const MlirValue operand = value.operands[i];
    int64_t number;
    follows =
        mlirValueIsABlockArgument(operand)
            ? stow_taskflow_is_loop(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(operand)))
            : stow_ir_constant_of(operand, &number);
  }
  free(value.operands);
  return follows;
}

// Whether it is known beforehand when the load is of which element.
static bool is_foreseen(const channel *c, MlirOperation load) {
  bool known = follows_from_loops(stow_bridge_affine_access_index(load));
  for (MlirOperation op = mlirOperationGetParentOperation(load);
       known && !mlirOperationEqual(op, c->loading.shell); op = mlirOperationGetParentOperation(op))
    known = stow_taskflow_is_loop(op) && follows_from_loops(stow_bridge_affine_lower_bound(op)) &&
            follows_from_loops(stow_bridge_affine_upper_bound(op));
  return known;
}

static bool is_around_loads(const channel *c, MlirOperation op) {
  STOW_EACH_ITEM(MlirOperation, load, c->loads)
    if (!stow_ir_is_inside(load, op))
      return false;
  return stow_taskflow_is_loop(op);
}

static void find_loops(channel *c) {
  MlirOperation op = stow_ir_op_in_block(c->loading.body, c->loads.at[0]);
  while (is_around_loads(c, op)) {
    STOW_PUSH(c->loops, op);
    op = stow_ir_op_in_block(stow_taskflow_loop_body(op), c->loads.at[0]);
  }
}

// By how many elements all loads move on, at least, while the loop's variable grows by 1; negative
// where that is not known.
static int64_t pace_of(const channel *c, MlirOperation loop) {
  int64_t least = INT64_MAX;
  STOW_EACH_ITEM(MlirOperation, load, c->loads) {
    int64_t sum = 0, moved;
    for (intptr_t k = 0; k < c->rank; ++k)
      if (__builtin_mul_overflow(stow_bridge_affine_index_growth(load, k, loop), c->scale[k],
                                 &moved) ||
          __builtin_add_overflow(sum, moved, &sum))
        return -1;
    least = sum < least ? sum : least;
  }
  return least < 0 ? -1 : least / STOW_AFFINE_SPAN;
}

// Whether what is released never falls: no loop moves it back further than one around it has moved
// it on.
static bool never_falls(const channel *c) {
  int64_t back = 0;
  for (size_t l = c->pace.count; l-- > 0;) {
    run r;
    int64_t on, whole;
    find_run(c->loops.at[l], &r);
    if (__builtin_mul_overflow(c->pace.at[l], r.step, &on) || on < back ||
        __builtin_mul_overflow(on, r.trips - 1, &whole) ||
        __builtin_add_overflow(back, whole, &back))
      return false;
  }
  return true;
}

static void find_pace(channel *c) {
  run r;
  for (size_t l = 0; l < c->loops.count && find_run(c->loops.at[l], &r); ++l) {
    const int64_t pace = pace_of(c, c->loops.at[l]);
    if (pace < 0)
      return;
    STOW_PUSH(c->pace, pace);
    if (!never_falls(c)) {
      --c->pace.count;
      return;
    }
  }
}

static stow_execution numbered_load(const channel *c, MlirOperation load) {
  stow_execution one = stow_taskflow_access_execution(load, 0);
  one.value.map = number_map(c, one.value.map);
  return one;
}

// Raises `most` to the largest distance of a load's element from the sum of pace and variables, or
// of that from the element with the sign -1.
static bool raise(const channel *c, const stow_executions *e, int64_t sign, int64_t *most) {
  int64_t *row = stow_executions_row(e), largest;
  row[stow_executions_result(e, 0, 0)] = sign;
  for (size_t l = 0; l < c->pace.count; ++l)
    row[stow_executions_variable(e, 0, stow_taskflow_loop_variable(c->loops.at[l]))] =
        -sign * c->pace.at[l];
  const stow_affine_extent extent = stow_executions_largest(e, NULL, 0, row, &largest);
  free(row);
  if (extent == STOW_AFFINE_BOUNDED)
    *most = largest > *most ? largest : *most;
  return extent != STOW_AFFINE_UNBOUNDED;
}

static bool find_depth(channel *c) {
  int64_t ahead = INT64_MIN, behind = INT64_MIN;
  bool bounded = c->pace.count > 0;
  for (size_t i = 0; i < c->loads.count && bounded; ++i) {
    const stow_execution one = numbered_load(c, c->loads.at[i]);
    stow_executions *e = stow_executions_create(&one, 1);
    bounded = raise(c, e, 1, &ahead) && raise(c, e, -1, &behind);
    stow_executions_free(e);
  }
  if (!bounded || ahead == INT64_MIN || behind == INT64_MIN ||
      __builtin_add_overflow(ahead, behind, &c->depth))
    return false;
  c->start = -behind;
  ++c->depth;
  return c->depth > 0 && c->depth < c->count;
}

static bool follow_loads(channel *c) {
  STOW_EACH_ITEM(MlirOperation, load, c->loads)
    if (!is_foreseen(c, load) || !loads_what_is_stored(c, load))
      return false;
  find_loops(c);
  find_pace(c);
  return find_depth(c);
}

//===----------------------------------------------------------------------===//
// What else connects the two
//===----------------------------------------------------------------------===//

static bool takes_from_task(MlirOperation op) {
  STOW_EACH_OP_OF(user, op)
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(user); i < n; ++i) {
      const MlirValue operand = mlirOperationGetOperand(user, i);
      if (mlirValueIsAOpResult(operand) && stow_taskflow_is_task(mlirOpResultGetOwner(operand)))
        return true;
    }
  return false;
}

// Waits for tasks before it, and tasks behind it wait for it.
static bool is_barrier(MlirOperation op) {
  if (stow_taskflow_is_task(op) || stow_ir_is_allocation(op) || stow_ir_is_dealloc(op))
    return false;
  return !stow_bridge_op_has_no_effect(op) || takes_from_task(op);
}

// The tasks around the two that run when they may; empty where an op stands between.
static stow_op_list tasks_beside(const channel *c) {
  stow_op_list tasks = {0};
  bool met = false;
  STOW_EACH_OP(op, mlirOperationGetBlock(c->writer.op)) {
    if (stow_taskflow_is_task(op))
      STOW_PUSH(tasks, op);
    met |= mlirOperationEqual(op, c->writer.op);
    if (!is_barrier(op))
      continue;
    if (met)
      break;
    tasks.count = 0;
  }
  for (size_t i = 0; i < tasks.count; ++i)
    if (mlirOperationEqual(tasks.at[i], c->reader.op))
      return tasks;
  tasks.count = 0;
  return tasks;
}

static bool are_connected(const channel *c, MlirOperation a, MlirOperation b, bool distinct) {
  const stow_task one = stow_task_of(a), other = stow_task_of(b);
  return stow_tasks_conflict(&one, &other, c->buffer, distinct) ||
         stow_taskflow_uses_result_of(a, b) || stow_taskflow_uses_result_of(b, a);
}

// Whether the reader is reached from the writer by other ways than the channel.
static bool has_another_way(const channel *c, bool distinct) {
  stow_op_list tasks = tasks_beside(c), reached = {0};
  bool found = tasks.count == 0;
  STOW_PUSH(reached, c->writer.op);
  for (size_t i = 0; i < reached.count && !found; ++i)
    for (size_t k = 0; k < tasks.count && !found; ++k) {
      MlirOperation task = tasks.at[k];
      if (mlirOperationIsNull(task) || mlirOperationEqual(task, c->writer.op) ||
          !are_connected(c, reached.at[i], task, distinct))
        continue;
      found = mlirOperationEqual(task, c->reader.op);
      STOW_PUSH(reached, task);
      tasks.at[k] = (MlirOperation){NULL};
    }
  free(tasks.at);
  free(reached.at);
  return found;
}

//===----------------------------------------------------------------------===//
// Making it
//===----------------------------------------------------------------------===//

static MlirType type_of_elements(const channel *c) {
  const MlirType type = mlirValueGetType(c->buffer);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 1, &c->count,
                                     mlirMemRefTypeGetMemorySpace(type));
}

static MlirValue build_channel(const channel *c) {
  MlirOperation allocation = mlirOpResultGetOwner(c->buffer);
  stow_op op = stow_op_begin(STOW_TASKFLOW_CHANNEL, mlirOperationGetLocation(allocation));
  stow_op_attribute(&op, "depth", mlirIntegerAttrGet(mlirIntegerTypeGet(op.context, 64), c->depth));
  stow_op_result(&op, type_of_elements(c));
  MlirOperation made = stow_op_end(&op);
  stow_ir_insert_before(allocation, made);
  return stow_taskflow_result(made);
}

static void access_channel(const channel *c, MlirOperation access, MlirValue made) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(access, "map"));
  mlirOperationSetOperand(access, stow_taskflow_is_store(access), made);
  mlirOperationSetAttributeByName(access, stow_ir_string("map"),
                                  mlirAffineMapAttrGet(number_map(c, map)));
}

static void release(MlirValue made, MlirOperation number, MlirOperation before) {
  stow_ir_insert_before(before, number);
  stow_op op = stow_op_begin(STOW_TASKFLOW_RELEASE, mlirOperationGetLocation(number));
  stow_op_operand(&op, made);
  stow_op_operand(&op, stow_taskflow_result(number));
  stow_ir_insert_before(before, stow_op_end(&op));
}

static void release_in_loop(const channel *c, MlirValue made) {
  MlirOperation loop = c->loops.at[c->pace.count - 1];
  MlirContext context = mlirOperationGetContext(loop);
  stow_values variables = {0};
  MlirAffineExpr sum = mlirAffineConstantExprGet(context, c->start);
  for (size_t l = 0; l < c->pace.count; ++l) {
    stow_values_append(&variables, stow_taskflow_loop_variable(c->loops.at[l]));
    sum = mlirAffineAddExprGet(
        mlirAffineMulExprGet(mlirAffineDimExprGet(context, (intptr_t)l),
                             mlirAffineConstantExprGet(context, c->pace.at[l])),
        sum);
  }
  const stow_affine_value number = {
      mlirAffineMapGet(context, (intptr_t)variables.count, 0, 1, &sum), variables.at,
      variables.count};
  release(made, stow_taskflow_make_apply(mlirOperationGetLocation(loop), &number),
          mlirBlockGetFirstOperation(stow_taskflow_loop_body(loop)));
  stow_values_free(&variables);
}

static void release_all(const channel *c, MlirValue made) {
  MlirOperation yield = mlirBlockGetTerminator(c->loading.body);
  stow_op op = stow_op_begin(STOW_ARITH_CONSTANT, mlirOperationGetLocation(yield));
  MlirType index = mlirIndexTypeGet(op.context);
  stow_op_attribute(&op, "value", mlirIntegerAttrGet(index, c->count));
  stow_op_result(&op, index);
  release(made, stow_op_end(&op), yield);
}

static void close_task(const stow_task *old, stow_open_pair *open) {
  const stow_task made = stow_taskflow_open_close(open, mlirOperationGetLocation(old->op),
                                                  stow_task_name(old), old->op);
  stow_taskflow_copy_discardable_attributes(old->op, made.op);
  stow_task_hand_out_values(old, &made, 0);
  mlirOperationDestroy(old->op);
}

static void make_channel(channel *c) {
  const MlirValue made = build_channel(c);
  access_channel(c, c->store, made);
  STOW_EACH_ITEM(MlirOperation, load, c->loads)
    access_channel(c, load, made);
  release_in_loop(c, made);
  release_all(c, made);
  close_task(&c->writer, &c->storing);
  close_task(&c->reader, &c->loading);
  mlirValueReplaceAllUsesOfWith(c->buffer, made);
  mlirOperationDestroy(mlirOpResultGetOwner(c->buffer));
}

//===----------------------------------------------------------------------===//
// All of a block
//===----------------------------------------------------------------------===//

// What becomes of a buffer of which `c` names the two tasks.
static stow_fusion_reason plan_channel(channel *c) {
  open_tasks(c);
  return find_accesses(c) && number_cells(c) && follow_loads(c) ? STOW_FUSION_CHANNEL
                                                                : STOW_FUSION_CHANNEL_ORDER;
}

static void note(const channel *c, stow_fusion_reason reason, stow_channels *out) {
  uint64_t bytes = 0, cells = 1;
  const MlirType type = mlirValueGetType(c->buffer);
  stow_taskflow_allocation_bytes(c->buffer, &bytes);
  for (intptr_t k = 0; k < mlirShapedTypeGetRank(type); ++k)
    cells *= (uint64_t)mlirShapedTypeGetDimSize(type, k);
  const bool made = reason == STOW_FUSION_CHANNEL;
  STOW_PUSH(*out,
            (stow_channel){c->buffer, stow_task_name(&c->writer), stow_task_name(&c->reader),
                           reason, made ? (uint64_t)c->depth : 0, made ? (uint64_t)c->count : 0,
                           made ? bytes - bytes / cells * (uint64_t)c->depth : 0});
}

static void plan_buffer(MlirValue buffer, bool distinct_arguments, stow_channels *out) {
  channel c = {.buffer = buffer};
  if (!find_tasks(&c))
    return;
  stow_fusion_reason reason = plan_channel(&c);
  if (reason == STOW_FUSION_CHANNEL && has_another_way(&c, distinct_arguments))
    reason = STOW_FUSION_CHANNEL_WAY;
  note(&c, reason, out);
  drop_channel(&c);
}

// All are decided before any is made: what is no allocation any more may be any memory.
stow_channels stow_taskflow_plan_channels(MlirBlock block, bool distinct_arguments) {
  stow_channels list = {0};
  STOW_EACH_OP(op, block)
    if (is_possible(op))
      plan_buffer(stow_taskflow_result(op), distinct_arguments, &list);
  return list;
}

void stow_taskflow_make_channels(const stow_channels *list) {
  STOW_EACH(const stow_channel, one, *list) {
    if (one->reason != STOW_FUSION_CHANNEL)
      continue;
    channel c = {.buffer = one->buffer};
    const bool again = find_tasks(&c) && plan_channel(&c) == STOW_FUSION_CHANNEL;
    assert(again && (uint64_t)c.depth == one->depth);
    if (again)
      make_channel(&c);
    drop_channel(&c);
  }
}
