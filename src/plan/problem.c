//===- problem.c - reading what a caller gives ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both structs begin with their size as the caller was compiled. A smaller one
// is from an older caller: what it lacks reads as zero. A larger one is from a
// newer caller: it is accepted as long as what is unknown here is zero, for then
// nothing that was asked for is ignored.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <assert.h>
#include <string.h>

static bool all_zero(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (bytes[i])
      return false;
  return true;
}

static bool copy_sized(void *to, size_t to_size, const void *from, size_t from_size) {
  const size_t common = from_size < to_size ? from_size : to_size;
  memset(to, 0, to_size);
  memcpy(to, from, common);
  return all_zero((const unsigned char *)from + common, from_size - common);
}

uint64_t stow_plan_problem_fixed(const stow_problem *problem, size_t buffer) {
  return problem->fixed_offsets ? problem->fixed_offsets[buffer] : STOW_ANY_OFFSET;
}

uint64_t stow_plan_problem_alignment(const stow_problem *problem, size_t buffer) {
  const uint64_t alignment = problem->buffers[buffer].alignment;
  return alignment ? alignment : 1;
}

bool stow_plan_align_up(uint64_t value, uint64_t alignment, uint64_t *out_aligned) {
  assert(alignment && (alignment & (alignment - 1)) == 0);
  if (__builtin_add_overflow(value, alignment - 1, out_aligned))
    return false;
  *out_aligned &= ~(alignment - 1);
  return true;
}

size_t stow_plan_problem_piece_count(const stow_problem *problem, size_t buffer) {
  const size_t *starts = problem->piece_starts;
  return starts ? starts[buffer + 1] - starts[buffer] : 0;
}

static bool is_good_piece(const stow_buffer *buffer, const stow_piece *piece, int64_t from) {
  const bool whole = piece->low == 0 && piece->high == 0;
  return from <= piece->begin && piece->begin < piece->end && piece->end <= buffer->end &&
         (whole || (piece->low < piece->high && piece->high <= buffer->size));
}

static bool are_good_pieces(const stow_problem *problem, size_t buffer) {
  if (!problem->piece_starts)
    return true;
  if (problem->piece_starts[buffer] > problem->piece_starts[buffer + 1])
    return false;
  int64_t from = problem->buffers[buffer].begin;
  const size_t count = stow_plan_problem_piece_count(problem, buffer);
  for (size_t i = 0; i < count; ++i) {
    const stow_piece *piece = &problem->pieces[problem->piece_starts[buffer] + i];
    if (!is_good_piece(&problem->buffers[buffer], piece, from))
      return false;
    from = piece->end;
  }
  return true;
}

static bool is_good_relation(const stow_problem *problem, const stow_relation *relation) {
  const bool has_banks = problem->bank_size && problem->space_count < 2;
  return (unsigned)relation->kind <= STOW_OTHER_BANK && relation->first != relation->second &&
         (relation->kind != STOW_OTHER_BANK || has_banks) &&
         relation->first < problem->buffer_count && relation->second < problem->buffer_count;
}

static bool has_a_space(const stow_problem *problem, size_t buffer) {
  const uint64_t exist =
      problem->space_count < 64 ? (UINT64_C(1) << problem->space_count) - 1 : UINT64_MAX;
  return (problem->allowed_spaces[buffer] & exist) != 0;
}

static stow_fault_kind fault_of_buffer(const stow_problem *problem, size_t buffer) {
  const stow_buffer *b = &problem->buffers[buffer];
  const uint64_t fixed = stow_plan_problem_fixed(problem, buffer);
  uint64_t end;
  if (b->begin >= b->end)
    return STOW_FAULT_BAD_LIFE;
  if ((b->alignment & (b->alignment - 1)) != 0)
    return STOW_FAULT_BAD_ALIGNMENT;
  if (!are_good_pieces(problem, buffer))
    return STOW_FAULT_BAD_PIECES;
  if (problem->space_count && problem->allowed_spaces && !has_a_space(problem, buffer))
    return STOW_FAULT_NO_SPACE;
  if (fixed != STOW_ANY_OFFSET && __builtin_add_overflow(fixed, b->size, &end))
    return STOW_FAULT_BAD_OFFSET;
  return STOW_FAULT_NONE;
}

static bool arrays_are_there(const stow_problem *problem) {
  return (!problem->buffer_count || problem->buffers) &&
         (!problem->relation_count || problem->relations) &&
         (!problem->space_count || problem->spaces) && problem->space_count <= STOW_MAX_SPACES &&
         (!problem->piece_starts || !problem->buffer_count || problem->pieces ||
          problem->piece_starts[problem->buffer_count] <= problem->piece_starts[0]);
}

static stow_fault fault_of(const stow_problem *problem) {
  for (size_t i = 0; i < problem->relation_count; ++i)
    if (!is_good_relation(problem, &problem->relations[i]))
      return (stow_fault){STOW_FAULT_BAD_RELATION, i, i};
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    const stow_fault_kind kind = fault_of_buffer(problem, i);
    if (kind != STOW_FAULT_NONE)
      return (stow_fault){kind, i, i};
  }
  return (stow_fault){STOW_FAULT_NONE, 0, 0};
}

static stow_status read_problem(const stow_problem *problem, stow_problem *out_problem,
                                stow_fault *out_fault) {
  const size_t least = offsetof(stow_problem, buffers) + sizeof problem->buffers;
  *out_fault = (stow_fault){STOW_FAULT_BAD_STRUCT, 0, 0};
  if (!problem || problem->struct_size < least ||
      !copy_sized(out_problem, sizeof *out_problem, problem, problem->struct_size))
    return STOW_INVALID;
  if (out_problem->buffer_count > STOW_MAX_BUFFERS ||
      out_problem->relation_count > STOW_MAX_BUFFERS)
    return STOW_OVERFLOW;
  if (!arrays_are_there(out_problem))
    return STOW_INVALID;
  *out_fault = fault_of(out_problem);
  return out_fault->kind == STOW_FAULT_NONE         ? STOW_OK
         : out_fault->kind == STOW_FAULT_BAD_OFFSET ? STOW_OVERFLOW
                                                    : STOW_INVALID;
}

stow_status stow_plan_problem_read(const stow_problem *problem, stow_problem *out_problem,
                                   stow_fault *out_fault) {
  stow_fault fault;
  const stow_status status = read_problem(problem, out_problem, &fault);
  if (out_fault)
    *out_fault = fault;
  return status;
}

stow_status stow_plan_options_read(const stow_plan_options *options,
                                   stow_plan_options *out_options) {
  memset(out_options, 0, sizeof *out_options);
  if (!options)
    return STOW_OK;
  const size_t size = options->struct_size ? options->struct_size : sizeof *options;
  if (size < sizeof options->struct_size ||
      !copy_sized(out_options, sizeof *out_options, options, size))
    return STOW_INVALID;
  if (!stow_strategy_name(out_options->strategy))
    return STOW_INVALID;
  if (out_options->rules_off >> STOW_RULE_COUNT)
    return STOW_INVALID;
  if (out_options->allocator && !out_options->allocator->reallocate)
    return STOW_INVALID;
  return STOW_OK;
}
