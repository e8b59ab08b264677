//===- tree.c - which callee holds how much of an entry point's frame -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires frames of all functions. Computes the rows of the report: for each entry point its
// callees depth first, along a path that is kept here instead of on the C stack. What is listed
// above is not listed again.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

typedef struct gift {
  int32_t caller, callee; // functions
} gift;

// A function whose callees are being listed.
typedef struct level {
  int32_t function;
  size_t next; // gift
} level;

typedef struct tree {
  const stow_frames *frames;
  stow_strings *strings;
  STOW_ARRAY(gift) gifts; // a frame for each call, by caller, then callee
  bool *listed;           // per function
  STOW_ARRAY(level) path; // from an entry point
  STOW_ARRAY(stow_report_frame) rows;
} tree;

static const char *keep(tree *t, char *string) {
  STOW_PUSH(*t->strings, string);
  return string;
}

static void list_needs(tree *t, const stow_framed *framed, size_t depth, size_t calls, bool above) {
  STOW_EACH(const stow_need, need, framed->needs) {
    const char *space =
        mlirAttributeIsNull(need->space) ? "" : keep(t, stow_attribute_text(need->space));
    STOW_PUSH(t->rows, (stow_report_frame){
                           .function = keep(
                               t, stow_ir_copy_string(stow_bridge_function_name(framed->function))),
                           .kind = stow_backing_kind(need->backing),
                           .memory_space = space,
                           .bytes = need->bytes,
                           .formula = need->measure.text,
                           .alignment = need->alignment,
                           .depth = depth,
                           .calls = calls,
                           .above = above});
  }
}

//===----------------------------------------------------------------------===//
// Gifts
//===----------------------------------------------------------------------===//

static void note_gifts(tree *t, size_t callee) {
  const stow_framed *framed = &t->frames->functions[callee];
  for (size_t i = 0; i < framed->calls.count; ++i) {
    const int32_t caller = stow_calls_caller(&t->frames->calls, framed->calls.at[i]);
    if (caller >= 0)
      STOW_PUSH(t->gifts, (gift){caller, (int32_t)callee});
  }
}

STOW_BY_FIELDS(compare_gifts, gift, caller, callee)

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Its frame, below that of who calls it; then those of its callees, unless they are above.
static void enter(tree *t, size_t function, size_t calls) {
  const bool above = t->listed[function];
  list_needs(t, &t->frames->functions[function], t->path.count, calls, above);
  t->listed[function] = true;
  STOW_PUSH(t->path, (level){.function = (int32_t)function,
                             .next = above ? t->gifts.count
                                           : stow_ir_first_from(
                                                 STOW_COLUMN(t->gifts.at, t->gifts.count, caller),
                                                 (int64_t)function)});
}

// Goes from the last function of the path to the next of its callees, or back.
static void step(tree *t) {
  level *last = &t->path.at[t->path.count - 1];
  const size_t first = last->next;
  if (first == t->gifts.count || t->gifts.at[first].caller != last->function) {
    --t->path.count;
    return;
  }
  while (last->next < t->gifts.count &&
         compare_gifts(&t->gifts.at[first], &t->gifts.at[last->next]) == 0)
    ++last->next;
  enter(t, (size_t)t->gifts.at[first].callee, last->next - first);
}

static void list(tree *t, size_t entry) {
  enter(t, entry, 0);
  while (t->path.count > 0)
    step(t);
}

stow_report_frames stow_frame_tree(const stow_frames *frames, stow_strings *strings) {
  const size_t count = frames->calls.function_count;
  tree t = {.frames = frames, .strings = strings, .listed = stow_ir_allocate(count, sizeof(bool))};
  for (size_t f = 0; f < count; ++f)
    if (stow_backing_is(frames->functions[f].backing, STOW_BACKING_IS_PASSED) &&
        frames->functions[f].needs.count > 0)
      note_gifts(&t, f);
  STOW_SORT(t.gifts, compare_gifts);
  for (size_t f = 0; f < count; ++f)
    if (frames->functions[f].entry)
      list(&t, f);
  free(t.gifts.at);
  free(t.listed);
  free(t.path.at);
  return (stow_report_frames){t.rows.at, t.rows.count};
}
