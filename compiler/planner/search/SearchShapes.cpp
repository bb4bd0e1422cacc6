// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses which shapes of the mesh are looked at, by what is known of the
// others.
#include "compiler/planner/search/PlanSearch.h"
#include "compiler/planner/search/StageBounds.h"
#include "passes/Distribute/StagePins.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::AxisRole;
using planning::Plan;

void PlanSearch::forgetOthers(const Candidate *next) {
  for (auto it = propagated.begin(); it != propagated.end();) {
    const std::vector<planning::PlanAxis> &mesh = it->first.mesh;
    bool keeps =
        (best && mesh == best->plan.mesh) || (next && mesh == next->plan.mesh);
    it = keeps ? std::next(it) : propagated.erase(it);
  }
}

void PlanSearch::lookBeside(Candidate plan) {
  std::vector<Candidate> layouts;
  if (plan.plan.zero < 0 && asked.zeroAxes.empty() && rowShards(plan) > 1)
    layouts.emplace_back(plan).plan.zero = 0;
  constexpr double near = 1.01;
  if (plan.added == Candidate::Added::Nothing &&
      plan.figures.tables > (near - 1) * plan.figures.seconds())
    for (Candidate &variant : makeVariants(facts, asked, devices, shapeOf(plan),
                                           /*withTables=*/true))
      if (variant.plan.mesh == plan.plan.mesh &&
          variant.added != Candidate::Added::Nothing) {
        variant.plan.zero = plan.plan.zero;
        variant.plan.zeroAxes = plan.plan.zeroAxes;
        layouts.push_back(std::move(variant));
      }
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

double PlanSearch::padding(const Candidate &variant) const {
  return padding(variant, 1);
}

double PlanSearch::padding(const Candidate &variant,
                           int64_t microbatches) const {
  if (facts.batch == 0)
    return 1;
  int64_t shards = rowShards(variant) * microbatches,
          rows = (facts.batch + shards - 1) / shards * shards;
  return static_cast<double>(rows) / static_cast<double>(facts.batch);
}

bool PlanSearch::cannotWin(const Candidate &variant) const {
  if (!best || !fits(*best))
    return false;
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate &plan : considered)
    least = std::min(least, plan.figures.compute / padding(plan));
  constexpr double sure = 0.8; // some shardings compute less
  return sure * least * padding(variant) > best->figures.charged();
}

void PlanSearch::search() {
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
    // The bounds of shapes with stages follow from the plans without.
    best.reset();
    considered.clear();
  }
  searchStages(experts);
  if (!best && !pinned.empty())
    best = placeOnFewest();
}

void PlanSearch::searchStages(int64_t experts) {
  if (facts.batch == 0)
    return;
  // The search ends after `most` shapes that are no better, after
  // `mostAfterBetter` if one was better before them, and after `mostTries` in
  // any case, those that no cut exists for included.
  constexpr size_t most = 4, mostAfterBetter = 2, mostTries = 10;
  std::set<VariantShape> tried;
  // Each shape that is measured tells more of the others, so the bounds are
  // computed anew.
  auto findNext = [&]() -> std::optional<VariantShape> {
    for (const StageBounds::Shape &shape :
         StageBounds(facts, known, devices, budget()).list(looked)) {
      bool tooFew = shape.pipe < leastStages && !pinned.empty();
      bool isSlower =
          best && fits(*best) && shape.least >= best->figures.charged();
      if (!isSlower && !tooFew && !known.isNeverCut(shape.pipe) &&
          notPinned.count(shape.pipe) == 0 && tried.insert(shape).second)
        return shape;
    }
    return std::nullopt;
  };
  for (size_t worse = 0; worse < most && tried.size() < mostTries;) {
    std::optional<VariantShape> shape = findNext();
    if (!shape)
      break;
    bool found = false, isBetter = false;
    for (const Candidate &variant :
         makeVariants(facts, asked, devices, *shape, /*withTables=*/false)) {
      if (planning::sizeOf(variant.plan.mesh, {AxisRole::Expert}) != experts)
        continue;
      std::optional<Candidate> own = measure(variant);
      found |= own.has_value();
      if (own && (!best || better(*own, *best))) {
        best = own;
        isBetter = true;
      }
      forgetOthers();
    }
    // The other axes do not matter for whether a cut can meet the pins.
    if (!found && !pinned.empty())
      notPinned.insert(shape->pipe);
    worse = isBetter ? std::min(worse, most - mostAfterBetter) : worse + found;
  }
}

LogicalResult PlanSearch::findPinned() {
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

Candidate PlanSearch::placeOnFewest() {
  std::vector<int64_t> sizes = divisorsOf(devices);
  int64_t stages =
      *llvm::find_if(sizes, [&](int64_t size) { return size >= leastStages; });
  Candidate fewest =
      makeVariants(facts, asked, devices, {stages, 1}, false).front();
  Plan &plan = fewest.plan;
  if (plan.microbatches == 0)
    plan.microbatches =
        std::clamp<int64_t>(facts.batch / rowShards(fewest), 1, 2 * stages);
  if (!plan.schedule.isNamed())
    plan.schedule = planning::defaultSchedule;
  considered.push_back(fewest);
  return fewest;
}

void PlanSearch::searchShapes() {
  std::vector<int64_t> sizes = divisorsOf(devices); // of `tensor`
  // Starts from the smallest size that leaves no device without rows, then goes
  // down and up, each until the cost got worse twice, or much worse. Cost falls
  // and then grows, so how many sizes are looked at does not depend on the
  // number of devices.
  constexpr double muchWorse = 1.05;
  // a variant must cost less than this, over the plain one
  constexpr double hardly = 0.98;
  // Sharded tables are looked at if they may save more than this share of a
  // step. If they may save less, they are left to the mixture.
  constexpr double little = 0.1;
  size_t start = 0;
  while (start + 1 < sizes.size() && facts.batch > 0 &&
         devices / sizes[start] > facts.batch)
    ++start;
  bool tables = true;
  auto variantsOf = [&](int64_t tensor) {
    return makeVariants(facts, asked, devices, {1, tensor}, tables);
  };
  // The first variant of every shape is plain.
  auto tryOne = [&](size_t i, std::optional<size_t> after) {
    int64_t tensor = sizes[i];
    looked.insert(tensor);
    std::optional<Candidate> next;
    if (after)
      next = variantsOf(sizes[*after]).front();
    std::optional<Candidate> own, plain, lastExperts;
    bool enoughExperts = false;
    for (const Candidate &variant : variantsOf(tensor)) {
      // Variants come with fewer and fewer devices along the experts.
      bool experts =
          planning::sizeOf(variant.plan.mesh, {AxisRole::Expert}) > 1;
      bool isPlain = variant.added == Candidate::Added::Nothing;
      bool isFolded = variant.added == Candidate::Added::FoldedExperts;
      if ((experts && enoughExperts) || cannotWin(variant))
        continue;
      if (!isPlain && !isFolded && plain && fits(*plain) &&
          plain->figures.tables < little * plain->figures.seconds())
        continue;
      std::optional<Candidate> candidate =
          measure(variant, next && !cannotWin(*next) ? &*next : nullptr);
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
      if (experts && !isFolded) {
        enoughExperts = lastExperts && better(*lastExperts, *candidate);
        lastExperts = candidate;
      }
    }
    // If sharded tables hardly pay, they are left to the mixture.
    if (tables && plain && own)
      tables = own->figures.seconds() < hardly * plain->figures.seconds() ||
               (!fits(*plain) &&
                own->figures.bytes() < hardly * plain->figures.bytes());
    bool improves = own && (!best || better(*own, *best));
    if (improves)
      best = own;
    forgetOthers(next ? &*next : nullptr);
    if (improves)
      return 0;
    bool slow =
        !own || (fits(*best) &&
                 own->figures.charged() > muchWorse * best->figures.charged());
    return slow ? 2 : 1; // counts towards the two of the walk
  };
  // Returns the size that is looked at after it, if the search goes on there.
  auto nextOf = [&](size_t i, int step) -> std::optional<size_t> {
    if (i + step < sizes.size())
      return i + step;
    if (step < 0 && start + 1 < sizes.size())
      return start + 1;
    return std::nullopt;
  };
  tryOne(start, nextOf(start, -1));
  for (int step : {-1, 1}) {
    int worse = 0;
    for (size_t i = start + step; i < sizes.size() && worse < 2; i += step) {
      int more = tryOne(i, nextOf(i, step));
      worse = more ? worse + more : 0;
    }
  }
}

std::optional<Candidate> PlanSearch::divide(const Candidate &variant) {
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
