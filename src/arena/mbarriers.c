//===- mbarriers.c - loads whose end an mbarrier tells ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the kernel's ops keeps for each element whether a round is on its way, and the
// parity of the number of rounds before. All threads run the sequences that it enters alike, so
// both are the same in all of them. What a loop does to an element it must do to what it leaves,
// too: an iteration begins as the one before has ended.
//
//===----------------------------------------------------------------------===//

#include "arena/limits.h"
#include "arena/workgroup.h"
#include "ir/bytes.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

enum { UNKNOWN = -1 };

// A value of one bit, or what it is not; or a constant, where there is no value.
typedef struct parity {
  const void *value;
  bool turned;
} parity;

typedef struct element {
  const void *group;
  int64_t index;
  bool lost;      // it is used in a way that is not understood
  int64_t made;   // position of its init, or UNKNOWN
  parity now;     // of the number of rounds that have ended
  bool on_way;    // a round is on its way, which has:
  MlirBlock home; // all of it, or null: control has left that
  const void *predicate;
  bool arrived;
  int64_t expected, bytes;
  int64_t last_wait;
  int32_t use_count, event_count; // all uses but the init, and those met
} element;

// What an element was at the beginning of a loop.
typedef struct entry {
  element before;
  parity inside;  // the parity there in each iteration
  parity given;   // what its value is given for the next one
  MlirValue left; // and what it is behind the loop, or null: the parity is the same
} entry;

typedef struct walk {
  const stow_kernel *kernel;
  const stow_steps *steps;
  int32_t sequence; // around the op at hand
  int32_t next;     // that has not begun
  STOW_ARRAY(element) elements;
  STOW_ARRAY(entry) entries; // as many per sequence as there are elements
  stow_map loads;            // their elements
} walk;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

// What of an op of an mbarrier names its element, and under which condition it runs.
typedef struct naming {
  MlirValue group, index;
  const void *predicate;
} naming;

static const void *operand_or_null(MlirOperation op, intptr_t index) {
  return index < mlirOperationGetNumOperands(op) ? mlirOperationGetOperand(op, index).ptr : NULL;
}

// The descriptor, the coordinates, and then the index.
static naming naming_of_load(MlirOperation op) {
  enum { COORDINATES = 3, PREDICATE = 6 };
  const MlirAttribute segments = stow_attribute_of(op, "operandSegmentSizes");
  const intptr_t index = COORDINATES + mlirDenseI32ArrayGetElement(segments, COORDINATES);
  const bool predicated = mlirDenseI32ArrayGetElement(segments, PREDICATE) > 0;
  return (naming){mlirOperationGetOperand(op, 1), mlirOperationGetOperand(op, index),
                  predicated ? operand_or_null(op, mlirOperationGetNumOperands(op) - 1) : NULL};
}

static bool is_shared_with_others(MlirOperation load) {
  enum { MULTICAST = 5 };
  const MlirAttribute segments = stow_attribute_of(load, "operandSegmentSizes");
  return mlirDenseI32ArrayGetElement(segments, MULTICAST) > 0;
}

static bool read_naming(MlirOperation op, naming *out) {
  if (stow_ir_is(op, STOW_NVGPU_TMA_LOAD))
    *out = naming_of_load(op);
  else if (stow_ir_is(op, STOW_NVGPU_MBARRIER_INIT) || stow_ir_is(op, STOW_NVGPU_MBARRIER_EXPECT))
    *out = (naming){mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 2),
                    operand_or_null(op, 3)};
  else if (stow_ir_is(op, STOW_NVGPU_MBARRIER_WAIT))
    *out = (naming){mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 3), NULL};
  else
    return false;
  return true;
}

// Bytes of all elements, or UNKNOWN.
static int64_t bytes_of(const walk *w, MlirType tile) {
  int64_t bytes;
  if (!mlirTypeIsAMemRef(tile) || !mlirShapedTypeHasStaticShape(tile) ||
      !stow_ir_element_bytes(&w->kernel->flow->layout, tile, &bytes))
    return UNKNOWN;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(tile); i < rank; ++i)
    if (__builtin_mul_overflow(bytes, mlirShapedTypeGetDimSize(tile, i), &bytes))
      return UNKNOWN;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Parities
//===----------------------------------------------------------------------===//

static parity parity_of(MlirValue value) {
  parity p = {.value = value.ptr};
  int64_t number;
  for (int steps = 0; steps < STOW_PARITY_MOST_STEPS; ++steps) {
    if (stow_ir_constant_of(value, &number))
      return (parity){NULL, p.turned ^ (number & 1)};
    p.value = value.ptr;
    if (!stow_ir_is_result_of(value, STOW_ARITH_XORI) ||
        !stow_ir_constant_of(mlirOperationGetOperand(mlirOpResultGetOwner(value), 1), &number))
      return p;
    p.turned ^= number & 1;
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  }
  return p;
}

static bool are_same(parity a, parity b) { return a.value == b.value && a.turned == b.turned; }

// A value of the loop that is the parity when it begins, and is given another one by each
// iteration.
static bool is_carried(MlirOperation loop, intptr_t i, entry *e) {
  enum { BOUNDS = 3 };
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  const MlirValue argument = mlirBlockGetArgument(body, i + 1);
  if (!stow_ir_is_bit(argument))
    return false;
  const parity first = parity_of(mlirOperationGetOperand(loop, i + BOUNDS));
  const parity same = {.value = argument.ptr};
  e->given = parity_of(mlirOperationGetOperand(mlirBlockGetTerminator(body), i));
  e->inside = (parity){argument.ptr, first.turned ^ e->before.now.turned};
  return first.value == e->before.now.value && e->given.value && !are_same(e->given, same);
}

static void enter(entry *e, MlirOperation loop) {
  e->inside = e->before.now;
  e->left = (MlirValue){NULL};
  if (!stow_ir_is(loop, STOW_SCF_FOR))
    return;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(loop); i < n && !e->left.ptr; ++i)
    if (is_carried(loop, i, e))
      e->left = mlirOperationGetResult(loop, i);
    else
      e->inside = e->before.now;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static const stow_sequence *sequence_of(const walk *w) {
  return &w->steps->sequences.at[w->sequence];
}

// Whether an op, or a conditional around it, is passed in each run of the sequence.
static bool is_of_sequence(const walk *w, MlirOperation op, int64_t position) {
  while (!stow_arena_is_passed_in(w->kernel, sequence_of(w), op, position)) {
    op = mlirOperationGetParentOperation(op);
    if (!stow_ir_is(op, STOW_SCF_IF))
      return false;
  }
  return true;
}

static bool is_complete(const element *e) { return e->arrived && e->bytes == e->expected; }

static void make(walk *w, element *e, MlirOperation init, int64_t position) {
  int64_t count;
  e->lost |= e->made != UNKNOWN || e->event_count > 0 || w->sequence != 0 ||
             !is_of_sequence(w, init, position) ||
             !stow_ir_constant_of(mlirOperationGetOperand(init, 1), &count) || count != 1;
  e->made = position;
}

// A part of the round that is on its way, or begins with it.
static void join_round(walk *w, element *e, MlirOperation op, int64_t position,
                       const void *predicate) {
  const MlirBlock block = mlirOperationGetBlock(op);
  if (!e->on_way) {
    e->on_way = true;
    e->home = block;
    e->predicate = predicate;
    e->arrived = false;
    e->expected = e->bytes = 0;
  }
  e->lost |= !mlirBlockEqual(e->home, block) || e->predicate != predicate ||
             !is_of_sequence(w, op, position);
}

static void load(walk *w, element *e, MlirOperation op) {
  const int64_t bytes = bytes_of(w, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  e->lost |= bytes == UNKNOWN || is_shared_with_others(op) ||
             __builtin_add_overflow(e->bytes, bytes, &e->bytes);
}

static void arrive(element *e, MlirOperation op) {
  e->lost |= e->arrived || !stow_ir_constant_of(mlirOperationGetOperand(op, 1), &e->expected);
  e->arrived = true;
}

static void wait_for_round(walk *w, element *e, MlirOperation op, int64_t position) {
  e->lost |= !e->on_way || !is_complete(e) ||
             !stow_arena_is_passed_in(w->kernel, sequence_of(w), op, position) ||
             !are_same(parity_of(mlirOperationGetOperand(op, 1)), e->now);
  e->on_way = false;
  e->now.turned ^= true;
  e->last_wait = position;
}

static void take_part(walk *w, element *e, MlirOperation op, int64_t position,
                      const void *predicate) {
  ++e->event_count;
  e->lost |=
      e->made == UNKNOWN || !stow_arena_are_in_steps(&w->steps->sequences.at[0], e->made, position);
  if (stow_ir_is(op, STOW_NVGPU_MBARRIER_WAIT)) {
    wait_for_round(w, e, op, position);
    return;
  }
  join_round(w, e, op, position, predicate);
  if (stow_ir_is(op, STOW_NVGPU_TMA_LOAD))
    load(w, e, op);
  else
    arrive(e, op);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static element *find_element(walk *w, const naming *n, bool adds) {
  int64_t index;
  if (!stow_ir_constant_of(n->index, &index))
    return NULL;
  STOW_EACH(element, e, w->elements)
    if (e->group == n->group.ptr && e->index == index)
      return e;
  if (!adds || w->elements.count == STOW_MBARRIERS_MOST)
    return NULL;
  const size_t at = STOW_PUSH(
      w->elements,
      (element){.group = n->group.ptr, .index = index, .made = UNKNOWN, .last_wait = UNKNOWN});
  return &w->elements.at[at];
}

// Threads that tell that they are done with something, such as consumers of a tile: the end of no
// load follows from such an element, but its neighbours in the group may tell some.
static bool read_arrival(MlirOperation op, naming *out) {
  if (!stow_ir_is(op, STOW_NVGPU_MBARRIER_ARRIVE))
    return false;
  *out = (naming){mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1), NULL};
  return true;
}

// Of a group all of whose uses name an element.
static void add_elements(walk *w, MlirOperation create) {
  const size_t first = w->elements.count;
  const MlirValue group = mlirOperationGetResult(create, 0);
  bool all = true;
  STOW_EACH_USE(use, group) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    naming n;
    const bool arrives = read_arrival(op, &n);
    element *e = (arrives || read_naming(op, &n)) && mlirValueEqual(n.group, group)
                     ? find_element(w, &n, true)
                     : NULL;
    all &= e != NULL;
    if (e && !stow_ir_is(op, STOW_NVGPU_MBARRIER_INIT))
      ++e->use_count;
    if (e)
      e->lost |= arrives;
  }
  if (!all)
    w->elements.count = first;
}

static void list_elements(walk *w) {
  const stow_flow *flow = w->kernel->flow;
  const stow_nest *nest = &flow->nests.at[w->kernel->scope->nest];
  for (int64_t p = nest->begin; p < nest->end; ++p)
    if (stow_ir_is(flow->ops.at[p], STOW_NVGPU_MBARRIER_CREATE) &&
        mlirOperationEqual(mlirOperationGetParentOperation(flow->ops.at[p]), w->kernel->scope->op))
      add_elements(w, flow->ops.at[p]);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static void begin_loop(walk *w, MlirOperation loop) {
  w->sequence = w->next++;
  STOW_EACH(element, e, w->elements) {
    entry now = {.before = *e};
    enter(&now, loop);
    STOW_PUSH(w->entries, now);
    e->now = now.inside;
    e->home = (MlirBlock){NULL};
  }
}

// The next iteration begins with the parity that this one has ended with.
static void leave_loop(element *e, const entry *was, bool passed) {
  if (e->event_count == was->before.event_count) {
    *e = was->before;
    return;
  }
  parity next = was->inside;
  if (was->left.ptr)
    next = (parity){was->given.value, was->given.turned ^ was->inside.turned};
  e->lost |= !passed || e->on_way != was->before.on_way || (e->on_way && !is_complete(e)) ||
             !are_same(e->now, next);
  e->now = was->left.ptr ? (parity){was->left.ptr, was->inside.turned} : was->before.now;
  e->home = (MlirBlock){NULL};
}

static void end_loop(walk *w, int64_t position) {
  const size_t first = w->entries.count - w->elements.count;
  const MlirOperation loop = sequence_of(w)->op;
  w->sequence = sequence_of(w)->parent;
  const bool passed = stow_arena_is_passed_in(w->kernel, sequence_of(w), loop, position);
  for (size_t i = 0; i < w->elements.count; ++i)
    leave_loop(&w->elements.at[i], &w->entries.at[first + i], passed);
  w->entries.count = first;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

// What threads have written is not what a load finds there, unless a fence comes in between.
static bool is_fence(MlirOperation op) {
  if (!stow_ir_is(op, STOW_NVVM_FENCE_PROXY))
    return false;
  const MlirAttribute kind = stow_attribute_of(op, "kind");
  static const char *const kinds[] = {"#nvvm.proxy_kind<async>", "#nvvm.proxy_kind<async.shared>"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (mlirAttributeEqual(
            kind, mlirAttributeParseGet(mlirOperationGetContext(op), stow_ir_string(kinds[i]))))
      return true;
  return false;
}

static bool is_used_between(const stow_flow *flow, int64_t begin, int64_t end) {
  STOW_EACH(const stow_use, use, flow->uses)
    if (use->begin < end && use->end > begin)
      return true;
  return false;
}

// Notes where all threads have passed a fence and a barrier, and used no buffer in between.
static void pass_fence(const walk *w, MlirOperation op, int64_t position, stow_mbarriers *out) {
  const stow_sequence *kernel = &w->steps->sequences.at[0];
  if (w->sequence != 0 || !is_fence(op) ||
      !stow_arena_is_passed_in(w->kernel, kernel, op, position))
    return;
  for (size_t i = 0; i < kernel->ends.count; ++i) {
    const int64_t end = kernel->ends.at[i].position;
    if (end > position && kernel->ends.at[i].from <= position) {
      if (!is_used_between(w->kernel->flow, position, end))
        STOW_PUSH(out->after_fence, end + 1);
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void pass(walk *w, MlirOperation op, int64_t position) {
  naming n;
  element *e = read_naming(op, &n) ? find_element(w, &n, false) : NULL;
  if (e && stow_ir_is(op, STOW_NVGPU_MBARRIER_INIT))
    make(w, e, op, position);
  else if (e)
    take_part(w, e, op, position, n.predicate);
  if (e && stow_ir_is(op, STOW_NVGPU_TMA_LOAD))
    stow_map_add(&w->loads, op.ptr, (int32_t)(e - w->elements.at));
}

// Work on a buffer, and what gives its address to such.
static bool is_start(MlirOperation op) {
  static const stow_op_kind starts[] = {STOW_NVGPU_TMA_LOAD, STOW_NVGPU_TMA_STORE,
                                        STOW_NVGPU_COPY,     STOW_NVGPU_WGMMA_DESCRIPTOR,
                                        STOW_MEMREF_POINTER, STOW_BUILTIN_CAST};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
    if (stow_ir_is(op, starts[i]))
      return true;
  return false;
}

static void note_start(MlirOperation op, int64_t position, stow_mbarriers *out) {
  out->remote |= !stow_arena_is_local(op);
  const bool others = stow_ir_is(op, STOW_NVGPU_TMA_LOAD) && is_shared_with_others(op);
  if (is_start(op) && !others && stow_map_get(&out->of_start, op.ptr) < 0)
    stow_map_add(&out->of_start, op.ptr, (int32_t)STOW_PUSH(out->starts, position));
}

static void pass_all(walk *w, stow_mbarriers *out) {
  const stow_flow *flow = w->kernel->flow;
  const stow_nest *nest = &flow->nests.at[w->kernel->scope->nest];
  for (int64_t p = nest->begin; p < nest->end; ++p) {
    const MlirOperation op = flow->ops.at[p];
    if (mlirOperationEqual(op, sequence_of(w)->op))
      end_loop(w, p);
    else if ((size_t)w->next < w->steps->sequences.count &&
             mlirOperationEqual(op, w->steps->sequences.at[w->next].op))
      begin_loop(w, op);
    else
      pass(w, op, p);
    note_start(op, p, out);
    pass_fence(w, op, p, out);
  }
}

// All of its uses must have been met, on the ways that threads take.
static bool is_settled(const element *e) {
  return !e->lost && !e->on_way && e->event_count == e->use_count;
}

static void keep_settled(walk *w, stow_mbarriers *out) {
  STOW_EACH(const element, e, w->elements)
    STOW_PUSH(out->last_waits, is_settled(e) ? e->last_wait : UNKNOWN);
  out->of_load = w->loads;
}

stow_mbarriers stow_mbarriers_of(const stow_kernel *kernel, const stow_steps *steps) {
  walk w = {.kernel = kernel, .steps = steps, .next = 1};
  stow_mbarriers out = {0};
  if (!mlirOperationIsNull(steps->divergent))
    return out;
  list_elements(&w);
  pass_all(&w, &out);
  keep_settled(&w, &out);
  free(w.elements.at);
  free(w.entries.at);
  return out;
}

//===----------------------------------------------------------------------===//
// Buffers that are loaded to
//===----------------------------------------------------------------------===//

typedef struct names {
  const stow_names_used *used;
  stow_map seen;
  STOW_ARRAY(int32_t) todo;
} names;

static void add_name(names *all, int32_t value) {
  if (stow_map_note(&all->seen, &all->used->flow->values.at[value]))
    STOW_PUSH(all->todo, value);
}

// What tells how the memory is aligned that an op is given, or -1.
static intptr_t map_operand(MlirOperation op) {
  if (stow_ir_is(op, STOW_NVGPU_TMA_LOAD))
    return 2;
  return stow_ir_is(op, STOW_NVGPU_TMA_STORE) || stow_ir_is(op, STOW_NVGPU_WGMMA_DESCRIPTOR) ? 1
                                                                                             : -1;
}

// Only copies are ordered with what threads write by a barrier alone.
static void begin_work(MlirOperation op, int64_t position, stow_loads *out) {
  const intptr_t map = map_operand(op);
  out->first = stow_ir_earlier(out->first, position);
  out->fenced |= !stow_ir_is(op, STOW_NVGPU_COPY);
  if (map >= 0)
    out->alignment = stow_ir_larger(out->alignment, stow_bridge_tma_alignment(mlirValueGetType(
                                                        mlirOperationGetOperand(op, map))));
}

// A load whose wait is known, or work that goes on to the end of the kernel.
static bool add_work(const stow_mbarriers *m, const stow_kernel *kernel, const stow_escape *escape,
                     stow_loads *out) {
  const int32_t start = stow_map_get(&m->of_start, escape->op.ptr);
  const bool named = escape->reason == STOW_POINTER && !m->remote;
  if ((escape->reason != STOW_ASYNC && !named) || start < 0)
    return false;
  const int32_t by = stow_map_get(&m->of_load, escape->op.ptr);
  const bool known = by >= 0 && m->last_waits.at[by] != UNKNOWN;
  if (!known)
    out->endless = escape->op;
  const int64_t end = kernel->flow->nests.at[kernel->scope->nest].end - 1;
  out->last = stow_ir_later(out->last, known ? m->last_waits.at[by] : end);
  begin_work(escape->op, m->starts.at[start], out);
  return true;
}

static bool is_loaded_by_name(const stow_mbarriers *m, const stow_kernel *kernel, names *all,
                              int32_t name, stow_loads *out) {
  const stow_flow *flow = all->used->flow;
  STOW_EACH_OF(escape, all->used->escapes, name)
    if (!add_work(m, kernel, &flow->escapes.at[escape], out))
      return false;
  STOW_EACH_OF(target, all->used->flow->targets, name)
    add_name(all, target);
  return !flow->values.at[name].token || !mlirOperationIsNull(out->endless);
}

// A region of which it is not known when it runs keeps what enters it.
static bool has_opaque_nest(const stow_kernel *kernel) {
  const stow_nest *around = &kernel->flow->nests.at[kernel->scope->nest];
  STOW_EACH(const stow_nest, nest, kernel->flow->nests)
    if ((nest->flags & STOW_NEST_OPAQUE) && nest->begin >= around->begin &&
        nest->end <= around->end)
      return true;
  return false;
}

static int64_t begin_of(const stow_mbarriers *m, const stow_kernel *kernel, int64_t first) {
  int64_t begin = kernel->flow->nests.at[kernel->scope->nest].begin;
  STOW_EACH_ITEM(int64_t, after, m->after_fence)
    if (after <= first)
      begin = after;
  return begin;
}

bool stow_arena_is_loaded(const stow_mbarriers *mbarriers, const stow_names_used *used,
                          const stow_kernel *kernel, int32_t value, int64_t first,
                          stow_loads *out) {
  names all = {.used = used};
  bool loaded = mbarriers->starts.count > 0 && !has_opaque_nest(kernel);
  *out = (stow_loads){.first = first, .last = UNKNOWN};
  if (loaded)
    add_name(&all, value);
  while (all.todo.count > 0 && loaded)
    loaded = is_loaded_by_name(mbarriers, kernel, &all, all.todo.at[--all.todo.count], out);
  out->begin = out->fenced ? begin_of(mbarriers, kernel, out->first) : out->first;
  free(all.todo.at);
  stow_map_free(&all.seen);
  return loaded && out->last != UNKNOWN;
}

void stow_mbarriers_free(stow_mbarriers *mbarriers) {
  stow_map_free(&mbarriers->of_load);
  stow_map_free(&mbarriers->of_start);
  free(mbarriers->starts.at);
  free(mbarriers->last_waits.at);
  free(mbarriers->after_fence.at);
  *mbarriers = (stow_mbarriers){0};
}
