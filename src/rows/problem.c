//===- problem.c - what src/stream schedules ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a block with statements, buffers and uses. Computes the problem of stream.h: per
// statement its iterations, per access the rows that an iteration touches, or all of them.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "ir/buffers.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static int64_t row_count(const stow_rows_buffer *buffer) {
  if (!buffer->has_rows)
    return 1;
  return mlirShapedTypeGetDimSize(mlirValueGetType(buffer->value), buffer->dim) / buffer->unit;
}

static stow_stream_buffer make_buffer(const stow_rows_buffer *buffer) {
  const int64_t rows = row_count(buffer);
  const bool local = !buffer->escapes && !buffer->passes;
  return (stow_stream_buffer){.rows = rows,
                              .row_bytes = buffer->bytes / (uint64_t)rows,
                              .bytes =
                                  buffer->given ? 0 : buffer->bytes + (local ? 0 : buffer->asked),
                              .local = local,
                              .passing = buffer->passes,
                              .scattered = buffer->scattered && !buffer->transposed};
}

// The blocks of the view that one iteration of the statement touches.
static bool in_blocks(const stow_rows_statement *s, const stow_rows_index *index,
                      const stow_rows_place *place, stow_stream_access *out) {
  int64_t low, high;
  const int64_t by = index->coefficients[s->loop];
  stow_rows_index_range(&s->loops, index, s->loop, &low, &high);
  if (place->unit > 1 || index->divisor > 1) { // whole blocks of the loop
    const int64_t block = place->unit * index->divisor;
    if (by != 1 || low != high || s->grain % block)
      return false;
    out->stride = s->grain / block;
    out->low = low;
    out->high = low + out->stride - 1;
    return place->unit == 1 || low == 0;
  }
  out->stride = by * s->grain;
  out->low = low;
  out->high = high + by * (s->grain - 1);
  return true;
}

// Rows by iterations, or false: any row in each.
static bool by_rows(const stow_rows_statement *s, const stow_rows_buffer *buffer,
                    const stow_rows_use *use, stow_stream_access *out) {
  const intptr_t dim = use->operand < 0 ? -1 : stow_rows_sliced_dim(s, use->operand);
  stow_rows_place place;
  stow_rows_index index;
  if (!buffer->has_rows || dim < 0 || !stow_rows_in_operand(s, buffer, use->operand, &place) ||
      place.dim != dim || !stow_rows_index_of(s->maps[use->operand], dim, &index) ||
      !in_blocks(s, &index, &place, out))
    return false;
  out->stride *= place.scale;
  out->low = place.scale * out->low + place.offset;
  out->high = place.scale * out->high + place.offset;
  return out->stride <= row_count(buffer); // larger: there is one iteration, and no need to know
}

// The loop adds up what is written: it is there when the last iteration is over.
static bool sums_up(const stow_rows_statement *s, const stow_rows_use *use) {
  return use->writes && use->operand >= 0 && stow_rows_sliced_dim(s, use->operand) < 0;
}

uint64_t stow_rows_again_of(const stow_rows_block *b, const stow_rows_use *use) {
  const stow_rows_statement *s = &b->statements.at[use->statement];
  stow_extent size;
  uint64_t alignment;
  if (s->loop < 0 || use->operand < 0 || stow_rows_sliced_dim(s, use->operand) >= 0)
    return 0;
  const MlirType type = mlirValueGetType(mlirOperationGetOperand(s->op, use->operand));
  return stow_ir_memref_size(&b->layout, type, &size, &alignment) == STOW_SIZE_OK ? size.bytes : 0;
}

static stow_stream_access make_access(const stow_rows_block *b, const stow_rows_use *use) {
  const stow_rows_statement *s = &b->statements.at[use->statement];
  const stow_rows_buffer *buffer = &b->buffers.at[use->buffer];
  stow_stream_access access = {
      .buffer = use->buffer, .writes = use->writes, .again = stow_rows_again_of(b, use)};
  if (s->loop < 0 || !by_rows(s, buffer, use, &access)) {
    access.whole = s->loop < 0 || !sums_up(s, use);
    access.stride = access.low = 0;
    access.high = row_count(buffer) - 1;
  }
  return access;
}

static bool reduces(const stow_rows_loops *loops) {
  bool any = false;
  for (intptr_t i = 0; i < loops->count; ++i)
    any |= !loops->parallel[i] && loops->extents[i] > 1;
  return any;
}

// Whether one point of an iteration reads each element of an operand.
static bool is_read_once(const stow_rows_statement *s, MlirAffineMap map) {
  int64_t points = s->grain;
  for (intptr_t i = 0; i < s->loops.count; ++i) {
    bool used = i == s->loop;
    for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map) && !used; ++dim)
      used = stow_rows_index_uses(map, dim, i);
    points = used || points > 1 ? points : s->loops.extents[i];
  }
  return points == 1;
}

// Of what it reads in every iteration.
static uint64_t used_once(const stow_rows_block *b, const stow_rows_statement *s) {
  uint64_t bytes = 0;
  for (size_t u = s->first_use; u < s->end_use && s->loop >= 0 && reduces(&s->loops); ++u) {
    const stow_rows_use *use = &b->uses.at[u];
    if (!use->writes && use->operand >= 0 && is_read_once(s, s->maps[use->operand]))
      bytes += stow_rows_again_of(b, use);
  }
  return bytes;
}

static int64_t iterations_of(const stow_rows_statement *s) {
  return s->loop < 0 ? 0 : s->loops.extents[s->loop] / s->grain;
}

void stow_rows_make_problem(const stow_rows_block *b, stow_rows_problem *out) {
  out->statements = stow_ir_allocate(b->statements.count, sizeof *out->statements);
  out->accesses = stow_ir_allocate(b->uses.count, sizeof *out->accesses);
  out->buffers = stow_ir_allocate(b->buffers.count, sizeof *out->buffers);
  for (size_t i = 0; i < b->buffers.count; ++i)
    out->buffers[i] = make_buffer(&b->buffers.at[i]);
  for (size_t i = 0; i < b->uses.count; ++i)
    out->accesses[i] = make_access(b, &b->uses.at[i]);
  for (size_t i = 0; i < b->statements.count; ++i) {
    const stow_rows_statement *s = &b->statements.at[i];
    out->statements[i] = (stow_stream_statement){iterations_of(s), &out->accesses[s->first_use],
                                                 s->end_use - s->first_use, used_once(b, s)};
  }
  out->problem = (stow_stream_problem){out->statements, b->statements.count, out->buffers,
                                       b->buffers.count, STOW_ARENA_ALIGNMENT};
}

void stow_rows_problem_free(stow_rows_problem *problem) {
  free(problem->statements);
  free(problem->accesses);
  free(problem->buffers);
  *problem = (stow_rows_problem){0};
}
