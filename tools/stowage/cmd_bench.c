//===- cmd_bench.c - stowage bench ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "clock.h"
#include "command.h"
#include "format.h"
#include "input.h"
#include "interrupt.h"
#include "output.h"
#include "put.h"
#include "run.h"
#include "scale.h"
#include "suggest.h"

#include <string.h>

// One strategy on one file.
typedef struct measurement {
  const char *file;
  size_t buffers;
  stow_strategy strategy;
  stow_plan_result result;
  uint64_t microseconds; // of the shortest run
} measurement;

typedef struct bench_job {
  const tool_options *options;
  bool chosen[STOW_STRATEGY_COUNT];
  tool_output table; // opened where --output is given
  FILE *shown;       // the table for people; it makes room where standard output carries the other
} bench_job;

//===----------------------------------------------------------------------===//
// The strategies asked for
//===----------------------------------------------------------------------===//

static bool choose(bench_job *job, const char *name, size_t size) {
  for (int strategy = 0; strategy < STOW_STRATEGY_COUNT; strategy++) {
    const char *const candidate = stow_strategy_name((stow_strategy)strategy);
    if (strlen(candidate) != size || strncmp(candidate, name, size))
      continue;
    job->chosen[strategy] = true;
    return true;
  }
  tool_complain_strategy("bench", "strategies", name, size);
  return false;
}

static bool choose_strategies(bench_job *job) {
  const char *names = job->options->strategies;
  const bool all = !strcmp(names, "all");
  for (int strategy = 0; strategy < STOW_STRATEGY_COUNT; strategy++)
    job->chosen[strategy] = all;
  while (!all) {
    const size_t size = strcspn(names, ",");
    if (!choose(job, names, size))
      return false;
    if (!names[size])
      break;
    names += size + 1;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

// Without a plan there is neither an arena nor its ratio to the bound.
static stow_cell_text arena_of(const stow_plan_result *result, const char *none) {
  stow_cell_text cell = stow_report_cell_unsigned(result->arena_size);
  if (!stow_report_is_plan(result->outcome))
    snprintf(cell.text, sizeof cell.text, "%s", none);
  return cell;
}

static stow_cell_text ratio_of(const stow_plan_result *result, const char *none) {
  const uint64_t points = stow_report_basis_points(result->arena_size, result->lower_bound);
  stow_cell_text cell;
  snprintf(cell.text, sizeof cell.text, "%llu.%04llu", (unsigned long long)(points / 10000),
           (unsigned long long)(points % 10000));
  if (!stow_report_is_plan(result->outcome))
    snprintf(cell.text, sizeof cell.text, "%s", none);
  return cell;
}

static stow_cell_text milliseconds_of(uint64_t microseconds) {
  stow_cell_text cell;
  snprintf(cell.text, sizeof cell.text, "%llu.%03llu", (unsigned long long)(microseconds / 1000),
           (unsigned long long)(microseconds % 1000));
  return cell;
}

static void put_csv_head(stow_sink sink) {
  stow_report_put(sink, "file,buffers,strategy,arena,bound,ratio,outcome,milliseconds\n");
}

static void put_csv_row(const measurement *row, stow_sink sink) {
  stow_report_put_csv_field(sink, row->file);
  stow_report_put(sink, ",");
  stow_report_put_unsigned(sink, row->buffers);
  stow_report_put(sink, ",");
  stow_report_put(sink, stow_strategy_name(row->strategy));
  stow_report_put(sink, ",");
  stow_report_put(sink, arena_of(&row->result, "").text);
  stow_report_put(sink, ",");
  stow_report_put_unsigned(sink, row->result.lower_bound);
  stow_report_put(sink, ",");
  stow_report_put(sink, ratio_of(&row->result, "").text);
  stow_report_put(sink, ",");
  stow_report_put(sink, stow_outcome_name(row->result.outcome));
  stow_report_put(sink, ",");
  stow_report_put(sink, milliseconds_of(row->microseconds).text);
  stow_report_put(sink, "\n");
}

static void print_head(FILE *stream) {
  fprintf(stream, "%-28s %8s  %-20s %14s %9s  %-10s %12s\n", "file", "buffers", "strategy", "arena",
          "ratio", "outcome", "ms");
}

static void print_row(const measurement *row, FILE *stream) {
  const char *const slash = strrchr(row->file, '/');
  fprintf(stream, "%-28.28s %8zu  %-20s %14s %9s  %-10s %12s\n", slash ? slash + 1 : row->file,
          row->buffers, stow_strategy_name(row->strategy), arena_of(&row->result, "-").text,
          ratio_of(&row->result, "-").text, stow_outcome_name(row->result.outcome),
          milliseconds_of(row->microseconds).text);
  fflush(stream);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

static stow_status measure(const bench_job *job, const tool_instance *instance, tool_plan_run *run,
                           measurement *row) {
  tool_options options = *job->options;
  options.strategy = row->strategy;
  stow_status status = STOW_OK;
  row->microseconds = UINT64_MAX;
  for (uint64_t i = 0; i < options.runs + !options.runs && status == STOW_OK; i++) {
    const uint64_t begin = tool_microseconds();
    status = tool_run_planner(instance, &options, run);
    const uint64_t taken = tool_microseconds() - begin;
    row->microseconds = taken < row->microseconds ? taken : row->microseconds;
  }
  row->result = run->result;
  return status;
}

static tool_exit bench_instance(const bench_job *job, const char *source,
                                const tool_instance *instance, tool_plan_run *run) {
  for (int strategy = 0; strategy < STOW_STRATEGY_COUNT; strategy++) {
    if (!job->chosen[strategy])
      continue;
    measurement row = {
        .file = source, .buffers = instance->count, .strategy = (stow_strategy)strategy};
    const stow_status status = measure(job, instance, run, &row);
    if (status != STOW_OK)
      return tool_report_status(source, status);
    if (tool_interrupted())
      return TOOL_STOPPED;
    print_row(&row, job->shown);
    if (*job->options->table)
      put_csv_row(&row, tool_file_sink(job->table.file));
  }
  return TOOL_DONE;
}

static tool_exit bench_file(const bench_job *job, const char *input) {
  tool_instance instance;
  tool_plan_run run;
  if (!tool_load(input, job->options, &instance))
    return TOOL_BAD;
  const char *const source = tool_source_name(input);
  tool_exit done = TOOL_BAD;
  if (tool_run_open(instance.count, &run)) {
    done = bench_instance(job, source, &instance, &run);
    tool_run_release(&run);
  } else {
    tool_report_status(source, STOW_NO_MEMORY);
  }
  tool_instance_release(&instance);
  return done;
}

static tool_exit bench_files(const bench_job *job) {
  tool_exit done = TOOL_DONE;
  print_head(job->shown);
  for (size_t i = 0; i < job->options->input_count && done == TOOL_DONE; i++)
    done = bench_file(job, job->options->inputs[i]);
  return done;
}

tool_exit tool_bench(const tool_options *options) {
  bench_job job = {.options = options, .shown = strcmp(options->table, "-") ? stdout : stderr};
  if ((!options->input_count && !tool_single_input(options)) || !choose_strategies(&job) ||
      !tool_check_ending("bench", "output", options->table, ".csv"))
    return TOOL_BAD;
  tool_watch_interrupts();
  if (!*options->table)
    return bench_files(&job);
  if (!tool_output_open(options->table, &job.table))
    return TOOL_BAD;
  put_csv_head(tool_file_sink(job.table.file));
  const tool_exit done = bench_files(&job);
  return tool_output_close(&job.table, done != TOOL_BAD) ? done : TOOL_BAD;
}
