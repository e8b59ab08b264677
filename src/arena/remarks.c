//===- remarks.c - what was done and what was not, as MLIR remarks --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires planned arenas. One remark per arena (bytes, why it begins where it does, the heap's
// peak before and after), one per buffer that is left alone, and one per kernel where occupancy is
// asked for.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/heap.h"
#include "arena/workgroup.h"
#include "ir/limits.h"

#include <stdlib.h>

// What a remark is about.
typedef struct subject {
  const stow_arenas *arenas;
  const stow_arena *arena;
  bool rewritten;
  size_t member;                // that is left alone
  const stow_heap_peaks *peaks; // of functions, or NULL
} subject;

static void emit(const subject *s, stow_remark remark,
                 stow_remark_texts (*build)(const void *subject)) {
  remark.category = s->arenas->pass;
  remark.function =
      stow_bridge_function_name(stow_arena_function(s->arenas, s->arena)->flow.function);
  stow_remark_build(&remark, build, s);
}

static void add_formula(const stow_arenas *arenas, const stow_arena *arena, stow_text *text) {
  char *formula = stow_arena_formula(arenas, arena),
       *sizes = stow_arena_typical_text(arenas, arena);
  stow_text_printf(text, "; for %s: the arena has %s bytes", sizes, formula);
  free(formula);
  free(sizes);
}

static void add_sizes(const stow_arenas *arenas, const stow_arena *arena, stow_text *text) {
  char *sizes = stow_arena_typical_text(arenas, arena);
  stow_text_printf(text, "; for %s, with others other buffers may be alive there", sizes);
  free(sizes);
}

static void add_cause(stow_region_cause cause, stow_text *text) {
  switch (cause) {
  case STOW_SIZES_LATER:
    stow_text_printf(text, "sizes are known there only");
    break;
  case STOW_RUN_UNCERTAIN:
    stow_text_printf(text, "it is not known earlier whether one does");
    break;
  case STOW_HOME_TOO_DEEP:
    stow_text_printf(text,
                     "more than %d ops in a row tell earlier whether one does, or with which sizes",
                     STOW_EXTENTS_MOST_REPEATED);
    break;
  }
}

// What is not known, or not certain, in front of such an op.
static void add_home(const stow_arena *arena, stow_text *text) {
  const MlirOperation op = mlirBlockGetParentOperation(mlirRegionGetFirstBlock(arena->region));
  const MlirStringRef name = stow_ir_op_name(op);
  stow_text_printf(text, "; it is made each time a region of %.*s runs, as ", (int)name.length,
                   name.data);
  add_cause(arena->cause, text);
}

static void add_peaks(const stow_heap_peaks *peaks, stow_text *text) {
  stow_text_printf(text, "; heap at the function's peak: %s%llu bytes, before %llu",
                   peaks->exact ? "" : "about ", (unsigned long long)peaks->after,
                   (unsigned long long)peaks->before);
}

static stow_remark_texts build_arena(const void *subject_) {
  const subject *s = subject_;
  const stow_arenas *arenas = s->arenas;
  const stow_arena *arena = s->arena;
  const bool shared = stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED);
  const uint64_t size = shared ? stow_arena_workgroup_bytes(arenas, arena) : arena->plan.arena_size;
  const bool lent = stow_backing_is(arena->backing, STOW_BACKING_IS_LENT);
  const char *what = shared ? "" : lent ? "a result of " : "one arena of ";
  stow_text text = {0};
  stow_text_printf(
      &text, "%zu %sbuffers of %llu bytes %s %s%llu bytes%s", arena->planned_count,
      shared ? "workgroup " : "", (unsigned long long)stow_arena_bytes_unshared(arena),
      s->rewritten ? "put into" : "fit", what,
      (unsigned long long)(lent ? stow_arena_fact(arenas, arena, arena->lender)->size.bytes : size),
      lent ? " that is not yet written" : "");
  if (arena->in_launch)
    stow_text_printf(&text, " of dynamic shared memory");
  if (arena->not_in_launch)
    stow_text_printf(&text, " of an attribution, as %s", arena->not_in_launch);
  if (!shared)
    stow_text_printf(&text, "; live at the peak: %llu bytes",
                     (unsigned long long)stow_most_live_in(arena).bytes);
  if (arena->bank_pairs > 0)
    stow_text_printf(&text, "; pairs in different banks: %zu of %zu", arena->bank_pairs_apart,
                     arena->bank_pairs);
  if (stow_arena_has_formula(arena))
    add_formula(arenas, arena, &text);
  if (lent && arena->tenants.count > 0)
    add_sizes(arenas, arena, &text);
  if (arena->joint > 0)
    stow_text_printf(&text, "; for other sizes other buffers are in results");
  if (arena->stackings.count > 0 && !mlirRegionIsNull(arena->region))
    add_home(arena, &text);
  if (s->peaks && !shared)
    add_peaks(&s->peaks[arena->function], &text);
  return (stow_remark_texts){.text = text.data};
}

static void remark_arena(const stow_arenas *arenas, const stow_arena *arena,
                         const stow_heap_peaks *peaks, bool rewritten) {
  const subject s = {.arenas = arenas, .arena = arena, .rewritten = rewritten, .peaks = peaks};
  emit(&s,
       (stow_remark){.kind = rewritten ? STOW_REMARK_PASSED : STOW_REMARK_ANALYSIS,
                     .location = mlirOperationGetLocation(stow_arena_scope(arenas, arena)->op),
                     .name = stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED) ? "workgroup"
                             : stow_backing_is(arena->backing, STOW_BACKING_IS_LENT) ? "lent"
                                                                                     : "arena",
                     .count = arena->planned_count},
       build_arena);
}

static stow_remark_texts build_left_alone(const void *subject_) {
  const subject *s = subject_;
  const stow_buffer_fact *fact = stow_arena_fact(s->arenas, s->arena, s->member);
  stow_text text = {0};
  if (stow_backing_is(s->arena->backing, STOW_BACKING_IS_SHARED))
    stow_text_printf(&text, "workgroup ");
  if (fact->size.known)
    stow_text_printf(&text, "buffer of %llu bytes left alone",
                     (unsigned long long)fact->size.bytes);
  else
    stow_text_printf(&text, "buffer of unknown size left alone");
  return (stow_remark_texts){.text = text.data,
                             .reason = stow_arena_reason_text(fact),
                             .suggestion = stow_arena_suggestion(s->arenas, s->arena, fact)};
}

static void remark_left_alone(const stow_arenas *arenas, const stow_arena *arena, size_t member) {
  const subject s = {.arenas = arenas, .arena = arena, .member = member};
  emit(&s,
       (stow_remark){
           .kind = STOW_REMARK_MISSED,
           .location = mlirValueGetLocation(stow_arena_value(arenas, arena, member)),
           .name = stow_arena_reason_row(stow_arena_fact(arenas, arena, member)->reason)->code},
       build_left_alone);
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

static stow_remark_texts build_occupancy(const void *subject_) {
  const subject *s = subject_;
  const stow_report_kernel kernel = stow_arena_describe_kernel(s->arenas, s->arena);
  const stow_report_occupancy *o = &kernel.occupancy;
  stow_text text = {0};
  stow_text_printf(&text,
                   "a workgroup takes %llu bytes of %llu, before %llu; workgroups at a time: %llu, "
                   "before %llu",
                   (unsigned long long)kernel.after, (unsigned long long)o->memory,
                   (unsigned long long)kernel.before, (unsigned long long)o->after,
                   (unsigned long long)o->before);
  for (size_t i = 0; i < o->next_count; ++i)
    stow_text_printf(&text, "%s %llu with at most %llu", i == 0 ? ";" : ",",
                     (unsigned long long)o->after + i + 1, (unsigned long long)o->next[i]);
  return (stow_remark_texts){.text = text.data};
}

static void remark_occupancy(const stow_arenas *arenas) {
  STOW_EACH(const stow_arena, arena, arenas->arenas)
    if (stow_arena_begins_kernel(arenas, arena)) {
      const subject s = {.arenas = arenas, .arena = arena};
      emit(&s,
           (stow_remark){.kind = STOW_REMARK_ANALYSIS,
                         .location = mlirOperationGetLocation(stow_arena_scope(arenas, arena)->op),
                         .name = "occupancy"},
           build_occupancy);
    }
}

void stow_arenas_remark(const stow_arenas *arenas, bool rewritten) {
  if (!stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    return;
  stow_heap_peaks *peaks = stow_arena_tells_heap(arenas) ? stow_heap_peaks_of(arenas, 0) : NULL;
  STOW_EACH(const stow_arena, arena, arenas->arenas) {
    if (stow_arena_is_made(arena))
      remark_arena(arenas, arena, peaks, rewritten);
    for (size_t i = 0; i < arena->members.count; ++i)
      if (stow_arena_fact(arenas, arena, arena->members.at[i])->reason != STOW_PLANNED)
        remark_left_alone(arenas, arena, arena->members.at[i]);
  }
  free(peaks);
  if (arenas->options.occupancy_memory > 0)
    remark_occupancy(arenas);
}
