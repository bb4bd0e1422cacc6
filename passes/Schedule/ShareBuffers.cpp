// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds values that need no memory of their own. A contiguous slice becomes a
// part of its operand. The operands of a concatenation along the outermost dim
// are made in their parts of the result. A value that is computed element by
// element from a value that nobody reads any more is written to that value's
// memory.
//
// The first two save a copy but make the larger buffer live longer, so they are
// done as long as the task's peak does not grow. The third one never takes
// memory. Its buffers must be of the main stream, so that no new waits for
// memory arise.
//
// The pass comes after the order of steps is chosen, since two uses of one
// memory have an order. It comes before copies of the host's memory and events,
// which are placed by memory.
#include "dialects/Exec/Steps.h"
#include "passes/Schedule/KernelViews.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/TaskMemory.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {

#define GEN_PASS_DEF_SHAREBUFFERS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

// The alignment of every buffer that the backends expect.
constexpr int64_t bufferAlignment = 64;

/// Known facts about the kernels of a module.
class KernelFacts {
public:
  KernelFacts(ModuleOp module, const exec::Backend &backend)
      : symbols(module), backend(backend) {}

  struct Facts {
    func::FuncOp kernel;
    SmallVector<ArgumentView> slices, parts; // KernelViews.h
    std::optional<exec::KernelForm> form;
  };
  const Facts &of(exec::LaunchOp launch) {
    auto [at, isNew] = known.try_emplace(launch.getKernel());
    Facts &facts = at->second;
    if (isNew) {
      facts.kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
      facts.slices = findSlices(facts.kernel);
      facts.parts = findParts(facts.kernel);
      facts.form = backend.classify(facts.kernel);
    }
    return facts;
  }
  /// Erases known kernels that nothing launches any more.
  void eraseUnused(ModuleOp module) {
    llvm::StringSet<> launched;
    module.walk(
        [&](exec::LaunchOp launch) { launched.insert(launch.getKernel()); });
    for (auto &entry : known)
      if (!launched.contains(entry.first()))
        symbols.erase(entry.second.kernel);
  }

private:
  SymbolTable symbols;
  const exec::Backend &backend;
  llvm::StringMap<Facts> known;
};

class BufferSharer {
public:
  BufferSharer(exec::TaskOp task, KernelFacts &kernels)
      : task(task), kernels(kernels), memory(task) {}

  void run() {
    for (auto share : {&BufferSharer::shareSlices, &BufferSharer::shareParts,
                       &BufferSharer::updateInPlace})
      for (unsigned step = 0; step < memory.steps().size(); ++step)
        if (auto launch =
                dyn_cast_or_null<exec::LaunchOp>(memory.steps()[step]))
          (this->*share)(step, launch);
    mergeBuffers();
  }

private:
  using Memory = TaskMemory::Memory;

  static int64_t bytesOf(Value buffer) {
    return cast<exec::BufferType>(buffer.getType()).getBytes();
  }

  /// Lets results be parts of arguments, if all of them are.
  void shareSlices(unsigned step, exec::LaunchOp launch) {
    ArrayRef<ArgumentView> slices = kernels.of(launch).slices;
    if (slices.empty())
      return;
    SmallVector<Memory *> wholes, own;
    SmallVector<int64_t> begins;
    for (auto [slice, target] : llvm::zip(slices, launch.getTargets())) {
      Value source = launch.getSources()[slice.argument];
      begins.push_back(source.getDefiningOp<exec::BufferOp>().getFirstByte() +
                       slice.begin);
      wholes.push_back(&memory.of(source));
      own.push_back(&memory.of(target));
      if (!maySlice(step, *wholes.back(), begins.back(), *own.back(), target) ||
          llvm::is_contained(ArrayRef(own).drop_back(), own.back()))
        return;
    }
    for (auto [whole, part, begin] : llvm::zip(wholes, own, begins)) {
      memory.forget(*whole, step);
      memory.forget(*part, step);
      memory.merge(*part, *whole, begin);
    }
    memory.erase(step);
  }

  bool maySlice(unsigned step, const Memory &whole, int64_t begin,
                const Memory &part, Value target) const {
    if (&whole == &part || !part.isTemporary() || !memory.isWhole(target) ||
        part.first() != step || part.isWritten(step, part.last()) ||
        part.inRepeat || whole.inRepeat || begin % bufferAlignment != 0 ||
        !part.isOnDevice() || !whole.isOnDevice() ||
        whole.isWritten(step, part.last()))
      return false;
    // A whole that lives on without the slice costs nothing.
    bool staysAnyway =
        !whole.isTemporary() &&
        (whole.space() != exec::BufferSpace::Value || whole.isMadeHere());
    int64_t most = memory.peak();
    for (unsigned i = whole.last() + 1; i <= part.last() && !staysAnyway; ++i)
      if (memory.inUse(i) - part.size + whole.size > most)
        return false;
    return true;
  }

  /// Lets arguments be made in their parts of the result; the others are copied
  /// there.
  void shareParts(unsigned step, exec::LaunchOp launch) {
    ArrayRef<ArgumentView> parts = kernels.of(launch).parts;
    if (parts.empty())
      return;
    Value target = launch.getTargets().front();
    Memory &whole = memory.of(target);
    if (!whole.isMadeHere() || whole.first() != step ||
        !memory.isWhole(target) || whole.inRepeat || whole.inBucket ||
        !whole.isOnDevice() || llvm::any_of(parts, [](const auto &part) {
          return part.begin % bufferAlignment != 0;
        }))
      return;
    SmallVector<const ArgumentView *> chosen;
    llvm::SmallPtrSet<Memory *, 4> seen;
    for (const ArgumentView &part : parts)
      if (Value source = launch.getSources()[part.argument];
          mayBePart(step, source, whole) &&
          seen.insert(&memory.of(source)).second)
        chosen.push_back(&part);
    dropUntilFits(step, launch, whole, chosen);
    if (chosen.empty())
      return;
    OpBuilder builder(launch);
    for (const ArgumentView &part : parts)
      if (Value source = launch.getSources()[part.argument];
          !llvm::is_contained(chosen, &part))
        copyPart(builder, launch, source, target, part.begin);
    if (chosen.size() == parts.size())
      memory.forget(whole, step);
    for (const ArgumentView *part : chosen) {
      Memory &own = memory.of(launch.getSources()[part->argument]);
      memory.forget(own, step);
      memory.merge(own, whole, part->begin);
    }
    memory.erase(step);
  }

  bool mayBePart(unsigned step, Value source, const Memory &whole) const {
    const Memory &own = memory.of(source);
    return &own != &whole && own.isTemporary() && memory.isWhole(source) &&
           own.first() < step && !own.inRepeat && !own.inBucket &&
           own.isOnDevice() && !own.isWritten(step, own.last()) &&
           !whole.isWritten(step, own.last());
  }

  /// Drops the parts that are made first, until the whole fits below the peak:
  /// it begins to live when the first of its parts does.
  void dropUntilFits(unsigned step, exec::LaunchOp launch, const Memory &whole,
                     SmallVector<const ArgumentView *> &chosen) const {
    auto ownOf = [&](const ArgumentView *part) -> const Memory & {
      return memory.of(launch.getSources()[part->argument]);
    };
    llvm::stable_sort(chosen,
                      [&](const ArgumentView *a, const ArgumentView *b) {
                        return ownOf(a).first() < ownOf(b).first();
                      });
    int64_t most = memory.peak();
    auto fits = [&] {
      for (unsigned i = ownOf(chosen.front()).first(); i < step; ++i) {
        int64_t now = memory.inUse(i) + whole.size;
        for (const ArgumentView *part : chosen)
          if (ownOf(part).first() <= i)
            now -= ownOf(part).size;
        if (now > most)
          return false;
      }
      return true;
    };
    while (!chosen.empty() && !fits())
      chosen.erase(chosen.begin());
  }

  void copyPart(OpBuilder &builder, exec::LaunchOp launch, Value source,
                Value target, int64_t begin) {
    auto whole = target.getDefiningOp<exec::BufferOp>();
    OpBuilder at(whole);
    auto part = cast<exec::BufferOp>(at.clone(*whole));
    part.getResult().setType(cast<exec::BufferType>(source.getType()));
    part.setBegin(begin);
    memory.add(part, target);
    exec::CopyOp::create(builder, launch.getLoc(), source, part.getResult(),
                         /*stream=*/0);
  }

  /// Writes targets to the memory of a source.
  void updateInPlace(unsigned step, exec::LaunchOp launch) {
    const KernelFacts::Facts &facts = kernels.of(launch);
    if (!facts.form)
      return;
    for (auto [result, target] : llvm::enumerate(launch.getTargets())) {
      Memory &into = memory.of(target);
      if (!into.isMadeHere() || into.first() != step ||
          !memory.isWhole(target) || into.inRepeat || !into.isOnDevice())
        continue;
      for (Value source : launch.getSources())
        if (mayOverwrite(step, launch, facts, source, result, into)) {
          memory.merge(memory.of(source), into, 0);
          break;
        }
    }
  }

  bool mayOverwrite(unsigned step, exec::LaunchOp launch,
                    const KernelFacts::Facts &facts, Value source,
                    unsigned result, const Memory &into) const {
    const Memory &own = memory.of(source);
    if (&own == &into || !own.isTemporary() || own.last() != step ||
        own.size != into.size || !memory.isWhole(source) || own.onStream ||
        own.inRepeat || !own.isOnDevice() || !sameCategory(own, into))
      return false;
    for (auto [i, other] : llvm::enumerate(launch.getSources()))
      if (&memory.of(other) == &own &&
          !mayWriteInto(facts.kernel, *facts.form, i, result))
        return false;
    // The memory must not be that of another result either.
    return llvm::none_of(launch.getTargets(), [&](Value target) {
      return &memory.of(target) == &own;
    });
  }

  /// Returns true if the memories have the same category; a temporary may take
  /// any.
  static bool sameCategory(const Memory &own, const Memory &into) {
    exec::BufferOp from = own.buffers.front(), to = into.buffers.front();
    return from.getCategory() == dist::MemoryCategory::Temporary ||
           from.getCategory() == to.getCategory();
  }

  /// Merges buffers that name the same memory, and erases unused ones.
  void mergeBuffers() {
    DenseMap<std::pair<Attribute, Type>, Value> first;
    for (auto op : llvm::make_early_inc_range(task.getOps<exec::BufferOp>())) {
      if (!op.getResult().use_empty()) {
        Value &known =
            first[{op->getAttrDictionary(), op.getResult().getType()}];
        if (!known) {
          known = op.getResult();
          continue;
        }
        op.getResult().replaceAllUsesWith(known);
      }
      op.erase();
    }
  }

  exec::TaskOp task;
  KernelFacts &kernels;
  TaskMemory memory;
};

struct ShareBuffers : impl::ShareBuffersBase<ShareBuffers> {
  explicit ShareBuffers(const exec::Backend &backend) : backend(backend) {}
  const exec::Backend &backend;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelFacts kernels(module, backend);
    for (auto task : module.getOps<exec::TaskOp>())
      BufferSharer(task, kernels).run();
    kernels.eraseUnused(module);
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createShareBuffers(const exec::Backend &backend) {
  return std::make_unique<ShareBuffers>(backend);
}

} // namespace zcc
