//===- effects.c - what an op does to the places it is given --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operand that points into an arena is read, written, or becomes a result. An
// op of unknown effects does all three. A result that is neither a number nor a
// memref (a pointer, a token) is the place it was made from, and whatever uses it
// reads and writes there.
//
//===----------------------------------------------------------------------===//

#include "check/program.h"

#include "ir/kinds.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

int32_t stow_check_op_add(stow_check_program *program, MlirOperation op) {
  if (program->op_count > 0 && mlirOperationEqual(program->ops[program->op_count - 1], op))
    return (int32_t)program->op_count - 1;
  program->ops =
      stow_grow(program->ops, program->op_count, &program->op_capacity, sizeof *program->ops);
  program->ops[program->op_count] = op;
  return (int32_t)program->op_count++;
}

static void add_event(stow_check_program *program, stow_check_event event) {
  program->events = stow_grow(program->events, program->event_count, &program->event_capacity,
                              sizeof *program->events);
  program->events[program->event_count++] = event;
}

void stow_check_define_add(stow_check_program *program, int32_t name) {
  add_event(program, (stow_check_event){.kind = STOW_CHECK_EVENT_DEFINE, .op = -1, .name = name});
}

static void add_access(stow_check_program *program, stow_check_access access) {
  program->accesses = stow_grow(program->accesses, program->access_count, &program->access_capacity,
                                sizeof *program->accesses);
  program->accesses[program->access_count++] = access;
}

// Makes an event of the accesses since `first`, if there are any.
static void close_event(stow_check_program *program, stow_check_event_kind kind, MlirOperation op,
                        size_t first) {
  if (program->access_count > first)
    add_event(program, (stow_check_event){.kind = kind,
                                          .op = stow_check_op_add(program, op),
                                          .name = STOW_CHECK_NO_NAME,
                                          .first = first,
                                          .count = program->access_count - first});
}

static void escape(stow_check_program *program, stow_check_place place) {
  program->escaped = stow_grow(program->escaped, program->escaped_count, &program->escaped_capacity,
                               sizeof *program->escaped);
  program->escaped[program->escaped_count++] = place;
}

static stow_check_place place_of_operand(const stow_check_program *program, MlirOperation op,
                                         intptr_t index) {
  return stow_check_place_of(program, mlirOperationGetOperand(op, index));
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

typedef struct effects {
  uint8_t *operands, *results, other;
  bool *forwarded; // per operand: edges tell what becomes of it
  bool known, any, writes;
} effects;

static effects effects_of(MlirOperation op, uint32_t facts) {
  const uint32_t forwarding = STOW_OP_BRANCH | STOW_OP_REGION_BRANCH | STOW_OP_REGION_TERMINATOR;
  size_t operands = (size_t)mlirOperationGetNumOperands(op);
  size_t results = (size_t)mlirOperationGetNumResults(op);
  effects e = {.operands = stow_allocate(operands, 1),
               .results = stow_allocate(results, 1),
               .forwarded = stow_allocate(operands, sizeof *e.forwarded),
               .known = facts & STOW_OP_EFFECTS_KNOWN};
  if (e.known)
    stow_op_effects(op, e.operands, e.results, &e.other);
  if (facts & forwarding)
    stow_forwarded_operands(op, e.forwarded);
  unsigned all = e.other;
  for (size_t i = 0; i < operands; ++i)
    all |= e.operands[i];
  for (size_t i = 0; i < results; ++i)
    all |= e.results[i];
  e.any = all != 0 || !e.known;
  e.writes = (all & (STOW_WRITE | STOW_FREE)) || !e.known;
  return e;
}

static void effects_free(effects *e) { free(e->operands), free(e->results), free(e->forwarded); }

static bool has_one_element(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i)
    if (mlirShapedTypeIsDynamicDim(type, i) || mlirShapedTypeGetDimSize(type, i) != 1)
      return false;
  return true;
}

static bool fills(MlirOperation op, intptr_t operand, stow_check_place place, uint8_t mask) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  bool whole = stow_overwrites(op, mlirOperationGetOperand(op, operand)) ||
               (has_one_element(type) && stow_op_is(op, "memref.store"));
  return place.dense && whole && mask == STOW_WRITE;
}

static uint8_t mask_of(const effects *e, MlirOperation op, intptr_t operand) {
  bool memref = stow_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, operand)));
  if (!e->known || (e->any && !memref))
    return STOW_READ | STOW_WRITE;
  uint8_t mask = e->operands[operand];
  return mask ? mask : e->other;
}

// Started by the op, and nothing that it returns tells of the end.
static bool works_later(MlirOperation op) {
  return stow_starts_work(op) && !stow_makes_handle(op) && !stow_op_has_prefix(op, "async.");
}

static void access_operand(stow_check_program *program, MlirOperation op, const effects *e,
                           intptr_t operand) {
  stow_check_place place = place_of_operand(program, op, operand);
  if (place.name == STOW_CHECK_NO_NAME || e->forwarded[operand] || !e->any)
    return;
  uint8_t mask = mask_of(e, op, operand);
  bool later = works_later(op);
  if (later || (mask == 0 && e->writes))
    escape(program, place);
  if (later)
    mask = STOW_READ | STOW_WRITE;
  if (mask)
    add_access(program, (stow_check_access){.place = place,
                                            .reads = mask & (STOW_READ | STOW_FREE),
                                            .writes = mask & STOW_WRITE,
                                            .fills = fills(op, operand, place, mask)});
}

static void access_operands(stow_check_program *program, MlirOperation op, const effects *e) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    access_operand(program, op, e, i);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// Pure ops make numbers of addresses, too; others only handles.
static bool may_be_operand(MlirOperation op, const effects *e, intptr_t result) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, result));
  if (e->results[result] & STOW_ALLOCATE)
    return false;
  return stow_check_is_followed(type) || (!e->any && !stow_tells_shape(op));
}

// Which operands may be the result, one entry per operand.
static bool *sources_of(stow_check_program *program, MlirOperation op, uint32_t facts,
                        intptr_t result) {
  intptr_t n = mlirOperationGetNumOperands(op), first = 0, count = 0;
  bool *may_be = stow_allocate((size_t)n, sizeof *may_be);
  uint32_t arguments = UINT32_MAX;
  if (facts & STOW_OP_CALL) {
    stow_call_arguments(op, &first, &count);
    arguments = stow_check_returned_arguments(program, op, result);
  }
  for (intptr_t i = 0; i < n; ++i) {
    intptr_t bit = i - first < 31 ? i - first : 31;
    bool argument = i >= first && i < first + count;
    may_be[i] = place_of_operand(program, op, i).name != STOW_CHECK_NO_NAME &&
                (!argument || (arguments >> bit & 1));
  }
  return may_be;
}

static void follow_result(stow_check_program *program, MlirOperation op, uint32_t facts,
                          intptr_t index) {
  MlirValue result = mlirOperationGetResult(op, index);
  bool *may_be = sources_of(program, op, facts, index);
  stow_check_place only = {.name = STOW_CHECK_NO_NAME};
  intptr_t count = 0, n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i)
    if (may_be[i])
      only = place_of_operand(program, op, i), ++count;
  only.exact = only.dense = false;
  if (count == 1)
    stow_check_place_set(program, result, only);
  int32_t choice = count > 1 ? stow_check_choice_add(program, result, -1) : STOW_CHECK_NO_NAME;
  for (intptr_t i = 0; i < n && count > 1; ++i)
    if (may_be[i])
      stow_check_source_add(program, -1, mlirOperationGetOperand(op, i), result);
  if (count > 1)
    stow_check_define_add(program, choice);
  free(may_be);
}

static void follow_results(stow_check_program *program, MlirOperation op, uint32_t facts,
                           const effects *e) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (may_be_operand(op, e, i))
      follow_result(program, op, facts, i);
    if (stow_check_place_of(program, result).name != STOW_CHECK_NO_NAME)
      continue;
    stow_check_root_find(program, result);
    int32_t root = stow_check_place_of(program, result).name;
    if (root != STOW_CHECK_NO_NAME && (e->results[i] & STOW_ALLOCATE))
      stow_check_define_add(program, root);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

typedef struct payload {
  stow_check_program *program;
  MlirOperation around;
} payload;

static MlirWalkResult visit_payload(MlirOperation op, void *user) {
  const payload *p = user;
  if (mlirOperationEqual(op, p->around))
    return MlirWalkResultAdvance;
  effects e = effects_of(op, stow_op_facts(op));
  access_operands(p->program, op, &e);
  effects_free(&e);
  return MlirWalkResultAdvance;
}

// What the region of a linalg op captures is read and written by the op as a whole.
static void access_payload(stow_check_program *program, MlirOperation op) {
  payload p = {program, op};
  mlirOperationWalk(op, visit_payload, &p, MlirWalkPreOrder);
}

// What the terminator of a function is given, the caller reads.
static void access_returned(stow_check_program *program, MlirOperation op, const effects *e) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    stow_check_place place = place_of_operand(program, op, i);
    if (place.name != STOW_CHECK_NO_NAME && !e->forwarded[i] && !e->any)
      add_access(program, (stow_check_access){.place = place, .reads = true});
  }
}

static void add_settled_source(stow_check_program *program, int32_t choice,
                               stow_check_place place) {
  if (place.name == STOW_CHECK_NO_NAME)
    return;
  MlirValue none = {NULL};
  stow_check_source_add(program, -1, none, none);
  program->sources[program->source_count - 1].choice = choice;
  program->sources[program->source_count - 1].place = place;
}

// A token joins a group: who waits for the group from here on waits for the token, too.
static void join_group(stow_check_program *program, MlirOperation op) {
  MlirValue group = mlirOperationGetOperand(op, 1);
  stow_check_place token = place_of_operand(program, op, 0),
                   before = stow_check_place_of(program, group);
  if (token.name == STOW_CHECK_NO_NAME)
    return;
  int32_t choice = stow_check_choice_add(program, group, -1);
  add_settled_source(program, choice, token);
  add_settled_source(program, choice, before);
  stow_check_define_add(program, choice);
}

static void add_plain(stow_check_program *program, MlirOperation op, uint32_t facts) {
  size_t first = program->access_count;
  effects e = effects_of(op, facts);
  access_operands(program, op, &e);
  if (facts & STOW_OP_TERMINATOR)
    access_returned(program, op, &e);
  if (facts & STOW_OP_STRUCTURED)
    access_payload(program, op);
  close_event(program, STOW_CHECK_EVENT_ACCESS, op, first);
  if (!(facts & STOW_OP_REGION_BRANCH))
    follow_results(program, op, facts, &e);
  effects_free(&e);
}

void stow_check_effects_add(stow_check_program *program, MlirOperation op, uint32_t facts) {
  if (stow_check_view_follow(program, op))
    return;
  if (stow_op_is(op, "async.add_to_group")) {
    join_group(program, op);
  } else if (facts & STOW_OP_DEALLOC) {
    size_t first = program->access_count;
    stow_check_place place = place_of_operand(program, op, 0);
    if (place.name != STOW_CHECK_NO_NAME)
      add_access(program, (stow_check_access){.place = place});
    close_event(program, STOW_CHECK_EVENT_FREE, op, first);
  } else {
    add_plain(program, op, facts);
  }
}
