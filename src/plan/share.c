//===- share.c - whether buffers may start at one offset ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over the pieces of the lives by begin, each against those still alive.
//
//===----------------------------------------------------------------------===//

#include "bonds.h"
#include "limits.h"
#include "sort.h"

struct living {
  int64_t begin, end;
  uint64_t low, high;
  uint32_t buffer;
};

struct stow_sharing {
  const stow_problem *problem;
  stow_relations relations;
  const uint32_t *first_may, *may; // per buffer and one more; those it may colocate with, ascending
  struct living *living;           // scratch, per piece
  stow_sort_pair *pairs, *scratch;
  uint32_t *alive;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static size_t count_pieces(const stow_problem *problem) {
  size_t count = 0;
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    const size_t pieces = stow_plan_problem_piece_count(problem, i);
    count += pieces ? pieces : 1;
  }
  return count;
}

stow_sharing *stow_sharing_create(const stow_problem *problem, stow_memory *memory) {
  const size_t count = count_pieces(problem);
  stow_sharing *sharing = STOW_TAKE_ZEROED(memory, stow_sharing, 1);
  if (!sharing)
    return NULL;
  sharing->problem = problem;
  sharing->living = STOW_TAKE(memory, struct living, count);
  sharing->pairs = STOW_TAKE(memory, stow_sort_pair, count);
  sharing->scratch = STOW_TAKE(memory, stow_sort_pair, count);
  sharing->alive = STOW_TAKE(memory, uint32_t, count);
  if (!sharing->living || !sharing->pairs || !sharing->scratch || !sharing->alive ||
      stow_relations_read(problem, NULL, memory, &sharing->relations) != STOW_OK ||
      stow_plan_list_related(problem, STOW_MAY_COLOCATE, memory, &sharing->first_may,
                             &sharing->may) != STOW_OK)
    return NULL;
  return sharing;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static bool may_start_together(const stow_sharing *sharing, const struct living *x,
                               const struct living *y) {
  const uint32_t *class_of = sharing->relations.class_of, a = x->buffer, b = y->buffer;
  return x->low >= y->high || y->low >= x->high || a == b ||
         (class_of && class_of[a] == class_of[b]) ||
         stow_plan_are_exclusive(&sharing->relations, a, b) ||
         stow_plan_are_related(sharing->first_may, sharing->may, a, b);
}

static uint32_t list_living(stow_sharing *sharing, const uint32_t *buffers, uint32_t count) {
  const stow_problem *problem = sharing->problem;
  uint32_t made = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const stow_buffer *buffer = &problem->buffers[buffers[i]];
    const size_t pieces = stow_plan_problem_piece_count(problem, buffers[i]);
    if (buffer->size && !pieces)
      sharing->living[made++] =
          (struct living){buffer->begin, buffer->end, 0, buffer->size, buffers[i]};
    for (size_t k = 0; buffer->size && k < pieces; ++k) {
      const stow_piece *piece = &problem->pieces[problem->piece_starts[buffers[i]] + k];
      sharing->living[made++] =
          (struct living){piece->begin, piece->end, piece->low,
                          piece->high ? piece->high : buffer->size, buffers[i]};
    }
  }
  for (uint32_t i = 0; i < made; ++i)
    sharing->pairs[i] = (stow_sort_pair){stow_plan_sort_signed(sharing->living[i].begin), i};
  stow_sort_pairs(sharing->pairs, sharing->scratch, made);
  return made;
}

bool stow_plan_may_share(stow_sharing *sharing, const uint32_t *buffers, uint32_t count,
                         uint64_t *inout_effort, bool *out_settled) {
  const uint32_t living = list_living(sharing, buffers, count);
  uint32_t alive_count = 0, looked_at = 0;
  bool may = true;
  for (uint32_t i = 0; i < living && may && looked_at < STOW_SHARE_MOST_PAIRS; ++i) {
    const struct living *begun = &sharing->living[sharing->pairs[i].index];
    uint32_t kept = 0;
    looked_at += alive_count;
    for (uint32_t k = 0; k < alive_count; ++k) {
      const struct living *other = &sharing->living[sharing->alive[k]];
      if (other->end <= begun->begin)
        continue;
      sharing->alive[kept++] = sharing->alive[k];
      may = may && may_start_together(sharing, other, begun);
    }
    sharing->alive[kept] = sharing->pairs[i].index;
    alive_count = kept + 1;
  }
  *inout_effort += looked_at + 8 * (uint64_t)living + count;
  *out_settled = !may || looked_at < STOW_SHARE_MOST_PAIRS;
  return may && *out_settled;
}
