//===- read.c - the statements of a block, and its buffers ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation is a buffer of its own if all of its aliases are known: views in the block,
// and operands of ops that only read and write through them. Two such buffers never share
// bytes. A buffer that is returned is one of them, too, as the block ends there. So is memory of
// the caller's of which a promise says that no other name in the block reaches it (ir/alias.h).
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/linalg.h"
#include "ir/alias.h"
#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static bool accesses_only(MlirOperation op, MlirValue view) {
  if (stow_ir_is(op, STOW_MEMREF_LOAD) || stow_ir_is(op, STOW_MEMREF_COPY))
    return true;
  if (stow_ir_is(op, STOW_MEMREF_STORE))
    return !mlirValueEqual(mlirOperationGetOperand(op, 0), view);
  return stow_bridge_loop_count(op) >= 0;
}

static bool may_last(MlirOperation op) {
  return stow_ir_starts_work(op) ||
         (stow_ir_op_traits(op) & (STOW_GIVES_TOKEN | STOW_RUNS_LATER | STOW_REGIONS_MAY_LAST));
}

// Whether an op is in a statement of the block, the terminator aside, that is over when it is done.
static bool is_in_statement(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    if (may_last(op))
      return false;
    op = mlirOperationGetParentOperation(op);
  }
  return !mlirOperationIsNull(op) && !may_last(op) &&
         !mlirOperationEqual(op, mlirBlockGetTerminator(block));
}

// What its names come to: kept to the block's own ops, returned at its end, or out of sight.
typedef struct fate {
  bool lost, returned;
} fate;

static fate fate_of(MlirBlock block, MlirValue alloc) {
  fate is = {false, false};
  STOW_EACH_USE_OF_NAMES(use, alloc) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const MlirValue name = mlirOpOperandGetValue(use);
    const bool here = mlirBlockEqual(mlirOperationGetBlock(op), block);
    if (here && (stow_op_facts(op) & STOW_OP_RETURN))
      is.returned = true;
    else if (!is_in_statement(block, op))
      is.lost = true;
    else if (stow_ir_is_dealloc(op))
      is.lost |= !here || !stow_ir_is_plainly_made(name);
    else
      is.lost |= !stow_ir_makes_view(use) && !accesses_only(op, name);
    if (is.lost)
      break;
  }
  return is;
}

bool stow_rows_is_freed(MlirValue value) {
  STOW_EACH_USE(use, value)
    if (stow_ir_is_dealloc(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

bool stow_rows_is_local(MlirBlock block, MlirValue alloc) {
  const fate is = fate_of(block, alloc);
  return !is.lost && !is.returned;
}

// Unless its size or a name of it is not known.
static void add_buffer(stow_rows_block *b, stow_rows_buffer buffer) {
  const MlirType type = mlirValueGetType(buffer.value);
  stow_extent size;
  if (mlirShapedTypeGetRank(type) > STOW_ROWS_MOST_RANK ||
      stow_ir_memref_size(&b->layout, type, &size, &buffer.alignment) != STOW_SIZE_OK)
    return;
  const fate is = fate_of(b->block, buffer.value);
  if (is.lost)
    return;
  buffer.escapes = is.returned || buffer.given;
  buffer.bytes = size.bytes;
  buffer.alignment = stow_ir_larger(buffer.alignment, buffer.asked);
  stow_map_add(&b->buffer_of, buffer.value.ptr, (int32_t)STOW_PUSH(b->buffers, buffer));
}

//===----------------------------------------------------------------------===//
// Memory of the caller's
//===----------------------------------------------------------------------===//

// Whether all memory that an op touches is behind its operands, and none of it is `root`.
static bool is_elsewhere(MlirOperation op, MlirValue root, bool noalias) {
  stow_effects e;
  stow_effects_of(op, &e);
  bool elsewhere = e.other == 0 && (stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN);
  stow_effects_free(&e);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && elsewhere; ++i) {
    const MlirValue other = stow_ir_root_of(mlirOperationGetOperand(op, i));
    elsewhere = !stow_ir_is_buffer(mlirValueGetType(other)) || mlirValueEqual(other, root) ||
                !stow_ir_may_alias(other, root, noalias);
  }
  return elsewhere;
}

// Whether a promise about some memory makes `root` distinct from all that the block touches.
static bool is_apart(const stow_rows_block *b, MlirValue root) {
  STOW_EACH_OP(at, b->block)
    STOW_EACH_OP_OF(op, at)
      if (!mlirOperationEqual(op, mlirOpResultGetOwner(root)) &&
          !is_elsewhere(op, root, b->noalias))
        return false;
  return true;
}

static void add_given(stow_rows_block *b, MlirValue value) {
  if (stow_ir_can_alloc(mlirValueGetType(value)) &&
      (stow_ir_is_reached_alone(value, b->noalias) ||
       (mlirValueIsAOpResult(value) && is_apart(b, value))))
    add_buffer(b, (stow_rows_buffer){.value = value, .given = true});
}

static void add_buffers(stow_rows_block *b) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(b->block); ++i)
    add_given(b, mlirBlockGetArgument(b->block, i));
  STOW_EACH_OP(op, b->block)
    if (stow_ir_is_plain_alloc(op))
      add_buffer(b, (stow_rows_buffer){.value = mlirOperationGetResult(op, 0),
                                       .asked = stow_ir_alignment_attribute(op)});
    else
      for (intptr_t i = 0;
           (stow_ir_op_traits(op) & STOW_PROMISES_DISTINCT) && i < mlirOperationGetNumResults(op);
           ++i)
        add_given(b, mlirOperationGetResult(op, i));
}

// The buffer behind a memref.
static size_t buffer_of(const stow_rows_block *b, MlirValue value) {
  const int32_t known = stow_map_get(&b->buffer_of, stow_ir_root_of(value).ptr);
  return known >= 0 ? (size_t)known : STOW_ROWS_OUTSIDE;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static void add_use(stow_rows_block *b, size_t buffer, intptr_t operand, bool writes) {
  const stow_rows_use use = {b->statements.count - 1, buffer, operand, writes};
  STOW_PUSH(b->uses, use);
}

static void add_counted(stow_rows_block *b, MlirValue value) {
  const int32_t counted = stow_map_get(&b->counted_of, stow_ir_root_of(value).ptr);
  if (counted >= 0)
    add_use(b, (size_t)counted, -1, false);
}

static void add_memory(stow_rows_block *b, MlirValue memref, intptr_t operand, bool writes) {
  if (!stow_ir_is_buffer(mlirValueGetType(memref)))
    return;
  add_use(b, buffer_of(b, memref), operand, writes);
  add_counted(b, memref);
}

bool stow_rows_depends_on(MlirOperation root, const stow_map *makers) {
  STOW_EACH_OP_OF(op, root)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      if (mlirValueIsAOpResult(operand) &&
          stow_map_get(makers, mlirOpResultGetOwner(operand).ptr) >= 0)
        return true;
    }
  return false;
}

// What a statement without loops may touch: each buffer that it names, and all memory of no name.
static void touch_operands(stow_rows_block *b, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    add_memory(b, mlirOperationGetOperand(op, i), -1, !stow_ir_is(op, STOW_MEMREF_LOAD));
}

// No op in a body of loops does more than compute and load, or asks for the index where it cannot
// be told another: where the body does not stand in the op's text, so that it may not be changed.
static bool body_is_plain(MlirOperation loops) {
  const bool printed = stow_ir_is(loops, STOW_LINALG_GENERIC) || stow_ir_is(loops, STOW_LINALG_MAP);
  STOW_EACH_OP_OF(op, loops) {
    const bool index = stow_ir_is(op, STOW_LINALG_INDEX) &&
                       !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0)));
    if (!mlirOperationEqual(op, loops) &&
        ((index && !printed) ||
         !(stow_ir_is(op, STOW_MEMREF_LOAD) || stow_bridge_op_has_no_effect(op))))
      return false;
  }
  return true;
}

bool stow_rows_has_loops(MlirOperation op) {
  stow_rows_loops loops;
  return stow_rows_loops_of(op, &loops) && body_is_plain(op);
}

// Also what a body loads by other names than its op's operands.
static void touch_loops(stow_rows_block *b, MlirOperation loops) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loops); ++i)
    add_memory(b, mlirOperationGetOperand(loops, i), i, stow_bridge_loop_writes(loops, i));
  STOW_EACH_OP_OF(op, loops)
    if (stow_ir_is(op, STOW_MEMREF_LOAD))
      touch_operands(b, op);
}

// One buffer that a statement writes by one name and touches by another, or in another place, keeps
// it from being split.
static bool touches_twice(const stow_rows_block *b, const stow_rows_statement *s) {
  for (size_t i = s->first_use; i < s->end_use; ++i)
    for (size_t k = s->first_use; k < i; ++k) {
      const stow_rows_use *a = &b->uses.at[i], *c = &b->uses.at[k];
      if (a->buffer == c->buffer && (a->writes || c->writes) &&
          (a->operand < 0 || a->buffer == STOW_ROWS_OUTSIDE ||
           !mlirValueEqual(mlirOperationGetOperand(s->op, a->operand),
                           mlirOperationGetOperand(s->op, c->operand)) ||
           !mlirAffineMapEqual(s->maps[a->operand], s->maps[c->operand]) ||
           !mlirAffineMapIsProjectedPermutation(s->maps[a->operand])))
        return true;
    }
  return false;
}

// `tainted`: ops that depend on what statements compute.
static void add_statement(stow_rows_block *b, stow_map *tainted, MlirOperation op) {
  stow_rows_statement s = {.op = op, .loop = -1, .first_use = b->uses.count};
  s.has_loops = stow_rows_loops_of(op, &s.loops) && body_is_plain(op);
  if (s.has_loops) {
    s.maps = stow_ir_allocate((size_t)mlirOperationGetNumOperands(op), sizeof *s.maps);
    stow_bridge_loop_maps(op, s.maps);
  }
  const size_t at = STOW_PUSH(b->statements, s);
  stow_map_add(&b->statement_of, op.ptr, (int32_t)at);
  const bool depends = stow_rows_depends_on(op, tainted);
  if (s.has_loops) {
    touch_loops(b, op);
  } else {
    STOW_EACH_OP_OF(inside, op)
      touch_operands(b, inside);
    if (!stow_ir_is_allocation(op))
      add_use(b, STOW_ROWS_OUTSIDE, -1, !stow_ir_is(op, STOW_MEMREF_LOAD));
    for (intptr_t i = 0; stow_bridge_op_is_call(op) && i < mlirOperationGetNumResults(op); ++i)
      add_counted(b, mlirOperationGetResult(op, i));
  }
  if (depends || mlirOperationGetNumResults(op) > 0)
    add_use(b, STOW_ROWS_VALUES, -1, mlirOperationGetNumResults(op) > 0);
  b->statements.at[at].end_use = b->uses.count;
  if (b->statements.at[at].has_loops && touches_twice(b, &b->statements.at[at]))
    b->statements.at[at].has_loops = false;
  if (mlirOperationGetNumResults(op) > 0)
    stow_map_add(tainted, op.ptr, 1);
}

static bool is_alloc(const stow_rows_block *b, MlirOperation op) {
  return stow_ir_is_plain_alloc(op) &&
         stow_map_get(&b->buffer_of, mlirOperationGetResult(op, 0).ptr) >= 0;
}

static bool is_dealloc(const stow_rows_block *b, MlirOperation op) {
  return stow_ir_is_dealloc(op) &&
         buffer_of(b, mlirOperationGetOperand(op, 0)) != STOW_ROWS_OUTSIDE;
}

static void add_op(stow_rows_block *b, stow_map *tainted, MlirOperation op) {
  if (is_alloc(b, op) || is_dealloc(b, op))
    return;
  if (!stow_bridge_op_has_no_effect(op))
    add_statement(b, tainted, op);
  else if (stow_rows_depends_on(op, tainted))
    stow_map_add(tainted, op.ptr, 1);
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

static void sort_by_buffer(stow_rows_block *b) {
  size_t *begins = b->buffer_begins = stow_ir_allocate(b->buffers.count + 2, sizeof *begins);
  b->by_buffer = stow_ir_allocate(b->uses.count, sizeof *b->by_buffer);
  for (size_t i = 0; i < b->uses.count; ++i)
    ++begins[b->uses.at[i].buffer + 2];
  for (size_t i = 2; i < b->buffers.count + 2; ++i)
    begins[i] += begins[i - 1];
  for (size_t i = 0; i < b->uses.count; ++i)
    b->by_buffer[begins[b->uses.at[i].buffer + 1]++] = i;
}

void stow_rows_read(MlirBlock block, const stow_layout *layout, bool noalias,
                    stow_rows_block *out) {
  *out = (stow_rows_block){.block = block, .layout = *layout, .noalias = noalias};
  for (size_t i = 0; i < STOW_ROWS_FIRST_ALLOC; ++i)
    STOW_PUSH(out->buffers, (stow_rows_buffer){.escapes = true});
  add_buffers(out);
  stow_rows_add_counted(out, layout);
  stow_map tainted = {0};
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    add_op(out, &tainted, op);
  stow_map_free(&tainted);
  sort_by_buffer(out);
}

void stow_rows_block_free(stow_rows_block *block) {
  for (size_t i = 0; i < block->statements.count; ++i)
    free(block->statements.at[i].maps);
  free(block->buffers.at);
  free(block->statements.at);
  free(block->uses.at);
  free(block->by_buffer);
  free(block->buffer_begins);
  stow_map_free(&block->buffer_of);
  stow_map_free(&block->counted_of);
  stow_map_free(&block->statement_of);
  *block = (stow_rows_block){0};
}
