// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the facts of the step from the module: mesh, collectives and
// operations, counted over the action tables once these exist.
#include "compiler/emission/Emission.h"
#include "compiler/emission/NameGroup.h"
#include "compiler/emission/Report.h"
#include "compiler/emission/ReportMemory.h"
#include "compiler/emission/StepCounter.h"
#include "dialects/Dist/AxisNames.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Memory/Memory.h"
#include "planning/AxisRole.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <map>

using namespace mlir;

namespace zcc {

/// Describes a collective or a ring from its attributes; the caller sets
/// `times`, `tasks` and `stage`.
template <typename Op>
static CollectiveReport describe(dist::MeshOp mesh, Op op,
                                 planning::Collective account) {
  CollectiveReport out;
  out.account = std::move(account);
  SmallVector<StringRef> names;
  for (Attribute axis : op.getAxes())
    names.push_back(cast<StringAttr>(axis).getValue());
  llvm::append_range(out.axes, dist::joinAxisNames(mesh, names));
  out.what = dist::stringifyMovedKind(op.getWhat()).str();
  out.value = op.getValue().str();
  out.why = op.getWhy().str();
  return out;
}

/// Returns the number of turns of the ring around the op, or 1.
static int64_t turnsAround(Operation *op) {
  auto ring = dyn_cast_or_null<dist::RingOp>(op->getParentOp());
  return ring ? ring.getTurns() : 1;
}

/// Returns the collectives of an op of either dialect; their `times` is the
/// number of transfers in one run. A ring stands for the collectives in it.
static SmallVector<CollectiveReport>
readCollectives(Operation *op, dist::MeshOp mesh,
                const distribute::CollectiveAccounts &accounts) {
  SmallVector<CollectiveReport> all;
  if (auto ring = dyn_cast<dist::RingOp>(op)) {
    for (auto &[account, times] : accounts.of(ring)) {
      all.push_back(describe(mesh, ring, account));
      all.back().times = times;
    }
    return all;
  }
  auto collective = dyn_cast<dist::CollectiveOpInterface>(op);
  if (!collective)
    return all;
  all.push_back(describe(mesh, collective, accounts.of(collective)));
  int64_t &times = all.back().times = 1;
  if (auto repeat = dyn_cast_or_null<exec::RepeatOp>(op->getParentOp())) {
    times = mesh.getGroupSize(repeat.getAxes());
    if (op->getParentRegion() == &repeat.getBetween())
      --times;
  }
  return all;
}

/// Joins equal entries of a stage: a collective that several tasks have, such
/// as a task and its copy for the last microbatch, is one entry. Sections of a
/// task count together.
class ListedCollectives {
public:
  explicit ListedCollectives(std::vector<CollectiveReport> &list)
      : list(list) {}

  void beginTask() {
    for (auto &[key, own] : entries)
      own.taken.clear();
  }
  /// A collective that is sent in parts is one entry, whose `times` counts the
  /// parts; `part` is the number of the part, or 0.
  void add(CollectiveReport one, int64_t part) {
    Entries &own = entries[{one.kind(), one.axes, one.bytes(), one.what,
                            one.value, one.why, one.tasks, one.bucket >= 0}];
    size_t next = own.taken[part]++;
    if (next < own.indices.size()) {
      list[own.indices[next]].times += one.times;
      return;
    }
    own.indices.push_back(list.size());
    list.push_back(std::move(one));
  }

private:
  struct Entries {
    std::vector<size_t> indices;
    // The number of entries that the task has used, by part.
    std::map<int64_t, size_t> taken;
  };
  std::vector<CollectiveReport> &list;
  std::map<std::tuple<std::string, std::vector<std::string>, int64_t,
                      std::string, std::string, std::string, std::string, bool>,
           Entries>
      entries;
};

static void addCollectives(dist::MeshOp mesh, StepCounter &counter,
                           Report &report) {
  distribute::CollectiveAccounts accounts(mesh);
  DenseMap<Operation *, int64_t> buckets;
  ListedCollectives listed(report.collectives);
  counter.forEachTask([&](Operation *task, StringRef name,
                          dist::TaskKind kind) {
    int64_t times = counter.times(name);
    if (times == 0)
      return;
    if (!task->hasAttr(exec::sectionAttrName))
      listed.beginTask();
    task->walk([&](Operation *op) {
      for (CollectiveReport &out : readCollectives(op, mesh, accounts)) {
        out.times *= times;
        out.tasks = reportedTasks(op, kind);
        out.stage = counter.stageNumber();
        if (auto bucket = dyn_cast<exec::BucketOp>(op->getParentOp())) {
          int64_t next = static_cast<int64_t>(buckets.size());
          out.bucket = buckets.try_emplace(bucket, next).first->second;
        }
        auto part = op->getAttrOfType<IntegerAttr>(exec::partAttrName);
        listed.add(std::move(out), part ? part.getInt() : 0);
      }
    });
  });
}

/// Returns how often an op of @step runs in a step (phase `partitioned`).
static int64_t timesInStep(Operation *op, int64_t microbatches) {
  std::optional<dist::StepRegion> region = dist::regionOf(op);
  return region && !dist::isOfMicrobatch(*region) ? 1 : microbatches;
}

/// Returns the top-level op of @step that is or contains `op`.
static Operation *outermost(Operation *op) {
  while (!isa<func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

/// Returns the operations of a device in a step (phase `partitioned`).
static double flopsInStep(train::CostedOpInterface op, int64_t microbatches) {
  return op.getFlops() * static_cast<double>(turnsAround(op)) *
         static_cast<double>(timesInStep(outermost(op), microbatches));
}

/// Adds facts in phase `partitioned`, in which the step is one function without
/// action tables.
static void addStepFacts(func::FuncOp step, dist::MeshOp mesh,
                         int64_t microbatches, Report &report) {
  distribute::CollectiveAccounts accounts(mesh);
  double flops = 0;
  auto add = [&](const CollectiveReport &one, Operation *reader,
                 StringRef tag) {
    report.collectives.push_back(one);
    report.collectives.back().times *= timesInStep(reader, microbatches);
    report.collectives.back().tasks = tag.str();
  };
  step.walk([&](Operation *op) {
    if (auto costed = dyn_cast<train::CostedOpInterface>(op))
      flops += flopsInStep(costed, microbatches);
    SmallVector<CollectiveReport> found = readCollectives(op, mesh, accounts);
    if (found.empty())
      return;
    if (!dist::isGatheredAgain(op)) {
      for (const CollectiveReport &one : found)
        add(one, op, reportedTasks(op, dist::TaskKind::Forward));
      return;
    }
    // Each task that reads it repeats it.
    llvm::MapVector<train::Tag, Operation *> readers;
    for (Operation *user : op->getUsers())
      if (std::optional<train::Tag> tag = train::tagOf(user))
        readers.insert({*tag, user});
    for (auto [tag, user] : readers)
      add(found.front(), user, train::stringifyTag(tag));
  });
  // An op is on one stage: ops that several stages need exist once for each.
  report.executedFlops =
      flops * static_cast<double>(mesh.getDevices() / mesh.getStages());
}

/// Adds sends and receives, one entry per value and direction.
static void addTransfers(dist::MeshOp mesh, dist::ScheduleOp table,
                         StepCounter &counter, Report &report) {
  llvm::StringMap<std::pair<int64_t, std::string>> values; // bytes, tasks
  counter.forEachTask([&](Operation *task, StringRef, dist::TaskKind kind) {
    task->walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() != exec::BufferSpace::Value)
        return;
      auto &known =
          values
              .insert({buffer.getName(), {0, reportedTasks(task, kind).str()}})
              .first->second;
      known.first = std::max(known.first, buffer.getEndByte());
    });
  });
  llvm::StringSet<> received;
  for (auto receive : table.getOps<dist::ReceiveOp>())
    received.insert(receive.getValue());
  std::vector<CollectiveReport> found;
  distribute::CollectiveAccounts accounts(mesh);
  auto count = [&](planning::CollectiveKind kind, StringRef value,
                   int64_t peer) {
    auto same = [&](const CollectiveReport &other) {
      return other.account.kind == kind && other.value == value;
    };
    auto at = std::find_if(found.begin(), found.end(), same);
    if (at == found.end()) {
      CollectiveReport out;
      out.account =
          accounts.transfer(kind, counter.stageNumber(), peer,
                            static_cast<double>(values.lookup(value).first));
      out.value = value.str();
      out.axes = {planning::axisName(planning::AxisRole::Pipe)};
      out.tasks = values.lookup(value).second;
      out.what = dist::stringifyMovedKind(dist::MovedKind::Activation).str();
      out.why = "pipeline stages";
      if (kind == planning::CollectiveKind::Send && received.contains(value))
        out.why += ", passed on";
      out.stage = counter.stageNumber();
      at = found.insert(found.end(), out);
    }
    ++at->times;
  };
  for (Operation &op : table.getBody().front())
    if (auto send = dyn_cast<dist::SendOp>(op))
      count(planning::CollectiveKind::Send, send.getValue(), send.getPeer());
    else if (auto receive = dyn_cast<dist::ReceiveOp>(op))
      count(planning::CollectiveKind::Receive, receive.getValue(),
            receive.getPeer());
  report.collectives.insert(report.collectives.end(), found.begin(),
                            found.end());
}

static double taskFlops(Operation *task) {
  if (auto flops = task->getAttrOfType<FloatAttr>(exec::flopsAttrName))
    return flops.getValueAsDouble();
  double out = 0;
  task->walk([&](train::CostedOpInterface op) {
    out += op.getFlops() * static_cast<double>(turnsAround(op));
  });
  return out;
}

double executedFlops(ModuleOp module) {
  dist::MeshOp mesh = dist::getMesh(module);
  SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
  if (!mesh || tables.empty())
    return 0;
  double sum = 0;
  for (dist::ScheduleOp table : tables) {
    StepCounter counter(module, table);
    counter.forEachTask([&](Operation *task, StringRef name, dist::TaskKind) {
      if (int64_t times = counter.times(name))
        sum += static_cast<double>(times) * taskFlops(task);
    });
  }
  return sum * static_cast<double>(mesh.getDevices()) /
         static_cast<double>(tables.size());
}

void recordModelFlops(ModuleOp module) {
  auto step = module.lookupSymbol<func::FuncOp>(stepFunctionName);
  if (!step)
    return;
  double flops = 0;
  step.walk([&](train::CostedOpInterface op) { flops += op.getFlops(); });
  module->setAttr(modelFlopsAttrName,
                  Builder(module.getContext()).getF64FloatAttr(flops));
}

void recordAddedWork(ModuleOp module) {
  std::optional<distribute::StepWork> work = distribute::getWork(module);
  auto step = module.lookupSymbol<func::FuncOp>(stepFunctionName);
  dist::MeshOp mesh = dist::getMesh(module);
  if (!work || !step || !mesh)
    return;
  // An op is on one stage: ops that several stages need exist once for each.
  auto devices = static_cast<double>(mesh.getDevices() / mesh.getStages());
  distribute::ValueNamer namer(step);
  double executed = 0;
  std::map<std::string, double> added;
  int64_t microbatches = distribute::countMicrobatches(mesh);
  step.walk([&](train::CostedOpInterface op) {
    double flops = flopsInStep(op, microbatches) * devices;
    executed += flops;
    // Ops that partitioning added, for example to find indices in the parts of
    // a dim, have no shardings. Neither have updates, which are not added.
    if (flops > 0 && !op->hasAttr(dist::shardingsAttrName) &&
        !train::hasTag(op, train::Tag::Update))
      added[op->getName().getStringRef().str() + " at " +
            namer.nameOf(op.getLoc())] += flops;
  });
  double beyond = executed - work->model - work->padding - work->repeated;
  work->added = std::max(beyond, 0.0);
  // Values that depend on no microbatch are computed once, for one's rows. The
  // model need not do more (a product of rows that are copies of each other).
  if (beyond < 0) {
    work->model = std::max(work->model + beyond, 0.0);
    module->setAttr(modelFlopsAttrName,
                    Builder(module.getContext()).getF64FloatAttr(work->model));
  }
  std::vector<std::pair<double, std::string>> most;
  for (auto &[place, flops] : added)
    most.emplace_back(-flops, place);
  llvm::sort(most);
  constexpr size_t named = 3;
  most.resize(std::min(most.size(), named));
  for (auto &[flops, place] : most)
    work->addedAt.push_back(place);
  distribute::setWork(module, *work);
}

static void addAttentions(ModuleOp module, Report &report) {
  report.attentions = 0;
  report.attentionsLeft.clear();
  auto found = module->getAttrOfType<DictionaryAttr>(attentionsAttrName);
  if (!found)
    return;
  if (auto recognized = found.getAs<IntegerAttr>("recognized"))
    report.attentions = recognized.getInt();
  if (auto left = found.getAs<ArrayAttr>("left"))
    for (auto one : left.getAsRange<DictionaryAttr>()) {
      auto text = [&](StringRef name) {
        auto value = one.getAs<StringAttr>(name);
        return value ? value.getValue().str() : "";
      };
      AttentionLeft own{text("place"), text("why"), text("op"), text("at")};
      auto same =
          llvm::find_if(report.attentionsLeft, [&](const AttentionLeft &other) {
            return std::tie(own.place, own.why, own.op, own.at) ==
                   std::tie(other.place, other.why, other.op, other.at);
          });
      if (same != report.attentionsLeft.end())
        ++same->times;
      else
        report.attentionsLeft.push_back(std::move(own));
    }
}

// Ignores malformed entries, because users may edit the text.
static void addCompressed(ModuleOp module, Report &report) {
  report.compressed.clear();
  auto list = module->getAttrOfType<ArrayAttr>(dist::compressedAttrName);
  for (Attribute one : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto entry = dyn_cast<DictionaryAttr>(one);
    auto text = [&](StringRef name) {
      return entry ? entry.getAs<StringAttr>(name) : StringAttr();
    };
    auto count = [&](StringRef name) {
      return entry ? entry.getAs<IntegerAttr>(name) : IntegerAttr();
    };
    auto format = entry ? entry.getAs<dist::NumberFormatAttr>("format")
                        : dist::NumberFormatAttr();
    if (text("value") && format && count("bytes") && count("whole"))
      report.compressed.push_back({text("value").str(), format.getValue(),
                                   count("bytes").getInt(),
                                   count("whole").getInt()});
  }
}

// The text may be edited here, too.
static void addWaste(ModuleOp module, Report &report) {
  report.waste.clear();
  using Key = std::tuple<std::string, int64_t, int64_t, int64_t,
                         std::vector<std::string>, int64_t>;
  llvm::MapVector<Key, NameGroup, std::map<Key, unsigned>> groups;
  auto list = module->getAttrOfType<ArrayAttr>(wasteAttrName);
  for (Attribute one : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto entry = dyn_cast<DictionaryAttr>(one);
    auto count = [&](StringRef name) {
      return entry ? entry.getAs<IntegerAttr>(name) : IntegerAttr();
    };
    auto value = entry ? entry.getAs<StringAttr>("value") : StringAttr();
    auto axes = entry ? entry.getAs<ArrayAttr>("axes") : ArrayAttr();
    if (!value || !axes || !count("dim") || !count("extent") ||
        !count("padded") || !count("bytes"))
      continue;
    std::vector<std::string> names;
    for (Attribute axis : axes)
      if (auto name = dyn_cast<StringAttr>(axis))
        names.push_back(name.getValue().str());
    groups[{NameGroup::patternOf(value.getValue()), count("dim").getInt(),
            count("extent").getInt(), count("padded").getInt(), names,
            count("bytes").getInt()}]
        .add(value.getValue());
  }
  for (auto &[key, names] : groups) {
    auto &[pattern, dim, extent, padded, axes, bytes] = key;
    report.waste.push_back({names.text(), names.count(), dim, extent, padded,
                            axes, bytes * names.count()});
  }
  llvm::stable_sort(report.waste, [](const PaddedDim &a, const PaddedDim &b) {
    return a.bytes > b.bytes;
  });
}

static void addOffloaded(ModuleOp module, Report &report) {
  report.offloaded.reset();
  auto entry = module->getAttrOfType<DictionaryAttr>(dist::offloadedAttrName);
  auto count = [&](StringRef name) {
    return entry ? entry.getAs<IntegerAttr>(name) : IntegerAttr();
  };
  auto seconds = entry ? entry.getAs<FloatAttr>("seconds") : FloatAttr();
  if (count("bytes") && count("residuals") && count("states") && seconds)
    report.offloaded = {count("bytes").getInt(), count("residuals").getInt(),
                        count("states").getInt(), seconds.getValueAsDouble()};
}

/// Returns the batch as zrun counts it (runtime/data/Inputs.h).
static BatchSize findBatch(ModuleOp module) {
  BatchSize batch;
  for (auto input : module.getOps<dist::InputOp>()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() == 0 || input->hasAttr(dist::randomKeyAttrName))
      continue;
    bool hasTokens = type.getRank() == 2 && type.getElementType().isInteger() &&
                     !type.getElementType().isInteger(1);
    if (hasTokens)
      return {type.getDimSize(0), type.getNumElements()};
    if (batch.samples == 0)
      batch.samples = type.getDimSize(0);
  }
  return batch;
}

LogicalResult addFacts(ModuleOp module, Report &report) {
  addAttentions(module, report);
  if (auto flops = module->getAttrOfType<FloatAttr>(modelFlopsAttrName))
    report.modelFlops = flops.getValueAsDouble();
  dist::MeshOp mesh = dist::getMesh(module);
  if (!mesh)
    return success();
  report.mesh.clear();
  int64_t microbatches = distribute::countMicrobatches(mesh);
  for (auto &[name, size] : dist::wholeAxes(mesh))
    report.mesh.push_back({name, size});
  report.microbatches = microbatches;
  report.devices = mesh.getDevices();
  report.batch = findBatch(module);
  report.collectives.clear();
  FailureOr<planning::Plan> plan = distribute::getPlan(module);
  if (failed(plan))
    return failure();
  report.zero = std::max(plan->zero, 0);
  if (auto kept = module->getAttrOfType<IntegerAttr>(keptBytesAttrName))
    report.kept = kept.getInt();
  report.work = distribute::getWork(module);
  addCompressed(module, report);
  addOffloaded(module, report);
  addWaste(module, report);
  // `sharded` has shapes of the whole, `partitioned` those of a device.
  if (auto step = module.lookupSymbol<func::FuncOp>(stepFunctionName);
      step && step->getRegion(0)
                  .walk([](Operation *op) {
                    return op->hasAttr(dist::regionAttrName)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                  .wasInterrupted())
    addStepFacts(step, mesh, microbatches, report);
  report.schedule.reset();
  if (!module.getOps<dist::ScheduleOp>().empty()) {
    report.executedFlops = executedFlops(module);
    if (report.work) // tasks may have merged some of the added work
      report.work->added =
          std::clamp(*report.executedFlops - report.work->model -
                         report.work->padding - report.work->repeated,
                     0.0, report.work->added);
  }
  for (auto table : module.getOps<dist::ScheduleOp>()) {
    report.microbatches = table.getMicrobatches();
    std::string made =
        table.getGenerator().value_or("actions of its own").str();
    report.schedule = report.schedule.value_or(made) == made ? made : "mixed";
    StepCounter counter(module, table);
    addCollectives(mesh, counter, report);
    addTransfers(mesh, table, counter, report);
  }
  report.traffic = measureTraffic(module);
  FailureOr<std::vector<MemoryReport>> stages = readMemory(module);
  if (failed(stages))
    return failure();
  report.stages = std::move(*stages);
  return success();
}

std::map<planning::NumberFormat, CompressedSum>
sumCompressed(const Report &report) {
  std::map<planning::NumberFormat, CompressedSum> sums;
  for (const CompressedResidual &own : report.compressed) {
    CompressedSum &sum = sums[own.format];
    sum.values += 1;
    sum.bytes += own.bytes;
    sum.whole += own.whole;
  }
  return sums;
}

void addKernels(const CompiledKernels &kernels, Report &report) {
  std::map<std::string, size_t> numbers;
  auto add = [&](const KernelInfo &kernel) {
    for (const KernelUse &use : kernel.uses) {
      auto [at, isNew] =
          numbers.insert({use.device, report.devicesOfKernels.size()});
      if (isNew)
        report.devicesOfKernels.push_back({use.device, {}});
      report.devicesOfKernels[at->second].kernels.push_back(
          {kernel.symbol, kernel.threads, use});
    }
  };
  for (const KernelInfo &kernel : kernels.kernels)
    add(kernel);
  for (const SegmentedKernel &kernel : kernels.segmented)
    add(kernel.info);
}

} // namespace zcc
