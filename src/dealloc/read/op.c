//===- op.c - what an op does with the buffers it is given ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op's interfaces say of ownership is read here and nowhere else. An op that
// mentions a buffer uses it. It may also free it, make a view of it, or keep its address,
// so that this pass leaves the buffer alone.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Ops with regions
//===----------------------------------------------------------------------===//

static void use_of_work(stow_domain *domain, MlirValue value, stow_own_place place,
                        MlirOperation wait) {
  if (stow_ir_is_buffer(mlirValueGetType(value)))
    stow_domain_add_use(domain, stow_domain_ref(domain, value), place, wait, true);
}

// The uses by work that the wait may complete, such as to make the buffer.
static void read_wait(stow_domain *domain, const stow_domain_context *context, MlirOperation wait,
                      stow_traits traits, stow_own_place place) {
  size_t count;
  const stow_wait_for *done = stow_ir_waited_for(&domain->completions, wait, traits, &count);
  stow_op_list starts = {0};
  for (size_t i = 0; i < count; ++i)
    STOW_PUSH(starts, done[i].start);
  STOW_EACH_ITEM(MlirOperation, start, starts) {
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(start); i < n; ++i)
      use_of_work(domain, mlirOperationGetOperand(start, i), place, wait);
    for (intptr_t i = 0, n = mlirOperationGetNumResults(start); i < n; ++i)
      use_of_work(domain, mlirOperationGetResult(start, i), place, wait);
    if (mlirOperationGetNumRegions(start) > 0)
      stow_dealloc_read_captures(domain, context, start, place, false);
  }
  free(starts.at);
}

// Results of closed regions may be memory that was allocated inside.
static void leave_region_results(stow_domain *domain, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (stow_ir_is_buffer(mlirValueGetType(result)))
      domain->refs.at[stow_domain_ref(domain, result)].foreign = true;
  }
}

static bool only_computes(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && !stow_ir_takes_buffer(op) &&
         !stow_ir_gives_buffer(op) && stow_bridge_op_has_no_effect(op);
}

static bool block_only_computes(MlirBlock block) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
    if (stow_ir_is_buffer(mlirValueGetType(mlirBlockGetArgument(block, i))))
      return false;
  STOW_EACH_OP(op, block)
    if (!only_computes(op))
      return false;
  return true;
}

// Whether there is nothing in the op's regions to own, to use or to free, as in linalg's.
static bool regions_only_compute(MlirOperation op) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      if (!block_only_computes(block))
        return false;
  return true;
}

static void read_closed_regions(stow_domain *domain, const stow_domain_context *context,
                                MlirOperation op, uint32_t facts, stow_own_place place) {
  const bool empty = regions_only_compute(op);
  bool allocates = !empty && stow_dealloc_read_captures(domain, context, op, place,
                                                        stow_dealloc_runs_later(domain, op));
  const uint32_t plain = STOW_OP_STRUCTURED | STOW_OP_PARALLEL | STOW_OP_ISOLATED |
                         STOW_OP_FUNCTION | STOW_OP_TERMINATOR;
  intptr_t regions = mlirOperationGetNumRegions(op);
  if (!(facts & plain) && !(stow_ir_op_traits(op) & STOW_RUNS_LATER) &&
      (stow_ir_gives_buffer(op) || (regions > 1 && allocates)))
    stow_domain_doubt(domain, op,
                      "control flow through this op's regions is not known; implement "
                      "RegionBranchOpInterface, and its terminator interface on what ends each "
                      "region");
  if (!(facts & STOW_OP_TERMINATOR))
    leave_region_results(domain, op);
  if ((facts & STOW_OP_FUNCTION) || empty)
    return;
  for (intptr_t r = 0; r < regions; ++r)
    STOW_PUSH(domain->inner, mlirOperationGetRegion(op, r));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

typedef struct reading {
  stow_domain *domain;
  const stow_domain_context *context;
  MlirOperation op;
  uint32_t facts;
  stow_traits traits;
  stow_own_place place;
  const bool *forwarded;
  stow_effects effects;
  bool *heap; // per result: memory that the op allocates
} reading;

static bool pending(const reading *r, intptr_t index, int32_t *out_ref) {
  MlirValue operand = mlirOperationGetOperand(r->op, index);
  if (!stow_ir_is_buffer(mlirValueGetType(operand)) || (r->forwarded && r->forwarded[index]))
    return false;
  *out_ref = stow_domain_ref(r->domain, operand);
  return true;
}

static void flow_to_results(const reading *r, intptr_t operand, int32_t ref) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(r->op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(r->op, i);
    if (stow_ir_is_buffer(mlirValueGetType(result)) && !(r->effects.results[i] & STOW_ALLOCATE) &&
        stow_ir_may_rename(r->op, operand, i))
      stow_domain_add_view(r->domain, ref, stow_domain_ref(r->domain, result), r->place);
  }
}

static void read_operand(const reading *r, intptr_t index) {
  int32_t ref;
  if (!pending(r, index, &ref) || stow_ir_only_tells_shape(r->op, r->traits))
    return;
  bool writes = !(r->facts & STOW_OP_EFFECTS_KNOWN) ||
                (r->effects.operands[index] & (STOW_WRITE | STOW_FREE));
  stow_domain_add_use(r->domain, ref, r->place, r->op, writes);
  if (stow_dealloc_is_by_bit(r->op)) {
    stow_domain_add_managed(r->domain, ref, r->place.segment, r->op, STOW_BY_BITS,
                            "it is freed already, by a bit");
    return;
  }
  const char *how = stow_dealloc_why_managed(r->op, &r->effects, index);
  if (how) {
    stow_domain_add_managed(r->domain, ref, r->place.segment, r->op, STOW_MANAGED, how);
    return;
  }
  if (r->effects.operands[index] & STOW_FREE) {
    stow_domain_add_free(r->domain, ref, r->place, r->op);
    return;
  }
  const stow_named_op known = {r->facts, r->traits};
  const char *reason =
      stow_dealloc_why_kept(r->domain, r->context, r->op, known, &r->effects, index);
  if (reason)
    stow_domain_add_escape(r->domain, ref, r->place.segment, r->op, reason);
  flow_to_results(r, index, ref);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// Memory that memref.dealloc does not free is left to its program, if that frees it. An op of its
// own frees it by the name that it is made under: so nothing forwards it.
static void read_allocation(const reading *r, MlirValue result, stow_ref *ref) {
  const bool manual = stow_ir_is_manual(r->op), plain = stow_ir_is_freed_by_dealloc(r->op),
             own = !plain && stow_ir_has_own_dealloc(r->op);
  const stow_external_end end = manual || plain ? STOW_FREED : stow_external_end_of(result);
  const bool pending =
      stow_ir_passes_token(r->op) && !stow_ir_is_settled(&r->domain->completions, r->op);
  if (!manual && (plain || (own && end == STOW_NEVER_FREED && !pending))) {
    ref->origin = STOW_MADE;
    return;
  }
  ref->foreign = true;
  if (manual)
    stow_domain_doubt(r->domain, r->op, STOW_MANUAL_REASON);
  else if (end == STOW_NEVER_FREED && pending)
    stow_domain_doubt(r->domain, r->op, "not every path waits for the token that it gives");
  else if (end == STOW_NEVER_FREED)
    stow_domain_doubt(r->domain, r->op,
                      "it is not known how to free what this op allocates; implement "
                      "AllocationOpInterface, or free it in the program");
  else if (own && end == STOW_ESCAPES)
    stow_domain_doubt(r->domain, r->op,
                      "an op of its own frees it, and code that a branch, a loop or a call gives "
                      "it to cannot tell it from a memref.alloc; free it in the program");
}

static void read_results(const reading *r) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(r->op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(r->op, i);
    if (!stow_ir_is_buffer(mlirValueGetType(result)))
      continue;
    int32_t id = stow_domain_ref(r->domain, result);
    stow_ref *ref = &r->domain->refs.at[id];
    if (r->heap[i]) {
      read_allocation(r, result, ref);
    } else {
      ref->foreign |= stow_dealloc_brings_memory(r->op, r->facts, &r->effects);
      ref->stack = r->effects.results[i] & STOW_ALLOCATE;
      ref->part |= !(r->traits & STOW_FREED_AS_SOURCE);
      ref->shifted = !(r->traits & STOW_BASE_OF_SOURCE);
    }
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

// Buffers that the call takes over, and may give back as an owned result.
static void read_takeovers(const reading *r, const stow_contract *contract,
                           const stow_contract_result *given, intptr_t first, int32_t result) {
  for (size_t a = 0; a < contract->argument_count; ++a) {
    MlirValue argument = mlirOperationGetOperand(r->op, first + (intptr_t)a);
    if (given->may_be[a] && contract->arguments[a].owned &&
        stow_dealloc_is_reachable(r->domain, r->place.segment))
      STOW_PUSH(r->domain->takeovers, (stow_jump){stow_domain_ref(r->domain, argument), result});
  }
}

static void read_known_result(const reading *r, const stow_contract *contract, intptr_t index,
                              intptr_t first) {
  const stow_contract_result *given = &contract->results[index];
  int32_t id = stow_domain_ref(r->domain, mlirOperationGetResult(r->op, index));
  stow_ref *ref = &r->domain->refs.at[id];
  ref->part = given->part;
  ref->origin = given->owned ? STOW_MADE : STOW_VIEW;
  if (given->owned) {
    read_takeovers(r, contract, given, first, id);
    return;
  }
  ref->foreign |= given->foreign;
  for (size_t a = 0; a < contract->argument_count; ++a) {
    MlirValue argument = mlirOperationGetOperand(r->op, first + (intptr_t)a);
    if (given->may_be[a] && stow_ir_is_buffer(mlirValueGetType(argument)))
      stow_domain_add_view(r->domain, stow_domain_ref(r->domain, argument), id, r->place);
  }
}

static bool may_be_returned(const reading *r, intptr_t argument, MlirType type) {
  bool address = stow_ir_is_buffer(type) || !stow_bridge_type_is_plain(type);
  return address && !r->context->borrows(r->context->user, r->op, argument);
}

// A function without a body returns an argument, memory that an argument points to, or new memory.
// The caller would own the last, but cannot tell it from the others.
static void read_given_result(const reading *r, intptr_t first, intptr_t count, int32_t id) {
  for (intptr_t a = 0; a < count; ++a) {
    MlirValue argument = mlirOperationGetOperand(r->op, first + a);
    MlirType type = mlirValueGetType(argument);
    if (!may_be_returned(r, a, type))
      continue;
    stow_ref *ref = &r->domain->refs.at[id];
    ref->origin = STOW_VIEW;
    ref->foreign = ref->part = ref->shifted = ref->given = true;
    if (stow_ir_is_buffer(type))
      stow_domain_add_view(r->domain, stow_domain_ref(r->domain, argument), id, r->place);
  }
}

static void read_borrowed_result(const reading *r, int32_t id) {
  stow_ref *ref = &r->domain->refs.at[id];
  ref->origin = STOW_VIEW;
  ref->foreign = ref->part = ref->shifted = true;
}

// By convention, the caller owns the buffers that a function returns.
static void read_call_results(const reading *r, const stow_contract *contract, intptr_t first,
                              intptr_t count) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(r->op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(r->op, i);
    if (!stow_ir_is_buffer(mlirValueGetType(result)))
      continue;
    int32_t id = stow_domain_ref(r->domain, result);
    r->domain->refs.at[id].origin = STOW_MADE;
    if (!contract)
      read_given_result(r, first, count, id);
    else if ((size_t)i < contract->result_count)
      read_known_result(r, contract, i, first);
    if (!contract && r->context->lends(r->context->user, r->op, i))
      read_borrowed_result(r, id);
  }
}

void stow_domain_read_other(stow_domain *domain, const stow_domain_context *context,
                            MlirOperation op, stow_own_place place) {
  read_wait(domain, context, op, stow_ir_look_up(&domain->names, op).traits, place);
  stow_effects effects;
  stow_effects_of(op, &effects);
  if (stow_dealloc_writes_anywhere(context, op, stow_op_facts(op), &effects))
    stow_domain_add_use(domain, -1, place, op, true);
  stow_effects_free(&effects);
}

static void read_call(const reading *r) {
  intptr_t first, count;
  stow_bridge_call_arguments(r->op, &first, &count);
  const stow_contract *contract = r->context->callee(r->context->user, r->op);
  bool may_keep = !contract && r->context->unknown_ops_escape;
  bool later = stow_ir_makes_handle(r->op) || stow_ir_starts_work_with(r->op, r->traits);
  int32_t ref;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(r->op); i < n; ++i) {
    if (!pending(r, i, &ref))
      continue;
    const stow_contract_argument *taken =
        contract ? stow_contract_argument_at(contract, r->op, i) : NULL;
    stow_domain_add_use(r->domain, ref, r->place, r->op, !taken || taken->written);
    if (later)
      stow_domain_add_escape(r->domain, ref, r->place.segment, r->op,
                             "work that goes on later uses it");
    else if (may_keep && !r->context->borrows(r->context->user, r->op, i - first))
      stow_domain_add_escape(r->domain, ref, r->place.segment, r->op,
                             "a function without a body may keep it");
    else if (taken && taken->kept)
      stow_domain_add_escape(r->domain, ref, r->place.segment, r->op, STOW_KEPT_BY_CALLEE);
    else if (taken && taken->mixed)
      stow_domain_add_managed(r->domain, ref, r->place.segment, r->op, STOW_MANAGED,
                              "some of the functions that this may call free it, and others do "
                              "not; free it in each of them, or in none");
    else if (taken && stow_contract_frees(taken))
      stow_domain_add_free(r->domain, ref, r->place, r->op);
  }
  read_call_results(r, contract, first, count);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static void read_effects(reading *r) {
  stow_effects_of(r->op, &r->effects);
  r->heap = stow_ir_allocate((size_t)mlirOperationGetNumResults(r->op), sizeof *r->heap);
  stow_bridge_heap_results(r->op, r->heap);
}

// A terminator that is no branch and no return, and ends a region of unknown control flow.
static void read_unknown_end(const reading *r) {
  int32_t ref;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(r->op); i < n; ++i)
    if (pending(r, i, &ref))
      stow_domain_add_escape(r->domain, ref, r->place.segment, r->op,
                             "it is yielded where control flow is not known");
}

static void read_plain(const reading *r) {
  read_wait(r->domain, r->context, r->op, r->traits, r->place);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(r->op); i < n; ++i)
    read_operand(r, i);
  if (!r->forwarded)
    read_results(r);
}

void stow_domain_read_op(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                         uint32_t facts, stow_own_place place, const bool *forwarded) {
  reading r = {.domain = domain, .context = context, .op = op};
  r.facts = facts;
  r.traits = stow_ir_look_up(&domain->names, op).traits;
  r.place = place;
  r.forwarded = forwarded;
  read_effects(&r);
  const uint32_t flows = STOW_OP_BRANCH | STOW_OP_REGION_BRANCH;
  if ((facts & STOW_OP_CALL) && !forwarded)
    read_call(&r);
  else if ((facts & STOW_OP_TERMINATOR) && !(facts & flows))
    read_unknown_end(&r);
  else
    read_plain(&r);
  if (!(facts & STOW_OP_TERMINATOR) && !(facts & STOW_OP_REGION_BRANCH && forwarded) &&
      stow_dealloc_writes_anywhere(context, op, facts, &r.effects))
    stow_domain_add_use(domain, -1, place, op, true);
  if ((!forwarded || (facts & STOW_OP_TERMINATOR)) && mlirOperationGetNumRegions(op) > 0)
    read_closed_regions(domain, context, op, facts, place);
  stow_effects_free(&r.effects);
  free(r.heap);
}
