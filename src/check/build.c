//===- build.c - a function as a graph of nodes ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is a block, or the ops between two ops with regions. An op with regions ends a node and
// begins another; edges lead through its regions as its interface says, or, if it has none, in
// any order and any number of times. The walk has a stack of its own, as the input decides how
// deep regions nest.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "check/steps.h"
#include "ir/order.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// An op whose regions are being walked.
typedef struct level {
  MlirOperation op, next; // the next op to visit
  uint32_t facts;
  int32_t before; // the node that ends with the op
  intptr_t region;
  stow_region_order order;
  size_t block;                                  // in that order; the next
  size_t first_access, first_name, first_source; // of its own
  int32_t work;                                  // that its body is, or -1
} level;

typedef struct walk {
  stow_check_program *program;
  STOW_ARRAY(level) levels; // the innermost last
  int32_t node;             // the one being filled
  stow_map block_node;      // by block: its first node
  stow_map end_node;        // by terminator: the node it ends
  MlirOperation around;     // the op whose edges are being added
  int32_t before, after;
} walk;

//===----------------------------------------------------------------------===//
// Nodes and edges
//===----------------------------------------------------------------------===//

static int32_t add_node(stow_check_program *p) {
  return (int32_t)STOW_PUSH(p->nodes, (stow_check_node){0});
}

static void close_node(walk *w) {
  if (w->node < 0)
    return;
  stow_check_node *node = &w->program->nodes.at[w->node];
  node->event_end = w->program->events.count;
  node->end = w->program->position++;
}

static void open_node(walk *w, int32_t node) {
  stow_check_program *p = w->program;
  close_node(w);
  STOW_PUSH(p->order, node);
  p->nodes.at[node].first_event = p->events.count;
  p->nodes.at[node].begin = p->position++;
  w->node = node;
}

static int32_t add_edge(walk *w, int32_t from, int32_t to) {
  stow_check_program *p = w->program;
  return (int32_t)STOW_PUSH(p->edges, (stow_check_edge){from, to});
}

// Null where the region is empty.
static MlirBlock entry_of(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

// One that is given stands where its node begins.
static void add_handle_of(walk *w, MlirValue value, bool is_given) {
  stow_check_program *p = w->program;
  if (stow_check_is_handle(mlirValueGetType(value)))
    stow_map_add(&p->handle_of, value.ptr,
                 (int32_t)STOW_PUSH(p->handles, (stow_check_handle){value, w->node, is_given}));
}

static void add_sources(walk *w, int32_t edge, MlirOperation from, const stow_control_edge *told) {
  for (size_t i = 0; i < told->count; ++i) {
    const MlirValue to = told->passes[i].target;
    if (told->passes[i].operand < 0 || !stow_check_is_followed(mlirValueGetType(to)))
      continue;
    const MlirValue operand = mlirOperationGetOperand(from, told->passes[i].operand);
    stow_check_source_add(w->program, edge, operand, to);
    if (stow_check_is_handle(mlirValueGetType(to)))
      STOW_PUSH(w->program->given, (stow_check_given){edge, operand, to});
  }
}

static void follow_branch(void *user, const stow_control_edge *told) {
  walk *w = user;
  add_sources(w, add_edge(w, w->node, stow_map_get(&w->block_node, told->block.ptr)), told->end,
              told);
}

static void add_branches(walk *w, MlirOperation op) {
  if (stow_op_facts(op) & STOW_OP_BRANCH) {
    stow_bridge_branch_edges(op, follow_branch, w);
    return;
  }
  for (intptr_t s = 0, n = mlirOperationGetNumSuccessors(op); s < n; ++s)
    add_edge(w, w->node, stow_map_get(&w->block_node, mlirOperationGetSuccessor(op, s).ptr));
}

//===----------------------------------------------------------------------===//
// Ops with regions
//===----------------------------------------------------------------------===//

static void follow_region(void *user, const stow_control_edge *told) {
  walk *w = user;
  bool enters = mlirOperationIsNull(told->end);
  if (enters && told->to == STOW_PARENT && stow_check_loop_runs(w->around))
    return;
  int32_t from = enters ? w->before : stow_map_get(&w->end_node, told->end.ptr);
  int32_t to = told->to == STOW_PARENT ? w->after : -1;
  if (!mlirBlockIsNull(told->block))
    to = stow_map_get(&w->block_node, told->block.ptr);
  if (from >= 0 && to >= 0)
    add_sources(w, add_edge(w, from, to), enters ? w->around : told->end, told);
}

// `to` may be any operand.
static void give_all(walk *w, int32_t edge, MlirOperation from, MlirValue to) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(from); i < n; ++i)
    if (stow_check_is_followed(mlirValueGetType(to)))
      stow_check_source_add(w->program, edge, mlirOperationGetOperand(from, i), to);
}

static void enter_every_region(walk *w, int32_t from, bool with_operands) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(w->around); r < n; ++r) {
    MlirBlock entry = entry_of(w->around, r);
    if (mlirBlockIsNull(entry))
      continue;
    int32_t edge = add_edge(w, from, stow_map_get(&w->block_node, entry.ptr));
    bool passes = with_operands && !(stow_check_kinds(w->around) & STOW_CHECK_SECLUDES);
    for (intptr_t i = 0, k = mlirBlockGetNumArguments(entry); i < k && passes; ++i)
      give_all(w, edge, w->around, mlirBlockGetArgument(entry, i));
  }
}

typedef void (*terminator_fn)(walk *w, MlirOperation terminator, int32_t node);

static void each_end(walk *w, terminator_fn fn) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(w->around); r < n; ++r)
    for (MlirBlock block = entry_of(w->around, r); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block)) {
      MlirOperation end = mlirBlockGetTerminator(block);
      int32_t node = mlirOperationIsNull(end) ? -1 : stow_map_get(&w->end_node, end.ptr);
      if (node >= 0 && mlirOperationGetNumSuccessors(end) == 0)
        fn(w, end, node);
    }
}

static void go_anywhere(walk *w, MlirOperation terminator, int32_t node) {
  enter_every_region(w, node, false);
  int32_t edge = add_edge(w, node, w->after);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(w->around); i < n; ++i)
    give_all(w, edge, terminator, mlirOperationGetResult(w->around, i));
}

static void go_again(walk *w, MlirOperation terminator, int32_t node) {
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(terminator));
  add_edge(w, node, stow_map_get(&w->block_node, mlirRegionGetFirstBlock(region).ptr));
  add_edge(w, node, w->after);
}

static void add_region_edges(walk *w, const level *f) {
  w->around = f->op;
  w->before = f->before;
  if (f->facts & STOW_OP_LOOP && !mlirBlockIsNull(entry_of(f->op, 0)))
    stow_map_add(&w->program->body_of, f->op.ptr,
                 stow_map_get(&w->block_node, entry_of(f->op, 0).ptr));
  if (f->facts & STOW_OP_REGION_BRANCH) {
    stow_bridge_region_edges(f->op, follow_region, w);
    if (f->facts & STOW_OP_PARALLEL)
      each_end(w, go_again);
    return;
  }
  enter_every_region(w, f->before, true);
  add_edge(w, f->before, w->after);
  each_end(w, go_anywhere);
}

// The names at the ends of a source that is not settled yet. False where there are not two.
static bool ends_of(const stow_check_program *p, size_t index, int32_t *out_from, int32_t *out_to) {
  const stow_check_source *s = &p->sources.at[index];
  bool settled = mlirValueIsNull(s->from);
  *out_from = settled ? s->place.name : stow_check_place_of(p, s->from).name;
  *out_to = s->choice != STOW_CHECK_NO_NAME ? s->choice : stow_check_place_of(p, s->to).name;
  return *out_from != STOW_CHECK_NO_NAME && *out_to != STOW_CHECK_NO_NAME;
}

// By name: an arena made in the regions of the op, what is cut from it, and what may be either.
static bool *own_names(const stow_check_program *p, const level *f) {
  bool *own = stow_ir_allocate(p->names.count, sizeof *own);
  int32_t from, to;
  for (size_t n = f->first_name; n < p->names.count; ++n)
    own[n] = p->names.at[n].root >= (int32_t)f->first_name;
  for (bool changed = true; changed;) { // once more where a loop leads back
    changed = false;
    for (size_t s = f->first_source; s < p->sources.count; ++s)
      if (ends_of(p, s, &from, &to) && own[from] && !own[to])
        own[to] = changed = true;
  }
  return own;
}

// By name: what the regions access, but for what they only wait for. Of a choice that may be their
// own, all that it may be.
static bool *touched_names(const stow_check_program *p, const level *f, const bool *own) {
  bool *touched = stow_ir_allocate(p->names.count, sizeof *touched);
  int32_t from, to;
  for (size_t a = f->first_access; a < p->accesses.count; ++a)
    touched[p->accesses.at[a].place.name] |= !p->accesses.at[a].handle;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = p->sources.count; s > f->first_source; --s)
      if (ends_of(p, s - 1, &from, &to) && own[to] && touched[to] && !touched[from])
        touched[from] = changed = true;
  }
  return touched;
}

// What is needed of a name through a token is not needed before the op: there the name is not yet
// made, though control may go around its definition inside of the op. An op around such ops hides
// all names: a loop in it may have made them in an earlier iteration.
static void hide_inner_names(stow_check_program *p, const level *f, size_t end) {
  for (size_t n = (size_t)f->before + 1; n < p->nodes.count; ++n)
    p->nodes.at[n].inner_end = p->nodes.at[n].first_inner;
  p->nodes.at[f->before].first_inner = (int32_t)f->first_name;
  p->nodes.at[f->before].inner_end = (int32_t)end;
}

// A result that no region yields, such as a token, stands for all that the regions touch, but for
// arenas of their own.
static void add_handle(stow_check_program *p, MlirValue result, const level *f) {
  bool *own = own_names(p, f), *touched = touched_names(p, f, own);
  int32_t choice = STOW_CHECK_NO_NAME;
  const size_t end = p->names.count;
  hide_inner_names(p, f, end);
  for (size_t n = 0; n < end; ++n) {
    if (!touched[n] || own[n])
      continue;
    if (choice == STOW_CHECK_NO_NAME)
      choice = stow_check_choice_add(p, result, -1);
    stow_check_source_add(p, -1, (MlirValue){NULL}, result);
    p->sources.at[p->sources.count - 1].place =
        (stow_check_place){.name = (int32_t)n, .bytes = p->names.at[n].bytes};
  }
  if (choice != STOW_CHECK_NO_NAME)
    stow_check_define_add(p, choice);
  free(own);
  free(touched);
}

static bool is_yielded(const stow_check_program *p, size_t first_source, MlirValue result) {
  for (size_t s = first_source; s < p->sources.count; ++s)
    if (mlirValueEqual(p->sources.at[s].to, result))
      return true;
  return false;
}

static void add_results(walk *w, const level *f, size_t first_source) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(f->op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(f->op, i);
    if (!stow_check_is_followed(mlirValueGetType(result)))
      continue;
    add_handle_of(w, result, true);
    if (is_yielded(w->program, first_source, result))
      stow_check_choice_add(w->program, result, w->node);
    else if (!(f->facts & STOW_OP_FUNCTION))
      add_handle(w->program, result, f);
  }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static void begin_region(walk *w, level *f) {
  stow_region_order_free(&f->order);
  f->block = 0;
  f->order = stow_ir_region_blocks(mlirOperationGetRegion(f->op, f->region));
  for (size_t i = 0; i < f->order.block_count; ++i)
    stow_map_add(&w->block_node, f->order.blocks[i].block.ptr, add_node(w->program));
}

static void push(walk *w, MlirOperation op, uint32_t facts, int32_t work) {
  if (w->node >= 0)
    w->program->nodes.at[w->node].decides = op;
  STOW_PUSH(w->levels, (level){.op = op,
                               .facts = facts,
                               .before = w->node,
                               .region = -1,
                               .first_access = w->program->accesses.count,
                               .first_name = w->program->names.count,
                               .first_source = w->program->sources.count,
                               .work = work});
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    w->program->position++;
}

// Whether control gives a block its arguments.
static bool is_given_arguments(MlirBlock block) {
  const MlirRegion region = mlirBlockGetParentRegion(block);
  const MlirOperation around = mlirBlockGetParentOperation(block);
  return !mlirBlockEqual(mlirRegionGetFirstBlock(region), block) ||
         (stow_op_facts(around) & STOW_OP_REGION_BRANCH);
}

static void add_arguments(walk *w, MlirBlock block, bool of_function) {
  const bool given = !of_function && is_given_arguments(block);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!stow_check_is_followed(mlirValueGetType(argument)))
      continue;
    add_handle_of(w, argument, true);
    if (!given)
      stow_check_root_find(w->program, argument);
    if (!of_function && stow_check_place_of(w->program, argument).name == STOW_CHECK_NO_NAME)
      stow_check_choice_add(w->program, argument, w->node);
  }
}

static void begin_block(walk *w, level *f) {
  const stow_ordered_block *ordered = &f->order.blocks[f->block++];
  if (!ordered->reachable)
    return;
  open_node(w, stow_map_get(&w->block_node, ordered->block.ptr));
  add_arguments(w, ordered->block, w->levels.count == 1 && f->block == 1);
  f->next = mlirBlockGetFirstOperation(ordered->block);
}

static void end_block(walk *w, MlirOperation terminator) {
  stow_map_add(&w->end_node, terminator.ptr, w->node);
  add_branches(w, terminator);
  w->program->nodes.at[w->node].decides = terminator;
  w->program->nodes.at[w->node].exits =
      w->levels.count == 1 && mlirOperationGetNumSuccessors(terminator) == 0;
}

static bool has_handles(const walk *w, MlirOperation op) {
  bool any = stow_ir_gives(op, stow_check_is_handle);
  if (w->program->handles.count > 0)
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && !any; ++i)
      any = stow_check_handle_of(w->program, mlirOperationGetOperand(op, i)) >= 0;
  return any;
}

// The work that an op starts, whose own accesses are those since `first`; or -1.
static int32_t add_work(walk *w, MlirOperation op, size_t first) {
  stow_check_program *p = w->program;
  if (!(stow_check_kinds(op) & STOW_CHECK_STARTS) ||
      !(stow_ir_gives(op, stow_check_is_handle) || (stow_check_kinds(op) & STOW_CHECK_TRANSFERS)))
    return -1;
  const stow_check_work work = {.op = op,
                                .first_access = first,
                                .access_end = p->accesses.count,
                                .before = w->node,
                                .first_inside = (int32_t)p->nodes.count,
                                .has_body = mlirOperationGetNumRegions(op) > 0};
  return (int32_t)STOW_PUSH(p->works, work);
}

// What stands for work: behind the accesses of the op, which are those since `first`.
static int32_t add_handles(walk *w, MlirOperation op, size_t first) {
  if (!has_handles(w, op) && !(stow_check_kinds(op) & STOW_CHECK_TRANSFERS))
    return -1;
  const int32_t work = add_work(w, op, first);
  stow_check_handles_add(w->program, op, work);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (mlirOperationGetNumRegions(op) == 0)
      add_handle_of(w, mlirOperationGetResult(op, i), false);
  return work;
}

static void end_work(walk *w, const level *f) {
  stow_check_work *work = &w->program->works.at[f->work];
  work->access_end = w->program->accesses.count;
  work->inner_end = (int32_t)w->program->works.count;
  work->after = w->after;
}

static void visit(walk *w, MlirOperation op) {
  uint32_t facts = stow_op_facts(op);
  stow_check_program *p = w->program;
  const size_t first = p->accesses.count;
  p->position++;
  stow_check_effects_add(p, op, facts);
  const int32_t work = add_handles(w, op, first);
  bool nested = mlirOperationGetNumRegions(op) > 0;
  if (nested && !(facts & (STOW_OP_STRUCTURED | STOW_OP_FUNCTION)))
    push(w, op, facts, work);
  else if (facts & STOW_OP_TERMINATOR)
    end_block(w, op);
}

static void leave(walk *w) {
  level f = w->levels.at[--w->levels.count];
  size_t first_source = w->program->sources.count;
  stow_region_order_free(&f.order);
  if (w->levels.count == 0)
    return;
  w->after = add_node(w->program);
  if (f.work >= 0)
    end_work(w, &f);
  add_region_edges(w, &f);
  open_node(w, w->after);
  add_results(w, &f, first_source);
  if (f.facts & STOW_OP_TERMINATOR)
    end_block(w, f.op);
}

static void step(walk *w) {
  level *f = &w->levels.at[w->levels.count - 1];
  if (!mlirOperationIsNull(f->next)) {
    MlirOperation op = f->next;
    f->next = mlirOperationGetNextInBlock(op);
    visit(w, op);
  } else if (f->region >= 0 && f->block < f->order.block_count) {
    begin_block(w, f);
  } else if (f->region + 1 < mlirOperationGetNumRegions(f->op)) {
    ++f->region;
    begin_region(w, f);
  } else {
    leave(w);
  }
}

void stow_check_program_read(stow_check_program *p) {
  walk w = {.program = p, .node = -1};
  push(&w, p->function, STOW_OP_FUNCTION, -1);
  while (w.levels.count > 0)
    step(&w);
  close_node(&w);
  p->out = stow_index_of(STOW_COLUMN(p->edges.at, p->edges.count, from), p->nodes.count);
  p->in = stow_index_of(STOW_COLUMN(p->edges.at, p->edges.count, to), p->nodes.count);
  free(w.levels.at);
  stow_map_free(&w.block_node);
  stow_map_free(&w.end_node);
  stow_check_names_close(p);
  stow_check_assert_program(p);
}
