//===- domain.c - what ownership is decided over -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/domain.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

int32_t stow_domain_add_ref(stow_domain *domain, MlirValue value) {
  int32_t id = (int32_t)domain->refs.count;
  STOW_PUSH(domain->refs, (stow_ref){.value = value, .stretch = -1});
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
  STOW_PUSH(domain->views, (stow_view){from, to});
}

void stow_domain_add_takeover(stow_domain *domain, int32_t from, int32_t to) {
  STOW_PUSH(domain->takeovers, (stow_view){from, to});
}

void stow_domain_add_handover(stow_domain *domain, int32_t stretch, intptr_t operand, int32_t ref) {
  STOW_PUSH(domain->handovers,
            (stow_handover){.stretch = stretch, .operand = (int32_t)operand, .ref = ref});
  ++domain->stretches.at[stretch].handover_count;
}

void stow_domain_add_use(stow_domain *domain, int32_t ref, stow_domain_place place,
                         MlirOperation op, bool writes) {
  STOW_PUSH(domain->uses, (stow_mention){ref, place.stretch, place.position, op, writes});
}

void stow_domain_add_free(stow_domain *domain, int32_t ref, stow_domain_place place,
                          MlirOperation op) {
  STOW_PUSH(domain->frees, (stow_mention){ref, place.stretch, place.position, op, true});
}

void stow_domain_add_ask(stow_domain *domain, MlirOperation dealloc, stow_domain_place place) {
  int32_t ref = stow_domain_ref(domain, mlirOperationGetOperand(dealloc, 0));
  STOW_PUSH(domain->asks, (stow_mention){ref, place.stretch, place.position, dealloc, true});
}

void stow_domain_add_flight(stow_domain *domain, int32_t ref, int32_t stretch, MlirOperation op,
                            const char *reason) {
  STOW_PUSH(domain->flights,
            (stow_flight){.ref = ref, .stretch = stretch, .op = op, .reason = reason});
}

void stow_domain_add_managed(stow_domain *domain, int32_t ref, MlirOperation op,
                             stow_departure departure, const char *reason) {
  stow_domain_add_flight(domain, ref, -1, op, reason);
  domain->flights.at[domain->flights.count - 1].departure = departure;
}

// Once where it concerns several results of the op.
void stow_domain_doubt(stow_domain *domain, MlirOperation op, const char *reason) {
  if (domain->doubts.count > 0 &&
      mlirOperationEqual(domain->doubts.at[domain->doubts.count - 1].op, op))
    return;
  STOW_PUSH(domain->doubts, (stow_doubt){op, reason});
}

void stow_domain_add_inner(stow_domain *domain, MlirRegion region) {
  STOW_PUSH(domain->inner, region);
}

int64_t stow_domain_take_position(stow_domain *domain, MlirOperation op) {
  return (int64_t)STOW_PUSH(domain->op_at, op);
}

int32_t stow_domain_add_stretch(stow_domain *domain, MlirBlock block, int32_t room) {
  return (int32_t)STOW_PUSH(domain->stretches, (stow_stretch){.block = block, .room = room});
}

int32_t stow_domain_add_path(stow_domain *domain, int32_t from, int32_t to, intptr_t successor) {
  return (int32_t)STOW_PUSH(domain->paths, (stow_path){from, to, successor, -1});
}

void stow_domain_add_pass(stow_domain *domain, int32_t handover, int32_t target, int32_t path) {
  STOW_PUSH(domain->passes, (stow_pass){handover, target, path});
}

void stow_domain_free(stow_domain *domain) {
  stow_map_free(&domain->ref_index), stow_map_free(&domain->stretch_at);
  stow_map_free(&domain->stretch_ended);
  free(domain->rooms.at), free(domain->stretches.at), free(domain->paths.at), free(domain->refs.at);
  free(domain->views.at), free(domain->handovers.at), free(domain->passes.at),
      free(domain->uses.at);
  free(domain->frees.at), free(domain->asks.at), free(domain->flights.at), free(domain->doubts.at),
      free(domain->op_at.at);
  free(domain->inner.at), free(domain->endings.at), free(domain->hands.at),
      free(domain->choices.at);
  free(domain->takeovers.at);
  stow_index_free(&domain->leaving), stow_index_free(&domain->entering);
  stow_index_free(&domain->views_of), stow_index_free(&domain->views_to);
  stow_index_free(&domain->taken_of), stow_index_free(&domain->taken_to);
  stow_index_free(&domain->handed), stow_index_free(&domain->handed_to);
  *domain = (stow_domain){0};
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool stow_room_is_inside(const stow_domain *domain, int32_t room, int32_t around) {
  while (domain->rooms.at[room].depth > domain->rooms.at[around].depth)
    room = domain->rooms.at[room].parent;
  return room == around;
}

bool stow_stretch_dominates(const stow_domain *domain, int32_t stretch, int32_t other) {
  const stow_stretch *a = &domain->stretches.at[stretch], *b = &domain->stretches.at[other];
  return a->enter <= b->enter && b->leave <= a->leave;
}

bool stow_reaches_start(const stow_domain *domain, int32_t ref, int32_t stretch) {
  const stow_ref *r = &domain->refs.at[ref];
  if (r->stretch < 0 || stretch < 0 || r->stretch == stretch)
    return false;
  return stow_stretch_dominates(domain, r->stretch, stretch) &&
         stow_room_is_inside(domain, domain->stretches.at[stretch].room,
                             domain->stretches.at[r->stretch].room);
}

bool stow_is_reachable(const stow_domain *domain, int32_t stretch) {
  return stretch < 0 || domain->stretches.at[stretch].reachable;
}

bool stow_travel_together(const stow_domain *domain, const stow_handover *a,
                          const stow_handover *b) {
  for (int32_t p = a->pass; p < a->pass + a->pass_count; ++p)
    for (int32_t q = b->pass; q < b->pass + b->pass_count; ++q)
      if (domain->passes.at[p].path == domain->passes.at[q].path)
        return true;
  return false;
}

MlirBlock stow_block_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
}

bool stow_is_by_bit(MlirOperation op) {
  MlirStringRef name = mlirStringRefCreateFromCString(STOW_BY_BIT);
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(op, name));
}
