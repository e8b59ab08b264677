//===- contract.c - what a decided function promises its callers ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"

#include <stdlib.h>

typedef struct search {
  bool *found; // per ref
  int32_t *stack;
  size_t count;
} search;

static void find(search *s, int32_t ref) {
  if (!s->found[ref])
    s->stack[s->count++] = ref;
  s->found[ref] = true;
}

// All that a ref may stand for, by going backwards. `found` has an entry per ref.
static void find_sources(const stow_domain *d, int32_t ref, bool *found) {
  search s = {.found = found, .stack = stow_allocate(d->ref_count, sizeof *s.stack)};
  for (find(&s, ref); s.count > 0;) {
    int32_t r = s.stack[--s.count];
    for (int32_t i = d->views_to.first[r]; i < d->views_to.first[r + 1]; ++i)
      find(&s, d->views[d->views_to.items[i]].from);
    for (int32_t i = d->taken_to.first[r]; i < d->taken_to.first[r + 1]; ++i)
      find(&s, d->takeovers[d->taken_to.items[i]].from);
    for (int32_t i = d->handed_to.first[r]; i < d->handed_to.first[r + 1]; ++i)
      find(&s, d->handovers[d->passes[d->handed_to.items[i]].handover].ref);
  }
  free(s.stack);
}

static int32_t argument_ref(const stow_domain *domain, MlirBlock entry, size_t argument) {
  return stow_map_get(&domain->ref_index, mlirBlockGetArgument(entry, (intptr_t)argument).ptr);
}

static void promise_arguments(const stow_decision *decision, MlirBlock entry,
                              stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  bool *freed = stow_allocate(domain->ref_count, sizeof *freed);
  for (size_t i = 0; i < domain->free_count; ++i)
    if (!freed[domain->frees[i].ref])
      find_sources(domain, domain->frees[i].ref, freed);
  for (size_t a = 0; a < contract->argument_count; ++a) {
    int32_t ref = argument_ref(domain, entry, a);
    if (ref < 0)
      continue;
    contract->arguments[a].owned = domain->refs[ref].origin == STOW_MADE;
    contract->arguments[a].freed = freed[ref] || contract->arguments[a].owned;
    contract->arguments[a].kept =
        decision->owners.left[ref] >= 0 && !stow_is_left_to_bits(&decision->owners, ref);
  }
  free(freed);
}

bool stow_clones_argument(const stow_decision *decision, size_t argument) {
  const stow_domain *domain = &decision->domain;
  MlirBlock entry = mlirRegionGetFirstBlock(domain->region);
  int32_t ref = argument_ref(domain, entry, argument);
  bool *sources = stow_allocate(domain->ref_count, sizeof *sources);
  for (size_t i = 0; i < domain->handover_count; ++i) {
    const stow_handover *h = &domain->handovers[i];
    bool cloned = h->manner == STOW_COPY || h->manner == STOW_SETTLE;
    if (cloned && domain->stretches[h->stretch].reachable && !sources[h->ref])
      find_sources(domain, h->ref, sources);
  }
  bool cloned = sources[ref];
  free(sources);
  return cloned;
}

// What the function writes of its arguments, and whether it writes what it is not given.
static void promise_writes(const stow_decision *decision, MlirBlock entry,
                           stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  bool *written = stow_allocate(domain->ref_count, sizeof *written);
  for (size_t i = 0; i < domain->use_count; ++i) {
    const stow_mention *use = &domain->uses[i];
    if (use->ref < 0)
      contract->writes_outside = true;
    else if (use->writes && !written[use->ref])
      find_sources(domain, use->ref, written);
  }
  for (size_t a = 0; a < contract->argument_count; ++a) {
    int32_t ref = argument_ref(domain, entry, a);
    if (ref < 0)
      continue;
    contract->arguments[a].written = written[ref];
    written[ref] = false;
  }
  for (size_t r = 0; r < domain->ref_count; ++r)
    contract->writes_outside |= written[r] && domain->refs[r].foreign && !domain->refs[r].stack;
  free(written);
}

// Where bits free, an earlier run made all returns of a function agree.
static bool gives_allocation(const stow_decision *decision, int32_t result, const bool *sources) {
  const stow_domain *domain = &decision->domain;
  if (!stow_is_left_to_bits(&decision->owners, result))
    return false;
  for (size_t r = 0; r < domain->ref_count; ++r)
    if (sources[r] && domain->refs[r].origin == STOW_MADE &&
        domain->stretches[domain->refs[r].stretch].reachable)
      return true;
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
  bool *sources = stow_allocate(domain->ref_count, sizeof *sources);
  find_sources(domain, ref, sources);
  promised->unowned = is_left_alone(decision, ref);
  promised->owned = !promised->unowned &&
                    (decision->owners.owns[ref] || gives_allocation(decision, ref, sources));
  promised->part = domain->refs[ref].part;
  promised->foreign = decision->owners.left[ref] >= 0;
  for (size_t a = 0; a < contract->argument_count; ++a) {
    int32_t argument = argument_ref(domain, entry, a);
    promised->may_be[a] = argument >= 0 && sources[argument];
    if (promised->may_be[a])
      sources[argument] = false;
  }
  for (size_t r = 0; r < domain->ref_count; ++r)
    promised->foreign |= sources[r] && decision->owners.mixed[r] &&
                         domain->refs[r].origin != STOW_TARGET &&
                         (domain->refs[r].foreign || domain->refs[r].origin == STOW_MADE);
  free(sources);
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
