//===- returned.c - what a function returns, as one allocation -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result that is a phi (of a branch, a loop, a select, several returns) is not one allocation, so
// it cannot become an argument. A copy of it can:
//
//     %r = scf.if %c -> memref<4xf32>           %copy = alloc() : memref<4xf32>
//       ...                                     %r = scf.if %c -> memref<4xf32>
//     return %r                          =>       ...
//                                               memref.copy %r, %copy
//                                               return %copy
//
// A caller in C sees no difference. A caller in the module does if the result may alias memory that
// it knows. So the result must be the function's *own* memory: allocations that leave the function
// only as this result. Own memory that deallocation left to the caller is freed here.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"

static const stow_objection NONE = {0};

//===----------------------------------------------------------------------===//
// Returns
//===----------------------------------------------------------------------===//

static MlirValue returned_at(const stow_op_list *returns, size_t i, intptr_t k) {
  return mlirOperationGetOperand(returns->at[i], k);
}

// Whether results `k` and `other` are the same value at each return.
static bool are_same(const stow_op_list *returns, intptr_t k, intptr_t other) {
  for (size_t i = 0; i < returns->count; ++i)
    if (!mlirValueEqual(returned_at(returns, i, k), returned_at(returns, i, other)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Whose memory it may be
//===----------------------------------------------------------------------===//

static bool is_marked(const stow_flow *flow, const bool *marked, MlirValue value) {
  const int32_t v = stow_map_get(&flow->index, value.ptr);
  return v >= 0 && marked[v];
}

// All values that result `k` may be. Freed with free().
static bool *sources_of(const stow_flow *flow, const stow_op_list *returns, intptr_t k) {
  bool *marked = stow_ir_allocate(flow->values.count, sizeof *marked);
  for (size_t i = 0; i < returns->count; ++i) {
    const int32_t v = stow_map_get(&flow->index, returned_at(returns, i, k).ptr);
    if (v >= 0)
      marked[v] = true;
  }
  stow_ir_mark_reached(&flow->sources, flow->values.count, marked);
  return marked;
}

// Whether allocations among `sources` leave the function as result `k` only.
static bool leave_as(const stow_flow *flow, const stow_op_list *returns, intptr_t k,
                     const bool *sources) {
  bool *marked = stow_ir_allocate(flow->values.count, sizeof *marked), only = true;
  STOW_EACH(const stow_alloc, alloc, flow->allocs)
    marked[alloc->value] = sources[alloc->value];
  stow_ir_mark_reached(&flow->targets, flow->values.count, marked);
  STOW_EACH(const stow_escape, escape, flow->escapes)
    only &= escape->value < 0 || !marked[escape->value] || escape->reason == STOW_RETURNED;
  for (size_t i = 0; i < returns->count; ++i)
    for (intptr_t r = 0; r < mlirOperationGetNumOperands(returns->at[i]); ++r)
      only &= !is_marked(flow, marked, returned_at(returns, i, r)) || are_same(returns, k, r);
  free(marked);
  return only;
}

// What is against copying memory from elsewhere: that nobody would have it afterwards.
static stow_objection objection_to(const stow_frames *frames, MlirValue foreign) {
  if (!mlirValueIsAOpResult(foreign))
    return NONE;
  MlirOperation op = mlirOpResultGetOwner(foreign);
  if (!stow_ir_is(op, STOW_FUNC_CALL) && !stow_ir_is(op, STOW_FUNC_CALL_INDIRECT))
    return NONE;
  const int32_t f = stow_ir_called(&frames->calls, op);
  if (f >= 0 ? frames->functions[f].lends
             : stow_ir_call_lends(&frames->calls, op, mlirOpResultGetResultNumber(foreign)))
    return NONE;
  return (stow_objection){"it may be memory that a function allocates that is called",
                          "write into an argument of that function, or copy what it returns into "
                          "a memref.alloc, free it, and return that"};
}

static stow_objection objection_to_alloc(const stow_flow *flow, const stow_alloc *alloc) {
  stow_extent size;
  uint64_t alignment;
  if (stow_ir_is_manual(alloc->op))
    return (stow_objection){"it may be an allocation that bufferization.manual_deallocation marks",
                            "write it into an argument, or take the attribute off"};
  if (stow_ir_memref_size(&flow->layout, alloc->type, &size, &alignment) == STOW_SIZE_OK)
    return NONE;
  return (stow_objection){"it may be an allocation whose size is known at run time only",
                          "allocate it with constant sizes"};
}

typedef struct ownership {
  bool some, all; // of what it may be is the function's own
  stow_objection objection;
} ownership;

static ownership ownership_of(const stow_frames *frames, const stow_flow *flow,
                              const stow_op_list *returns, intptr_t k) {
  bool *sources = sources_of(flow, returns, k);
  ownership own = {.all = true};
  for (size_t v = 0; v < flow->values.count && !own.objection.reason; ++v) {
    const stow_value *value = &flow->values.at[v];
    if (!sources[v])
      continue;
    if (value->alloc != STOW_NO_ALLOC) {
      own.some = true;
      own.objection = objection_to_alloc(flow, &flow->allocs.at[value->alloc]);
    } else if (value->foreign) {
      own.all = false;
      own.objection = objection_to(frames, value->value);
    }
  }
  own.all = own.all && leave_as(flow, returns, k, sources);
  free(sources);
  return own;
}

bool stow_frames_lends_result(const stow_frames *frames, const stow_flow *flow,
                              const stow_op_list *returns, intptr_t k) {
  const ownership own = ownership_of(frames, flow, returns, k);
  return !own.some && !own.objection.reason;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

// The memory that a result of that type is copied into; null where no type says its size.
static MlirType type_of_copy(const stow_layout *layout, MlirType type) {
  stow_extent size;
  uint64_t alignment;
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return (MlirType){NULL};
  const MlirType plain = stow_ir_identity_type(type, stow_ir_memory_space(type));
  const bool sized = stow_ir_memref_size(layout, plain, &size, &alignment) == STOW_SIZE_OK;
  return sized ? plain : (MlirType){NULL};
}

// Whether deallocation is done already, in whatever way. A realloc frees whether it is or not.
static bool has_frees(const stow_flow *flow) {
  bool freed = flow->frees.count > 0;
  STOW_EACH(const stow_escape, escape, flow->escapes)
    freed |= escape->reason == STOW_FREED_BY && !stow_ir_is(escape->op, STOW_MEMREF_REALLOC);
  return freed;
}

static stow_objection objection_of(const stow_framed *framed, const stow_flow *flow,
                                   const ownership *own, MlirType type) {
  if (mlirTypeIsNull(type_of_copy(&flow->layout, type)))
    return (stow_objection){"its type does not say its size", "give it a constant shape"};
  if (own->objection.reason)
    return own->objection;
  if (own->some && !own->all && has_frees(flow))
    return (stow_objection){"a part of what it may be is left to the caller to free",
                            "run merge-alloc before deallocation"};
  if (framed->calls.count > 0 && !own->all)
    return (stow_objection){"callers in the module may know it by another name",
                            "copy it into a memref.alloc and return that"};
  if (framed->calls.count > 0 && !stow_bridge_memref_has_identity_layout(type))
    return (stow_objection){"callers in the module rely on its layout",
                            "copy it into a memref.alloc and return that"};
  return NONE;
}

// The memory of the copy, where the function begins.
static MlirValue make_memory(const stow_framed *framed, MlirType type, MlirLocation location) {
  MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(framed->function));
  const stow_builder start = stow_builder_before(mlirBlockGetFirstOperation(entry), location);
  return stow_ir_build_alloc(&start, type, 0);
}

static void copy_at(MlirOperation end, MlirValue returned, MlirValue copy, bool is_freed) {
  const stow_builder here = stow_builder_before(end, mlirOperationGetLocation(end));
  stow_ir_build_copy(&here, returned, copy);
  if (is_freed)
    stow_ir_build_dealloc(&here, returned);
}

// As result `k`, and as each that is the same.
static void return_instead(const stow_op_list *returns, intptr_t k, MlirValue copy) {
  for (intptr_t r = mlirOperationGetNumOperands(returns->at[0]); r-- > k;)
    for (size_t i = 0; are_same(returns, k, r) && i < returns->count; ++i)
      mlirOperationSetOperand(returns->at[i], r, copy);
}

stow_objection stow_frames_copy_result(const stow_frames *frames, const stow_framed *framed,
                                       const stow_flow *flow, const stow_op_list *returns,
                                       intptr_t k) {
  const MlirValue first = returned_at(returns, 0, k);
  const MlirType type = mlirValueGetType(first);
  const ownership own = ownership_of(frames, flow, returns, k);
  const stow_objection objection = objection_of(framed, flow, &own, type);
  if (objection.reason)
    return objection;
  MlirValue copy =
      make_memory(framed, type_of_copy(&flow->layout, type), mlirValueGetLocation(first));
  for (size_t i = 0; i < returns->count; ++i)
    copy_at(returns->at[i], returned_at(returns, i, k), copy,
            own.some && own.all && has_frees(flow));
  return_instead(returns, k, copy);
  return NONE;
}
