//===- Statistics.cpp - what the passes did, counted ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With --mlir-pass-statistics MLIR prints the counters of its passes, in builds of LLVM that have
// them, which those of distributions have not. So ours are counted here, by what the passes tell
// anyway: each remark is one more of its name. They are printed when the process ends, in any tool
// that has the option.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "driver/Passes.h"
#include "ir/allocated.h"

#include "llvm/Support/Format.h"

#include <map>
#include <mutex>

using namespace stowage;

namespace {

struct Numbers {
  uint64_t runs = 0;
  stow_allocated before = {}, after = {};
  std::map<std::pair<stow_remark_kind, std::string>, uint64_t> told;
};

void add(stow_allocated &to, stow_allocated more) {
  to.buffers += more.buffers;
  to.bytes += more.bytes;
}

struct Statistics;
Statistics *wanted();

struct Statistics {
  Statistics() {
    llvm::errs(); // which is there for as long as this, then
    stow_bridge_count_remarks([](const stow_remark *remark) { wanted()->count(*remark); });
  }
  ~Statistics() { print(llvm::errs()); }

  void ran(llvm::StringRef pass, stow_allocated before, stow_allocated after) {
    std::lock_guard<std::mutex> guard(lock);
    Numbers &numbers = passes[pass.str()];
    ++numbers.runs;
    add(numbers.before, before);
    add(numbers.after, after);
  }

  void count(const stow_remark &remark) {
    std::lock_guard<std::mutex> guard(lock);
    const std::string reason = remark.reason ? ": " + std::string(remark.reason) : "";
    passes[remark.category].told[{remark.kind, remark.name + reason}] +=
        std::max<size_t>(remark.count, 1);
  }

private:
  std::mutex lock;
  std::map<std::string, Numbers> passes; // modules may run at once: sorted, not in order

  static void line(llvm::raw_ostream &os, uint64_t number, const llvm::Twine &what) {
    os << llvm::format("  (S) %8llu ", static_cast<unsigned long long>(number)) << what << '\n';
  }

  static void print(llvm::raw_ostream &os, const Numbers &numbers) {
    if (numbers.runs > 0) { // else another pass ran it
      line(os, numbers.runs, "runs");
      line(os, numbers.before.buffers, "buffers before");
      line(os, numbers.after.buffers, "buffers after");
      line(os, numbers.before.bytes, "bytes before");
      line(os, numbers.after.bytes, "bytes after");
    }
    static const char *const kinds[] = {"passed: ", "missed: ", "analysis: "};
    for (const auto &[told, number] : numbers.told)
      line(os, number, kinds[told.first] + told.second);
  }

  void print(llvm::raw_ostream &os) const {
    const std::string rule = "===" + std::string(73, '-') + "===\n";
    os << rule << std::string(22, ' ') << "... Stowage statistics report ...\n" << rule;
    for (const auto &[pass, numbers] : passes) {
      os << pass << '\n';
      print(os, numbers);
    }
  }
};

// What the option asks for, from the first pass that runs on; or null.
Statistics *wanted() {
  static const llvm::cl::Option *option =
      llvm::cl::getRegisteredOptions().lookup("mlir-pass-statistics");
  if (!option || option->getNumOccurrences() == 0)
    return nullptr;
  static Statistics all;
  return &all;
}

} // namespace

void ModulePass::runOnOperation() {
  Statistics *all = wanted();
  if (!all)
    return runOnModule();
  const MlirOperation module = wrap(getOperation().getOperation());
  const stow_allocated before = stow_allocated_in(module);
  runOnModule();
  all->ran(getArgument(), before, stow_allocated_in(module));
}
