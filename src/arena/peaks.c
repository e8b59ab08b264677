//===- peaks.c - the heap's peak in each function, before and after --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires planned arenas of a module that was read whole. Computes what a run of each function
// holds at most: its own allocations, what its callees hold meanwhile, and what they return.
// Before: each buffer until the program frees it, or until its last use if nothing frees it. After:
// the same with the planned buffers replaced by arenas. Callees come before their callers.
//
//===----------------------------------------------------------------------===//

#include "arena/heap.h"

#include <stdlib.h>

typedef struct heap {
  const stow_arenas *arenas;
  const stow_calls *calls;
  uint64_t slack;         // of each allocation
  stow_heap_peaks *peaks; // of each function
  int32_t *index;         // of a function of `calls` among those, or -1
} heap;

// Of one function.
typedef struct sums {
  const stow_function_memory *memory;
  uint64_t slack;
  int64_t *freed;    // position of each dealloc
  int64_t *returned; // of each value: the position behind the last return that it may take, or -1
  stow_timeline before, after;
  bool exact;
} sums;

static void add(sums *s, int64_t begin, int64_t end, uint64_t bytes, bool stays) {
  stow_timeline_add(&s->before, begin, end, bytes + s->slack);
  if (stays)
    stow_timeline_add(&s->after, begin, end, bytes + s->slack);
}

static int64_t *returns_of(const stow_flow *flow) {
  int64_t *behind = stow_ir_allocate(flow->values.count, sizeof *behind);
  for (size_t v = 0; v < flow->values.count; ++v)
    behind[v] = -1;
  size_t p = 0; // escapes are listed in the order of their ops, too
  STOW_EACH(const stow_escape, escape, flow->escapes) {
    if (escape->reason != STOW_RETURNED || escape->value < 0)
      continue;
    while (!mlirOperationEqual(flow->ops.at[p], escape->op))
      ++p;
    behind[escape->value] = (int64_t)p + 1;
  }
  return behind;
}

// What a value goes on to takes the return for it.
static int64_t *last_returns(const stow_flow *flow) {
  int64_t *behind = returns_of(flow);
  stow_components cycles = stow_components_of(&flow->targets, flow->values.count);
  for (int32_t c = 0; c < cycles.count; ++c) { // targets first
    int64_t last = -1;
    for (int32_t m = cycles.first[c]; m < cycles.first[c + 1]; ++m) {
      last = stow_ir_later(last, behind[cycles.members[m]]);
      STOW_EACH_OF(to, flow->targets, cycles.members[m])
        last = stow_ir_later(last, behind[to]);
    }
    for (int32_t m = cycles.first[c]; m < cycles.first[c + 1]; ++m)
      behind[cycles.members[m]] = last;
  }
  stow_components_free(&cycles);
  return behind;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// By group of deallocs: where the last one is, or behind the last return, or -1.
static int64_t *last_ends(const sums *s) {
  const stow_dealloc_groups *groups = &s->memory->groups;
  int64_t *last = stow_ir_allocate((size_t)groups->group_count, sizeof *last);
  for (int32_t g = 0; g < groups->group_count; ++g)
    last[g] = -1;
  for (size_t i = 0; i < s->memory->flow.frees.count; ++i)
    last[groups->of_free[i]] = stow_ir_later(last[groups->of_free[i]], s->freed[i]);
  for (size_t i = 0; i < s->memory->flow.allocs.count; ++i)
    last[groups->of_alloc[i]] =
        stow_ir_later(last[groups->of_alloc[i]], s->returned[s->memory->flow.allocs.at[i].value]);
  return last;
}

static bool is_made_on_heap(const stow_alloc *alloc) {
  return !alloc->on_stack && !alloc->on_device;
}

// By group of deallocs: the bytes of its buffer. Of several it is not known which one is freed
// where.
static uint64_t *freed_bytes(sums *s, const stow_buffer_fact *selection, bool staying) {
  const stow_dealloc_groups *groups = &s->memory->groups;
  uint64_t *bytes = stow_ir_allocate((size_t)groups->group_count, sizeof *bytes);
  bool *met = stow_ir_allocate((size_t)groups->group_count, sizeof *met);
  for (size_t i = 0; i < s->memory->flow.allocs.count; ++i) {
    const int32_t g = groups->of_alloc[i];
    const bool counts = is_made_on_heap(&s->memory->flow.allocs.at[i]) &&
                        (!staying || selection[i].reason != STOW_PLANNED);
    bytes[g] = counts && !met[g] ? selection[i].size.bytes + s->slack : 0;
    s->exact &= !met[g];
    met[g] = true;
  }
  free(met);
  return bytes;
}

// Whether a block ends with a branch to one of which a part stands before `last`.
static bool goes_on_before(const stow_flow *flow, const stow_block *block, int64_t last) {
  const MlirOperation end = mlirBlockGetTerminator(block->block);
  for (intptr_t i = 0; !mlirOperationIsNull(end) && i < mlirOperationGetNumSuccessors(end); ++i) {
    const MlirBlock next = mlirOperationGetSuccessor(end, i);
    const int32_t number = stow_map_get(&flow->block_index, next.ptr);
    if (number >= 0 && flow->blocks.at[number].end > block->end &&
        (flow->blocks.at[number].end <= last ||
         !mlirOperationIsNull(stow_ir_op_in_block(next, flow->ops.at[last - 1]))))
      return true;
  }
  return false;
}

// A branch that frees a buffer runs to its end without it. In blocks that follow it is counted
// again.
static void add_gaps(sums *s, const int64_t *last, const uint64_t *bytes, stow_timeline *t) {
  const stow_flow *flow = &s->memory->flow;
  for (size_t i = 0; i < flow->frees.count; ++i) {
    const int32_t g = s->memory->groups.of_free[i];
    const stow_block *block = &flow->blocks.at[flow->frees.at[i].block];
    if (s->freed[i] >= last[g])
      continue;
    stow_timeline_add(t, s->freed[i], stow_ir_earlier(block->end, last[g]), -bytes[g]);
    s->exact &= block->end >= last[g] || !goes_on_before(flow, block, last[g]);
  }
}

// Whether a buffer is still allocated after a block that may not run. If so, it is counted together
// with the buffers of the other branch.
static bool outlives_branch(const stow_flow *flow, const stow_alloc *made, int64_t end) {
  const int32_t branch = flow->blocks.at[made->block].once;
  return branch != 0 && end > flow->blocks.at[branch].end;
}

static void add_buffer(sums *s, size_t alloc, const stow_buffer_fact *fact, int64_t last) {
  const stow_flow *flow = &s->memory->flow;
  const stow_alloc *made = &flow->allocs.at[alloc];
  const stow_life *life = &s->memory->lives[made->value];
  const bool stays = fact->reason != STOW_PLANNED;
  const int64_t used = stow_ir_later(stow_ir_later(life->end, life->handed), made->position + 1);
  const int64_t end = life->returned >= 0 ? stow_ir_later(last, used) : last >= 0 ? last : used;
  s->exact &= fact->size.known && life->carried < 0 && !outlives_branch(flow, made, end);
  add(s, made->position, end, fact->size.bytes, stays);
}

static void add_buffers(sums *s, const stow_buffer_fact *selection) {
  const stow_flow *flow = &s->memory->flow;
  int64_t *last = last_ends(s);
  uint64_t *before = freed_bytes(s, selection, false), *after = freed_bytes(s, selection, true);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    if (is_made_on_heap(&flow->allocs.at[i]))
      add_buffer(s, i, &selection[i], last[s->memory->groups.of_alloc[i]]);
  add_gaps(s, last, before, &s->before);
  add_gaps(s, last, after, &s->after);
  free(last);
  free(before);
  free(after);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void add_callee(const heap *h, sums *s, int64_t position) {
  const MlirOperation op = s->memory->flow.ops.at[position];
  const int32_t callee = stow_ir_called(h->calls, op);
  const int32_t f = callee >= 0 ? h->index[callee] : -1;
  s->exact &= callee < 0 ? stow_ir_call_by_address(h->calls, op) < 0 : f >= 0 && h->peaks[f].exact;
  if (f < 0)
    return;
  stow_timeline_add(&s->before, position, position + 1, h->peaks[f].before);
  stow_timeline_add(&s->after, position, position + 1, h->peaks[f].after);
}

// What a callee returns is there from the op behind the call on. It may be an argument of the call.
static void add_given(const heap *h, sums *s, size_t value, bool is_passed) {
  const stow_flow *flow = &s->memory->flow;
  const stow_value *given = &flow->values.at[value];
  const stow_life *life = &s->memory->lives[value];
  if (!stow_arena_is_given(h->arenas, h->calls, given))
    return;
  const int64_t used = stow_ir_later(life->end, life->handed);
  const int64_t end = life->returned >= 0 ? stow_ir_later(s->returned[value], used)
                      : life->free >= 0   ? s->freed[life->free]
                                          : used;
  s->exact &= !is_passed && life->carried < 0;
  if (!is_passed)
    add(s, given->defined + 1, end, stow_ir_made_bytes(given->value), true);
}

static void add_calls(const heap *h, sums *s) {
  const stow_flow *flow = &s->memory->flow;
  for (size_t v = 0; v < flow->values.count; ++v)
    add_given(h, s, v, flow->sources.first[v] < flow->sources.first[v + 1]);
  for (size_t p = 0; p < flow->ops.count; ++p)
    if (stow_bridge_op_is_call(flow->ops.at[p]))
      add_callee(h, s, (int64_t)p);
    else
      s->exact &= !stow_ir_is(flow->ops.at[p], STOW_MEMREF_REALLOC);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static uint64_t peak_of(stow_timeline *t) {
  stow_timeline_sum_up(t);
  const uint64_t peak = stow_timeline_peak(t);
  free(t->bytes);
  return peak;
}

static void sum_up(heap *h, size_t f, size_t first, size_t end) {
  const stow_function_memory *memory = &h->arenas->memory.functions[f];
  const stow_flow *flow = &memory->flow;
  sums s = {.memory = memory,
            .slack = h->slack,
            .freed = stow_timeline_frees(flow),
            .returned = last_returns(flow),
            .before = stow_timeline_of(flow),
            .after = stow_timeline_of(flow),
            .exact = !h->arenas->options.leave_arena && !h->arenas->options.hoist_parallel};
  add_buffers(&s, h->arenas->selection[f]);
  for (size_t a = first; a < end; ++a)
    if (stow_backing_is(h->arenas->arenas.at[a].backing, STOW_BACKING_IS_HOST))
      stow_timeline_add_made(&s.after, h->arenas, &h->arenas->arenas.at[a], h->slack);
  add_calls(h, &s);
  free(s.freed);
  free(s.returned);
  h->peaks[f] = (stow_heap_peaks){peak_of(&s.before), peak_of(&s.after), s.exact};
}

// By function: its first arena.
static size_t *first_arenas(const stow_arenas *arenas) {
  const size_t count = arenas->memory.function_count;
  size_t *first = stow_ir_allocate(count + 1, sizeof *first);
  for (size_t f = 0; f < count; ++f)
    first[f + 1] = stow_arenas_end(arenas, first[f], f);
  return first;
}

static heap heap_of(const stow_arenas *arenas, uint64_t slack) {
  const stow_calls *calls = arenas->memory.calls;
  heap h = {arenas, calls, slack, stow_ir_allocate(arenas->memory.function_count, sizeof *h.peaks),
            stow_ir_allocate(calls->function_count, sizeof *h.index)};
  for (size_t n = 0; n < calls->function_count; ++n)
    h.index[n] = -1;
  return h;
}

bool stow_arena_tells_heap(const stow_arenas *arenas) {
  return !arenas->on_stack && !arenas->framing;
}

stow_heap_peaks *stow_heap_peaks_as_is(const stow_module_memory *memory) {
  stow_arenas none = {.memory = *memory};
  none.selection = stow_ir_allocate(memory->function_count, sizeof *none.selection);
  for (size_t f = 0; f < memory->function_count; ++f)
    none.selection[f] = (stow_buffer_fact *)memory->functions[f].buffers; // only read
  stow_heap_peaks *peaks = stow_heap_peaks_of(&none, 0);
  for (size_t f = 0; f < memory->function_count; ++f)
    peaks[f].after = peaks[f].before;
  free(none.selection);
  return peaks;
}

stow_heap_peaks *stow_heap_peaks_of(const stow_arenas *arenas, uint64_t slack) {
  heap h = heap_of(arenas, slack);
  int32_t *numbered = stow_ir_allocate(h.calls->function_count, sizeof *numbered);
  size_t *first = first_arenas(arenas);
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    numbered[arenas->memory.functions[f].number] = (int32_t)f + 1;
  for (size_t i = 0; i < h.calls->function_count; ++i) { // callees first
    const int32_t n = h.calls->components.members[i], f = numbered[n] - 1;
    if (f < 0)
      continue;
    sum_up(&h, (size_t)f, first[f], first[f + 1]);
    h.index[n] = f;
  }
  free(first);
  free(numbered);
  free(h.index);
  return h.peaks;
}
