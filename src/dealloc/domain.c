//===- domain.c - what ownership is decided over --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk takes one region after another from a list, so that nesting costs memory
// and not the C stack. When all stretches are known, paths are laid between them.
//
//===----------------------------------------------------------------------===//

#include "dealloc/domain.h"

#include "dealloc/captures.h"
#include "dealloc/dominators.h"
#include "dealloc/idle.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

int32_t stow_domain_add_ref(stow_domain *domain, MlirValue value) {
  int32_t id = (int32_t)domain->ref_count;
  domain->refs =
      stow_grow(domain->refs, domain->ref_count, &domain->ref_capacity, sizeof *domain->refs);
  domain->refs[domain->ref_count++] = (stow_ref){.value = value, .stretch = -1, .band = id};
  return id;
}

int32_t stow_domain_ref(stow_domain *domain, MlirValue value) {
  int32_t id = stow_map_get(&domain->ref_index, value.ptr);
  if (id >= 0)
    return id;
  id = stow_domain_add_ref(domain, value);
  stow_map_add(&domain->ref_index, value.ptr, id);
  return id;
}

void stow_domain_add_view(stow_domain *domain, int32_t from, int32_t to) {
  domain->views =
      stow_grow(domain->views, domain->view_count, &domain->view_capacity, sizeof *domain->views);
  domain->views[domain->view_count++] = (stow_view){from, to};
}

void stow_domain_add_takeover(stow_domain *domain, int32_t from, int32_t to) {
  domain->takeovers = stow_grow(domain->takeovers, domain->takeover_count,
                                &domain->takeover_capacity, sizeof *domain->takeovers);
  domain->takeovers[domain->takeover_count++] = (stow_view){from, to};
}

void stow_domain_add_handover(stow_domain *domain, int32_t stretch, intptr_t operand, int32_t ref) {
  domain->handovers = stow_grow(domain->handovers, domain->handover_count,
                                &domain->handover_capacity, sizeof *domain->handovers);
  domain->handovers[domain->handover_count++] =
      (stow_handover){.stretch = stretch, .operand = (int32_t)operand, .ref = ref};
  ++domain->stretches[stretch].handover_count;
}

void stow_domain_add_use(stow_domain *domain, int32_t ref, stow_place place, MlirOperation op,
                         bool writes) {
  domain->uses =
      stow_grow(domain->uses, domain->use_count, &domain->use_capacity, sizeof *domain->uses);
  domain->uses[domain->use_count++] =
      (stow_mention){ref, place.stretch, place.position, op, writes};
}

void stow_domain_add_free(stow_domain *domain, int32_t ref, stow_place place, MlirOperation op) {
  domain->frees =
      stow_grow(domain->frees, domain->free_count, &domain->free_capacity, sizeof *domain->frees);
  domain->frees[domain->free_count++] =
      (stow_mention){ref, place.stretch, place.position, op, true};
}

void stow_domain_add_flight(stow_domain *domain, int32_t ref, int32_t stretch, MlirOperation op,
                            const char *reason) {
  domain->flights = stow_grow(domain->flights, domain->flight_count, &domain->flight_capacity,
                              sizeof *domain->flights);
  domain->flights[domain->flight_count++] =
      (stow_flight){.ref = ref, .stretch = stretch, .op = op, .reason = reason};
}

void stow_domain_add_managed(stow_domain *domain, int32_t ref, MlirOperation op,
                             stow_departure departure, const char *reason) {
  stow_domain_add_flight(domain, ref, -1, op, reason);
  domain->flights[domain->flight_count - 1].departure = departure;
}

// Once where it concerns several results of the op.
void stow_domain_doubt(stow_domain *domain, MlirOperation op, const char *reason) {
  if (domain->doubt_count > 0 && mlirOperationEqual(domain->doubts[domain->doubt_count - 1].op, op))
    return;
  domain->doubts = stow_grow(domain->doubts, domain->doubt_count, &domain->doubt_capacity,
                             sizeof *domain->doubts);
  domain->doubts[domain->doubt_count++] = (stow_doubt){op, reason};
}

void stow_domain_add_inner(stow_domain *domain, MlirRegion region) {
  domain->inner =
      stow_grow(domain->inner, domain->inner_count, &domain->inner_capacity, sizeof *domain->inner);
  domain->inner[domain->inner_count++] = region;
}

static void add_room(stow_domain *domain, MlirRegion region, int32_t parent) {
  domain->rooms =
      stow_grow(domain->rooms, domain->room_count, &domain->room_capacity, sizeof *domain->rooms);
  domain->rooms[domain->room_count++] =
      (stow_room){region, parent, parent < 0 ? 0 : domain->rooms[parent].depth + 1};
}

int32_t stow_domain_add_stretch(stow_domain *domain, MlirBlock block, int32_t room) {
  domain->stretches = stow_grow(domain->stretches, domain->stretch_count, &domain->stretch_capacity,
                                sizeof *domain->stretches);
  domain->stretches[domain->stretch_count] = (stow_stretch){.block = block, .room = room};
  return (int32_t)domain->stretch_count++;
}

static int32_t add_stretch(stow_domain *domain, MlirBlock block, MlirOperation after,
                           int32_t room) {
  int32_t id = stow_domain_add_stretch(domain, block, room);
  domain->stretches[id].after = after;
  stow_map_add(&domain->stretch_at, mlirOperationIsNull(after) ? block.ptr : after.ptr, id);
  return id;
}

int32_t stow_domain_add_path(stow_domain *domain, int32_t from, int32_t to, intptr_t successor) {
  domain->paths =
      stow_grow(domain->paths, domain->path_count, &domain->path_capacity, sizeof *domain->paths);
  domain->paths[domain->path_count] = (stow_path){from, to, successor, -1};
  return (int32_t)domain->path_count++;
}

void stow_domain_add_pass(stow_domain *domain, int32_t handover, int32_t target, int32_t path) {
  domain->passes =
      stow_grow(domain->passes, domain->pass_count, &domain->pass_capacity, sizeof *domain->passes);
  domain->passes[domain->pass_count++] = (stow_pass){handover, target, path};
}

void stow_domain_free(stow_domain *domain) {
  stow_map_free(&domain->ref_index), stow_map_free(&domain->stretch_at);
  stow_map_free(&domain->stretch_ended);
  free(domain->rooms), free(domain->stretches), free(domain->paths), free(domain->refs);
  free(domain->views), free(domain->handovers), free(domain->passes), free(domain->uses);
  free(domain->frees), free(domain->asks), free(domain->flights), free(domain->doubts),
      free(domain->op_at);
  free(domain->inner), free(domain->endings), free(domain->hands), free(domain->choices);
  free(domain->takeovers);
  stow_index_free(&domain->leaving), stow_index_free(&domain->entering);
  stow_index_free(&domain->views_of), stow_index_free(&domain->views_to);
  stow_index_free(&domain->taken_of), stow_index_free(&domain->taken_to);
  stow_index_free(&domain->handed), stow_index_free(&domain->handed_to);
  *domain = (stow_domain){0};
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static void define(stow_domain *domain, MlirValue value, int32_t stretch, int64_t position,
                   stow_origin origin) {
  if (!stow_is_buffer(mlirValueGetType(value)))
    return;
  int32_t id = stow_domain_ref(domain, value);
  stow_ref *ref = &domain->refs[id];
  ref->stretch = stretch;
  ref->position = position;
  ref->origin = origin;
}

// Results of what clones by a bit are settled.
static void leave_results_by_bit(stow_domain *domain, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (stow_is_buffer(mlirValueGetType(result)))
      stow_domain_add_managed(domain, stow_domain_ref(domain, result), op, STOW_BY_BITS,
                              "it is cloned already, by a bit");
  }
}

static void define_arguments(stow_domain *domain, MlirBlock block, int32_t stretch,
                             stow_origin origin) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
    define(domain, mlirBlockGetArgument(block, i), stretch, -1, origin);
}

// Those that the function owns it frees, as it does what it allocates. Of which nobody can tell,
// the program frees in its own way.
static void read_promised_arguments(stow_domain *domain, const stow_contract *promised) {
  MlirBlock entry = mlirRegionGetFirstBlock(domain->region);
  for (size_t i = 0; promised && i < promised->argument_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, (intptr_t)i);
    if (promised->arguments[i].owned)
      domain->refs[stow_domain_ref(domain, argument)].origin = STOW_MADE;
    else if (promised->arguments[i].unclear)
      stow_domain_add_managed(domain, stow_domain_ref(domain, argument), domain->op, STOW_MANAGED,
                              "it meets an argument that is freed on some paths only, and "
                              "returned on others");
  }
}

static void define_results(stow_domain *domain, MlirOperation op, int32_t stretch, int64_t position,
                           stow_origin origin) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    define(domain, mlirOperationGetResult(op, i), stretch, position, origin);
}

int64_t stow_domain_take_position(stow_domain *domain, MlirOperation op) {
  domain->op_at =
      stow_grow(domain->op_at, domain->op_count, &domain->op_capacity, sizeof *domain->op_at);
  domain->op_at[domain->op_count] = op;
  return (int64_t)domain->op_count++;
}

static bool leaves_function(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  return domain->is_function && (facts & STOW_OP_RETURN) &&
         mlirOperationEqual(mlirOperationGetParentOperation(op), domain->op);
}

// Whether it is not known where control goes from the end of the domain's own region.
static bool forwards(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  bool ends = mlirOperationEqual(mlirOperationGetParentOperation(op), domain->op);
  return (facts & (STOW_OP_BRANCH | STOW_OP_REGION_BRANCH)) ||
         ((facts & STOW_OP_REGION_TERMINATOR) && !ends);
}

// Which operands are passed along paths.
static bool *forwarded_operands(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  size_t count = (size_t)mlirOperationGetNumOperands(op);
  bool *forwarded = stow_allocate(count, sizeof *forwarded);
  if (leaves_function(domain, op, facts))
    for (size_t i = 0; i < count; ++i)
      forwarded[i] = true;
  else if (forwards(domain, op, facts))
    stow_forwarded_operands(op, forwarded);
  return forwarded;
}

static void close_stretch(stow_domain *domain, const stow_ending *ending, stow_place place) {
  stow_stretch *stretch = &domain->stretches[place.stretch];
  stretch->end = ending->op;
  stretch->stop = place.position;
  stretch->handover = (int32_t)domain->handover_count;
  stow_map_add(&domain->stretch_ended, ending->op.ptr, place.stretch);
  for (int32_t i = ending->hand; i < ending->hand + ending->hand_count; ++i)
    stow_domain_add_handover(domain, place.stretch, domain->hands[i].operand, domain->hands[i].ref);
}

// The op ends its stretch: what it forwards is passed along paths that are laid later. Gives the
// stretch that it ends, a new one where a choice is to be made before it.
static int32_t end_stretch(stow_domain *domain, const stow_domain_context *context,
                           MlirOperation op, uint32_t facts, stow_place place) {
  bool *forwarded = forwarded_operands(domain, op, facts);
  int32_t ending = stow_domain_add_ending(domain, op, place.stretch);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (forwarded[i] && stow_is_buffer(mlirValueGetType(operand)))
      stow_domain_add_hand(domain, (int32_t)i, stow_domain_ref(domain, operand), -1);
  }
  stow_domain_choose(domain, ending);
  place.stretch = domain->endings[ending].stretch;
  close_stretch(domain, &domain->endings[ending], place);
  stow_domain_read_op(domain, context, op, facts, place, forwarded);
  free(forwarded);
  return place.stretch;
}

static bool concerns_buffers(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (stow_is_buffer(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return mlirOperationGetNumRegions(op) > 0;
}

static int32_t enter_regions(stow_domain *domain, MlirOperation op, int32_t around) {
  int32_t room = domain->stretches[around].room;
  MlirBlock block = domain->stretches[around].block;
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    add_room(domain, mlirOperationGetRegion(op, r), room);
  int32_t next = add_stretch(domain, block, op, room);
  define_results(domain, op, next, -1, STOW_TARGET);
  if (stow_is_by_bit(op))
    leave_results_by_bit(domain, op);
  return next;
}

static void add_ask(stow_domain *domain, MlirOperation dealloc, stow_place place) {
  int32_t ref = stow_domain_ref(domain, mlirOperationGetOperand(dealloc, 0));
  domain->asks =
      stow_grow(domain->asks, domain->ask_count, &domain->ask_capacity, sizeof *domain->asks);
  domain->asks[domain->ask_count++] =
      (stow_mention){ref, place.stretch, place.position, dealloc, true};
}

static void walk_block(stow_domain *domain, const stow_domain_context *context, MlirBlock block,
                       int32_t room, bool entry) {
  int32_t stretch = add_stretch(domain, block, (MlirOperation){NULL}, room);
  define_arguments(domain, block, stretch, room == 0 && entry ? STOW_OUTSIDE : STOW_TARGET);
  MlirOperation terminator = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    stow_place place = {stretch, stow_domain_take_position(domain, op)};
    bool last = mlirOperationEqual(op, terminator);
    if (context->ignored && stow_map_get(context->ignored, op.ptr) >= 0) {
      add_ask(domain, op, place);
      continue;
    }
    if (!last && !concerns_buffers(op)) {
      stow_domain_read_other(domain, context, op, place);
      continue;
    }
    uint32_t facts = stow_op_facts(op);
    if (last) {
      end_stretch(domain, context, op, facts, place);
    } else if (stow_tells_control_flow(op, facts)) {
      stretch = end_stretch(domain, context, op, facts, place);
      stretch = enter_regions(domain, op, stretch);
    } else {
      define_results(domain, op, stretch, place.position, STOW_VIEW);
      stow_domain_read_op(domain, context, op, facts, place, NULL);
    }
  }
}

static void walk(stow_domain *domain, const stow_domain_context *context) {
  add_room(domain, domain->region, -1);
  for (size_t r = 0; r < domain->room_count; ++r) {
    bool entry = true;
    for (MlirBlock block = mlirRegionGetFirstBlock(domain->rooms[r].region);
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      walk_block(domain, context, block, (int32_t)r, entry);
      entry = false;
    }
  }
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

// Handovers of a stretch are in the order of their operands.
static int32_t find_handover(const stow_domain *domain, int32_t stretch, intptr_t operand) {
  const stow_stretch *s = &domain->stretches[stretch];
  int32_t low = s->handover, high = low + s->handover_count;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (domain->handovers[middle].operand < operand)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < s->handover + s->handover_count && domain->handovers[low].operand == operand;
  return found ? low : -1;
}

static void lay_branch(stow_domain *domain, int32_t stretch, intptr_t successor) {
  MlirOperation op = domain->stretches[stretch].end;
  MlirBlock block = mlirOperationGetSuccessor(op, successor);
  int32_t to = stow_map_get(&domain->stretch_at, block.ptr);
  int32_t path = stow_domain_add_path(domain, stretch, to, successor);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!stow_is_buffer(mlirValueGetType(argument)))
      continue;
    int32_t target = stow_domain_ref(domain, argument);
    intptr_t operand = stow_branch_operand_index(op, successor, i);
    int32_t handover = operand < 0 ? -1 : find_handover(domain, stretch, operand);
    if (handover >= 0)
      stow_domain_add_pass(domain, handover, target, path);
  }
}

typedef struct laying {
  stow_domain *domain;
  int32_t around; // the stretch that the op ends
  int32_t path;
} laying;

static void lay_region_path(void *user, intptr_t from, intptr_t to, MlirOperation terminator,
                            intptr_t operand, MlirValue target) {
  (void)from;
  laying *l = user;
  stow_domain *domain = l->domain;
  MlirOperation op = domain->stretches[l->around].end;
  int32_t source = mlirOperationIsNull(terminator)
                       ? l->around
                       : stow_map_get(&domain->stretch_ended, terminator.ptr);
  if (operand < 0) {
    const void *key = op.ptr;
    if (to != STOW_PARENT)
      key = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, to)).ptr;
    l->path = stow_domain_add_path(domain, source, stow_map_get(&domain->stretch_at, key), -1);
    return;
  }
  if (!stow_is_buffer(mlirValueGetType(target)))
    return;
  int32_t handover = find_handover(domain, source, operand);
  int32_t ref = stow_domain_ref(domain, target);
  if (handover >= 0)
    stow_domain_add_pass(domain, handover, ref, l->path);
}

// Code for the path around an if that has no else can stand in an else.
static void note_empty_region(stow_domain *domain, int32_t stretch, size_t first_path) {
  MlirOperation op = domain->stretches[stretch].end;
  if (!stow_op_is(op, "scf.if") && !stow_op_is(op, "affine.if"))
    return;
  if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1))))
    return;
  for (size_t p = first_path; p < domain->path_count; ++p)
    if (domain->paths[p].from == stretch &&
        mlirOperationEqual(domain->stretches[domain->paths[p].to].after, op))
      domain->paths[p].empty_region = 1;
}

static void lay_return(stow_domain *domain, int32_t stretch) {
  const stow_stretch *s = &domain->stretches[stretch];
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h)
    stow_domain_add_pass(domain, h, domain->result + domain->handovers[h].operand, -1);
}

static void lay_paths(stow_domain *domain) {
  for (size_t s = 0; s < domain->stretch_count; ++s) {
    MlirOperation op = domain->stretches[s].end;
    if (mlirOperationIsNull(op) || domain->stretches[s].made)
      continue;
    uint32_t facts = stow_op_facts(op);
    size_t first = domain->path_count;
    for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i)
      if (facts & STOW_OP_BRANCH)
        lay_branch(domain, (int32_t)s, i);
      else
        stow_domain_add_path(
            domain, (int32_t)s,
            stow_map_get(&domain->stretch_at, mlirOperationGetSuccessor(op, i).ptr), -1);
    if (leaves_function(domain, op, facts))
      lay_return(domain, (int32_t)s);
    if (stow_tells_control_flow(op, facts)) {
      laying l = {domain, (int32_t)s, -1};
      stow_region_passes(op, lay_region_path, &l);
      note_empty_region(domain, (int32_t)s, first);
    }
  }
}

static int by_handover(const void *a, const void *b) {
  const stow_pass *x = a, *y = b;
  if (x->handover != y->handover)
    return x->handover < y->handover ? -1 : 1;
  return x->path < y->path ? -1 : x->path > y->path;
}

static void sort_passes(stow_domain *domain) {
  stow_sort(domain->passes, domain->pass_count, sizeof *domain->passes, by_handover);
  for (size_t i = domain->pass_count; i-- > 0;) {
    stow_handover *h = &domain->handovers[domain->passes[i].handover];
    h->pass = (int32_t)i;
    ++h->pass_count;
  }
}

// If some path into a target's stretch passes it nothing, its value there is unknown.
static void mark_unfilled(stow_domain *domain) {
  const stow_index *entering = &domain->entering;
  for (size_t r = 0; r < domain->ref_count; ++r) {
    stow_ref *ref = &domain->refs[r];
    ref->foreign |= ref->origin == STOW_OUTSIDE;
    if (ref->origin != STOW_TARGET || ref->stretch < 0)
      continue;
    int32_t filled = domain->handed_to.first[r + 1] - domain->handed_to.first[r];
    int32_t paths = entering->first[ref->stretch + 1] - entering->first[ref->stretch];
    if (filled < paths)
      stow_domain_add_flight(domain, (int32_t)r, ref->stretch, domain->stretches[ref->stretch].end,
                             "it becomes what may come from elsewhere, too");
  }
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static int32_t path_from(const void *t, size_t i) { return ((const stow_path *)t)[i].from; }
static int32_t path_to(const void *t, size_t i) { return ((const stow_path *)t)[i].to; }
static int32_t view_from(const void *t, size_t i) { return ((const stow_view *)t)[i].from; }
static int32_t view_to(const void *t, size_t i) { return ((const stow_view *)t)[i].to; }
static int32_t handed_ref(const void *t, size_t i) {
  const stow_handover *h = (const stow_handover *)t + i;
  return h->idle ? -1 : h->ref;
}
static int32_t pass_target(const void *t, size_t i) { return ((const stow_pass *)t)[i].target; }

static void index_tables(stow_domain *d, bool all_freed) {
  size_t stretches = d->stretch_count, refs = d->ref_count;
  d->leaving = stow_index_of(d->paths, d->path_count, stretches, path_from);
  d->entering = stow_index_of(d->paths, d->path_count, stretches, path_to);
  d->views_of = stow_index_of(d->views, d->view_count, refs, view_from);
  d->views_to = stow_index_of(d->views, d->view_count, refs, view_to);
  d->taken_of = stow_index_of(d->takeovers, d->takeover_count, refs, view_from);
  d->taken_to = stow_index_of(d->takeovers, d->takeover_count, refs, view_to);
  d->handed_to = stow_index_of(d->passes, d->pass_count, refs, pass_target);
  stow_find_idle(d, all_freed);
  d->handed = stow_index_of(d->handovers, d->handover_count, refs, handed_ref);
}

static void add_result(stow_domain *domain) {
  int32_t id = stow_domain_add_ref(domain, (MlirValue){NULL});
  domain->refs[id].origin = STOW_TARGET;
}

static void add_results(stow_domain *domain, MlirOperation function) {
  domain->result = (int32_t)domain->ref_count;
  domain->result_count = (int32_t)stow_function_result_count(function);
  for (int32_t i = 0; i < domain->result_count; ++i)
    add_result(domain);
}

void stow_domain_read(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                      stow_domain *out_domain) {
  *out_domain = (stow_domain){.op = op, .region = region};
  out_domain->wishes = context->wishes;
  out_domain->wish_count = context->wish_count;
  out_domain->is_function = stow_op_is_function(op);
  if (out_domain->is_function)
    add_results(out_domain, op);
  walk(out_domain, context);
  read_promised_arguments(out_domain, context->promised);
  lay_paths(out_domain);
  sort_passes(out_domain);
  index_tables(out_domain, context->ignored != NULL);
  mark_unfilled(out_domain);
  stow_find_mere_names(out_domain);
  stow_find_dominators(out_domain);
}

bool stow_room_is_inside(const stow_domain *domain, int32_t room, int32_t around) {
  while (domain->rooms[room].depth > domain->rooms[around].depth)
    room = domain->rooms[room].parent;
  return room == around;
}

bool stow_stretch_dominates(const stow_domain *domain, int32_t stretch, int32_t other) {
  const stow_stretch *a = &domain->stretches[stretch], *b = &domain->stretches[other];
  return a->enter <= b->enter && b->leave <= a->leave;
}

bool stow_reaches_start(const stow_domain *domain, int32_t ref, int32_t stretch) {
  const stow_ref *r = &domain->refs[ref];
  if (r->stretch < 0 || stretch < 0 || r->stretch == stretch)
    return false;
  return stow_stretch_dominates(domain, r->stretch, stretch) &&
         stow_room_is_inside(domain, domain->stretches[stretch].room,
                             domain->stretches[r->stretch].room);
}

bool stow_is_copied(const stow_domain *domain, const stow_handover *h) {
  return h->manner == STOW_COPY && domain->stretches[h->stretch].reachable;
}

bool stow_travel_together(const stow_domain *domain, const stow_handover *a,
                          const stow_handover *b) {
  for (int32_t p = a->pass; p < a->pass + a->pass_count; ++p)
    for (int32_t q = b->pass; q < b->pass + b->pass_count; ++q)
      if (domain->passes[p].path == domain->passes[q].path)
        return true;
  return false;
}
