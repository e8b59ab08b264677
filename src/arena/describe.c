//===- describe.c - what was planned, for people and programs -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the model of report.h from arenas, and writes it where the options say. A
// file is written only when its text is complete. What rounds (framing) plan one after
// the other is one report.
//
//===----------------------------------------------------------------------===//

#include "arena/contents.h"
#include "arena/dynamic.h"
#include "arena/heap.h"
#include "arena/workgroup.h"
#include "ir/report_files.h"
#include "ir/state.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

// Sizes can be computed at run time, or where the program states how large they are, be bounded.
static unsigned dynamic_options(const stow_arenas *arenas) {
  const stow_arena_place place = arenas->options.arena;
  if (arenas->options.dynamic == STOW_DYNAMIC_BOUND)
    return 0;
  if (!arenas->numbers && stow_arena_place_is(place, STOW_BACKING_IS_GIVEN))
    return STOW_BY_DYNAMIC | STOW_BY_BOUND;
  return !arenas->numbers && stow_arena_place_is(place, STOW_BACKING_IS_ALLOC) ? STOW_BY_DYNAMIC
                                                                               : STOW_BY_BOUND;
}

// Those that are set already.
static unsigned set_options(const stow_arenas *arenas) {
  const stow_reuse_options *o = &arenas->options;
  return (o->unknown_ops == STOW_UNKNOWN_OPS_USE ? STOW_BY_UNKNOWN_OPS : 0u) |
         (o->allow_missing_dealloc ? STOW_BY_REQUIRE_DEALLOC : 0u) |
         (o->dynamic == STOW_DYNAMIC_EXACT ? STOW_BY_DYNAMIC : 0u) |
         (o->pool_all ? STOW_BY_POOL_ALL : 0u) |
         (o->result_arguments ? STOW_BY_RESULT_ARGUMENTS : 0u);
}

static char *suggestion_by_options(const stow_arenas *arenas, stow_reason reason) {
  unsigned options = STOW_BY_ALIGNMENT | STOW_BY_UNKNOWN_OPS | STOW_BY_HEAP_OVERHEAD;
  if (!arenas->pool_alone && !arenas->on_stack)
    options |= STOW_BY_REQUIRE_DEALLOC | STOW_BY_POOL_ALL;
  options |= dynamic_options(arenas);
  if (arenas->framing)
    options |= STOW_BY_RESULT_ARGUMENTS;
  options &= ~set_options(arenas);
  return stow_reason_suggestion(stow_arena_reason_row(reason), arenas->pass, options);
}

// What lets the end of work be known, or NULL.
static const char *suggestion_of_work(MlirOperation work) {
  if (stow_ir_is(work, STOW_NVGPU_TMA_DESCRIPTOR))
    return "nothing tells when kernels are done with a descriptor: let the buffer be an argument "
           "of "
           "the function, or leave it as it is";
  if (stow_ir_is(work, STOW_NVGPU_COPY))
    return "wait for its group with nvgpu.device_async_wait, on every path";
  if (stow_ir_is(work, STOW_NVGPU_TMA_STORE))
    return "have it be used by all threads behind an nvvm.fence.proxy of async.shared and a "
           "gpu.barrier: it can share bytes with what is used before these";
  if (stow_ir_is(work, STOW_NVGPU_TMA_LOAD))
    return "begin it behind an nvvm.fence.proxy of async.shared and a gpu.barrier that all threads "
           "pass, without a multicast mask, to share bytes with what is used before; let all "
           "threads wait for each round of its mbarrier, of one arrival and at a constant index, "
           "to share with what is used after";
  return NULL;
}

char *stow_arena_suggestion(const stow_arenas *arenas, const stow_arena *arena,
                            const stow_buffer_fact *fact) {
  const stow_reason reason = fact->reason;
  const bool shared = stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED);
  if (shared && reason == STOW_NO_PARTNER)
    return stow_ir_format("a gpu.barrier between its uses and another's would let them share");
  const char *work = reason == STOW_ASYNC ? suggestion_of_work(fact->blame) : NULL;
  if (work)
    return stow_ir_format("%s", work);
  const bool of_allocs = reason == STOW_NO_GAIN || reason == STOW_UNUSED;
  return shared && of_allocs ? NULL : suggestion_by_options(arenas, reason);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

// An arena of the report, with copies of what the plan owns.
typedef struct entry {
  size_t function; // index in the module
  size_t added;    // before it
  stow_report_arena arena;
  stow_piece *pieces;
  stow_report_part *parts;
  stow_report_formulas *formulas; // or NULL
} entry;

struct stow_description {
  const stow_arenas *arenas; // of the run that is being added
  MlirAsmState names;        // of the function that is described
  stow_contents contents;    // of it
  stow_tally tally;
  STOW_ARRAY(entry) entries;
  STOW_ARRAY(stow_report_heap) heaps;
  stow_map heap_index; // of those, by symbol_key
  STOW_ARRAY(stow_report_kernel) kernels;
  STOW_ARRAY(stow_report_outside) outside;
  STOW_ARRAY(char *) strings; // that the report points to
};

typedef stow_description model;

static const char *keep(model *m, char *string) {
  STOW_PUSH(m->strings, string);
  return string;
}

static const char *keep_ref(model *m, MlirStringRef string) {
  return keep(m, stow_ir_copy_string(string));
}

static const char *value_name(model *m, MlirValue value) {
  stow_text text = {0};
  mlirValuePrintAsOperand(value, m->names, stow_text_callback, &text);
  return keep(m, stow_text_take(&text));
}

// The op whose result it is; null of an attribution.
static MlirOperation op_of(MlirValue buffer) {
  return mlirValueIsAOpResult(buffer) ? mlirOpResultGetOwner(buffer) : (MlirOperation){NULL};
}

// The op that makes what is in a buffer; of one that nothing touches, its own.
static MlirOperation maker_of(const model *m, const stow_arena *arena, MlirValue buffer) {
  const stow_function_memory *function = stow_arena_function(m->arenas, arena);
  const int32_t value = stow_map_get(&function->flow.index, buffer.ptr);
  if (value < 0)
    return op_of(buffer);
  const MlirOperation maker = m->contents.makers[value];
  if (!mlirOperationIsNull(maker))
    return maker;
  const stow_life *life = &function->lives[value];
  return life->begin < life->end ? function->flow.ops.at[life->begin] : op_of(buffer);
}

// The layer of what makes the memory, else that of what makes its values; NULL where neither has
// one.
static const char *layer_of(model *m, MlirValue memory, MlirOperation values) {
  const char *layer = keep(m, stow_ir_location_name(mlirValueGetLocation(memory)));
  if (!*layer && !mlirOperationIsNull(values))
    layer = keep(m, stow_ir_location_name(mlirOperationGetLocation(values)));
  return *layer ? layer : NULL;
}

static const char *location_of(model *m, MlirOperation op) {
  return keep(m, stow_ir_location_text(mlirOperationGetLocation(op)));
}

// Where the op is that makes the values, unless the memory has the same location.
static const char *maker_location(model *m, const char *memory, MlirOperation maker) {
  const char *const location = mlirOperationIsNull(maker) ? "" : location_of(m, maker);
  return *location && strcmp(location, memory) ? location : NULL;
}

static stow_report_part describe_part(model *m, const stow_function_memory *function,
                                      const stow_held *part) {
  const MlirValue view = function->flow.values.at[part->value].value;
  const MlirOperation op = mlirOpResultGetOwner(view), maker = m->contents.makers[part->value];
  const stow_life *life = &function->lives[part->value];
  const char *const location = location_of(m, op);
  return (stow_report_part){.name = value_name(m, view),
                            .type = keep(m, stow_ir_type_text(mlirValueGetType(view))),
                            .location = location,
                            .op = mlirOperationIsNull(maker) ? NULL
                                                             : keep_ref(m, stow_ir_op_name(maker)),
                            .op_location = maker_location(m, location, maker),
                            .layer = layer_of(m, view, maker),
                            .low = part->low,
                            .high = part->high,
                            .before = part->before,
                            .begin = life->begin,
                            .end = life->end};
}

// Of all buffers of the arena. Those of one follow each other.
static stow_report_part *describe_parts(model *m, const stow_arena *arena,
                                        stow_report_buffer *buffers) {
  const stow_function_memory *function = stow_arena_function(m->arenas, arena);
  STOW_ARRAY(stow_report_part) parts = {0};
  for (size_t i = 0; i < arena->members.count; ++i)
    if (!buffers[i].reason && arena->members.at[i] < function->flow.allocs.count)
      STOW_EACH_OF(part, m->contents.parts_of, arena->members.at[i]) {
        STOW_PUSH(parts, describe_part(m, function, &m->contents.parts.at[part]));
        ++buffers[i].part_count;
      }
  for (size_t i = 0, next = 0; i < arena->members.count; next += buffers[i++].part_count)
    buffers[i].parts = parts.at + next;
  return parts.at;
}

static stow_report_buffer describe_buffer(model *m, const stow_arena *arena, size_t index) {
  const stow_buffer_fact *fact = stow_arena_fact(m->arenas, arena, index);
  const MlirValue value = stow_arena_value(m->arenas, arena, index);
  const MlirOperation maker = maker_of(m, arena, value), op = op_of(value);
  const bool planned = fact->reason == STOW_PLANNED;
  const char *const location = keep(m, stow_ir_location_text(mlirValueGetLocation(value)));
  const bool timed =
      planned || !stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED); // else in no steps
  return (stow_report_buffer){
      .buffer = {fact->size.known || planned ? fact->size.bytes : 0, fact->alignment,
                 timed ? fact->begin : 0, timed ? fact->end : 0},
      .name = value_name(m, value),
      .type = keep(m, stow_ir_type_text(mlirValueGetType(value))),
      .location = location,
      .reason = planned ? NULL : stow_arena_reason_row(fact->reason)->code,
      .detail = planned ? "" : keep(m, stow_arena_reason_text(fact)),
      .suggestion = planned ? NULL : keep(m, stow_arena_suggestion(m->arenas, arena, fact)),
      .size_known = fact->size.known || planned,
      .formula = planned && !fact->size.known
                     ? keep(m, stow_formula_text(stow_arena_function(m->arenas, arena)->extents,
                                                 fact->size.formula))
                     : NULL,
      .op = mlirOperationIsNull(maker) ? NULL : keep_ref(m, stow_ir_op_name(maker)),
      .op_location = maker_location(m, location, maker),
      .layer = layer_of(m, value, maker),
      .before = mlirOperationIsNull(op) ? 0 : stow_arena_bytes_before(op),
  };
}

// `pieces`: a copy of the arena's; `peak`: where most is live.
static uint64_t place_planned(const stow_arenas *arenas, const stow_arena *arena,
                              const stow_piece *pieces, int64_t peak, stow_report_buffer *buffers) {
  uint64_t highest = 0;
  for (size_t i = 0, next = 0; i < arena->members.count && next < arena->planned_count; ++i) {
    if (arena->members.at[i] != arena->planned[next])
      continue;
    stow_report_buffer *buffer = &buffers[i];
    buffer->buffer = arena->buffers[next];
    buffer->pieces = pieces + arena->piece_starts[next];
    buffer->piece_count = arena->piece_starts[next + 1] - arena->piece_starts[next];
    buffer->offset = arena->offsets[next++];
    buffer->live_at_peak =
        stow_ir_is_live_at(stow_arena_fact(arenas, arena, arena->members.at[i]), peak);
    if (buffer->live_at_peak && buffer->offset + buffer->buffer.size > highest)
      highest = buffer->offset + buffer->buffer.size;
  }
  return highest;
}

static int compare_offsets(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return STOW_COMPARE(x, y);
}

// The number of pairs of buffers that have bytes in common. O(n log n): of all pairs, those are
// left of which one ends before the other begins.
static uint64_t count_sharing(const stow_buffer *buffers, const uint64_t *offsets, size_t count) {
  uint64_t *begins = stow_ir_allocate(count, sizeof *begins);
  uint64_t *ends = stow_ir_allocate(count, sizeof *ends);
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    if (buffers[i].size == 0)
      continue;
    begins[used] = offsets[i];
    ends[used++] = offsets[i] + buffers[i].size;
  }
  stow_ir_sort(begins, used, sizeof *begins, compare_offsets);
  stow_ir_sort(ends, used, sizeof *ends, compare_offsets);
  uint64_t pairs = (uint64_t)used * (used ? used - 1 : 0) / 2;
  for (size_t begin = 0, ended = 0; begin < used; ++begin) {
    while (ended < used && ends[ended] <= begins[begin])
      ++ended;
    pairs -= ended;
  }
  free(begins);
  free(ends);
  return pairs;
}

static stow_piece *copy_pieces(const stow_arena *arena) {
  const size_t count = arena->piece_starts[arena->planned_count];
  stow_piece *pieces = stow_ir_allocate(count, sizeof *pieces);
  memcpy(pieces, arena->pieces, count * sizeof *pieces);
  return pieces;
}

static entry describe_arena(model *m, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(m->arenas, arena)->flow;
  const stow_scope *scope = &flow->scopes.at[arena->scope];
  stow_report_buffer *buffers = stow_ir_allocate(arena->members.count, sizeof *buffers);
  for (size_t i = 0; i < arena->members.count; ++i)
    buffers[i] = describe_buffer(m, arena, arena->members.at[i]);
  stow_report_part *parts = describe_parts(m, arena, buffers);
  stow_piece *pieces = copy_pieces(arena);
  const stow_most_live most = stow_most_live_in(arena);
  uint64_t highest = place_planned(m->arenas, arena, pieces, most.position, buffers);
  const bool lent = stow_backing_is(arena->backing, STOW_BACKING_IS_LENT);
  stow_report_formulas *formulas = stow_arena_formulas(m->arenas, arena);
  bool whole_function = mlirOperationEqual(scope->op, flow->function);
  const stow_report_arena described = {
      .function = keep_ref(m, stow_bridge_function_name(flow->function)),
      .scope = whole_function ? "" : keep_ref(m, stow_ir_op_name(scope->op)),
      .location = location_of(m, scope->op),
      .memory_space = mlirAttributeIsNull(arena->memory_space)
                          ? ""
                          : keep(m, stow_attribute_text(arena->memory_space)),
      .within = lent ? value_name(m, stow_arena_value(m->arenas, arena, arena->lender)) : "",
      .buffers = buffers,
      .buffer_count = arena->members.count,
      .load = most.bytes,
      .lower_bound = arena->plan.lower_bound,
      .arena_size = arena->plan.arena_size,
      .formula =
          stow_arena_has_formula(arena) ? keep(m, stow_arena_formula(m->arenas, arena)) : NULL,
      .sizes =
          arena->stackings.count > 0 ? keep(m, stow_arena_typical_text(m->arenas, arena)) : NULL,
      .formulas = formulas,
      .capacity = lent ? stow_arena_fact(m->arenas, arena, arena->lender)->size.bytes
                       : stow_arena_capacity_for(m->arenas, arena),
      .peak = most.position,
      .highest_at_peak = highest,
      .reuse_pairs = count_sharing(arena->buffers, arena->offsets, arena->planned_count),
      .bank_pairs = arena->bank_pairs,
      .bank_pairs_apart = arena->bank_pairs_apart,
      .outcome = arena->plan.outcome,
      .strategy = arena->plan.strategy,
      .workgroup = stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED),
  };
  return (entry){stow_arena_function(m->arenas, arena)->number,
                 m->entries.count,
                 described,
                 pieces,
                 parts,
                 formulas};
}

static void describe_kernel(model *m, const stow_arena *first) {
  stow_report_kernel kernel = stow_arena_describe_kernel(m->arenas, first);
  kernel.function =
      keep_ref(m, stow_bridge_function_name(stow_arena_function(m->arenas, first)->flow.function));
  kernel.location = location_of(m, stow_arena_scope(m->arenas, first)->op);
  STOW_PUSH(m->kernels, kernel);
}

static void add_outside(model *m, const char *kind, const char *function, uint64_t bytes) {
  STOW_EACH(stow_report_outside, known, m->outside)
    if (strcmp(known->kind, kind) == 0 && strcmp(known->function, function) == 0) {
      known->bytes += bytes;
      return;
    }
  if (bytes > 0)
    STOW_PUSH(m->outside, (stow_report_outside){kind, function, bytes});
}

static uint64_t bytes_of_type(const stow_layout *layout, MlirType type) {
  stow_extent size;
  uint64_t alignment;
  const bool known = mlirTypeIsAMemRef(type) &&
                     stow_ir_memref_size(layout, type, &size, &alignment) == STOW_SIZE_OK;
  return known ? size.bytes : 0;
}

static const char *kind_of_argument(MlirOperation function, intptr_t argument) {
  if (!mlirAttributeIsNull(stow_argument_attribute(function, argument, STOW_STATE)))
    return "state";
  if (!mlirAttributeIsNull(stow_argument_attribute(function, argument, STOW_RESULT)))
    return "results";
  return "arguments";
}

static void describe_arguments(model *m, const stow_flow *flow) {
  const MlirBlock body = mlirRegionGetFirstBlock(flow->body);
  const char *name = keep_ref(m, stow_bridge_function_name(flow->function));
  const intptr_t count = stow_ir_is(flow->function, STOW_GPU_FUNC)
                             ? stow_arena_first_attribution(flow->function)
                             : mlirBlockGetNumArguments(body);
  for (intptr_t i = 0; i < count; ++i)
    add_outside(m, kind_of_argument(flow->function, i), name,
                bytes_of_type(&flow->layout, mlirValueGetType(mlirBlockGetArgument(body, i))));
}

static void describe_globals(model *m, MlirOperation module) {
  const stow_layout layout = stow_layout_at(module);
  STOW_EACH_OP_OF(op, module)
    if (stow_ir_is(op, STOW_MEMREF_GLOBAL)) {
      const MlirAttribute type = stow_attribute_of(op, "type");
      add_outside(m, stow_ir_has_attribute(op, "constant") ? "constants" : "globals", "",
                  bytes_of_type(&layout, mlirTypeAttrGetValue(type)));
    }
}

// A function of the module is known by its name, whose place in memory is that of no other: an
// entry point may become another op. One of an inner module is known by its op.
static const void *symbol_key(MlirOperation function) {
  const MlirOperation around = mlirOperationGetParentOperation(function);
  const MlirOperation outer = mlirOperationGetParentOperation(around);
  return mlirOperationIsNull(outer) ? (const void *)stow_bridge_function_name(function).data
                                    : function.ptr;
}

// Functions that have none are left out.
static void add_heaps(model *m, const stow_module_memory *memory, const stow_heap_peaks *peaks) {
  for (size_t f = 0; f < memory->function_count; ++f) {
    const MlirOperation function = memory->functions[f].flow.function;
    if (peaks[f].before == 0)
      continue;
    stow_map_add(&m->heap_index, symbol_key(function), (int32_t)m->heaps.count);
    STOW_PUSH(m->heaps, (stow_report_heap){keep_ref(m, stow_bridge_function_name(function)),
                                           location_of(m, function), peaks[f].before,
                                           peaks[f].after, peaks[f].exact});
  }
}

static void describe_heaps(model *m) {
  if (!stow_arena_tells_heap(m->arenas))
    return;
  stow_heap_peaks *peaks = stow_heap_peaks_of(m->arenas, 0);
  add_heaps(m, &m->arenas->memory, peaks);
  free(peaks);
}

static stow_module_memory read_as_is(const stow_arenas *arenas) {
  return stow_module_memory_with_dynamic(arenas->module, arenas->options.unknown_ops, 0,
                                         arenas->options.dynamic);
}

void stow_description_heaps_before(stow_description *m, const stow_arenas *arenas) {
  stow_module_memory memory = read_as_is(arenas);
  stow_heap_peaks *peaks = stow_heap_peaks_as_is(&memory);
  add_heaps(m, &memory, peaks);
  free(peaks);
  stow_module_memory_free(&memory);
}

void stow_description_heaps_after(stow_description *m, const stow_arenas *arenas) {
  stow_module_memory memory = read_as_is(arenas);
  stow_heap_peaks *peaks = stow_heap_peaks_as_is(&memory);
  STOW_EACH(stow_report_heap, heap, m->heaps)
    heap->after = 0;
  for (size_t f = 0; f < memory.function_count; ++f) {
    const int32_t h = stow_map_get(&m->heap_index, symbol_key(memory.functions[f].flow.function));
    if (h < 0)
      continue;
    m->heaps.at[h].after = peaks[f].after;
    m->heaps.at[h].exact &= peaks[f].exact;
  }
  free(peaks);
  stow_module_memory_free(&memory);
}

stow_description *stow_description_create(void) {
  return stow_ir_allocate(1, sizeof(stow_description));
}

void stow_description_add(stow_description *m, const stow_arenas *arenas) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsAssumeVerified(flags);
  m->arenas = arenas;
  for (size_t f = 0, next = 0; f < arenas->memory.function_count; ++f) {
    m->names = mlirAsmStateCreateForOperation(arenas->memory.functions[f].flow.function, flags);
    m->contents = stow_contents_of(&arenas->memory.functions[f]);
    if (next < arenas->arenas.count && arenas->arenas.at[next].function == f)
      describe_arguments(m, &arenas->memory.functions[f].flow);
    for (; next < arenas->arenas.count && arenas->arenas.at[next].function == f; ++next) {
      const stow_arena *arena = &arenas->arenas.at[next];
      STOW_PUSH(m->entries, describe_arena(m, arena));
      if (stow_arena_begins_kernel(arenas, arena))
        describe_kernel(m, arena);
    }
    stow_contents_free(&m->contents);
    mlirAsmStateDestroy(m->names);
  }
  describe_heaps(m);
  stow_tally_add(&m->tally, arenas);
  mlirOpPrintingFlagsDestroy(flags);
}

void stow_description_free(stow_description *m) {
  STOW_EACH(const entry, e, m->entries) {
    free((void *)e->arena.buffers);
    free(e->pieces);
    free(e->parts);
    stow_arena_formulas_free(e->formulas);
  }
  for (size_t i = 0; i < m->strings.count; ++i)
    free(m->strings.at[i]);
  stow_map_free(&m->heap_index);
  free(m->entries.at);
  free(m->heaps.at);
  free(m->kernels.at);
  free(m->outside.at);
  free(m->strings.at);
  free(m);
}

STOW_BY_FIELDS(compare_entries, entry, function, added)

// The report of all that was added. Its arenas are freed with free().
static stow_report report_of(model *m, const stow_arenas *arenas,
                             const stow_report_frames *frames) {
  stow_report_arena *all = stow_ir_allocate(m->entries.count, sizeof *all);
  STOW_SORT(m->entries, compare_entries);
  describe_globals(m, arenas->module);
  for (size_t i = 0; i < m->entries.count; ++i)
    all[i] = m->entries.at[i].arena;
  return (stow_report){.title = arenas->pass,
                       .arenas = all,
                       .arena_count = m->entries.count,
                       .note = keep(m, stow_arena_why_idle(&m->tally, arenas)),
                       .heaps = m->heaps.at,
                       .heap_count = m->heaps.count,
                       .kernels = m->kernels.at,
                       .kernel_count = m->kernels.count,
                       .outside = m->outside.at,
                       .outside_count = m->outside.count,
                       .frames = frames ? *frames : (stow_report_frames){NULL, 0}};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static stow_report_files files_of(const stow_arenas *arenas) {
  return (stow_report_files){.module = arenas->module,
                             .pass = arenas->pass,
                             .formats = &stow_report_formats,
                             .reports = arenas->options.reports,
                             .report_count = arenas->options.report_count};
}

bool stow_arena_reports_are_known(const stow_arenas *arenas) {
  const stow_report_files files = files_of(arenas);
  return stow_ir_reports_are_known(&files);
}

bool stow_description_write(stow_description *description, const stow_arenas *arenas,
                            const stow_report_frames *frames) {
  const stow_report report = report_of(description, arenas, frames);
  const stow_report_files files = files_of(arenas);
  const bool written = stow_ir_write_reports(&files, &report);
  free((void *)report.arenas);
  return written;
}

void stow_arena_describe_as_json(const stow_arenas *arenas, stow_text *out) {
  stow_description *description = stow_description_create();
  stow_description_add(description, arenas);
  const stow_report report = report_of(description, arenas, NULL);
  stow_report_json(&report, stow_ir_sink_to(out));
  free((void *)report.arenas);
  stow_description_free(description);
}
