//===- facts.c - memory that may be the same ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values joined by an edge of the flow may be the same memory; all others are different
// memory, except memory from outside the function, and buffers that escape. An argument whose
// memory is reached in no other way is no such memory.
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include "ir/alias.h"
#include "ir/flow_tables.h"
#include "ir/parts.h"
#include "mlir-c/BuiltinAttributes.h"

static void expose_operands(stow_reorder_facts *f, MlirOperation own) {
  STOW_EACH_OP_OF(op, own)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      const int32_t value =
          stow_map_get(&f->memory->flow.index, mlirOperationGetOperand(op, i).ptr);
      if (value >= 0)
        f->outside[stow_ir_leader(f->leaders, value)] = true;
    }
}

// Whether it is not known when the op's regions run.
static bool is_opaque(MlirOperation op) {
  if (mlirOperationGetNumRegions(op) == 0)
    return false;
  const uint32_t facts = stow_op_facts(op);
  return !(facts & STOW_OP_FUNCTION) &&
         stow_region_manner_of(op, facts, stow_ir_op_traits(op), STOW_UNKNOWN_OPS_ESCAPE).opaque !=
             STOW_PLANNED;
}

static void mark_outside(stow_reorder_facts *f, bool noalias) {
  const stow_flow *flow = &f->memory->flow;
  for (size_t v = 0; v < flow->values.count; ++v)
    if (flow->values.at[v].foreign && !stow_ir_is_reached_alone(flow->values.at[v].value, noalias))
      f->outside[stow_ir_leader(f->leaders, (int32_t)v)] = true;
  // What is returned gets away when nothing of the function runs any more.
  for (size_t e = 0; e < flow->escapes.count; ++e)
    if (flow->escapes.at[e].value >= 0 && flow->escapes.at[e].reason != STOW_RETURNED)
      f->outside[stow_ir_leader(f->leaders, flow->escapes.at[e].value)] = true;
  STOW_EACH_OP_OF(op, flow->function)
    if (is_opaque(op))
      expose_operands(f, op);
}

stow_reorder_facts stow_reorder_facts_of(const stow_function_memory *memory, bool noalias) {
  const stow_flow *flow = &memory->flow;
  stow_reorder_facts f = {.memory = memory};
  f.leaders = stow_ir_sets_of(flow->values.count);
  f.outside = stow_ir_allocate(flow->values.count, sizeof *f.outside);
  for (size_t e = 0; e < flow->edges.count; ++e)
    stow_ir_unite(f.leaders, flow->edges.at[e].from, flow->edges.at[e].to);
  for (size_t a = 0; a < flow->allocs.count; ++a)
    stow_map_add(&f.allocs, flow->allocs.at[a].op.ptr, (int32_t)a);
  mark_outside(&f, noalias);
  f.symbols = mlirSymbolTableCreate(mlirOperationGetParentOperation(flow->function));
  return f;
}

void stow_reorder_facts_free(stow_reorder_facts *f) {
  if (!mlirSymbolTableIsNull(f->symbols))
    mlirSymbolTableDestroy(f->symbols);
  free(f->leaders);
  free(f->outside);
  stow_map_free(&f->allocs);
}

int32_t stow_reorder_memory_of(const stow_reorder_facts *f, MlirValue value) {
  const int32_t known = stow_map_get(&f->memory->flow.index, value.ptr);
  if (known < 0)
    return STOW_REORDER_OUTSIDE;
  const int32_t leader = stow_ir_leader(f->leaders, known);
  return f->outside[leader] ? STOW_REORDER_OUTSIDE : leader;
}

MlirOperation stow_reorder_constant_of(const stow_reorder_facts *f, MlirValue value) {
  value = stow_ir_root_of(value);
  if (mlirSymbolTableIsNull(f->symbols) || !stow_ir_is_result_of(value, STOW_MEMREF_GET_GLOBAL))
    return (MlirOperation){NULL};
  MlirAttribute name = stow_attribute_of(mlirOpResultGetOwner(value), "name");
  MlirOperation global = mlirSymbolTableLookup(f->symbols, mlirFlatSymbolRefAttrGetValue(name));
  const bool is_constant = !mlirOperationIsNull(global) && stow_ir_is(global, STOW_MEMREF_GLOBAL) &&
                           stow_ir_has_attribute(global, "constant");
  return is_constant ? global : (MlirOperation){NULL};
}

bool stow_reorder_is_planned(const stow_reorder_facts *f, MlirOperation op) {
  const int32_t alloc = stow_map_get(&f->allocs, op.ptr);
  return alloc >= 0 && f->memory->buffers[alloc].reason == STOW_PLANNED;
}
