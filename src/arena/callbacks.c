//===- callbacks.c - tracers and schedulers of callers ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller sees only the buffers that can be planned. Its answers are not trusted: lives must
// be valid intervals, and its plan must pass the verifier.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What they are shown
//===----------------------------------------------------------------------===//

// The arena's buffers that nothing excludes. `out_members`: their allocs by index.
static stow_arena_view view_of(const stow_arenas *arenas, const stow_arena *arena,
                               size_t **out_members) {
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  MlirOperation scope = function->flow.scopes.at[arena->scope].op;
  MlirOperation *allocs = stow_ir_allocate(arena->members.count, sizeof *allocs);
  MlirValue *values = stow_ir_allocate(arena->members.count, sizeof *values);
  uint64_t *sizes = stow_ir_allocate(arena->members.count, sizeof *sizes);
  uint64_t *alignments = stow_ir_allocate(arena->members.count, sizeof *alignments);
  size_t *members = stow_ir_allocate(arena->members.count, sizeof *members), count = 0;
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    if (fact->reason != STOW_PLANNED)
      continue;
    values[count] = stow_arena_value(arenas, arena, arena->members.at[i]);
    allocs[count] =
        mlirValueIsAOpResult(values[count]) ? mlirOpResultGetOwner(values[count]) : scope;
    sizes[count] = fact->size.bytes;
    alignments[count] = stow_slice_alignment(arenas, arena, fact);
    members[count++] = arena->members.at[i];
  }
  *out_members = members;
  return (stow_arena_view){.scope = scope,
                           .memory_space = arena->memory_space,
                           .buffer_count = count,
                           .allocs = allocs,
                           .sizes = sizes,
                           .alignments = alignments,
                           .values = values};
}

static void free_view(stow_arena_view *view, size_t *members) {
  free((void *)view->allocs);
  free((void *)view->sizes);
  free((void *)view->alignments);
  free((void *)view->values);
  free(members);
}

static bool refuse(const stow_arenas *arenas, MlirLocation location, const char *what,
                   const stow_note *notes, size_t note_count) {
  char *text = stow_ir_format("%s: %s; nothing was rewritten", arenas->pass, what);
  stow_bridge_error(location, text, notes, note_count);
  free(text);
  return false;
}

//===----------------------------------------------------------------------===//
// Tracers
//===----------------------------------------------------------------------===//

typedef struct traced_piece {
  size_t index;
  int64_t begin;
  stow_piece piece;
} traced_piece;

struct stow_trace {
  stow_buffer_fact *selection; // of the function
  const size_t *members;       // allocs by index
  size_t count;
  STOW_ARRAY(traced_piece) pieces;
  STOW_ARRAY(stow_relation) relations;
  bool impossible;
};

static bool is_part_of(stow_piece piece, uint64_t bytes) {
  return piece.high == 0 ? piece.low == 0 : piece.low < piece.high && piece.high <= bytes;
}

void stow_trace_piece(stow_trace *trace, size_t index, stow_piece piece) {
  trace->impossible |= index >= trace->count || piece.begin >= piece.end ||
                       !is_part_of(piece, trace->selection[trace->members[index]].size.bytes);
  STOW_PUSH(trace->pieces, (traced_piece){index, piece.begin, piece});
}

void stow_trace_live(stow_trace *trace, size_t index, int64_t begin, int64_t end) {
  stow_trace_piece(trace, index, (stow_piece){.begin = begin, .end = end});
}

void stow_trace_relate(stow_trace *trace, stow_relation relation) {
  trace->impossible |= (unsigned)relation.kind > STOW_MAY_COLOCATE ||
                       relation.first >= trace->count || relation.second >= trace->count ||
                       relation.first == relation.second;
  STOW_PUSH(trace->relations, relation);
}

void stow_trace_leave_alone(stow_trace *trace, size_t index) {
  trace->impossible |= index >= trace->count;
  if (index < trace->count)
    trace->selection[trace->members[index]].reason = STOW_TRACER;
}

size_t stow_trace_default(const stow_trace *trace, size_t index, size_t piece,
                          stow_piece *out_piece) {
  if (index >= trace->count)
    return 0;
  const stow_buffer_fact *fact = &trace->selection[trace->members[index]];
  if (piece < fact->piece_count)
    *out_piece = stow_arena_planned_piece(&fact->pieces[piece]);
  return fact->piece_count;
}

STOW_BY_FIELDS(compare_pieces, traced_piece, index, begin)

// The smallest part of a buffer that holds both. No bytes: all of it.
static void join_bytes(stow_live_piece *into, stow_piece piece) {
  const bool whole = into->high == 0 || piece.high == 0;
  into->low = whole ? 0 : into->low < piece.low ? into->low : piece.low;
  into->high = whole ? 0 : stow_ir_larger(into->high, piece.high);
}

// Adds a traced piece to the buffer's new life, whose pieces end the first `*count` of `pieces`.
static void take_piece(stow_buffer_fact *fact, stow_live_piece *pieces, size_t *count,
                       stow_piece piece) {
  stow_live_piece *last = fact->piece_count > 0 ? &pieces[*count - 1] : NULL;
  const bool like = last && last->low == piece.low && last->high == piece.high;
  if (last && (piece.begin < last->end || (like && piece.begin == last->end))) {
    last->end = stow_ir_later(last->end, piece.end);
    join_bytes(last, piece);
  } else {
    pieces[(*count)++] = (stow_live_piece){
        .begin = piece.begin, .end = piece.end, .low = piece.low, .high = piece.high};
    ++fact->piece_count;
  }
  fact->begin = fact->pieces[0].begin;
  fact->end = pieces[*count - 1].end;
}

static void take_trace(stow_arena *arena, stow_trace *trace) {
  size_t count = 0;
  STOW_SORT(trace->pieces, compare_pieces);
  arena->traced = stow_ir_allocate(trace->pieces.count, sizeof *arena->traced);
  for (size_t p = 0; p < trace->pieces.count; ++p) {
    stow_buffer_fact *fact = &trace->selection[trace->members[trace->pieces.at[p].index]];
    if (p == 0 || trace->pieces.at[p].index != trace->pieces.at[p - 1].index) {
      fact->pieces = arena->traced + count;
      fact->piece_count = 0;
      fact->exclusive = false;
    }
    take_piece(fact, arena->traced, &count, trace->pieces.at[p].piece);
  }
  STOW_EACH_ITEM(stow_relation, told, trace->relations)
    STOW_PUSH(arena->told,
              (stow_relation){told.kind, trace->members[told.first], trace->members[told.second]});
}

bool stow_arena_ask_tracer(stow_arenas *arenas, stow_arena *arena) {
  size_t *members;
  stow_arena_view view = view_of(arenas, arena, &members);
  stow_trace trace = {.selection = arenas->selection[arena->function],
                      .members = members,
                      .count = view.buffer_count};
  if (view.buffer_count > 0)
    arenas->options.tracer->trace(arenas->options.tracer->user, &view, &trace);
  bool possible = !trace.impossible;
  if (possible)
    take_trace(arena, &trace);
  else
    refuse(arenas, mlirOperationGetLocation(view.scope),
           "the tracer told of a life that ends before it begins, of bytes that a buffer does not "
           "have, or of a buffer that does not exist",
           NULL, 0);
  free(trace.pieces.at);
  free(trace.relations.at);
  free_view(&view, members);
  return possible;
}

//===----------------------------------------------------------------------===//
// Schedulers
//===----------------------------------------------------------------------===//

static bool refuse_plan(const stow_arenas *arenas, const stow_arena_view *view,
                        const stow_fault *fault) {
  stow_text text = {0};
  stow_text_printf(&text, "the scheduler's plan does not hold (%s)", stow_fault_name(fault->kind));
  const stow_note note = {mlirValueGetLocation(view->values[fault->second]), "the other buffer"};
  bool two = fault->kind == STOW_FAULT_OVERLAP || fault->kind == STOW_FAULT_COLOCATION;
  refuse(arenas, mlirValueGetLocation(view->values[fault->first]), text.data, &note, two);
  free(text.data);
  return false;
}

// Bytes of an arena: a memref counts them in a signed number.
static const uint64_t LARGEST = UINT64_C(1) << 62;

static bool check_plan(const stow_arenas *arenas, stow_arena *arena, const stow_arena_view *view,
                       uint64_t capacity, uint64_t size) {
  stow_fault fault;
  stow_status status = stow_verify(&arena->problem, arena->offsets, size, &fault);
  if (status == STOW_OK)
    status = stow_lower_bound(&arena->problem, &arena->plan.lower_bound);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  if (status != STOW_OK)
    return refuse(arenas, mlirOperationGetLocation(view->scope),
                  "the scheduler's offsets do not fit 64 bits", NULL, 0);
  if (fault.kind != STOW_FAULT_NONE)
    return refuse_plan(arenas, view, &fault);
  if (size > LARGEST)
    return refuse(arenas, mlirOperationGetLocation(view->scope),
                  "the scheduler's arena has more bytes than can be addressed", NULL, 0);
  if (capacity && size > capacity)
    return refuse(arenas, mlirOperationGetLocation(view->scope),
                  stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED)
                      ? "the scheduler's arena exceeds workgroup-capacity-in-bytes"
                      : "the scheduler's arena exceeds capacity-in-bytes",
                  NULL, 0);
  return true;
}

bool stow_arena_ask_scheduler(stow_arenas *arenas, stow_arena *arena) {
  size_t *members;
  stow_arena_view view = view_of(arenas, arena, &members);
  const stow_scheduler *scheduler = arenas->options.scheduler;
  const uint64_t capacity = stow_arena_capacity_for(arenas, arena);
  uint64_t size = 0;
  bool ok = true;
  arena->plan = (stow_plan_result){.outcome = STOW_OPTIMAL};
  if (view.buffer_count > 0) {
    ok = scheduler->schedule(scheduler->user, &view, &arena->problem, capacity, arena->offsets,
                             &size);
    if (!ok)
      refuse(arenas, mlirOperationGetLocation(view.scope),
             "the scheduler has no place for the buffers of this scope", NULL, 0);
    ok = ok && check_plan(arenas, arena, &view, capacity, size);
    arena->plan.arena_size = size;
    arena->plan.strategy = STOW_STRATEGY_COUNT; // none of ours
    arena->plan.outcome = size == arena->plan.lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
  }
  free_view(&view, members);
  return ok;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static int compare_events(const void *a, const void *b) {
  const stow_memory_event *x = a, *y = b;
  return stow_ir_then(
      STOW_COMPARE(x->time, y->time),
      stow_ir_then(STOW_COMPARE(y->frees, x->frees), STOW_COMPARE(x->buffer, y->buffer)));
}

void stow_problem_events(const stow_problem *problem, stow_memory_event *out_events) {
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    const stow_buffer *buffer = &problem->buffers[i];
    out_events[2 * i] = (stow_memory_event){i, buffer->size, buffer->begin, false};
    out_events[2 * i + 1] = (stow_memory_event){i, buffer->size, buffer->end, true};
  }
  stow_ir_sort(out_events, 2 * problem->buffer_count, sizeof *out_events, compare_events);
}
