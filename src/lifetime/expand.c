//===- expand.c - the markers that LLVM can carry -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has lives of whole stack allocations only. So only markers on all of a memref.alloca stay,
// on its result or on a view that is all of it; they take the marker form, the name of the result
// and the attribute `whole`. All others are erased. An alloca is *carved* if some marker is on a
// part of it. Then its bytes live at different times, which LLVM has no way to say, and its other
// markers are erased, too.
//
// To LLVM, an alloca with markers is dead wherever they do not say that it is alive. So a
// function whose markers do not hold on every path loses all of them. This happens after
// inlining: a callee may mark its argument, while the caller uses that buffer before and after.
//
// LLVM merges allocas, and gives them a fixed place in the frame, only in the entry block. So
// allocas of static size move there if the program computes the same.
//
//===----------------------------------------------------------------------===//

#include "ir/buffers.h"
#include "lifetime/markers.h"
#include "lifetime/touches.h"
#include "lifetime/verify.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

// The buffer that a marker is about, by the name it had before any start named it anew.
static MlirValue buffer_of(MlirOperation marker) {
  MlirValue buffer = mlirOperationGetOperand(marker, 0);
  while (mlirValueIsAOpResult(buffer) && stow_ir_is_start(mlirOpResultGetOwner(buffer)))
    buffer = mlirOperationGetOperand(mlirOpResultGetOwner(buffer), 0);
  return buffer;
}

static bool is_alloca(MlirValue value) { return stow_ir_is_result_of(value, STOW_MEMREF_ALLOCA); }

// What marked values are: `whole` says of one that is all of an alloca which that is.
typedef struct expansion {
  stow_map carved, whole;
  STOW_ARRAY(MlirValue) allocas;
} expansion;

//===----------------------------------------------------------------------===//
// Carved allocations
//===----------------------------------------------------------------------===//

// The alloca of which the value is all, or a null value.
static MlirValue alloca_of(const stow_flow *flow, int32_t value) {
  const stow_view_bytes bytes = stow_view_bytes_of(flow, value);
  MlirValue root = flow->values.at[bytes.root].value;
  return bytes.all && is_alloca(root) ? root : (MlirValue){NULL};
}

// Adds to `whole` each alloca of the function that is marked as a whole, and to `carved` each
// alloca of which a marked value may be a part.
static void find_carved(const stow_flow *flow, const stow_op_list *markers, expansion *e) {
  bool *reached = stow_ir_allocate(flow->values.count, sizeof *reached);
  for (size_t i = 0; i < markers->count; ++i) {
    MlirValue buffer = buffer_of(markers->at[i]);
    int32_t value = stow_map_get(&flow->index, buffer.ptr);
    if (value < 0 || stow_map_get(&e->whole, buffer.ptr) >= 0)
      continue;
    MlirValue alloca = alloca_of(flow, value);
    if (mlirValueIsNull(alloca))
      reached[value] = true;
    else
      stow_map_add(&e->whole, buffer.ptr, (int32_t)STOW_PUSH(e->allocas, alloca));
  }
  stow_ir_mark_reached(&flow->sources, flow->values.count, reached);
  for (size_t v = 0; v < flow->values.count; ++v)
    if (reached[v])
      stow_map_note(&e->carved, flow->values.at[v].value.ptr);
  free(reached);
}

// All allocas of a function in which the markers do not hold lose theirs.
static void find_doubtful(const stow_flow *flow, stow_map *carved) {
  bool hold = stow_lifetime_markers_hold(flow);
  for (size_t i = 0; i < flow->allocs.count && !hold; ++i) {
    MlirValue value = flow->values.at[flow->allocs.at[i].value].value;
    stow_map_note(carved, value.ptr);
  }
}

//===----------------------------------------------------------------------===//
// Hoisting
//===----------------------------------------------------------------------===//

static bool runs_once(const stow_flow *flow, int32_t nest) {
  for (; nest >= 0; nest = flow->nests.at[nest].parent)
    if (flow->nests.at[nest].flags & STOW_NEST_REPEATS)
      return false;
  return true;
}

// What stands in no loop may always move up. In a loop, all iterations will have the same memory:
// no value may survive its own.
static bool can_be_hoisted(const stow_function_memory *memory, size_t index) {
  const stow_flow *flow = &memory->flow;
  const stow_alloc *alloc = &flow->allocs.at[index];
  const stow_life *life = &memory->lives[alloc->value];
  const stow_scope *scope = &flow->scopes.at[alloc->scope];
  return stow_ir_is(alloc->op, STOW_MEMREF_ALLOCA) && mlirOperationGetNumOperands(alloc->op) == 0 &&
         mlirRegionEqual(scope->region, flow->body) && !scope->unordered && !flow->coroutine &&
         flow->blocks.at[alloc->block].reachable &&
         (runs_once(flow, flow->values.at[alloc->value].nest) ||
          (life->carried < 0 && life->escape < 0));
}

// To the first block, in order.
static void hoist(const stow_function_memory *memory) {
  MlirOperation first = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(memory->flow.body));
  for (size_t i = 0; i < memory->flow.allocs.count; ++i) {
    MlirOperation op = memory->flow.allocs.at[i].op;
    if (!can_be_hoisted(memory, i))
      continue;
    if (mlirOperationEqual(op, first))
      first = mlirOperationGetNextInBlock(first);
    else
      mlirOperationMoveBefore(op, first);
  }
}

static void hoist_all(MlirOperation module) {
  stow_module_memory memory = stow_module_memory_with_stack(module, STOW_UNKNOWN_OPS_ESCAPE);
  for (size_t f = 0; f < memory.function_count; ++f)
    hoist(&memory.functions[f]);
  stow_module_memory_free(&memory);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void poison_all(MlirOperation module, const stow_op_list *markers) {
  const stow_layout layout = stow_layout_at(module);
  STOW_EACH_ITEM(MlirOperation, marker, *markers) {
    stow_builder builder = stow_builder_before(marker, mlirOperationGetLocation(marker));
    stow_lifetime_build_poison(&builder, &layout, mlirOperationGetOperand(marker, 0));
  }
}

static void rebuild(MlirOperation marker, MlirValue alloca) {
  stow_builder builder = stow_builder_before(marker, mlirOperationGetLocation(marker));
  MlirOperation whole = stow_ir_is_start(marker) ? stow_lifetime_build_start(&builder, alloca)
                                                 : stow_lifetime_build_end(&builder, alloca);
  mlirOperationSetAttributeByName(whole, stow_ir_string("whole"), mlirUnitAttrGet(builder.context));
}

static void rewrite(const stow_op_list *markers, const expansion *e) {
  for (size_t i = 0; i < markers->count; ++i)
    if (stow_ir_is_start(markers->at[i]))
      stow_ir_forward_operand(markers->at[i]);
  for (size_t i = 0; i < markers->count; ++i) {
    int32_t whole = stow_map_get(&e->whole, mlirOperationGetOperand(markers->at[i], 0).ptr);
    if (whole >= 0 && stow_map_get(&e->carved, e->allocas.at[whole].ptr) < 0)
      rebuild(markers->at[i], e->allocas.at[whole]);
    mlirOperationDestroy(markers->at[i]);
  }
}

void stow_expand_lifetimes(MlirOperation module, bool poison) {
  stow_op_list markers = stow_ir_ops_in(module, stow_ir_is_marker);
  expansion e = {0};
  if (markers.count > 0) {
    stow_module_memory memory = stow_module_memory_with_stack(module, STOW_UNKNOWN_OPS_USE);
    for (size_t f = 0; f < memory.function_count; ++f) {
      find_carved(&memory.functions[f].flow, &markers, &e);
      find_doubtful(&memory.functions[f].flow, &e.carved);
    }
    stow_module_memory_free(&memory);
  }
  hoist_all(module);
  if (poison)
    poison_all(module, &markers);
  rewrite(&markers, &e);
  stow_map_free(&e.carved);
  stow_map_free(&e.whole);
  free(e.allocas.at);
  free(markers.at);
}
