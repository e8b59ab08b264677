//===- buffers.c - every allocation of a module, and whether to plan it ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/buffers.h"

#include "ir/invariants.h"
#include "ir/limits.h"
#include "ir/streams.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// One buffer
//===----------------------------------------------------------------------===//

stow_reason stow_reason_of_size(stow_size_status status) {
  switch (status) {
  case STOW_SIZE_OK:
    return STOW_PLANNED;
  case STOW_SIZE_DYNAMIC:
    return STOW_DYNAMIC;
  case STOW_SIZE_UNBOUNDED:
    return STOW_UNBOUNDED;
  case STOW_SIZE_LAYOUT:
    return STOW_LAYOUT;
  case STOW_SIZE_ELEMENT:
    return STOW_ELEMENT;
  case STOW_SIZE_OVERFLOW:
    return STOW_TOO_LARGE;
  }
  return STOW_ELEMENT;
}

// A size that is known at run time only, as a formula or as its upper bound.
static stow_size_status measure_dynamic(const stow_function_memory *memory, const stow_alloc *alloc,
                                        stow_extent *out) {
  uint64_t unit, alignment;
  if (!memory->extents || !mlirTypeIsAMemRef(alloc->type))
    return STOW_SIZE_DYNAMIC;
  const stow_size_status status =
      stow_ir_memref_unit(&memory->flow.layout, alloc->type, &unit, &alignment);
  if (status != STOW_SIZE_OK)
    return status;
  out->formula = stow_ir_asserted_extent(memory->extents, alloc->op, unit);
  if (out->formula == STOW_NO_FORMULA)
    return STOW_SIZE_DYNAMIC;
  if (!memory->extents->bound)
    return STOW_SIZE_OK;
  int64_t low, high;
  stow_formula_range(memory->extents->formulas, out->formula, &low, &high);
  if (high > STOW_EXTENTS_MOST_BOUND)
    return STOW_SIZE_UNBOUNDED;
  *out = (stow_extent){.known = true, .bytes = (uint64_t)high};
  return STOW_SIZE_OK;
}

// What a type says of its size. A type is one object, whoever has it: few are asked about.
typedef struct measured {
  stow_size_status status;
  stow_extent size;
} measured;

typedef struct type_sizes {
  stow_map index; // of types
  STOW_ARRAY(measured) known;
} type_sizes;

static measured size_of_type(type_sizes *sizes, const stow_layout *layout, MlirType type) {
  const int32_t known = stow_map_get(&sizes->index, type.ptr);
  if (known >= 0)
    return sizes->known.at[known];
  measured m;
  uint64_t alignment;
  m.status = stow_ir_memref_size(layout, type, &m.size, &alignment);
  stow_map_add(&sizes->index, type.ptr, (int32_t)STOW_PUSH(sizes->known, m));
  return m;
}

static stow_reason measure(const stow_function_memory *memory, const stow_alloc *alloc,
                           const stow_life *life, type_sizes *sizes, stow_buffer_fact *fact) {
  const measured by_type = size_of_type(sizes, &memory->flow.layout, alloc->type);
  stow_size_status status = by_type.status;
  fact->size = by_type.size;
  fact->alignment = stow_ir_larger(alloc->alignment, life->alignment);
  if (status == STOW_SIZE_DYNAMIC && alloc->on_device)
    return STOW_DEVICE_DYNAMIC;
  if (status == STOW_SIZE_DYNAMIC)
    status = measure_dynamic(memory, alloc, &fact->size);
  return stow_reason_of_size(status);
}

static bool is_gpu_code(MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (stow_ir_op_traits(op) & STOW_OF_GPU)
      return true;
  return false;
}

// Memory of a workgroup: one buffer for threads whose order only barriers know. A number says so
// inside of GPU code.
static bool is_workgroup_memory(const stow_alloc *alloc) {
  const MlirAttribute space = stow_ir_memory_space(alloc->type);
  return stow_ir_is_workgroup_space(space) &&
         (!mlirAttributeIsAInteger(space) || is_gpu_code(alloc->op));
}

// By a token, and by no loop but that which allocates it.
static bool is_carried_in_order(const stow_flow *flow, const stow_alloc *alloc,
                                const stow_life *life) {
  return life->carried == flow->values.at[alloc->value].nest &&
         stow_ir_stream_is_carried(flow, (size_t)(alloc - flow->allocs.at));
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
  if (stow_ir_is_manual(alloc->op))
    return STOW_MANUAL;
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
  if (life->carried >= 0 && !is_carried_in_order(flow, alloc, life))
    return STOW_CARRIED;
  return life->end > scope->terminators ? STOW_IN_TERMINATOR : STOW_PLANNED;
}

static stow_buffer_fact fact_of(const stow_function_memory *memory, size_t index,
                                stow_post_dominance *dominance, type_sizes *sizes) {
  const stow_flow *flow = &memory->flow;
  const stow_alloc *alloc = &flow->allocs.at[index];
  const stow_life *life = &memory->lives[alloc->value];
  bool touched = life->begin < life->end;
  stow_buffer_fact fact = {.blame = alloc->op,
                           .begin = touched ? life->begin : alloc->position,
                           .end = touched ? life->end : alloc->position + 1,
                           .deallocated = life->free >= 0};
  fact.reason = measure(memory, alloc, life, sizes, &fact);
  if (fact.reason == STOW_PLANNED)
    fact.reason = stow_reason_of_flow(flow, alloc, life, &fact.blame);
  if (fact.reason == STOW_PLANNED && !touched)
    fact.reason = STOW_UNUSED;
  if (fact.reason == STOW_PLANNED && memory->groups.foreign[memory->groups.of_alloc[index]])
    fact.reason = STOW_SHARED_DEALLOC;
  else if (fact.reason == STOW_PLANNED && fact.deallocated &&
           !stow_ir_freed_on_every_path(flow, memory->lives, index, dominance))
    fact.reason = STOW_CONDITIONAL;
  return fact;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

static void point_to_pieces(stow_buffer_fact *fact, const stow_live_piece *pieces,
                            const size_t *first) {
  fact->pieces = pieces + first[0];
  fact->piece_count = first[1] - first[0];
}

static void take_pieces(const stow_function_memory *memory, size_t alloc, stow_buffer_fact *fact) {
  point_to_pieces(fact, memory->marked.pieces.at, memory->marked.first_piece + alloc);
  if (fact->piece_count == 0)
    point_to_pieces(fact, memory->ranges.pieces.at, memory->ranges.first_piece + alloc);
  if (fact->piece_count == 0)
    return;
  assert(fact->begin <= fact->pieces[0].begin);
  assert(fact->end >= fact->pieces[fact->piece_count - 1].end);
  fact->begin = fact->pieces[0].begin;
  fact->end = fact->pieces[fact->piece_count - 1].end;
}

static stow_marked_lives read_marked(const stow_function_memory *memory,
                                     const stow_buffer_fact *facts) {
  const size_t count = memory->flow.allocs.count;
  uint64_t *sizes = stow_ir_allocate(count, sizeof *sizes);
  for (size_t i = 0; i < count; ++i)
    sizes[i] = facts[i].reason == STOW_PLANNED && facts[i].size.known ? facts[i].size.bytes : 0;
  const stow_marked_lives marked = stow_marked_lives_of(&memory->flow, &memory->ranges, sizes);
  free(sizes);
  return marked;
}

static void trace_planned(stow_function_memory *memory, stow_buffer_fact *facts) {
  const stow_flow *flow = &memory->flow;
  bool *planned = stow_ir_allocate(flow->allocs.count, sizeof *planned);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    planned[i] = facts[i].reason == STOW_PLANNED;
  memory->ranges = stow_ranges_of(flow, memory->lives, planned);
  memory->exclusive = stow_ir_exclusive_pairs(flow, &memory->ranges, planned);
  stow_ir_order_streams(flow, planned, &memory->ranges, &memory->exclusive);
  memory->marked = read_marked(memory, facts);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    take_pieces(memory, i, &facts[i]);
  STOW_EACH(const stow_pair, pair, memory->exclusive)
    facts[pair->first].exclusive = facts[pair->second].exclusive = true;
  free(planned);
}

static void read_function(MlirOperation function, const stow_flow_context *context,
                          stow_function_memory *out) {
  stow_flow_read(function, context, &out->flow);
  stow_ir_assert_flow(&out->flow);
  out->lives = stow_ir_live(&out->flow);
  stow_ir_assert_lives(&out->flow, out->lives);
}

static void forget_function(stow_function_memory *function) {
  stow_flow_free(&function->flow);
  free((void *)function->lives);
}

// Of what was read.
static void analyse_function(stow_function_memory *out, stow_dynamic_sizes dynamic) {
  out->groups = stow_ir_group_deallocs(&out->flow);
  if (dynamic != STOW_DYNAMIC_OFF) {
    out->extents =
        stow_extents_create(out->flow.function, &out->flow.layout, dynamic == STOW_DYNAMIC_BOUND);
    stow_ir_read_assertions(out->extents);
  }
  stow_buffer_fact *facts = stow_ir_allocate(out->flow.allocs.count, sizeof *facts);
  stow_post_dominance *dominance = stow_post_dominance_create(out->flow.function);
  type_sizes sizes = {0};
  for (size_t i = 0; i < out->flow.allocs.count; ++i)
    facts[i] = fact_of(out, i, dominance, &sizes);
  stow_map_free(&sizes.index);
  free(sizes.known.at);
  stow_post_dominance_destroy(dominance);
  trace_planned(out, facts);
  out->buffers = facts;
  stow_ir_assert_memory(out);
}

//===----------------------------------------------------------------------===//
// What functions do with their arguments
//===----------------------------------------------------------------------===//

// A summary of a function that does nothing.
static stow_summary summary_of_nothing(MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  size_t count = (size_t)mlirBlockGetNumArguments(entry);
  return (stow_summary){.argument_count = count,
                        .arguments = stow_ir_allocate(count, sizeof(stow_argument))};
}

// True where more is known by then than before.
static bool learn_argument(stow_argument *known, stow_argument found) {
  const stow_argument before = *known;
  known->escapes |= found.escapes;
  known->freed |= found.freed;
  known->returned |= found.returned;
  known->cloned |= found.cloned;
  known->alignment = stow_ir_larger(known->alignment, found.alignment);
  return known->escapes != before.escapes || known->freed != before.freed ||
         known->returned != before.returned || known->cloned != before.cloned ||
         known->alignment != before.alignment;
}

static void join(stow_summary *known, const stow_summary *found) {
  known->keeps_all |= found->keeps_all;
  known->allocates |= found->allocates;
  for (size_t i = 0; i < known->argument_count && i < found->argument_count; ++i)
    learn_argument(&known->arguments[i], found->arguments[i]);
}

// By value: whether a clone of it may be returned. NULL where nothing is cloned.
static bool *returned_as_clones(const stow_function_memory *memory) {
  const stow_flow *flow = &memory->flow;
  if (flow->clones.count == 0)
    return NULL;
  STOW_ARRAY(stow_jump) origins = {0};
  bool *cloned = stow_ir_allocate(flow->values.count, sizeof *cloned);
  for (size_t e = 0; e < flow->edges.count; ++e)
    STOW_PUSH(origins, (stow_jump){flow->edges.at[e].to, flow->edges.at[e].from});
  STOW_EACH(const stow_jump, clone, flow->clones) {
    STOW_PUSH(origins, (stow_jump){clone->to, clone->from});
    cloned[clone->from] |= memory->lives[clone->to].returned >= 0;
  }
  stow_index sources = stow_ir_successors_of(origins.at, origins.count, flow->values.count);
  stow_ir_mark_reached(&sources, flow->values.count, cloned);
  stow_index_free(&sources);
  free(origins.at);
  return cloned;
}

// `allocates`: whether a function that it calls does.
static bool learn(stow_summary *known, const stow_function_memory *memory, bool allocates) {
  const stow_flow *flow = &memory->flow;
  MlirBlock entry = mlirRegionGetFirstBlock(flow->body);
  allocates |= flow->allocs.count > 0;
  bool grows = (flow->coroutine && !known->keeps_all) || (allocates && !known->allocates);
  known->keeps_all |= flow->coroutine;
  known->allocates |= allocates;
  bool *cloned = returned_as_clones(memory);
  for (size_t i = 0; i < known->argument_count; ++i) {
    int32_t value = stow_map_get(&flow->index, mlirBlockGetArgument(entry, (intptr_t)i).ptr);
    if (value < 0)
      continue;
    const stow_life *life = &memory->lives[value];
    const stow_argument found = {.escapes = life->escape >= 0,
                                 .freed = life->free >= 0,
                                 .returned = life->returned >= 0,
                                 .cloned = cloned && cloned[value],
                                 .alignment = life->alignment};
    grows |= learn_argument(&known->arguments[i], found);
  }
  free(cloned);
  return grows;
}

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

struct stow_reader {
  const stow_calls *calls;
  stow_summary *summaries;  // per function
  stow_summary *of_pointed; // per leader of calls->alike: of all that one call by address may call
  stow_function_memory *functions;
  stow_flow_context context;
  int32_t component; // that is read
  bool recursive;    // it calls itself
  bool allocates;    // the function that is read calls one that does
  stow_dynamic_sizes dynamic;
};

typedef struct stow_reader analysis;

// Of the functions that a call by address may call the first, or -1: none has a body.
static int32_t leader_by_address(const stow_calls *calls, MlirOperation call) {
  const int32_t number = stow_ir_call_by_address(calls, call);
  if (number < 0 || calls->callees.first[number] == calls->callees.first[number + 1])
    return -1;
  return calls->alike[calls->callees.items[calls->callees.first[number]]];
}

static const stow_summary *summary_of_callee(void *user, MlirOperation call, bool *others) {
  analysis *a = user;
  int32_t callee = stow_ir_called(a->calls, call);
  const stow_summary *summaries = a->summaries;
  if (callee < 0) {
    *others = true;
    callee = leader_by_address(a->calls, call);
    summaries = a->of_pointed;
  }
  if (callee < 0)
    return NULL;
  assert(a->calls->components.of_node[callee] <= a->component);
  a->recursive |= a->calls->components.of_node[callee] == a->component;
  a->allocates |= summaries[callee].allocates;
  return &summaries[callee];
}

static bool borrows(void *user, MlirOperation call, intptr_t argument) {
  return stow_ir_call_borrows(((const analysis *)user)->calls, call, argument);
}

static void read_member(analysis *a, int32_t function, stow_function_memory *out) {
  a->allocates = false;
  a->context.op_count = a->calls->op_counts[function];
  read_function(a->calls->functions[function], &a->context, out);
}

static bool learn_member(analysis *a, int32_t function, const stow_function_memory *memory) {
  const bool grows = learn(&a->summaries[function], memory, a->allocates);
  join(&a->of_pointed[a->calls->alike[function]], &a->summaries[function]);
  return grows;
}

static void keep_all(analysis *a, int32_t function) {
  a->summaries[function].keeps_all = true;
  a->of_pointed[a->calls->alike[function]].keeps_all = true;
}

// True where a function of the component does more than was known when the others were read.
static bool read_component(analysis *a) {
  const stow_components *components = &a->calls->components;
  bool grows = false;
  for (int32_t i = components->first[a->component]; i < components->first[a->component + 1]; ++i) {
    int32_t f = components->members[i];
    forget_function(&a->functions[f]);
    read_member(a, f, &a->functions[f]);
    grows |= learn_member(a, f, &a->functions[f]);
  }
  return grows && a->recursive;
}

// The least summaries that are true of functions that call each other: at first, they do nothing.
static void settle_component(analysis *a) {
  const stow_components *components = &a->calls->components;
  bool grows = true;
  for (int32_t round = 0; grows && round < STOW_BUFFERS_MOST_ROUNDS; ++round)
    grows = read_component(a);
  if (!grows)
    return;
  for (int32_t i = components->first[a->component]; i < components->first[a->component + 1]; ++i)
    keep_all(a, components->members[i]);
  read_component(a);
}

// Reads all functions, callees first.
static void read_all(analysis *a, const stow_calls *calls, stow_unknown_ops unknown_ops,
                     unsigned more_allocs) {
  const size_t count = calls->function_count;
  a->calls = calls;
  a->context = (stow_flow_context){.unknown_ops = unknown_ops,
                                   .more_allocs = more_allocs,
                                   .callee = summary_of_callee,
                                   .borrows = borrows,
                                   .user = a,
                                   .names = calls->names};
  a->functions = stow_ir_allocate(count, sizeof *a->functions);
  a->summaries = stow_ir_allocate(count, sizeof *a->summaries);
  a->of_pointed = stow_ir_allocate(count, sizeof *a->of_pointed);
  for (size_t f = 0; f < count; ++f) {
    a->summaries[f] = summary_of_nothing(calls->functions[f]);
    a->of_pointed[f] = summary_of_nothing(calls->functions[f]);
  }
  for (; a->component < calls->components.count; ++a->component) {
    a->recursive = false;
    settle_component(a);
  }
}

static void free_summaries(analysis *a) {
  for (size_t f = 0; f < a->calls->function_count; ++f) {
    free(a->summaries[f].arguments);
    free(a->of_pointed[f].arguments);
  }
  free(a->summaries);
  free(a->of_pointed);
}

stow_module_memory stow_module_memory_with_dynamic(MlirOperation module,
                                                   stow_unknown_ops unknown_ops,
                                                   unsigned more_allocs,
                                                   stow_dynamic_sizes dynamic) {
  stow_calls *calls = stow_ir_allocate(1, sizeof *calls);
  *calls = stow_calls_of(module);
  analysis a = {0};
  read_all(&a, calls, unknown_ops, more_allocs);
  for (size_t f = 0; f < calls->function_count; ++f) {
    a.functions[f].number = f;
    a.functions[f].allocates = a.summaries[f].allocates;
    analyse_function(&a.functions[f], dynamic);
  }
  free_summaries(&a);
  return (stow_module_memory){a.functions, calls->function_count, calls};
}

stow_module_memory stow_module_memory_of(MlirOperation module, stow_unknown_ops unknown_ops) {
  return stow_module_memory_with_dynamic(module, unknown_ops, 0, STOW_DYNAMIC_OFF);
}

stow_module_memory stow_module_memory_with_stack(MlirOperation module,
                                                 stow_unknown_ops unknown_ops) {
  return stow_module_memory_with_dynamic(module, unknown_ops, STOW_STACK_ALLOCS, STOW_DYNAMIC_OFF);
}

void stow_module_memory_free(stow_module_memory *memory) {
  for (size_t f = 0; f < memory->function_count; ++f) {
    stow_function_memory *function = (stow_function_memory *)&memory->functions[f];
    forget_function(function);
    free((void *)function->buffers);
    free(function->exclusive.at);
    stow_ranges_free(&function->ranges);
    stow_marked_lives_free(&function->marked);
    stow_ir_dealloc_groups_free(&function->groups);
    stow_extents_free(function->extents);
  }
  free((void *)memory->functions);
  if (memory->calls)
    stow_calls_free(memory->calls);
  free(memory->calls);
  *memory = (stow_module_memory){0};
}

//===----------------------------------------------------------------------===//
// Some functions at a time
//===----------------------------------------------------------------------===//

stow_reader *stow_reader_create(const stow_calls *calls, stow_unknown_ops unknown_ops,
                                unsigned more_allocs, stow_dynamic_sizes dynamic) {
  stow_reader *reader = stow_ir_allocate(1, sizeof *reader);
  reader->dynamic = dynamic;
  read_all(reader, calls, unknown_ops, more_allocs);
  for (size_t f = 0; f < calls->function_count; ++f)
    forget_function(&reader->functions[f]);
  free(reader->functions);
  return reader;
}

void stow_reader_free(stow_reader *reader) {
  if (reader)
    free_summaries(reader);
  free(reader);
}

stow_module_memory stow_ir_read_functions(stow_reader *reader, const int32_t *functions,
                                          size_t count) {
  stow_function_memory *read = stow_ir_allocate(count, sizeof *read);
  for (size_t i = 0; i < count; ++i) {
    read[i].number = (size_t)functions[i];
    read[i].allocates = reader->summaries[functions[i]].allocates;
    reader->component = reader->calls->components.of_node[functions[i]];
    read_member(reader, functions[i], &read[i]);
    analyse_function(&read[i], reader->dynamic);
  }
  return (stow_module_memory){read, count, NULL};
}

void stow_ir_read_again(stow_reader *reader, int32_t function) {
  stow_function_memory memory = {0};
  stow_summary *summary = &reader->summaries[function];
  free(summary->arguments);
  *summary = summary_of_nothing(reader->calls->functions[function]);
  reader->component = reader->calls->components.of_node[function];
  reader->recursive = false;
  read_member(reader, function, &memory);
  learn_member(reader, function, &memory);
  assert(!reader->recursive);
  forget_function(&memory);
}

bool stow_reader_allocates(const stow_reader *reader, int32_t function) {
  return reader->summaries[function].allocates;
}
