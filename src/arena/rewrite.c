//===- rewrite.c - one alloc per arena, a view per buffer -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires verified plans and final reasons. Each activation of a scope has its own arena. The
// arena lives no longer than necessary (lifetime.h), so that a late result, or a recursive call,
// need not be alive together with it.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/framed.h"
#include "arena/hoist.h"
#include "arena/lifetime.h"
#include "arena/renew.h"
#include "arena/workgroup.h"
#include "ir/buffers.h"
#include "ir/build.h"
#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The byte a slice is filled with outside lives: as an f32 a number no one computes, as an index
// far out of bounds.
enum { POISON = 0xA5 };

typedef struct rewrite {
  const stow_arenas *arenas;
  const stow_arena *arena;
  const stow_function_memory *function;
  const stow_scope *scope;
  MlirRegion region;   // where the arena is made and freed
  MlirOperation after; // in a region of one block: the op after the last planned life; or null
  stow_builder builder;
  MlirValue memory; // the arena
  MlirValue start;  // its first byte that is used, or null for 0
  stow_constants constants;
  stow_dominance *dominance; // of a function with dynamic arenas
  MlirValue *offsets;        // of a dynamic arena, per planned member; NULL: as planned
  MlirValue *memories;       // of one taken together with others: where each member lies, or null
  MlirValue any_bytes;       // the arena, of an unknown size; or null
  MlirValue bytes;           // its size
  stow_emitter emitter;
  MlirOperation *homes; // of workgroup memory (workgroup.h); else NULL
  MlirType token;       // of a device's arena with buffers of streams; else null
} rewrite;

//===----------------------------------------------------------------------===//
// Offsets that are computed
//===----------------------------------------------------------------------===//

// One of two offsets, as an op.
typedef struct select_made {
  MlirValue bit, yes, no, value;
  int32_t next; // another one with the same `yes`, or -1
} select_made;

// Each once, as many members lie at the same offsets.
typedef struct selects {
  stow_map first; // of a `yes`: an index of `made`
  STOW_ARRAY(select_made) made;
} selects;

static MlirValue select_offset(selects *s, const stow_builder *builder, MlirValue bit,
                               MlirValue yes, MlirValue no) {
  if (mlirValueEqual(yes, no))
    return no;
  const int32_t first = stow_map_get(&s->first, yes.ptr);
  for (int32_t i = first; i >= 0; i = s->made.at[i].next)
    if (mlirValueEqual(s->made.at[i].bit, bit) && mlirValueEqual(s->made.at[i].no, no))
      return s->made.at[i].value;
  const MlirValue value = stow_ir_build_select(builder, bit, yes, no);
  if (first < 0)
    stow_map_add(&s->first, yes.ptr, (int32_t)s->made.count);
  STOW_PUSH(s->made, (select_made){bit, yes, no, value, -1});
  if (first >= 0) {
    const int32_t second = s->made.at[first].next;
    s->made.at[first].next = (int32_t)s->made.count - 1;
    s->made.at[s->made.count - 1].next = second;
  }
  return value;
}

// Which of several stackings is the smallest: a bit for each but the last, of which the first that
// is set counts. Gives the smallest size.
static MlirValue compare_sizes(stow_emitter *emitter, const stow_arena *arena, MlirValue *bits) {
  const size_t count = arena->stackings.count;
  MlirValue least = stow_ir_emit(emitter, arena->stackings.at[0].size);
  for (size_t k = 1; k < count; ++k)
    least = stow_ir_build_binary(&emitter->builder, STOW_ARITH_MINUI, least,
                                 stow_ir_emit(emitter, arena->stackings.at[k].size));
  for (size_t k = 0; k + 1 < count; ++k)
    bits[k] = stow_ir_build_compare(&emitter->builder, STOW_EQUAL,
                                    stow_ir_emit(emitter, arena->stackings.at[k].size), least);
  return least;
}

// Member `i`'s offset in the stacking that is taken.
static MlirValue compute_offset(stow_emitter *emitter, selects *made, const stow_arena *arena,
                                const MlirValue *bits, size_t i) {
  const size_t last = arena->stackings.count - 1;
  MlirValue offset = stow_ir_emit(emitter, arena->stackings.at[last].at[i]);
  for (size_t k = last; k-- > 0;)
    offset = select_offset(made, &emitter->builder, bits[k],
                           stow_ir_emit(emitter, arena->stackings.at[k].at[i]), offset);
  return offset;
}

static void compute_members(rewrite *r, stow_emitter *emitter, const MlirValue *bits) {
  selects made = {0};
  r->offsets = stow_ir_allocate(r->arena->planned_count, sizeof *r->offsets);
  for (size_t i = 0; i < r->arena->planned_count; ++i)
    r->offsets[i] = compute_offset(emitter, &made, r->arena, bits, i);
  stow_map_free(&made.first);
  free(made.made.at);
}

// Of a dynamic arena, where the builder stands: in front of it, or behind what it is given in.
static void compute_offsets(rewrite *r) {
  const stow_arena *arena = r->arena;
  if (arena->stackings.count == 0)
    return;
  r->emitter = (stow_emitter){.extents = r->function->extents,
                              .builder = r->builder,
                              .dominance = r->dominance,
                              .constants = &r->constants};
  if (r->offsets) // where the first of several arenas is made
    return;
  MlirValue *bits = stow_ir_allocate(arena->stackings.count, sizeof *bits);
  r->bytes = compare_sizes(&r->emitter, arena, bits);
  compute_members(r, &r->emitter, bits);
  free(bits);
}

static MlirValue memory_of(const rewrite *r, size_t i) {
  return r->memories && !mlirValueIsNull(r->memories[i]) ? r->memories[i] : r->memory;
}

static MlirValue offset_of(rewrite *r, size_t i) {
  return r->offsets ? r->offsets[i] : stow_constant(&r->constants, r->arena->offsets[i]);
}

// A view of the type of `buffer`, an alloc, a clone or an attribution, with its dynamic sizes.
static MlirValue build_buffer(const stow_builder *builder, MlirValue memory, MlirValue offset,
                              MlirValue buffer) {
  MlirType type = mlirValueGetType(buffer);
  const intptr_t rank = mlirShapedTypeGetRank(type);
  MlirValue *sizes = stow_ir_allocate((size_t)rank, sizeof *sizes);
  size_t count = 0;
  for (intptr_t d = 0; d < rank; ++d)
    if (mlirShapedTypeIsDynamicDim(type, d))
      sizes[count++] = stow_ir_build_size_of(builder, mlirOpResultGetOwner(buffer), d);
  MlirValue view = stow_ir_build_view(builder, memory, offset, sizes, count, type);
  free(sizes);
  return view;
}

//===----------------------------------------------------------------------===//
// The arena's own life
//===----------------------------------------------------------------------===//

static void begin_at(rewrite *r, MlirOperation op) {
  r->builder = stow_builder_before(op, mlirOperationGetLocation(r->scope->op));
  r->constants = (stow_constants){.builder = r->builder};
}

static void begin_in_entry(rewrite *r) {
  begin_at(r, mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(r->scope->region)));
}

// On the stack: one allocation per activation of the scope, however deep in it the lives are.
static void allocate_on_stack(rewrite *r) {
  begin_in_entry(r);
  MlirType type =
      stow_ir_bytes_type(&r->builder, r->arena->plan.arena_size, r->arena->memory_space);
  r->memory = stow_ir_build_alloca(&r->builder, type, stow_arena_alignment(r->arena));
}

// A hoisted arena is made, and freed, outside of the scope.
static void take_slice(rewrite *r) {
  r->memory = stow_arena_build_slice(r->arena, r->scope, r->arenas->options.leave_arena);
  begin_at(r, mlirOperationGetNextInBlock(mlirOpResultGetOwner(r->memory)));
}

// Where the arena's life begins, and ends unless `finish` is not called.
static void begin_life(rewrite *r) {
  size_t count;
  const size_t *tenants = stow_arena_tenants(r->arena, &count);
  const stow_arena_lifetime life = stow_arena_lifetime_of(r->arenas, r->arena, tenants, count);
  r->region = life.region;
  r->after = life.after; // now, before anything is put in between
  begin_at(r, life.before);
}

// An alloc of so many bytes: `known`, or `computed` where that is not null.
static MlirValue allocate_bytes(const rewrite *r, uint64_t known, MlirValue computed,
                                uint64_t alignment) {
  const MlirAttribute space = r->arena->memory_space;
  return mlirValueIsNull(computed)
             ? stow_ir_build_alloc(&r->builder, stow_ir_bytes_type(&r->builder, known, space),
                                   alignment)
             : stow_ir_build_alloc_bytes(&r->builder, computed, space, alignment);
}

static void allocate_on_heap(rewrite *r) {
  begin_life(r);
  compute_offsets(r);
  r->memory =
      allocate_bytes(r, r->arena->plan.arena_size, r->bytes, stow_arena_alignment(r->arena));
  if (r->arena->on_every_path > 0 && r->arena->on_every_path < r->arena->plan.arena_size)
    stow_ir_set_number(mlirOpResultGetOwner(r->memory), STOW_ON_EVERY_PATH,
                       (int64_t)r->arena->on_every_path);
}

static void take_from_callback(rewrite *r) {
  begin_life(r);
  compute_offsets(r);
  const MlirValue bytes = mlirValueIsNull(r->bytes)
                              ? stow_constant(&r->constants, r->arena->plan.arena_size)
                              : r->bytes;
  r->memory = stow_arena_build_taking(&r->builder, r->arenas, r->arena, bytes, &r->constants);
}

static void take_argument(rewrite *r) {
  begin_in_entry(r);
  r->memory = stow_arena_build_frame_argument(&r->builder, r->function->flow.function, r->arena);
  compute_offsets(r);
}

static void take_global(rewrite *r) {
  begin_in_entry(r);
  r->memory = stow_arena_build_frame_global(&r->builder, r->arenas, r->arena);
}

// Makes the result early: a view of bytes takes the place of its alloc, which goes with what is
// planned.
static void allocate_result(rewrite *r) {
  const stow_alloc *lender = &r->function->flow.allocs.at[r->arena->lender];
  const stow_buffer_fact *fact = &r->arenas->selection[r->arena->function][r->arena->lender];
  const uint64_t alignment = stow_ir_larger(stow_slice_alignment(r->arenas, r->arena, fact),
                                            stow_arena_alignment(r->arena));
  begin_at(r, stow_arena_lender_place(r->arenas, r->arena));
  r->builder.location = r->constants.builder.location = mlirOperationGetLocation(lender->op);
  compute_offsets(r);
  const MlirValue computed =
      fact->size.known ? (MlirValue){NULL} : stow_ir_emit(&r->emitter, fact->size.formula);
  r->memory = allocate_bytes(r, fact->size.bytes, computed, alignment);
  MlirValue result = mlirOperationGetResult(lender->op, 0);
  stow_builder there = stow_builder_before(lender->op, r->builder.location);
  MlirValue zero = stow_constant(&r->constants, 0);
  mlirValueReplaceAllUsesOfWith(result, build_buffer(&there, r->memory, zero, result));
}

static void take_attribution(rewrite *r) {
  if (!r->arena->in_launch)
    r->memory = stow_arena_insert_attribution(r->arenas, r->arena);
  begin_in_entry(r);
  if (r->arena->in_launch)
    r->memory = stow_arena_build_dynamic_workgroup(&r->builder, r->arena);
  r->homes = stow_arena_homes_of(r->arenas, r->arena);
  r->start = stow_arena_build_start(&r->builder, r->arenas, r->arena, r->memory);
}

// The token's type of the first planned buffer that has one; else null.
static MlirType token_type(const rewrite *r) {
  for (size_t i = 0; i < r->arena->planned_count; ++i) {
    const MlirValue token = stow_ir_token_of(r->function->flow.allocs.at[r->arena->planned[i]].op);
    if (!mlirValueIsNull(token))
      return mlirValueGetType(token);
  }
  return (MlirType){NULL};
}

static void allocate_on_device(rewrite *r) {
  begin_life(r);
  r->token = token_type(r);
  const MlirType type =
      stow_ir_bytes_type(&r->builder, r->arena->plan.arena_size, r->arena->memory_space);
  const MlirOperation alloc =
      stow_ir_build_device_op(&r->builder, STOW_GPU_ALLOC, r->token, NULL, 0, type);
  if (r->arena->host_shared)
    mlirOperationSetAttributeByName(alloc, stow_ir_string("hostShared"),
                                    mlirUnitAttrGet(r->builder.context));
  r->memory = mlirOperationGetResult(alloc, 0);
}

static void give_back(rewrite *r, const stow_builder *builder) {
  stow_arena_build_giving_back(builder, r->arenas, r->arena, r->memory);
}

static void free_on_device(rewrite *r, const stow_builder *builder) {
  stow_ir_build_device_op(builder, STOW_GPU_DEALLOC, r->token, &r->memory, 1, (MlirType){NULL});
}

static void free_on_heap(rewrite *r, const stow_builder *builder) {
  stow_ir_build_dealloc(builder, r->memory);
}

typedef void end_of_life(rewrite *, const stow_builder *);

static void end_before(rewrite *r, MlirOperation op, end_of_life *end) {
  const stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  end(r, &builder);
}

static void end_life(rewrite *r, end_of_life *end) {
  if (!mlirOperationIsNull(r->after)) {
    end_before(r, r->after, end);
    return;
  }
  STOW_EACH_BLOCK(block, r->region)
    if (mlirBlockGetNumSuccessors(block) == 0)
      end_before(r, mlirBlockGetTerminator(block), end);
}

static void erase_attributions(rewrite *r) {
  stow_arena_erase_attributions(r->arenas, r->arena);
  if (r->arena->in_launch)
    stow_arena_state_at_launches(r->arenas, r->arena);
}

static char *why_not_on_stack(const stow_arenas *arenas, const stow_arena *arena,
                              const char **out_advice) {
  const uint64_t asked = arenas->options.stack_limit,
                 limit = asked ? asked : STOW_DEFAULT_STACK_LIMIT;
  if (arena->plan.arena_size <= limit)
    return NULL;
  *out_advice = "raise arena-stack-limit-in-bytes";
  return stow_ir_format("the stack may have %llu bytes of it", (unsigned long long)limit);
}

static const char *why_not_callback(MlirOperation function, const stow_reuse_options *options,
                                    const char **out_advice) {
  (void)out_advice;
  return stow_arena_is_callback(function, options) ? "it gives or takes back the memory of arenas"
                                                   : NULL;
}

// How memory is made, what becomes of it, and who cannot have it (framed.h). A member that is NULL
// has nothing to do, or to say.
typedef struct manner {
  void (*allocate)(rewrite *);
  end_of_life *end; // else it ends by itself
  void (*finish)(rewrite *);
  const char *(*why_not_function)(MlirOperation, const stow_reuse_options *, const char **);
  char *(*why_not_arena)(const stow_arenas *, const stow_arena *, const char **);
} manner;

// By functions of the program, which framed.c names.
static const manner called = {
    .allocate = take_from_callback, .end = give_back, .why_not_function = why_not_callback};
static const manner manners[STOW_BACKING_COUNT] = {
    [STOW_BACKING_HEAP] = {.allocate = allocate_on_heap, .end = free_on_heap},
    [STOW_BACKING_STACK] = {.allocate = allocate_on_stack, .why_not_arena = why_not_on_stack},
    [STOW_BACKING_ITERATION] = {.allocate = take_slice},
    [STOW_BACKING_WORKGROUP] = {.allocate = take_attribution, .finish = erase_attributions},
    [STOW_BACKING_RESULT] = {.allocate = allocate_result},
    [STOW_BACKING_ARGUMENT] = {.allocate = take_argument},
    [STOW_BACKING_GLOBAL] = {.allocate = take_global},
    [STOW_BACKING_DEVICE] = {.allocate = allocate_on_device, .end = free_on_device},
};

static const manner *manner_of(stow_backing backing) {
  return stow_backing_is(backing, STOW_BACKING_IS_CALLED) ? &called : &manners[backing];
}

const char *stow_arena_why_not_function(MlirOperation function, const stow_reuse_options *options,
                                        const char **out_advice) {
  const manner *how = manner_of(stow_backing_of_place(options->arena));
  return how->why_not_function ? how->why_not_function(function, options, out_advice) : NULL;
}

char *stow_arena_why_not_arena(const stow_arenas *arenas, const stow_arena *arena,
                               const char **out_advice) {
  const manner *how = manner_of(arena->backing);
  return how->why_not_arena ? how->why_not_arena(arenas, arena, out_advice) : NULL;
}

static void finish(rewrite *r) {
  const manner *how = manner_of(r->arena->backing);
  if (how->end && !r->arenas->options.leave_arena)
    end_life(r, how->end);
  if (how->finish)
    how->finish(r);
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

static MlirValue part_of_slice(rewrite *r, const stow_builder *builder, size_t i, uint64_t low,
                               uint64_t high) {
  const MlirType type = stow_ir_bytes_type(builder, high - low, r->arena->memory_space);
  MlirValue offset = offset_of(r, i);
  if (low > 0)
    offset =
        stow_ir_build_binary(builder, STOW_ARITH_ADDI, offset, stow_constant(&r->constants, low));
  return stow_ir_build_view(builder, memory_of(r, i), offset, NULL, 0, type);
}

// Bytes [low, high) of a slice, or all of one whose size is not known.
static void fill(rewrite *r, MlirOperation before, size_t i, uint64_t low, uint64_t high) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(r->scope->op));
  const stow_buffer_fact *fact = stow_arena_fact(r->arenas, r->arena, r->arena->planned[i]);
  if (low >= high && fact->size.known)
    return;
  MlirValue bytes;
  if (fact->size.known) {
    bytes = part_of_slice(r, &builder, i, low, high);
  } else {
    const MlirValue size = stow_ir_emit(&r->emitter, fact->size.formula);
    bytes = stow_ir_build_view(&builder, memory_of(r, i), offset_of(r, i), &size, 1,
                               stow_ir_any_bytes_type(builder.context, r->arena->memory_space));
  }
  stow_ir_build_fill(&builder, bytes, POISON);
}

// What is live in a piece, but not in the one in front of it or behind it: `other`, or NULL.
static void fill_rest(rewrite *r, MlirOperation before, size_t i, const stow_live_piece *piece,
                      const stow_live_piece *other) {
  const uint64_t size = stow_arena_fact(r->arenas, r->arena, r->arena->planned[i])->size.bytes;
  const uint64_t low = piece->low, high = piece->high > 0 ? piece->high : size;
  const uint64_t from = other ? other->low : high, to = other ? other->high : high;
  fill(r, before, i, low, high < from ? high : from);
  if (other)
    fill(r, before, i, low > to ? low : to, high);
}

// Where a piece begins or ends on all paths at one op, nothing may rely on what is there before
// or after.
static void poison_piece(rewrite *r, size_t i, size_t p) {
  const stow_flow *flow = &r->function->flow;
  const stow_buffer_fact *fact = stow_arena_fact(r->arenas, r->arena, r->arena->planned[i]);
  const stow_live_piece *piece = &fact->pieces[p];
  const bool meets_last = p > 0 && piece[-1].end == piece->begin && piece->high > 0;
  const bool meets_next =
      p + 1 < fact->piece_count && piece[1].begin == piece->end && piece->high > 0;
  MlirOperation next = mlirOperationGetNextInBlock(flow->ops.at[piece->end - 1]);
  if (piece->opens)
    fill_rest(r, flow->ops.at[piece->begin], i, piece, meets_last ? piece - 1 : NULL);
  if (piece->closes && !mlirOperationIsNull(next))
    fill_rest(r, next, i, piece, meets_next ? piece + 1 : NULL);
}

// Not what has an exclusive partner: until one of the two is touched, a name may stand for either.
// Nor memory of a device, where work may still go on.
static void poison(rewrite *r, size_t i) {
  const stow_buffer_fact *fact = stow_arena_fact(r->arenas, r->arena, r->arena->planned[i]);
  if (stow_backing_is(r->arena->backing, STOW_BACKING_IS_ASYNC))
    return;
  for (size_t p = 0; p < fact->piece_count && fact->size.bytes > 0 && !fact->exclusive; ++p)
    poison_piece(r, i, p);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Where member `i` lies, and how many bytes it may have there.
static stow_slice slice_of(rewrite *r, size_t i) {
  const stow_extent *size = &stow_arena_fact(r->arenas, r->arena, r->arena->planned[i])->size;
  return (stow_slice){.arena = memory_of(r, i),
                      .offset = offset_of(r, i),
                      .bytes = size->known ? stow_constant(&r->constants, size->bytes)
                                           : stow_ir_emit(&r->emitter, size->formula)};
}

// Where the view of a member is made: at the alloc, that of an attribution at the beginning of the
// kernel. What an iteration makes anew begins in the loop, though its alloc may be outside.
static stow_builder place_of_view(const rewrite *r, size_t i, MlirOperation alloc) {
  const MlirValue buffer = stow_arena_value(r->arenas, r->arena, r->arena->planned[i]);
  const bool in_loop = r->homes && !mlirOperationEqual(r->homes[i], r->scope->op);
  if (in_loop && (mlirOperationIsNull(alloc) || !stow_ir_is_inside(alloc, r->homes[i]))) {
    const MlirRegion body = mlirOperationGetRegion(r->homes[i], 0);
    alloc = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(body));
  }
  stow_builder builder =
      mlirOperationIsNull(alloc) ? r->builder : stow_builder_before(alloc, r->builder.location);
  builder.location = mlirValueGetLocation(buffer);
  return builder;
}

static void replace(rewrite *r, size_t i) {
  MlirValue buffer = stow_arena_value(r->arenas, r->arena, r->arena->planned[i]);
  MlirOperation alloc =
      mlirValueIsAOpResult(buffer) ? mlirOpResultGetOwner(buffer) : (MlirOperation){NULL};
  const stow_builder builder = place_of_view(r, i, alloc);
  MlirValue offset = offset_of(r, i);
  if (!mlirValueIsNull(r->start))
    offset = stow_ir_build_binary(&builder, STOW_ARITH_ADDI, r->start, offset);
  if (r->arenas->options.verify_sizes && !mlirOperationIsNull(alloc)) {
    const stow_slice slice = slice_of(r, i);
    stow_arena_check_member_size(&builder, r->arenas, r->arena, r->arena->planned[i], &slice);
  }
  MlirValue view = build_buffer(&builder, memory_of(r, i), offset, buffer);
  if (!mlirOperationIsNull(alloc) && stow_ir_is(alloc, STOW_BUFFERIZATION_CLONE))
    stow_ir_build_copy(&builder, mlirOperationGetOperand(alloc, 0), view);
  mlirValueReplaceAllUsesOfWith(buffer, view);
  if (!mlirOperationIsNull(alloc))
    stow_arena_renew_lives(&r->function->marked, (int32_t)r->arena->planned[i], view);
}

static rewrite rewrite_of(const stow_arenas *arenas, const stow_arena *arena,
                          stow_dominance *dominance) {
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  return (rewrite){.arenas = arenas,
                   .arena = arena,
                   .function = function,
                   .dominance = dominance,
                   .scope = &function->flow.scopes.at[arena->scope]};
}

// Once it is allocated.
static void replace_all(rewrite *r) {
  for (size_t i = 0; i < r->arena->planned_count && r->arenas->options.poison; ++i)
    poison(r, i);
  for (size_t i = 0; i < r->arena->planned_count; ++i)
    replace(r, i);
  finish(r);
  stow_constants_free(&r->constants);
  stow_emitter_free(&r->emitter);
  free(r->offsets);
  free(r->memories);
  free(r->homes);
}

static void rewrite_arena(const stow_arenas *arenas, const stow_arena *arena,
                          stow_dominance *dominance) {
  rewrite r = rewrite_of(arenas, arena, dominance);
  manner_of(r.arena->backing)->allocate(&r);
  replace_all(&r);
}

//===----------------------------------------------------------------------===//
// Arenas that are taken together
//===----------------------------------------------------------------------===//

// Where the first of them is made.
static MlirOperation first_place(const rewrite *r, size_t count) {
  MlirOperation first = stow_arena_place_of(r->arenas, r->arena);
  for (size_t p = 1; p < count; ++p) {
    const MlirOperation place = stow_arena_place_of(r->arenas, r[p].arena);
    if (!stow_arena_is_made_before(first, place))
      first = place;
  }
  return first;
}

// Computes there which stacking is taken, and all offsets.
static void decide(rewrite *r, size_t count, stow_constants *constants, stow_emitter *emitter,
                   MlirValue *bits) {
  const stow_builder builder =
      stow_builder_before(first_place(r, count), mlirOperationGetLocation(r->scope->op));
  *constants = (stow_constants){.builder = builder};
  *emitter = (stow_emitter){.extents = r->function->extents,
                            .builder = builder,
                            .dominance = r->dominance,
                            .constants = constants};
  r->bytes = compare_sizes(emitter, r->arena, bits);
  for (size_t p = 0; p < count; ++p)
    compute_members(&r[p], emitter, bits);
}

// As a value of the type that all of them can have.
static MlirValue as_any_bytes(rewrite *r) {
  const MlirType type = stow_ir_any_bytes_type(r->builder.context, r->arena->memory_space);
  if (mlirValueIsNull(r->any_bytes))
    r->any_bytes = mlirTypeEqual(type, mlirValueGetType(r->memory))
                       ? r->memory
                       : stow_ir_build_value(&r->builder, STOW_MEMREF_CAST, &r->memory, 1, type);
  return r->any_bytes;
}

// Where a member lies: per stacking, in which of the arenas.
typedef struct choice {
  size_t *memory;
  MlirValue value;
} choice;

typedef struct chooser {
  rewrite *r;
  const MlirValue *bits;
  size_t stackings;
  STOW_ARRAY(choice) made;
} chooser;

// Behind the last of those it may be.
static MlirValue choose_memory(const chooser *c, const size_t *memory) {
  MlirOperation place = stow_arena_place_of(c->r->arenas, c->r[memory[0]].arena);
  for (size_t k = 1; k < c->stackings; ++k) {
    const MlirOperation other = stow_arena_place_of(c->r->arenas, c->r[memory[k]].arena);
    if (stow_arena_is_made_before(place, other))
      place = other;
  }
  MlirValue chosen = as_any_bytes(&c->r[memory[c->stackings - 1]]);
  for (size_t k = c->stackings - 1; k-- > 0;) {
    const MlirValue other = as_any_bytes(&c->r[memory[k]]);
    const stow_builder builder = stow_builder_before(place, c->r->builder.location);
    if (!mlirValueEqual(other, chosen))
      chosen = stow_ir_build_select(&builder, c->bits[k], other, chosen);
  }
  return chosen;
}

// One of those made before, or null where it is the same for all.
static MlirValue memory_for(chooser *c, const stow_arena *arena, size_t i) {
  size_t *memory = stow_ir_allocate(c->stackings, sizeof *memory);
  bool differ = false;
  for (size_t k = 0; k < c->stackings; ++k) {
    memory[k] = arena->stackings.at[k].memory[i];
    differ |= memory[k] != memory[0];
  }
  MlirValue value = {NULL};
  for (size_t m = 0; m < c->made.count && differ && mlirValueIsNull(value); ++m)
    if (memcmp(c->made.at[m].memory, memory, c->stackings * sizeof *memory) == 0)
      value = c->made.at[m].value;
  if (differ && mlirValueIsNull(value)) {
    value = choose_memory(c, memory);
    STOW_PUSH(c->made, (choice){memory, value});
  } else {
    free(memory);
  }
  return value;
}

static void choose_memories(rewrite *r, size_t count, const MlirValue *bits) {
  chooser c = {.r = r, .bits = bits, .stackings = r->arena->stackings.count};
  for (size_t p = 0; p < count; ++p) {
    const stow_arena *arena = r[p].arena;
    r[p].memories = stow_ir_allocate(arena->planned_count, sizeof *r[p].memories);
    for (size_t i = 0; i < arena->planned_count; ++i)
      r[p].memories[i] = memory_for(&c, arena, i);
  }
  for (size_t m = 0; m < c.made.count; ++m)
    free(c.made.at[m].memory);
  free(c.made.at);
}

// An arena and those behind it.
static void rewrite_joint(const stow_arenas *arenas, const stow_arena *first,
                          stow_dominance *dominance) {
  const size_t count = first->joint + 1;
  rewrite *r = stow_ir_allocate(count, sizeof *r);
  MlirValue *bits = stow_ir_allocate(first->stackings.count, sizeof *bits);
  stow_constants constants;
  stow_emitter emitter;
  for (size_t p = 0; p < count; ++p)
    r[p] = rewrite_of(arenas, &first[p], dominance);
  decide(r, count, &constants, &emitter, bits);
  for (size_t p = 0; p < count; ++p)
    manner_of(r[p].arena->backing)->allocate(&r[p]);
  choose_memories(r, count, bits);
  for (size_t p = 0; p < count; ++p)
    replace_all(&r[p]);
  stow_constants_free(&constants);
  stow_emitter_free(&emitter);
  free(bits);
  free(r);
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

static bool is_planned(const stow_buffer_fact *selection, int32_t alloc) {
  return alloc != STOW_NO_ALLOC && selection[alloc].reason == STOW_PLANNED;
}

// Per value: whether it may be a slice of an arena, of this function or, with `elsewhere`, where it
// is from outside, of another.
static bool *reached_by_slices(const stow_function_memory *function,
                               const stow_buffer_fact *selection, bool elsewhere) {
  const stow_flow *flow = &function->flow;
  bool *reached = stow_ir_allocate(flow->values.count, sizeof *reached);
  for (size_t v = 0; v < flow->values.count; ++v)
    if ((elsewhere && flow->values.at[v].foreign) ||
        is_planned(selection, flow->values.at[v].alloc))
      reached[v] = true;
  stow_ir_mark_reached(&flow->targets, flow->values.count, reached);
  return reached;
}

// A clone that stays may be taken for its source as long as nobody writes that; but another slice
// may now write there. So it becomes what it stood for: an alloc and a copy.
static void copy_clone(MlirOperation clone, uint64_t alignment) {
  MlirValue source = mlirOperationGetOperand(clone, 0);
  MlirValue result = mlirOperationGetResult(clone, 0);
  stow_builder builder = stow_builder_before(clone, mlirOperationGetLocation(clone));
  MlirValue copy = stow_ir_build_alloc_like(&builder, mlirValueGetType(result), source);
  if (alignment > STOW_HEAP_ALIGNMENT)
    stow_ir_set_alignment(mlirOpResultGetOwner(copy), alignment);
  stow_ir_build_copy(&builder, source, copy);
  mlirValueReplaceAllUsesOfWith(result, copy);
  mlirOperationDestroy(clone);
}

// Per alloc: whether it is a clone that stays, of what may be a slice. What is cloned to a type
// that cannot be allocated is no slice: it was taken to escape.
static bool *clones_to_copy(const stow_function_memory *function,
                            const stow_buffer_fact *selection) {
  const stow_flow *flow = &function->flow;
  bool *reached = reached_by_slices(function, selection, true);
  bool *copied = stow_ir_allocate(flow->allocs.count, sizeof *copied);
  for (size_t i = 0; i < flow->allocs.count; ++i) {
    MlirOperation op = flow->allocs.at[i].op;
    if (selection[i].reason == STOW_PLANNED || !stow_ir_is(op, STOW_BUFFERIZATION_CLONE))
      continue;
    int32_t source = stow_map_get(&flow->index, mlirOperationGetOperand(op, 0).ptr);
    copied[i] =
        reached[source] && stow_ir_can_alloc(mlirValueGetType(mlirOperationGetResult(op, 0)));
  }
  free(reached);
  return copied;
}

//===----------------------------------------------------------------------===//
// What goes
//===----------------------------------------------------------------------===//

static void drop_marker(MlirOperation marker) {
  stow_ir_forward_operand(marker);
  mlirOperationDestroy(marker);
}

// Markers of slices have been made use of; other slices in the same bytes may have none.
static void drop_markers(const stow_function_memory *function, const stow_buffer_fact *selection) {
  const stow_flow *flow = &function->flow;
  if (!flow->marked)
    return;
  bool *reached = reached_by_slices(function, selection, false);
  for (size_t i = 0; i < flow->uses.count; ++i)
    if (reached[flow->uses.at[i].value] && stow_ir_is_marker(flow->ops.at[flow->uses.at[i].begin]))
      drop_marker(flow->ops.at[flow->uses.at[i].begin]);
  free(reached);
}

// What waited for an op of a device waits for what that waited for. No other alloc or dealloc has
// tokens.
static void drop(MlirOperation op, bool on_device) {
  assert(on_device || !(stow_ir_op_traits(op) & STOW_GIVES_TOKEN));
  if (on_device)
    stow_ir_forward_tokens(op);
  mlirOperationDestroy(op);
}

// A group with an alloc in it is planned whole or not at all.
static void drop_deallocs(const stow_function_memory *function, const stow_buffer_fact *selection) {
  bool *planned = stow_ir_allocate((size_t)function->groups.group_count, sizeof *planned);
  for (size_t i = 0; i < function->flow.allocs.count; ++i)
    planned[function->groups.of_alloc[i]] = selection[i].reason == STOW_PLANNED;
  for (size_t i = 0; i < function->flow.frees.count; ++i)
    if (planned[function->groups.of_free[i]])
      drop(function->flow.frees.at[i].op, function->flow.frees.at[i].on_device);
  free(planned);
}

// A result that lends its bytes is a view of what was made in its place.
static void drop_lender(const stow_function_memory *function, const stow_arena *arena) {
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_LENT))
    mlirOperationDestroy(function->flow.allocs.at[arena->lender].op);
}

static void drop_allocs(const stow_function_memory *function, const stow_buffer_fact *selection,
                        const bool *copied) {
  for (size_t i = 0; i < function->flow.allocs.count; ++i)
    if (selection[i].reason == STOW_PLANNED)
      drop(function->flow.allocs.at[i].op, function->flow.allocs.at[i].on_device);
    else if (copied[i])
      copy_clone(function->flow.allocs.at[i].op, selection[i].alignment);
}

static void rewrite_function(const stow_arenas *arenas, size_t function, size_t *next_arena) {
  const stow_function_memory *memory = &arenas->memory.functions[function];
  const stow_buffer_fact *selection = arenas->selection[function];
  bool *copied = clones_to_copy(memory, selection);
  stow_dominance *dominance = memory->extents ? stow_dominance_create(memory->flow.function) : NULL;
  const size_t first_arena = *next_arena;
  while (*next_arena < arenas->arenas.count &&
         arenas->arenas.at[*next_arena].function == function) {
    const stow_arena *arena = &arenas->arenas.at[*next_arena];
    if (arena->joint > 0)
      rewrite_joint(arenas, arena, dominance);
    else if (arena->planned_count > 0)
      rewrite_arena(arenas, arena, dominance);
    *next_arena += arena->joint + 1;
  }
  stow_dominance_destroy(dominance);
  if (arenas->options.verify_sizes && memory->extents)
    stow_arena_check_stated_sizes(memory->flow.function);
  drop_markers(memory, selection);
  drop_deallocs(memory, selection);
  drop_allocs(memory, selection, copied);
  for (size_t a = first_arena; a < *next_arena; ++a)
    drop_lender(memory, &arenas->arenas.at[a]);
  free(copied);
}

static bool anything_planned(const stow_arenas *arenas) {
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    if (arenas->arenas.at[a].planned_count > 0)
      return true;
  return false;
}

void stow_arena_rewrite(const stow_arenas *arenas) {
  size_t next_arena = 0;
  if (!anything_planned(arenas))
    return;
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    rewrite_function(arenas, f, &next_arena);
}
