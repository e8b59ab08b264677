//===- bound_heap.c - arenas that do not raise the heap's peak -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arena keeps its full size while any buffer in it is live, also for branches that are not
// taken. Other memory is allocated meanwhile: results, and arenas whose size is known later. So the
// heap may hold more than with one allocation for each buffer. With max-heap-overhead, functions
// are simulated, those with dynamic arenas or with buffers in branches for several sizes and
// choices of branches. At first no buffers share bytes. Then each arena is formed only if the heap
// never holds more than its peak without sharing. At a position where it would, the largest buffer
// that is live at the arena's own peak, and not live at that position, is taken out of the arena,
// until it fits. The buffers that were taken out form the next arena; one that fits nowhere is not
// planned. An arena then may lose members that share no bytes. If the heap's peak is raised by
// that, the function's buffers are left alone.
//
// Time is positions: what is allocated at one, and freed at another, is there in between. Memory
// that a callee allocates is not counted.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/heap.h"
#include "arena/lifetime.h"
#include "arena/limits.h"
#include "arena/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { UNSHARED = -1 };

// Members of an arena, in program order.
typedef struct member_set {
  size_t *at, count;
} member_set;

typedef struct splitter {
  const stow_arenas *arenas;
  const stow_function_memory *function;
  const stow_arena *arena; // that is split
  stow_cases cases;
  stow_timeline heap[STOW_CASES]; // as far as it is decided
  double limit[STOW_CASES];       // bytes of the heap
  stow_timeline own;              // of the set in question, from the beginning of its interval
  int64_t *part;                  // per alloc
  size_t parts;
  STOW_ARRAY(member_set) waiting;
} splitter;

//===----------------------------------------------------------------------===//
// The heap
//===----------------------------------------------------------------------===//

// Whether another arena is on the heap, too, and in the same memory space.
static bool is_of_same_heap(const stow_arena *arena, const stow_arena *other) {
  return stow_backing_is(other->backing, STOW_BACKING_IS_OWN) &&
         mlirAttributeEqual(arena->memory_space, other->memory_space);
}

// The same, or in a result that lends.
static bool is_of_heap(const stow_arena *arena, const stow_arena *other) {
  return is_of_same_heap(arena, other) ||
         (stow_backing_is(other->backing, STOW_BACKING_IS_LENT) &&
          mlirAttributeEqual(arena->memory_space, other->memory_space));
}

static void add_unshared(splitter *m, const stow_arena *arena, size_t index) {
  STOW_EACH_ITEM(size_t, alloc, arena->members) {
    const stow_heap_life life = stow_arena_case_life(&m->cases, arena, index, alloc);
    stow_timeline_add(&m->heap[index], life.begin, life.end,
                      stow_arena_case_bytes_unshared(&m->cases, index, alloc));
  }
}

// All buffers unshared.
static void begin_heap(splitter *m, const stow_arena *arenas, size_t count, size_t index) {
  m->heap[index] = stow_timeline_of(&m->function->flow);
  for (size_t a = 0; a < count; ++a)
    if (is_of_heap(m->arena, &arenas[a]))
      add_unshared(m, &arenas[a], index);
  stow_timeline_sum_up(&m->heap[index]);
  m->limit[index] =
      (double)stow_timeline_peak(&m->heap[index]) * (1 + m->arenas->options.heap_overhead);
}

//===----------------------------------------------------------------------===//
// Does an arena fit?
//===----------------------------------------------------------------------===//

typedef enum own_kind { AS_UNSHARED, AS_HELD } own_kind;

static stow_heap_life life_in(const splitter *m, size_t alloc, size_t index, own_kind kind) {
  return kind == AS_HELD ? stow_heap_life_of(m->arenas, m->arena, alloc)
                         : stow_arena_case_life(&m->cases, m->arena, index, alloc);
}

// Fills in `own`, from the beginning of the interval on: the set's buffers as they are unshared,
// which may be freed behind its end, or as an arena holds them, also where control does not come to
// them.
static uint64_t sum_up_own(splitter *m, const member_set *set, stow_arena_interval interval,
                           size_t index, own_kind kind) {
  int64_t end = interval.end;
  STOW_EACH_ITEM(size_t, alloc, *set)
    end = stow_ir_later(end, life_in(m, alloc, index, kind).end);
  m->own.count = (size_t)(end - interval.begin);
  memset(m->own.bytes, 0, (m->own.count + 1) * sizeof *m->own.bytes);
  STOW_EACH_ITEM(size_t, alloc, *set) {
    const stow_heap_life life = life_in(m, alloc, index, kind);
    stow_timeline_add(&m->own, life.begin - interval.begin, life.end - interval.begin,
                      kind == AS_HELD ? stow_arena_case_bytes(&m->cases, index, alloc)
                                      : stow_arena_case_bytes_unshared(&m->cases, index, alloc));
  }
  stow_timeline_sum_up(&m->own);
  return stow_timeline_peak(&m->own);
}

// What the lowering adds to align an arena for the set.
static uint64_t slack_of(const splitter *m, const member_set *set) {
  uint64_t alignment = m->arenas->options.alignment;
  STOW_EACH_ITEM(size_t, alloc, *set)
    alignment = stow_ir_larger(alignment, stow_arena_fact(m->arenas, m->arena, alloc)->alignment);
  return alignment;
}

// The bytes of an arena for the set, if control comes to where it is made. Fills in `own` as
// unshared.
static uint64_t bytes_of(splitter *m, const member_set *set, stow_arena_interval interval,
                         size_t index) {
  const bool runs = stow_arena_case_runs(&m->cases, index, interval.block);
  const uint64_t bytes = runs ? sum_up_own(m, set, interval, index, AS_HELD) : 0;
  sum_up_own(m, set, interval, index, AS_UNSHARED);
  return bytes > 0 ? bytes + slack_of(m, set) : 0;
}

// Where an arena would make the heap hold too much.
typedef struct excess {
  double share; // of the limit; at most 1: nowhere
  size_t index;
  int64_t position;
} excess;

static excess worst_of(splitter *m, const member_set *set, stow_arena_interval interval) {
  excess worst = {.share = 1};
  for (size_t s = 0; s < m->cases.count; ++s) {
    const uint64_t load = bytes_of(m, set, interval, s);
    for (int64_t p = interval.begin; p < interval.end && load > 0; ++p) {
      const uint64_t heap = m->heap[s].bytes[p] - m->own.bytes[p - interval.begin] + load;
      if ((double)heap > m->limit[s] * worst.share)
        worst = (excess){(double)heap / m->limit[s], s, p};
    }
  }
  return worst;
}

static void take(splitter *m, const member_set *set, stow_arena_interval interval) {
  for (size_t s = 0; s < m->cases.count; ++s) {
    const uint64_t load = bytes_of(m, set, interval, s);
    for (size_t i = 0; i < m->own.count; ++i) {
      const int64_t p = interval.begin + (int64_t)i;
      m->heap[s].bytes[p] += (p < interval.end ? load : 0) - m->own.bytes[i];
    }
  }
  for (size_t i = 0; i < set->count; ++i)
    m->part[set->at[i]] = (int64_t)m->parts;
  ++m->parts;
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

// The position of the set's peak that is nearest to the one in question. `own` is of the case in
// question.
static int64_t nearest_peak(const splitter *m, stow_arena_interval interval, uint64_t load,
                            int64_t position) {
  const int64_t count = interval.end - interval.begin, from = position - interval.begin;
  for (int64_t far = 0; far < count; ++far)
    if (from + far < count && m->own.bytes[from + far] == load)
      return position + far;
    else if (from >= far && m->own.bytes[from - far] == load)
      return position - far;
  assert(false);
  return position;
}

static bool is_there(stow_heap_life life, int64_t position) {
  return life.begin <= position && position < life.end;
}

// Whether a buffer holds nothing of its own at the position in question.
static bool is_idle(const splitter *m, size_t alloc, const excess *worst) {
  return !is_there(stow_arena_case_life(&m->cases, m->arena, worst->index, alloc),
                   worst->position) ||
         !stow_arena_case_bytes_unshared(&m->cases, worst->index, alloc);
}

// The largest of those that are live at the peak, and idle. There are none where the padding of
// slices alone is too much: then the largest that is live at the peak.
static size_t largest_waste(const splitter *m, const member_set *set, const excess *worst,
                            int64_t peak) {
  size_t largest = set->count;
  uint64_t most = 0;
  bool idle = false;
  for (size_t i = 0; i < set->count; ++i) {
    const uint64_t bytes = stow_arena_case_bytes(&m->cases, worst->index, set->at[i]);
    if (bytes == 0 || !is_there(stow_heap_life_of(m->arenas, m->arena, set->at[i]), peak))
      continue;
    const bool is = is_idle(m, set->at[i], worst);
    if (largest < set->count && (is == idle ? bytes <= most : idle))
      continue;
    largest = i;
    most = bytes;
    idle = is;
  }
  assert(largest < set->count);
  return largest;
}

static void add_waiting(splitter *m, const member_set *set) {
  if (set->count > 0)
    STOW_PUSH(m->waiting, *set);
  else
    free(set->at);
}

static member_set empty_set(size_t room) {
  return (member_set){.at = stow_ir_allocate(room, sizeof(size_t))};
}

static size_t most_steps(const splitter *m) {
  return stow_ir_larger(STOW_SPLIT_LEAST_STEPS,
                        STOW_SPLIT_MOST_POSITIONS /
                            (m->cases.count * (m->function->flow.ops.count + 1)));
}

static void place_set(splitter *m, member_set *set, size_t *tries) {
  member_set rest = empty_set(set->count);
  while (set->count > 0) {
    const stow_arena_interval interval =
        stow_arena_interval_of(m->arenas, m->arena, set->at, set->count);
    const excess worst = worst_of(m, set, interval);
    if (worst.share <= 1) {
      take(m, set, interval);
      break;
    }
    if (set->count == 1 || ++*tries > most_steps(m))
      break;
    const uint64_t load = sum_up_own(m, set, interval, worst.index, AS_HELD);
    const int64_t peak = nearest_peak(m, interval, load, worst.position);
    const size_t out = largest_waste(m, set, &worst, peak);
    rest.at[rest.count++] = set->at[out];
    memmove(&set->at[out], &set->at[out + 1], (--set->count - out) * sizeof *set->at);
  }
  STOW_SORT(rest, stow_ir_by_number);
  add_waiting(m, &rest);
}

// Numbers the parts of the arena's planned members.
static void place_sets(splitter *m, const stow_arena *arena) {
  member_set all = empty_set(arena->members.count);
  for (size_t i = 0; i < arena->members.count; ++i) {
    m->part[arena->members.at[i]] = UNSHARED;
    if (stow_arena_fact(m->arenas, arena, arena->members.at[i])->reason == STOW_PLANNED)
      all.at[all.count++] = arena->members.at[i];
  }
  m->arena = arena;
  m->parts = 0;
  add_waiting(m, &all);
  size_t tries = 0;
  while (m->waiting.count > 0) {
    member_set set = m->waiting.at[--m->waiting.count];
    place_set(m, &set, &tries);
    free(set.at);
  }
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static void split(splitter *m, stow_arenas *arenas, stow_arena *arena, stow_arena_list *out) {
  place_sets(m, arena);
  int64_t *part = stow_ir_allocate(arena->members.count, sizeof *part);
  for (size_t i = 0; i < arena->members.count; ++i)
    part[i] = m->part[arena->members.at[i]];
  stow_arena_split(arenas, arena, part, m->parts, STOW_HEAP_PEAK, out);
  free(part);
}

static bool is_made_in_branch(const stow_flow *flow, const stow_arena *arena) {
  STOW_EACH_ITEM(size_t, member, arena->members)
    if (flow->blocks.at[flow->allocs.at[member].block].parent >= 0)
      return true;
  return false;
}

// Whether what a function needs may differ from one call to the next. Where not, there is one case.
static bool may_differ(const stow_arenas *arenas, const stow_arena *first, size_t count) {
  for (size_t a = 0; a < count; ++a)
    if (is_of_heap(first, &first[a]) &&
        (first[a].stackings.count > 0 || stow_arena_is_dynamic(arenas, &first[a]) ||
         is_made_in_branch(&stow_arena_function(arenas, first)->flow, &first[a])))
      return true;
  return false;
}

static splitter begin(const stow_arenas *arenas, const stow_arena *first, size_t count) {
  const stow_function_memory *function = stow_arena_function(arenas, first);
  splitter m = {.arenas = arenas,
                .function = function,
                .arena = first,
                .cases = stow_cases_of(arenas, first->function, may_differ(arenas, first, count)),
                .part = stow_ir_allocate(function->flow.allocs.count, sizeof *m.part),
                .own = stow_timeline_of(&function->flow)};
  for (size_t index = 0; index < m.cases.count; ++index)
    begin_heap(&m, first, count, index);
  return m;
}

static void end(splitter *m) {
  for (size_t index = 0; index < m->cases.count; ++index)
    free(m->heap[index].bytes);
  stow_cases_free(&m->cases);
  free(m->part);
  free(m->own.bytes);
  free(m->waiting.at);
}

// Those of one function and one memory space, of which the first is the first of them.
static void split_heap(stow_arenas *arenas, stow_arena *first, size_t count, bool *done,
                       stow_arena_list *out) {
  const stow_arena space = *first;
  splitter m = begin(arenas, first, count);
  for (size_t a = 0; a < count; ++a)
    if (!done[a] && is_of_same_heap(&space, &first[a])) {
      split(&m, arenas, &first[a], out);
      done[a] = true;
    }
  end(&m);
}

// Arenas of one function.
static void split_or_leave_alone(stow_arenas *arenas, const stow_rises *found, stow_arena *first,
                                 size_t count, stow_arena_list *out) {
  bool *done = stow_ir_allocate(count, sizeof *done);
  for (size_t a = 0; a < count; ++a) {
    if (done[a])
      continue;
    const size_t times = stow_backing_is(first[a].backing, STOW_BACKING_IS_OWN)
                             ? stow_arena_times_found(found, &first[a])
                             : 0;
    if (times > 1)
      stow_arena_leave_alone(arenas, &first[a], STOW_HEAP_PEAK);
    if (times == 1)
      split_heap(arenas, &first[a], count - a, &done[a], out);
    else
      STOW_PUSH(*out, first[a]);
  }
  free(done);
}

void stow_arena_split_to_bound(stow_arenas *arenas, const stow_rises *found) {
  stow_arena_list all = {0};
  for (size_t a = 0, last; a < arenas->arenas.count; a = last) {
    last = stow_arenas_end(arenas, a, arenas->arenas.at[a].function);
    split_or_leave_alone(arenas, found, &arenas->arenas.at[a], last - a, &all);
  }
  stow_arenas_take(arenas, &all);
  stow_arena_settle(arenas);
}

//===----------------------------------------------------------------------===//
// Who needs it
//===----------------------------------------------------------------------===//

static uint64_t planned_bytes(const splitter *m, const stow_arena *arena, size_t index) {
  uint64_t least = arena->stackings.count > 0 ? UINT64_MAX : arena->plan.arena_size;
  for (size_t k = 0; k < arena->stackings.count; ++k) {
    const uint64_t bytes = stow_arena_case_number(&m->cases, index, arena->stackings.at[k].size);
    least = bytes < least ? bytes : least;
  }
  return least + stow_ir_larger(m->arenas->options.alignment, stow_arena_alignment(arena));
}

// What the lowering adds to align a result that lends, beside what the result asks for itself.
static uint64_t added_to_lender(const splitter *m, const stow_arena *arena) {
  const uint64_t own = m->cases.slack[arena->lender];
  return stow_ir_larger(own,
                        stow_ir_larger(m->arenas->options.alignment, stow_arena_alignment(arena))) -
         own;
}

// A result that lends is there from the first buffer in it on.
static void add_planned(const splitter *m, stow_timeline *heap, const stow_arena *arena,
                        size_t index) {
  size_t count;
  const size_t *tenants = stow_arena_tenants(arena, &count);
  const stow_arena_interval interval = stow_arena_interval_of(m->arenas, arena, tenants, count);
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_OWN) &&
      stow_arena_case_runs(&m->cases, index, interval.block))
    stow_timeline_add(heap, interval.begin, interval.end, planned_bytes(m, arena, index));
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_LENT)) {
    stow_timeline_add(heap, interval.begin, m->function->flow.allocs.at[arena->lender].position,
                      stow_arena_case_bytes_unshared(&m->cases, index, arena->lender));
    stow_timeline_add(heap, interval.begin, (int64_t)m->function->flow.ops.count,
                      added_to_lender(m, arena));
  }
}

static void add_with(const splitter *m, stow_timeline *heap, const stow_arena *arena,
                     size_t index) {
  STOW_EACH_ITEM(size_t, alloc, arena->members) {
    const stow_heap_life life = stow_arena_case_life(&m->cases, arena, index, alloc);
    if (stow_arena_fact(m->arenas, arena, alloc)->reason != STOW_PLANNED)
      stow_timeline_add(heap, life.begin, life.end,
                        stow_arena_case_bytes_unshared(&m->cases, index, alloc));
  }
  if (stow_arena_is_made(arena))
    add_planned(m, heap, arena, index);
}

// Whether in some case the heap has more than it may, with some planned arenas.
static bool rises(const splitter *m, const stow_arena *first, size_t count) {
  bool above = false;
  for (size_t index = 0; index < m->cases.count && !above; ++index) {
    stow_timeline heap = stow_timeline_of(&m->function->flow);
    for (size_t a = 0; a < count; ++a)
      if (is_of_heap(m->arena, &first[a]))
        add_with(m, &heap, &first[a], index);
    stow_timeline_sum_up(&heap);
    above = (double)stow_timeline_peak(&heap) > m->limit[index];
    free(heap.bytes);
  }
  return above;
}

static void find_in_function(const stow_arenas *arenas, const stow_arena *first, size_t count,
                             stow_rises *out) {
  stow_rises seen = {0}; // memory spaces, each of which is gone through once
  for (size_t a = 0; a < count; ++a) {
    if (!stow_backing_is(first[a].backing, STOW_BACKING_IS_OWN) ||
        stow_arena_times_found(&seen, &first[a]) > 0)
      continue;
    STOW_PUSH(seen, (stow_rise){first->function, first[a].memory_space});
    if (stow_arena_times_found(out, &first[a]) > 1)
      continue;
    splitter m = begin(arenas, &first[a], count - a);
    if (rises(&m, &first[a], count - a))
      STOW_PUSH(*out, (stow_rise){first->function, first[a].memory_space});
    end(&m);
  }
  free(seen.at);
}

bool stow_arena_find_rises(const stow_arenas *arenas, stow_rises *out) {
  const size_t before = out->count;
  for (size_t a = 0, last; a < arenas->arenas.count; a = last) {
    last = stow_arenas_end(arenas, a, arenas->arenas.at[a].function);
    find_in_function(arenas, &arenas->arenas.at[a], last - a, out);
  }
  return out->count > before;
}
