//===- completion.c - when work that goes on is done -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What matters of a root becomes *events* on *names*, by position. A name is a token, or the work
// of one transfer, which its tag stands for. Going backward over them gives what each name needs.
//
//===----------------------------------------------------------------------===//

#include "ir/completion.h"

#include "ir/control.h"
#include "ir/limits.h"
#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <string.h>

MlirValue stow_ir_token_of(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (stow_bridge_type_is_token(mlirValueGetType(mlirOperationGetResult(op, i))))
      return mlirOperationGetResult(op, i);
  return (MlirValue){NULL};
}

bool stow_ir_passes_token(MlirOperation op) {
  return !mlirValueIsNull(stow_ir_token_of(op)) &&
         (stow_ir_op_traits(op) & (STOW_GIVES_TOKEN | STOW_WAITS));
}

// An op that gives a token where it is asynchronous waits for its own tokens where it is not.
static bool waits_for_tokens(MlirOperation op, stow_traits traits) {
  return (traits & (STOW_GIVES_TOKEN | STOW_WAITS)) && mlirValueIsNull(stow_ir_token_of(op));
}

void stow_completions_free(stow_completions *c) {
  stow_map_free(&c->roots);
  stow_map_free(&c->by_start);
  stow_map_free(&c->by_wait);
  free(c->works.at);
  free(c->waits.at);
  *c = (stow_completions){0};
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

// What happens to a name at a position, in the order in which it does.
typedef enum event_kind {
  LOSES,  // what stands for its work may be something else from here on
  WAITS,  // its work is done, if `to` groups have been made since, or more
  MAKES,  // it stands for other work from here on
  PASSES, // `to` stands for its work, too
  COUNTS, // it is a group, and one more for all that were made before
} event_kind;

// What a name needs: so many groups to be made, or what will not be.
enum { NEVER = UINT8_MAX };

typedef struct event {
  int64_t position;
  event_kind kind;
  int32_t name, to;
} event;

typedef struct transfer {
  stow_tag tag;
  int64_t position;
  int32_t name;
  bool doubtful; // what its tag's waits wait for is not certain
} transfer;

typedef struct root {
  stow_completions *out;
  stow_region_control control;
  stow_map positions;           // of ops
  stow_map names;               // of tokens
  STOW_ARRAY(MlirValue) values; // by name; null: a transfer
  STOW_ARRAY(int32_t) home;     // by name: the segment that makes it where it begins, or -1
  STOW_ARRAY(transfer) transfers;
  STOW_ARRAY(event) events;          // ascending
  size_t *first_event;               // by segment, and one more
  stow_index after, before, carried; // jumps by segment, before: segments; carried by jump
  stow_index home_names;             // by segment
  uint8_t *needs;                    // by segment: where it begins, per name
  bool *settled;                     // by name: where it is made
} root;

static uint8_t fewer(uint8_t a, uint8_t b) { return a < b ? a : b; }

static bool is_followed(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 &&
         !mlirOperationEqual(op, mlirBlockGetTerminator(mlirOperationGetBlock(op))) &&
         stow_ir_tells_control_flow(op, stow_op_facts(op));
}

// Whether a block is in the region, or inside of an op that is.
static bool region_holds(MlirRegion region, MlirBlock block) {
  for (;;) {
    if (mlirRegionEqual(mlirBlockGetParentRegion(block), region))
      return true;
    block = mlirOperationGetBlock(mlirBlockGetParentOperation(block));
    if (mlirBlockIsNull(block))
      return false;
  }
}

static bool block_holds(MlirBlock outer, MlirBlock block) {
  while (!mlirBlockIsNull(block) && !mlirBlockEqual(block, outer))
    block = mlirOperationGetBlock(mlirBlockGetParentOperation(block));
  return !mlirBlockIsNull(block);
}

static bool begins_region(MlirBlock block) {
  return mlirBlockEqual(mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)), block);
}

static MlirRegion root_around(MlirOperation op) {
  for (;;) {
    const MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
    op = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(mlirOperationGetParentOperation(op)) || !is_followed(op))
      return region;
  }
}

static int32_t segment_of(const root *r, int64_t position) {
  const size_t after = stow_ir_first_from(
      STOW_COLUMN(r->control.flow.segments.at, r->control.flow.segments.count, end), position + 1);
  assert(after < r->control.flow.segments.count);
  return (int32_t)after;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static int32_t add_name(root *r, MlirValue value, int32_t home) {
  STOW_PUSH(r->home, home);
  return (int32_t)STOW_PUSH(r->values, value);
}

static void name_token(root *r, MlirValue value, int32_t home) {
  if (stow_bridge_type_is_token(mlirValueGetType(value)))
    stow_map_add(&r->names, value.ptr, add_name(r, value, home));
}

static void name_results(root *r, MlirOperation op, int32_t home) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    name_token(r, mlirOperationGetResult(op, i), home);
}

static void name_transfer(root *r, MlirOperation op, int64_t position) {
  transfer t = {.position = position};
  if (!stow_ir_is(op, STOW_MEMREF_DMA_START))
    return;
  stow_ir_read_tag(op, &t.tag);
  t.name = add_name(r, (MlirValue){NULL}, -1);
  STOW_PUSH(r->transfers, t);
}

static void name_all(root *r) {
  for (size_t s = 0; s < r->control.flow.segments.count; ++s) {
    const stow_segment *segment = &r->control.flow.segments.at[s];
    if (!mlirOperationIsNull(segment->after))
      name_results(r, segment->after, (int32_t)s);
    else
      for (intptr_t i = 0, n = mlirBlockGetNumArguments(segment->block); i < n; ++i)
        name_token(r, mlirBlockGetArgument(segment->block, i), (int32_t)s);
  }
  for (size_t p = 0; p < r->control.ops.count; ++p) {
    const MlirOperation op = r->control.ops.at[p];
    stow_map_add(&r->positions, op.ptr, (int32_t)p);
    if (stow_map_get(&r->control.flow.starts, op.ptr) < 0)
      name_results(r, op, -1);
    name_transfer(r, op, (int64_t)p);
  }
  r->home_names =
      stow_index_of(STOW_NUMBERS(r->home.at, r->home.count), r->control.flow.segments.count);
}

static int32_t name_of(const root *r, MlirValue value) {
  return stow_map_get(&r->names, value.ptr);
}

//===----------------------------------------------------------------------===//
// Events of tokens
//===----------------------------------------------------------------------===//

static void add_event(root *r, int64_t position, event_kind kind, int32_t name, int32_t to) {
  if (name >= 0)
    STOW_PUSH(r->events, (event){position, kind, name, to});
}

static void read_results(root *r, MlirOperation op, int64_t position) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    const int32_t name = name_of(r, mlirOperationGetResult(op, i));
    add_event(r, position, MAKES, name, -1);
    if (stow_ir_is(op, STOW_NVGPU_CREATE_GROUP))
      add_event(r, position, COUNTS, name, -1);
  }
}

// How many of the newest groups a wait may leave pending.
static int32_t left_pending(MlirOperation wait) {
  if (!stow_ir_is(wait, STOW_NVGPU_WAIT) || !stow_ir_has_attribute(wait, "numGroups"))
    return 0;
  const int64_t count = mlirIntegerAttrGetValueInt(stow_attribute_of(wait, "numGroups"));
  return count < 0 || count >= NEVER ? NEVER : (int32_t)count;
}

// A copy of nvgpu, which is done with the group that it is added to. No wait for its own token is
// one for it.
static bool is_copy(MlirValue token) { return stow_ir_is_result_of(token, STOW_NVGPU_COPY); }

// The name that stands for the work of the op's tokens from here on, or -1.
static int32_t passed_to(const root *r, MlirOperation op) {
  if (stow_ir_is(op, STOW_ASYNC_ADD_TO_GROUP))
    return name_of(r, mlirOperationGetOperand(op, 1));
  return stow_ir_passes_token(op) ? name_of(r, stow_ir_token_of(op)) : -1;
}

static void read_operands(root *r, MlirOperation op, int64_t position) {
  const bool waits = waits_for_tokens(op, stow_ir_op_traits(op));
  const int32_t to = passed_to(r, op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    const MlirValue operand = mlirOperationGetOperand(op, i);
    const int32_t name = waits && is_copy(operand) ? -1 : name_of(r, operand);
    if (waits)
      add_event(r, position, WAITS, name, left_pending(op));
    else if (to >= 0 && to != name)
      add_event(r, position, PASSES, name, to);
  }
}

//===----------------------------------------------------------------------===//
// Events of transfers
//===----------------------------------------------------------------------===//

// Where a value of the root is made anew.
static int64_t position_of(const root *r, MlirValue value) {
  const stow_control *flow = &r->control.flow;
  const bool argument = mlirValueIsABlockArgument(value);
  const void *maker =
      argument ? mlirBlockArgumentGetOwner(value).ptr : mlirOpResultGetOwner(value).ptr;
  const int32_t segment = stow_map_get(&flow->starts, maker);
  if (segment >= 0)
    return flow->segments.at[segment].begin;
  return argument ? -1 : stow_map_get(&r->positions, maker);
}

// A transfer that goes on where what identifies it is made anew is known by that no longer.
static void read_own_operands(root *r, const transfer *t) {
  int64_t number;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(t->tag.op); i < n; ++i) {
    const MlirValue operand = mlirOperationGetOperand(t->tag.op, i);
    const int64_t position = position_of(r, operand);
    if (position >= 0 && stow_ir_identifies_transfer(&t->tag, i) &&
        !stow_ir_constant_of(operand, &number))
      add_event(r, position, LOSES, t->name, -1);
  }
}

static void read_use_of_tag(root *r, const transfer *t, MlirOperation user) {
  stow_tag other;
  const int32_t position = stow_map_get(&r->positions, user.ptr);
  if (position < 0 || !stow_ir_read_tag(user, &other))
    return;
  if (!stow_ir_is(user, STOW_MEMREF_DMA_WAIT) && !stow_ir_are_other_elements(&t->tag, &other))
    add_event(r, position, LOSES, t->name, -1);
  else if (stow_ir_is(user, STOW_MEMREF_DMA_WAIT) && stow_ir_waits_for_tag(&t->tag, &other))
    add_event(r, position, WAITS, t->name, 0);
}

// Whether an op may start transfers that are not seen.
static bool may_start_others(MlirOperation op) {
  stow_tag tag;
  if (is_followed(op) || stow_ir_read_tag(op, &tag))
    return false;
  STOW_EACH_OP_OF(inner, op) {
    const uint32_t facts = stow_op_facts(inner);
    if ((facts & STOW_OP_CALL) || !(facts & (STOW_OP_EFFECTS_KNOWN | STOW_OP_TERMINATOR)) ||
        stow_ir_is(inner, STOW_MEMREF_DMA_START))
      return true;
  }
  return false;
}

// Another tag may be the same memory, if it is not made here.
static void read_other_tags(root *r, const transfer *t) {
  STOW_EACH(const transfer, other, r->transfers)
    if (!mlirValueEqual(other->tag.memref, t->tag.memref) &&
        !stow_ir_are_other_elements(&t->tag, &other->tag))
      add_event(r, other->position, LOSES, t->name, -1);
  for (size_t p = 0; p < r->control.ops.count && mlirValueIsABlockArgument(t->tag.memref); ++p)
    if (may_start_others(r->control.ops.at[p]))
      add_event(r, (int64_t)p, LOSES, t->name, -1);
}

static void read_transfer(root *r, const transfer *t) {
  size_t uses = 0;
  read_own_operands(r, t);
  read_other_tags(r, t);
  STOW_EACH_USE(use, t->tag.memref)
    if (++uses <= STOW_TRANSFERS_MOST_USES)
      read_use_of_tag(r, t, mlirOpOperandGetOwner(use));
  add_event(r, t->position, MAKES, t->name, -1);
}

// Whether the tag is made in the root, or is an argument of its function.
static bool is_made_here(const root *r, MlirValue tag) {
  if (mlirValueIsAOpResult(tag))
    return stow_ir_is_local_allocation(tag) &&
           stow_map_get(&r->positions, mlirOpResultGetOwner(tag).ptr) >= 0;
  return stow_ir_is(mlirBlockGetParentOperation(stow_block_of(tag)), STOW_FUNC_FUNC) &&
         mlirBlockEqual(stow_block_of(tag), r->control.flow.segments.at[0].block);
}

// Whether a use in the root gives the tag no other name, and happens once at a time.
static bool is_plain_use(const root *r, MlirOperation user, MlirValue tag) {
  stow_tag seen;
  if (stow_map_get(&r->positions, user.ptr) < 0 ||
      !(stow_ir_read_tag(user, &seen) || stow_ir_is_dealloc(user) || stow_ir_is_marker(user)))
    return false;
  const MlirRegion region = mlirBlockGetParentRegion(stow_block_of(tag));
  for (MlirOperation op = user;
       !mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), region);
       op = mlirOperationGetParentOperation(op))
    if (stow_op_facts(mlirOperationGetParentOperation(op)) & STOW_OP_PARALLEL)
      return false;
  return true;
}

// Whether all transfers are seen that name the tag so: it is made here, and nothing else has it.
static bool is_own_tag(const root *r, MlirValue tag) {
  size_t uses = 0;
  if (!is_made_here(r, tag))
    return false;
  STOW_EACH_USE(use, tag)
    if (++uses > STOW_TRANSFERS_MOST_USES || !is_plain_use(r, mlirOpOperandGetOwner(use), tag))
      return false;
  return true;
}

// The transfers that may be of the same element as one whose waits are not certain.
static void doubt_alike(root *r, const transfer *t) {
  STOW_EACH(transfer, other, r->transfers)
    other->doubtful |= !stow_ir_are_other_elements(&t->tag, &other->tag);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static int by_position(const void *left, const void *right) {
  const event *a = left, *b = right;
  return stow_ir_then(
      stow_ir_then(STOW_COMPARE(a->position, b->position), STOW_COMPARE(a->kind, b->kind)),
      stow_ir_then(STOW_COMPARE(a->name, b->name), STOW_COMPARE(a->to, b->to)));
}

static void read_events(root *r) {
  for (size_t p = 0; p < r->control.ops.count; ++p) {
    const MlirOperation op = r->control.ops.at[p];
    read_operands(r, op, (int64_t)p);
    if (stow_map_get(&r->control.flow.starts, op.ptr) < 0)
      read_results(r, op, (int64_t)p);
  }
  if (r->transfers.count <= STOW_TRANSFERS_MOST_USES)
    STOW_EACH(const transfer, t, r->transfers)
      read_transfer(r, t);
  STOW_SORT(r->events, by_position);
  const size_t segments = r->control.flow.segments.count;
  r->first_event = stow_ir_allocate(segments + 1, sizeof *r->first_event);
  for (size_t s = 0; s < segments; ++s)
    r->first_event[s] = stow_ir_first_from(STOW_COLUMN(r->events.at, r->events.count, position),
                                           r->control.flow.segments.at[s].begin);
  r->first_event[segments] = r->events.count;
}

static void read_root(root *r, MlirRegion region) {
  stow_control_read(region, &r->control);
  const stow_control *flow = &r->control.flow;
  name_all(r);
  read_events(r);
  r->after = stow_jumps_from(flow->jumps.at, flow->jumps.count, flow->segments.count);
  r->before = stow_ir_predecessors_of(flow->jumps.at, flow->jumps.count, flow->segments.count);
  r->carried = stow_index_of(STOW_COLUMN(r->control.carried.at, r->control.carried.count, jump),
                             flow->jumps.count);
}

static void free_root(root *r) {
  stow_region_control_free(&r->control);
  stow_map_free(&r->positions);
  stow_map_free(&r->names);
  stow_index_free(&r->after);
  stow_index_free(&r->before);
  stow_index_free(&r->carried);
  stow_index_free(&r->home_names);
  free(r->values.at);
  free(r->home.at);
  free(r->transfers.at);
  free(r->events.at);
  free(r->first_event);
  free(r->needs);
  free(r->settled);
}

//===----------------------------------------------------------------------===//
// What is needed to be waited for
//===----------------------------------------------------------------------===//

// The operand that is carried, as a name, and what it becomes. Copies are not followed: what they
// become may be waited for where they are in no group.
static stow_jump carried_names(const root *r, int32_t jump, const stow_carried *carried) {
  const MlirOperation end = r->control.flow.segments.at[r->control.flow.jumps.at[jump].from].last;
  const MlirValue operand = mlirOperationGetOperand(end, carried->operand);
  return (stow_jump){is_copy(operand) ? -1 : name_of(r, operand), name_of(r, carried->target)};
}

// Adds what is needed where control takes the jump.
static void meet_jump(const root *r, int32_t jump, uint8_t *needs, uint8_t *scratch) {
  const int32_t to = r->control.flow.jumps.at[jump].to;
  const uint8_t *there = r->needs + (size_t)to * r->values.count;
  memcpy(scratch, there, r->values.count);
  STOW_EACH_OF(name, r->home_names, to)
    scratch[name] = NEVER;
  STOW_EACH_OF(c, r->carried, jump) {
    const stow_jump names = carried_names(r, jump, &r->control.carried.at[c]);
    if (names.from >= 0 && names.to >= 0)
      scratch[names.from] = fewer(scratch[names.from], there[names.to]);
  }
  for (size_t n = 0; n < r->values.count; ++n)
    needs[n] = scratch[n] > needs[n] ? scratch[n] : needs[n];
}

static void count_group(const root *r, int32_t group, uint8_t *needs) {
  for (size_t n = 0; n < r->values.count; ++n)
    if ((int32_t)n != group && needs[n] > 0 && needs[n] < NEVER)
      --needs[n];
}

static void pass_event(root *r, const event *e, uint8_t *needs) {
  switch (e->kind) {
  case COUNTS:
    count_group(r, e->name, needs);
    break;
  case PASSES:
    // Groups that are made before do not count for this one.
    if (needs[e->to] == 0)
      needs[e->name] = 0;
    break;
  case MAKES:
    r->settled[e->name] = needs[e->name] == 0;
    needs[e->name] = NEVER;
    break;
  case WAITS:
    needs[e->name] = fewer(needs[e->name], (uint8_t)e->to);
    break;
  case LOSES:
    needs[e->name] = NEVER;
    break;
  }
}

// From the end of the segment to its beginning. `ends`: control may leave the root from it.
static void pass_segment(root *r, int32_t segment, bool ends, uint8_t *needs, uint8_t *scratch) {
  const bool leaves = r->after.first[segment] == r->after.first[segment + 1];
  memset(needs, leaves || !ends ? NEVER : 0, r->values.count);
  STOW_EACH_OF(jump, r->after, segment)
    meet_jump(r, jump, needs, scratch);
  for (size_t e = r->first_event[segment + 1]; e-- > r->first_event[segment];)
    pass_event(r, &r->events.at[e], needs);
}

// By segment: whether control gets from it to an end of the root.
static bool *ending_segments(const root *r) {
  const size_t count = r->control.flow.segments.count;
  bool *ends = stow_ir_allocate(count, sizeof *ends);
  for (size_t s = 0; s < count; ++s)
    ends[s] = r->after.first[s] == r->after.first[s + 1];
  stow_ir_mark_reached(&r->before, count, ends);
  return ends;
}

// The fixpoint in which names need the least: mostly a round for each loop around another, and two.
static void solve(root *r) {
  const size_t count = r->control.flow.segments.count, names = r->values.count;
  bool *ends = ending_segments(r);
  uint8_t *needs = stow_ir_allocate(2 * names, 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = count; s-- > 0;) {
      uint8_t *before = r->needs + s * names;
      pass_segment(r, (int32_t)s, ends[s], needs, needs + names);
      changed |= memcmp(before, needs, names) != 0;
      memcpy(before, needs, names);
    }
  }
  free(needs);
  free(ends);
}

//===----------------------------------------------------------------------===//
// Which wait completes a transfer
//===----------------------------------------------------------------------===//

// Whether the value is surely defined where the op stands.
static bool is_defined_at(MlirOperation op, MlirValue value) {
  const MlirBlock block = stow_block_of(value);
  const MlirOperation there = stow_ir_op_in_block(block, op);
  if (!mlirOperationIsNull(there))
    return mlirValueIsABlockArgument(value) ||
           mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(value), there);
  return begins_region(block) &&
         region_holds(mlirBlockGetParentRegion(block), mlirOperationGetBlock(op));
}

static bool is_identified_at(MlirOperation op, const stow_tag *start) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(start->op); i < n; ++i)
    if (stow_ir_identifies_transfer(start, i) &&
        !is_defined_at(op, mlirOperationGetOperand(start->op, i)))
      return false;
  return true;
}

static void add_wait(root *r, MlirOperation wait, MlirOperation start) {
  STOW_PUSH(r->out->waits, (stow_wait_for){wait, start});
}

typedef struct following {
  root *root;
  transfer *of;
  bool *seen; // by segment
  STOW_ARRAY(int32_t) stack;
} following;

// False: the transfer is done there, or what waits for it is not certain.
static bool follow_event(following *f, const event *e) {
  const MlirOperation op = f->root->control.ops.at[e->position];
  if (e->name != f->of->name)
    return true;
  if (e->kind != WAITS || !is_identified_at(op, &f->of->tag))
    doubt_alike(f->root, f->of);
  else
    add_wait(f->root, op, f->of->tag.op);
  return false;
}

static void follow_segment(following *f, int32_t segment, int64_t from) {
  const root *r = f->root;
  for (size_t e = r->first_event[segment]; e < r->first_event[segment + 1]; ++e)
    if (r->events.at[e].position >= from && !follow_event(f, &r->events.at[e]))
      return;
  STOW_EACH_OF(jump, r->after, segment) {
    const int32_t to = r->control.flow.jumps.at[jump].to;
    if (!f->seen[to])
      STOW_PUSH(f->stack, to);
    f->seen[to] = true;
  }
}

static void follow_transfer(root *r, transfer *t) {
  following f = {.root = r, .of = t};
  f.seen = stow_ir_allocate(r->control.flow.segments.count, sizeof *f.seen);
  follow_segment(&f, segment_of(r, t->position), t->position + 1);
  while (f.stack.count > 0)
    follow_segment(&f, f.stack.at[--f.stack.count], 0);
  free(f.seen);
  free(f.stack.at);
}

static void settle_transfers(root *r) {
  STOW_EACH(transfer, t, r->transfers)
    if (!is_own_tag(r, t->tag.memref) || r->transfers.count > STOW_TRANSFERS_MOST_USES)
      doubt_alike(r, t);
    else
      follow_transfer(r, t);
  STOW_EACH(const transfer, t, r->transfers) {
    if (!r->settled[t->name] || t->doubtful)
      continue;
    const size_t work = STOW_PUSH(r->out->works, (stow_work){.start = t->tag.op});
    stow_map_add(&r->out->by_start, t->tag.op.ptr, (int32_t)work);
  }
}

//===----------------------------------------------------------------------===//
// Which waits complete the work of a token
//===----------------------------------------------------------------------===//

typedef struct tokens {
  root *root;
  stow_index passed, carried, waited; // by name: names; events
  uint32_t *seen;                     // by name: the last work that it was met for
  STOW_ARRAY(int32_t) stack;          // names that may stand for the work
  int64_t budget;
} tokens;

static stow_index passed_names(const root *r) {
  STOW_ARRAY(stow_jump) passed = {0};
  STOW_EACH(const event, e, r->events)
    if (e->kind == PASSES)
      STOW_PUSH(passed, (stow_jump){e->name, e->to});
  stow_index index = stow_ir_successors_of(passed.at, passed.count, r->values.count);
  free(passed.at);
  return index;
}

static stow_index all_carried_names(const root *r) {
  STOW_ARRAY(stow_jump) carried = {0};
  for (size_t j = 0; j < r->control.flow.jumps.count; ++j)
    STOW_EACH_OF(c, r->carried, j) {
      const stow_jump names = carried_names(r, (int32_t)j, &r->control.carried.at[c]);
      if (names.from >= 0 && names.to >= 0)
        STOW_PUSH(carried, names);
    }
  stow_index index = stow_ir_successors_of(carried.at, carried.count, r->values.count);
  free(carried.at);
  return index;
}

static stow_index waits_by_name(const root *r) {
  int32_t *names = stow_ir_allocate(r->events.count, sizeof *names);
  for (size_t e = 0; e < r->events.count; ++e)
    names[e] = r->events.at[e].kind == WAITS ? r->events.at[e].name : -1;
  stow_index index = stow_index_of(STOW_NUMBERS(names, r->events.count), r->values.count);
  free(names);
  return index;
}

static void meet(tokens *t, int32_t name, uint32_t round) {
  --t->budget;
  if (t->seen[name] != round)
    STOW_PUSH(t->stack, name);
  t->seen[name] = round;
}

static MlirBlock block_around(MlirBlock block, MlirBlock other) {
  while (!region_holds(mlirBlockGetParentRegion(block), other))
    block = mlirOperationGetBlock(mlirBlockGetParentOperation(block));
  return block;
}

static void reach_block(stow_work *work, MlirBlock block) {
  work->reach = block_around(work->reach, block);
  while (!block_holds(work->inside, block))
    work->inside = mlirOperationGetBlock(mlirBlockGetParentOperation(work->inside));
}

// An argument that jumps give may stand for work of an execution of its block before this one.
static void reach_name(stow_work *work, MlirValue name) {
  const MlirBlock block = stow_block_of(name);
  reach_block(work, block);
  while (mlirValueIsABlockArgument(name) && !begins_region(block) &&
         region_holds(mlirBlockGetParentRegion(block), work->inside))
    work->inside = mlirOperationGetBlock(mlirBlockGetParentOperation(work->inside));
}

static void settle_work(tokens *t, int32_t name, uint32_t round) {
  root *r = t->root;
  const MlirOperation start = mlirOpResultGetOwner(r->values.at[name]);
  const MlirBlock home = mlirOperationGetBlock(start);
  stow_work work = {.start = start, .reach = home, .inside = home};
  t->stack.count = 0;
  meet(t, name, round);
  for (size_t i = 0; i < t->stack.count; ++i) {
    const int32_t at = t->stack.at[i];
    reach_name(&work, r->values.at[at]);
    work.renamed |= t->carried.first[at] < t->carried.first[at + 1] ||
                    stow_ir_is_result_of(r->values.at[at], STOW_ASYNC_CREATE_GROUP);
    STOW_EACH_OF(to, t->passed, at)
      meet(t, to, round);
    STOW_EACH_OF(to, t->carried, at)
      meet(t, to, round);
    STOW_EACH_OF(e, t->waited, at)
      add_wait(r, r->control.ops.at[r->events.at[e].position], start);
  }
  stow_map_add(&r->out->by_start, start.ptr, (int32_t)STOW_PUSH(r->out->works, work));
}

static bool starts(const root *r, int32_t name) {
  const MlirValue value = r->values.at[name];
  return !mlirValueIsNull(value) && r->home.at[name] < 0 && r->settled[name] &&
         stow_ir_passes_token(mlirOpResultGetOwner(value)) &&
         mlirValueEqual(stow_ir_token_of(mlirOpResultGetOwner(value)), value);
}

static void settle_tokens(root *r) {
  tokens t = {.root = r,
              .passed = passed_names(r),
              .carried = all_carried_names(r),
              .waited = waits_by_name(r),
              .seen = stow_ir_allocate(r->values.count, sizeof *t.seen),
              .budget = STOW_COMPLETION_MOST_STEPS};
  for (size_t n = 0; n < r->values.count && t.budget > 0; ++n)
    if (starts(r, (int32_t)n))
      settle_work(&t, (int32_t)n, (uint32_t)n + 1);
  stow_index_free(&t.passed);
  stow_index_free(&t.carried);
  stow_index_free(&t.waited);
  free(t.seen);
  free(t.stack.at);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

static int64_t position_of_wait(const root *r, const stow_wait_for *w) {
  return stow_map_get(&r->positions, w->wait.ptr);
}

static void keep_settled(stow_completions *c, size_t first) {
  size_t kept = first;
  for (size_t i = first; i < c->waits.count; ++i)
    if (stow_map_get(&c->by_start, c->waits.at[i].start.ptr) >= 0)
      c->waits.at[kept++] = c->waits.at[i];
  c->waits.count = kept;
}

// Those of one wait follow each other, in the order of their starts.
static void index_waits(root *r, size_t first) {
  stow_completions *c = r->out;
  keep_settled(c, first);
  const size_t count = c->waits.count - first;
  int32_t *positions = stow_ir_allocate(count, sizeof *positions);
  for (size_t i = 0; i < count; ++i)
    positions[i] = (int32_t)position_of_wait(r, &c->waits.at[first + i]);
  stow_index by_position = stow_index_of(STOW_NUMBERS(positions, count), r->control.ops.count);
  stow_wait_for *sorted = stow_ir_allocate(count, sizeof *sorted);
  for (size_t i = 0; i < count; ++i)
    sorted[i] = c->waits.at[first + (size_t)by_position.items[i]];
  for (size_t i = 0; i < count; ++i) {
    c->waits.at[first + i] = sorted[i];
    if (i == 0 || !mlirOperationEqual(sorted[i - 1].wait, sorted[i].wait))
      stow_map_add(&c->by_wait, sorted[i].wait.ptr, (int32_t)(first + i));
  }
  stow_index_free(&by_position);
  free(sorted);
  free(positions);
}

static void settle_root(stow_completions *c, MlirRegion region) {
  root r = {.out = c};
  const size_t first = c->waits.count;
  read_root(&r, region);
  r.settled = stow_ir_allocate(r.values.count, sizeof *r.settled);
  if (r.values.count * r.control.flow.segments.count <= STOW_COMPLETION_MOST_NEEDS) {
    r.needs = stow_ir_allocate(r.values.count * r.control.flow.segments.count, sizeof *r.needs);
    solve(&r);
    settle_transfers(&r);
    settle_tokens(&r);
    index_waits(&r, first);
  }
  free_root(&r);
}

static void look_around(stow_completions *c, MlirOperation op) {
  const MlirRegion region = root_around(op);
  if (stow_map_note(&c->roots, region.ptr))
    settle_root(c, region);
}

static const stow_work *work_of(stow_completions *c, MlirOperation start) {
  if (!stow_ir_passes_token(start) && !stow_ir_is(start, STOW_MEMREF_DMA_START))
    return NULL;
  look_around(c, start);
  const int32_t work = stow_map_get(&c->by_start, start.ptr);
  return work < 0 ? NULL : &c->works.at[work];
}

bool stow_ir_is_settled(stow_completions *completions, MlirOperation start) {
  return work_of(completions, start) != NULL;
}

bool stow_ir_is_settled_with(stow_completions *completions, MlirOperation start, MlirValue buffer) {
  const stow_work *work = work_of(completions, start);
  if (!work || !work->renamed)
    return work != NULL;
  const MlirBlock block = stow_block_of(buffer);
  const MlirRegion region = mlirBlockGetParentRegion(block);
  return region_holds(region, work->inside) ||
         (begins_region(block) && region_holds(region, work->reach));
}

const stow_wait_for *stow_ir_waited_for(stow_completions *c, MlirOperation wait, stow_traits traits,
                                        size_t *out_count) {
  *out_count = 0;
  if (!waits_for_tokens(wait, traits))
    return NULL;
  look_around(c, wait);
  const int32_t first = stow_map_get(&c->by_wait, wait.ptr);
  if (first < 0)
    return NULL;
  size_t end = (size_t)first;
  while (end < c->waits.count && mlirOperationEqual(c->waits.at[end].wait, wait))
    ++end;
  *out_count = end - (size_t)first;
  return &c->waits.at[first];
}
