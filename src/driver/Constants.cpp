//===- Constants.cpp - constants that the text of a module only names ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/compiler.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

using ConstantsByName = llvm::StringMap<const stow_constant *>;

static void setBlob(DialectResourceBlobManager::BlobEntry &entry, stow_bytes data) {
  constexpr size_t heap = 16; // what memory of the heap is aligned to
  const size_t wanted = entry.getBlob() ? entry.getBlob()->getDataAlignment() : 1;
  entry.setBlob(
      UnmanagedAsmResourceBlob::allocateWithAlign({data.data, data.size}, std::min(wanted, heap)));
}

// A resource that is one of the dense constants, as the parser reads those; null where it cannot
// be.
static std::optional<Attribute> toDense(DenseResourceElementsAttr resource,
                                        const ConstantsByName &dense) {
  const stow_constant *constant = dense.lookup(resource.getRawHandle().getKey());
  if (!constant)
    return std::nullopt;
  bool splat = false;
  const llvm::ArrayRef<char> raw(constant->data.data, constant->data.size);
  return DenseElementsAttr::isValidRawBuffer(resource.getType(), raw, splat)
             ? Attribute(DenseElementsAttr::getFromRawBuffer(resource.getType(), raw))
             : Attribute();
}

static bool makeDense(ModuleOp module, const ConstantsByName &dense) {
  bool fits = true;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DenseResourceElementsAttr resource) -> std::optional<Attribute> {
    const std::optional<Attribute> made = toDense(resource, dense);
    fits &= !made || *made;
    return made && !*made ? std::optional<Attribute>(resource) : made;
  });
  module.walk([&](Operation *op) {
    replacer.replaceElementsIn(op);
    if (!fits)
      op->emitError("the hexadecimal digits of a constant are not as many as its type has");
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return fits;
}

bool stow_compiler_fill_constants(MlirModule wrapped, const stow_constant *constants,
                                  size_t count) {
  ModuleOp module = unwrap(wrapped);
  DialectResourceBlobManager &blobs =
      DenseResourceElementsHandle::getManagerInterface(module.getContext()).getBlobManager();
  ConstantsByName dense;
  for (const stow_constant *it = constants; it != constants + count; ++it) {
    auto *entry = blobs.lookup(it->name);
    if (it->is_dense)
      dense[it->name] = it;
    else if (entry)
      setBlob(*entry, it->data);
  }
  return makeDense(module, dense);
}
