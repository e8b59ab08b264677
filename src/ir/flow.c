//===- flow.c - where buffers go in a function ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk keeps its own stack, one level per op whose regions are being read, so
// that deep nesting costs memory and not the C stack. An op's effect on buffers is
// recorded when the walk leaves it (transfer.c): its range is known then.
//
//===----------------------------------------------------------------------===//

#include "ir/flow.h"

#include "ir/flow_tables.h"
#include "ir/order.h"

#include <stdlib.h>

// An op whose regions are being read.
typedef struct level {
  stow_visit visit;
  stow_region_manner manner;
  intptr_t next_region, region_count;
  bool atomic; // it or an op around it
  int32_t hub; // of it or the nearest op around it that has one, or -1
  int32_t region_nest;
  stow_region_order order; // of the current region
  size_t next_block;
  int32_t *loop_nests; // per loop of `order`
  int32_t block;       // the current one, in the flow's table
  MlirOperation next_op;
} level;

static const MlirBlock no_block;
static const MlirOperation no_op;

typedef struct walker {
  stow_flow *flow;
  const stow_flow_context *context;
  STOW_ARRAY(level) levels;
} walker;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static void declare(stow_flow *flow, MlirValue value, int32_t nest) {
  if (!stow_control_follows(value))
    return;
  int32_t id = stow_flow_value(flow, value);
  flow->values.at[id].nest = nest;
  flow->values.at[id].defined = (int64_t)flow->ops.count - 1;
}

static bool declare_results(stow_flow *flow, MlirOperation op, int32_t nest) {
  bool any = false;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    declare(flow, mlirOperationGetResult(op, i), nest);
    any |= stow_ir_is_buffer(mlirValueGetType(mlirOperationGetResult(op, i)));
  }
  return any;
}

static bool has_buffer_operand(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_control_follows(mlirOperationGetOperand(op, i)))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static level *top(walker *w) { return &w->levels.at[w->levels.count - 1]; }

static int32_t current_nest(const level *f) {
  int32_t loop = f->order.blocks[f->next_block - 1].loop;
  return loop < 0 ? f->region_nest : f->loop_nests[loop];
}

// The nest of the op's regions.
static int32_t inner_nest(stow_flow *flow, const stow_visit *visit, stow_region_manner manner) {
  if (!manner.repeats && manner.opaque == STOW_PLANNED)
    return visit->nest;
  unsigned flags = STOW_NEST_REPEATS | (manner.atomic ? STOW_NEST_ATOMIC : 0);
  int32_t nest = stow_flow_add_nest(flow, visit->nest, flags);
  flow->nests.at[nest].begin = visit->begin;
  if (manner.opaque != STOW_PLANNED) {
    flow->nests.at[nest].flags |= STOW_NEST_OPAQUE;
    flow->nests.at[nest].escape = stow_flow_add_escape(flow, -1, manner.opaque, visit->op);
  }
  return nest;
}

static void push_op(walker *w, stow_visit visit, stow_region_manner manner) {
  stow_flow *flow = w->flow;
  bool outermost = w->levels.count == 0;
  bool atomic = manner.atomic || (!outermost && top(w)->atomic);
  visit.hub = -1;
  visit.first_use = flow->uses.count;
  visit.first_edge = flow->edges.count;
  if (!atomic && !outermost) {
    stow_control_close(&flow->control, visit.begin + 1, visit.op);
    if (manner.any_order)
      visit.hub = stow_control_open(&flow->control, visit.begin + 1, no_block, no_op);
  }
  int32_t hub = visit.hub < 0 && !outermost ? top(w)->hub : visit.hub;
  visit.inner = inner_nest(flow, &visit, manner);
  STOW_PUSH(w->levels, (level){.visit = visit,
                               .manner = manner,
                               .region_count = mlirOperationGetNumRegions(visit.op),
                               .atomic = atomic,
                               .hub = hub});
}

// What the function does because of an op that is in it somewhere.
static stow_named_op note_op(walker *w, MlirOperation op) {
  const stow_named_op named = stow_ir_look_up(w->context->names, op);
  w->flow->calls |= (named.facts & STOW_OP_CALL) != 0;
  w->flow->coroutine |= (named.traits & STOW_SUSPENDS) != 0;
  w->flow->marked |= (named.traits & STOW_MARKS) != 0;
  return named;
}

static bool takes_buffer(MlirBlock block) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
    if (stow_ir_is_buffer(mlirValueGetType(mlirBlockGetArgument(block, i))))
      return true;
  return false;
}

// An op that the tables hold nothing of but its position.
static bool is_plain(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumSuccessors(op) == 0 &&
         !stow_ir_gives_buffer(op) && !has_buffer_operand(op);
}

// The regions of most structured ops are a block that computes numbers. The tables hold its
// positions and neither nest, scope nor block. False: it is another region, and nothing was done.
static bool pass_over_numbers(walker *w, const stow_visit *visit) {
  if ((visit->facts & (STOW_OP_STRUCTURED | STOW_OP_REGION_BRANCH)) != STOW_OP_STRUCTURED ||
      mlirOperationGetNumRegions(visit->op) != 1 || stow_ir_makes_handle(visit->op))
    return false;
  const MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(visit->op, 0));
  if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)) ||
      takes_buffer(block))
    return false;
  const size_t positions = w->flow->ops.count;
  STOW_EACH_OP(inner, block) {
    if (!is_plain(inner)) {
      w->flow->ops.count = positions;
      return false;
    }
    note_op(w, inner);
    stow_flow_take_position(w->flow, inner);
  }
  return true;
}

// Settled work runs beside the program.
static stow_region_manner manner_of(walker *w, const stow_visit *visit) {
  if (stow_ir_is_settled(&w->flow->completions, visit->op))
    return (stow_region_manner){
        .repeats = true, .owns_arena = true, .atomic = true, .opaque = STOW_PLANNED};
  return stow_region_manner_of(visit->op, visit->facts, visit->traits, w->context->unknown_ops);
}

static void enter_op(walker *w, MlirOperation op) {
  stow_flow *flow = w->flow;
  const level *f = top(w);
  stow_visit visit = {.op = op,
                      .begin = stow_flow_take_position(flow, op),
                      .nest = current_nest(f),
                      .block = f->block};
  visit.inner = visit.nest;
  visit.end = visit.begin + 1;
  const stow_named_op named = note_op(w, op);
  visit.traits = named.traits;
  bool makes = declare_results(flow, op, visit.nest);
  bool nested = mlirOperationGetNumRegions(op) > 0;
  if (!makes && !nested && !has_buffer_operand(op) && mlirOperationGetNumSuccessors(op) == 0)
    return;
  visit.facts = stow_op_facts_with(op, named.facts);
  visit.passed_over = nested && pass_over_numbers(w, &visit);
  if (visit.passed_over)
    visit.end = stow_flow_take_position(flow, op) + 1;
  if (nested && !visit.passed_over && !(visit.facts & STOW_OP_FUNCTION))
    push_op(w, visit, manner_of(w, &visit));
  else
    stow_flow_transfer(flow, w->context, &visit);
}

static void note_terminator(stow_flow *flow, const stow_visit *visit) {
  if (!(visit->facts & STOW_OP_TERMINATOR))
    return;
  stow_scope *scope = &flow->scopes.at[flow->nests.at[visit->nest].scope];
  if (visit->begin < scope->terminators &&
      mlirRegionEqual(scope->region, mlirBlockGetParentRegion(mlirOperationGetBlock(visit->op))))
    scope->terminators = visit->begin;
}

static void leave_op(walker *w) {
  level f = w->levels.at[--w->levels.count];
  if (!f.atomic)
    stow_control_open(&w->flow->control, (int64_t)w->flow->ops.count,
                      mlirOperationGetBlock(f.visit.op), f.visit.op);
  f.visit.end = stow_flow_take_position(w->flow, f.visit.op) + 1;
  declare_results(w->flow, f.visit.op, f.visit.nest);
  if (f.visit.inner != f.visit.nest)
    w->flow->nests.at[f.visit.inner].end = f.visit.end;
  note_terminator(w->flow, &f.visit);
  stow_flow_transfer(w->flow, w->context, &f.visit);
  if (f.visit.hub >= 0)
    stow_control_any_order(&w->flow->control, f.visit.op, f.visit.hub);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static void add_loop_nests(stow_flow *flow, level *f) {
  f->loop_nests = stow_ir_allocate(f->order.loops.count, sizeof *f->loop_nests);
  for (size_t l = 0; l < f->order.loops.count; ++l) {
    int32_t parent = f->order.loops.at[l].parent;
    f->loop_nests[l] = stow_flow_add_nest(flow, parent < 0 ? f->region_nest : f->loop_nests[parent],
                                          STOW_NEST_REPEATS | STOW_NEST_BLOCKS);
  }
}

static void enter_region(walker *w) {
  level *f = top(w);
  MlirRegion region = mlirOperationGetRegion(f->visit.op, f->next_region++);
  f->order = stow_ir_region_blocks(region);
  f->next_block = 0;
  f->region_nest = f->visit.inner;
  if (f->manner.owns_arena)
    f->region_nest =
        stow_flow_add_scope(w->flow, f->visit.op, region, f->visit.inner, f->visit.facts);
  add_loop_nests(w->flow, f);
}

// Regions that run in any order may run at once: where one stays in a loop forever, others go on.
static void add_loop_jumps(stow_control *control, const level *f) {
  for (size_t l = 0; l < f->order.loops.count && f->hub >= 0; ++l)
    stow_control_to_hub(control, f->order.blocks[f->order.loops.at[l].last].block, f->hub);
}

static void leave_region(walker *w) {
  level *f = top(w);
  if (f->region_nest != f->visit.inner)
    w->flow->nests.at[f->region_nest].end = (int64_t)w->flow->ops.count;
  if (!f->atomic) {
    MlirRegion region = mlirOperationGetRegion(f->visit.op, f->next_region - 1);
    STOW_EACH_BLOCK(block, region)
      stow_control_branch(&w->flow->control, block);
    add_loop_jumps(&w->flow->control, f);
  }
  stow_region_order_free(&f->order);
  free(f->loop_nests);
  f->loop_nests = NULL;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

// Arguments of a region's first block are filled by the op around; where that is not known to be
// all they are, they are foreign. Those of other blocks are filled by branches.
static void declare_arguments(walker *w, const level *f, bool entry) {
  bool foreign = entry && !(f->visit.facts & STOW_OP_REGION_BRANCH);
  MlirBlock block = f->order.blocks[f->next_block - 1].block;
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!stow_control_follows(argument))
      continue;
    int32_t id = stow_flow_value(w->flow, argument);
    stow_value *value = &w->flow->values.at[id];
    value->nest = current_nest(f);
    value->foreign |= foreign;
    value->header = f->order.blocks[f->next_block - 1].header;
    value->argument = true;
    value->defined = (int64_t)w->flow->ops.count;
  }
}

// A region that runs exactly once each time its op does.
static bool runs_once(const level *f) {
  return f->region_count == 1 && f->order.block_count == 1 && !f->manner.repeats &&
         !f->manner.owns_arena && f->manner.opaque == STOW_PLANNED &&
         (f->visit.traits & STOW_RUNS_ONCE);
}

static void enter_block(walker *w) {
  level *f = top(w);
  size_t i = f->next_block++;
  const stow_ordered_block *b = &f->order.blocks[i];
  for (int32_t l = b->loop; l >= 0 && f->order.loops.at[l].first == i;
       l = f->order.loops.at[l].parent)
    w->flow->nests.at[f->loop_nests[l]].begin = (int64_t)w->flow->ops.count;
  f->block = stow_flow_add_block(w->flow, b->block, f->visit.block, runs_once(f), b->reachable);
  if (!f->atomic)
    stow_control_open(&w->flow->control, (int64_t)w->flow->ops.count, b->block, no_op);
  declare_arguments(w, f, i == 0);
  f->next_op = mlirBlockGetFirstOperation(b->block);
}

static void leave_block(walker *w) {
  level *f = top(w);
  size_t i = f->next_block - 1;
  for (int32_t l = f->order.blocks[i].loop; l >= 0 && f->order.loops.at[l].last == i;
       l = f->order.loops.at[l].parent)
    w->flow->nests.at[f->loop_nests[l]].end = (int64_t)w->flow->ops.count;
  const int64_t end = w->flow->blocks.at[f->block].end = (int64_t)w->flow->ops.count;
  if (!f->atomic)
    stow_control_close(&w->flow->control, end, no_op);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static void step_in_region(walker *w) {
  level *f = top(w);
  bool in_block = f->next_block > 0;
  if (in_block && !mlirOperationIsNull(f->next_op)) {
    MlirOperation op = f->next_op;
    f->next_op = mlirOperationGetNextInBlock(op);
    enter_op(w, op);
    return;
  }
  if (in_block)
    leave_block(w);
  if (f->next_block < f->order.block_count)
    enter_block(w);
  else
    leave_region(w);
}

// False when the outermost op is done.
static bool step(walker *w) {
  if (top(w)->loop_nests)
    step_in_region(w);
  else if (top(w)->next_region < top(w)->region_count)
    enter_region(w);
  else if (w->levels.count == 1)
    return false;
  else
    leave_op(w);
  return true;
}

// A value that nothing known flows into is from outside the function.
static void mark_foreign(stow_flow *flow) {
  bool *fed = stow_ir_allocate(flow->values.count, sizeof *fed);
  for (size_t i = 0; i < flow->edges.count; ++i)
    fed[flow->edges.at[i].to] = true;
  for (size_t i = 0; i < flow->values.count; ++i)
    flow->values.at[i].foreign |=
        !fed[i] && flow->values.at[i].alloc == STOW_NO_ALLOC && !flow->values.at[i].token;
  free(fed);
}

static bool is_reached(const stow_flow *flow, MlirValue value) {
  const int32_t block = stow_map_get(&flow->block_index, stow_block_of(value).ptr);
  return block >= 0 && flow->blocks.at[block].reachable;
}

// A branch that is never taken gives nothing to blocks that run. It would be the way back of a loop
// that is none.
static void drop_unreached(stow_flow *flow) {
  size_t kept = 0;
  for (size_t i = 0; i < flow->edges.count; ++i) {
    stow_edge edge = flow->edges.at[i];
    const bool unreached = edge.branch == STOW_UNREACHED_BRANCH;
    if (unreached && is_reached(flow, flow->values.at[edge.to].value))
      continue;
    edge.branch = unreached ? -1 : edge.branch;
    flow->edges.at[kept++] = edge;
  }
  flow->edges.count = kept;
}

// A branch to a header from inside the loop it heads is a back edge. (A header is in no loop inside
// its own.)
static void mark_carried(stow_flow *flow) {
  STOW_EACH(stow_edge, edge, flow->edges) {
    const stow_value *target = &flow->values.at[edge->to];
    if (edge->branch < 0 || !target->header)
      continue;
    int32_t nest = edge->branch;
    while (nest >= 0 && nest != target->nest)
      nest = flow->nests.at[nest].parent;
    edge->carried = nest;
  }
}

void stow_flow_read(MlirOperation function, const stow_flow_context *context, stow_flow *out_flow) {
  *out_flow = (stow_flow){.function = function,
                          .body = stow_bridge_function_body(function),
                          .layout = stow_layout_at(function)};
  STOW_RESERVE(out_flow->ops, 2 * context->op_count); // an op with regions has two
  STOW_RESERVE(out_flow->uses, context->op_count);
  walker w = {.flow = out_flow, .context = context};
  stow_visit root = {.op = function,
                     .facts = STOW_OP_FUNCTION,
                     .traits = stow_ir_op_traits(function),
                     .nest = -1,
                     .block = -1};
  root.facts |= stow_op_facts(function) & STOW_OP_GRAPH_REGION;
  push_op(&w, root, (stow_region_manner){.owns_arena = true, .opaque = STOW_PLANNED});
  top(&w)->region_count = 1;
  while (step(&w))
    ;
  free(w.levels.at);
  drop_unreached(out_flow);
  stow_flow_index_edges(out_flow);
  mark_foreign(out_flow);
  mark_carried(out_flow);
}
