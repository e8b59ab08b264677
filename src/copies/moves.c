//===- moves.c - reading through what only moves elements -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *move* sets every cell of a buffer to a cell of its source, or to one value: a copy, a
// transpose, a broadcast, a fill. A reader of the buffer can read the source instead, if the
// source is not written in between and the reader has an indexing map for the operand. If all
// readers can, the buffer is removed. A fill of a buffer that is written later need not run
// before that write: readers until then read the value.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "bridge/linalg.h"
#include "copies/limits.h"
#include "ir/alias.h"
#include "ir/size.h"
#include "ir/view.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

typedef struct moving {
  stow_copies_trial *trial;
  MlirOperation move;
  MlirValue source; // a memref, or one value
  MlirValue buffer;
  MlirAffineMap map; // from cells of the buffer to those of the source
  MlirBlock block;
  stow_copies_uses uses; // of the buffer
  MlirOperation end;     // overwrites the buffer; null: nothing does
  MlirOperation sink;    // first op of the block that writes into what a fill made; null: none
  MlirOperation last;    // op of the block that reads what the move wrote, or the move
  STOW_ARRAY(stow_copies_touch) readers;
  MlirOperation blame;
  bool noalias; // all arguments are reached in no other way
} moving;

//===----------------------------------------------------------------------===//
// What is moved
//===----------------------------------------------------------------------===//

static bool is_move(moving *m) {
  intptr_t from = 0, to = 1;
  if (stow_bridge_loop_count(m->move) < 0)
    return false;
  if (!stow_ir_is(m->move, STOW_MEMREF_COPY)) {
    from = stow_bridge_moved_operand(m->move);
    to = mlirOperationGetNumOperands(m->move) - 1;
    m->source =
        from >= 0 ? mlirOperationGetOperand(m->move, from) : stow_bridge_filling_value(m->move);
    if (mlirValueIsNull(m->source) || !stow_bridge_is_overwritten_output(m->move, to))
      return false;
  } else {
    m->source = mlirOperationGetOperand(m->move, 0);
  }
  m->buffer = mlirOperationGetOperand(m->move, to);
  m->map =
      from >= 0 ? stow_bridge_movement_map(m->move, from, to) : stow_bridge_constant_map(m->buffer);
  return !mlirAffineMapIsNull(m->map) && stow_ir_is_plainly_made(m->buffer) &&
         stow_layout_keeps_apart(mlirValueGetType(m->buffer)) &&
         !mlirValueEqual(stow_ir_root_of(m->source), m->buffer);
}

//===----------------------------------------------------------------------===//
// Who reads it
//===----------------------------------------------------------------------===//

// The first op after the move that overwrites the buffer.
static void find_end(moving *m) {
  STOW_EACH(const stow_copies_touch, touch, m->uses.touches)
    if (mlirBlockEqual(mlirOperationGetBlock(touch->op), m->block) &&
        stow_copies_is_before(m->move, touch->op) && stow_ir_overwrites(touch->op, m->buffer) &&
        !touch->reads && (mlirOperationIsNull(m->end) || stow_copies_is_before(touch->op, m->end)))
      m->end = touch->op;
}

// The first op after a fill that writes the buffer, but not all of it.
static void find_sink(moving *m) {
  STOW_EACH(const stow_copies_touch, touch, m->uses.touches) {
    MlirOperation at = stow_ir_op_in_block(m->block, touch->op);
    if (touch->writes && stow_copies_is_before(m->move, at) &&
        (mlirOperationIsNull(m->end) || stow_copies_is_before(at, m->end)) &&
        (mlirOperationIsNull(m->sink) || stow_copies_is_before(at, m->sink)))
      m->sink = at;
  }
}

// Whether a touch sees the buffer as the move left it. The op that overwrites the buffer may still
// read it by another name.
static bool is_reached(const moving *m, const stow_copies_touch *touch) {
  MlirOperation at = stow_ir_op_in_block(m->block, touch->op);
  if (!stow_copies_is_before(m->move, at))
    return false;
  if (mlirOperationIsNull(m->end) || stow_copies_is_before(at, m->end))
    return true;
  return mlirOperationEqual(at, m->end) && touch->reads;
}

static stow_copies_reason sort_touch(moving *m, const stow_copies_touch *touch) {
  MlirOperation at = stow_ir_op_in_block(m->block, touch->op);
  m->blame = touch->op;
  if (!is_reached(m, touch) ||
      (!mlirOperationIsNull(m->sink) && !stow_copies_is_before(at, m->sink)))
    return STOW_COPIES_DONE;
  if (touch->writes)
    return STOW_COPIES_CHANGES;
  if (stow_copies_is_before(m->last, at))
    m->last = at;
  STOW_PUSH(m->readers, *touch);
  return STOW_COPIES_DONE;
}

static stow_copies_reason find_readers(moving *m) {
  m->block = mlirOperationGetBlock(m->move);
  m->last = m->move;
  stow_copies_uses_of(m->buffer, &m->uses);
  if (!stow_copies_afford(m->trial, &m->uses))
    return STOW_COPIES_EFFORT;
  m->blame = m->uses.opaque;
  if (!mlirOperationIsNull(m->blame))
    return STOW_COPIES_OPAQUE;
  if (!mlirBlockEqual(m->block, mlirOperationGetBlock(mlirOpResultGetOwner(m->buffer))) ||
      (stow_op_facts(mlirBlockGetParentOperation(m->block)) & STOW_OP_GRAPH_REGION))
    return STOW_COPIES_ELSEWHERE;
  find_end(m);
  if (!stow_ir_is_buffer(mlirValueGetType(m->source)))
    find_sink(m);
  for (size_t i = 0; i < m->uses.touches.count; ++i) {
    const stow_copies_reason reason = sort_touch(m, &m->uses.touches.at[i]);
    if (reason != STOW_COPIES_DONE)
      return reason;
  }
  m->blame = m->sink;
  return mlirOperationIsNull(m->sink) || m->readers.count > 0 ? STOW_COPIES_DONE
                                                              : STOW_COPIES_CHANGES;
}

//===----------------------------------------------------------------------===//
// What each reader is to read
//===----------------------------------------------------------------------===//

// From the loops of a reader to cells of the buffer; null where no map says so.
static MlirAffineMap map_to_buffer(const moving *m, const stow_copies_touch *reader) {
  MlirAffineMap map = stow_bridge_loop_map(reader->op, reader->operand);
  for (MlirValue view = reader->view; !mlirValueEqual(view, m->buffer);) {
    MlirOperation op = mlirOpResultGetOwner(view);
    stow_view read;
    if (!stow_view_read(op, &read) || !(read.cuts || read.regroups))
      return (MlirAffineMap){NULL};
    const MlirAffineMap step = stow_view_map(op, &read);
    if (mlirAffineMapIsNull(step))
      return step;
    map = stow_bridge_compose_maps(step, map);
    view = mlirOperationGetOperand(op, 0);
  }
  return map;
}

// The same to cells of the source.
static MlirAffineMap map_of(const moving *m, const stow_copies_touch *reader) {
  MlirAffineMap map = map_to_buffer(m, reader);
  return mlirAffineMapIsNull(map) ? map : stow_bridge_compose_maps(m->map, map);
}

// Per operand of the op, the map that it is to have; null where it stays. False: there is none.
static bool maps_of(const moving *m, MlirOperation op, MlirAffineMap *maps) {
  STOW_EACH(const stow_copies_touch, reader, m->readers) {
    if (!mlirOperationEqual(reader->op, op))
      continue;
    maps[reader->operand] = map_of(m, reader);
    if (mlirAffineMapIsNull(maps[reader->operand]))
      return false;
  }
  return true;
}

static bool can_read(moving *m, const stow_copies_touch *reader) {
  m->blame = reader->op;
  if (stow_bridge_loop_count(reader->op) < 0 ||
      stow_bridge_loop_writes(reader->op, reader->operand))
    return false;
  const intptr_t count = mlirOperationGetNumOperands(reader->op);
  MlirAffineMap *maps = stow_ir_allocate((size_t)count, sizeof *maps);
  const bool can = maps_of(m, reader->op, maps) &&
                   stow_bridge_can_read_at(reader->op, maps, mlirValueGetType(m->source));
  free(maps);
  return can;
}

//===----------------------------------------------------------------------===//
// The source stays as it is until then
//===----------------------------------------------------------------------===//

// Whether an op may write memory that the function was given.
static bool writes_given(const moving *m, MlirOperation op, MlirValue given) {
  stow_effects e;
  stow_effects_of(op, &e);
  const bool known = stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN;
  bool writes = !known || (e.other & (STOW_WRITE | STOW_FREE)) != 0 || stow_bridge_op_is_call(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    writes |= (e.operands[i] & (STOW_WRITE | STOW_FREE)) &&
              stow_ir_may_alias(stow_ir_root_of(mlirOperationGetOperand(op, i)), given, m->noalias);
  stow_effects_free(&e);
  return writes && !stow_bridge_op_has_no_effect(op);
}

static bool given_is_not_written(moving *m, MlirValue given) {
  int seen = 0;
  for (MlirOperation op = m->move; !mlirOperationEqual(op, m->last);) {
    op = mlirOperationGetNextInBlock(op);
    STOW_EACH_OP_OF(inside, op)
      if (writes_given(m, inside, given)) {
        m->blame = inside;
        return false;
      }
    m->blame = op;
    if (++seen > STOW_COPIES_MOST_BETWEEN)
      return false;
  }
  return true;
}

// Whether an op runs after the move and not after the last reader.
static bool is_between(const moving *m, MlirOperation op) {
  MlirOperation at = stow_ir_op_in_block(m->block, op);
  return !mlirOperationIsNull(at) && stow_copies_is_before(m->move, at) &&
         !stow_copies_is_before(m->last, at);
}

static bool is_not_written(moving *m, const stow_copies_uses *uses) {
  MlirBlock outer = mlirOperationGetBlock(mlirOpResultGetOwner(uses->value));
  MlirOperation around = stow_ir_op_in_block(outer, m->last);
  STOW_EACH(const stow_copies_touch, touch, uses->touches) {
    MlirOperation at = stow_ir_op_in_block(outer, touch->op);
    m->blame = touch->op;
    if (touch->opaque && !mlirOperationIsNull(at) && !stow_copies_is_before(around, at))
      return false;
    if (touch->writes && is_between(m, touch->op))
      return false;
  }
  for (size_t i = 0; i < uses->deallocs.count; ++i)
    if (is_between(m, m->blame = uses->deallocs.at[i]))
      return false;
  return true;
}

// Memory that existed when the function began. What a loop carries, or a branch, may be any.
static bool is_given(const moving *m, MlirValue root) {
  MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(m->trial->function));
  root = stow_ir_behind_promises(root);
  return stow_ir_is_result_of(root, STOW_MEMREF_GET_GLOBAL) ||
         (mlirValueIsABlockArgument(root) &&
          mlirBlockEqual(mlirBlockArgumentGetOwner(root), entry));
}

static bool stays(moving *m) {
  MlirValue root = stow_ir_root_of(m->source);
  if (!stow_ir_is_buffer(mlirValueGetType(root)) || stow_copies_is_constant(m->trial, root))
    return true;
  m->blame = m->move;
  if (!stow_ir_is_plainly_made(root))
    return is_given(m, root) && given_is_not_written(m, root);
  if (!stow_copies_runs_alone(m->block, mlirOperationGetBlock(mlirOpResultGetOwner(root))))
    return false;
  stow_copies_uses uses;
  stow_copies_uses_of(root, &uses);
  const bool ok = stow_copies_afford(m->trial, &uses) && is_not_written(m, &uses);
  stow_copies_uses_free(&uses);
  return ok;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

static void drop_unused(moving *m) {
  for (size_t i = m->uses.views.count; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(m->uses.views.at[i], 0))))
      mlirOperationDestroy(m->uses.views.at[i]);
  size_t left = 0;
  STOW_EACH_USE(use, m->buffer)
    ++left;
  if (left > m->uses.deallocs.count)
    return;
  for (size_t i = 0; i < m->uses.deallocs.count; ++i)
    mlirOperationDestroy(m->uses.deallocs.at[i]);
  mlirOperationDestroy(mlirOpResultGetOwner(m->buffer));
}

// The source lives longer: that may cost more than the buffer did.
static bool is_doubtful(const moving *m) {
  MlirValue root = stow_ir_root_of(m->source);
  return stow_ir_is_plainly_made(root) && stow_ir_made_bytes(root) > stow_ir_made_bytes(m->buffer);
}

// The loop along which a reader writes contiguous elements, or -1.
static intptr_t loop_along(MlirOperation op) {
  MlirAffineMap map = stow_bridge_loop_map(op, mlirOperationGetNumOperands(op) - 1);
  const intptr_t rank = mlirAffineMapGetNumResults(map);
  MlirAffineExpr last = rank > 0 ? mlirAffineMapGetResult(map, rank - 1) : (MlirAffineExpr){NULL};
  return rank > 0 && mlirAffineExprIsADim(last) ? mlirAffineDimExprGetPosition(last) : -1;
}

// Whether a loop runs along contiguous elements, or stays at one.
static bool is_along(MlirAffineMap map, intptr_t loop) {
  bool along = true;
  for (intptr_t i = 0; i + 1 < mlirAffineMapGetNumResults(map); ++i)
    along &= !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), loop);
  return along;
}

// Whether a reader reads cells more than once: a loop is not in its indices.
static bool reads_again(MlirOperation op, MlirAffineMap map) {
  bool again = false;
  const intptr_t count = stow_bridge_loop_count(op);
  int64_t *extents = stow_ir_allocate((size_t)count, sizeof *extents);
  bool *parallel = stow_ir_allocate((size_t)count, sizeof *parallel);
  stow_bridge_loops(op, extents, parallel);
  for (intptr_t loop = 0; loop < count; ++loop) {
    bool used = extents[loop] == 1;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      used |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), loop);
    again |= !used;
  }
  free(extents);
  free(parallel);
  return again;
}

// What is read once may as well be read in the order of the source: the move does, too.
static bool is_slow(const moving *m) {
  bool slow = false;
  for (size_t i = 0; i < m->readers.count && stow_ir_is_buffer(mlirValueGetType(m->source)); ++i) {
    const stow_copies_touch *reader = &m->readers.at[i];
    const MlirAffineMap before = map_to_buffer(m, reader);
    const intptr_t loop = loop_along(reader->op);
    slow |= loop >= 0 && is_along(before, loop) && !is_along(map_of(m, reader), loop) &&
            reads_again(reader->op, before);
  }
  return slow;
}

static stow_copies_cost cost_of(const moving *m) {
  if (m->trial->reads != STOW_COPIES_ANY && is_slow(m))
    return STOW_COPIES_SLOW;
  return is_doubtful(m) ? STOW_COPIES_DOUBTFUL : STOW_COPIES_FREE;
}

static void rewrite(moving *m) {
  char *text = stow_ir_format("%llu bytes are read where they come from",
                              (unsigned long long)stow_ir_made_bytes(m->buffer));
  stow_copies_tell_done(m->trial, m->move, "read-through", text);
  free(text);
  stow_copies_note(m->trial, m->move, cost_of(m));
  for (size_t i = 0; i < m->readers.count; ++i) {
    const stow_copies_touch reader = m->readers.at[i];
    MlirOperation now =
        stow_bridge_read_at(reader.op, reader.operand, m->source, map_of(m, &reader));
    stow_copies_replaced(m->trial, now);
    for (size_t k = i + 1; k < m->readers.count; ++k)
      if (mlirOperationEqual(m->readers.at[k].op, reader.op))
        m->readers.at[k].op = now;
  }
  assert(mlirOperationIsNull(m->sink) || stow_copies_is_before(m->move, m->sink));
  if (mlirOperationIsNull(m->sink))
    stow_copies_destroy(m->trial, m->move);
  else
    mlirOperationMoveBefore(m->move, m->sink);
  drop_unused(m);
}

static stow_copies_reason check(moving *m) {
  stow_copies_reason reason = find_readers(m);
  for (size_t i = 0; i < m->readers.count && reason == STOW_COPIES_DONE; ++i)
    reason = can_read(m, &m->readers.at[i]) ? STOW_COPIES_DONE : STOW_COPIES_READER;
  if (reason == STOW_COPIES_DONE && !stays(m))
    reason = STOW_COPIES_CHANGES;
  if (reason == STOW_COPIES_DONE && m->trial->reads == STOW_COPIES_CONTIGUOUS && is_slow(m))
    reason = STOW_COPIES_JUMPS;
  return reason;
}

//===----------------------------------------------------------------------===//
// Another name for the source
//===----------------------------------------------------------------------===//

// Whether nothing but the move writes the buffer, and nothing reads it before.
static bool is_written_once(moving *m) {
  STOW_EACH(const stow_copies_touch, touch, m->uses.touches) {
    m->blame = touch->op;
    if (!mlirOperationEqual(touch->op, m->move) &&
        (touch->writes ||
         !stow_copies_is_before(m->move, stow_ir_op_in_block(m->block, touch->op))))
      return false;
  }
  return true;
}

// Whether the source exists where a use of the buffer stands that touches nothing.
static bool exists_at(const moving *m, MlirOperation op) {
  if (!mlirValueIsAOpResult(m->source))
    return true;
  MlirOperation from = stow_ir_op_in_block(m->block, mlirOpResultGetOwner(m->source)),
                at = stow_ir_op_in_block(m->block, op);
  return mlirOperationIsNull(from) || (!mlirOperationIsNull(at) && stow_copies_is_before(from, at));
}

static bool exists_for_all(moving *m) {
  bool all = true;
  for (size_t i = 0; i < m->uses.views.count; ++i)
    all &= exists_at(m, m->uses.views.at[i]);
  for (size_t i = 0; i < m->uses.asks.count; ++i)
    all &= exists_at(m, m->uses.asks.at[i]);
  return all;
}

// Whether an op asks for an alignment, which the source may not have.
static bool is_aligned_for(moving *m) {
  uint64_t asked = 0;
  for (size_t i = 0; i < m->uses.views.count; ++i)
    asked |= stow_ir_alignment_attribute(m->blame = m->uses.views.at[i]);
  for (size_t i = 0; i < m->uses.touches.count && asked == 0; ++i)
    asked |= stow_ir_alignment_attribute(m->blame = m->uses.touches.at[i].op);
  return asked == 0;
}

static stow_copies_reason check_name(moving *m, stow_copies_types *types) {
  MlirType source = mlirValueGetType(m->source), buffer = mlirValueGetType(m->buffer);
  if (!mlirAttributeEqual(stow_ir_memory_space(source), stow_ir_memory_space(buffer)))
    return STOW_COPIES_SPACE;
  if (!is_written_once(m) || !stays(m))
    return STOW_COPIES_CHANGES;
  if (!exists_for_all(m))
    return STOW_COPIES_LATE;
  if (!is_aligned_for(m))
    return STOW_COPIES_ALIGNMENT;
  return stow_copies_types_of(&m->uses, source, types, &m->blame) ? STOW_COPIES_DONE
                                                                  : STOW_COPIES_LAYOUT;
}

static void rename_buffer(moving *m, const stow_copies_types *types) {
  char *text = stow_ir_format("%llu bytes are read under another name",
                              (unsigned long long)stow_ir_made_bytes(m->buffer));
  stow_copies_tell_done(m->trial, m->move, "renamed", text);
  free(text);
  stow_copies_note(m->trial, m->move, is_doubtful(m) ? STOW_COPIES_DOUBTFUL : STOW_COPIES_FREE);
  for (size_t i = 0; i < m->uses.deallocs.count; ++i)
    mlirOperationDestroy(m->uses.deallocs.at[i]);
  stow_copies_destroy(m->trial, m->move);
  mlirValueReplaceAllUsesOfWith(m->buffer, m->source);
  stow_copies_set_types(&m->uses, types);
  mlirOperationDestroy(mlirOpResultGetOwner(m->buffer));
}

// Any op may read a plain copy under its source's name.
static stow_copies_reason try_name(moving *m) {
  stow_copies_types types = {0};
  const stow_copies_reason reason = check_name(m, &types);
  if (reason == STOW_COPIES_DONE)
    rename_buffer(m, &types);
  free(types.at);
  return reason;
}

// Whether a move could go, and which op is in the way if not.
static stow_copies_reason reason_of(stow_copies_trial *trial, MlirOperation move, bool noalias,
                                    MlirOperation *out_blame) {
  moving m = {.trial = trial, .move = move, .noalias = noalias};
  stow_copies_types types = {0};
  stow_copies_reason reason = is_move(&m) ? check(&m) : STOW_COPIES_NO_ALLOC;
  if (reason == STOW_COPIES_READER && mlirAffineMapIsIdentity(m.map))
    reason = check_name(&m, &types);
  *out_blame = m.blame;
  free(types.at);
  stow_copies_uses_free(&m.uses);
  free(m.readers.at);
  return reason;
}

MlirOperation stow_copies_unpromised(stow_copies_trial *trial, MlirOperation move) {
  const int64_t effort = trial->effort; // remarks change no decision
  MlirOperation writer, none;
  const bool promise = trial->tells_left && !trial->noalias &&
                       reason_of(trial, move, false, &writer) == STOW_COPIES_CHANGES &&
                       reason_of(trial, move, true, &none) == STOW_COPIES_DONE;
  trial->effort = effort;
  return promise ? writer : (MlirOperation){NULL};
}

static void see(stow_copies_trial *trial, MlirOperation op) {
  moving m = {.trial = trial, .move = op, .noalias = trial->noalias};
  if (trial->effort <= 0 || !stow_copies_may(trial, op) || !is_move(&m))
    return;
  const bool is_copy =
      stow_ir_is_buffer(mlirValueGetType(m.source)) && mlirAffineMapIsIdentity(m.map);
  stow_copies_reason reason = check(&m);
  if (reason == STOW_COPIES_DONE)
    rewrite(&m);
  else if (reason == STOW_COPIES_READER && is_copy)
    reason = try_name(&m);
  if (reason != STOW_COPIES_DONE && !is_copy && stow_ir_is_buffer(mlirValueGetType(m.source))) {
    const bool promise =
        reason == STOW_COPIES_CHANGES && !mlirOperationIsNull(stow_copies_unpromised(trial, op));
    stow_copies_tell_left(trial, op, promise ? STOW_COPIES_UNPROMISED : reason, m.blame);
  }
  stow_copies_uses_free(&m.uses);
  free(m.readers.at);
}

void stow_copies_read_through(stow_copies_trial *trial) {
  for (size_t i = 0; i < trial->link_count; ++i)
    if (!mlirOperationIsNull(trial->ops[i]))
      see(trial, trial->ops[i]);
}
