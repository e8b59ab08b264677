//===- promise.c - what a decided function promises its callers -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a decided function. Computes its contract: which arguments it frees, keeps or writes,
// which results the caller owns, and which argument a result may be. It is found by a walk back
// from results, writes and escapes to the arguments that flow into them.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"

static void walk_back(const stow_domain *domain, stow_walk *walk, int32_t ref) {
  stow_dealloc_walk_backward(domain, walk, ref, NULL, NULL);
  stow_walk_add_all(walk, &domain->taken_to, ref);
}

// Adds all refs that flow into those added before.
static void find_sources(const stow_domain *domain, stow_walk *walk) {
  for (int32_t r; stow_walk_next(walk, &r);)
    walk_back(domain, walk, r);
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
  stow_walk freed = stow_walk_create(domain->refs.count);
  for (size_t i = 0; i < domain->frees.count; ++i)
    stow_walk_add(&freed, domain->frees.at[i].ref);
  find_sources(domain, &freed);
  for (size_t a = 0; a < contract->argument_count; ++a) {
    int32_t ref = argument_ref(domain, entry, a);
    if (ref < 0)
      continue;
    contract->arguments[a].owned = domain->refs.at[ref].origin == STOW_MADE;
    contract->arguments[a].freed = stow_walk_has(&freed, ref);
    contract->arguments[a].kept = decision->owners.of[ref].escape >= 0 &&
                                  !stow_dealloc_is_freed_by_bits(&decision->owners, ref);
  }
  stow_walk_free(&freed);
}

bool stow_dealloc_clones_argument(const stow_decision *decision, size_t argument) {
  const stow_domain *domain = &decision->domain;
  MlirBlock entry = mlirRegionGetFirstBlock(domain->region);
  int32_t ref = argument_ref(domain, entry, argument);
  stow_walk sources = stow_walk_create(domain->refs.count);
  for (size_t i = 0; i < domain->forwarded.count; ++i) {
    const stow_forwarded *f = &domain->forwarded.at[i];
    stow_transfer_kind kind = decision->owners.transfers[i].kind;
    if (kind == STOW_CLONE || kind == STOW_MOVE_ON_EDGE)
      stow_walk_add(&sources, f->ref);
  }
  find_sources(domain, &sources);
  bool cloned = stow_walk_has(&sources, ref);
  stow_walk_free(&sources);
  return cloned;
}

// Which arguments the function writes, and whether it writes other memory from outside.
static void promise_writes(const stow_decision *decision, MlirBlock entry,
                           stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  stow_walk written = stow_walk_create(domain->refs.count);
  STOW_EACH(const stow_own_mention, use, domain->uses) {
    if (use->ref < 0)
      contract->writes_outside = true;
    else if (use->writes)
      stow_walk_add(&written, use->ref);
  }
  find_sources(domain, &written);
  for (size_t i = 0; i < written.count; ++i) {
    const stow_ref *ref = &domain->refs.at[written.items[i]];
    if (is_argument(ref, entry))
      contract->arguments[mlirBlockArgumentGetArgNumber(ref->value)].written = true;
    else
      contract->writes_outside |= ref->foreign && !ref->stack;
  }
  stow_walk_free(&written);
}

static bool is_cloned_by_bit(const stow_ref *ref) {
  return !mlirValueIsNull(ref->value) && mlirValueIsAOpResult(ref->value) &&
         stow_dealloc_is_by_bit(mlirOpResultGetOwner(ref->value));
}

// Whether a result may be an argument itself, and not only a clone that an earlier run has made of
// one that is not owned.
static bool lends_argument(const stow_decision *decision, MlirBlock entry, int32_t result) {
  const stow_domain *domain = &decision->domain;
  stow_walk walk = stow_walk_create(domain->refs.count);
  bool lends = false;
  stow_walk_add(&walk, result);
  for (int32_t r; stow_walk_next(&walk, &r);) {
    lends |= is_argument(&domain->refs.at[r], entry);
    if (!is_cloned_by_bit(&domain->refs.at[r]))
      walk_back(domain, &walk, r);
  }
  stow_walk_free(&walk);
  return lends;
}

// Where bits free, an earlier run made the function's results owned on all paths. Not so one that
// lends an argument: the bits may be those of a function that was inlined.
static bool gives_allocation(const stow_decision *decision, int32_t result,
                             const stow_walk *sources, MlirBlock entry) {
  const stow_domain *domain = &decision->domain;
  if (!stow_dealloc_is_freed_by_bits(&decision->owners, result) ||
      lends_argument(decision, entry, result))
    return false;
  for (size_t i = 0; i < sources->count; ++i) {
    const stow_ref *source = &domain->refs.at[sources->items[i]];
    if (source->origin == STOW_MADE && domain->segments.at[source->segment].reachable)
      return true;
  }
  return false;
}

static bool may_be_argument(const stow_contract_result *promised, size_t arguments) {
  for (size_t a = 0; a < arguments; ++a)
    if (promised->may_be[a])
      return true;
  return false;
}

// Whether callers cannot know that they own a result: its address got away, or it may be an
// argument that the program frees in its own way.
static bool is_left_alone(const stow_decision *decision, int32_t result, bool may_be_argument) {
  const int32_t escape = decision->owners.of[result].escape;
  if (escape < 0)
    return false;
  const stow_escape_kind kind = decision->owners.escapes.at[escape].kind;
  return kind == STOW_ESCAPED || (kind == STOW_MANAGED && may_be_argument);
}

static void promise_result(const stow_decision *decision, MlirBlock entry, int32_t result,
                           const stow_contract *contract) {
  const stow_domain *domain = &decision->domain;
  int32_t ref = domain->result + result;
  stow_contract_result *promised = &contract->results[result];
  stow_walk sources = stow_walk_create(domain->refs.count);
  stow_walk_add(&sources, ref);
  find_sources(domain, &sources);
  promised->part = decision->owners.of[ref].part;
  promised->foreign = decision->owners.of[ref].escape >= 0;
  for (size_t i = 0; i < sources.count; ++i) {
    const stow_ref *source = &domain->refs.at[sources.items[i]];
    if (is_argument(source, entry))
      promised->may_be[mlirBlockArgumentGetArgNumber(source->value)] = true;
    else
      promised->foreign |= decision->owners.of[sources.items[i]].mixed &&
                           source->origin != STOW_PHI &&
                           (source->foreign || source->origin == STOW_MADE);
  }
  promised->unowned =
      is_left_alone(decision, ref, may_be_argument(promised, contract->argument_count));
  promised->owned = !promised->unowned && (decision->owners.of[ref].owns ||
                                           gives_allocation(decision, ref, &sources, entry));
  stow_walk_free(&sources);
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
