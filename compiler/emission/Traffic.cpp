// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/Traffic.h"
#include "compiler/backend/KernelCost.h"
#include "compiler/emission/Report.h"
#include "compiler/emission/StepCounter.h"
#include "dialects/Exec/Steps.h"
#include "dialects/Train/Attention.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>
#include <tuple>

using namespace mlir;

namespace zcc {

namespace {

struct GroupInfo {
  TrafficGroup group;
  const char *name;
};

constexpr GroupInfo groups[] = {{TrafficGroup::Other, "other"},
                                {TrafficGroup::Product, "product"},
                                {TrafficGroup::Attention, "attention"},
                                {TrafficGroup::Copy, "copy"},
                                {TrafficGroup::Collective, "collective"},
                                {TrafficGroup::Update, "update"}};

class Meter {
public:
  explicit Meter(ModuleOp module) : module(module), symbols(module) {}

  std::vector<KernelTraffic> run() {
    std::vector<KernelTraffic> out;
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      StepCounter counter(module, table);
      counter.forEachTask(
          [&](Operation *task, StringRef name, dist::TaskKind kind) {
            if (int64_t times = counter.times(name); times && isTask(task))
              addTask(task, kind, counter.stageNumber(), times);
          });
    }
    for (auto &[key, entry] : entries)
      out.push_back(std::move(entry));
    llvm::stable_sort(out, [](const KernelTraffic &a, const KernelTraffic &b) {
      return a.all() > b.all();
    });
    return out;
  }

private:
  static bool isTask(Operation *op) { return isa<exec::TaskOp>(op); }

  void addTask(Operation *task, dist::TaskKind kind, int64_t stage,
               int64_t times) {
    dist::MeshOp mesh = dist::getMesh(module);
    for (Operation &op : cast<exec::TaskOp>(task).getBody().front()) {
      auto repeat = dyn_cast<exec::RepeatOp>(op);
      int64_t turns = repeat ? mesh.getGroupSize(repeat.getAxes()) : 1;
      exec::forEachStepOf(&op, [&](Operation *step) {
        // Observed values are read only where somebody asks for them.
        if (isa<exec::RepeatOp, exec::ObserveOp>(step))
          return;
        bool isBetween =
            repeat && step->getParentRegion() == &repeat.getBetween();
        addStep(step, kind, stage, times * (turns - isBetween));
      });
    }
  }

  void addStep(Operation *step, dist::TaskKind kind, int64_t stage,
               int64_t times) {
    if (auto batch = dyn_cast<exec::BatchOp>(step)) {
      for (auto member : batch.getOps<exec::LaunchOp>())
        addStep(member, kind, stage, times);
      return;
    }
    KernelTraffic own;
    own.tasks = reportedTasks(step, kind);
    own.stage = stage;
    own.times = times;
    auto launch = dyn_cast<exec::LaunchOp>(step);
    auto kernel = launch ? symbols.lookup<func::FuncOp>(launch.getKernel())
                         : func::FuncOp();
    if (kernel) {
      KernelBytes bytes = getKernelBytes(kernel);
      own.name = launch.getKernel();
      own.read = bytes.read;
      own.written = bytes.written;
      own.group = groupOf(kernel);
    } else {
      exec::forEachAccess(step, [&](Value buffer, bool writes) {
        (writes ? own.written : own.read) += static_cast<double>(
            cast<exec::BufferType>(buffer.getType()).getBytes());
      });
      own.name = nameOf(step);
      own.group = exec::communicates(step) ? TrafficGroup::Collective
                                           : TrafficGroup::Copy;
    }
    if (kind == dist::TaskKind::Epilogue && own.group == TrafficGroup::Other)
      own.group = TrafficGroup::Update;
    if (own.each() == 0)
      return;
    auto [at, isNew] = entries.try_emplace(
        {own.stage, own.name, own.tasks, own.group, own.read, own.written},
        own);
    if (!isNew)
      at->second.times += own.times;
  }

  static std::string nameOf(Operation *step) {
    auto collective = dyn_cast<exec::CollectiveOp>(step);
    if (auto bucket = dyn_cast<exec::BucketOp>(step))
      for (auto member : bucket.getOps<exec::CollectiveOp>())
        collective = member;
    if (collective)
      return dist::stringifyCollectiveKind(collective.getKind()).str();
    return step->getName().stripDialect().str();
  }

  static TrafficGroup groupOf(func::FuncOp kernel) {
    TrafficGroup group = TrafficGroup::Other;
    kernel.walk([&](Operation *op) {
      if (isa<train::DotGeneralOp, train::ConvolutionOp>(op))
        group = TrafficGroup::Product;
      else if (train::Attention::isAttention(op))
        group = TrafficGroup::Attention;
    });
    return group;
  }

  ModuleOp module;
  SymbolTable symbols;
  std::map<std::tuple<int64_t, std::string, std::string, TrafficGroup, double,
                      double>,
           KernelTraffic>
      entries;
};

std::string formatAll(double bytes) {
  return formatBytes(static_cast<int64_t>(bytes));
}

} // namespace

llvm::StringRef getName(TrafficGroup group) {
  for (const GroupInfo &info : groups)
    if (info.group == group)
      return info.name;
  return "";
}

std::vector<KernelTraffic> measureTraffic(ModuleOp module) {
  return Meter(module).run();
}

double LayerTraffic::bytes(TrafficGroup group) const {
  double sum = 0;
  for (const KernelTraffic &kernel : kernels)
    if (kernel.group == group)
      sum += kernel.all();
  return sum;
}

LayerTraffic findLayer(const std::vector<KernelTraffic> &traffic) {
  LayerTraffic out;
  double most = 0;
  for (const KernelTraffic &own : traffic)
    if (own.group == TrafficGroup::Other && own.times > 1 && own.all() > most) {
      most = own.all();
      out.layers = own.times;
    }
  if (out.layers == 0)
    return out;
  for (const KernelTraffic &own : traffic) {
    auto times = std::llround(static_cast<double>(own.times) /
                              static_cast<double>(out.layers));
    // A kernel of every second layer is in no layer.
    bool isRarer = own.times < times * out.layers * 3 / 4;
    if (own.group == TrafficGroup::Update || times == 0 || isRarer)
      continue;
    out.kernels.push_back(own);
    out.kernels.back().times = times;
  }
  llvm::stable_sort(out.kernels,
                    [](const KernelTraffic &a, const KernelTraffic &b) {
                      return a.all() > b.all();
                    });
  return out;
}

// Writes "other 2.95 GB, product 1.88 GB".
static void listGroups(llvm::raw_ostream &os,
                       llvm::function_ref<double(TrafficGroup)> bytesOf) {
  const char *separator = "";
  for (const GroupInfo &info : groups)
    if (double bytes = bytesOf(info.group); bytes > 0) {
      os << separator << info.name << " " << formatAll(bytes);
      separator = ", ";
    }
  os << "\n";
}

static void listKernels(llvm::raw_ostream &os,
                        const std::vector<KernelTraffic> &kernels) {
  constexpr size_t most = 60;
  for (const KernelTraffic &own : ArrayRef(kernels).take_front(most)) {
    os << llvm::formatv("    {0,10}  {1,-10} {2}, {3}", formatAll(own.all()),
                        getName(own.group), own.name, own.tasks);
    if (own.times > 1)
      os << ", " << own.times << " times";
    os << ": reads " << formatAll(own.read) << ", writes "
       << formatAll(own.written) << "\n";
  }
  double rest = 0;
  for (const KernelTraffic &own :
       ArrayRef(kernels).drop_front(std::min(most, kernels.size())))
    rest += own.all();
  if (rest > 0)
    os << llvm::formatv("    {0,10}  {1} others\n", formatAll(rest),
                        kernels.size() - most);
}

std::string formatTraffic(const std::vector<KernelTraffic> &traffic) {
  std::string out;
  llvm::raw_string_ostream os(out);
  std::map<int64_t, std::vector<KernelTraffic>> stages;
  for (const KernelTraffic &own : traffic)
    stages[own.stage].push_back(own);
  if (stages.empty())
    return "traffic: nothing\n";
  for (const auto &entry : stages) {
    const std::vector<KernelTraffic> &all = entry.second;
    double sum = 0;
    for (const KernelTraffic &own : all)
      sum += own.all();
    os << "traffic of a step in a device's memory";
    if (stages.size() > 1)
      os << ", stage " << entry.first;
    os << ": " << formatAll(sum) << "; ";
    listGroups(os, [&](TrafficGroup group) {
      double bytes = 0;
      for (const KernelTraffic &own : all)
        if (own.group == group)
          bytes += own.all();
      return bytes;
    });
    LayerTraffic layer = findLayer(all);
    std::vector<KernelTraffic> outside;
    for (KernelTraffic own : all) {
      for (const KernelTraffic &part : layer.kernels)
        if (std::tie(part.name, part.tasks, part.read, part.written) ==
            std::tie(own.name, own.tasks, own.read, own.written))
          own.times -= part.times * layer.layers;
      if (own.times > 0)
        outside.push_back(own);
    }
    if (layer.layers) {
      os << "  " << layer.layers << " times, as layers: ";
      listGroups(os, [&](TrafficGroup group) { return layer.bytes(group); });
      listKernels(os, layer.kernels);
    }
    llvm::stable_sort(outside,
                      [](const KernelTraffic &a, const KernelTraffic &b) {
                        return a.all() > b.all();
                      });
    if (!outside.empty()) {
      os << "  besides:\n";
      listKernels(os, outside);
    }
  }
  return out;
}

} // namespace zcc
