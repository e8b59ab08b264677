//===- buffers.c - every allocation of a module, and whether to plan it ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/buffers.h"

#include "ir/calls.h"
#include "ir/invariants.h"
#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// One buffer
//===----------------------------------------------------------------------===//

stow_reason stow_reason_of_size(stow_size_status status) {
  switch (status) {
  case STOW_SIZE_OK:
    return STOW_PLANNED;
  case STOW_SIZE_DYNAMIC:
    return STOW_DYNAMIC;
  case STOW_SIZE_LAYOUT:
    return STOW_LAYOUT;
  case STOW_SIZE_ELEMENT:
    return STOW_ELEMENT;
  case STOW_SIZE_OVERFLOW:
    return STOW_TOO_LARGE;
  }
  return STOW_ELEMENT;
}

static stow_reason measure(const stow_layout *layout, const stow_alloc *alloc,
                           const stow_life *life, stow_buffer_fact *fact) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(alloc->op, 0));
  stow_size_status status = stow_memref_size(layout, type, &fact->size, &fact->alignment);
  fact->alignment = stow_larger(stow_alignment_attribute(alloc->op), life->alignment);
  return stow_reason_of_size(status);
}

static bool is_gpu_code(MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (stow_op_traits(op) & STOW_OF_GPU)
      return true;
  return false;
}

// Memory of a workgroup: one buffer for threads whose order only barriers know. Inside GPU code its
// space may also be a number.
static bool is_workgroup_memory(const stow_alloc *alloc) {
  MlirAttribute space = stow_memory_space(mlirValueGetType(mlirOperationGetResult(alloc->op, 0)));
  if (mlirAttributeIsNull(space))
    return false;
  if (mlirAttributeIsAInteger(space))
    return mlirIntegerAttrGetValueInt(space) == 3 && is_gpu_code(alloc->op);
  char *text = stow_attribute_text(space);
  bool workgroup = strstr(text, "orkgroup") != NULL; // #gpu's and #spirv's spelling
  free(text);
  return workgroup;
}

stow_reason stow_reason_of_flow(const stow_flow *flow, const stow_alloc *alloc,
                                const stow_life *life, MlirOperation *blame) {
  const stow_scope *scope = &flow->scopes.at[alloc->scope];
  if (!flow->blocks.at[alloc->block].reachable)
    return STOW_UNREACHABLE;
  if (scope->unordered) {
    *blame = scope->op;
    return STOW_NO_ORDER;
  }
  if (flow->coroutine)
    return STOW_COROUTINE;
  if (is_workgroup_memory(alloc))
    return STOW_WORKGROUP;
  if (life->returned >= 0) {
    *blame = flow->escapes.at[life->returned].op;
    return STOW_RETURNED;
  }
  if (life->escape >= 0) {
    *blame = flow->escapes.at[life->escape].op;
    return flow->escapes.at[life->escape].reason;
  }
  if (life->outermost < flow->nests.at[scope->nest].depth)
    return STOW_LEAVES_SCOPE;
  if (life->carried >= 0)
    return STOW_CARRIED;
  return life->end > scope->terminators ? STOW_IN_TERMINATOR : STOW_PLANNED;
}

static stow_buffer_fact fact_of(const stow_function_memory *memory, size_t index,
                                stow_post_dominance *dominance) {
  const stow_flow *flow = &memory->flow;
  const stow_alloc *alloc = &flow->allocs.at[index];
  const stow_life *life = &memory->lives[alloc->value];
  bool touched = life->begin < life->end;
  stow_buffer_fact fact = {.blame = alloc->op,
                           .begin = touched ? life->begin : alloc->position,
                           .end = touched ? life->end : alloc->position + 1,
                           .deallocated = life->free >= 0};
  fact.reason = measure(&flow->layout, alloc, life, &fact);
  if (fact.reason == STOW_PLANNED)
    fact.reason = stow_reason_of_flow(flow, alloc, life, &fact.blame);
  if (fact.reason == STOW_PLANNED && !touched)
    fact.reason = STOW_UNUSED;
  if (fact.reason == STOW_PLANNED && memory->groups.foreign[memory->groups.of_alloc[index]])
    fact.reason = STOW_SHARED_DEALLOC;
  else if (fact.reason == STOW_PLANNED && fact.deallocated &&
           !stow_freed_on_every_path(flow, memory->lives, index, dominance))
    fact.reason = STOW_CONDITIONAL;
  return fact;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

static void take_pieces(const stow_function_memory *memory, size_t alloc, stow_buffer_fact *fact) {
  fact->pieces = memory->ranges.pieces + memory->ranges.first_piece[alloc];
  fact->piece_count = memory->ranges.first_piece[alloc + 1] - memory->ranges.first_piece[alloc];
  if (fact->piece_count == 0)
    return;
  assert(fact->begin <= fact->pieces[0].begin);
  assert(fact->end >= fact->pieces[fact->piece_count - 1].end);
  fact->begin = fact->pieces[0].begin;
  fact->end = fact->pieces[fact->piece_count - 1].end;
}

static void trace_planned(stow_function_memory *memory, stow_buffer_fact *facts) {
  const stow_flow *flow = &memory->flow;
  bool *planned = stow_allocate(flow->allocs.count, sizeof *planned);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    planned[i] = facts[i].reason == STOW_PLANNED;
  memory->ranges = stow_ranges_of(flow, memory->lives, planned);
  memory->exclusive = stow_exclusive_pairs(flow, &memory->ranges, planned);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    take_pieces(memory, i, &facts[i]);
  for (size_t p = 0; p < memory->exclusive.count; ++p) {
    const stow_pair *pair = &memory->exclusive.at[p];
    facts[pair->first].exclusive = facts[pair->second].exclusive = true;
  }
  free(planned);
}

static void analyse_function(MlirOperation function, const stow_flow_context *context,
                             stow_function_memory *out) {
  stow_flow_read(function, context, &out->flow);
  stow_assert_flow(&out->flow);
  out->lives = stow_live(&out->flow);
  stow_assert_lives(&out->flow, out->lives);
  out->groups = stow_group_deallocs(&out->flow);
  stow_buffer_fact *facts = stow_allocate(out->flow.allocs.count, sizeof *facts);
  stow_post_dominance *dominance = stow_post_dominance_create(function);
  for (size_t i = 0; i < out->flow.allocs.count; ++i)
    facts[i] = fact_of(out, i, dominance);
  stow_post_dominance_destroy(dominance);
  trace_planned(out, facts);
  out->buffers = facts;
  stow_assert_memory(out);
}

static stow_summary summarise(const stow_function_memory *memory) {
  const stow_flow *flow = &memory->flow;
  MlirBlock entry = mlirRegionGetFirstBlock(flow->body);
  size_t count = (size_t)mlirBlockGetNumArguments(entry);
  stow_argument *arguments = stow_allocate(count, sizeof *arguments);
  for (size_t i = 0; i < count; ++i) {
    int32_t value = stow_map_get(&flow->index, mlirBlockGetArgument(entry, (intptr_t)i).ptr);
    if (value < 0)
      continue;
    const stow_life *life = &memory->lives[value];
    arguments[i] =
        (stow_argument){life->escape >= 0, life->free >= 0, life->returned >= 0, life->alignment};
  }
  return (stow_summary){
      .keeps_all = flow->coroutine, .argument_count = count, .arguments = arguments};
}

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

typedef struct analysis {
  stow_calls calls;
  stow_summary *summaries; // per function
  bool *done;
} analysis;

static const stow_summary KEEPS_ALL = {.keeps_all = true};

static const stow_summary *summary_of_callee(void *user, MlirOperation call) {
  const analysis *a = user;
  int32_t callee = stow_called(&a->calls, call);
  if (callee < 0)
    return NULL;
  return a->done[callee] ? &a->summaries[callee] : &KEEPS_ALL;
}

static bool borrows(void *user, MlirOperation call, intptr_t argument) {
  return stow_call_borrows(&((const analysis *)user)->calls, call, argument);
}

static stow_module_memory memory_of(MlirOperation module, stow_unknown_ops unknown_ops,
                                    bool stack) {
  analysis a = {.calls = stow_calls_of(module)};
  size_t count = a.calls.function_count;
  const stow_flow_context context = {.unknown_ops = unknown_ops,
                                     .stack = stack,
                                     .callee = summary_of_callee,
                                     .borrows = borrows,
                                     .user = &a};
  stow_function_memory *functions = stow_allocate(count, sizeof *functions);
  a.summaries = stow_allocate(count, sizeof *a.summaries);
  a.done = stow_allocate(count, sizeof *a.done);
  for (size_t i = 0; i < count; ++i) {
    int32_t f = a.calls.order[i];
    analyse_function(a.calls.functions[f], &context, &functions[f]);
    a.summaries[f] = summarise(&functions[f]);
    a.done[f] = true;
  }
  for (size_t f = 0; f < count; ++f)
    free((void *)a.summaries[f].arguments);
  free(a.summaries), free(a.done);
  stow_calls_free(&a.calls);
  return (stow_module_memory){functions, count};
}

stow_module_memory stow_module_memory_of(MlirOperation module, stow_unknown_ops unknown_ops) {
  return memory_of(module, unknown_ops, false);
}

stow_module_memory stow_module_memory_with_stack(MlirOperation module,
                                                 stow_unknown_ops unknown_ops) {
  return memory_of(module, unknown_ops, true);
}

void stow_module_memory_free(stow_module_memory *memory) {
  for (size_t f = 0; f < memory->function_count; ++f) {
    stow_function_memory *function = (stow_function_memory *)&memory->functions[f];
    stow_flow_free(&function->flow);
    free((void *)function->lives), free((void *)function->buffers);
    free(function->exclusive.at);
    stow_ranges_free(&function->ranges);
    stow_dealloc_groups_free(&function->groups);
  }
  free((void *)memory->functions);
  *memory = (stow_module_memory){0};
}
