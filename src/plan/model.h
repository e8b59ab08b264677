//===- model.h - a problem as the planner works on it ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies do not see buffers but *blocks*, and not program points but
// *sections*.
//
// A section is a stretch of time whose set of live buffers is contained in no
// other's: as time passes, a new one opens at the first begin after an end. Two
// lives meet in time exactly if they meet in a section, so nothing else of the
// time axis matters. There are at most as many sections as pieces of lives.
//
// A block is what moves as one and gets one offset: the buffers that must start
// together, which is nearly always one. Each piece of their lives is a *span*:
// bytes [offset + low, offset + high) in a range of sections. A buffer without
// bytes makes no block unless it is bound to others.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_MODEL_H
#define STOWAGE_PLAN_MODEL_H

#include "banks.h"
#include "memory.h"
#include "problem.h"

#define STOW_NO_BLOCK UINT32_MAX

typedef struct stow_plan_span {
  uint32_t begin, end; // sections [begin, end), not empty
  uint32_t buffer;     // whose piece it is
  uint64_t low, high;  // bytes from the block's offset, low < high
} stow_plan_span;

typedef struct stow_plan_block {
  const stow_plan_span *spans; // by begin; those of one buffer are disjoint in time
  uint32_t span_count;         // 0 only for a block without bytes
  uint64_t size;               // bytes, the largest of its buffers
  uint64_t alignment;          // bytes, at least 1
  uint64_t fixed;              // required offset or STOW_ANY_OFFSET
  int64_t begin, end;          // first program point of its spans, one past the last
  uint64_t duration;           // program points, all pieces together
} stow_plan_block;

struct stow_gaps;

typedef struct stow_model {
  const stow_problem *problem;
  stow_relations relations;
  uint32_t block_count, section_count;
  stow_plan_block *blocks;
  const int64_t *section_points; // per section, the first program point at which it is full
  const uint32_t *block_of;      // per buffer, its block or STOW_NO_BLOCK
  uint64_t fixed_end;            // the arena is no smaller: largest end of a buffer that is fixed
  uint64_t common_alignment;     // every block's is a multiple of it
  stow_banks banks;              // pairs of blocks that must lie in different ones
  const struct stow_gaps *gaps;  // between all blocks, where these are not flat and meet little
  bool simple;        // every block has one span from low 0 to its size, no exclusives, no banks
  bool flat;          // every span begins at low 0
  bool has_fixed;     // some block is
  bool bonds_decided; // of pairs that may colocate, it is known which do
  bool contradictory; // what is fixed or bound together cannot be: no plan exists
} stow_model;

// Which part of a problem is meant: buffers with `included` not 0 (NULL: all), and the pairs that
// may colocate and do, as stow_relations_read has them.
typedef struct stow_selection {
  const unsigned char *included, *bonds;
} stow_selection;

// Builds the model of a problem that stow_plan_problem_read has accepted. It lives as long as
// `memory`.
stow_status stow_plan_model_build(const stow_problem *problem, const stow_selection *selection,
                                  stow_memory *memory, stow_model *out_model);

// The same of a few buffers, ascending: what is read of the others is that they have no block.
stow_status stow_plan_model_build_of(const stow_problem *problem, const uint32_t *buffers,
                                     uint32_t count, const unsigned char *bonds,
                                     stow_memory *memory, stow_model *out_model);

// Writes the offset of every included buffer from the offset of every block, and returns the
// arena's size.
uint64_t stow_plan_model_offsets(const stow_model *model, const stow_selection *selection,
                                 const uint64_t *block_offsets, uint64_t *out_offsets);

// The arena's size alone.
uint64_t stow_plan_model_arena(const stow_model *model, const uint64_t *block_offsets);

// The largest number that divides both; of 0 and a number, the number.
static inline uint64_t stow_plan_common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

#endif // STOWAGE_PLAN_MODEL_H
