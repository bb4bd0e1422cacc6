// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks every module in phase `scheduled`:
// - no task is a function any more, and every run of a table names an
//   exec.task;
// - a launch names a kernel, and its buffers have the kernel's types;
// - the backend has every kernel's arithmetic and takes it as one kernel; a
//   kernel says so if a library computes it;
// - the buffers of a launch are in one memory; steps other than copies and
//   fills work in the device's memory;
// - the members of a bucket are collectives that may run as one, and those of a
//   batch are launches that do not use memory that another one writes;
// - a value that lives in another memory than the device's is copied there and
//   back;
// - buffers that change places in a repeat are alike, and a repeat holds
//   launches and permutes; a launch does not write a buffer that is sent ahead
//   of it;
// - all stages have the collectives whose groups span stages in one order, in
//   the same buckets;
// - a temporary is written before it is read, byte by byte; all buffers of one
//   name have the same size, and parts of it lie inside
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Steps.h"
#include "passes/Schedule/CheckTarget.h"
#include "passes/Schedule/Schedule.h"
#include "planning/AxisRole.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

LogicalResult verifyTypes(Operation *op, StringRef what, ValueRange buffers,
                          ArrayRef<Type> types) {
  if (buffers.size() != types.size())
    return op->emitError() << "has " << buffers.size() << " " << what
                           << ", the kernel has " << types.size();
  for (auto [i, buffer, type] : llvm::enumerate(buffers, types)) {
    auto own = cast<exec::BufferType>(buffer.getType()).getTensor();
    if (own != type)
      return op->emitError() << "buffer " << i << " of its " << what << " is a "
                             << own << ", the kernel expects " << type;
  }
  return success();
}

class TaskVerifier {
public:
  TaskVerifier(const SymbolTable &symbols) : symbols(symbols) {}

  LogicalResult run(exec::TaskOp task) {
    for (Operation &op : task.getBody().front()) {
      if (failed(memories(&op)))
        return failure();
      LogicalResult good =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case<exec::BufferOp>([&](auto op) { return buffer(op); })
              .Case<exec::LaunchOp>([&](auto op) { return launch(op); })
              .Case<exec::CollectiveOp, exec::CopyOp>([&](auto op) {
                return failure(failed(read(op, op.getSource())) ||
                               failed(write(op.getTarget())));
              })
              .Case<exec::BucketOp>([&](auto op) { return bucket(op); })
              .Case<exec::BatchOp>([&](auto op) { return batch(op); })
              .Case<exec::RepeatOp>([&](auto op) { return repeat(op); })
              .Case<exec::FillOp>(
                  [&](auto op) { return write(op.getTarget()); })
              .Case<exec::ObserveOp>([&](auto op) {
                for (Value value : op.getValues())
                  if (failed(read(op, value)))
                    return failure();
                return success();
              })
              .Default([](Operation *op) {
                return op->emitError() << "is no step of a task";
              });
      if (failed(good))
        return failure();
    }
    return success();
  }

private:
  static std::pair<exec::BufferSpace, StringRef> key(Value buffer) {
    auto op = buffer.getDefiningOp<exec::BufferOp>();
    return {op.getSpace(), op.getName()};
  }
  LogicalResult buffer(exec::BufferOp op) {
    int64_t bytes = op.getEndByte();
    if (op.getBegin()) {
      int64_t &end = partEnds[key(op.getResult())];
      end = std::max(end, bytes);
    } else {
      auto [at, isNew] = sizes.insert({key(op.getResult()), bytes});
      if (!isNew && at->second != bytes)
        return op.emitError() << "buffer '" << op.getName() << "' has " << bytes
                              << " bytes, elsewhere in the task " << at->second;
    }
    auto whole = sizes.find(key(op.getResult()));
    auto parts = partEnds.find(key(op.getResult()));
    if (whole != sizes.end() && parts != partEnds.end() &&
        parts->second > whole->second)
      return op.emitError()
             << "buffer '" << op.getName() << "' has " << whole->second
             << " bytes, a part of it ends at " << parts->second;
    return success();
  }
  /// Checks that a launch works in one memory, which is addressable. Fills work
  /// in all addressable memories, copies in all memories.
  LogicalResult memories(Operation *op) {
    if (isa<exec::BufferOp, exec::CopyOp>(op))
      return success();
    bool mayBeAway = isa<exec::LaunchOp, exec::BatchOp, exec::FillOp>(op);
    Value first, other, far;
    exec::forEachAccess(op, [&](Value buffer, bool) {
      if (!first)
        first = buffer;
      MemorySpace expected =
          mayBeAway ? exec::getMemorySpace(first) : MemorySpace::Device;
      if (exec::getMemorySpace(buffer) != expected)
        other = buffer;
      if (!isAddressable(exec::getMemorySpace(buffer)))
        far = buffer;
    });
    if (far && mayBeAway)
      return op->emitError() << "its buffer '" << key(far).second
                             << "' is in the memory of the "
                             << StringRef(nameOf(exec::getMemorySpace(far)))
                             << ", which only copies use";
    if (!other)
      return success();
    if (isa<exec::LaunchOp, exec::BatchOp>(op))
      return op->emitError()
             << "its buffers '" << key(first).second << "' and '"
             << key(other).second << "' are in different memories";
    return op->emitError() << "its buffer '" << key(other).second
                           << "' is not in the device's memory";
  }
  LogicalResult read(Operation *op, Value buffer) {
    auto [space, name] = key(buffer);
    if (space != exec::BufferSpace::Temporary)
      return success();
    // Written ranges are disjoint and do not touch, so one of them must cover
    // it all.
    auto own = buffer.getDefiningOp<exec::BufferOp>();
    const Ranges &ranges = written[key(buffer)];
    auto next = ranges.upper_bound(own.getFirstByte());
    if (next == ranges.begin() || std::prev(next)->second < own.getEndByte())
      return op->emitError()
             << "reads the temporary '" << name << "' before it is written";
    return success();
  }
  LogicalResult bucket(exec::BucketOp op) {
    SmallVector<exec::CollectiveOp> members;
    for (Operation &inner : op.getBody().front()) {
      auto member = dyn_cast<exec::CollectiveOp>(inner);
      if (!member || !mayRunTogether(member.getKind()))
        return inner.emitError() << "cannot be a member of a bucket";
      members.push_back(member);
    }
    if (members.size() < 2)
      return op.emitError()
             << "has " << members.size() << " members, expected at least 2";
    DenseSet<Key> targets;
    for (exec::CollectiveOp member : members) {
      exec::CollectiveOp first = members.front();
      auto element = [](exec::CollectiveOp op) {
        return op.getSource().getType().getTensor().getElementType();
      };
      if (member.getKind() != first.getKind() ||
          member.getAxes() != first.getAxes() ||
          member.getReduction() != first.getReduction() ||
          member.getStream() != first.getStream() ||
          element(member) != element(first)) {
        InFlightDiagnostic diagnostic =
            member.emitError()
            << "of another kind, group, type, reduction or stream than the "
               "bucket's first member";
        diagnostic.attachNote(first.getLoc()) << "which is here";
        return diagnostic;
      }
      if (failed(read(member, member.getSource())))
        return failure();
      if (!targets.insert(key(member.getTarget())).second)
        return member.emitError() << "two members of the bucket write '"
                                  << key(member.getTarget()).second << "'";
    }
    for (exec::CollectiveOp member : members) {
      if (key(member.getSource()) != key(member.getTarget()) &&
          targets.contains(key(member.getSource())))
        return member.emitError()
               << "reads '" << key(member.getSource()).second
               << "', which another member of the bucket writes";
      (void)write(member.getTarget());
    }
    return success();
  }
  LogicalResult batch(exec::BatchOp op) {
    exec::UnorderedLaunches members;
    for (Operation &inner : op.getBody().front()) {
      auto member = dyn_cast<exec::LaunchOp>(inner);
      if (!member)
        return inner.emitError() << "cannot be a member of a batch";
      if (failed(launch(member)))
        return failure();
      if (std::optional<exec::LaunchConflict> found = members.add(member)) {
        InFlightDiagnostic diagnostic =
            found->user->emitError()
            << "uses '" << key(found->buffer).second
            << "', which another member of the batch writes";
        diagnostic.attachNote(found->writer->getLoc()) << "which is here";
        return diagnostic;
      }
    }
    size_t count = op.getBody().front().getOperations().size();
    if (count < 2)
      return op.emitError()
             << "has " << count << " members, expected at least 2";
    return success();
  }
  LogicalResult repeat(exec::RepeatOp op) {
    if (op.getHeld().size() != op.getNext().size() ||
        op.getHeld().size() != op.getSpare().size())
      return op.emitError() << "has " << op.getHeld().size() << " held, "
                            << op.getNext().size() << " next and "
                            << op.getSpare().size() << " spare buffers";
    for (auto [held, next, spare] :
         llvm::zip(op.getHeld(), op.getNext(), op.getSpare()))
      if (held.getType() != next.getType() || held.getType() != spare.getType())
        return op.emitError()
               << "buffers change places, but are of types " << held.getType()
               << ", " << next.getType() << " and " << spare.getType();
    (void)write(op.getMember());
    LogicalResult good = success();
    exec::forEachStepOf(op, [&](Operation *inner) {
      if (inner != op && succeeded(good))
        good = repeated(inner);
    });
    if (failed(good) || !op.getAhead())
      return good;
    DenseSet<Key> sent;
    for (auto permute : op.getBetween().getOps<exec::CollectiveOp>())
      sent.insert(key(permute.getSource()));
    for (auto own : op.getBody().getOps<exec::LaunchOp>())
      for (Value target : own.getTargets())
        if (sent.contains(key(target)))
          return own.emitError() << "writes '" << key(target).second
                                 << "', which is sent ahead of it";
    return success();
  }
  LogicalResult repeated(Operation *op) {
    if (exec::getStream(op) != 0 && !exec::communicates(op))
      return op->emitError() << "of a repeat, expected the main stream";
    auto permute = dyn_cast<exec::CollectiveOp>(op);
    if (permute && permute.getKind() == dist::CollectiveKind::permute)
      return failure(failed(read(permute, permute.getSource())) ||
                     failed(write(permute.getTarget())));
    if (auto own = dyn_cast<exec::LaunchOp>(op))
      return launch(own);
    return op->emitError() << "cannot be repeated";
  }
  LogicalResult write(Value buffer) {
    auto own = buffer.getDefiningOp<exec::BufferOp>();
    int64_t begin = own.getFirstByte(), end = own.getEndByte();
    Ranges &ranges = written[key(buffer)];
    auto at = ranges.upper_bound(begin);
    if (at != ranges.begin() && std::prev(at)->second >= begin)
      --at;
    while (at != ranges.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges.erase(at);
    }
    ranges[begin] = end;
    return success();
  }
  LogicalResult launch(exec::LaunchOp op) {
    auto kernel = symbols.lookup<func::FuncOp>(op.getKernel());
    if (!kernel || !kernel->hasAttr(exec::kernelAttrName))
      return op.emitError()
             << "launches '" << op.getKernel() << "', which is not a kernel";
    for (Value source : op.getSources())
      if (failed(read(op, source)))
        return failure();
    for (Value target : op.getTargets())
      if (failed(write(target)))
        return failure();
    return failure(failed(verifyTypes(op, "sources", op.getSources(),
                                      kernel.getArgumentTypes())) ||
                   failed(verifyTypes(op, "targets", op.getTargets(),
                                      kernel.getResultTypes())));
  }

  const SymbolTable &symbols;
  using Key = std::pair<exec::BufferSpace, StringRef>;
  using Ranges = std::map<int64_t, int64_t>; // end of bytes, by their begin
  std::map<Key, int64_t> sizes, partEnds;
  std::map<Key, Ranges> written;
};

/// Checks the copies of values whose fate is to be moved.
LogicalResult verifyMoved(ModuleOp module) {
  struct Copies {
    exec::BufferOp buffer;
    bool there = false, back = false;
  };
  llvm::MapVector<StringRef, Copies> moved; // by name
  auto find = [&](Value value) -> Copies * {
    auto buffer = value.getDefiningOp<exec::BufferOp>();
    if (!buffer || buffer.getSpace() != exec::BufferSpace::Value ||
        buffer.getMemorySpace() == MemorySpace::Device)
      return nullptr;
    return &moved.insert({buffer.getName(), {buffer}}).first->second;
  };
  module.walk([&](exec::BufferOp buffer) { find(buffer.getResult()); });
  module.walk([&](exec::CopyOp copy) {
    if (Copies *own = find(copy.getTarget()))
      own->there = true;
    if (Copies *own = find(copy.getSource()))
      own->back = true;
  });
  for (auto &[name, own] : moved)
    if (!own.there || !own.back)
      return own.buffer.emitError()
             << "value '" << name << "' lives in the memory '"
             << StringRef(nameOf(own.buffer.getMemorySpace()))
             << "': expected a copy " << (own.there ? "from" : "to")
             << " it, found none";
  return success();
}

/// Checks that all stages run the collectives whose groups span stages in one
/// order and in the same buckets: otherwise stages would wait for each other,
/// or exchange other bytes than the others expect.
class StagesInStep {
public:
  LogicalResult add(dist::ScheduleOp table, const SymbolTable &symbols) {
    std::vector<exec::CollectiveOp> own;
    for (auto run : table.getOps<dist::RunOp>())
      if (auto task = symbols.lookup<exec::TaskOp>(run.getTask()))
        task.walk([&](exec::CollectiveOp collective) {
          if (spansStages(collective))
            own.push_back(collective);
        });
    if (!first) {
      first = table;
      list = std::move(own);
      return success();
    }
    for (size_t i = 0; i < std::max(own.size(), list.size()); ++i) {
      std::string expected = describe(list, i), found = describe(own, i);
      if (expected == found)
        continue;
      Location here = i < own.size() ? own[i].getLoc() : table.getLoc();
      InFlightDiagnostic diagnostic =
          emitError(here) << "collective " << i << " over stages: expected "
                          << expected << " on stage " << table.getStage()
                          << ", found " << found;
      diagnostic.attachNote(i < list.size() ? list[i].getLoc() : first.getLoc())
          << "this is what stage " << first.getStage() << " has";
      return diagnostic;
    }
    return success();
  }

private:
  static bool spansStages(exec::CollectiveOp collective) {
    return llvm::any_of(
        collective.getAxes().getAsValueRange<StringAttr>(), [](StringRef axis) {
          return planning::roleOf(axis.str()) == planning::AxisRole::Pipe;
        });
  }
  static std::string describe(ArrayRef<exec::CollectiveOp> all, size_t i) {
    if (i >= all.size())
      return "none";
    exec::CollectiveOp own = all[i];
    std::string out;
    llvm::raw_string_ostream text(out);
    text << dist::stringifyCollectiveKind(own.getKind())
         << (own.getReduction().empty() ? "" : " ") << own.getReduction()
         << " of " << own.getSourceType().getNumElements() << " "
         << own.getSourceType().getElementType() << " over " << own.getAxes();
    if (std::optional<int64_t> shift = own.getShift())
      text << " by " << *shift;
    if (auto bucket = dyn_cast<exec::BucketOp>(own->getParentOp()))
      text << ", one of a bucket of "
           << llvm::range_size(bucket.getOps<exec::CollectiveOp>());
    return out;
  }

  dist::ScheduleOp first;
  std::vector<exec::CollectiveOp> list; // of the first table
};

struct VerifySchedule : impl::VerifyScheduleBase<VerifySchedule> {
  explicit VerifySchedule(const exec::Backend &backend) : backend(backend) {}
  const exec::Backend &backend;

  LogicalResult verifyKernel(func::FuncOp kernel,
                             const TargetChecker &checker) {
    for (Operation &op : kernel.getOps())
      if (failed(checker.check(&op)))
        return failure();
    std::string why;
    std::optional<exec::KernelForm> form = backend.classify(kernel, &why);
    if (!form)
      return kernel.emitError() << "the kernel has no form: " << why;
    auto library = kernel->getAttrOfType<StringAttr>(exec::libraryAttrName);
    StringRef found = library ? library.getValue() : "";
    if (found != form->library)
      return kernel.emitError()
             << "expected " << exec::libraryAttrName << " '" << form->library
             << "' for the target '" << backend.getName() << "', found '"
             << found << "'";
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    TargetChecker checker(backend, &getContext());
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function->hasAttr(dist::taskAttrName)) {
        function.emitError() << "the task is still a function";
        return signalPassFailure();
      }
      if (function->hasAttr(exec::kernelAttrName) &&
          failed(verifyKernel(function, checker)))
        return signalPassFailure();
    }
    for (auto task : module.getOps<exec::TaskOp>())
      if (failed(TaskVerifier(symbols).run(task)))
        return signalPassFailure();
    if (failed(verifyMoved(module)))
      return signalPassFailure();
    StagesInStep stages;
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      for (auto run : table.getOps<dist::RunOp>()) {
        auto task = symbols.lookup<exec::TaskOp>(run.getTask());
        if (!task || task.getStage() != table.getStage()) {
          run.emitError() << "runs '" << run.getTask()
                          << "', which is not a task of stage "
                          << table.getStage();
          return signalPassFailure();
        }
      }
      if (failed(stages.add(table, symbols)))
        return signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createVerifySchedule(const exec::Backend &backend) {
  return std::make_unique<VerifySchedule>(backend);
}

} // namespace zcc
