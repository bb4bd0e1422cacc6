// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses axes and annotations where the options name only a number of devices:
// the sharding of every variant (PlanVariants.h) is decided in memory and
// measured (StepCost.h); the cheapest that fits is written down, as if it had
// been asked for. After that, a mixture of the variants of its mesh
// (MixPlans.h).
#include "passes/Distribute/Choose/ChoosePlan.h"
#include "compiler/planning/ScheduleGenerators.h"
#include "compiler/planning/ShardingSolver.h"
#include "dialects/Dist/AxisNames.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Choose/DivideWork.h"
#include "passes/Distribute/Choose/Microbatches.h"
#include "passes/Distribute/Choose/MixPlans.h"
#include "passes/Distribute/Choose/StageBounds.h"
#include "passes/Distribute/Place/ResidualCurve.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Distribute/StagePins.h"
#include <cmath>
#include <deque>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

using planning::AxisRole;
using planning::Plan;
using planning::PlanAxis;
using planning::PlanState;

namespace {
class PlanSearch {
public:
  PlanSearch(ModuleOp module, func::FuncOp func,
             const DistributeOptions &options, PlanFigures &known)
      : known(known), module(module), func(func), options(options),
        asked(options.plan), devices(asked.countDevices()),
        model(options.model, devices), rules(func),
        facts(func, options.notBatched), divider(func, rules) {}

  FailureOr<PlanChoice> run() {
    if (failed(findPinned()))
      return failure();
    search();
    if (!best) {
      // Every variant failed for the same reason: let it be said.
      Plan plain =
          asked.isBare()
              ? makeVariants(facts, asked, devices, {}, false).front().plan
              : asked;
      plain.microbatches = 1;
      (void)decide(plain, /*quiet=*/false);
      return failure();
    }
    if (fits(*best) && asked.isBare() && best->stages() == 1)
      lookBeside(*best);
    PlanChoice choice;
    choice.considered = considered;
    llvm::stable_sort(considered, [&](const Candidate &a, const Candidate &b) {
      return better(a, b);
    });
    // Where nothing fits, what needs least is the answer, however slow.
    if (!fits(*best)) {
      choice.best.push_back(*best);
      return choice;
    }
    // What is computed again is estimated of whole plans.
    std::optional<Candidate> mixed;
    if (asked.isBare() && !best->figures.recomputed && best->stages() == 1 &&
        known.recomputing.count(best->key()) == 0)
      mixed = mix(*best);
    if (mixed) {
      mixed->figures = known.correct(mixed->key(), mixed->figures);
      choice.considered.push_back(*mixed);
    }
    if (mixed && fits(*mixed))
      choice.best.push_back(*mixed);
    // Those whose estimate is near the best. Of microbatches on one mesh only a
    // few numbers are looked at.
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double near = asked.isBare() || best->stages() > 1 ? 1.05 : inf;
    const size_t most = best->stages() > 1 ? 2 : 3; // and one without
    for (const Candidate &plan : considered)
      if (choice.best.size() < most &&
          (choice.best.empty() ||
           plan.figures.charged() <= near * best->figures.charged()) &&
          fits(plan))
        choice.best.push_back(plan);
    addWithoutStages(choice);
    return choice;
  }

private:
  // Estimates of plans with stages and of others are made in different ways:
  // the best without is simulated beside them.
  void addWithoutStages(PlanChoice &choice) const {
    auto isPlain = [](const Candidate &plan) { return plan.stages() == 1; };
    if (llvm::any_of(choice.best, isPlain))
      return;
    auto other = llvm::find_if(considered, [&](const Candidate &plan) {
      return isPlain(plan) && fits(plan);
    });
    if (other != considered.end())
      choice.best.push_back(*other);
  }

  ShardingRequest requestOf(const Plan &plan) const {
    return {&plan, options.notBatched, options.disable, options.exact};
  }

  // The sharding of a plan; failure if there is none. Says why not, unless it
  // is only to be measured.
  FailureOr<DecidedSharding> decide(const Plan &plan, bool quiet = true) {
    return decide(plan, makeAxes(module, plan), quiet);
  }
  FailureOr<DecidedSharding> decide(const Plan &plan, const MeshAxes &mesh,
                                    bool quiet = true) {
    std::optional<ScopedDiagnosticHandler> silence;
    if (quiet)
      silence.emplace(module.getContext(),
                      [](Diagnostic &) { return success(); });
    // What is propagated does not depend on how state is stored, nothing on the
    // schedule.
    Plan key = plan;
    key.schedule.clear();
    if (last && last->first == key)
      return last->second;
    Plan own = key;
    key.zero = 0;
    key.zeroAxes.clear();
    key.state.clear();
    auto before = propagated.find(key);
    if (before == propagated.end()) {
      FailureOr<DecidedSharding> decided =
          decideSharding(func, mesh, rules, requestOf(plan));
      if (succeeded(decided)) {
        propagated.emplace(std::move(key), *decided);
        last.emplace(std::move(own), *decided);
      }
      return decided;
    }
    DecidedSharding decided = before->second;
    decided.step.demands.clear();
    if (failed(finishSharding(func, mesh, requestOf(plan), decided)))
      return failure();
    last.emplace(std::move(own), decided);
    return decided;
  }

  // Shardings of plans whose axes the best one has are kept.
  void forgetOthers() {
    for (auto it = propagated.begin(); it != propagated.end();)
      it = best && it->first.mesh == best->plan.mesh ? std::next(it)
                                                     : propagated.erase(it);
  }

  double budget() const { return options.getMemory(); }

  // How much of the state a device holds, cheapest first: moments and masters
  // split; parameters too, but gathered on a node alone; parameters over all
  // devices.
  std::vector<Candidate> layoutsOf(const Candidate &variant) const {
    if (!asked.isBare() || asked.zero >= 0 || !asked.zeroAxes.empty())
      return {variant};
    std::vector<Candidate> layouts = {variant};
    const std::vector<PlanAxis> &mesh = variant.plan.mesh;
    int64_t stride = 1; // ranks between neighbors along `data`
    size_t data = mesh.size();
    for (size_t i = mesh.size(); i-- > 0 && data > i;)
      if (mesh[i].role() == AxisRole::Data)
        data = i;
      else
        stride *= mesh[i].size;
    if (data < mesh.size()) {
      int64_t size = mesh[data].size,
              near = options.model.devicesPerNode / stride;
      if (near > 1 && near < size && size % near == 0) {
        Candidate &hybrid = layouts.emplace_back(variant);
        hybrid.plan.zero = 3;
        hybrid.plan.zeroAxes = {nameAxisPart({"data", size / near, near})};
        auto &axes = hybrid.plan.mesh;
        axes[data] = {nameAxisPart({"data", 1, size / near}), size / near};
        axes.insert(axes.begin() + data + 1,
                    PlanAxis{hybrid.plan.zeroAxes.front(), near});
      }
    }
    layouts.emplace_back(variant).plan.zero = 3;
    return layouts;
  }

  std::optional<Candidate> measure(Candidate candidate, int64_t count) {
    candidate.plan.microbatches = count;
    candidate.plan.schedule = asked.schedule;
    Candidate::Key base = baseOf(candidate);
    auto [it, added] = known.figures.try_emplace(base);
    if (added) {
      MeshAxes mesh = makeAxes(module, candidate.plan);
      FailureOr<DecidedSharding> decided = decide(candidate.plan, mesh);
      // What was asked for is refused with a reason, later.
      if (succeeded(decided) &&
          (asked.microbatches > 0 ||
           runsInMicrobatches(func, {mesh, decided->step, decided->partials},
                              options.perMicrobatch)))
        it->second = measureWhole(base, mesh, *decided);
      if (it->second && asked.microbatches == 0 &&
          !std::isfinite(it->second->seconds()))
        it->second = std::nullopt;
    }
    if (!it->second)
      return std::nullopt;
    if (candidate.stages() > 1)
      return measureSchedules(candidate, *it->second);
    return consider(candidate, *it->second);
  }

  // Figures do not depend on the schedule.
  static Candidate::Key baseOf(const Candidate &candidate) {
    Candidate::Key key = candidate.key();
    key.schedule.clear();
    return key;
  }

  StepCost::Figures measureWhole(const Candidate::Key &base,
                                 const MeshAxes &mesh,
                                 const DecidedSharding &decided) {
    Block &block = func.getBody().front();
    StepCost cost(block, mesh, model);
    PlacedStep placed = {mesh, decided.step, decided.partials};
    if (planning::sizeOf(base.mesh, {AxisRole::Pipe}) > 1)
      known.profiles.try_emplace(base,
                                 measureProfile(block, placed, cost, pinned));
    return cost.measure(placed);
  }

  Candidate consider(Candidate candidate, const StepCost::Figures &estimate) {
    candidate.figures =
        known.correct(candidate.key(), estimate).withKept(budget());
    recompute(candidate);
    considered.push_back(candidate);
    return candidate;
  }

  // Of those from `first` on, what has more chunks and gains next to nothing by
  // them: each is kernels and messages of its own.
  void dropFineChunks(size_t first) {
    constexpr double nothing = 1.01;
    const std::vector<Candidate> all(considered.begin() + first,
                                     considered.end());
    considered.erase(
        std::remove_if(considered.begin() + first, considered.end(),
                       [&](const Candidate &fine) {
                         return llvm::any_of(all, [&](const Candidate &other) {
                           return planning::countChunks(other.plan.schedule) <
                                      planning::countChunks(
                                          fine.plan.schedule) &&
                                  (fits(other) || !fits(fine)) &&
                                  other.figures.charged() <=
                                      nothing * fine.figures.charged();
                         });
                       }),
        considered.end());
  }

  // Under the schedule that was asked for, or those that are near the best.
  std::optional<Candidate> measureSchedules(Candidate candidate,
                                            const StepCost::Figures &whole) {
    const StepProfile &profile = known.profiles.at(baseOf(candidate));
    std::vector<std::string> names = {asked.schedule};
    if (asked.schedule.empty())
      names = listSchedulesFor(profile, candidate.stages());
    if (names.empty())
      known.notCut.emplace(candidate.stages(), planning::defaultSchedule);
    size_t first = considered.size();
    for (const std::string &name : names) {
      if (known.notCut.count({candidate.stages(), name}) != 0)
        continue;
      candidate.plan.schedule = name;
      if (std::optional<StepCost::Figures> figures =
              estimatePipeline(whole, profile, candidate.plan, model)) {
        bool recomputes =
            consider(candidate, *figures).figures.recomputed.has_value();
        // Tasks of weights' gradients may have to compute again what the other
        // backward tasks did: no estimate is of that, and memory planning
        // takes long to find out.
        if (recomputes && asked.schedule.empty() &&
            planning::splitsBackward(name))
          considered.pop_back();
      }
    }
    if (considered.size() == first) {
      if (asked.isBare())
        return std::nullopt;
      // Compiled, it says why not.
      candidate.plan.schedule =
          asked.schedule.empty() ? planning::defaultSchedule : asked.schedule;
      return consider(candidate, whole);
    }
    dropFineChunks(first);
    llvm::stable_sort(
        MutableArrayRef(considered).drop_front(first),
        [&](const Candidate &a, const Candidate &b) { return better(a, b); });
    constexpr size_t most = 2;
    if (considered.size() > first + most)
      considered.resize(first + most);
    return considered[first];
  }

  // Where a plan does not fit, and nothing was said of what is computed again,
  // as much is as must be.
  void recompute(Candidate &candidate) {
    if (fits(candidate) || !asked.residuals.empty() ||
        candidate.figures.planned > 0)
      return;
    auto [it, added] = known.curves.try_emplace(baseOf(candidate));
    if (added) {
      MeshAxes mesh = makeAxes(module, candidate.plan);
      FailureOr<DecidedSharding> decided = decide(candidate.plan, mesh);
      if (succeeded(decided)) {
        Block &block = func.getBody().front();
        it->second = std::make_shared<ResidualCurve>(
            measureResiduals(block, {mesh, decided->step, decided->partials},
                             StepCost(block, mesh, model)));
      }
    }
    candidate.figures.curve = it->second;
    candidate.figures = candidate.figures.withRecomputed(budget());
  }

  // The cheapest way to run the variant that fits; what does not fit at all is
  // the smallest.
  std::optional<Candidate> measure(const Candidate &variant) {
    if (variant.stages() > 1)
      return measureStages(variant);
    int64_t shards = rowShards(variant);
    bool mayDivide = asked.microbatches == 0;
    std::optional<Candidate> own;
    auto take = [&](std::optional<Candidate> plan) {
      if (plan && (!own || better(*plan, *own)))
        own = plan;
    };
    for (const Candidate &layout : layoutsOf(variant)) {
      int64_t count = std::max<int64_t>(asked.microbatches, 1);
      std::optional<Candidate> plan = measure(layout, count);
      take(plan);
      if (!plan)
        continue;
      // The others only cost more, but that some hide messages behind the next
      // microbatch, which no estimate knows.
      if (fits(*plan) && !plan->figures.recomputed) {
        if (mayDivide && !asked.isBare() && plan->figures.loose > 0 &&
            model.overlaps() && 2 * shards <= facts.batch)
          take(measure(layout, 2));
        break;
      }
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
      if (count > plan->plan.microbatches && !(tooLarge && best && fits(*best)))
        take(measure(layout, count));
      // In fewer, of which more is computed again.
      constexpr int64_t fewer = 4;
      if (plan->figures.curve && count / fewer > plan->plan.microbatches)
        take(measure(layout, count / fewer));
    }
    return own;
  }

  // With stages many small microbatches are fast as long as they are not too
  // small.
  std::optional<Candidate> measureStages(const Candidate &variant) {
    std::optional<Candidate> own;
    for (const Candidate &layout : layoutsOf(variant)) {
      std::vector<int64_t> counts = {asked.microbatches};
      if (asked.microbatches == 0)
        counts =
            divisorsOf(std::max<int64_t>(facts.batch / rowShards(variant), 1));
      std::optional<Candidate> before;
      for (int64_t count : llvm::reverse(counts)) {
        std::optional<Candidate> plan = measure(layout, count);
        if (plan && (!own || better(*plan, *own)))
          own = plan;
        bool worse = before && (!plan || better(*before, *plan));
        worse |= known.isNeverCut(variant.stages());
        // Larger microbatches need no less.
        worse |= plan && !fits(*plan);
        if (worse)
          break;
        before = plan;
      }
      // The others cost more: they gather parameters for each microbatch.
      if ((own && fits(*own)) || known.isNeverCut(variant.stages()))
        break;
    }
    return own;
  }

  // What hardly differs from the best plan, for the simulation to tell apart:
  // state in one piece, which saves small models messages, and sharded tables.
  void lookBeside(Candidate plan) {
    std::vector<Candidate> layouts;
    if (plan.plan.zero < 0 && asked.zeroAxes.empty() && rowShards(plan) > 1)
      layouts.emplace_back(plan).plan.zero = 0;
    if (plan.added == Candidate::Added::Nothing)
      for (Candidate &variant :
           makeVariants(facts, asked, devices, shapeOf(plan),
                        /*withTables=*/true))
        if (variant.plan.mesh == plan.plan.mesh &&
            variant.added != Candidate::Added::Nothing) {
          variant.plan.zero = plan.plan.zero;
          variant.plan.zeroAxes = plan.plan.zeroAxes;
          layouts.push_back(std::move(variant));
        }
    constexpr double near = 1.01;
    for (const Candidate &layout : layouts) {
      std::optional<Candidate> other = measure(layout, plan.plan.microbatches);
      if (!other)
        continue;
      if (!fits(*other) ||
          other->figures.charged() > near * plan.figures.charged())
        considered.pop_back();
      else if (better(*other, *best))
        best = other;
    }
  }

  static VariantShape shapeOf(const Candidate &candidate) {
    return {candidate.stages(),
            planning::sizeOf(candidate.plan.mesh, {AxisRole::Tensor})};
  }

  bool fits(const Candidate &plan) const {
    return plan.figures.bytes() <= budget();
  }
  bool better(const Candidate &a, const Candidate &b) const {
    if (fits(a) != fits(b))
      return fits(a);
    return fits(a) ? a.figures.charged() < b.figures.charged()
                   : a.figures.bytes() < b.figures.bytes();
  }

  // Devices among which the candidate divides the batch.
  static int64_t rowShards(const Candidate &candidate) {
    return planning::sizeOf(candidate.plan.mesh,
                            {AxisRole::Data, AxisRole::Expert});
  }
  // How much more than the batch it computes.
  double padding(const Candidate &variant) const {
    if (facts.batch == 0)
      return 1;
    int64_t shards = rowShards(variant),
            rows = (facts.batch + shards - 1) / shards * shards;
    return static_cast<double>(rows) / static_cast<double>(facts.batch);
  }
  // Whether arithmetic alone takes longer than the best plan does.
  bool cannotWin(const Candidate &variant) const {
    if (!best || !fits(*best))
      return false;
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate &plan : considered)
      least = std::min(least, plan.figures.compute / padding(plan));
    constexpr double sure = 0.8; // some shardings compute less
    return sure * least * padding(variant) > best->figures.charged();
  }
  // Plans without stages, and of shapes with stages those that may be faster,
  // by what is known of the others: each takes as long to look at.
  void search() {
    if (!asked.isBare()) {
      Candidate named;
      named.plan = asked;
      best = measure(named);
      return;
    }
    searchShapes();
    int64_t experts =
        best ? planning::sizeOf(best->plan.mesh, {AxisRole::Expert}) : 1;
    if (!pinned.empty()) {
      // Bounds of those with stages follow from them.
      best.reset();
      considered.clear();
    }
    searchStages(experts);
    if (!best && !pinned.empty())
      best = placeOnFewest();
  }

  void searchStages(int64_t experts) {
    if (facts.batch == 0)
      return;
    constexpr size_t most = 4;
    StageBounds bounds(func, known, devices, facts.batch, budget());
    size_t looked = 0;
    for (const StageBounds::Shape &shape : bounds.list()) {
      if (looked == most ||
          (best && fits(*best) && shape.seconds >= best->figures.charged()))
        break;
      if (known.isNeverCut(shape.pipe) || shape.pipe < leastStages ||
          notPinned.count(shape.pipe) != 0)
        continue;
      bool found = false;
      for (const Candidate &variant :
           makeVariants(facts, asked, devices, shape, /*withTables=*/false)) {
        if (planning::sizeOf(variant.plan.mesh, {AxisRole::Expert}) != experts)
          continue;
        std::optional<Candidate> own = measure(variant);
        found |= own.has_value();
        if (own && (!best || better(*own, *best)))
          best = own;
        forgetOthers();
      }
      // Whatever the other axes are, a cut has the pins there or not.
      if (!found && !pinned.empty())
        notPinned.insert(shape.pipe);
      else
        ++looked;
    }
  }

  // What --stage pins, and how many stages that takes.
  LogicalResult findPinned() {
    if (options.stages.empty())
      return success();
    StagePins pins;
    if (failed(pins.parse(func, options.stages)))
      return failure();
    auto [text, last] = pins.getLast();
    if (asked.isBare() && last >= devices)
      return func.emitError("--stage=")
             << text << ": expected a stage below " << devices
             << ", the number of devices, found " << last;
    leastStages = std::max<int64_t>(last + 1, 2);
    for (Operation &op : func.getBody().front().without_terminator()) {
      FailureOr<int64_t> stage = pins.find(&op);
      if (failed(stage))
        return failure();
      if (*stage >= 0)
        pinned[&op] = *stage;
    }
    if (const std::string *glob = pins.getUnmatched())
      return func.emitError("--stage: nothing that a microbatch computes is "
                            "named '")
             << *glob << "'";
    return success();
  }

  // The least that pins ask for: compiled, it says why they cannot be, or that
  // they can.
  Candidate placeOnFewest() {
    std::vector<int64_t> sizes = divisorsOf(devices);
    int64_t stages = *llvm::find_if(
        sizes, [&](int64_t size) { return size >= leastStages; });
    Candidate fewest =
        makeVariants(facts, asked, devices, {stages, 1}, false).front();
    Plan &plan = fewest.plan;
    if (plan.microbatches == 0)
      plan.microbatches =
          std::clamp<int64_t>(facts.batch / rowShards(fewest), 1, 2 * stages);
    if (plan.schedule.empty())
      plan.schedule = planning::defaultSchedule;
    considered.push_back(fewest);
    return fewest;
  }

  void searchShapes() {
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
      std::optional<Candidate> own, plain, lastExperts;
      bool enoughExperts = false;
      for (const Candidate &variant :
           makeVariants(facts, asked, devices, {1, tensor}, tables)) {
        // Fewer and fewer devices along the experts.
        bool experts =
            planning::sizeOf(variant.plan.mesh, {AxisRole::Expert}) > 1;
        bool isPlain = variant.added == Candidate::Added::Nothing;
        if ((experts && enoughExperts) || cannotWin(variant))
          continue;
        if (!isPlain && plain && fits(*plain) &&
            plain->figures.tables < little * plain->figures.seconds())
          continue;
        std::optional<Candidate> candidate = measure(variant);
        if (!candidate)
          continue;
        if (!own || better(*candidate, *own))
          own = candidate;
        if (isPlain && candidate->figures.repeats() > 1 + mostRepeated)
          if (auto divided = divide(*candidate))
            if (auto other = measure(*divided); other && better(*other, *own))
              own = other;
        if (isPlain && (!plain || better(*candidate, *plain)))
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
          !own || (fits(*best) && own->figures.charged() >
                                      muchWorse * best->figures.charged());
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

  // Where devices do the same work: with annotations that divide it, if there
  // are any.
  std::optional<Candidate> divide(const Candidate &variant) {
    Candidate divided = variant;
    Plan &plan = divided.plan;
    plan.zero = asked.zero;
    plan.zeroAxes = asked.zeroAxes;
    MeshAxes mesh = makeAxes(module, plan);
    FailureOr<DecidedSharding> plain = decide(plan, mesh);
    if (failed(plain))
      return std::nullopt;
    std::vector<planning::PlanAnnotation> found =
        divider.find(plan, mesh, *plain,
                     [&](const Plan &tried) { return decide(tried, mesh); });
    if (found.empty())
      return std::nullopt;
    llvm::append_range(plan.shard, found);
    divided.added = Candidate::Added::DividedWork;
    return divided;
  }

  // Improves on the best variant by mixing the variants of its mesh, op by op
  // and parameter by parameter; nullopt if nothing is gained.
  std::optional<Candidate> mix(const Candidate &best) {
    MeshAxes mesh = makeAxes(module, best.plan);
    StepCost cost(func.getBody().front(), mesh, model);
    std::deque<DecidedSharding> plans; // none is copied when there are more
    std::vector<Candidate> variants =
        makeVariants(facts, asked, devices, shapeOf(best),
                     /*withTables=*/true,
                     /*toMix=*/true);
    if (best.added == Candidate::Added::DividedWork)
      variants.push_back(best);
    for (const Candidate &plain : variants)
      for (const Candidate &layout : layoutsOf(plain)) {
        if (layout.plan.mesh != best.plan.mesh ||
            layout.plan.zero != best.plan.zero)
          continue;
        Plan plan = layout.plan;
        plan.microbatches = best.plan.microbatches;
        plan.zeroAxes = best.plan.zeroAxes;
        FailureOr<DecidedSharding> decided = decide(plan, mesh);
        if (failed(decided))
          continue;
        plans.push_back(*decided);
        // Where all state had to be split, some of it need not be.
        for (const PlanState &state : statesToMix(best.plan)) {
          plan.state = {state};
          DecidedSharding other = *decided;
          other.step.demands.clear();
          if (succeeded(finishSharding(func, mesh, requestOf(plan), other)))
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
    Candidate candidate = best;
    candidate.mixed = true;
    Plan &plan = candidate.plan;
    plan.shard = asked.shard; // what was added is in the pins
    plan.state = collectStates(func, plans.front().zero, mixed.step);
    mixed.step.demands.clear();
    if (failed(finishSharding(func, mesh, requestOf(plan), mixed)))
      return std::nullopt;
    StepCost::Figures figures = cost.measure({mesh, mixed.step, mixed.partials})
                                    .scaled(known.scale)
                                    .withKept(budget());
    constexpr double worthwhile = 0.995;
    if (figures.bytes() > std::max(budget(), best.figures.bytes()) ||
        figures.charged() > worthwhile * best.figures.charged())
      return std::nullopt;
    candidate.figures = figures;
    // What was asked for stands before.
    plan.state.insert(plan.state.begin(), asked.state.begin(),
                      asked.state.end());
    pinSharding(func, mesh, mixed.step, plan);
    return candidate;
  }

  // What single parameters may do else.
  std::vector<PlanState> statesToMix(const Plan &plan) const {
    using Fact = PlanState::Fact;
    if (asked.zero >= 0 || !asked.state.empty() || plan.zero < 3)
      return {};
    std::vector<PlanState> states = {{"*", Fact::Kept}, {"*", Fact::Stage, 1}};
    if (plan.microbatches > 1)
      states.push_back({"*", Fact::Stage, 2});
    return states;
  }

  PlanFigures &known;
  ModuleOp module;
  func::FuncOp func;
  const DistributeOptions &options;
  const Plan &asked;
  int64_t devices;
  planning::CostModel model;
  StepRules rules;
  PlanFacts facts;
  WorkDivider divider;
  // Stages that the user wants ops on, and how many there are at least; numbers
  // of them that no cut with these has.
  DenseMap<Operation *, int64_t> pinned;
  int64_t leastStages = 2;
  std::set<int64_t> notPinned;
  std::optional<Candidate> best;
  std::vector<Candidate> considered;
  std::map<Plan, DecidedSharding> propagated;
  // That was decided last.
  std::optional<std::pair<Plan, DecidedSharding>> last;
};
} // namespace

// The plan on the axes that it gets: of the text, or with parts that
// annotations name.
static FailureOr<Plan> placeAxes(ModuleOp module,
                                 const DistributeOptions &options) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addPass(createPlaceMesh(options));
  if (failed(pm.run(module)))
    return failure();
  Plan plan = options.plan;
  takeMesh(module, plan);
  plan.microbatches = options.plan.microbatches;
  getMesh(module).erase();
  return plan;
}

FailureOr<PlanChoice> dist::choosePlans(ModuleOp module,
                                        const DistributeOptions &options,
                                        PlanFigures &known) {
  func::FuncOp func = getStep(module);
  if (!func)
    return module.emitError("the module has no step");
  DistributeOptions own = options;
  if (!options.plan.isBare()) {
    FailureOr<Plan> plan = placeAxes(module, options);
    if (failed(plan))
      return failure();
    own.plan = *plan;
  }
  return PlanSearch(module, func, own, known).run();
}
