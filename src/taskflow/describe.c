//===- describe.c - reports and remarks of memory-access-streaming-fusion ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is said of a fusion is said from its records and figures, when the module is
// as it will stay: locations are kept by value, as the ops are gone.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "bridge/bridge.h"
#include "report/put.h"

#include <stdlib.h>

#define PASS "memory-access-streaming-fusion"

typedef unsigned long long number;

static const struct {
  const char *code, *text, *suggestion;
} reasons[] = {
#define REASON(name, code, text, suggestion) {code, text, suggestion},
    STOW_FUSION_REASONS(REASON)
#undef REASON
};

// What would change it, or NULL.
static const char *suggestion_of(const stow_fusion_record *record) {
  const bool is_set = record->reason == STOW_FUSION_ALIAS && record->noalias;
  return is_set ? NULL : reasons[record->reason].suggestion;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void put_windows(stow_text *out, const stow_fusion_record *record) {
  if (record->windows > 0)
    stow_text_printf(out, ", %zu of them kept as window%s", record->windows,
                     record->windows == 1 ? "" : "s");
}

static void remark_fused(const stow_fusion_record *record) {
  stow_text text = {0};
  stow_text_printf(&text,
                   "@%s and @%s became @%s: %zu buffers of %llu bytes gone, %llu loads and %llu "
                   "stores fewer",
                   record->writer, record->reader, record->fused, record->buffers + record->windows,
                   (number)record->bytes, (number)record->loads, (number)record->stores);
  put_windows(&text, record);
  const stow_remark remark = {.kind = STOW_REMARK_PASSED,
                              .location = record->reader_location,
                              .category = PASS,
                              .name = reasons[record->reason].code,
                              .function = stow_ir_string(record->function),
                              .text = text.data};
  stow_remark_emit(&remark);
  free(text.data);
}

// Why a pair stays two, and where that lies.
static void put_reason(stow_text *out, const stow_fusion_record *record) {
  stow_text_printf(out, "%s", reasons[record->reason].text);
  for (size_t i = 0; i < record->blame_count; ++i) {
    char *place = stow_ir_location_text(record->blame[i]);
    if (*place)
      stow_text_printf(out, "%s %s", i ? " and" : ":", place);
    free(place);
  }
}

static void put_channel(stow_text *out, const stow_fusion_record *record) {
  if (record->reason == STOW_FUSION_CHANNEL)
    stow_text_printf(out, ", %llu of %llu elements deep: %llu bytes fewer", (number)record->depth,
                     (number)record->elements, (number)record->bytes);
}

static void remark_refused(const stow_fusion_record *record) {
  stow_text text = {0}, reason = {0};
  stow_text_printf(&text, "@%s and @%s stay two", record->writer, record->reader);
  put_reason(&reason, record);
  put_channel(&reason, record);
  const bool gains = record->reason == STOW_FUSION_CHANNEL || record->reason == STOW_FUSION_COPY;
  const stow_remark remark = {.kind = gains ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
                              .location = record->reader_location,
                              .category = PASS,
                              .name = reasons[record->reason].code,
                              .function = stow_ir_string(record->function),
                              .text = text.data,
                              .reason = reason.data,
                              .suggestion = suggestion_of(record)};
  stow_remark_emit(&remark);
  free(text.data);
  free(reason.data);
}

void stow_fusion_remarks(const stow_fusion *fusion) {
  if (!stow_remarks_enabled(mlirOperationGetContext(fusion->module)))
    return;
  for (size_t i = 0; i < fusion->records.count; ++i)
    (fusion->records.at[i].fused ? remark_fused : remark_refused)(&fusion->records.at[i]);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void put_figures(stow_text *out, const char *when, const stow_figures *figures) {
  stow_text_printf(out, "  %-7s %6llu tasks %12llu bytes %14llu loads %14llu stores%s\n", when,
                   (number)figures->tasks, (number)figures->bytes, (number)figures->loads,
                   (number)figures->stores, figures->exact ? "" : ", dynamic ones counted once");
}

static void put_record(stow_text *out, const stow_fusion_record *record) {
  if (record->fused) {
    stow_text_printf(out, "  round %zu: @%s: %llu bytes, %llu loads, %llu stores fewer",
                     record->round, record->fused, (number)record->bytes, (number)record->loads,
                     (number)record->stores);
    if (record->windows > 0)
      stow_text_printf(out, "; %zu window%s", record->windows, record->windows == 1 ? "" : "s");
    if (record->tied > 0)
      stow_text_printf(out, "; as many as with %zu other pair%s", record->tied,
                       record->tied == 1 ? "" : "s");
    stow_text_printf(out, "\n");
    return;
  }
  stow_text_printf(out, "  @%s and @%s stay two (%s): ", record->writer, record->reader,
                   reasons[record->reason].code);
  put_reason(out, record);
  put_channel(out, record);
  if (suggestion_of(record))
    stow_text_printf(out, "; to change that: %s", suggestion_of(record));
  stow_text_printf(out, "\n");
}

static void put_search(stow_text *out, const stow_function_fusion *function) {
  const stow_fusion_search *search = &function->search;
  stow_text_printf(out, "  %zu way%s tried", search->ways, search->ways == 1 ? "" : "s");
  if (search->as_good > 0)
    stow_text_printf(out, ", %zu more as good", search->as_good);
  if (function->after.bytes <= search->floor)
    stow_text_printf(out, "; none leaves fewer bytes\n");
  else if (search->exhausted)
    stow_text_printf(out, "; no choice of pairs is left\n");
  else
    stow_text_printf(out, "; none leaves fewer than %llu bytes\n", (number)search->floor);
}

static bool is_of(const stow_fusion_record *record, const stow_function_fusion *function) {
  return stow_ir_string_equal(stow_bridge_function_name(function->function), record->function);
}

static void put_text(const stow_fusion *fusion, stow_text *out) {
  STOW_EACH(const stow_function_fusion, function, fusion->functions) {
    MlirStringRef name = stow_bridge_function_name(function->function);
    if (function->before.tasks == 0)
      continue;
    stow_text_printf(out, "@%.*s\n", (int)name.length, name.data);
    put_figures(out, "before", &function->before);
    put_figures(out, "after", &function->after);
    put_search(out, function);
    if (function->unread_buffers > 0)
      stow_text_printf(out, "  nothing read %zu buffers of %llu bytes: gone\n",
                       function->unread_buffers, (number)function->unread_bytes);
    if (function->search.in_place.buffers > 0)
      stow_text_printf(out, "  %zu buffers of %llu bytes took the place of others\n",
                       function->search.in_place.buffers, (number)function->search.in_place.bytes);
    for (size_t k = 0; k < fusion->records.count; ++k)
      if (is_of(&fusion->records.at[k], function))
        put_record(out, &fusion->records.at[k]);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void put_json_figures(stow_text *out, const char *key, const stow_figures *f) {
  stow_text_printf(out,
                   "     \"%s\": {\"tasks\": %llu, \"bytes\": %llu, \"loads\": %llu, \"stores\": "
                   "%llu, \"exact\": %s}",
                   key, (number)f->tasks, (number)f->bytes, (number)f->loads, (number)f->stores,
                   f->exact ? "true" : "false");
}

static void put_json_record(stow_text *out, const stow_fusion_record *record) {
  stow_report_put_json_text(stow_ir_sink_to(out), "       {", "writer", record->writer);
  stow_report_put_json_text(stow_ir_sink_to(out), ", ", "reader", record->reader);
  stow_report_put_json_text(stow_ir_sink_to(out), ", ", "reason", reasons[record->reason].code);
  char *place = stow_ir_location_text(record->reader_location);
  stow_report_put_json_text(stow_ir_sink_to(out), ", ", "location", place);
  free(place);
  if (record->fused) {
    stow_report_put_json_text(stow_ir_sink_to(out), ", ", "fused", record->fused);
    stow_text_printf(out,
                     ", \"round\": %zu, \"buffers\": %zu, \"windows\": %zu, \"bytes\": %llu, "
                     "\"loads\": %llu, \"stores\": %llu, \"tied\": %zu",
                     record->round, record->buffers, record->windows, (number)record->bytes,
                     (number)record->loads, (number)record->stores, record->tied);
  }
  if (record->reason == STOW_FUSION_CHANNEL)
    stow_text_printf(out, ", \"depth\": %llu, \"elements\": %llu, \"bytes\": %llu",
                     (number)record->depth, (number)record->elements, (number)record->bytes);
  stow_report_put_json_text_if_any(stow_ir_sink_to(out), ", ", "suggestion", suggestion_of(record));
  for (size_t i = 0; i < record->blame_count; ++i) {
    stow_text_printf(out, i ? ", " : ", \"blame\": [");
    place = stow_ir_location_text(record->blame[i]);
    stow_report_put_json_string(stow_ir_sink_to(out), place);
    free(place);
  }
  stow_text_printf(out, record->blame_count ? "]}" : "}");
}

static void put_json_graph(stow_text *out, const char *key, const stow_task_graph *graph) {
  stow_text_printf(out, "     \"%s\": {\"tasks\": [", key);
  for (size_t i = 0; i < graph->tasks.count; ++i) {
    stow_report_put_json_text(stow_ir_sink_to(out), i ? ", {" : "{", "name",
                              graph->tasks.at[i].name);
    stow_text_printf(out, ", \"loads\": %llu, \"stores\": %llu}", (number)graph->tasks.at[i].loads,
                     (number)graph->tasks.at[i].stores);
  }
  stow_text_printf(out, "], \"edges\": [");
  for (size_t i = 0; i < graph->edges.count; ++i) {
    const stow_graph_edge *edge = &graph->edges.at[i];
    stow_text_printf(out, "%s{\"from\": %zu, \"to\": %zu, ", i ? ", " : "", edge->from, edge->to);
    stow_report_put_json_text(stow_ir_sink_to(out), "", "buffer", edge->buffer);
    if (edge->bytes_known)
      stow_text_printf(out, ", \"bytes\": %llu", (number)edge->bytes);
    stow_text_printf(out, "}");
  }
  stow_text_printf(out, "]}");
}

static void put_json_function(const stow_fusion *fusion, const stow_function_fusion *function,
                              stow_text *out) {
  char *name = stow_ir_copy_string(stow_bridge_function_name(function->function));
  stow_report_put_json_text(stow_ir_sink_to(out), "    {", "function", name);
  free(name);
  stow_text_printf(out, ",\n");
  put_json_figures(out, "before", &function->before);
  stow_text_printf(out, ",\n");
  put_json_figures(out, "after", &function->after);
  stow_text_printf(out, ",\n     \"unread\": {\"buffers\": %zu, \"bytes\": %llu}",
                   function->unread_buffers, (number)function->unread_bytes);
  const stow_fusion_search *search = &function->search;
  stow_text_printf(out, ",\n     \"in_place\": {\"buffers\": %zu, \"bytes\": %llu}",
                   search->in_place.buffers, (number)search->in_place.bytes);
  stow_text_printf(out,
                   ",\n     \"search\": {\"ways\": %zu, \"trials\": %zu, \"exhausted\": %s, "
                   "\"floor\": %llu, \"as_good\": %zu}",
                   search->ways, search->trials, search->exhausted ? "true" : "false",
                   (number)search->floor, search->as_good);
  stow_text_printf(out, ",\n     \"pairs\": [");
  bool first = true;
  for (size_t k = 0; k < fusion->records.count; ++k) {
    if (!is_of(&fusion->records.at[k], function))
      continue;
    stow_text_printf(out, first ? "\n" : ",\n");
    put_json_record(out, &fusion->records.at[k]);
    first = false;
  }
  stow_text_printf(out, "],\n");
  put_json_graph(out, "graph_before", &function->graph_before);
  stow_text_printf(out, ",\n");
  put_json_graph(out, "graph_after", &function->graph_after);
  stow_text_printf(out, "}");
}

static void put_json(const stow_fusion *fusion, stow_text *out) {
  stow_text_printf(out, "{\"version\": 1,\n \"functions\": [");
  bool first = true;
  for (size_t i = 0; i < fusion->functions.count; ++i) {
    if (fusion->functions.at[i].before.tasks == 0)
      continue;
    stow_text_printf(out, first ? "\n" : ",\n");
    put_json_function(fusion, &fusion->functions.at[i], out);
    first = false;
  }
  stow_text_printf(out, "]}\n");
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static char *graph_title(const stow_function_fusion *function, const char *when,
                         const stow_figures *figures) {
  MlirStringRef name = stow_bridge_function_name(function->function);
  return stow_ir_format("@%.*s %s: %llu tasks, %llu bytes", (int)name.length, name.data, when,
                        (number)figures->tasks, (number)figures->bytes);
}

static void put_dot(const stow_fusion *fusion, stow_text *out) {
  stow_text_printf(out, "digraph tasks {\n");
  for (size_t i = 0; i < fusion->functions.count; ++i) {
    const stow_function_fusion *function = &fusion->functions.at[i];
    if (function->before.tasks == 0)
      continue;
    char *before = graph_title(function, "before", &function->before);
    char *after = graph_title(function, "after", &function->after);
    char *name_before = stow_ir_format("%zu before", i),
         *name_after = stow_ir_format("%zu after", i);
    stow_task_graph_put_dot(out, &function->graph_before, name_before, before);
    stow_task_graph_put_dot(out, &function->graph_after, name_after, after);
    free(name_before);
    free(name_after);
    free(before);
    free(after);
  }
  stow_text_printf(out, "}\n");
}

static const char style[] =
    "<style>svg{background:#fff;font-family:system-ui,sans-serif}rect{fill:#eef3fb;stroke:#4a6fa5}"
    "path{fill:none;stroke:#999}text.task{font-size:12px}text.small{font-size:10px;fill:#555}"
    "text.title{font-size:14px;font-weight:600}</style>\n"
    "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
    "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" style=\"fill:#999\"/></marker>"
    "</defs>\n";

static void put_svg(const stow_fusion *fusion, stow_text *out) {
  enum { MARGIN = 20 };
  stow_text columns = {0};
  size_t y = MARGIN;
  STOW_EACH(const stow_function_fusion, function, fusion->functions) {
    if (function->before.tasks == 0)
      continue;
    char *before = graph_title(function, "before", &function->before);
    char *after = graph_title(function, "after", &function->after);
    stow_task_graph_put_svg(&columns, &function->graph_before, before, MARGIN, y);
    stow_task_graph_put_svg(&columns, &function->graph_after, after, MARGIN + STOW_TASK_GRAPH_WIDTH,
                            y);
    y += stow_task_graph_svg_height(&function->graph_before) + MARGIN;
    free(before);
    free(after);
  }
  stow_text_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\">\n%s",
                   2 * STOW_TASK_GRAPH_WIDTH + 2 * MARGIN, y, style);
  stow_text_append(out, columns.data ? columns.data : "", columns.size);
  stow_text_printf(out, "</svg>\n");
  free(columns.data);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

// write_X writes the text that put_X appends.
#define WRITER(name)                                                                               \
  static void write_##name(const void *fusion, stow_sink sink) {                                   \
    stow_text text = {0};                                                                          \
    put_##name(fusion, &text);                                                                     \
    stow_report_put_bytes(sink, text.data, text.size);                                             \
    free(text.data);                                                                               \
  }

WRITER(text)
WRITER(json)
WRITER(dot)
WRITER(svg)

static const stow_report_format formats[] = {{.name = "text", .put = write_text},
                                             {.name = "json", .put = write_json},
                                             {.name = "dot", .put = write_dot},
                                             {.name = "svg", .put = write_svg}};

stow_report_files stow_fusion_files(const stow_fusion *fusion) {
  static const stow_report_format_list list = {formats, sizeof formats / sizeof *formats};
  return (stow_report_files){.module = fusion->module,
                             .pass = PASS,
                             .formats = &list,
                             .reports = fusion->options.reports,
                             .report_count = fusion->options.report_count};
}
