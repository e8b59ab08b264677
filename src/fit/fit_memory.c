//===- fit_memory.c - functions within a capacity -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What costs no time first: reduce-peak. Then, per function that still needs too much, the cheapest
// ops to run again and buffers to spill. These keep the bytes that are alive below a limit; what
// merge-alloc makes of them may need more, for its offsets. So the function is planned, and where
// it does not fit the limit is lowered.
//
//===----------------------------------------------------------------------===//

#include "fit/fitting.h"
#include "ir/nothing_done.h"
#include "ir/parts.h"
#include "ir/size.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <inttypes.h>

// The most that a function needs.
static uint64_t most_of(const stow_attempts *all) {
  uint64_t most = 0;
  STOW_EACH(const stow_attempt, a, *all)
    most = stow_ir_larger(most, a->before.in_space);
  return most;
}

// Within one capacity. `given`: bytes of the function before anything was done.
static bool fit_alone(const stow_fitting *f, stow_attempts *all, size_t function, uint64_t given) {
  stow_attempt *a = &all->at[function];
  stow_fit_account did = {.before = given, .reduced = a->before.in_space};
  stow_fit_draw_function(f, a, given);
  if (a->before.in_space > f->prices.here->bytes && !stow_fit_function(f, all, a, &did))
    return stow_fit_tell_refused(f);
  if (f->told)
    f->told->functions.at[function].after = a->now.in_space;
  if (given > f->prices.here->bytes)
    stow_fit_tell_fits(f, a, &did);
  return true;
}

// `before`: as the functions were given, in the same order.
static bool fit_functions(const stow_fitting *f, const stow_attempts *before) {
  bool fits = true;
  stow_attempts all = stow_attempts_begin_all(f->module, f->results_apart);
  assert(all.count == before->count);
  for (size_t i = 0; i < all.count; ++i)
    fits &= (f->prices.here->name ? stow_fit_place_function
                                  : fit_alone)(f, &all, i, before->at[i].before.in_space);
  free(all.at);
  return fits;
}

// Returns what was told; freed with free().
static char *tell_idle(MlirOperation module, uint64_t most) {
  char *why = most > 0 ? stow_ir_format("arenas of %" PRIu64 " bytes fit already", most)
                       : stow_reduce_none_planned_text(module);
  stow_bridge_tell_idle_pass(module, STOW_FIT_PASS, why);
  return why;
}

static bool needs_less(const stow_fitting *f, uint64_t most) {
  return most > f->prices.here->bytes;
}

// Fewer bytes that cost no time; what follows tells of it.
static void reduce(const stow_fitting *f) {
  stow_bridge_mute(true);
  if (f->reduce)
    stow_reduce_peak(f->module, NULL); // only a step can fail
  stow_bridge_mute(false);
}

static bool gets_global(MlirOperation op) { return stow_ir_is(op, STOW_MEMREF_GET_GLOBAL); }

static bool has_some(MlirOperation module, bool (*wanted)(MlirOperation)) {
  stow_op_list ops = stow_ir_ops_in(module, wanted);
  free(ops.at);
  return ops.count > 0;
}

static bool has_nothing_to_place(const stow_fitting *f) {
  return !has_some(f->module, stow_ir_is_allocation) &&
         !(f->prices.stages && has_some(f->module, gets_global));
}

// In one memory, functions that fit stay as they are.
static bool fit_module(const stow_fitting *f, char **out_note) {
  stow_attempts before = stow_attempts_begin_all(f->module, f->results_apart);
  const uint64_t most = most_of(&before);
  const bool idle = f->prices.here->name ? has_nothing_to_place(f) : !needs_less(f, most);
  bool fits = true;
  if (idle)
    *out_note = tell_idle(f->module, most);
  if (needs_less(f, most))
    reduce(f);
  if (!idle)
    fits = fit_functions(f, &before);
  else
    STOW_EACH(stow_attempt, a, before)
      stow_fit_draw_function(f, a, a->before.in_space);
  free(before.at);
  return fits;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool refuse_option(const stow_fitting *f, const char *what) {
  return stow_ir_refuse(mlirOperationGetLocation(f->module), "fit-memory: %s", what);
}

static bool read_space(const stow_fitting *f, const char *text, MlirAttribute *out) {
  *out = mlirAttributeParseGet(mlirOperationGetContext(f->module), stow_ir_string(text));
  const bool is_space =
      !mlirAttributeIsNull(*out) &&
      !(mlirAttributeIsAInteger(*out) && mlirIntegerAttrGetValueInt(*out) == 0); // the default one
  return is_space ||
         stow_ir_refuse(
             mlirOperationGetLocation(f->module),
             "fit-memory: spill-space=%s is no second memory space; MLIR writes one as 1 or "
             "#gpu.address_space<global>",
             text);
}

// One memory, of which the capacity is all that is known, and one to spill to.
static bool take_capacity(stow_fitting *f, const stow_fit_memory_options *options,
                          stow_machine *machine) {
  const uint64_t spill = options->spill_cost > 0 ? options->spill_cost : STOW_DEFAULT_SPILL_COST;
  const uint64_t here = stow_fit_measure_of(options->objective)->of_copies ? 1 : 0;
  stow_machine_memory second = {.alignment = 1, .cost = spill - here, .copied = true};
  if (options->spill_space && !read_space(f, options->spill_space, &second.space))
    return false;
  STOW_PUSH(machine->all,
            (stow_machine_memory){.bytes = options->capacity, .alignment = 1, .cost = 1});
  if (options->spill_space)
    STOW_PUSH(machine->all, second);
  *f = stow_fit_at_memory(f, 0);
  return true;
}

// Buffers have what constants leave of their memory.
static bool take_constants(const stow_fitting *f, stow_machine *machine) {
  stow_machine_memory *in = machine->constants;
  if (!in)
    return !f->transfers || refuse_option(f, "dma copies constants, and none of the memories has "
                                             "any: say of one that it has `constants`");
  const uint64_t bytes = stow_fit_bytes_of_constants(f->module, in);
  if (bytes > in->bytes)
    return stow_ir_refuse(mlirOperationGetLocation(f->module),
                          "fit-memory: constants have %" PRIu64 " bytes, %s is %" PRIu64, bytes,
                          in->name, in->bytes);
  in->bytes -= bytes;
  return true;
}

static bool take_memories(stow_fitting *f, const stow_fit_memory_options *options,
                          stow_machine *machine) {
  if (options->spill_space)
    return refuse_option(f, "spill-space needs capacity-in-bytes; of several memories the next one "
                            "is where buffers are spilled to");
  if (!stow_machine_read(f->module, options->memories, machine))
    return false;
  if (machine->all.count == 0)
    return refuse_option(f, "capacity-in-bytes or memories must be given");
  stow_fit_drop_default_name(f->module, machine);
  *f = stow_fit_at_memory(f, 0);
  return true;
}

static bool take_options(stow_fitting *f, const stow_fit_memory_options *options,
                         stow_machine *machine) {
  if (options->capacity > 0 && options->memories)
    return refuse_option(f, "capacity-in-bytes is for one memory, memories is for several: give "
                            "one of the two");
  f->machine = machine;
  return (options->capacity > 0 ? take_capacity(f, options, machine)
                                : take_memories(f, options, machine)) &&
         take_constants(f, machine);
}

static bool report(const stow_report_files *files, stow_fit_report *told, bool maps) {
  if (maps)
    told->frontiers.map =
        stow_planned_map(files->module, STOW_UNKNOWN_OPS_DEFAULT, "after fit-memory");
  told->frontiers.functions = told->functions.at;
  told->frontiers.function_count = told->functions.count;
  return stow_ir_write_reports(files, &told->frontiers);
}

static bool fit_and_report(const stow_fitting *f, const stow_report_files *files,
                           stow_fit_report *told) {
  const bool maps = stow_ir_reports_want_maps(files);
  char *note = NULL;
  if (maps)
    told->frontiers.map_before =
        stow_planned_map(f->module, STOW_UNKNOWN_OPS_DEFAULT, "before fit-memory");
  stow_fit_report_memories(told, f->machine);
  const bool fits = fit_module(f, &note);
  told->frontiers.note = note;
  const bool written = report(files, told, maps);
  free(note);
  return fits && written;
}

bool stow_fit_memory(MlirOperation module, const stow_fit_memory_options *given) {
  stow_fit_memory_options options;
  stow_ir_take_options(&options, given, sizeof options);
  const stow_report_files files = stow_fit_files(module, &options);
  stow_fit_report told = {.frontiers = {.title = STOW_FIT_PASS,
                                        .measure = stow_fit_measure_of(options.objective)->name}};
  stow_machine machine = {0};
  stow_fit_refusal refused = {.text = NULL};
  stow_fitting f = {.module = module,
                    .effort = options.effort > 0 ? options.effort : STOW_BUDGET_EFFORT,
                    .reduce = !options.keep_peak,
                    .transfers = options.transfers,
                    .results_apart = options.results_apart,
                    .prices = {.measure = stow_fit_measure_of(options.objective)},
                    .refused = &refused,
                    .told = options.report_count > 0 ? &told : NULL};
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  const bool fits = stow_ir_can_report(&files) && take_options(&f, &options, &machine) &&
                    fit_and_report(&f, &files, &told);
  stow_machine_free(&machine);
  stow_fit_report_free(&told);
  return fits;
}
