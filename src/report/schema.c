//===- schema.c - the JSON schema of the report ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Made of the tables in fields.h, of which json.c makes the report.
//
//===----------------------------------------------------------------------===//

#include "fields.h"
#include "put.h"
#include "stowage/places.h"

// How a value is described: members of a JSON schema.
typedef struct kind {
  const char *text;
  bool optional; // the member may be absent
} kind;

#define TYPE(NAME) "\"type\": \"" NAME "\""
#define MANY(ITEM) TYPE("array") ", \"items\": {" ITEM "}"
#define ONE_OF(NAME) "\"$ref\": \"#/$defs/" NAME "\""
#define UNSIGNED TYPE("integer") ", \"minimum\": 0"
#define OR_NULL(NAME) "\"type\": [\"" NAME "\", \"null\"]"
#define INTEGERS(LEAST, MOST)                                                                      \
  MANY(TYPE("array") ", \"items\": {" TYPE("integer") "}, \"minItems\": " LEAST                    \
                                                      ", \"maxItems\": " MOST)

static const kind kind_version = {"\"const\": 1", false};
static const kind kind_text = {TYPE("string"), false};
static const kind kind_text_if = {TYPE("string"), true};
static const kind kind_text_or_null = {OR_NULL("string"), false};
static const kind kind_bytes = {UNSIGNED, false};
static const kind kind_bytes_if = {UNSIGNED, true};
static const kind kind_bytes_or_null = {OR_NULL("integer") ", \"minimum\": 0", false};
static const kind kind_count = {UNSIGNED, false};
static const kind kind_alignment = {TYPE("integer") ", \"minimum\": 1", false};
static const kind kind_point = {TYPE("integer"), false};
static const kind kind_limit = {OR_NULL("integer"), false};
static const kind kind_truth = {TYPE("boolean"), false};
static const kind kind_truth_if = {TYPE("boolean"), true};
static const kind kind_outcome = {
    "\"enum\": [\"optimal\", \"feasible\", \"infeasible\", \"unknown\"]", false};
#define WORD(PLACE, OPTION, BACKING, KIND) "\"" KIND "\""
static const kind kind_frame_kind = {"\"enum\": [" STOW_ARENA_PLACES(WORD, ", ") "]", false};
#undef WORD
static const kind kind_outside_kind = {
    "\"enum\": [\"constants\", \"globals\", \"arguments\", \"results\", \"state\"]", false};
static const kind kind_pieces_if = {INTEGERS("2", "4"), true};
static const kind kind_samples_if = {INTEGERS("3", "3"), true};
static const kind kind_relations_if = {MANY(MANY(TYPE("string"))), true};
static const kind kind_indices = {MANY(UNSIGNED), false};
static const kind kind_steps = {
    MANY(TYPE("array") ", \"items\": {\"type\": [\"string\", \"integer\"]}, \"minItems\": 2"),
    false};
static const kind kind_arenas = {MANY(ONE_OF("arena")), false};
static const kind kind_planned_list = {MANY(ONE_OF("planned")), false};
static const kind kind_left_alone_list = {MANY(ONE_OF("left_alone")), false};
static const kind kind_parts_if = {MANY(ONE_OF("part")), true};
static const kind kind_formulas_if = {ONE_OF("formulas"), true};
static const kind kind_size_list = {MANY(ONE_OF("size")), false};
static const kind kind_plan_list = {MANY(ONE_OF("plan")), false};
static const kind kind_frames_if = {MANY(ONE_OF("frame")), true};
static const kind kind_heaps_if = {MANY(ONE_OF("heap")), true};
static const kind kind_kernels_if = {MANY(ONE_OF("kernel")), true};
static const kind kind_occupancy_if = {ONE_OF("occupancy"), true};
static const kind kind_bytes_list = {MANY(UNSIGNED), false};
static const kind kind_outside_if = {MANY(ONE_OF("outside")), true};

typedef struct field {
  const kind *kind;
  const char *key, *about;
} field;

#define FIELD(KIND, KEY, VALUE, ABOUT) {&kind_##KIND, #KEY, ABOUT},

static const field report_fields[] = {STOW_REPORT_FIELDS(FIELD)};
static const field arena_fields[] = {STOW_ARENA_FIELDS(FIELD)};
static const field planned_fields[] = {STOW_BUFFER_FIELDS(FIELD) STOW_PLANNED_FIELDS(FIELD)};
static const field left_alone_fields[] = {STOW_BUFFER_FIELDS(FIELD) STOW_LEFT_ALONE_FIELDS(FIELD)};
static const field part_fields[] = {STOW_PART_FIELDS(FIELD)};
static const field formulas_fields[] = {STOW_FORMULAS_FIELDS(FIELD)};
static const field size_fields[] = {STOW_SIZE_FIELDS(FIELD)};
static const field plan_fields[] = {STOW_FORMULA_PLAN_FIELDS(FIELD)};
static const field frame_fields[] = {STOW_FRAME_FIELDS(FIELD)};
static const field heap_fields[] = {STOW_HEAP_FIELDS(FIELD)};
static const field kernel_fields[] = {STOW_KERNEL_FIELDS(FIELD)};
static const field occupancy_fields[] = {STOW_OCCUPANCY_FIELDS(FIELD)};
static const field outside_fields[] = {STOW_OUTSIDE_FIELDS(FIELD)};

#define COUNT(FIELDS) (sizeof(FIELDS) / sizeof *(FIELDS))

static void put_required(stow_sink sink, const field *fields, size_t count, const char *indent) {
  const char *separator = "";
  STOW_PUT(sink, indent, "\"required\": [");
  for (size_t i = 0; i < count; i++)
    if (!fields[i].kind->optional) {
      STOW_PUT(sink, separator, "\"", fields[i].key, "\"");
      separator = ", ";
    }
  stow_report_put(sink, "],");
}

static void put_field(stow_sink sink, const field *it) {
  STOW_PUT(sink, "\"", it->key, "\": {", it->kind->text);
  if (*it->about)
    stow_report_put_json_text(sink, ", ", "description", it->about);
  stow_report_put(sink, "}");
}

// `indent` begins each line.
static void put_object(stow_sink sink, const field *fields, size_t count, const char *indent) {
  STOW_PUT(sink, indent, TYPE("object") ",", indent, "\"additionalProperties\": false,");
  put_required(sink, fields, count, indent);
  STOW_PUT(sink, indent, "\"properties\": {");
  for (size_t i = 0; i < count; i++) {
    STOW_PUT(sink, i ? "," : "", indent, "  ");
    put_field(sink, &fields[i]);
  }
  STOW_PUT(sink, indent, "}");
}

static const struct {
  const char *name;
  const field *fields;
  size_t count;
} definitions[] = {
#define DEFINITION(NAME) {#NAME, NAME##_fields, COUNT(NAME##_fields)}
    DEFINITION(arena),    DEFINITION(planned), DEFINITION(left_alone), DEFINITION(part),
    DEFINITION(formulas), DEFINITION(size),    DEFINITION(plan),       DEFINITION(frame),
    DEFINITION(heap),     DEFINITION(kernel),  DEFINITION(occupancy),  DEFINITION(outside),
#undef DEFINITION
};

void stow_report_schema(stow_sink sink) {
  stow_report_put(sink, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                        "  \"title\": \"Stowage: the report of planned memory (report=json:FILE, "
                        "stowage plan --json)\",");
  put_object(sink, report_fields, COUNT(report_fields), "\n  ");
  stow_report_put(sink, ",\n  \"$defs\": {");
  for (size_t i = 0; i < COUNT(definitions); i++) {
    STOW_PUT(sink, i ? "," : "", "\n    \"", definitions[i].name, "\": {");
    put_object(sink, definitions[i].fields, definitions[i].count, "\n      ");
    stow_report_put(sink, "\n    }");
  }
  stow_report_put(sink, "\n  }\n}\n");
}
