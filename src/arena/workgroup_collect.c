//===- workgroup_collect.c - the attributions of GPU kernels ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attribution is an argument of a kernel's body, at an index that differs between a gpu.func and
// a gpu.launch, or an alloc. Each is given its size and its life in steps, or a reason to leave it
// alone.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"
#include "ir/index.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Attributions
//===----------------------------------------------------------------------===//

size_t stow_attribution_count(MlirOperation kernel) {
  MlirAttribute count = stow_attribute_of(kernel, "workgroup_attributions");
  return mlirAttributeIsNull(count) ? 0 : (size_t)mlirIntegerAttrGetValueInt(count);
}

// A launch's body has the places and sizes of blocks and threads first, and of clusters.
intptr_t stow_arena_first_attribution(MlirOperation kernel) {
  enum { CLUSTER_SEGMENT = 7 };
  if (stow_ir_is(kernel, STOW_GPU_FUNC))
    return mlirFunctionTypeGetNumInputs(stow_ir_function_type(kernel));
  MlirAttribute segments = stow_attribute_of(kernel, "operandSegmentSizes");
  return mlirDenseI32ArrayGetElement(segments, CLUSTER_SEGMENT) > 0 ? 18 : 12;
}

// The dictionary of attributes of one attribution, or null. Only a gpu.func has such.
static MlirAttribute attributes_of(MlirOperation kernel, MlirValue value) {
  MlirAttribute all = stow_attribute_of(kernel, "workgroup_attrib_attrs");
  intptr_t index = mlirBlockArgumentGetArgNumber(value) - stow_arena_first_attribution(kernel);
  if (mlirAttributeIsNull(all) || index >= mlirArrayAttrGetNumElements(all))
    return mlirAttributeGetNull();
  return mlirArrayAttrGetElement(all, index);
}

// Takes over the alignment, and tells whether nothing else is said.
static bool says_alignment_at_most(MlirAttribute attributes, uint64_t *alignment) {
  if (mlirAttributeIsNull(attributes))
    return true;
  MlirAttribute align =
      mlirDictionaryAttrGetElementByName(attributes, stow_ir_string("llvm.align"));
  bool known = !mlirAttributeIsNull(align) && mlirAttributeIsAInteger(align);
  int64_t bytes = known ? mlirIntegerAttrGetValueInt(align) : 1;
  if (bytes <= 0 || (bytes & (bytes - 1)))
    return false;
  *alignment = stow_ir_larger(*alignment, (uint64_t)bytes);
  return mlirDictionaryAttrGetNumElements(attributes) == known;
}

// `loaded`: all that keeps it otherwise is waited for.
static stow_reason reason_of_life(const stow_flow *flow, const stow_scope *kernel,
                                  const stow_attribution *a, const stow_life *life, bool loaded,
                                  MlirOperation *blame) {
  const bool kept = life->escape >= 0 && !loaded;
  if (life->returned >= 0 || kept) {
    int32_t escape = kept ? life->escape : life->returned;
    *blame = flow->escapes.at[escape].op;
    return flow->escapes.at[escape].reason;
  }
  if (life->free >= 0 && a->alloc == STOW_NO_ALLOC) {
    *blame = flow->frees.at[life->free].op;
    return STOW_FREED_BY;
  }
  if (life->outermost < flow->nests.at[kernel->nest].depth)
    return STOW_LEAVES_SCOPE;
  if (life->carried >= 0 && a->alloc != STOW_NO_ALLOC)
    return STOW_CARRIED;
  return loaded || life->begin < life->end ? STOW_PLANNED : STOW_UNUSED;
}

static stow_reason reason_of_size(const stow_layout *layout, MlirOperation kernel,
                                  const stow_attribution *a, stow_buffer_fact *fact) {
  if (a->alloc != STOW_NO_ALLOC)
    return STOW_PLANNED; // it is known, as ir says
  MlirType type = mlirValueGetType(a->value);
  stow_size_status status = stow_ir_memref_size(layout, type, &fact->size, &fact->alignment);
  fact->alignment = fact->size.known ? fact->alignment : 1;
  bool plain = says_alignment_at_most(attributes_of(kernel, a->value), &fact->alignment);
  return status == STOW_SIZE_OK && !plain ? STOW_ATTRIBUTES : stow_reason_of_size(status);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// What is read of a function once, and of the kernel that its attributions come from.
typedef struct reading {
  const stow_reuse_options *options;
  const stow_function_memory *memory;
  stow_layout layout;
  int32_t *loops;
  stow_names_used names;
  stow_kernel kernel;
  stow_steps steps;
  stow_mbarriers mbarriers;
  stow_reason reason; // what keeps all of the kernel's attributions from being merged
} reading;

static stow_reason reason_of_kernel(const reading *r) {
  MlirOperation op = r->kernel.scope->op;
  if (stow_ir_is(op, STOW_GPU_FUNC) && !stow_ir_has_attribute(op, "gpu.kernel"))
    return STOW_NO_KERNEL;
  if (r->kernel.scope->unordered)
    return STOW_NO_ORDER;
  if (r->memory->flow.coroutine)
    return STOW_COROUTINE;
  return mlirOperationIsNull(r->steps.divergent) ? STOW_PLANNED : STOW_DIVERGENT;
}

static void read_kernel(reading *r, const stow_scope *scope) {
  stow_steps_free(&r->steps);
  stow_mbarriers_free(&r->mbarriers);
  r->kernel.scope = scope;
  r->steps = stow_steps_of(&r->kernel);
  r->mbarriers = stow_mbarriers_of(&r->kernel, &r->steps);
  r->reason = reason_of_kernel(r);
}

// Whether a kernel comes to the alloc once at most, in blocks of its own.
static bool is_made_once(const reading *r, const stow_alloc *alloc) {
  const int64_t begin = r->memory->flow.nests.at[r->kernel.scope->nest].begin;
  return r->loops[alloc->position] == r->loops[begin];
}

// The sequence in which an alloc is made once at most each time that it runs; -1: none.
static int32_t sequence_of(const reading *r, const stow_alloc *alloc) {
  const MlirBlock block = mlirOperationGetBlock(alloc->op);
  if (!mlirRegionEqual(mlirBlockGetParentRegion(block), r->kernel.scope->region))
    return stow_sequence_around(&r->steps, alloc->op);
  return is_made_once(r, alloc) ? 0 : -1;
}

// A clone that is made outside of the loop where its bytes are used would be copied in the loop,
// when its source may hold something else.
static stow_reason reason_of_alloc(const reading *r, int32_t index) {
  const stow_function_memory *memory = r->memory;
  if (index == STOW_NO_ALLOC)
    return STOW_PLANNED;
  const stow_alloc *alloc = &memory->flow.allocs.at[index];
  const bool own = &memory->flow.scopes.at[alloc->scope] == r->kernel.scope;
  if (!own || !stow_ir_is_allocation(alloc->op) || sequence_of(r, alloc) < 0)
    return STOW_WORKGROUP;
  if (stow_ir_is_manual(alloc->op))
    return STOW_MANUAL;
  return memory->groups.foreign[memory->groups.of_alloc[index]] ? STOW_SHARED_DEALLOC
                                                                : STOW_PLANNED;
}

// In which sequence a buffer is new each time, and what of it touches the buffer. What is loaded to
// is one buffer as long as the kernel runs.
static stow_anew anew_of(const reading *r, const stow_attribution *a, int32_t value,
                         const stow_loads *loads) {
  const stow_life *life = &r->memory->lives[value];
  const int32_t made_in =
      a->alloc == STOW_NO_ALLOC ? 0 : sequence_of(r, &r->memory->flow.allocs.at[a->alloc]);
  const int64_t last = life->begin < life->end ? life->end - 1 : 0; // else it is only loaded to
  const stow_anew made = {.sequence = made_in, .begin = life->begin, .last = last};
  if (loads)
    return (stow_anew){0, loads->first, stow_ir_later(made.last, loads->last)};
  if (made_in > 0)
    return made;
  const stow_anew written = stow_arena_written_anew(&r->names, &r->steps, value);
  return written.sequence > 0 ? written : made;
}

// An alloc in a loop that is loaded to is left alone.
static bool is_loaded(const reading *r, const stow_attribution *a, int32_t value, stow_loads *out) {
  const stow_life *life = &r->memory->lives[value];
  return life->escape >= 0 &&
         (a->alloc == STOW_NO_ALLOC || sequence_of(r, &r->memory->flow.allocs.at[a->alloc]) == 0) &&
         stow_arena_is_loaded(&r->mbarriers, &r->names, &r->kernel, value, life->begin, out);
}

static void read_life(const reading *r, stow_attribution *a, stow_buffer_fact *fact) {
  int32_t value = stow_map_get(&r->memory->flow.index, a->value.ptr);
  if (value < 0) {
    fact->reason = STOW_UNUSED;
    return;
  }
  const stow_life *life = &r->memory->lives[value];
  stow_loads loads;
  const bool loaded = is_loaded(r, a, value, &loads);
  fact->reason = reason_of_life(&r->memory->flow, r->kernel.scope, a, life, loaded, &fact->blame);
  fact->alignment = stow_ir_larger(fact->alignment, life->alignment);
  if (fact->reason != STOW_PLANNED)
    return;
  if (loaded)
    fact->alignment = stow_ir_larger(fact->alignment, loads.alignment);
  if (loaded && !mlirOperationIsNull(loads.endless))
    fact->blame = loads.endless;
  const stow_anew anew = anew_of(r, a, value, loaded ? &loads : NULL);
  const stow_sequence *sequence = &r->steps.sequences.at[anew.sequence];
  if (stow_arena_meets_itself(sequence, anew.begin, anew.last)) {
    fact->reason = STOW_WORKGROUP;
    return;
  }
  a->home = sequence->op;
  stow_arena_add_steps_between(&r->steps, anew.sequence, anew.begin, anew.last, &a->life);
  if (loaded)
    stow_arena_add_steps_from(&r->steps, loads.begin, &a->life);
  fact->pieces = a->life.at;
  fact->piece_count = a->life.count;
  fact->begin = fact->pieces[0].begin;
  fact->end = fact->pieces[fact->piece_count - 1].end;
}

static void read_attribution(const reading *r, stow_attribution *a, stow_buffer_fact *fact) {
  fact->blame = r->reason == STOW_DIVERGENT ? r->steps.divergent : r->kernel.scope->op;
  fact->reason = reason_of_size(&r->layout, r->kernel.scope->op, a, fact);
  if (fact->reason == STOW_PLANNED)
    fact->reason = stow_arena_reason_of_options(
        r->options, stow_ir_memory_space(mlirValueGetType(a->value)), fact->size.bytes);
  if (fact->reason == STOW_PLANNED && fact->size.bytes == 0)
    fact->reason = STOW_EMPTY;
  if (fact->reason == STOW_PLANNED)
    fact->reason = r->reason;
  if (fact->reason == STOW_PLANNED)
    fact->reason = reason_of_alloc(r, a->alloc);
  if (fact->reason == STOW_PLANNED)
    read_life(r, a, fact);
}

void stow_arena_read_attributions(const stow_reuse_options *options,
                                  const stow_function_memory *memory,
                                  stow_attributions *attributions, stow_buffer_fact *selection) {
  if (attributions->count == 0)
    return;
  const stow_flow *flow = &memory->flow;
  reading r = {.options = options,
               .memory = memory,
               .layout = stow_layout_at(flow->function),
               .loops = stow_arena_block_loops(flow),
               .names = stow_names_used_in(flow),
               .kernel = {.flow = flow, .dominance = stow_post_dominance_create(flow->function)}};
  r.kernel.loops = r.loops;
  for (size_t i = 0; i < attributions->count; ++i) {
    const stow_scope *scope = &flow->scopes.at[attributions->at[i].scope];
    if (scope != r.kernel.scope)
      read_kernel(&r, scope);
    selection[flow->allocs.count + i].reason = STOW_NOT_ASKED; // where it is an alloc
    read_attribution(&r, &attributions->at[i],
                     &selection[stow_attribution_member(memory, attributions, i)]);
  }
  free(r.loops);
  stow_steps_free(&r.steps);
  stow_mbarriers_free(&r.mbarriers);
  stow_names_used_free(&r.names);
  stow_post_dominance_destroy(r.kernel.dominance);
}

static bool is_kernel(MlirOperation op) {
  return stow_ir_is(op, STOW_GPU_FUNC) || stow_ir_is(op, STOW_GPU_LAUNCH);
}

size_t stow_attribution_member(const stow_function_memory *memory,
                               const stow_attributions *attributions, size_t index) {
  const int32_t alloc = attributions->at[index].alloc;
  return alloc == STOW_NO_ALLOC ? memory->flow.allocs.count + index : (size_t)alloc;
}

// Whether the alloc is memory of known size that all threads of a workgroup have in common.
static bool is_attribution(const stow_function_memory *memory, size_t i) {
  const stow_alloc *alloc = &memory->flow.allocs.at[i];
  return memory->buffers[i].reason == STOW_WORKGROUP && !alloc->on_stack && !alloc->on_device &&
         mlirShapedTypeHasStaticShape(alloc->type);
}

// The scope of the kernel that a scope is, or is in; -1: none.
static int32_t kernel_around(const stow_flow *flow, int32_t scope) {
  while (scope >= 0 && !is_kernel(flow->scopes.at[scope].op)) {
    const int32_t parent = flow->nests.at[flow->scopes.at[scope].nest].parent;
    scope = parent < 0 ? -1 : flow->nests.at[parent].scope;
  }
  return scope;
}

// The allocs of each kernel, by scope.
static stow_index allocs_by_kernel(const stow_function_memory *memory) {
  const stow_flow *flow = &memory->flow;
  int32_t *kernels = stow_ir_allocate(flow->allocs.count, sizeof *kernels);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    kernels[i] = is_attribution(memory, i) ? kernel_around(flow, flow->allocs.at[i].scope) : -1;
  const stow_index index =
      stow_index_of(STOW_NUMBERS(kernels, flow->allocs.count), flow->scopes.count);
  free(kernels);
  return index;
}

static void add_allocs(const stow_function_memory *memory, const stow_index *by_kernel, int32_t s,
                       stow_attributions *all) {
  STOW_EACH_OF(i, *by_kernel, s)
    STOW_PUSH(*all,
              (stow_attribution){.value = mlirOperationGetResult(memory->flow.allocs.at[i].op, 0),
                                 .scope = s,
                                 .alloc = i});
}

static void add_arguments(const stow_function_memory *memory, int32_t s, stow_attributions *all) {
  const stow_scope *scope = &memory->flow.scopes.at[s];
  const MlirBlock entry = mlirRegionGetFirstBlock(scope->region);
  const intptr_t first = stow_arena_first_attribution(scope->op);
  for (size_t i = 0, count = stow_attribution_count(scope->op); i < count; ++i)
    STOW_PUSH(*all, (stow_attribution){.value = mlirBlockGetArgument(entry, first + (intptr_t)i),
                                       .scope = s,
                                       .alloc = STOW_NO_ALLOC});
}

stow_attributions stow_attributions_of(const stow_function_memory *memory) {
  const stow_flow *flow = &memory->flow;
  stow_attributions all = {0};
  stow_index by_kernel = allocs_by_kernel(memory);
  for (size_t s = 0; s < flow->scopes.count; ++s)
    if (is_kernel(flow->scopes.at[s].op)) {
      add_allocs(memory, &by_kernel, (int32_t)s, &all);
      add_arguments(memory, (int32_t)s, &all);
    }
  stow_index_free(&by_kernel);
  return all;
}
