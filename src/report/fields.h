//===- fields.h - the members of the JSON report --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table per kind of object, and one line per member: X(KIND, KEY, VALUE, ABOUT). json.c writes
// the members in this order, schema.c the JSON schema. VALUE is an expression over the variable
// that has the object's name; ABOUT is the description in the schema, or "".
//
// KIND says how a value is written and described; json.c has a function put_KIND, schema.c an entry
// kind_KIND. A member whose kind ends in _if is left out where there is nothing to say.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_FIELDS_H
#define STOWAGE_REPORT_FIELDS_H

#define STOW_REPORT_FIELDS(X)                                                                      \
  X(version, version, 1, "")                                                                       \
  X(text, title, report->title, "the pass or the command")                                         \
  X(text_if, note, report->note, "why nothing was planned")                                        \
  X(arenas, arenas, report, "")                                                                    \
  X(frames_if, frames, &report->frames, "what functions need from their callers")                  \
  X(heaps_if, heaps, report, "what the heap holds at most in each function")                       \
  X(kernels_if, kernels, report, "what GPU kernels have of workgroup memory")                      \
  X(outside_if, outside, report, "memory that no arena holds")

#define STOW_ARENA_FIELDS(X)                                                                       \
  X(text, function, arena->function, "or the name of the input")                                   \
  X(text, scope, arena->scope, "\"\" for the function, or the op of the scope")                    \
  X(text, location, arena->location, "FILE:LINE:COLUMN of the scope")                              \
  X(text, memory_space, arena->memory_space, "\"\" for the default one")                           \
  X(text, within, arena->within, "the result whose bytes it uses, or \"\"")                        \
  X(truth_if, workgroup, arena->workgroup, "of a GPU kernel: points are steps between barriers")   \
  X(outcome, outcome, stow_outcome_name(arena->outcome), "")                                       \
  X(text, strategy, strategy_name(arena->strategy), "that found the plan")                         \
  X(bytes, load, arena->load, "alive at the peak, without padding")                                \
  X(bytes, lower_bound, arena->lower_bound, "no plan is smaller")                                  \
  X(bytes, arena_size, arena->arena_size, "")                                                      \
  X(text_if, formula, arena->formula, "of a size known at run time")                               \
  X(text_if, sizes, arena->sizes, "that all bytes are for: n=128, m=64")                           \
  X(bytes_or_null, capacity, (KNOWN(arena->capacity, arena->capacity > 0)), "null: no limit")      \
  X(point, peak, arena->peak, "the first point at which the load is reached")                      \
  X(bytes, highest_at_peak, arena->highest_at_peak, "the largest end of a buffer alive there")     \
  X(count, reuse_pairs, arena->reuse_pairs, "pairs of planned buffers that share bytes")           \
  X(bytes_if, bank_pairs, arena->bank_pairs,                                                       \
    "of buffers that one op uses, where the memory has banks")                                     \
  X(bytes_if, bank_pairs_apart, arena->bank_pairs_apart,                                           \
    "of these, in different banks; absent: none")                                                  \
  X(count, planned, totals.planned, "buffers")                                                     \
  X(bytes, planned_bytes, totals.planned_bytes, "the sum of their sizes")                          \
  X(count, left_alone, totals.left_alone, "buffers")                                               \
  X(bytes, left_alone_bytes, totals.left_alone_bytes, "of those whose size is known")              \
  X(count, left_alone_unsized, totals.left_alone_unsized, "buffers whose size is not known")       \
  X(samples_if, samples, arena->profile, "[point, bytes alive, highest]; only inside of a page")   \
  X(formulas_if, formulas, arena->formulas, "all bytes and offsets, of sizes known at run time")   \
  X(relations_if, relations, arena, "[\"exclusive\", ID, ID] and its like")                        \
  X(planned_list, buffers, arena, "those in the arena")                                            \
  X(left_alone_list, buffers_left_alone, arena, "the others, each with its reason")

// Of every buffer, planned or not.
#define STOW_BUFFER_FIELDS(X)                                                                      \
  X(text_if, id, buffer->id, "no other buffer of the arena has it")                                \
  X(text, name, buffer->name, "as in the source")                                                  \
  X(text, type, buffer->type, "")                                                                  \
  X(text, location, buffer->location, "FILE:LINE:COLUMN")                                          \
  X(bytes_or_null, size, (KNOWN(buffer->buffer.size, buffer->size_known)),                         \
    "null: known at run time only")                                                                \
  X(text_if, formula, buffer->formula, "of such a size")                                           \
  X(alignment, alignment, buffer->buffer.alignment, "")                                            \
  X(point, begin, buffer->buffer.begin, "the first point of its life")                             \
  X(point, end, buffer->buffer.end, "one past the last point")                                     \
  X(text_if, op, buffer->op, "what makes its values")                                              \
  X(text_if, op_location, buffer->op_location, "of that op, where it has another one")             \
  X(text_if, layer, buffer->layer, "the name that a front end gave its location")                  \
  X(bytes_if, before, buffer->before, "its size before stream-rows")                               \
  X(pieces_if, pieces, buffer, "of a life with holes: [begin, end] or [begin, end, low, high]")

#define STOW_PLANNED_FIELDS(X)                                                                     \
  X(bytes_or_null, offset, (KNOWN(buffer->offset, placed || buffer->fixed)), "null: no plan")      \
  X(truth, live_at_peak, buffer->live_at_peak, "")                                                 \
  X(truth_if, fixed, buffer->fixed, "the offset was required")                                     \
  X(parts_if, parts, buffer, "buffers in it whose rows take turns")

#define STOW_LEFT_ALONE_FIELDS(X)                                                                  \
  X(text, reason, buffer->reason, "a short code")                                                  \
  X(text, detail, buffer->detail, "the reason as a clause")                                        \
  X(text_if, suggestion, buffer->suggestion, "what can be done about it")

#define STOW_PART_FIELDS(X)                                                                        \
  X(text, name, part->name, "as in the source")                                                    \
  X(text, type, part->type, "")                                                                    \
  X(text, location, part->location, "FILE:LINE:COLUMN")                                            \
  X(bytes, low, part->low, "its first byte in the other buffer")                                   \
  X(bytes, high, part->high, "one past its last byte")                                             \
  X(bytes, before, part->before, "its size before stream-rows")                                    \
  X(point, begin, part->begin, "")                                                                 \
  X(point, end, part->end, "")                                                                     \
  X(text_if, op, part->op, "what makes its values")                                                \
  X(text_if, op_location, part->op_location, "of that op, where it has another one")               \
  X(text_if, layer, part->layer, "the name that a front end gave its location")

#define STOW_FORMULAS_FIELDS(X)                                                                    \
  X(size_list, sizes, formulas, "")                                                                \
  X(steps, steps, formulas, "numbers, each computed from those before it")                         \
  X(indices, buffers, (INDICES(formulas->buffer_bytes, formulas->buffer_count)),                   \
    "the step of each buffer's size")                                                              \
  X(plan_list, plans, formulas, "the one with the smallest arena is used")

#define STOW_SIZE_FIELDS(X)                                                                        \
  X(text_or_null, name, size->name, "")                                                            \
  X(limit, value, (LIMIT(size->value, !size->either)), "null: a bit that is both")                 \
  X(limit, min, (LIMIT(size->low, size->low != INT64_MIN)), "")                                    \
  X(limit, max, (LIMIT(size->high, size->high != INT64_MAX)), "")

#define STOW_FORMULA_PLAN_FIELDS(X)                                                                \
  X(count, arena_size, plan->arena_size, "a step")                                                 \
  X(indices, offsets, plan->offsets, "the step of each buffer's offset")

#define STOW_FRAME_FIELDS(X)                                                                       \
  X(text, function, frame->function, "")                                                           \
  X(frame_kind, kind, frame->kind, "where it is")                                                  \
  X(text, memory_space, frame->memory_space, "\"\" for the default one")                           \
  X(bytes, bytes, frame->bytes, "frames of callees included")                                      \
  X(text_if, formula, frame->formula, "of bytes known at run time")                                \
  X(alignment, alignment, frame->alignment, "")                                                    \
  X(count, depth, frame->depth, "0: an entry point; callees follow their callers, one deeper")     \
  X(count, calls, frame->calls, "of it by its caller")                                             \
  X(truth, above, frame->above, "its callees were listed before")

#define STOW_HEAP_FIELDS(X)                                                                        \
  X(text, function, heap->function, "")                                                            \
  X(text, location, heap->location, "FILE:LINE:COLUMN")                                            \
  X(bytes, before, heap->before, "without arenas")                                                 \
  X(bytes, after, heap->after, "with them")                                                        \
  X(truth, exact, heap->exact, "false: about")

#define STOW_KERNEL_FIELDS(X)                                                                      \
  X(text, function, kernel->function, "")                                                          \
  X(text, location, kernel->location, "FILE:LINE:COLUMN")                                          \
  X(bytes, before, kernel->before, "of a workgroup, where nothing shares bytes")                   \
  X(bytes, after, kernel->after, "of a workgroup, as planned")                                     \
  X(occupancy_if, occupancy, &kernel->occupancy, "of a multiprocessor, where its memory is known")

#define STOW_OCCUPANCY_FIELDS(X)                                                                   \
  X(bytes, memory, occupancy->memory, "of the multiprocessor")                                     \
  X(count, before, occupancy->before, "workgroups at a time, where nothing shares bytes")          \
  X(count, after, occupancy->after, "workgroups at a time, as planned")                            \
  X(bytes_list, next, occupancy,                                                                   \
    "the most bytes of a workgroup with which one more fits, two more, and so on")

#define STOW_OUTSIDE_FIELDS(X)                                                                     \
  X(outside_kind, kind, outside->kind, "")                                                         \
  X(text, function, outside->function, "\"\": the module")                                         \
  X(bytes, bytes, outside->bytes, "of what has a known size")

#endif // STOWAGE_REPORT_FIELDS_H
