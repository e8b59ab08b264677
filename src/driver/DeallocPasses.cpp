//===- DeallocPasses.cpp - the passes of src/dealloc for the pass manager -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"
#include "driver/Pipeline.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_BUFFERDEALLOCATION
#define GEN_PASS_DEF_HOISTALLOCATIONS
#define GEN_PASS_DEF_LOWERCLONES
#define GEN_PASS_DEF_PROMOTEALLOCSTOSTACK
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct BufferDeallocationPass : impl::BufferDeallocationBase<BufferDeallocationPass> {
  using BufferDeallocationBase::BufferDeallocationBase;
  void runOnModule() override {
    stow_idle_subject deallocs = {};
    deallocs.op = "memref.dealloc";
    deallocs.for_allocs = true;
    deallocs.none_added = ": remarks say what is left alone";
    if (!tighten) {
      deallocs.adds = true;
      deallocs.changed = "added";
      deallocs.none_added = ": all is freed, or remarks say why not";
    }
    run(tighten ? stow_tighten_deallocs : stow_buffer_deallocation, {}, &deallocs);
  }
};

struct LowerClonesPass : impl::LowerClonesBase<LowerClonesPass> {
  using LowerClonesBase::LowerClonesBase;
  void runOnModule() override {
    if (!simplifyOnly)
      return stow_lower_clones(wrap(getOperation().getOperation()));
    stow_idle_subject clones = {};
    clones.op = "bufferization.clone";
    clones.none_is_usual = true;
    clones.changed = "removed";
    runWatched(getOperation(), getArgument(), clones, stow_simplify_clones);
  }
};

struct HoistAllocationsPass : impl::HoistAllocationsBase<HoistAllocationsPass> {
  using HoistAllocationsBase::HoistAllocationsBase;
  void runOnModule() override {
    stow_idle_subject allocs = {};
    allocs.op = "memref.alloc";
    run(stow_hoist_allocations, {}, &allocs);
  }
};

struct PromoteAllocsToStackPass : impl::PromoteAllocsToStackBase<PromoteAllocsToStackPass> {
  using PromoteAllocsToStackBase::PromoteAllocsToStackBase;
  void runOnModule() override { run(stow_promote_allocs_to_stack); }
};

// What a program wants between bufferization and the lowering to LLVM.
struct MemoryPipelineOptions : mlir::PassPipelineOptions<MemoryPipelineOptions> {
  Option<std::string> start{*this, "start",
                            llvm::cl::desc("What runs first: deallocation (then buffer-reuse), or "
                                           "merge-alloc (then deallocation of the rest)"),
                            llvm::cl::init("deallocation")};
  Option<bool> hoist{*this, "hoist", llvm::cl::desc("Run hoist-allocations first"),
                     llvm::cl::init(false)};
  Option<bool> elideCopies{*this, "elide-copies",
                           llvm::cl::desc("Run elide-copies first: one buffer instead of a copy's "
                                          "source and target"),
                           llvm::cl::init(false)};
  Option<bool> orderForMemory{*this, "order-for-memory",
                              llvm::cl::desc("Run order-for-memory first: ops in the order in "
                                             "which the fewest bytes are live at the peak"),
                              llvm::cl::init(false)};
  Option<bool> streamRows{*this, "stream-rows",
                          llvm::cl::desc("Run stream-rows first: networks row by row"),
                          llvm::cl::init(false)};
  Option<bool> reducePeak{*this, "reduce-peak",
                          llvm::cl::desc("Run reduce-peak first: the combination of elide-copies, "
                                         "order-for-memory and stream-rows that makes the arenas "
                                         "smallest"),
                          llvm::cl::init(false)};
  Option<std::string> arena{
      *this, "arena",
      llvm::cl::desc("As in merge-alloc, which then starts: where the arenas of functions are"),
      llvm::cl::init("alloc")};
  ListOption<std::string> entries{*this, "entries",
                                  llvm::cl::desc("As in merge-alloc: public functions whose "
                                                 "signature may change")};
  Option<bool> publicEntries{*this, "public",
                             llvm::cl::desc("As in merge-alloc: all public functions are entries"),
                             llvm::cl::init(false)};
  Option<bool> keepWrapper{*this, "keep-wrapper",
                           llvm::cl::desc("As in merge-alloc: entries keep their signature"),
                           llvm::cl::init(false)};
  Option<bool> resultArguments{*this, "result-arguments",
                               llvm::cl::desc("As in merge-alloc: what entries return is an "
                                              "argument"),
                               llvm::cl::init(false)};
  Option<Bytes> stackLimit{*this, "arena-stack-limit-in-bytes",
                           llvm::cl::desc("As in merge-alloc: the largest arena on the stack"),
                           llvm::cl::init(Bytes(STOW_DEFAULT_STACK_LIMIT))};
  Option<std::string> header{*this, "emit-header",
                             llvm::cl::desc("As in merge-alloc: a C header to write")};
  Option<std::string> dynamic{
      *this, "dynamic",
      llvm::cl::desc("As in merge-alloc and buffer-reuse: buffers whose size is known at run time "
                     "only"),
      llvm::cl::init("off")};
  Option<Bytes> alignment{
      *this, "alignment-in-bytes",
      llvm::cl::desc("As in merge-alloc and buffer-reuse: slices start at multiples of this"),
      llvm::cl::init(Bytes(64))};
  Option<Ratio> maxHeapOverhead{
      *this, "max-heap-overhead",
      llvm::cl::desc("As in merge-alloc and buffer-reuse: bound on the heap's peak; with "
                     "reduce-peak 0, if it is not given"),
      llvm::cl::init(Ratio(-1))};
  Option<bool> poolAll{*this, "pool-all",
                       llvm::cl::desc("As in buffer-reuse: also buffers that can share with no "
                                      "other"),
                       llvm::cl::init(false)};
  Option<bool> requireDealloc{
      *this, "require-dealloc",
      llvm::cl::desc("As in buffer-reuse: do not plan buffers that nothing deallocates"),
      llvm::cl::init(true)};
  Option<Bytes> stackBytes{*this, "stack-bytes",
                           llvm::cl::desc("Buffers of at most this many bytes go to the stack "
                                          "(promote-allocs-to-stack); 0: none"),
                           llvm::cl::init(Bytes(0))};
  Option<std::string> unknownOps{
      *this, "unknown-ops",
      llvm::cl::desc("As in all passes of the pipeline; if it is not given, each takes its own")};
};

// Options of both passes that plan.
std::string heapOptions(const MemoryPipelineOptions &options) {
  const bool given = options.maxHeapOverhead.hasValue();
  const double bound = given ? double(options.maxHeapOverhead) : 0;
  return "dynamic=" + options.dynamic +
         " alignment-in-bytes=" + std::to_string(options.alignment.value) +
         (given || options.reducePeak ? " max-heap-overhead=" + std::to_string(bound) : "");
}

std::string reuseOptions(const MemoryPipelineOptions &options) {
  return std::string(options.poolAll ? " pool-all" : "") +
         (options.requireDealloc ? "" : " require-dealloc=false");
}

// merge-alloc's own options.
std::string mergeOptions(const MemoryPipelineOptions &options) {
  std::string text = "arena=" + options.arena;
  auto flag = [&](bool set, const char *name) { text += set ? std::string(" ") + name : ""; };
  flag(options.publicEntries, "public");
  flag(options.keepWrapper, "keep-wrapper");
  flag(options.resultArguments, "result-arguments");
  for (size_t i = 0; i < options.entries.size(); ++i)
    text += (i == 0 ? " entries=" : ",") + options.entries[i];
  if (options.arena == "stack" && options.stackLimit.hasValue())
    text += " arena-stack-limit-in-bytes=" + std::to_string(options.stackLimit.value);
  return text + (options.header.empty() ? "" : " emit-header=" + options.header);
}

mlir::FailureOr<std::string> memoryPipeline(const MemoryPipelineOptions &options,
                                            ErrorHandler error) {
  if (options.start != "deallocation" && options.start != "merge-alloc")
    return error("stowage-memory: start must be deallocation or merge-alloc, not '" +
                 options.start + "'");
  if (options.hoist && options.maxHeapOverhead.hasValue() && double(options.maxHeapOverhead) >= 0)
    return error("stowage-memory: hoist keeps buffers allocated for longer, so that "
                 "max-heap-overhead would not bound the heap by that of the program; leave out "
                 "one of the two");
  const std::string frames = mergeOptions(options);
  const std::string heap = heapOptions(options);
  const bool merges = options.start == "merge-alloc" || frames != "arena=alloc";
  const std::string policy = options.unknownOps.empty() ? "" : "unknown-ops=" + options.unknownOps;
  const std::string elide =
      frames == "arena=alloc" ? "elide-copies," : "elide-copies{allocation-free-loops},";
  auto pass = [&](bool wanted, const std::string &name, const std::string &own = "") {
    return wanted ? name + "{" + own + " " + policy + "}," : "";
  };
  return std::string(options.reducePeak ? "reduce-peak," : "") +
         (options.elideCopies ? elide : "") + (options.orderForMemory ? "order-for-memory," : "") +
         (options.streamRows ? "stream-rows," : "") + pass(options.hoist, "hoist-allocations") +
         pass(merges, "merge-alloc", heap + " " + frames) + pass(true, "buffer-deallocation") +
         "lower-clones{simplify-only}," +
         pass(options.stackBytes.value > 0, "promote-allocs-to-stack",
              "max-size-in-bytes=" + std::to_string(options.stackBytes.value)) +
         pass(!merges, "buffer-reuse", heap + reuseOptions(options)) + "lower-clones";
}

} // namespace

void stowage::registerDeallocPipeline() {
  registerTextPipeline("stowage-memory",
                       "From bufferized IR to IR that is ready to be lowered: deallocation or "
                       "merge-alloc, buffer-reuse, clones lowered to copies",
                       memoryPipeline);
}
