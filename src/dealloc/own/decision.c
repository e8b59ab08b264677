//===- decision.c - a region with what is decided of it -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"

#include <stdlib.h>

void stow_decision_find(stow_decision *decision) {
  do
    stow_owners_find(&decision->owners);
  while (!stow_releases_find(&decision->domain, &decision->owners, &decision->releases));
}

void stow_decision_forget(stow_decision *decision) {
  stow_releases_free(&decision->releases);
  stow_owners_free(&decision->owners);
  stow_domain_free(&decision->domain);
}

void stow_decision_free(stow_decision *decision) {
  stow_decision_forget(decision);
  free(decision->splits.at);
}
