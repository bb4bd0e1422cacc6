// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses axes and annotations where the options name only a number of devices:
// the sharding of every variant (PlanVariants.h) is decided in memory and
// measured (StepCost.h); the cheapest that fits is written down, as if it had
// been asked for. After that, a mixture of the variants of its mesh
// (MixPlans.h).
#include "passes/Distribute/ChoosePlan.h"
#include "compiler/planning/ShardingSolver.h"
#include "dialects/Dist/AxisNames.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/MixPlans.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

static MeshOp makeMesh(ModuleOp module, const PlanVariant &variant,
                       int64_t microbatches) {
  SmallVector<Attribute> axes;
  MLIRContext *context = module.getContext();
  if (microbatches > 1)
    axes.push_back(AxisAttr::get(context, "micro", microbatches, true));
  for (const auto &[name, size] : variant.axes)
    axes.push_back(AxisAttr::get(context, name, size, false));
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return MeshOp::create(b, module.getLoc(), meshName, b.getArrayAttr(axes));
}

static MeshAxes axesOf(ModuleOp module, const PlanVariant &variant,
                       int64_t microbatches) {
  MeshOp op = makeMesh(module, variant, microbatches);
  MeshAxes mesh(op);
  op.erase();
  return mesh;
}

namespace {
class PlanSearch {
public:
  PlanSearch(ModuleOp module, func::FuncOp func,
             const DistributeOptions &options, int64_t devices,
             PlanFigures &known)
      : known(known), module(module), func(func), options(options),
        devices(devices), model(options.model, devices), rules(func),
        facts(func, options.notBatched) {}

  FailureOr<PlanChoice> run() {
    search();
    if (!best) {
      // Every variant failed for the same reason: let it be said.
      PlanVariant plain = makeVariants(facts, devices, 1, false).front();
      (void)decide(axesOf(plain, 1), plain, options.zero, options.zeroAxes,
                   /*quiet=*/false);
      return failure();
    }
    PlanChoice choice;
    choice.considered = considered;
    llvm::stable_sort(
        considered,
        [&](const ChosenPlan &a, const ChosenPlan &b) { return better(a, b); });
    // Where nothing fits, what needs least is the answer, however slow.
    if (!fits(*best)) {
      choice.best.push_back(*best);
      return choice;
    }
    if (std::optional<ChosenPlan> mixed = mix(*best)) {
      choice.best.push_back(*mixed);
      choice.considered.push_back(*mixed);
    }
    // Those whose estimate is near the best.
    constexpr double near = 1.05;
    constexpr size_t most = 3;
    for (const ChosenPlan &plan : considered)
      if (choice.best.size() < most &&
          (choice.best.empty() ||
           plan.figures.seconds() <= near * best->figures.seconds()) &&
          fits(plan))
        choice.best.push_back(plan);
    return choice;
  }

private:
  MeshAxes axesOf(const PlanVariant &variant, int64_t microbatches) {
    return ::axesOf(module, variant, microbatches);
  }

  // The sharding of a variant; failure if there is none. Says why not, unless
  // it is only to be measured.
  FailureOr<DecidedSharding> decide(const MeshAxes &mesh,
                                    const PlanVariant &variant, int zero,
                                    ArrayRef<std::string> zeroAxes,
                                    bool quiet = true) {
    std::vector<std::string> shard = options.shard;
    shard.insert(shard.end(), variant.shard.begin(), variant.shard.end());
    std::optional<ScopedDiagnosticHandler> silence;
    if (quiet)
      silence.emplace(module.getContext(),
                      [](Diagnostic &) { return success(); });
    return decideSharding(func, mesh, rules,
                          makeRequest(shard, variant, zero, zeroAxes));
  }

  ShardingRequest makeRequest(ArrayRef<std::string> shard,
                              const PlanVariant &variant, int zero,
                              ArrayRef<std::string> zeroAxes) const {
    ShardingRequest request;
    request.seeds = {
        options.notBatched, shard,
        variant.shardSequence &&
            !llvm::is_contained(options.disable, "shard-sequence")};
    request.zero = zero;
    request.zeroAxes = zeroAxes;
    request.disable = options.disable;
    return request;
  }

  double budget() const {
    return options.machine.deviceMemory > 0
               ? options.machine.deviceMemory
               : std::numeric_limits<double>::infinity();
  }

  // How much of the state a device holds.
  struct Layout {
    PlanVariant variant;
    int zero;
    std::vector<std::string> zeroAxes; // empty: all that shard the batch
  };

  // Cheapest first: moments and masters split; parameters too, but gathered on
  // a node alone; parameters over all devices.
  std::vector<Layout> layoutsOf(const PlanVariant &variant) const {
    std::vector<Layout> layouts;
    if (options.zero >= 0 || !options.zeroAxes.empty()) {
      layouts.push_back({variant, options.zero, options.zeroAxes});
      return layouts;
    }
    layouts.push_back({variant, -1, {}});
    int64_t stride = 1; // ranks between neighbors along `data`
    size_t data = variant.axes.size();
    for (size_t i = variant.axes.size(); i-- > 0 && data > i;)
      if (variant.axes[i].first == "data")
        data = i;
      else
        stride *= variant.axes[i].second;
    if (data < variant.axes.size()) {
      int64_t size = variant.axes[data].second,
              near = options.model.devicesPerNode / stride;
      if (near > 1 && near < size && size % near == 0) {
        Layout hybrid{variant, 3, {nameAxisPart({"data", size / near, near})}};
        auto &axes = hybrid.variant.axes;
        axes[data] = {nameAxisPart({"data", 1, size / near}), size / near};
        axes.insert(axes.begin() + data + 1, {hybrid.zeroAxes[0], near});
        hybrid.variant.text += ", state split within nodes";
        layouts.push_back(std::move(hybrid));
      }
    }
    layouts.push_back({variant, 3, {}});
    return layouts;
  }

  std::optional<ChosenPlan> measure(const Layout &layout, int64_t count) {
    std::string key = layout.variant.text + "/" + std::to_string(layout.zero) +
                      "/" + std::to_string(count);
    auto [it, added] = known.try_emplace(key);
    if (added) {
      MeshAxes mesh = axesOf(layout.variant, count);
      FailureOr<DecidedSharding> decided =
          decide(mesh, layout.variant, layout.zero, layout.zeroAxes);
      if (succeeded(decided))
        it->second = StepCost(func.getBody().front(), mesh, model)
                         .measure({mesh, decided->step, decided->partials,
                                   decided->zero >= 2 && !options.exact});
    }
    if (!it->second)
      return std::nullopt;
    ChosenPlan plan;
    plan.variant = layout.variant;
    plan.zero = layout.zero;
    plan.zeroAxes = layout.zeroAxes;
    plan.microbatches = count;
    plan.figures = *it->second;
    considered.push_back(plan);
    return plan;
  }

  // The cheapest way to run the variant that fits; what does not fit at all is
  // the smallest.
  std::optional<ChosenPlan> measure(const PlanVariant &variant) {
    int64_t shards = 1; // of the batch
    for (const auto &[name, size] : variant.axes)
      if (name == "data" || name == "expert")
        shards *= size;
    bool mayDivide = options.microbatches == 0;
    std::optional<ChosenPlan> own;
    auto take = [&](std::optional<ChosenPlan> plan) {
      if (plan && (!own || better(*plan, *own)))
        own = plan;
    };
    for (const Layout &layout : layoutsOf(variant)) {
      int64_t count = std::max<int64_t>(options.microbatches, 1);
      std::optional<ChosenPlan> plan = measure(layout, count);
      take(plan);
      if (!plan)
        continue;
      // The others only cost more.
      if (fits(*plan))
        break;
      // In so many microbatches that it should fit; one row each at least.
      const StepCost::Figures &whole = plan->figures;
      auto bytesIn = [&](int64_t n) {
        return whole.state + whole.gradients +
               (whole.residuals + whole.largest) / n;
      };
      while (mayDivide && 2 * count * shards <= facts.batch &&
             bytesIn(count) > budget())
        count *= 2;
      // While nothing fits, what needs least is looked for.
      bool tooLarge = bytesIn(count) > budget();
      if (count > plan->microbatches && !(tooLarge && best && fits(*best)))
        take(measure(layout, count));
    }
    return own;
  }

  bool fits(const ChosenPlan &plan) const {
    return plan.figures.bytes() <= budget();
  }
  bool better(const ChosenPlan &a, const ChosenPlan &b) const {
    if (fits(a) != fits(b))
      return fits(a);
    return fits(a) ? a.figures.seconds() < b.figures.seconds()
                   : a.figures.bytes() < b.figures.bytes();
  }

  void search() {
    std::vector<int64_t> sizes = divisorsOf(devices); // of `tensor`
    // From the smallest that leaves no device without rows, down and up, until
    // it got worse twice: cost falls and then grows, and how many are looked at
    // does not depend on the number of devices.
    size_t start = 0;
    while (start + 1 < sizes.size() && facts.batch > 0 &&
           devices / sizes[start] > facts.batch)
      ++start;
    bool tables = true;
    auto tryOne = [&](int64_t tensor) {
      std::optional<ChosenPlan> own, plain, lastExperts;
      bool enoughExperts = false;
      for (const PlanVariant &variant :
           makeVariants(facts, devices, tensor, tables)) {
        // Fewer and fewer devices along the experts.
        bool experts = llvm::any_of(variant.axes, [](const auto &axis) {
          return axis.first == "expert";
        });
        if (experts && enoughExperts)
          continue;
        std::optional<ChosenPlan> candidate = measure(variant);
        if (!candidate)
          continue;
        if (!own || better(*candidate, *own))
          own = candidate;
        if (variant.shard.empty() && (!plain || better(*candidate, *plain)))
          plain = candidate;
        if (experts) {
          enoughExperts = lastExperts && better(*lastExperts, *candidate);
          lastExperts = candidate;
        }
      }
      // Where sharded tables hardly pay, they are left to the mixture.
      constexpr double hardly = 0.98;
      if (tables && plain && own)
        tables = own->figures.seconds() < hardly * plain->figures.seconds() ||
                 own->figures.bytes() < hardly * plain->figures.bytes();
      bool improves = own && (!best || better(*own, *best));
      if (improves)
        best = own;
      return improves;
    };
    tryOne(sizes[start]);
    for (int step : {-1, 1}) {
      int worse = 0;
      for (size_t i = start + step; i < sizes.size() && worse < 2; i += step)
        worse = tryOne(sizes[i]) ? 0 : worse + 1;
    }
  }

  // Improves on the best variant by mixing the variants of its mesh, op by op
  // and parameter by parameter; nullopt if nothing is gained.
  std::optional<ChosenPlan> mix(const ChosenPlan &best) {
    int64_t tensor = 1;
    for (const auto &[name, size] : best.variant.axes)
      if (name == "tensor")
        tensor = size;
    MeshAxes mesh = axesOf(best.variant, best.microbatches);
    StepCost cost(func.getBody().front(), mesh, model);
    std::vector<DecidedSharding> plans;
    for (const PlanVariant &variant :
         makeVariants(facts, devices, tensor, /*withTables=*/true,
                      /*toMix=*/true)) {
      if (variant.axes != best.variant.axes)
        continue;
      FailureOr<DecidedSharding> decided =
          decide(mesh, variant, best.zero, best.zeroAxes);
      if (succeeded(decided))
        plans.push_back(std::move(*decided));
    }
    SmallVector<const DecidedSharding *> pointers;
    for (const DecidedSharding &plan : plans)
      pointers.push_back(&plan);
    if (plans.size() < 2)
      return std::nullopt;
    PlanMixture mixture(func, mesh, cost, pointers);
    double capacity = budget() - best.figures.largest;
    planning::ShardingProblem problem = mixture.makeProblem(capacity);
    planning::ShardingLimits limits;
    limits.nodes = 200;
    limits.gap = 1e-3;
    std::optional<planning::ShardingChoice> choice =
        planning::solveSharding(problem, limits);
    if (!choice || !planning::verifySharding(problem, *choice).empty())
      return std::nullopt;
    auto chosen = mixture.read(*choice);
    if (!chosen)
      return std::nullopt;
    DecidedSharding mixed = plans.front();
    for (auto [op, plan] : chosen->ops)
      if (auto it = plans[plan].step.ops.find(op);
          it != plans[plan].step.ops.end())
        mixed.step.ops.find(op)->second.factors = it->second.factors;
    for (auto [argument, plan] : chosen->arguments)
      mixed.step.seeds[argument] = plans[plan].step.seeds.lookup(argument);
    mixed.step.demands.clear();
    if (failed(finishSharding(
            func, mesh,
            makeRequest(options.shard, best.variant, best.zero, best.zeroAxes),
            mixed)))
      return std::nullopt;
    StepCost::Figures figures = cost.measure(
        {mesh, mixed.step, mixed.partials, mixed.zero >= 2 && !options.exact});
    constexpr double worthwhile = 0.995;
    if (figures.bytes() > std::max(budget(), best.figures.bytes()) ||
        figures.seconds() > worthwhile * best.figures.seconds())
      return std::nullopt;
    ChosenPlan plan = best;
    plan.figures = figures;
    plan.variant.text += ", mixed";
    plan.variant.shard.clear();
    plan.pins = std::make_shared<StepSharding>(std::move(mixed.step));
    return plan;
  }

  PlanFigures &known;
  ModuleOp module;
  func::FuncOp func;
  const DistributeOptions &options;
  int64_t devices;
  planning::CostModel model;
  StepRules rules;
  PlanFacts facts;
  std::optional<ChosenPlan> best;
  std::vector<ChosenPlan> considered;
};
} // namespace

FailureOr<PlanChoice> dist::choosePlans(ModuleOp module,
                                        const DistributeOptions &options,
                                        PlanFigures &known) {
  func::FuncOp func = getStep(module);
  if (!func)
    return module.emitError("the module has no step");
  int64_t devices = 1;
  for (const auto &[name, size] : options.mesh)
    devices *= size;
  return PlanSearch(module, func, options, devices, known).run();
}

void dist::applyPlan(ModuleOp module, const ChosenPlan &plan) {
  makeMesh(module, plan.variant, plan.microbatches);
  Builder b(module.getContext());
  NamedAttrList attributes;
  SmallVector<Attribute> shard;
  for (const std::string &text : plan.variant.shard)
    shard.push_back(b.getStringAttr(text));
  SmallVector<Attribute> zeroAxes;
  for (const std::string &axis : plan.zeroAxes)
    zeroAxes.push_back(b.getStringAttr(axis));
  attributes.set("zero_axes", b.getArrayAttr(zeroAxes));
  attributes.set("shard", b.getArrayAttr(shard));
  attributes.set("shard_sequence", b.getBoolAttr(plan.variant.shardSequence));
  attributes.set("text", b.getStringAttr(plan.variant.text));
  attributes.set("zero", b.getI64IntegerAttr(plan.zero));
  module->setAttr(planAttrName, attributes.getDictionary(module.getContext()));
  if (plan.pins)
    pinSharding(getStep(module),
                axesOf(module, plan.variant, plan.microbatches), *plan.pins);
}

void dist::removePlan(ModuleOp module) {
  if (MeshOp mesh = getMesh(module))
    mesh.erase();
  module->removeAttr(planAttrName);
  if (func::FuncOp func = getStep(module))
    unpinSharding(func);
}
