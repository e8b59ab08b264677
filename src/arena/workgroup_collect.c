//===- workgroup_collect.c - the attributions of GPU kernels ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What workgroup.h calls an attribution has no alloc: it is an argument of a kernel's
// body, at an index that differs between a gpu.func and a gpu.launch. Each is given its
// size and its life in steps, or a reason to leave it alone.
//
//===----------------------------------------------------------------------===//

#include "arena/barriers.h"
#include "arena/workgroup.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

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
  if (stow_is(kernel, STOW_GPU_FUNC))
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
    *blame = flow->escapes.at[escape].op;
    return flow->escapes.at[escape].reason;
  }
  if (life->free >= 0) {
    *blame = flow->frees.at[life->free].op;
    return STOW_FREED_BY;
  }
  if (life->outermost < flow->nests.at[kernel->nest].depth)
    return STOW_LEAVES_SCOPE;
  return life->begin < life->end ? STOW_PLANNED : STOW_UNUSED;
}

static void measure(const stow_kernel *kernel, const stow_layout *layout, size_t index,
                    stow_attribution *a) {
  MlirType type = mlirValueGetType(a->value);
  stow_size_status status = stow_memref_size(layout, type, &a->size, &a->alignment);
  a->alignment = stow_larger(a->size.known ? a->alignment : 1, STOW_WORKGROUP_ALIGNMENT);
  a->reason = stow_reason_of_size(status);
  bool plain = says_alignment_at_most(attributes_of(kernel, index), &a->alignment);
  if (a->reason == STOW_PLANNED && !plain)
    a->reason = STOW_ATTRIBUTES;
}

static stow_reason reason_of_options(const stow_reuse_options *options, const stow_attribution *a) {
  if (!stow_space_is_asked_for(options, a->space))
    return STOW_OTHER_SPACE;
  if (a->size.bytes < options->min_size)
    return STOW_SMALL;
  return a->size.bytes == 0 ? STOW_EMPTY : STOW_PLANNED;
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
  if (stow_is(scope->op, STOW_GPU_FUNC) && mlirAttributeIsNull(attribute(scope->op, "gpu.kernel")))
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
  free(steps.barriers.at);
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
  STOW_PUSH(arenas->kernels, kernel);
}

static bool is_kernel(const stow_scope *scope) {
  return (stow_is(scope->op, STOW_GPU_FUNC) || stow_is(scope->op, STOW_GPU_LAUNCH)) &&
         attribution_count(scope->op) > 0;
}

static void read_function(stow_arenas *arenas, const stow_function_memory *memory) {
  reading r = {.memory = memory};
  for (size_t s = 0; s < memory->flow.scopes.count; ++s) {
    const stow_scope *scope = &memory->flow.scopes.at[s];
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

void stow_collect_workgroups(stow_arenas *arenas) {
  for (size_t f = 0; f < arenas->memory.function_count && arenas->workgroups; ++f)
    read_function(arenas, &arenas->memory.functions[f]);
}

void stow_kernels_free(stow_arenas *arenas) {
  for (size_t k = 0; k < arenas->kernels.count; ++k)
    free(arenas->kernels.at[k].attributions), free(arenas->kernels.at[k].merged);
  free(arenas->kernels.at);
}
