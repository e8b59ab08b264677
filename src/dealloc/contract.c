//===- contract.c - what a decided function promises its callers ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "dealloc/ref_walk.h"

#include <stdlib.h>

// Adds all that the refs added before may stand for.
static void find_sources(stow_ref_walk *walk) {
  for (int32_t r; stow_ref_walk_next(walk, &r);) {
    stow_walk_to_sources(walk, r, NULL, NULL);
    stow_walk_to_call_arguments(walk, r);
  }
}

static int32_t argument_ref(const stow_domain *domain, MlirBlock entry, size_t argument) {
  return stow_map_get(&domain->ref_index, mlirBlockGetArgument(entry, (intptr_t)argument).ptr);
}

static bool is_argument(const stow_ref *ref, MlirBlock entry) {
  return !mlirValueIsNull(ref->value) && mlirValueIsABlockArgument(ref->value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(ref->value), entry);
}

static void promise_arguments(const stow_decision *decision, MlirBlock entry,
                              stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  stow_ref_walk freed = stow_ref_walk_create(domain);
  for (size_t i = 0; i < domain->free_count; ++i)
    stow_ref_walk_add(&freed, domain->frees[i].ref);
  find_sources(&freed);
  for (size_t a = 0; a < contract->argument_count; ++a) {
    int32_t ref = argument_ref(domain, entry, a);
    if (ref < 0)
      continue;
    contract->arguments[a].owned = domain->refs[ref].origin == STOW_MADE;
    contract->arguments[a].freed = stow_ref_walk_has(&freed, ref) || contract->arguments[a].owned;
    contract->arguments[a].kept =
        decision->owners.left[ref] >= 0 && !stow_is_left_to_bits(&decision->owners, ref);
  }
  stow_ref_walk_free(&freed);
}

bool stow_clones_argument(const stow_decision *decision, size_t argument) {
  const stow_domain *domain = &decision->domain;
  MlirBlock entry = mlirRegionGetFirstBlock(domain->region);
  int32_t ref = argument_ref(domain, entry, argument);
  stow_ref_walk sources = stow_ref_walk_create(domain);
  for (size_t i = 0; i < domain->handover_count; ++i) {
    const stow_handover *h = &domain->handovers[i];
    bool cloned = h->manner == STOW_COPY || h->manner == STOW_SETTLE;
    if (cloned && domain->stretches[h->stretch].reachable)
      stow_ref_walk_add(&sources, h->ref);
  }
  find_sources(&sources);
  bool cloned = stow_ref_walk_has(&sources, ref);
  stow_ref_walk_free(&sources);
  return cloned;
}

// What the function writes of its arguments, and whether it writes what it is not given.
static void promise_writes(const stow_decision *decision, MlirBlock entry,
                           stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  stow_ref_walk written = stow_ref_walk_create(domain);
  for (size_t i = 0; i < domain->use_count; ++i) {
    const stow_mention *use = &domain->uses[i];
    if (use->ref < 0)
      contract->writes_outside = true;
    else if (use->writes)
      stow_ref_walk_add(&written, use->ref);
  }
  find_sources(&written);
  for (size_t i = 0; i < written.count; ++i) {
    const stow_ref *ref = &domain->refs[written.items[i]];
    if (is_argument(ref, entry))
      contract->arguments[mlirBlockArgumentGetArgNumber(ref->value)].written = true;
    else
      contract->writes_outside |= ref->foreign && !ref->stack;
  }
  stow_ref_walk_free(&written);
}

// Where bits free, an earlier run made all returns of a function agree.
static bool gives_allocation(const stow_decision *decision, int32_t result,
                             const stow_ref_walk *sources) {
  const stow_domain *domain = &decision->domain;
  if (!stow_is_left_to_bits(&decision->owners, result))
    return false;
  for (size_t i = 0; i < sources->count; ++i) {
    const stow_ref *source = &domain->refs[sources->items[i]];
    if (source->origin == STOW_MADE && domain->stretches[source->stretch].reachable)
      return true;
  }
  return false;
}

static bool is_left_alone(const stow_decision *decision, int32_t result) {
  int32_t flight = decision->owners.left[result];
  return flight >= 0 && decision->domain.flights[flight].departure == STOW_ESCAPED;
}

static void promise_result(const stow_decision *decision, MlirBlock entry, int32_t result,
                           const stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  int32_t ref = domain->result + result;
  stow_contract_result *promised = &contract->results[result];
  stow_ref_walk sources = stow_ref_walk_create(domain);
  stow_ref_walk_add(&sources, ref);
  find_sources(&sources);
  promised->unowned = is_left_alone(decision, ref);
  promised->owned = !promised->unowned &&
                    (decision->owners.owns[ref] || gives_allocation(decision, ref, &sources));
  promised->part = domain->refs[ref].part;
  promised->foreign = decision->owners.left[ref] >= 0;
  for (size_t i = 0; i < sources.count; ++i) {
    const stow_ref *source = &domain->refs[sources.items[i]];
    if (is_argument(source, entry))
      promised->may_be[mlirBlockArgumentGetArgNumber(source->value)] = true;
    else
      promised->foreign |= decision->owners.mixed[sources.items[i]] &&
                           source->origin != STOW_TARGET &&
                           (source->foreign || source->origin == STOW_MADE);
  }
  stow_ref_walk_free(&sources);
}

stow_contract stow_contract_empty(MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(stow_function_body(function));
  size_t arguments = (size_t)mlirBlockGetNumArguments(entry);
  size_t results = (size_t)stow_function_result_count(function);
  stow_contract contract = {
      .argument_count = arguments,
      .result_count = results,
      .arguments = stow_allocate(arguments, sizeof(stow_contract_argument)),
      .results = stow_allocate(results, sizeof(stow_contract_result)),
  };
  for (size_t i = 0; i < results; ++i)
    contract.results[i].may_be = stow_allocate(arguments, sizeof(bool));
  return contract;
}

stow_contract stow_contract_of(const stow_decision *decision) {
  MlirBlock entry = mlirRegionGetFirstBlock(decision->domain.region);
  stow_contract contract = stow_contract_empty(decision->domain.op);
  promise_arguments(decision, entry, &contract);
  promise_writes(decision, entry, &contract);
  for (size_t i = 0; i < contract.result_count; ++i)
    promise_result(decision, entry, (int32_t)i, &contract);
  return contract;
}

static bool add(bool *to, bool from) {
  bool grows = from && !*to;
  *to |= from;
  return grows;
}

// Whether an argument is owned, all must agree on: its callers free it, or they do not.
static bool join_owned(stow_contract_argument *to, const stow_contract_argument *from) {
  if (to->disowned || to->owned == from->owned)
    return false;
  to->disowned = to->owned;
  to->owned = from->owned;
  return true;
}

static bool join_argument(stow_contract_argument *to, const stow_contract_argument *from) {
  bool grows = add(&to->kept, from->kept);
  grows |= join_owned(to, from);
  grows |= add(&to->unclear, from->unclear);
  grows |= add(&to->freed, from->freed);
  return add(&to->written, from->written) || grows;
}

static bool join_result(stow_contract_result *to, const stow_contract_result *from,
                        size_t arguments) {
  bool grows = add(&to->unowned, from->unowned);
  to->owned &= !to->unowned;
  grows |= add(&to->owned, from->owned && !to->unowned);
  grows |= add(&to->part, from->part);
  grows |= add(&to->foreign, from->foreign);
  for (size_t a = 0; a < arguments; ++a)
    grows |= add(&to->may_be[a], from->may_be[a]);
  return grows;
}

bool stow_contract_join(stow_contract *to, const stow_contract *from) {
  bool grows = add(&to->writes_outside, from->writes_outside);
  for (size_t a = 0; a < to->argument_count; ++a)
    grows |= join_argument(&to->arguments[a], &from->arguments[a]);
  for (size_t r = 0; r < to->result_count; ++r)
    grows |= join_result(&to->results[r], &from->results[r], to->argument_count);
  return grows;
}

const stow_contract_argument *stow_contract_argument_at(const stow_contract *contract,
                                                        MlirOperation call, intptr_t operand) {
  intptr_t first, count;
  stow_call_arguments(call, &first, &count);
  bool known = contract->argument_count == (size_t)count && operand >= first;
  return known && operand < first + count ? &contract->arguments[operand - first] : NULL;
}

void stow_contract_free(stow_contract *contract) {
  for (size_t i = 0; i < contract->result_count; ++i)
    free(contract->results[i].may_be);
  free(contract->arguments), free(contract->results);
  *contract = (stow_contract){0};
}
