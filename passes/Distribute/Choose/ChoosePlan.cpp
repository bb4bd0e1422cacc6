// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses axes and annotations where the options name only a number of devices:
// the sharding of every variant (PlanVariants.h) is decided in memory and
// measured (StepCost.h); the cheapest that fits is written down, as if it had
// been asked for. After that, a mixture of the variants of its mesh
// (MixPlans.h).
#include "passes/Distribute/Choose/ChoosePlan.h"
#include "compiler/planning/ShardingSolver.h"
#include "dialects/Dist/AxisNames.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Choose/Microbatches.h"
#include "passes/Distribute/Choose/MixPlans.h"
#include <cmath>

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
    if (fits(*best))
      lookBeside(*best);
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
    std::optional<ChosenPlan> mixed = mix(*best);
    if (mixed) {
      mixed->figures = known.correct(keyOf(*mixed), mixed->figures);
      choice.considered.push_back(*mixed);
    }
    if (mixed && fits(*mixed))
      choice.best.push_back(*mixed);
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
    ShardingRequest request = makeRequest(shard, variant, zero, zeroAxes);
    // What is propagated does not depend on how state is stored.
    std::string key = variant.text;
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      if (mesh.isTemporal(axis))
        key += "/" + std::to_string(mesh.sizeOf(axis));
    auto before = propagated.find(key);
    if (before == propagated.end()) {
      FailureOr<DecidedSharding> decided =
          decideSharding(func, mesh, rules, request);
      if (succeeded(decided))
        propagated.emplace(key, Propagated{variant.axes, *decided});
      return decided;
    }
    DecidedSharding decided = before->second.decided;
    decided.step.demands.clear();
    if (failed(finishSharding(func, mesh, request, decided)))
      return failure();
    return decided;
  }

  // Shardings of variants whose axes the best plan has.
  struct Propagated {
    std::vector<std::pair<std::string, int64_t>> axes;
    DecidedSharding decided;
  };
  void forgetOthers() {
    for (auto it = propagated.begin(); it != propagated.end();)
      it = best && it->second.axes == best->variant.axes ? std::next(it)
                                                         : propagated.erase(it);
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
    request.state = options.state;
    request.exact = options.exact;
    request.disable = options.disable;
    return request;
  }

  double budget() const { return options.getMemory(); }

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
    ChosenPlan plan;
    plan.variant = layout.variant;
    plan.zero = layout.zero;
    plan.zeroAxes = layout.zeroAxes;
    plan.microbatches = count;
    std::string key = keyOf(plan);
    auto [it, added] = known.figures.try_emplace(key);
    if (added) {
      MeshAxes mesh = axesOf(layout.variant, count);
      FailureOr<DecidedSharding> decided =
          decide(mesh, layout.variant, layout.zero, layout.zeroAxes);
      // What was asked for is refused with a reason, later.
      if (succeeded(decided) &&
          (options.microbatches > 0 ||
           runsInMicrobatches(func, {mesh, decided->step, decided->partials},
                              options.perMicrobatch)))
        it->second = StepCost(func.getBody().front(), mesh, model)
                         .measure({mesh, decided->step, decided->partials});
      if (it->second && options.microbatches == 0 &&
          !std::isfinite(it->second->seconds()))
        it->second = std::nullopt;
    }
    if (!it->second)
      return std::nullopt;
    plan.figures = known.correct(key, *it->second).withKept(budget());
    considered.push_back(plan);
    return plan;
  }

  // The cheapest way to run the variant that fits; what does not fit at all is
  // the smallest.
  std::optional<ChosenPlan> measure(const PlanVariant &variant) {
    int64_t shards = rowShards(variant);
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
      double perRow = whole.scale.residuals * whole.residuals +
                      whole.scale.largest * whole.largest;
      // More of them than make this share of it small cost time alone.
      constexpr double small = 1.0 / 64;
      auto bytesIn = [&](int64_t n) {
        const StepCost::MemoryScale &by = whole.scale;
        return by.state * whole.state + by.gradients * whole.gradients +
               perRow / static_cast<double>(n);
      };
      while (mayDivide && 2 * count * shards <= facts.batch &&
             bytesIn(count) > budget() &&
             perRow / static_cast<double>(count) > small * bytesIn(count))
        count *= 2;
      // While nothing fits, what needs least is looked for.
      bool tooLarge = bytesIn(count) > budget();
      if (count > plan->microbatches && !(tooLarge && best && fits(*best)))
        take(measure(layout, count));
    }
    return own;
  }

  // What hardly differs from the best plan, for the simulation to tell apart:
  // state in one piece, which saves small models messages, and sharded tables.
  void lookBeside(ChosenPlan plan) {
    std::vector<Layout> layouts;
    if (plan.zero < 0 && options.zeroAxes.empty() &&
        rowShards(plan.variant) > 1)
      layouts.push_back({plan.variant, 0, {}});
    if (plan.variant.shard.empty() && plan.variant.shardSequence)
      for (const PlanVariant &variant :
           makeVariants(facts, devices, sizeOfTensor(plan.variant),
                        /*withTables=*/true))
        if (variant.axes == plan.variant.axes && !variant.shard.empty())
          layouts.push_back({variant, plan.zero, plan.zeroAxes});
    constexpr double near = 1.01;
    for (const Layout &layout : layouts) {
      std::optional<ChosenPlan> other = measure(layout, plan.microbatches);
      if (!other)
        continue;
      if (!fits(*other) ||
          other->figures.seconds() > near * plan.figures.seconds())
        considered.pop_back();
      else if (better(*other, *best))
        best = other;
    }
  }

  static int64_t sizeOfTensor(const PlanVariant &variant) {
    int64_t tensor = 1;
    for (const auto &[name, size] : variant.axes)
      if (name == "tensor")
        tensor = size;
    return tensor;
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

  // Devices among which the variant divides the batch.
  static int64_t rowShards(const PlanVariant &variant) {
    int64_t shards = 1;
    for (const auto &[name, size] : variant.axes)
      if (wholeAxisName(name) == "data" || name == "expert")
        shards *= size;
    return shards;
  }
  // How much more than the batch it computes.
  double padding(const PlanVariant &variant) const {
    if (facts.batch == 0)
      return 1;
    int64_t shards = rowShards(variant),
            rows = (facts.batch + shards - 1) / shards * shards;
    return static_cast<double>(rows) / static_cast<double>(facts.batch);
  }
  // Whether arithmetic alone takes longer than the best plan does.
  bool cannotWin(const PlanVariant &variant) const {
    if (!best || !fits(*best))
      return false;
    double least = std::numeric_limits<double>::infinity();
    for (const ChosenPlan &plan : considered)
      least = std::min(least, plan.figures.compute / padding(plan.variant));
    constexpr double sure = 0.8; // some shardings compute less
    return sure * least * padding(variant) > best->figures.seconds();
  }
  void search() {
    std::vector<int64_t> sizes = divisorsOf(devices); // of `tensor`
    // From the smallest that leaves no device without rows, down and up, until
    // it got worse twice, or much worse: cost falls and then grows, and how
    // many are looked at does not depend on the number of devices.
    constexpr double muchWorse = 1.05;
    constexpr double hardly = 0.98; // of what it is without, to be worth a look
    // What sharded tables may save of a step, to be looked at: the mixture
    // shards them where less is to be had.
    constexpr double little = 0.1;
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
        if ((experts && enoughExperts) || cannotWin(variant))
          continue;
        if (!variant.shard.empty() && plain && fits(*plain) &&
            plain->figures.tables < little * plain->figures.seconds())
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
      if (tables && plain && own)
        tables = own->figures.seconds() < hardly * plain->figures.seconds() ||
                 (!fits(*plain) &&
                  own->figures.bytes() < hardly * plain->figures.bytes());
      bool improves = own && (!best || better(*own, *best));
      if (improves)
        best = own;
      forgetOthers();
      if (improves)
        return 0;
      bool slow =
          !own || (fits(*best) && own->figures.seconds() >
                                      muchWorse * best->figures.seconds());
      return slow ? 2 : 1; // steps for the worse
    };
    tryOne(sizes[start]);
    for (int step : {-1, 1}) {
      int worse = 0;
      for (size_t i = start + step; i < sizes.size() && worse < 2; i += step) {
        int more = tryOne(sizes[i]);
        worse = more ? worse + more : 0;
      }
    }
  }

  // Improves on the best variant by mixing the variants of its mesh, op by op
  // and parameter by parameter; nullopt if nothing is gained.
  std::optional<ChosenPlan> mix(const ChosenPlan &best) {
    int64_t tensor = sizeOfTensor(best.variant);
    MeshAxes mesh = axesOf(best.variant, best.microbatches);
    StepCost cost(func.getBody().front(), mesh, model);
    std::vector<DecidedSharding> plans;
    for (const PlanVariant &plain :
         makeVariants(facts, devices, tensor, /*withTables=*/true,
                      /*toMix=*/true))
      for (const Layout &layout : layoutsOf(plain)) {
        if (layout.variant.axes != best.variant.axes ||
            layout.zero != best.zero)
          continue;
        FailureOr<DecidedSharding> decided =
            decide(mesh, layout.variant, best.zero, best.zeroAxes);
        if (failed(decided))
          continue;
        plans.push_back(*decided);
        // Where all state had to be split, some of it need not be.
        for (const std::string &state : statesToMix(best)) {
          ShardingRequest request = makeRequest(options.shard, layout.variant,
                                                best.zero, best.zeroAxes);
          request.state = state;
          DecidedSharding other = *decided;
          other.step.demands.clear();
          if (succeeded(finishSharding(func, mesh, request, other)))
            plans.push_back(std::move(other));
        }
      }
    SmallVector<const DecidedSharding *> pointers;
    for (const DecidedSharding &plan : plans)
      pointers.push_back(&plan);
    if (plans.size() < 2)
      return std::nullopt;
    PlanMixture mixture(func, mesh, cost, pointers);
    // Of the estimates as they are, which memory planning has corrected.
    double capacity = budget() - best.figures.bytes() + best.figures.state +
                      best.figures.gradients + best.figures.residuals;
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
    for (auto &[parameter, state] : mixed.step.states)
      if (auto it = chosen->arguments.find(parameter);
          it != chosen->arguments.end())
        state = *plans[it->second].step.stateOf(parameter);
    std::vector<std::string> states =
        printStates(func, plans.front().zero, mixed.step);
    mixed.step.demands.clear();
    ShardingRequest request =
        makeRequest(options.shard, best.variant, best.zero, best.zeroAxes);
    request.state = states;
    if (failed(finishSharding(func, mesh, request, mixed)))
      return std::nullopt;
    StepCost::Figures figures = cost.measure({mesh, mixed.step, mixed.partials})
                                    .scaled(known.scale)
                                    .withKept(budget());
    constexpr double worthwhile = 0.995;
    if (figures.bytes() > std::max(budget(), best.figures.bytes()) ||
        figures.seconds() > worthwhile * best.figures.seconds())
      return std::nullopt;
    ChosenPlan plan = best;
    plan.figures = figures;
    plan.variant.text += ", mixed";
    plan.variant.shard.clear();
    plan.state = std::move(states);
    plan.pins = std::make_shared<StepSharding>(std::move(mixed.step));
    return plan;
  }

  // What single parameters may do else, as --state says it.
  std::vector<std::string> statesToMix(const ChosenPlan &plan) const {
    if (options.zero >= 0 || !options.state.empty() || plan.zero < 3)
      return {};
    if (plan.microbatches == 1)
      return {"*=keep", "*=1"};
    return {"*=keep", "*=1", "*=2"};
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
  std::map<std::string, Propagated> propagated;
};
} // namespace

std::string dist::keyOf(const ChosenPlan &plan) {
  return plan.variant.text + "/" + std::to_string(plan.zero) + "/" +
         std::to_string(plan.microbatches);
}

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
  SmallVector<StringRef> state(plan.state.begin(), plan.state.end());
  attributes.set("state", b.getStrArrayAttr(state));
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
