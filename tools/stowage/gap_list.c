//===- gap_list.c - a life's gaps, and the pieces they leave --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gap_list.h"

#include "array.h"

#include <stdlib.h>

void tool_gap_list_release(tool_gap_list *list) {
  free(list->gaps);
  free(list->pieces);
  *list = (tool_gap_list){0};
}

void tool_gap_list_clear(tool_gap_list *list) { list->count = list->piece_count = 0; }

bool tool_gap_list_add(tool_gap_list *list, const tool_gap *gap) {
  if (!tool_reserve((void **)&list->gaps, &list->capacity, list->count + 1, sizeof *gap))
    return false;
  list->gaps[list->count++] = *gap;
  return true;
}

bool tool_gap_list_add_piece(tool_gap_list *list, const stow_piece *piece) {
  if (!tool_reserve((void **)&list->pieces, &list->piece_capacity, list->piece_count + 1,
                    sizeof *piece))
    return false;
  list->pieces[list->piece_count++] = *piece;
  return true;
}

bool tool_gap_list_reaches_past(const tool_gap_list *list, const stow_buffer *life) {
  bool past = false;
  for (size_t i = 0; i < list->count; i++)
    past |= list->gaps[i].begin < life->begin || list->gaps[i].end > life->end;
  return past;
}

static int by_begin(const void *left, const void *right) {
  const tool_gap *const a = left, *const b = right;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  return (a->end > b->end) - (a->end < b->end);
}

static void cut_to(tool_gap_list *list, const stow_buffer *life) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    tool_gap gap = list->gaps[i];
    gap.begin = gap.begin > life->begin ? gap.begin : life->begin;
    gap.end = gap.end < life->end ? gap.end : life->end;
    if (gap.begin < gap.end)
      list->gaps[kept++] = gap;
  }
  list->count = kept;
}

static bool has_window(const tool_gap *gap) { return gap->low < gap->high; }

bool tool_gap_list_settle(tool_gap_list *list, const stow_buffer *life) {
  cut_to(list, life);
  if (list->count > 1)
    qsort(list->gaps, list->count, sizeof *list->gaps, by_begin);
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    const tool_gap gap = list->gaps[i];
    tool_gap *const last = kept ? &list->gaps[kept - 1] : NULL;
    const bool windowed = last && (has_window(last) || has_window(&gap));
    if (windowed && gap.begin < last->end)
      return false;
    if (last && !windowed && gap.begin <= last->end)
      last->end = gap.end > last->end ? gap.end : last->end;
    else
      list->gaps[kept++] = gap;
  }
  list->count = kept;
  return true;
}

bool tool_gap_list_make_pieces(tool_gap_list *list, const stow_buffer *life) {
  int64_t begin = life->begin;
  for (size_t i = 0; i < list->count; i++) {
    const tool_gap *const gap = &list->gaps[i];
    const stow_piece whole = {begin, gap->begin, 0, 0};
    const stow_piece window = {gap->begin, gap->end, gap->low, gap->high};
    if ((whole.begin < whole.end && !tool_gap_list_add_piece(list, &whole)) ||
        (has_window(gap) && !tool_gap_list_add_piece(list, &window)))
      return false;
    begin = gap->end;
  }
  const stow_piece rest = {begin, life->end, 0, 0};
  return !list->count || rest.begin == rest.end || tool_gap_list_add_piece(list, &rest);
}

// A window on all of the buffer is none.
static stow_piece simplest(const stow_piece *piece, const stow_buffer *life) {
  const bool all = !piece->low && piece->high == life->size;
  return (stow_piece){piece->begin, piece->end, piece->low, all ? 0 : piece->high};
}

static bool continues(const stow_piece *last, const stow_piece *next) {
  return last->end == next->begin && last->low == next->low && last->high == next->high;
}

void tool_gap_list_join_pieces(tool_gap_list *list, const stow_buffer *life) {
  size_t kept = 0;
  for (size_t i = 0; i < list->piece_count; i++) {
    const stow_piece piece = simplest(&list->pieces[i], life);
    if (kept && continues(&list->pieces[kept - 1], &piece))
      list->pieces[kept - 1].end = piece.end;
    else
      list->pieces[kept++] = piece;
  }
  const stow_piece *const first = list->pieces;
  const bool whole =
      kept == 1 && first->begin == life->begin && first->end == life->end && !first->high;
  list->piece_count = whole ? 0 : kept;
}
