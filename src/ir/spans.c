//===- spans.c - where one name is live -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mention becomes *items*, one in each segment it touches; a segment's are a list in
// their order. What is live at the beginning of a segment is live at the end of those
// before it; inside one, a new span begins wherever the name starts afresh.
//
//===----------------------------------------------------------------------===//

#include "ir/spans.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

// The segment that holds a position. Empty segments hold none.
static int32_t segment_at(const stow_flow *flow, int64_t position) {
  size_t low = 0, high = flow->control.segments.count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    *(flow->control.segments.at[middle].begin <= position ? &low : &high) = middle;
  }
  return (int32_t)low;
}

int32_t stow_ir_home_segment(const stow_flow *flow, int32_t value) {
  return segment_at(flow, flow->values.at[value].defined);
}

static stow_cells cells_for(size_t segment_count, int64_t *budget) {
  stow_cells cells = {.budget = budget};
  cells.of_segment = stow_ir_allocate(segment_count, sizeof *cells.of_segment);
  cells.listed = stow_ir_allocate(segment_count, sizeof *cells.listed);
  cells.stack = stow_ir_allocate(segment_count, sizeof *cells.stack);
  return cells;
}

static void cells_free(stow_cells *cells) {
  free(cells->of_segment);
  free(cells->listed);
  free(cells->stack);
  *cells = (stow_cells){0};
}

void stow_cells_begin(stow_cells *cells) {
  ++cells->epoch;
  cells->listed_count = cells->height = 0;
}

stow_cell *stow_cell_of(stow_cells *cells, int32_t segment) {
  stow_cell *cell = &cells->of_segment[segment];
  if (cell->epoch == cells->epoch)
    return cell;
  *cell = (stow_cell){.epoch = cells->epoch, .touch = INT64_MAX, .head = -1, .tail = -1};
  cells->listed[cells->listed_count++] = segment;
  --*cells->budget;
  return cell;
}

static int compare_segments(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return STOW_COMPARE(x, y);
}

// Mostly a name lives in most segments between its first and its last: their cells are in order.
static void sort_listed(stow_cells *cells) {
  enum { SEGMENTS_PER_LISTED = 4 };
  int32_t first = INT32_MAX, last = -1;
  for (size_t i = 0; i < cells->listed_count; ++i) {
    first = cells->listed[i] < first ? cells->listed[i] : first;
    last = cells->listed[i] > last ? cells->listed[i] : last;
  }
  if (last - first >= SEGMENTS_PER_LISTED * (int64_t)cells->listed_count) {
    stow_ir_sort(cells->listed, cells->listed_count, sizeof *cells->listed, compare_segments);
    return;
  }
  cells->listed_count = 0;
  for (int32_t s = first; s <= last; ++s)
    if (cells->of_segment[s].epoch == cells->epoch)
      cells->listed[cells->listed_count++] = s;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

static void add_item(stow_span_tracer *t, int32_t segment, stow_span_item new) {
  stow_cell *c = stow_cell_of(&t->cells, segment);
  *(c->head < 0 ? &c->head : &t->items.at[c->tail].next) = (int32_t)t->items.count;
  c->tail = (int32_t)STOW_PUSH(t->items, new);
  --t->result->budget;
}

// A mention by an op with regions is one in all segments from its first to its last.
static void place(stow_span_tracer *t, const stow_name_mention *mention) {
  int32_t first = segment_at(t->flow, mention->begin);
  int32_t last = segment_at(t->flow, mention->end - 1);
  for (int32_t s = first; s <= last && t->result->budget > 0; ++s) {
    const stow_segment *segment = &t->flow->control.segments.at[s];
    add_item(t, s,
             (stow_span_item){.begin = stow_ir_later(mention->begin, segment->begin),
                              .end = stow_ir_earlier(mention->end, segment->end),
                              .touches = mention->touches,
                              .overwrites = mention->overwrites && first == last,
                              .leaves = mention->leaves,
                              .next = -1});
  }
}

// Whether all that mentions the name at the position of item `i` overwrites it. Items of one
// position follow each other.
static bool starts_afresh(const stow_span_tracer *t, int32_t i) {
  int64_t begin = t->items.at[i].begin;
  for (; i >= 0 && t->items.at[i].begin == begin; i = t->items.at[i].next)
    if (!t->items.at[i].overwrites)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Backwards
//===----------------------------------------------------------------------===//

typedef struct origin {
  int32_t segment;
  int64_t position;
} origin;

static origin origin_of(const stow_flow *flow, int32_t name) {
  return (origin){stow_ir_home_segment(flow, name), flow->values.at[name].defined};
}

static void need_at_begin(stow_span_tracer *t, int32_t segment) {
  stow_cell *c = stow_cell_of(&t->cells, segment);
  if (c->in)
    return;
  c->in = true;
  t->cells.stack[t->cells.height++] = segment;
}

static void need_at_end(stow_span_tracer *t, int32_t segment, const origin *made) {
  stow_cell *c = stow_cell_of(&t->cells, segment);
  if (c->out)
    return;
  c->out = true;
  if (segment != made->segment && c->head < 0)
    need_at_begin(t, segment);
}

static void follow_backwards(stow_span_tracer *t, const origin *made) {
  for (size_t i = 0, n = t->cells.listed_count; i < n; ++i) {
    int32_t segment = t->cells.listed[i];
    if (segment != made->segment && !starts_afresh(t, t->cells.of_segment[segment].head))
      need_at_begin(t, segment);
  }
  while (t->cells.height > 0) {
    int32_t segment = t->cells.stack[--t->cells.height];
    STOW_EACH_OF(j, t->before, segment) {
      --t->result->budget;
      need_at_end(t, j, made);
    }
  }
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

// Control passes through empty segments, too.
static void add_span(stow_ranges *r, stow_span span) {
  if (span.begin < span.end || (span.in && span.out))
    STOW_PUSH(r->spans, span);
}

// The spans of one segment: a new one wherever the name starts afresh. `begin` is where the first
// may begin, `in` whether what it stands for lives there already.
static void split_segment(stow_span_tracer *t, int32_t segment, int64_t begin, bool in) {
  const stow_cell *c = &t->cells.of_segment[segment];
  stow_span span = {segment, begin, begin, INT64_MAX, in, false};
  for (int32_t i = c->head; i >= 0; i = t->items.at[i].next) {
    const stow_span_item *m = &t->items.at[i];
    if (m->begin > span.end && starts_afresh(t, i)) {
      add_span(t->result, span);
      span = (stow_span){segment, m->begin, m->begin, INT64_MAX, false, false};
    }
    span.end = stow_ir_later(span.end, m->end);
    span.touch = m->touches ? stow_ir_earlier(span.touch, m->begin) : span.touch;
    span.out |= m->leaves;
  }
  span.out |= c->out;
  if (c->out)
    span.end = t->flow->control.segments.at[segment].end;
  add_span(t->result, span);
}

static bool is_alloc(const stow_span_tracer *t, int32_t name) {
  return t->flow->values.at[name].alloc != STOW_NO_ALLOC;
}

void stow_ir_trace_name(stow_span_tracer *t, int32_t name) {
  stow_ranges *r = t->result;
  const origin made = origin_of(t->flow, name);
  stow_cells_begin(&t->cells);
  t->items.count = 0;
  for (int32_t m = r->names.first[name]; m < r->names.first[name + 1]; ++m)
    place(t, &r->names.mentions[m]);
  follow_backwards(t, &made);
  sort_listed(&t->cells);
  r->first_span[name] = r->spans.count;
  for (size_t i = 0; i < t->cells.listed_count; ++i) {
    int32_t s = t->cells.listed[i];
    int64_t begin = t->flow->control.segments.at[s].begin;
    if (s != made.segment)
      split_segment(t, s, begin, t->cells.of_segment[s].in);
    else // a phi lived before its segment begins
      split_segment(t, s, made.position, made.position == begin && !is_alloc(t, name));
  }
  r->span_count[name] = r->spans.count - r->first_span[name];
}

stow_span_tracer stow_span_tracer_for(const stow_flow *flow, stow_ranges *result) {
  return (stow_span_tracer){.flow = flow,
                            .result = result,
                            .before = stow_ir_predecessors_of(flow->control.jumps.at,
                                                              flow->control.jumps.count,
                                                              flow->control.segments.count),
                            .cells = cells_for(flow->control.segments.count, &result->budget)};
}

void stow_span_tracer_free(stow_span_tracer *tracer) {
  stow_index_free(&tracer->before);
  cells_free(&tracer->cells);
  free(tracer->items.at);
}
