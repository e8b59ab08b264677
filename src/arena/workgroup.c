//===- workgroup.c - the shared memory of a GPU kernel ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

#include "arena/barriers.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// What LLVM aligns an array in shared memory to, and vector accesses rely on.
enum { LEAST_ALIGNMENT = 16 };

static MlirAttribute attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

//===----------------------------------------------------------------------===//
// Attributions
//===----------------------------------------------------------------------===//

static size_t attribution_count(MlirOperation kernel) {
  MlirAttribute count = attribute(kernel, "workgroup_attributions");
  return mlirAttributeIsNull(count) ? 0 : (size_t)mlirIntegerAttrGetValueInt(count);
}

// A launch's body has the places and sizes of blocks and threads first, and of clusters.
static intptr_t first_attribution(MlirOperation kernel) {
  enum { CLUSTER_SEGMENT = 7 };
  if (stow_op_is(kernel, "gpu.func"))
    return mlirFunctionTypeGetNumInputs(mlirTypeAttrGetValue(attribute(kernel, "function_type")));
  MlirAttribute segments = attribute(kernel, "operandSegmentSizes");
  return mlirDenseI32ArrayGetElement(segments, CLUSTER_SEGMENT) > 0 ? 18 : 12;
}

// The dictionary of attributes of one attribution, or null. Only a gpu.func has such.
static MlirAttribute attributes_of(const stow_kernel *kernel, size_t index) {
  MlirAttribute all = attribute(kernel->op, "workgroup_attrib_attrs");
  if (mlirAttributeIsNull(all) || (intptr_t)index >= mlirArrayAttrGetNumElements(all))
    return mlirAttributeGetNull();
  return mlirArrayAttrGetElement(all, (intptr_t)index);
}

// Takes over the alignment, and tells whether nothing else is said.
static bool says_alignment_at_most(MlirAttribute attributes, uint64_t *alignment) {
  if (mlirAttributeIsNull(attributes))
    return true;
  MlirAttribute align =
      mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString("llvm.align"));
  bool known = !mlirAttributeIsNull(align) && mlirAttributeIsAInteger(align);
  int64_t bytes = known ? mlirIntegerAttrGetValueInt(align) : 1;
  if (bytes <= 0 || (bytes & (bytes - 1)))
    return false;
  *alignment = stow_larger(*alignment, (uint64_t)bytes);
  return mlirDictionaryAttrGetNumElements(attributes) == known;
}

static stow_reason reason_of_life(const stow_flow *flow, const stow_scope *kernel,
                                  const stow_life *life, MlirOperation *blame) {
  if (life->returned >= 0 || life->escape >= 0) {
    int32_t escape = life->escape >= 0 ? life->escape : life->returned;
    *blame = flow->escapes[escape].op;
    return flow->escapes[escape].reason;
  }
  if (life->free >= 0) {
    *blame = flow->frees[life->free].op;
    return STOW_FREED_BY;
  }
  if (life->outermost < flow->nests[kernel->nest].depth)
    return STOW_LEAVES_SCOPE;
  return life->begin < life->end ? STOW_PLANNED : STOW_UNUSED;
}

static void measure(const stow_kernel *kernel, const stow_layout *layout, size_t index,
                    stow_attribution *a) {
  MlirType type = mlirValueGetType(a->value);
  stow_size_status status = stow_memref_size(layout, type, &a->size, &a->alignment);
  a->size_known = status == STOW_SIZE_OK;
  a->alignment = stow_larger(a->size_known ? a->alignment : 1, LEAST_ALIGNMENT);
  a->reason = stow_reason_of_size(status);
  bool plain = says_alignment_at_most(attributes_of(kernel, index), &a->alignment);
  if (a->reason == STOW_PLANNED && !plain)
    a->reason = STOW_ATTRIBUTES;
}

static stow_reason reason_of_options(const stow_reuse_options *options, const stow_attribution *a) {
  if (!stow_space_is_asked_for(options, a->space))
    return STOW_OTHER_SPACE;
  if (a->size < options->min_size)
    return STOW_SMALL;
  return a->size == 0 ? STOW_EMPTY : STOW_PLANNED;
}

static void read_life(const stow_function_memory *memory, const stow_scope *scope,
                      const stow_steps *steps, stow_attribution *a) {
  int32_t value = stow_map_get(&memory->flow.index, a->value.ptr);
  if (value < 0) {
    a->reason = STOW_UNUSED;
    return;
  }
  const stow_life *life = &memory->lives[value];
  a->reason = reason_of_life(&memory->flow, scope, life, &a->blame);
  a->alignment = stow_larger(a->alignment, life->alignment);
  if (a->reason != STOW_PLANNED)
    return;
  a->begin = stow_step_at(steps, life->begin);
  a->end = stow_step_at(steps, life->end - 1) + 1;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// What has to be read of a function once, where it has kernels.
typedef struct reading {
  const stow_function_memory *memory;
  stow_layout layout;
  int32_t *loops;
  stow_post_dominance *dominance;
} reading;

// What keeps all of a kernel's attributions from being merged.
static stow_reason reason_of_kernel(const reading *r, const stow_scope *scope,
                                    const stow_steps *steps) {
  if (stow_op_is(scope->op, "gpu.func") && mlirAttributeIsNull(attribute(scope->op, "gpu.kernel")))
    return STOW_NO_KERNEL;
  if (scope->unordered)
    return STOW_NO_ORDER;
  if (r->memory->flow.coroutine)
    return STOW_COROUTINE;
  return mlirOperationIsNull(steps->divergent) ? STOW_PLANNED : STOW_DIVERGENT;
}

static void read_attributions(const stow_arenas *arenas, const reading *r, const stow_scope *scope,
                              stow_kernel *kernel) {
  stow_steps steps = stow_steps_of(&r->memory->flow, scope, r->loops, r->dominance);
  stow_reason reason = reason_of_kernel(r, scope, &steps);
  MlirBlock entry = mlirRegionGetFirstBlock(kernel->body);
  for (size_t i = 0; i < kernel->count; ++i) {
    stow_attribution *a = &kernel->attributions[i];
    a->argument = kernel->first_attribution + (intptr_t)i;
    a->value = mlirBlockGetArgument(entry, a->argument);
    a->space = stow_memory_space(mlirValueGetType(a->value));
    a->blame = reason == STOW_DIVERGENT ? steps.divergent : kernel->op;
    measure(kernel, &r->layout, i, a);
    if (a->reason == STOW_PLANNED)
      a->reason = reason_of_options(&arenas->options, a);
    if (a->reason == STOW_PLANNED)
      a->reason = reason;
    if (a->reason == STOW_PLANNED)
      read_life(r->memory, scope, &steps, a);
  }
  free(steps.barriers);
}

static void read_kernel(stow_arenas *arenas, const reading *r, const stow_scope *scope) {
  stow_kernel kernel = {.op = scope->op,
                        .body = scope->region,
                        .function = r->memory->flow.function,
                        .first_attribution = first_attribution(scope->op),
                        .count = attribution_count(scope->op)};
  kernel.attributions = stow_allocate(kernel.count, sizeof *kernel.attributions);
  kernel.merged = stow_allocate(kernel.count, sizeof *kernel.merged);
  read_attributions(arenas, r, scope, &kernel);
  arenas->kernels = stow_grow(arenas->kernels, arenas->kernel_count, &arenas->kernel_capacity,
                              sizeof *arenas->kernels);
  arenas->kernels[arenas->kernel_count++] = kernel;
}

static bool is_kernel(const stow_scope *scope) {
  return (stow_op_is(scope->op, "gpu.func") || stow_op_is(scope->op, "gpu.launch")) &&
         attribution_count(scope->op) > 0;
}

static void read_function(stow_arenas *arenas, const stow_function_memory *memory) {
  reading r = {.memory = memory};
  for (size_t s = 0; s < memory->flow.scope_count; ++s) {
    const stow_scope *scope = &memory->flow.scopes[s];
    if (!is_kernel(scope))
      continue;
    if (!r.loops) {
      r.layout = stow_layout_at(memory->flow.function);
      r.loops = stow_block_loops(&memory->flow);
      r.dominance = stow_post_dominance_create(memory->flow.function);
    }
    read_kernel(arenas, &r, scope);
  }
  free(r.loops);
  if (r.dominance)
    stow_post_dominance_destroy(r.dominance);
}

void stow_kernels_free(stow_arenas *arenas) {
  for (size_t k = 0; k < arenas->kernel_count; ++k)
    free(arenas->kernels[k].attributions), free(arenas->kernels[k].merged);
  free(arenas->kernels);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static bool is_planned_in(const stow_attribution *a, MlirAttribute space) {
  return a->reason == STOW_PLANNED && mlirAttributeEqual(a->space, space);
}

static void leave_alone(stow_kernel *kernel, MlirAttribute space, stow_reason reason) {
  for (size_t i = 0; i < kernel->count; ++i)
    if (is_planned_in(&kernel->attributions[i], space))
      kernel->attributions[i].reason = reason;
}

// Of lives that are ranges, one is disjoint from some other where it ends before the last begins or
// begins after the first has ended.
static void drop_partnerless(stow_kernel *kernel, MlirAttribute space) {
  int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (!is_planned_in(a, space))
      continue;
    first_end = a->end < first_end ? a->end : first_end;
    last_begin = a->begin > last_begin ? a->begin : last_begin;
  }
  for (size_t i = 0; i < kernel->count; ++i) {
    stow_attribution *a = &kernel->attributions[i];
    if (is_planned_in(a, space) && a->end > last_begin && a->begin < first_end)
      a->reason = STOW_NO_PARTNER;
  }
}

// A gpu.func says how its attributions are aligned. A gpu.launch cannot, so there the first aligned
// byte is found at run time.
static void choose_padding(const stow_kernel *kernel, stow_merged *merged) {
  merged->padding = stow_op_is(kernel->op, "gpu.launch") ? merged->alignment - 1 : 0;
}

static bool holds(const stow_problem *problem, const uint64_t *offsets, uint64_t size) {
  stow_fault fault;
  return stow_verify(problem, offsets, size, &fault) == STOW_OK && fault.kind == STOW_FAULT_NONE;
}

static size_t list_buffers(const stow_kernel *kernel, stow_merged *merged, stow_buffer *buffers) {
  size_t count = 0;
  merged->alignment = LEAST_ALIGNMENT;
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (!is_planned_in(a, merged->space))
      continue;
    merged->alignment = stow_larger(merged->alignment, a->alignment);
    merged->apart += a->size;
    buffers[count++] = (stow_buffer){a->size, a->alignment, a->begin, a->end};
  }
  return count;
}

static void take_offsets(stow_kernel *kernel, MlirAttribute space, const uint64_t *offsets) {
  for (size_t i = 0, next = 0; i < kernel->count; ++i)
    if (is_planned_in(&kernel->attributions[i], space))
      kernel->attributions[i].offset = offsets[next++];
}

// Plans the attributions of one space, whose lives have partners.
static stow_merged plan_space(const stow_arenas *arenas, stow_kernel *kernel, MlirAttribute space) {
  stow_merged merged = {.space = space};
  stow_buffer *buffers = stow_allocate(kernel->count, sizeof *buffers);
  uint64_t *offsets = stow_allocate(kernel->count, sizeof *offsets), load;
  merged.count = list_buffers(kernel, &merged, buffers);
  const stow_problem problem = STOW_PROBLEM(buffers, merged.count);
  const stow_plan_options options = {.strategy = arenas->options.strategy,
                                     .max_effort = arenas->options.planner_effort};
  stow_plan_result result;
  stow_status status = stow_plan(&problem, &options, offsets, &result);
  if (status == STOW_NO_MEMORY || stow_load(&problem, &load, &merged.peak) == STOW_NO_MEMORY)
    stow_out_of_memory();
  choose_padding(kernel, &merged);
  if (status != STOW_OK || !holds(&problem, offsets, result.arena_size) ||
      result.arena_size + merged.padding >= merged.apart)
    merged.count = 0;
  else
    merged.size = result.arena_size + merged.padding, take_offsets(kernel, space, offsets);
  free(buffers), free(offsets);
  return merged;
}

static void plan_kernel(const stow_arenas *arenas, stow_kernel *kernel) {
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    bool known = false;
    for (size_t m = 0; m < kernel->merged_count; ++m)
      known |= mlirAttributeEqual(kernel->merged[m].space, a->space);
    if (a->reason != STOW_PLANNED || known)
      continue;
    drop_partnerless(kernel, a->space);
    if (a->reason != STOW_PLANNED)
      continue;
    stow_merged merged = plan_space(arenas, kernel, a->space);
    if (merged.count > 0)
      kernel->merged[kernel->merged_count++] = merged;
    else
      leave_alone(kernel, a->space, STOW_NO_GAIN);
  }
}

//===----------------------------------------------------------------------===//
// Capacity
//===----------------------------------------------------------------------===//

static void add_saturating(uint64_t *sum, uint64_t bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum))
    *sum = UINT64_MAX;
}

static uint64_t bytes_of(const stow_kernel *kernel) {
  uint64_t sum = 0;
  for (size_t m = 0; m < kernel->merged_count; ++m)
    add_saturating(&sum, kernel->merged[m].size);
  for (size_t i = 0; i < kernel->count; ++i)
    if (kernel->attributions[i].reason != STOW_PLANNED)
      add_saturating(&sum, kernel->attributions[i].size);
  return sum;
}

static bool is_at_peak(const stow_kernel *kernel, const stow_attribution *a) {
  for (size_t m = 0; m < kernel->merged_count; ++m)
    if (is_planned_in(a, kernel->merged[m].space))
      return a->begin <= kernel->merged[m].peak && kernel->merged[m].peak < a->end;
  return true;
}

static char *text_of_attribution(const stow_attribution *a) {
  stow_text text = {0};
  if (a->reason == STOW_PLANNED) {
    stow_text_printf(&text, "live at the peak: %llu bytes", (unsigned long long)a->size);
    return stow_text_take(&text);
  }
  const stow_buffer_fact fact = {.reason = a->reason, .blame = a->blame};
  char *reason = stow_reason_text(&fact);
  stow_text_printf(&text, "left alone: %llu bytes; %s", (unsigned long long)a->size, reason);
  free(reason);
  return stow_text_take(&text);
}

static bool report_capacity(const stow_arenas *arenas, const stow_kernel *kernel) {
  stow_note *notes = stow_allocate(kernel->count, sizeof *notes);
  size_t count = 0;
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (is_at_peak(kernel, a))
      notes[count++] = (stow_note){mlirValueGetLocation(a->value), text_of_attribution(a)};
  }
  stow_text text = {0};
  stow_text_printf(&text,
                   "the kernel needs %llu bytes of workgroup memory, but "
                   "workgroup-capacity-in-bytes is %llu; nothing was rewritten",
                   (unsigned long long)bytes_of(kernel),
                   (unsigned long long)arenas->options.workgroup_capacity);
  stow_error(mlirOperationGetLocation(kernel->op), text.data, notes, count);
  for (size_t i = 0; i < count; ++i)
    free((char *)notes[i].text);
  free(notes), free(text.data);
  return false;
}

bool stow_plan_workgroups(stow_arenas *arenas) {
  const uint64_t capacity = arenas->options.workgroup_capacity;
  bool ok = true;
  for (size_t f = 0; f < arenas->memory.function_count && arenas->workgroups; ++f)
    read_function(arenas, &arenas->memory.functions[f]);
  for (size_t k = 0; k < arenas->kernel_count; ++k) {
    plan_kernel(arenas, &arenas->kernels[k]);
    if (capacity && bytes_of(&arenas->kernels[k]) > capacity)
      ok = report_capacity(arenas, &arenas->kernels[k]);
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void emit(const stow_arenas *arenas, const stow_kernel *kernel, stow_remark remark) {
  remark.category = arenas->pass;
  remark.function = stow_function_name(kernel->function);
  stow_remark_emit(&remark);
}

static void remark_merged(const stow_arenas *arenas, const stow_kernel *kernel,
                          const stow_merged *merged, bool rewritten) {
  stow_text text = {0};
  stow_text_printf(&text, "%zu workgroup buffers of %llu bytes %s %llu bytes", merged->count,
                   (unsigned long long)merged->apart, rewritten ? "put into" : "fit",
                   (unsigned long long)merged->size);
  emit(arenas, kernel,
       (stow_remark){.kind = rewritten ? STOW_REMARK_PASSED : STOW_REMARK_ANALYSIS,
                     .location = mlirOperationGetLocation(kernel->op),
                     .name = "workgroup",
                     .text = text.data});
  free(text.data);
}

static const char *suggestion_for(stow_reason reason) {
  if (reason == STOW_NO_PARTNER)
    return "a gpu.barrier between its uses and another's would let them share";
  bool of_allocs = reason == STOW_NO_GAIN || reason == STOW_UNUSED;
  return of_allocs ? NULL : stow_reason_suggestion(reason);
}

static void remark_left_alone(const stow_arenas *arenas, const stow_kernel *kernel,
                              const stow_attribution *a) {
  const stow_buffer_fact fact = {.reason = a->reason, .blame = a->blame};
  char *reason = stow_reason_text(&fact);
  stow_text text = {0};
  stow_text_printf(&text, "workgroup buffer of %llu bytes left alone", (unsigned long long)a->size);
  emit(arenas, kernel,
       (stow_remark){.kind = STOW_REMARK_MISSED,
                     .location = mlirValueGetLocation(a->value),
                     .name = stow_reason_code(a->reason),
                     .text = text.data,
                     .reason = reason,
                     .suggestion = suggestion_for(a->reason)});
  free(text.data), free(reason);
}

void stow_remark_workgroups(const stow_arenas *arenas, bool rewritten) {
  if (!stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    return;
  for (size_t k = 0; k < arenas->kernel_count; ++k) {
    const stow_kernel *kernel = &arenas->kernels[k];
    for (size_t m = 0; m < kernel->merged_count; ++m)
      remark_merged(arenas, kernel, &kernel->merged[m], rewritten);
    for (size_t i = 0; i < kernel->count; ++i)
      if (kernel->attributions[i].reason != STOW_PLANNED)
        remark_left_alone(arenas, kernel, &kernel->attributions[i]);
  }
}
