//===- ranges.c - when exactly buffers are live ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes over the same scratch, a *cell* per segment, which counts only while it
// carries the current epoch: first a name's, then, of all names together, a buffer's.
//
//===----------------------------------------------------------------------===//

#include "ir/ranges.h"

#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

// Steps per segment, use and value of the flow, and for any flow: some milliseconds.
enum { STEPS_EACH = 16, STEPS_AT_LEAST = 500000 };

enum { STEPS_PER_SPAN = 4 };

// More pieces than this are one.
enum { MAX_PIECES = 64 };

typedef struct item { // a mention in one segment
  int64_t begin, end;
  bool touches, overwrites, leaves;
  int32_t next;
} item;

typedef struct cell {
  uint32_t epoch;
  bool in, out, reached;
  int32_t head, tail; // of items
  int64_t touch;
} cell;

typedef struct tracer {
  const stow_flow *flow;
  const stow_life *lives;
  stow_ranges *result;
  stow_graph edges;         // between values
  stow_index before, after; // segments by segment, along the jumps
  cell *cells;              // per segment
  uint32_t epoch;           //
  int32_t *listed;          // segments with a current cell
  size_t listed_count;      //
  int32_t *stack;           // segments
  size_t height;            //
  item *items;              // of the current name
  size_t item_count, item_capacity;
  uint32_t *seen; // per value: the last buffer whose names were collected through it
  int32_t *values;
  stow_span *spans; // of the current buffer
  size_t span_count, span_capacity;
} tracer;

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

// The segment that holds a position. Empty segments hold none.
static int32_t segment_at(const stow_flow *flow, int64_t position) {
  size_t low = 0, high = flow->segment_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    *(flow->segments[middle].begin <= position ? &low : &high) = middle;
  }
  return (int32_t)low;
}

// The segment's cell, made current.
static cell *cell_of(tracer *t, int32_t segment) {
  cell *c = &t->cells[segment];
  if (c->epoch == t->epoch)
    return c;
  *c = (cell){.epoch = t->epoch, .head = -1, .tail = -1, .touch = INT64_MAX};
  t->listed[t->listed_count++] = segment;
  --t->result->budget;
  return c;
}

static void begin_epoch(tracer *t) {
  ++t->epoch;
  t->listed_count = t->height = t->item_count = 0;
}

static int compare_segments(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void sort_listed(tracer *t) {
  qsort(t->listed, t->listed_count, sizeof *t->listed, compare_segments);
}

//===----------------------------------------------------------------------===//
// A name
//===----------------------------------------------------------------------===//

static void add_item(tracer *t, int32_t segment, item new) {
  cell *c = cell_of(t, segment);
  t->items = stow_grow(t->items, t->item_count, &t->item_capacity, sizeof *t->items);
  t->items[t->item_count] = new;
  *(c->head < 0 ? &c->head : &t->items[c->tail].next) = (int32_t)t->item_count;
  c->tail = (int32_t)t->item_count++;
  --t->result->budget;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// A mention by an op with regions is one in all segments from its first to its last.
static void place(tracer *t, const stow_mention *mention) {
  int32_t first = segment_at(t->flow, mention->begin);
  int32_t last = segment_at(t->flow, mention->end - 1);
  for (int32_t s = first; s <= last && t->result->budget > 0; ++s) {
    const stow_segment *segment = &t->flow->segments[s];
    add_item(t, s,
             (item){.begin = larger(mention->begin, segment->begin),
                    .end = smaller(mention->end, segment->end),
                    .touches = mention->touches,
                    .overwrites = mention->overwrites && first == last,
                    .leaves = mention->leaves,
                    .next = -1});
  }
}

// Whether all that mentions the name at the position of item `i` overwrites it. Items of one
// position follow each other.
static bool starts_afresh(const tracer *t, int32_t i) {
  int64_t begin = t->items[i].begin;
  for (; i >= 0 && t->items[i].begin == begin; i = t->items[i].next)
    if (!t->items[i].overwrites)
      return false;
  return true;
}

typedef struct origin {
  int32_t segment;
  int64_t position;
} origin;

static origin origin_of(const tracer *t, int32_t name) {
  int64_t position = t->flow->values[name].defined;
  return (origin){segment_at(t->flow, position), position};
}

static void need_at_begin(tracer *t, int32_t segment) {
  cell *c = cell_of(t, segment);
  if (!c->in)
    c->in = true, t->stack[t->height++] = segment;
}

static void need_at_end(tracer *t, int32_t segment, const origin *made) {
  cell *c = cell_of(t, segment);
  if (c->out)
    return;
  c->out = true;
  if (segment != made->segment && c->head < 0)
    need_at_begin(t, segment);
}

static void follow_backwards(tracer *t, const origin *made) {
  for (size_t i = 0, n = t->listed_count; i < n; ++i) {
    int32_t segment = t->listed[i];
    if (segment != made->segment && !starts_afresh(t, t->cells[segment].head))
      need_at_begin(t, segment);
  }
  while (t->height > 0) {
    int32_t segment = t->stack[--t->height];
    for (int32_t j = t->before.first[segment]; j < t->before.first[segment + 1]; ++j) {
      --t->result->budget;
      need_at_end(t, t->before.items[j], made);
    }
  }
}

// Control passes through empty segments, too.
static void add_span(stow_ranges *r, stow_span span) {
  if (span.begin >= span.end && !(span.in && span.out))
    return;
  r->spans = stow_grow(r->spans, r->total_spans, &r->span_capacity, sizeof *r->spans);
  r->spans[r->total_spans++] = span;
}

// The spans of one segment: a new one wherever the name starts afresh. `begin` is where the first
// may begin, `in` whether what it stands for lives there already.
static void cut_segment(tracer *t, int32_t segment, int64_t begin, bool in) {
  const cell *c = &t->cells[segment];
  stow_span span = {segment, begin, begin, INT64_MAX, in, false};
  for (int32_t i = c->head; i >= 0; i = t->items[i].next) {
    const item *m = &t->items[i];
    if (m->begin > span.end && starts_afresh(t, i)) {
      add_span(t->result, span);
      span = (stow_span){segment, m->begin, m->begin, INT64_MAX, false, false};
    }
    span.end = larger(span.end, m->end);
    span.touch = m->touches ? smaller(span.touch, m->begin) : span.touch;
    span.out |= m->leaves;
  }
  span.out |= c->out;
  if (c->out)
    span.end = t->flow->segments[segment].end;
  add_span(t->result, span);
}

static bool is_alloc(const tracer *t, int32_t name) {
  return t->flow->values[name].alloc != STOW_NO_ALLOC;
}

static void trace_name(tracer *t, int32_t name) {
  stow_ranges *r = t->result;
  const origin made = origin_of(t, name);
  begin_epoch(t);
  for (int32_t m = r->names.first[name]; m < r->names.first[name + 1]; ++m)
    place(t, &r->names.mentions[m]);
  follow_backwards(t, &made);
  sort_listed(t);
  r->first_span[name] = r->total_spans;
  for (size_t i = 0; i < t->listed_count; ++i) {
    int32_t s = t->listed[i];
    int64_t begin = t->flow->segments[s].begin;
    if (s != made.segment)
      cut_segment(t, s, begin, t->cells[s].in);
    else // what control hands over at the beginning of a segment lived before
      cut_segment(t, s, made.position, made.position == begin && !is_alloc(t, name));
  }
  r->span_count[name] = r->total_spans - r->first_span[name];
}

//===----------------------------------------------------------------------===//
// A buffer
//===----------------------------------------------------------------------===//

static void add_name(stow_ranges *r, int32_t name) {
  r->alloc_names =
      stow_grow(r->alloc_names, r->name_count, &r->name_capacity, sizeof *r->alloc_names);
  r->alloc_names[r->name_count++] = name;
}

// The names that a buffer may go by. A value is its name's first where it leads it.
static void collect_names(tracer *t, int32_t alloc) {
  const uint32_t mark = (uint32_t)alloc + 1;
  size_t height = 0;
  t->seen[t->flow->allocs[alloc].value] = mark;
  t->values[height++] = t->flow->allocs[alloc].value;
  while (height > 0) {
    int32_t v = t->values[--height];
    --t->result->budget;
    if (t->result->names.of_value[v] == v)
      add_name(t->result, v);
    for (int32_t e = t->edges.first[v]; e < t->edges.first[v + 1]; ++e) {
      int32_t to = t->flow->edges[t->edges.edge[e]].to;
      if (t->seen[to] == mark)
        continue;
      t->seen[to] = mark;
      t->values[height++] = to;
    }
  }
}

static int compare_spans(const void *a, const void *b) {
  const stow_span *x = a, *y = b;
  if (x->segment != y->segment)
    return x->segment < y->segment ? -1 : 1;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

// All spans of the buffer's names, in order; their segments' cells know them.
static void gather_spans(tracer *t, int32_t alloc) {
  stow_ranges *r = t->result;
  t->span_count = 0;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1]; ++n) {
    int32_t name = r->alloc_names[n];
    r->budget -= STEPS_PER_SPAN * (int64_t)r->span_count[name];
    for (size_t i = 0; i < r->span_count[name] && r->budget > 0; ++i) {
      t->spans = stow_grow(t->spans, t->span_count, &t->span_capacity, sizeof *t->spans);
      t->spans[t->span_count++] = r->spans[r->first_span[name] + i];
    }
  }
  if (r->first_name[alloc + 1] - r->first_name[alloc] > 1)
    qsort(t->spans, t->span_count, sizeof *t->spans, compare_spans);
  begin_epoch(t);
  for (size_t i = 0; i < t->span_count; ++i) {
    const stow_span *span = &t->spans[i];
    cell *c = cell_of(t, span->segment);
    c->in |= span->in;
    c->out |= span->out;
    c->touch = smaller(c->touch, span->touch);
  }
}

// Marks the segments at whose beginning the buffer may have been touched, as far as it is live
// there. Its own definition makes it anew.
static void follow_forwards(tracer *t, int32_t home) {
  for (size_t i = 0; i < t->listed_count; ++i)
    if (t->cells[t->listed[i]].touch < INT64_MAX && t->cells[t->listed[i]].out)
      t->stack[t->height++] = t->listed[i];
  while (t->height > 0) {
    int32_t segment = t->stack[--t->height];
    for (int32_t j = t->after.first[segment]; j < t->after.first[segment + 1]; ++j) {
      int32_t to = t->after.items[j];
      cell *c = &t->cells[to];
      --t->result->budget;
      if (c->epoch != t->epoch || !c->in || c->reached || to == home)
        continue;
      c->reached = true;
      if (c->out && c->touch == INT64_MAX) // otherwise it is on the stack, or has been
        t->stack[t->height++] = to;
    }
  }
}

static bool continues(const stow_live_piece *last, const stow_live_piece *next) {
  return last->end > next->begin || (last->end == next->begin && !last->closes && !next->opens);
}

// In ascending order of `begin`.
static void add_piece(stow_ranges *r, size_t first, stow_live_piece piece) {
  if (piece.begin >= piece.end)
    return;
  stow_live_piece *last = r->piece_count > first ? &r->pieces[r->piece_count - 1] : NULL;
  if (last && continues(last, &piece)) {
    if (piece.end >= last->end)
      last->closes = piece.closes && (last->closes || piece.end > last->end);
    last->end = larger(last->end, piece.end);
    return;
  }
  r->pieces = stow_grow(r->pieces, r->piece_count, &r->piece_capacity, sizeof *r->pieces);
  r->pieces[r->piece_count++] = piece;
}

// Only loops that nothing enters reach past the life.
static void cut_to_reached(tracer *t, int32_t alloc) {
  const stow_life *life = &t->lives[t->flow->allocs[alloc].value];
  for (size_t i = 0; i < t->span_count; ++i) {
    const stow_span *span = &t->spans[i];
    const cell *c = &t->cells[span->segment];
    const stow_segment *segment = &t->flow->segments[span->segment];
    int64_t from = c->reached ? span->begin : c->touch;
    if (from == INT64_MAX)
      continue;
    add_piece(t->result, t->result->first_piece[alloc],
              (stow_live_piece){.begin = larger(larger(span->begin, from), life->begin),
                                .end = smaller(span->end, life->end),
                                .opens = !(c->reached && span->begin == segment->begin),
                                .closes = !(c->out && span->end == segment->end)});
  }
}

static void add_life(tracer *t, int32_t alloc) {
  const stow_life *life = &t->lives[t->flow->allocs[alloc].value];
  add_piece(t->result, t->result->first_piece[alloc],
            (stow_live_piece){life->begin, life->end, !life->fills_loop, !life->fills_loop});
}

static bool is_atomic(const stow_flow *flow, int32_t nest) {
  for (; nest >= 0; nest = flow->nests[nest].parent)
    if (flow->nests[nest].flags & STOW_NEST_ATOMIC)
      return true;
  return false;
}

// False where the budget is spent.
static bool trace_buffer(tracer *t, int32_t alloc) {
  stow_ranges *r = t->result;
  collect_names(t, alloc);
  r->first_name[alloc + 1] = (int32_t)r->name_count;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1] && r->budget > 0; ++n)
    if (r->first_span[r->alloc_names[n]] == SIZE_MAX)
      trace_name(t, r->alloc_names[n]);
  if (r->budget <= 0)
    return false;
  gather_spans(t, alloc);
  follow_forwards(t, origin_of(t, t->flow->allocs[alloc].value).segment);
  cut_to_reached(t, alloc);
  return r->budget > 0;
}

static void trace(tracer *t, int32_t alloc, bool wanted) {
  stow_ranges *r = t->result;
  size_t first = r->first_piece[alloc];
  bool traced = wanted && r->budget > 0 &&
                !is_atomic(t->flow, t->flow->values[t->flow->allocs[alloc].value].nest) &&
                trace_buffer(t, alloc);
  if (!traced || r->piece_count == first || r->piece_count - first > MAX_PIECES) {
    r->piece_count = first;
    r->name_count = (size_t)r->first_name[alloc]; // no more is known of its names
    add_life(t, alloc);
  }
  r->first_name[alloc + 1] = (int32_t)r->name_count;
  r->first_piece[alloc + 1] = r->piece_count;
}

//===----------------------------------------------------------------------===//
// All buffers
//===----------------------------------------------------------------------===//

static tracer open_tracer(const stow_flow *flow, const stow_life *lives, stow_ranges *result) {
  tracer t = {.flow = flow, .lives = lives, .result = result};
  t.edges = stow_graph_of(flow, false);
  t.before = stow_predecessors_of(flow->jumps, flow->jump_count, flow->segment_count);
  t.after = stow_successors_of(flow->jumps, flow->jump_count, flow->segment_count);
  t.cells = stow_allocate(flow->segment_count, sizeof *t.cells);
  t.listed = stow_allocate(flow->segment_count, sizeof *t.listed);
  t.stack = stow_allocate(flow->segment_count, sizeof *t.stack);
  t.seen = stow_allocate(flow->value_count, sizeof *t.seen);
  t.values = stow_allocate(flow->value_count, sizeof *t.values);
  return t;
}

static void close_tracer(tracer *t) {
  stow_graph_free(&t->edges);
  stow_index_free(&t->before), stow_index_free(&t->after);
  free(t->cells), free(t->listed), free(t->stack), free(t->items);
  free(t->seen), free(t->values), free(t->spans);
}

stow_ranges stow_ranges_of(const stow_flow *flow, const stow_life *lives, const bool *wanted) {
  stow_ranges r = {.names = stow_names_of(flow, lives)};
  r.budget = STEPS_AT_LEAST +
             STEPS_EACH * (int64_t)(flow->segment_count + flow->use_count + flow->value_count);
  r.first_piece = stow_allocate(flow->alloc_count + 1, sizeof *r.first_piece);
  r.first_name = stow_allocate(flow->alloc_count + 1, sizeof *r.first_name);
  r.first_span = stow_allocate(flow->value_count, sizeof *r.first_span);
  r.span_count = stow_allocate(flow->value_count, sizeof *r.span_count);
  for (size_t v = 0; v < flow->value_count; ++v)
    r.first_span[v] = SIZE_MAX;
  tracer t = open_tracer(flow, lives, &r);
  for (size_t a = 0; a < flow->alloc_count; ++a)
    trace(&t, (int32_t)a, wanted[a]);
  close_tracer(&t);
  return r;
}

void stow_ranges_free(stow_ranges *r) {
  stow_names_free(&r->names);
  free(r->first_piece), free(r->pieces), free(r->first_name), free(r->alloc_names);
  free(r->first_span), free(r->span_count), free(r->spans);
  *r = (stow_ranges){0};
}
