//===- json.c - the report as one JSON object -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two spaces of indent per level, one line per buffer: readable as it is, and a
// diff of two reports names the buffers that changed. Which members an object has
// is said in fields.h.
//
//===----------------------------------------------------------------------===//

#include "fields.h"
#include "profile.h"
#include "put.h"
#include "scale.h"

// An object that is being written: what goes before the next member.
typedef struct members {
  stow_sink sink;
  const char *before, *next;
} members;

static members open_object(stow_sink sink) {
  stow_report_put(sink, "{");
  return (members){sink, "", ", "};
}

static const char *begin_member(members *m) {
  const char *const before = m->before;
  m->before = m->next;
  return before;
}

static void put_key(members *m, const char *key) {
  stow_report_put_json_key(m->sink, begin_member(m), key);
}

// Values that may be unknown.
typedef struct known_bytes {
  uint64_t value;
  bool known;
} known_bytes;

typedef struct limit {
  int64_t value;
  bool known;
} limit;

typedef struct indices {
  const size_t *at;
  size_t count;
} indices;

#define KNOWN(VALUE, IS_KNOWN) ((known_bytes){VALUE, IS_KNOWN})
#define LIMIT(VALUE, IS_KNOWN) ((limit){VALUE, IS_KNOWN})
#define INDICES(AT, COUNT) ((indices){AT, COUNT})

//===----------------------------------------------------------------------===//
// Members of one value
//===----------------------------------------------------------------------===//

#define PUT_MEMBER(m, key, kind, value)                                                            \
  stow_report_put_json_##kind((m)->sink, begin_member(m), key, value)
#define put_text(m, key, value) PUT_MEMBER(m, key, text, value)
#define put_bytes(m, key, value) PUT_MEMBER(m, key, unsigned, value)
#define put_point(m, key, value) PUT_MEMBER(m, key, signed, value)
#define put_truth(m, key, value) PUT_MEMBER(m, key, bool, value)

static void put_text_if(members *m, const char *key, const char *text) {
  if (text)
    put_text(m, key, text);
}

static void put_text_or_null(members *m, const char *key, const char *text) {
  put_key(m, key);
  if (text)
    stow_report_put_json_string(m->sink, text);
  else
    stow_report_put(m->sink, "null");
}

static void put_bytes_if(members *m, const char *key, uint64_t value) {
  if (value)
    put_bytes(m, key, value);
}

static void put_bytes_or_null(members *m, const char *key, known_bytes bytes) {
  put_key(m, key);
  stow_report_put(m->sink, bytes.known ? stow_report_cell_unsigned(bytes.value).text : "null");
}

static void put_alignment(members *m, const char *key, uint64_t alignment) {
  put_bytes(m, key, alignment ? alignment : 1);
}

static void put_limit(members *m, const char *key, limit value) {
  put_key(m, key);
  stow_report_put(m->sink, value.known ? stow_report_cell_signed(value.value).text : "null");
}

static void put_truth_if(members *m, const char *key, bool value) {
  if (value)
    put_truth(m, key, value);
}

static void put_indices(members *m, const char *key, indices list) {
  put_key(m, key);
  for (size_t i = 0; i < list.count; i++)
    STOW_PUT(m->sink, i ? ", " : "[", stow_report_cell_unsigned(list.at[i]).text);
  stow_report_put(m->sink, list.count ? "]" : "[]");
}

// Kinds that differ in the schema only.
#define put_version put_bytes
#define put_count put_bytes
#define put_outcome put_text
#define put_frame_kind put_text
#define put_outside_kind put_text

// All members of a table.
#define PUT(KIND, KEY, VALUE, ABOUT) put_##KIND(&m, #KEY, VALUE);

// A member that is an array, with an item on each line.
#define PUT_LIST(m, key, indent, items, count, put)                                                \
  STOW_PUT_JSON_LIST((m)->sink, begin_member(m), key, indent, items, count, put)

// Defines the function that writes an object on one line, by its table.
#define OBJECT(name, type, FIELDS)                                                                 \
  static void put_##name(stow_sink sink, const type *name) {                                       \
    members m = open_object(sink);                                                                 \
    FIELDS(PUT)                                                                                    \
    stow_report_put(sink, "}");                                                                    \
  }

// Defines that of a kind of member: the array of such objects that `of` has, if it has any.
#define LIST_IF(name, kind, type, items, count, indent)                                            \
  static void put_##kind##_if(members *m, const char *key, const type *of) {                       \
    if (of->count)                                                                                 \
      PUT_LIST(m, key, indent, of->items, of->count, put_##name);                                  \
  }

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static void put_window(stow_sink sink, const stow_piece *piece) {
  if (!piece->high)
    return;
  STOW_PUT(sink, ", ", stow_report_cell_unsigned(piece->low).text, ", ",
           stow_report_cell_unsigned(piece->high).text);
}

static void put_pieces_if(members *m, const char *key, const stow_report_buffer *buffer) {
  if (!buffer->piece_count)
    return;
  put_key(m, key);
  for (size_t i = 0; i < buffer->piece_count; i++) {
    STOW_PUT(m->sink, i ? ", [" : "[[", stow_report_cell_signed(buffer->pieces[i].begin).text, ", ",
             stow_report_cell_signed(buffer->pieces[i].end).text);
    put_window(m->sink, &buffer->pieces[i]);
    stow_report_put(m->sink, "]");
  }
  stow_report_put(m->sink, "]");
}

OBJECT(part, stow_report_part, STOW_PART_FIELDS)
LIST_IF(part, parts, stow_report_buffer, parts, part_count, "          ")

static void put_buffer(stow_sink sink, const stow_report_buffer *buffer, bool placed) {
  members m = open_object(sink);
  STOW_BUFFER_FIELDS(PUT)
  if (buffer->reason) {
    STOW_LEFT_ALONE_FIELDS(PUT)
  } else {
    STOW_PLANNED_FIELDS(PUT)
  }
  stow_report_put(sink, "}");
}

static void put_buffers(members *m, const char *key, const stow_report_arena *arena,
                        bool left_alone) {
  const char *separator = "\n        ";
  put_key(m, key);
  stow_report_put(m->sink, "[");
  for (size_t i = 0; i < arena->buffer_count; i++) {
    if ((arena->buffers[i].reason != NULL) != left_alone)
      continue;
    stow_report_put(m->sink, separator);
    put_buffer(m->sink, &arena->buffers[i], stow_report_has_plan(arena));
    separator = ",\n        ";
  }
  stow_report_put(m->sink, "]");
}

static void put_planned_list(members *m, const char *key, const stow_report_arena *arena) {
  put_buffers(m, key, arena, false);
}

static void put_left_alone_list(members *m, const char *key, const stow_report_arena *arena) {
  put_buffers(m, key, arena, true);
}

//===----------------------------------------------------------------------===//
// Sizes known at run time
//===----------------------------------------------------------------------===//

static const char *const step_names[STOW_STEP_KINDS] = {
    [STOW_STEP_NUMBER] = "number",     [STOW_STEP_SIZE] = "size",
    [STOW_STEP_SUM] = "sum",           [STOW_STEP_PRODUCT] = "product",
    [STOW_STEP_LARGEST] = "largest",   [STOW_STEP_SMALLEST] = "smallest",
    [STOW_STEP_QUOTIENT] = "quotient", [STOW_STEP_INVERTED] = "inverted"};

OBJECT(size, stow_report_size, STOW_SIZE_FIELDS)

static void put_size_list(members *m, const char *key, const stow_report_formulas *formulas) {
  put_key(m, key);
  stow_report_put(m->sink, "[");
  for (size_t i = 0; i < formulas->size_count; i++) {
    stow_report_put(m->sink, i ? ", " : "");
    put_size(m->sink, &formulas->sizes[i]);
  }
  stow_report_put(m->sink, "]");
}

// ["sum", 3, 4], ["quotient", 5, 64]: operands, then the number.
static void put_step(stow_sink sink, const stow_report_formulas *formulas,
                     const stow_report_step *step) {
  STOW_PUT(sink, "[\"", step_names[step->kind], "\"");
  for (size_t i = 0; i < step->operand_count; i++) {
    STOW_PUT(sink, ", ",
             stow_report_cell_unsigned(formulas->operands[step->first_operand + i]).text);
  }
  if (step->kind == STOW_STEP_NUMBER || step->kind == STOW_STEP_SIZE ||
      step->kind == STOW_STEP_QUOTIENT) {
    STOW_PUT(sink, ", ", stow_report_cell_signed(step->number).text);
  }
  stow_report_put(sink, "]");
}

static void put_steps(members *m, const char *key, const stow_report_formulas *formulas) {
  put_key(m, key);
  stow_report_put(m->sink, "[");
  for (size_t i = 0; i < formulas->step_count; i++) {
    stow_report_put(m->sink, i ? ", " : "");
    put_step(m->sink, formulas, &formulas->steps[i]);
  }
  stow_report_put(m->sink, "]");
}

typedef struct formula_plan {
  size_t arena_size;
  indices offsets;
} formula_plan;

OBJECT(plan, formula_plan, STOW_FORMULA_PLAN_FIELDS)

static void put_plan_list(members *m, const char *key, const stow_report_formulas *formulas) {
  const size_t count = formulas->buffer_count;
  put_key(m, key);
  stow_report_put(m->sink, "[");
  for (size_t i = 0; i < formulas->plan_count; i++) {
    stow_report_put(m->sink, i ? ",\n          " : "\n          ");
    put_plan(m->sink, &(formula_plan){formulas->arena_bytes[i],
                                      INDICES(formulas->offsets + i * count, count)});
  }
  stow_report_put(m->sink, "]");
}

static void put_formulas_if(members *in, const char *key, const stow_report_formulas *formulas) {
  if (!formulas)
    return;
  put_key(in, key);
  stow_report_put(in->sink, "{");
  members m = {in->sink, "\n        ", ",\n        "};
  STOW_FORMULAS_FIELDS(PUT)
  stow_report_put(in->sink, "}");
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static const char *strategy_name(stow_strategy strategy) {
  const char *const name = stow_strategy_name(strategy);
  return name ? name : "";
}

static const char *relation_name(stow_relation_kind kind) {
  return kind == STOW_EXCLUSIVE   ? "exclusive"
         : kind == STOW_COLOCATED ? "colocated"
                                  : "may_colocate";
}

// Pairs by ids; buffers without ids cannot be named.
static void put_relations_if(members *m, const char *key, const stow_report_arena *arena) {
  if (!arena->relation_count)
    return;
  const char *separator = "[\"";
  put_key(m, key);
  stow_report_put(m->sink, "[");
  for (size_t i = 0; i < arena->relation_count; i++) {
    const stow_relation *const relation = &arena->relations[i];
    const char *const first = arena->buffers[relation->first].id;
    const char *const second = arena->buffers[relation->second].id;
    if (!first || !second)
      continue;
    STOW_PUT(m->sink, separator, relation_name(relation->kind), "\", ");
    stow_report_put_json_string(m->sink, first);
    stow_report_put(m->sink, ", ");
    stow_report_put_json_string(m->sink, second);
    stow_report_put(m->sink, "]");
    separator = ", [\"";
  }
  stow_report_put(m->sink, "]");
}

// Of `count` samples no more than STOW_HTML_SAMPLES: of each group the one with the most bytes
// alive.
static void put_samples_if(members *m, const char *key, const stow_profile *profile) {
  if (!profile)
    return;
  const size_t group = profile->count / STOW_HTML_SAMPLES + 1;
  put_key(m, key);
  stow_report_put(m->sink, "[");
  for (size_t i = 0; i < profile->count; i += group) {
    stow_sample most = profile->samples[i];
    for (size_t k = i; k < i + group && k < profile->count; k++)
      if (profile->samples[k].live > most.live)
        most = profile->samples[k];
    STOW_PUT(m->sink, i ? ", [" : "[", stow_report_cell_signed(most.point).text, ", ",
             stow_report_cell_unsigned(most.live).text, ", ",
             stow_report_cell_unsigned(most.highest).text, "]");
  }
  stow_report_put(m->sink, "]");
}

static void put_arena(stow_sink sink, const stow_report_arena *arena) {
  const stow_report_totals totals = stow_report_sum(arena);
  members m = {sink, "\n      ", ",\n      "};
  stow_report_put(sink, "{");
  STOW_ARENA_FIELDS(PUT)
  stow_report_put(sink, "\n    }");
}

static void put_arenas(members *m, const char *key, const stow_report *report) {
  PUT_LIST(m, key, "    ", report->arenas, report->arena_count, put_arena);
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

OBJECT(frame, stow_report_frame, STOW_FRAME_FIELDS)
LIST_IF(frame, frames, stow_report_frames, at, count, "    ")

OBJECT(heap, stow_report_heap, STOW_HEAP_FIELDS)
LIST_IF(heap, heaps, stow_report, heaps, heap_count, "    ")

static void put_bytes_list(members *m, const char *key, const stow_report_occupancy *occupancy) {
  put_key(m, key);
  for (size_t i = 0; i < occupancy->next_count; i++)
    STOW_PUT(m->sink, i ? ", " : "[", stow_report_cell_unsigned(occupancy->next[i]).text);
  stow_report_put(m->sink, occupancy->next_count ? "]" : "[]");
}

OBJECT(occupancy, stow_report_occupancy, STOW_OCCUPANCY_FIELDS)

static void put_occupancy_if(members *m, const char *key, const stow_report_occupancy *occupancy) {
  if (!occupancy->memory)
    return;
  put_key(m, key);
  put_occupancy(m->sink, occupancy);
}

OBJECT(kernel, stow_report_kernel, STOW_KERNEL_FIELDS)
LIST_IF(kernel, kernels, stow_report, kernels, kernel_count, "    ")

OBJECT(outside, stow_report_outside, STOW_OUTSIDE_FIELDS)
LIST_IF(outside, outside, stow_report, outside, outside_count, "    ")

void stow_report_json(const stow_report *report, stow_sink sink) {
  members m = {sink, "\n  ", ",\n  "};
  stow_report_put(sink, "{");
  STOW_REPORT_FIELDS(PUT)
  stow_report_put(sink, "\n}\n");
}
