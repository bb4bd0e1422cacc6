// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nearest plan that fits: ZeRO stages, microbatches, recomputation and,
// where the axes were not given, other meshes are measured (ExplainTrials.h);
// the fastest whose estimate fits is compiled, and where it needs more than
// estimated, one that is estimated to need less.
#include "compiler/driver/Explain.h"
#include "compiler/driver/OptionValues.h"
#include "compiler/driver/Pipelines.h"
#include "dialects/Dist/AxisNames.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Explain/ExplainTrials.h"
#include <map>

using namespace mlir;

namespace zcc {
namespace {
// What is written otherwise than the options given.
struct Candidate {
  std::vector<std::pair<std::string, std::string>> options;
  std::string mesh;
  double bytes = 0, seconds = 0; // estimates

  std::string text() const {
    std::string all;
    for (const auto &[name, value] : options)
      all += (all.empty() ? "--" : " --") + name + " " + value;
    return all;
  }
};

std::string meshText(ArrayRef<std::pair<std::string, int64_t>> axes) {
  std::string text;
  for (const auto &[name, size] : axes)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(size);
  return text;
}

std::optional<int64_t> peakOf(ModuleOp step, const Options &options,
                              const planning::Machine &machine,
                              const planning::MachineFacts &facts,
                              const exec::Backend &backend) {
  OwningOpRef<ModuleOp> tried = step.clone();
  ScopedDiagnosticHandler quiet(step.getContext(),
                                [](Diagnostic &) { return success(); });
  for (Phase phase : {Phase::sharded, Phase::partitioned, Phase::tasks,
                      Phase::scheduled, Phase::planned}) {
    PassManager pm(step.getContext());
    pm.enableVerifier(false);
    addPhasePasses(phase, pm, options, machine, facts, backend);
    if (failed(pm.run(*tried)))
      return std::nullopt;
  }
  Report report;
  if (failed(addFacts(*tried, report)) || !report.worst())
    return std::nullopt;
  return report.worst()->peak;
}

class FitSearch {
public:
  FitSearch(ModuleOp step, ModuleOp plan, const Options &options,
            const planning::Machine &machine,
            const planning::MachineFacts &facts, const exec::Backend &backend,
            const Report &report, double budget)
      : step(step), plan(plan), options(options), machine(machine),
        facts(facts), backend(backend), report(report), budget(budget) {}

  std::string run() {
    // A bare mesh becomes the one that was chosen.
    bool bare = isBare(getDistributeOptions(options, machine, facts));
    std::string mesh = meshText(report.mesh);
    named = options;
    if (bare) {
      named.set("mesh", {mesh});
      if (auto chosen =
              plan->getAttrOfType<DictionaryAttr>(dist::planAttrName)) {
        std::vector<std::string> shard = options.getList("shard");
        for (auto text :
             chosen.getAs<ArrayAttr>("shard").getAsRange<StringAttr>())
          shard.push_back(text.str());
        if (!shard.empty())
          named.set("shard", shard);
      }
    }
    estimate(bare);
    if (candidates.empty())
      return "";
    return compileSome();
  }

private:
  void estimate(bool bare) {
    OwningOpRef<ModuleOp> placed = step.clone();
    ScopedDiagnosticHandler quiet(step.getContext(),
                                  [](Diagnostic &) { return success(); });
    PassManager pm(step.getContext());
    pm.enableVerifier(false);
    DistributeOptions own = getDistributeOptions(named, machine, facts);
    own.microbatches = report.microbatches.value_or(1);
    buildMeshPipeline(pm, own);
    if (failed(pm.run(*placed)))
      return;
    dist::StepTrials trials(*placed, own);
    auto base = trials.measure(trials.base());
    if (!base)
      return;
    // Kernels and their buffers are not in the estimate.
    double scale = static_cast<double>(report.worst()->peak) / base->bytes();
    int given = static_cast<int>(report.zero.value_or(0));
    int64_t microbatches = report.microbatches.value_or(1);
    std::vector<std::vector<std::pair<std::string, int64_t>>> meshes = {
        trials.base().axes};
    if (bare)
      addMeshes(meshes);
    for (const auto &axes : meshes) {
      int64_t shards = 1;
      for (const auto &[name, size] : axes)
        if (StringRef(name).starts_with("data") ||
            StringRef(name).starts_with("expert"))
          shards *= size;
      for (int zero = given; zero <= 3; ++zero)
        for (int64_t count = microbatches;
             count == microbatches ||
             (count * shards <= trials.batch() && count <= 16 * microbatches);
             count *= 2) {
          dist::StepSetup tried = trials.base();
          tried.axes = axes;
          tried.microbatches = count;
          tried.options.zero = zero;
          auto figures = trials.measure(tried);
          if (!figures)
            continue;
          Candidate candidate;
          candidate.mesh = meshText(axes);
          if (bare)
            candidate.options.emplace_back("mesh", meshText(axes));
          if (bare)
            for (const std::string &text : named.getList("shard"))
              candidate.options.emplace_back("shard", text);
          if (zero != given)
            candidate.options.emplace_back("zero", std::to_string(zero));
          if (count != microbatches ||
              (bare && count > 1 && options.get("microbatches") == "auto"))
            candidate.options.emplace_back("microbatches",
                                           std::to_string(count));
          candidate.bytes = scale * figures->bytes();
          candidate.seconds = figures->seconds();
          if (zero != given || count != microbatches ||
              axes != trials.base().axes)
            candidates.push_back(candidate);
          if (options.get("remat") == "full" ||
              options.get("optimizer") == "forward")
            continue;
          // About one residual in five is left, and a third of the work is done
          // again.
          candidate.options.emplace_back("remat", "full");
          candidate.bytes =
              scale * (figures->bytes() - 0.8 * figures->residuals);
          candidate.seconds += figures->compute / 3;
          candidates.push_back(candidate);
        }
    }
    llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
      bool fitsA = a.bytes <= budget, fitsB = b.bytes <= budget;
      if (fitsA != fitsB)
        return fitsA;
      double costA = fitsA ? a.seconds : a.bytes,
             costB = fitsA ? b.seconds : b.bytes;
      return std::make_tuple(costA, a.options.size(), a.text()) <
             std::make_tuple(costB, b.options.size(), b.text());
    });
  }

  // Those of the search with little memory.
  void addMeshes(
      std::vector<std::vector<std::pair<std::string, int64_t>>> &meshes) const {
    auto considered = plan->getAttrOfType<ArrayAttr>(dist::consideredAttrName);
    if (!considered)
      return;
    std::vector<std::pair<double, std::string>> list;
    for (auto entry : considered.getAsRange<DictionaryAttr>()) {
      StringRef text = entry.getAs<StringAttr>("text").getValue();
      if (!text.contains(", "))
        list.emplace_back(entry.getAs<FloatAttr>("bytes").getValueAsDouble(),
                          text.str());
    }
    llvm::sort(list);
    constexpr size_t most = 3;
    for (const auto &[bytes, text] : list) {
      std::vector<MeshAxis> parsed;
      if (meshes.size() > most || !parseMesh(text, parsed).empty())
        continue;
      std::vector<std::pair<std::string, int64_t>> axes;
      for (const MeshAxis &axis : parsed)
        axes.emplace_back(axis.name, axis.size);
      if (!llvm::is_contained(meshes, axes))
        meshes.push_back(axes);
    }
  }

  std::string compileSome() {
    func::FuncOp func = dist::getStep(step);
    size_t numOps = func.getBody().front().getOperations().size();
    constexpr size_t longToCompile = 20000; // ops: half a minute and more
    if (numOps > longToCompile) {
      const Candidate &first = candidates.front();
      return std::string(first.bytes <= budget
                             ? "  may fit, by estimate ("
                             : "  nothing fits by estimate; least (") +
             "not compiled, the step has " + std::to_string(numOps) +
             " ops): " + first.text() + ", about " + bytesText(first.bytes) +
             " a device\n";
    }
    constexpr int most = 6, mostOfMesh = 2; // those that seem too large
    double limit = std::numeric_limits<double>::infinity();
    std::optional<std::pair<int64_t, std::string>> least;
    int compiled = 0;
    std::map<std::string, int> tooLarge; // by mesh
    for (const Candidate &candidate : candidates) {
      if (compiled == most)
        break;
      // One that needed more than estimated says the same of those like it.
      if (candidate.bytes <= budget && candidate.bytes >= limit)
        continue;
      if (candidate.bytes > budget && ++tooLarge[candidate.mesh] > mostOfMesh)
        continue;
      Options tried = named;
      for (const auto &[name, value] : candidate.options)
        if (name != "shard")
          tried.set(name, {value});
      auto peak = peakOf(step, tried, machine, facts, backend);
      if (!peak)
        continue;
      ++compiled;
      if (static_cast<double>(*peak) <= budget)
        return "  fits: " + candidate.text() + ", " + formatBytes(*peak) +
               " a device\n";
      if (!least || *peak < least->first)
        least = {*peak, candidate.text()};
      limit = std::min(candidate.bytes, budget) * 0.98;
    }
    if (!least)
      return "";
    return "  no other plan that was compiled (" + std::to_string(compiled) +
           ") fits; " + least->second + " needs least, " +
           formatBytes(least->first) + " a device\n";
  }

  static std::string bytesText(double bytes) {
    return formatBytes(static_cast<int64_t>(bytes));
  }

  ModuleOp step, plan;
  const Options &options;
  const planning::Machine &machine;
  const planning::MachineFacts &facts;
  const exec::Backend &backend;
  const Report &report;
  double budget;
  Options named;
  std::vector<Candidate> candidates;
};
} // namespace

std::string findFit(ModuleOp step, ModuleOp plan, const Options &options,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts,
                    const exec::Backend &backend, const Report &report,
                    double budget) {
  return FitSearch(step, plan, options, machine, facts, backend, report, budget)
      .run();
}

} // namespace zcc
