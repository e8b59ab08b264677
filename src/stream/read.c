//===- read.c - the accesses of a range, and what depends on what ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a problem. Computes, for a range of statements, the accesses of each buffer as a list
// and the edges between those that must stay in order, without edges that follow from others.
//
//===----------------------------------------------------------------------===//

#include "stream/grow.h"
#include "stream/limits.h"
#include "stream/scheduler.h"

#include <stdlib.h>

static void find_spans(stow_stream_scheduler *s) {
  const stow_stream_problem *p = s->problem;
  for (size_t b = 0; b < p->buffer_count; ++b) {
    s->spans[b] = (stow_stream_span){1, 0};
    s->lists[b] = (stow_stream_list){-1, -1, 0};
  }
  for (size_t i = 0; i < p->statement_count; ++i)
    for (size_t a = 0; a < p->statements[i].access_count; ++a) {
      stow_stream_span *span = &s->spans[p->statements[i].accesses[a].buffer];
      if (span->last < span->first)
        span->first = i;
      span->last = i;
    }
}

uint64_t stow_stream_taken(const stow_stream_problem *problem, uint64_t bytes) {
  const uint64_t unit = problem->alignment ? problem->alignment : 1;
  return (bytes + unit - 1) / unit * unit;
}

static void add_crossing(stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_span span = s->spans[buffer];
  const uint64_t bytes = stow_stream_taken(s->problem, s->problem->buffers[buffer].bytes);
  if (span.last < span.first)
    return;
  if (!s->problem->buffers[buffer].local) {
    s->held[span.first + 1] += bytes;
    if (s->problem->buffers[buffer].passing)
      s->held[span.last + 1] -= bytes;
    return;
  }
  s->alive_in.first = span.first < s->alive_in.first ? span.first : s->alive_in.first;
  s->alive_in.last = span.last > s->alive_in.last ? span.last : s->alive_in.last;
  s->crossing[span.first + 1] += bytes;
  s->crossing[span.last + 1] -= bytes; // wraps, and back in the sum
}

static void find_crossing(stow_stream_scheduler *s) {
  s->alive_in = (stow_stream_span){SIZE_MAX, 0};
  for (size_t b = 0; b < s->problem->buffer_count; ++b)
    add_crossing(s, b);
  for (size_t i = 1; i <= s->problem->statement_count; ++i) {
    s->crossing[i] += s->crossing[i - 1];
    s->held[i] += s->held[i - 1];
  }
}

bool stow_stream_scheduler_create(const stow_stream_problem *problem,
                                  stow_stream_scheduler *out_scheduler) {
  const size_t n = problem->statement_count, m = problem->buffer_count;
  *out_scheduler = (stow_stream_scheduler){
      .problem = problem,
      .spans = calloc(m + 1, sizeof(stow_stream_span)),
      .crossing = calloc(n + 2, sizeof(uint64_t)),
      .held = calloc(n + 2, sizeof(uint64_t)),
      .lists = calloc(m + 1, sizeof(stow_stream_list)),
      .inside = calloc(m + 1, sizeof(bool)),
      .touched = calloc(m + 1, sizeof(size_t)),
      .edge_begins = calloc(n + 2, sizeof(size_t)),
      .leaving_begins = calloc(n + 2, sizeof(size_t)),
      .orders = calloc(n + 1, sizeof(stow_stream_order)),
      .numerators = calloc(n + 1, sizeof(int64_t)),
      .denominators = calloc(n + 1, sizeof(int64_t)),
      .stack = calloc(n + 1, sizeof(size_t)),
      .rings = calloc(m + 1, sizeof(stow_stream_ring)),
      .alive = calloc(n + 3, sizeof(uint64_t)),
      .made = calloc(n + 3, sizeof(uint64_t)),
      .index = malloc((m + 1) * sizeof(size_t)),
      .effort = STOW_STREAM_READ_EFFORT,
  };
  const stow_stream_scheduler *s = out_scheduler;
  if (!s->spans || !s->crossing || !s->held || !s->lists || !s->inside || !s->touched ||
      !s->edge_begins || !s->leaving_begins || !s->orders || !s->numerators || !s->denominators ||
      !s->stack || !s->alive || !s->made || !s->rings || !s->index)
    return false;
  for (size_t b = 0; b < m; ++b)
    s->index[b] = SIZE_MAX;
  find_spans(out_scheduler);
  find_crossing(out_scheduler);
  return true;
}

void stow_stream_scheduler_free(stow_stream_scheduler *s) {
  void *all[] = {s->spans,       s->crossing,   s->lists,   s->inside,         s->touched,
                 s->nodes,       s->edges,      s->leaving, s->leaving_begins, s->orders,
                 s->edge_begins, s->numerators, s->stack,   s->denominators,   s->alive,
                 s->held,        s->made,       s->rings,   s->index};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
  *s = (stow_stream_scheduler){0};
}

//===----------------------------------------------------------------------===//
// One range
//===----------------------------------------------------------------------===//

static bool add_edge(stow_stream_scheduler *s, const stow_stream_node *from, size_t to,
                     const stow_stream_access *after) {
  if (!STOW_STREAM_ROOM(s->edges, s->edge_count, s->edge_capacity))
    return false;
  s->edges[s->edge_count++] = (stow_stream_edge){from->statement, to, from->access, after, 0};
  return true;
}

static void add_stride(stow_stream_list *list, const stow_stream_access *access) {
  if (stow_stream_by_rows(access) && list->stride != access->stride)
    list->stride = list->stride == 0 ? access->stride : -1;
}

// Whether what comes before a write, and must come before `later`, does so by way of the write. Two
// accesses by rows are as far apart as needed if the write leaves no row out and goes on as they
// do: rounded down, the distance to it and from it add up to no less. Of others, at least one runs
// as a whole.
static bool leads(const stow_stream_list *list, const stow_stream_access *write,
                  const stow_stream_access *later) {
  return !stow_stream_by_rows(write) || !stow_stream_by_rows(later) ||
         (list->stride > 0 && write->high - write->low >= write->stride - 1);
}

// From all that an access depends on, but for what it depends on by way of others.
static bool add_edges(stow_stream_scheduler *s, stow_stream_list *list, size_t statement,
                      const stow_stream_access *access) {
  size_t last = SIZE_MAX; // the statement that leads to all before it
  add_stride(list, access);
  for (int64_t n = access->writes ? list->head : list->head_write; n >= 0;
       n = access->writes ? s->nodes[n].next : s->nodes[n].next_write) {
    const stow_stream_node *node = &s->nodes[n];
    if (last != SIZE_MAX && node->statement != last)
      break;
    if (node->statement == statement)
      continue;
    if (!add_edge(s, node, statement, access))
      return false;
    if (node->access->writes && leads(list, node->access, access))
      last = node->statement;
  }
  return true;
}

static bool add_access(stow_stream_scheduler *s, size_t statement,
                       const stow_stream_access *access) {
  stow_stream_list *list = &s->lists[access->buffer];
  if (list->head < 0)
    s->touched[s->touched_count++] = access->buffer;
  if (!add_edges(s, list, statement, access) ||
      !STOW_STREAM_ROOM(s->nodes, s->node_count, s->node_capacity))
    return false;
  s->nodes[s->node_count] = (stow_stream_node){statement, access, list->head, list->head_write};
  list->head = (int64_t)s->node_count;
  list->head_write = access->writes ? (int64_t)s->node_count : list->head_write;
  ++s->node_count;
  return true;
}

static bool sort_leaving(stow_stream_scheduler *s) {
  free(s->leaving);
  s->leaving = calloc(s->edge_count + 1, sizeof(size_t));
  if (!s->leaving)
    return false;
  size_t *begins = s->leaving_begins;
  for (size_t i = 0; i <= s->count + 1; ++i)
    begins[i] = 0;
  for (size_t e = 0; e < s->edge_count; ++e)
    ++begins[s->edges[e].from + 1];
  for (size_t i = 0; i < s->count; ++i)
    begins[i + 1] += begins[i];
  for (size_t e = s->edge_count;
       e-- > 0;) // fills from the end: begins[i + 1] comes down to begins[i]
    s->leaving[--begins[s->edges[e].from + 1]] = e;
  for (size_t i = 0; i < s->count; ++i)
    begins[i] = begins[i + 1];
  begins[s->count] = s->edge_count;
  return true;
}

bool stow_stream_read_range(stow_stream_scheduler *s, size_t first, size_t end) {
  for (size_t i = 0; i < s->touched_count; ++i)
    s->lists[s->touched[i]] = (stow_stream_list){-1, -1, 0};
  s->touched_count = s->node_count = s->edge_count = 0;
  s->first = first;
  s->count = end - first;
  for (size_t i = 0; i < s->count; ++i) {
    const stow_stream_statement *statement = &s->problem->statements[first + i];
    s->edge_begins[i] = s->edge_count;
    for (size_t a = 0; a < statement->access_count; ++a)
      if (!add_access(s, i, &statement->accesses[a]))
        return false;
  }
  s->edge_begins[s->count] = s->edge_count;
  return sort_leaving(s);
}
