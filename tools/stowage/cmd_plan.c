//===- cmd_plan.c - stowage plan ------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "csv_writer.h"
#include "format.h"
#include "input.h"
#include "interrupt.h"
#include "loaded.h"
#include "put.h"
#include "render.h"
#include "run.h"
#include "scale.h"

#include <stdio.h>
#include <string.h>

typedef struct plan_job {
  tool_options options;
  const char *source;
  const tool_instance *instance;
  tool_plan_run run;
  tool_model model;
  const stow_report *other; // to compare with, or NULL
} plan_job;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool is_file(const char *name) { return *name && strcmp(name, "none") && strcmp(name, "-"); }

static bool is_stdout(const char *name) { return !strcmp(name, "-"); }

static bool prints_csv(const tool_options *options) {
  return options->print_solution || is_stdout(options->output);
}

static bool writes_csv(const tool_options *options) {
  return *options->output && !is_stdout(options->output);
}

static bool write_csv(const plan_job *job, const char *name) {
  tool_output output;
  if (!tool_output_open(name, &output))
    return false;
  tool_write_csv(job->instance, job->run.offsets, job->run.spaces, tool_file_sink(output.file));
  return tool_output_close(&output, true);
}

static bool write_json(const plan_job *job) {
  tool_output output;
  if (!tool_output_open(job->options.json, &output))
    return false;
  stow_report_json(&job->model.report, tool_file_sink(output.file));
  return tool_output_close(&output, true);
}

static bool write_map(const plan_job *job) {
  return tool_write_map(&job->model.report, job->other, job->options.map);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void print_id(const tool_instance *instance, size_t index, FILE *stream) {
  fputc(' ', stream);
  stow_report_put_all_shown(tool_file_sink(stream), tool_instance_id(instance, index));
}

static void print_culprits(const plan_job *job, FILE *stream) {
  enum { SHOWN = 20 };
  size_t count = 0;
  for (size_t i = 0; i < job->instance->count; i++) {
    if (!job->run.culprits[i])
      continue;
    if (!count)
      fputs("\n  these cannot be placed together:", stream);
    if (count++ < SHOWN)
      print_id(job->instance, i, stream);
  }
  if (count > SHOWN)
    fprintf(stream, " ... and %zu more", count - SHOWN);
  if (count)
    fputs(job->run.result.culprits_irreducible
              ? "\n  (the set is minimal: without any one of them the rest fits)\n"
              : "\n",
          stream);
}

// Why the planner ended without an answer, and what helps; null where it has one, or ended as it
// was told to.
static const char *what_ran_out(const plan_job *job, const char **out_help) {
  const stow_plan_result *const result = &job->run.result;
  *out_help = "";
  if (result->stopped && result->outcome != STOW_OPTIMAL)
    return tool_interrupted() ? "interrupted" : "ran out of time";
  *out_help = "; --effort or --time-limit gives more";
  if (result->exhausted)
    return "ran out of effort";
  *out_help = "; the exact search is not run on so many buffers that meet each other";
  const bool told_to_go_on =
      job->options.effort == STOW_UNLIMITED_EFFORT || tool_time_limit(&job->options);
  const bool open = result->outcome == STOW_UNKNOWN ||
                    (result->outcome == STOW_FEASIBLE && !job->options.capacity);
  return open && told_to_go_on ? "nothing is left to try" : NULL;
}

// With `before` and `after` around it.
static void print_what_ran_out(const plan_job *job, const char *before, const char *after,
                               FILE *stream) {
  const stow_plan_result *const result = &job->run.result;
  const char *help, *const what = what_ran_out(job, &help);
  if (!what)
    return;
  fprintf(stream, "%s%s after %s steps%s", before, what,
          stow_report_cell_unsigned(result->effort).text, help);
  if (result->smallest)
    fprintf(stream, "; the smallest plan found takes %s bytes",
            stow_report_cell_unsigned(result->smallest).text);
  fputs(after, stream);
}

// Even the quiet are told why there is no plan.
static bool say_outcome(const plan_job *job) {
  const stow_outcome outcome = job->run.result.outcome;
  if (stow_report_is_plan(outcome))
    return true;
  fprintf(stderr, "%s: no plan: %s", job->source, stow_outcome_name(outcome));
  print_what_ran_out(job, ": ", "", stderr);
  fputc('\n', stderr);
  return true;
}

// The table makes room where standard output carries a file.
static bool print_table(const plan_job *job) {
  const bool taken = prints_csv(&job->options) || is_stdout(job->options.json);
  FILE *const stream = taken ? stderr : stdout;
  stow_report_text(&job->model.report, tool_file_sink(stream));
  print_culprits(job, stream);
  print_what_ran_out(job, "\n  ", "\n", stream);
  return !strcmp(job->options.map, "none") || tool_print_maps(&job->model.report, stream);
}

static bool write_files(const plan_job *job) {
  const bool planned = stow_report_is_plan(job->run.result.outcome);
  return (!planned || !writes_csv(&job->options) || write_csv(job, job->options.output)) &&
         (!planned || !prints_csv(&job->options) || write_csv(job, "-")) &&
         (!*job->options.json || write_json(job)) &&
         (!planned || !is_file(job->options.map) || write_map(job));
}

// Files first: who reads the table may stop reading it.
static bool write_all(const plan_job *job) {
  const bool written = write_files(job);
  return (job->options.quiet ? say_outcome(job) : print_table(job)) && written;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static tool_exit exit_of(const stow_plan_result *result) {
  return result->outcome == STOW_INFEASIBLE      ? TOOL_NO
         : !stow_report_is_plan(result->outcome) ? TOOL_UNKNOWN
         : result->stopped                       ? TOOL_STOPPED
                                                 : TOOL_DONE;
}

static tool_exit describe(plan_job *job) {
  const bool planned = stow_report_is_plan(job->run.result.outcome);
  const tool_plan_view view = {
      .title = "stowage plan",
      .source = job->source,
      .instance = job->instance,
      .offsets = planned ? job->run.offsets : job->instance->offsets,
      .spaces = planned ? job->run.spaces : NULL,
      .result = &job->run.result,
      .capacity = job->options.capacity,
      .with_fixed = !job->options.ignore_offsets,
  };
  const stow_status status = tool_model_make(&view, &job->model);
  if (status != STOW_OK)
    return tool_report_status(job->source, status);
  const bool written = write_all(job);
  tool_model_release(&job->model);
  return written ? exit_of(&job->run.result) : TOOL_BAD;
}

// What is wrong with offsets that no plan can keep is said before all else.
static bool explain_offsets(const plan_job *job, stow_status status) {
  const bool none =
      status == STOW_INVALID || (!status && job->run.result.outcome == STOW_INFEASIBLE);
  return none && !job->options.ignore_offsets &&
         tool_explain_offsets(job->instance, job->source, job->options.capacity);
}

static tool_exit plan(plan_job *job) {
  if (!tool_run_open(job->instance->count, &job->run))
    return tool_report_status(job->source, STOW_NO_MEMORY);
  tool_watch_interrupts();
  const stow_status status = tool_run_planner(job->instance, &job->options, &job->run);
  const bool explained = explain_offsets(job, status);
  const tool_exit done = status == STOW_OK ? describe(job)
                         : explained       ? TOOL_NO
                                           : tool_report_status(job->source, status);
  tool_run_release(&job->run);
  return done;
}

// The plan to compare with is read before the work.
static tool_exit plan_and_compare(plan_job *job) {
  const char *const name = job->options.compare;
  tool_loaded other;
  tool_exit done;
  if (!*name)
    return plan(job);
  if (!tool_load_plan(name, &job->options, &other, &done))
    return done;
  job->other = &other.model.report;
  done = tool_check_same(job->instance, job->source, &other.instance, tool_source_name(name))
             ? plan(job)
             : TOOL_BAD;
  tool_loaded_release(&other);
  return done;
}

static const char *input_of(const tool_options *options) {
  return *options->input && !options->input_count ? options->input : tool_single_input(options);
}

static bool complain(const char *what, const char *name) {
  fprintf(stderr, "stowage plan: error: %s '%s'\n", what, name);
  return false;
}

static bool check_different(const char *first, const char *second) {
  return !*first || strcmp(first, second) || complain("two outputs are to be written to", first);
}

// What can be known to fail is known before the work.
static bool check_options(const tool_options *options) {
  const char *const map = is_file(options->map) ? options->map : "";
  if (*options->input && options->input_count)
    return complain("--input and FILE name two inputs, the second", options->inputs[0]);
  if (*options->compare && !tool_has_suffix(map, ".html"))
    return complain("only --map=FILE.html can show --compare", options->compare);
  return (!*map || tool_check_map_name(map)) &&
         tool_check_ending("plan", "output", options->output, ".csv") &&
         tool_check_ending("plan", "json", options->json, ".json") &&
         check_different(options->output, options->json) &&
         (!options->print_solution || check_different("-", options->json)) &&
         tool_output_check(options->output) && tool_output_check(options->json) &&
         tool_output_check(map);
}

tool_exit tool_plan(const tool_options *options) {
  tool_instance instance;
  const char *const input = check_options(options) ? input_of(options) : NULL;
  if (!input || !tool_load(input, options, &instance))
    return TOOL_BAD;
  plan_job job = {.options = *options, .source = tool_source_name(input), .instance = &instance};
  if (!job.options.capacity)
    job.options.capacity = instance.arena_capacity;
  if (job.options.capacity && !job.options.effort)
    job.options.effort = STOW_UNLIMITED_EFFORT;
  const bool csv = prints_csv(options) || writes_csv(options);
  const bool fits = !csv || tool_check_csv(&instance, job.source);
  const tool_exit done = fits ? plan_and_compare(&job) : TOOL_BAD;
  tool_instance_release(&instance);
  return done;
}
