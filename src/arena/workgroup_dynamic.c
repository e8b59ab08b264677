//===- workgroup_dynamic.c - shared memory that launches ask for ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributions are static memory, of which devices allow less than they have: 48 KiB on NVIDIA's.
// The rest is *dynamic*: one piece per workgroup, of a size that each launch states. A kernel's
// arena is that piece where
//
//   nothing else uses it: no gpu.dynamic_shared_memory is in it, or in a function;
//   it is a gpu.launch, or every op that mentions it is a gpu.launch_func, and there is one;
//   none of these states a size already;
//   all that the kernel has is in the arena, and nothing else in the module makes such memory.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// Of the operands of gpu.launch and gpu.launch_func alike.
enum { SIZE_SEGMENT = 10 };

typedef STOW_ARRAY(int32_t) segments;

static segments segments_of(MlirOperation launch) {
  const MlirAttribute all = stow_attribute_of(launch, "operandSegmentSizes");
  segments sizes = {0};
  for (intptr_t i = 0, n = mlirDenseArrayGetNumElements(all); i < n; ++i)
    STOW_PUSH(sizes, mlirDenseI32ArrayGetElement(all, i));
  return sizes;
}

static bool states_size(MlirOperation launch) {
  return mlirDenseI32ArrayGetElement(stow_attribute_of(launch, "operandSegmentSizes"),
                                     SIZE_SEGMENT) > 0;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

typedef struct launching {
  stow_arenas *arenas;
  stow_map counts;  // kernels that are launched: 0
  stow_map blocked; // kernels that something else mentions, or a launch with a size
  stow_map takers;  // kernels that have dynamic memory themselves
  bool known;       // all mentions are
  bool taken;       // a function that kernels may call has dynamic memory
  bool fixed;       // something that kernels may use, or call, has static memory
} launching;

static void note_launch(launching *l, MlirOperation kernel, MlirOperation op) {
  stow_map_note(&l->counts, kernel.ptr);
  if (states_size(op))
    stow_map_note(&l->blocked, kernel.ptr);
  STOW_PUSH(l->arenas->launches, (stow_launch){kernel, op});
}

static void note_mention(void *user, MlirOperation mentions, MlirOperation symbol) {
  launching *l = user;
  if (mlirOperationIsNull(symbol) || !stow_ir_is(symbol, STOW_GPU_FUNC))
    return;
  if (stow_ir_is(mentions, STOW_GPU_LAUNCH_FUNC))
    note_launch(l, symbol, mentions);
  else
    stow_map_note(&l->blocked, symbol.ptr);
}

static bool is_kernel(MlirOperation op) {
  return stow_ir_is(op, STOW_GPU_LAUNCH) || stow_ir_has_attribute(op, "gpu.kernel");
}

// By a kernel, or by a function that any may call.
static void note_taken(launching *l, MlirOperation op) {
  while (!is_kernel(op) && !mlirOperationEqual(op, l->arenas->module))
    op = mlirOperationGetParentOperation(op);
  l->taken |= mlirOperationEqual(op, l->arenas->module);
  stow_map_note(&l->takers, op.ptr);
}

static bool is_shared_memref(MlirType type) {
  return mlirTypeIsAMemRef(type) && stow_ir_is_workgroup_space(mlirMemRefTypeGetMemorySpace(type));
}

static bool gives_shared(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (is_shared_memref(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

// Whether its results may be memory that nothing else makes: what it allocates, or no one knows
// what.
static bool makes_results(MlirOperation op) {
  if (stow_ir_is_allocation(op) || (stow_ir_op_traits(op) & STOW_CLONES))
    return true;
  return !stow_ir_takes_buffer(op) && mlirOperationGetNumRegions(op) == 0 &&
         !stow_bridge_op_is_call(op) && !stow_ir_is(op, STOW_MEMREF_GET_GLOBAL) &&
         !stow_ir_is(op, STOW_GPU_DYNAMIC_SHARED);
}

static bool makes_static(MlirOperation op) {
  if (stow_ir_is(op, STOW_MEMREF_GLOBAL))
    return is_shared_memref(mlirTypeAttrGetValue(stow_attribute_of(op, "type")));
  if (stow_ir_is(op, STOW_GPU_FUNC))
    return !is_kernel(op) && stow_attribution_count(op) > 0;
  return stow_ir_is(op, STOW_NVGPU_MBARRIER_CREATE) ||
         stow_ir_is(op, STOW_GPU_ALL_REDUCE) || // lowered to a global
         (stow_ir_is(op, STOW_LLVM_GLOBAL) &&
          stow_ir_is_workgroup_space(stow_attribute_of(op, "addr_space"))) ||
         (gives_shared(op) && makes_results(op));
}

static bool is_of_launching(MlirOperation op) {
  return stow_ir_is(op, STOW_GPU_DYNAMIC_SHARED) || stow_ir_is(op, STOW_GPU_LAUNCH) ||
         makes_static(op);
}

// The allocs that count among the attributions of their kernels.
static stow_map attributed_allocs(const stow_arenas *arenas) {
  stow_map allocs = {0};
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    STOW_EACH(const stow_attribution, a, arenas->shared[f])
      if (a->alloc != STOW_NO_ALLOC)
        stow_map_note(&allocs, arenas->memory.functions[f].flow.allocs.at[a->alloc].op.ptr);
  return allocs;
}

static void read_launches(launching *l) {
  stow_symbols *symbols = stow_symbols_create();
  l->known = stow_bridge_symbol_uses(l->arenas->module, symbols, note_mention, l);
  stow_symbols_destroy(symbols);
  stow_map attributions = attributed_allocs(l->arenas);
  STOW_EACH_FOUND(op, stow_ir_ops_in(l->arenas->module, is_of_launching))
    if (stow_ir_is(op, STOW_GPU_LAUNCH))
      note_launch(l, op, op);
    else if (stow_ir_is(op, STOW_GPU_DYNAMIC_SHARED))
      note_taken(l, op);
    else if (stow_map_get(&attributions, op.ptr) < 0)
      l->fixed = true;
  stow_map_free(&attributions);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

// In the one space that gpu.dynamic_shared_memory has.
static bool is_in_its_space(const stow_arena *arena) {
  return !mlirAttributeIsNull(arena->memory_space) &&
         mlirAttributeEqual(arena->memory_space,
                            mlirAttributeParseGet(mlirAttributeGetContext(arena->memory_space),
                                                  stow_ir_string("#gpu.address_space<workgroup>")));
}

static bool is_aligned_enough(const stow_arenas *arenas, const stow_arena *arena) {
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    if (fact->reason == STOW_PLANNED && fact->alignment > STOW_WORKGROUP_ALIGNMENT)
      return false;
  }
  return true;
}

// Whether nothing of the kernel stays static. MLIR lowers dynamic memory to a variable without
// bytes, and what is static may be put behind that.
static bool is_all_of_kernel(const stow_arenas *arenas, const stow_arena *arena) {
  const bool follows = arena != arenas->arenas.at && stow_arena_are_of_one_kernel(arena - 1, arena);
  if (follows || stow_arena_end_of_kernel(arenas, arena) != arena + 1)
    return false;
  for (size_t i = 0; i < arena->members.count; ++i)
    if (stow_arena_fact(arenas, arena, arena->members.at[i])->reason != STOW_PLANNED)
      return false;
  return true;
}

// Why an arena cannot be in dynamic memory, or NULL.
static const char *obstacle(const launching *l, const stow_arena *arena) {
  const MlirOperation kernel = stow_arena_scope(l->arenas, arena)->op;
  if (!is_in_its_space(arena))
    return "it is not in #gpu.address_space<workgroup>";
  if (!is_aligned_enough(l->arenas, arena))
    return "dynamic shared memory is aligned to 16 bytes only";
  if (l->fixed || !is_all_of_kernel(l->arenas, arena))
    return "other memory of the kernel is static";
  if (l->taken || stow_map_get(&l->takers, kernel.ptr) >= 0)
    return "a gpu.dynamic_shared_memory has it already";
  if (!l->known || stow_map_get(&l->counts, kernel.ptr) < 0)
    return "no gpu.launch_func of the kernel is in the module";
  if (stow_map_get(&l->blocked, kernel.ptr) >= 0)
    return "a launch states a size already, or another op mentions the kernel";
  return NULL;
}

void stow_arena_choose_dynamic_workgroup(stow_arenas *arenas) {
  launching l = {.arenas = arenas};
  read_launches(&l);
  STOW_EACH(stow_arena, arena, arenas->arenas)
    if (stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED)) {
      arena->not_in_launch = obstacle(&l, arena);
      arena->in_launch = !arena->not_in_launch;
    }
  stow_map_free(&l.counts);
  stow_map_free(&l.blocked);
  stow_map_free(&l.takers);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

MlirValue stow_arena_build_dynamic_workgroup(const stow_builder *builder, const stow_arena *arena) {
  const MlirType type = stow_ir_any_bytes_type(builder->context, arena->memory_space);
  return stow_ir_build_value(builder, STOW_GPU_DYNAMIC_SHARED, NULL, 0, type);
}

static void state_size(MlirOperation launch, uint64_t bytes) {
  const stow_builder builder = stow_builder_before(launch, mlirOperationGetLocation(launch));
  segments sizes = segments_of(launch);
  STOW_ARRAY(MlirValue) operands = {0};
  intptr_t next = 0;
  for (size_t s = 0; s < sizes.count; ++s) {
    for (int32_t i = 0; i < sizes.at[s]; ++i)
      STOW_PUSH(operands, mlirOperationGetOperand(launch, next++));
    if (s == SIZE_SEGMENT)
      STOW_PUSH(operands, stow_ir_build_number(&builder, mlirIntegerTypeGet(builder.context, 32),
                                               (int64_t)bytes));
  }
  sizes.at[SIZE_SEGMENT] = 1;
  mlirOperationSetOperands(launch, (intptr_t)operands.count, operands.at);
  mlirOperationSetInherentAttributeByName(
      launch, stow_ir_string("operandSegmentSizes"),
      mlirDenseI32ArrayGet(builder.context, (intptr_t)sizes.count, sizes.at));
  free(operands.at);
  free(sizes.at);
}

void stow_arena_state_at_launches(const stow_arenas *arenas, const stow_arena *arena) {
  const MlirOperation kernel = stow_arena_scope(arenas, arena)->op;
  STOW_EACH(const stow_launch, launch, arenas->launches)
    if (mlirOperationEqual(launch->kernel, kernel))
      state_size(launch->op, arena->plan.arena_size);
}
