//===- ranges.c - when exactly buffers are live ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer's pieces are the spans of all names that may stand for it (spans.c), put
// together segment by segment and clipped to what a touch has reached: a second pass over
// the same cells, this time forward.
//
//===----------------------------------------------------------------------===//

#include "ir/ranges.h"

#include "ir/limits.h"
#include "ir/spans.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Values that are the same memory
//===----------------------------------------------------------------------===//

// Per value: the edge that alone makes it, or -1.
static int32_t *only_edges(const stow_flow *flow) {
  enum { NONE = -1, SEVERAL = -2 };
  int32_t *edge = stow_ir_allocate(flow->values.count, sizeof *edge);
  for (size_t v = 0; v < flow->values.count; ++v)
    edge[v] = flow->values.at[v].alloc == STOW_NO_ALLOC ? NONE : SEVERAL;
  for (size_t e = 0; e < flow->edges.count; ++e)
    edge[flow->edges.at[e].to] =
        edge[flow->edges.at[e].to] == NONE && !flow->edges.at[e].control ? (int32_t)e : SEVERAL;
  for (size_t v = 0; v < flow->values.count; ++v)
    edge[v] = edge[v] == SEVERAL ? NONE : edge[v];
  return edge;
}

static int32_t *group_values(const stow_flow *flow) {
  int32_t *edge = only_edges(flow);
  int32_t *of_value = stow_ir_allocate(flow->values.count, sizeof *of_value);
  for (size_t v = 0; v < flow->values.count; ++v)
    of_value[v] = edge[v] < 0 ? (int32_t)v : flow->edges.at[edge[v]].from;
  for (size_t v = 0; v < flow->values.count; ++v)
    of_value[v] = stow_ir_leader(of_value, (int32_t)v);
  free(edge);
  return of_value;
}

//===----------------------------------------------------------------------===//
// What mentions them
//===----------------------------------------------------------------------===//

// What happens inside an atomic op happens all at once.
static void widen(const stow_flow *flow, int32_t nest, stow_name_mention *mention) {
  for (; nest >= 0; nest = flow->nests.at[nest].parent) {
    if (!(flow->nests.at[nest].flags & STOW_NEST_ATOMIC))
      continue;
    mention->begin = flow->nests.at[nest].begin;
    mention->end = flow->nests.at[nest].end;
  }
}

// What overwrites a buffer inside a scope that the buffer is not of may run several times at once:
// the one may still need what the other overwrites.
static stow_name_mention mention_of_use(const stow_flow *flow, const stow_use *use) {
  const stow_value *value = &flow->values.at[use->value];
  bool whole = value->alloc != STOW_NO_ALLOC;
  bool alone = flow->nests.at[use->nest].scope == flow->nests.at[value->nest].scope;
  stow_name_mention mention = {
      .begin = use->begin,
      .end = use->end,
      .touches = true,
      .overwrites = use->overwrites && whole && alone,
  };
  widen(flow, use->nest, &mention);
  return mention;
}

// An edge mentions its source where the target is touched later. A view is no mention; but a phi
// that is an operand of itself, around a loop, is one.
static bool is_mention(const stow_life *lives, const int32_t *of_value, const stow_edge *edge) {
  bool anew = edge->control || of_value[edge->to] != of_value[edge->from];
  return anew && lives[edge->to].begin < lives[edge->to].end;
}

static stow_name_mention mention_of_edge(const stow_flow *flow, const stow_edge *edge) {
  stow_name_mention mention = {.begin = edge->position,
                               .end = edge->position + 1,
                               .leaves = edge->control || flow->values.at[edge->to].argument};
  widen(flow, flow->values.at[edge->to].nest, &mention);
  return mention;
}

STOW_BY_FIELDS(compare_mentions, stow_name_mention, begin, end)

typedef struct sorting {
  const stow_flow *flow;
  const stow_life *lives;
  stow_names *names;
  int32_t *next; // per name: where its next mention goes
} sorting;

static bool is_named(const sorting *s, size_t edge) {
  return is_mention(s->lives, s->names->of_value, &s->flow->edges.at[edge]);
}

static int32_t name_of_use(const sorting *s, size_t use) {
  return s->names->of_value[s->flow->uses.at[use].value];
}

static int32_t name_of_edge(const sorting *s, size_t edge) {
  return s->names->of_value[s->flow->edges.at[edge].from];
}

// How many mentions each name has, and where they begin.
static void count_mentions(sorting *s) {
  const size_t count = s->flow->values.count;
  int32_t *first = s->names->first = stow_ir_allocate(count + 1, sizeof *first);
  s->next = stow_ir_allocate(count, sizeof *s->next);
  for (size_t u = 0; u < s->flow->uses.count; ++u)
    ++first[name_of_use(s, u) + 1];
  for (size_t e = 0; e < s->flow->edges.count; ++e)
    first[name_of_edge(s, e) + 1] += is_named(s, e);
  for (size_t v = 0; v < count; ++v) {
    s->next[v] = first[v];
    first[v + 1] += first[v];
  }
}

// Each name's in the order of the flow: its uses, then its edges.
static void list_mentions(sorting *s) {
  stow_names *names = s->names;
  names->mentions =
      stow_ir_allocate((size_t)names->first[s->flow->values.count], sizeof *names->mentions);
  for (size_t u = 0; u < s->flow->uses.count; ++u)
    names->mentions[s->next[name_of_use(s, u)]++] = mention_of_use(s->flow, &s->flow->uses.at[u]);
  for (size_t e = 0; e < s->flow->edges.count; ++e)
    if (is_named(s, e))
      names->mentions[s->next[name_of_edge(s, e)]++] =
          mention_of_edge(s->flow, &s->flow->edges.at[e]);
}

static stow_names names_of(const stow_flow *flow, const stow_life *lives) {
  stow_names names = {.of_value = group_values(flow)};
  sorting s = {.flow = flow, .lives = lives, .names = &names};
  count_mentions(&s);
  list_mentions(&s);
  for (size_t v = 0; v < flow->values.count; ++v)
    stow_ir_sort(names.mentions + names.first[v], (size_t)(names.first[v + 1] - names.first[v]),
                 sizeof *names.mentions, compare_mentions);
  free(s.next);
  return names;
}

static void free_names(stow_names *names) {
  free(names->of_value);
  free(names->first);
  free(names->mentions);
  *names = (stow_names){0};
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

typedef struct tracer {
  const stow_flow *flow;
  const stow_life *lives;
  stow_ranges *result;
  stow_span_tracer names;
  stow_cells *cells;           // of `names`
  stow_index after;            // per segment: those its jumps lead to
  stow_walk values;            // through which a buffer's names are collected
  STOW_ARRAY(stow_span) spans; // of the current buffer
} tracer;

bool stow_ir_pieces_meet(const stow_live_piece *a, size_t a_count, const stow_live_piece *b,
                         size_t b_count) {
  for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
    if (a[i].end <= b[j].begin)
      ++i;
    else if (b[j].end <= a[i].begin)
      ++j;
    else
      return true;
  }
  return false;
}

bool stow_ranges_meet(const stow_ranges *r, int32_t a, int32_t b) {
  return stow_ir_pieces_meet(
      r->pieces.at + r->first_piece[a], r->first_piece[a + 1] - r->first_piece[a],
      r->pieces.at + r->first_piece[b], r->first_piece[b + 1] - r->first_piece[b]);
}

//===----------------------------------------------------------------------===//
// A buffer
//===----------------------------------------------------------------------===//

// The names that a buffer may go by. A value is its name's first where it leads it.
static void collect_names(tracer *t, int32_t alloc) {
  stow_walk_restart(&t->values);
  stow_walk_add(&t->values, t->flow->allocs.at[alloc].value);
  for (int32_t v; stow_walk_next(&t->values, &v);) {
    --t->result->budget;
    if (t->result->names.of_value[v] == v)
      STOW_PUSH(t->result->alloc_names, v);
    stow_walk_add_all(&t->values, &t->flow->targets, v);
  }
}

STOW_BY_FIELDS(compare_spans, stow_span, segment, begin)

// All spans of the buffer's names, in order; their segments' cells know them.
static void gather_spans(tracer *t, int32_t alloc) {
  stow_ranges *r = t->result;
  t->spans.count = 0;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1]; ++n) {
    int32_t name = r->alloc_names.at[n];
    r->budget -= STOW_RANGES_STEPS_PER_SPAN * (int64_t)r->span_count[name];
    for (size_t i = 0; i < r->span_count[name] && r->budget > 0; ++i)
      STOW_PUSH(t->spans, r->spans.at[r->first_span[name] + i]);
  }
  if (r->first_name[alloc + 1] - r->first_name[alloc] > 1)
    STOW_SORT(t->spans, compare_spans);
  stow_cells_begin(t->cells);
  STOW_EACH(const stow_span, span, t->spans) {
    stow_cell *c = stow_cell_of(t->cells, span->segment);
    c->in |= span->in;
    c->out |= span->out;
    c->touch = stow_ir_earlier(c->touch, span->touch);
  }
}

// Marks the segments at whose beginning the buffer may have been touched, as far as it is live
// there. Its own definition makes it anew.
static void follow_forwards(tracer *t, int32_t home) {
  stow_cells *cells = t->cells;
  for (size_t i = 0; i < cells->listed_count; ++i) {
    const stow_cell *c = &cells->of_segment[cells->listed[i]];
    if (c->touch < INT64_MAX && c->out)
      cells->stack[cells->height++] = cells->listed[i];
  }
  while (cells->height > 0) {
    int32_t segment = cells->stack[--cells->height];
    STOW_EACH_OF(to, t->after, segment) {
      stow_cell *c = &cells->of_segment[to];
      --t->result->budget;
      if (c->epoch != cells->epoch || !c->in || c->reached || to == home)
        continue;
      c->reached = true;
      if (c->out && c->touch == INT64_MAX) // otherwise it is on the stack, or has been
        cells->stack[cells->height++] = to;
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
  stow_live_piece *last = r->pieces.count > first ? &r->pieces.at[r->pieces.count - 1] : NULL;
  if (last && continues(last, &piece)) {
    if (piece.end >= last->end)
      last->closes = piece.closes && (last->closes || piece.end > last->end);
    last->end = stow_ir_later(last->end, piece.end);
    return;
  }
  STOW_PUSH(r->pieces, piece);
}

// Only loops that nothing enters reach past the life.
static void clip_to_reached(tracer *t, int32_t alloc) {
  const stow_life *life = &t->lives[t->flow->allocs.at[alloc].value];
  STOW_EACH(const stow_span, span, t->spans) {
    const stow_cell *c = &t->cells->of_segment[span->segment];
    const stow_segment *segment = &t->flow->control.segments.at[span->segment];
    int64_t from = c->reached ? span->begin : c->touch;
    if (from == INT64_MAX)
      continue;
    add_piece(
        t->result, t->result->first_piece[alloc],
        (stow_live_piece){.begin = stow_ir_later(stow_ir_later(span->begin, from), life->begin),
                          .end = stow_ir_earlier(span->end, life->end),
                          .opens = !(c->reached && span->begin == segment->begin),
                          .closes = !(c->out && span->end == segment->end)});
  }
}

static void add_life(tracer *t, int32_t alloc) {
  const stow_life *life = &t->lives[t->flow->allocs.at[alloc].value];
  add_piece(t->result, t->result->first_piece[alloc],
            (stow_live_piece){.begin = life->begin,
                              .end = life->end,
                              .opens = !life->fills_loop,
                              .closes = !life->fills_loop});
}

static bool is_atomic(const stow_flow *flow, int32_t nest) {
  for (; nest >= 0; nest = flow->nests.at[nest].parent)
    if (flow->nests.at[nest].flags & STOW_NEST_ATOMIC)
      return true;
  return false;
}

// False where the budget is spent.
static bool trace_buffer(tracer *t, int32_t alloc) {
  stow_ranges *r = t->result;
  collect_names(t, alloc);
  r->first_name[alloc + 1] = (int32_t)r->alloc_names.count;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1] && r->budget > 0; ++n)
    if (r->first_span[r->alloc_names.at[n]] == SIZE_MAX)
      stow_ir_trace_name(&t->names, r->alloc_names.at[n]);
  if (r->budget <= 0)
    return false;
  gather_spans(t, alloc);
  follow_forwards(t, stow_ir_home_segment(t->flow, t->flow->allocs.at[alloc].value));
  clip_to_reached(t, alloc);
  return r->budget > 0;
}

static void trace(tracer *t, int32_t alloc, bool wanted) {
  stow_ranges *r = t->result;
  size_t first = r->first_piece[alloc];
  bool traced = wanted && r->budget > 0 &&
                !is_atomic(t->flow, t->flow->values.at[t->flow->allocs.at[alloc].value].nest) &&
                trace_buffer(t, alloc);
  if (!traced || r->pieces.count == first || r->pieces.count - first > STOW_RANGES_MOST_PIECES) {
    r->pieces.count = first;
    r->alloc_names.count = (size_t)r->first_name[alloc]; // no more is known of its names
    add_life(t, alloc);
  }
  r->first_name[alloc + 1] = (int32_t)r->alloc_names.count;
  r->first_piece[alloc + 1] = r->pieces.count;
}

//===----------------------------------------------------------------------===//
// All buffers
//===----------------------------------------------------------------------===//

static void open_tracer(const stow_flow *flow, const stow_life *lives, stow_ranges *result,
                        tracer *t) {
  *t = (tracer){.flow = flow, .lives = lives, .result = result};
  t->names = stow_span_tracer_for(flow, result);
  t->cells = &t->names.cells;
  t->after = stow_ir_successors_of(flow->control.jumps.at, flow->control.jumps.count,
                                   flow->control.segments.count);
  t->values = stow_walk_create(flow->values.count);
}

static void close_tracer(tracer *t) {
  stow_span_tracer_free(&t->names);
  stow_index_free(&t->after);
  stow_walk_free(&t->values);
  free(t->spans.at);
}

stow_ranges stow_ranges_of(const stow_flow *flow, const stow_life *lives, const bool *wanted) {
  stow_ranges r = {.names = names_of(flow, lives)};
  r.budget = STOW_RANGES_STEPS_AT_LEAST +
             STOW_RANGES_STEPS_EACH *
                 (int64_t)(flow->control.segments.count + flow->uses.count + flow->values.count);
  r.first_piece = stow_ir_allocate(flow->allocs.count + 1, sizeof *r.first_piece);
  r.first_name = stow_ir_allocate(flow->allocs.count + 1, sizeof *r.first_name);
  r.first_span = stow_ir_allocate(flow->values.count, sizeof *r.first_span);
  r.span_count = stow_ir_allocate(flow->values.count, sizeof *r.span_count);
  for (size_t v = 0; v < flow->values.count; ++v)
    r.first_span[v] = SIZE_MAX;
  tracer t;
  open_tracer(flow, lives, &r, &t);
  for (size_t a = 0; a < flow->allocs.count; ++a)
    trace(&t, (int32_t)a, wanted[a]);
  close_tracer(&t);
  return r;
}

void stow_ranges_free(stow_ranges *r) {
  free_names(&r->names);
  free(r->first_piece);
  free(r->pieces.at);
  free(r->first_name);
  free(r->alloc_names.at);
  free(r->first_span);
  free(r->span_count);
  free(r->spans.at);
  *r = (stow_ranges){0};
}
