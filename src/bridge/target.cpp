//===- target.cpp - what the program says of its target -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/target.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

// What a device says with keys of this project; its name is the device's unless it says another.
static DictionaryAttr memoryOf(StringAttr name, TargetDeviceSpecInterface device) {
  NamedAttrList members;
  for (DataLayoutEntryInterface entry : device.getEntries()) {
    auto key = dyn_cast<StringAttr>(entry.getKey());
    StringRef member = key ? key.getValue() : "";
    if (member.consume_front("stowage.") && !member.empty())
      members.set(member, entry.getValue());
  }
  if (!members.empty() && !members.get("name"))
    members.set("name", name);
  return members.getDictionary(name.getContext());
}

MlirAttribute stow_bridge_target_memories(MlirOperation op) {
  auto system =
      unwrap(op)->getAttrOfType<TargetSystemSpecInterface>(DLTIDialect::kTargetSystemDescAttrName);
  SmallVector<Attribute> memories;
  if (!system)
    return MlirAttribute{nullptr};
  for (DataLayoutEntryInterface entry : system.getEntries()) {
    auto name = dyn_cast<StringAttr>(entry.getKey());
    auto device = dyn_cast<TargetDeviceSpecInterface>(entry.getValue());
    DictionaryAttr memory = name && device ? memoryOf(name, device) : DictionaryAttr();
    if (memory && !memory.empty())
      memories.push_back(memory);
  }
  return memories.empty() ? MlirAttribute{nullptr}
                          : wrap(ArrayAttr::get(unwrap(op)->getContext(), memories));
}
