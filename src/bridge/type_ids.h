//===- type_ids.h - the same trait identities from GCC as from Clang ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR identifies a trait by the *printed name* of Trait<Empty>, where Empty is a
// class local to TypeID::get. Clang, which the packaged libMLIR is built with,
// prints it as "IsTerminator<Empty>"; GCC as "IsTerminator<TypeID::get<...>()::Empty>".
// So code built with GCC would find no trait on any op, and ops it defines would
// have none that libMLIR can see. This header, included before any of MLIR's in
// every C++ file of the build, spells such names as Clang does.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_TYPE_IDS_H
#define STOWAGE_BRIDGE_TYPE_IDS_H

#if defined(__GNUC__) && !defined(__clang__)

#include "mlir/Support/TypeID.h"

#include <string>
#include <string_view>

namespace stowage {

template <typename T> constexpr bool isTraitOfLocalEmpty() {
  constexpr std::string_view name = __PRETTY_FUNCTION__, end = "()::Empty>]";
  return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
}

// "A<B<1>, X<Y>()::Empty>" becomes "A<B<1>, Empty>": the last argument is cut back to its last
// name.
inline std::string withPlainEmpty(std::string name) {
  size_t begin = name.size() - 1;
  for (int depth = 0; begin > 0; --begin) {
    char c = name[begin - 1];
    depth += c == '>' ? 1 : c == '<' ? -1 : 0;
    if (depth < 0 || (depth == 0 && c == ' '))
      break;
  }
  return name.replace(begin, name.size() - 1 - begin, "Empty");
}

} // namespace stowage

namespace mlir::detail {

template <typename T>
class TypeIDResolver<T, std::enable_if_t<stowage::isTraitOfLocalEmpty<T>()>>
    : public FallbackTypeIDResolver {
public:
  static TypeID resolveTypeID() {
    // The registry keeps the name's address, beyond the life of this library if need be.
    static const std::string *name =
        new std::string(stowage::withPlainEmpty(llvm::getTypeName<T>().str()));
    static TypeID id = registerImplicitTypeID(*name);
    return id;
  }
};

} // namespace mlir::detail

#endif

#endif // STOWAGE_BRIDGE_TYPE_IDS_H
