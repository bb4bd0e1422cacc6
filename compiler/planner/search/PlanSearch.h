// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for a plan (ChoosePlan.h): which shapes are looked at
// (SearchShapes.cpp), how they fit (ChooseLayouts.cpp), what each costs
// (MeasurePlan.cpp, under which schedules MeasureSchedules.cpp), and a mixture
// on the mesh of the best (MixVariants.cpp).
#ifndef ZCC_COMPILER_PLANNER_SEARCH_PLANSEARCH_H
#define ZCC_COMPILER_PLANNER_SEARCH_PLANSEARCH_H

#include "compiler/planner/search/ChoosePlan.h"
#include "compiler/planner/search/DivideWork.h"
#include "passes/Distribute/Place/DecideSharding.h"

namespace zcc::planner {

class PlanSearch {
public:
  PlanSearch(mlir::ModuleOp module, mlir::func::FuncOp func,
             const DistributeOptions &options, PlanFigures &known)
      : known(known), module(module), func(func), options(options),
        asked(options.plan), devices(asked.countDevices()),
        model(options.model, devices), rules(func, options.disable),
        facts(func, options.notBatched), divider(func, rules) {
    if (!facts.mayHaveStages)
      known.notCut.emplace(2, planning::defaultSchedule);
  }

  mlir::FailureOr<PlanChoice> run();

private:
  // Adds the best plan of each kind to those that are simulated: with and
  // without stages, and with and without parameters gathered for each
  // microbatch. The estimates of these kinds are made in different ways, so
  // comparing them is not enough. Adds the plan, too, that would be fastest if
  // no communication were hidden.
  void addOtherKinds(PlanChoice &choice) const;
  void addOrders(PlanChoice &choice) const;
  // Returns PlanChoice::Orders::interleaved of a plan with stages. `whole`: the
  // figures of all stages together.
  std::vector<Candidate>
  listInterleaved(const Candidate &plan,
                  const distribute::StepCost::Figures &whole,
                  const distribute::StepProfile &profile) const;

  distribute::ShardingRequest requestOf(const planning::Plan &plan) const {
    return {&plan, options.notBatched, options.disable, options.exact};
  }

  // Returns the sharding of a plan; fails if there is none. Reports why, unless
  // the plan is only to be measured (`quiet`).
  mlir::FailureOr<distribute::DecidedSharding>
  decide(const planning::Plan &plan, bool quiet = true) {
    return decide(plan, distribute::makeAxes(module, plan), quiet);
  }

  mlir::FailureOr<distribute::DecidedSharding>
  decide(const planning::Plan &plan, const distribute::MeshAxes &mesh,
         bool quiet = true);

  // Returns the sharding of a plan other than the one decided last. Starts from
  // the propagated sharding, if one was kept.
  mlir::FailureOr<distribute::DecidedSharding>
  decideNew(const planning::Plan &plan, const distribute::MeshAxes &mesh) const;
  void remember(const planning::Plan &plan,
                const distribute::DecidedSharding &decided);

  // Forgets the propagated shardings of all plans, except those with the axes
  // of the best plan or of `next`.
  void forgetOthers(const Candidate *next = nullptr);

  double budget() const { return options.getMemory(); }

  // Returns the variant with less and less state on a device, cheapest first:
  // moments and masters split; parameters split too, but gathered within a node
  // only; parameters split over all devices.
  std::vector<Candidate> layoutsOf(const Candidate &variant) const;

  // Returns true if the state alone exceeds the memory, however else it is
  // sharded.
  bool cannotFit(const Candidate &layout) const;

  // Returns the candidate with so many microbatches, under the schedule that
  // was asked for.
  Candidate inMicrobatches(Candidate candidate, int64_t count) const;

  // Measures a layout in `count` microbatches. `next`: candidates that are
  // likely to be asked for after it; other threads measure them at the same
  // time.
  std::optional<Candidate> measure(const Candidate &layout, int64_t count,
                                   llvm::ArrayRef<Candidate> next = {});

  // The result of measuring one candidate.
  struct Measured {
    std::optional<distribute::StepCost::Figures> figures;
    std::optional<distribute::StepProfile> profile; // of plans with stages
    std::shared_ptr<const distribute::ResidualCurve>
        curve; // of plans that do not fit
  };
  // Measures candidates in parallel, and puts the results into `ahead`.
  void measureNew(llvm::ArrayRef<Candidate> candidates);
  void take(const Candidate::Key &base, Measured measured);

  // Returns the key without the schedule: figures do not depend on it.
  static Candidate::Key baseOf(const Candidate &candidate) {
    Candidate::Key key = candidate.key();
    key.schedule = {};
    return key;
  }

  Candidate consider(Candidate candidate,
                     const distribute::StepCost::Figures &estimate);

  // Returns the figures with as many gathered parameters kept as fit. All
  // communication counts in full if the user turned off overlap.
  distribute::StepCost::Figures
  countAll(const distribute::StepCost::Figures &estimate) const {
    distribute::StepCost::Figures figures = estimate.withKept(budget());
    if (llvm::is_contained(options.disable, "overlap"))
      figures.loose = figures.inWay = 0;
    return figures;
  }

  // Drops plans from `first` on whose schedules have more chunks than another
  // one's and gain next to nothing by them: each chunk has kernels and messages
  // of its own.
  void dropFineChunks(size_t first);

  // Measures the candidate under the schedule that was asked for, or under
  // those that are near the best.
  std::optional<Candidate>
  measureSchedules(Candidate candidate,
                   const distribute::StepCost::Figures &whole);

  // If a plan does not fit, and the user left recomputation open, it computes
  // as much again as it must.
  bool wantsCurve(const distribute::StepCost::Figures &figures) const;
  void recompute(Candidate &candidate);

  // Returns in how many microbatches the layout should fit, by the figures of
  // one microbatch. A device gets at least one row in each.
  int64_t countThatFits(const Candidate &layout,
                        const distribute::StepCost::Figures &whole) const;
  // Returns how the variant is likely to be looked at first. If those figures
  // are known, and do not fit, returns how it is looked at next.
  std::vector<Candidate> firstOf(const Candidate &variant) const;

  // Returns the cheapest way to run the variant that fits, or the smallest if
  // none fits. `next`: the variant that is likely to come after it.
  std::optional<Candidate> measure(const Candidate &variant,
                                   const Candidate *next = nullptr);

  // Measures a variant with stages. Many small microbatches are fast there, as
  // long as they are not too small.
  std::optional<Candidate> measureStages(const Candidate &variant);

  // Returns in how many microbatches activations may travel beside the
  // computation of another microbatch (zcc-interleave-runs), which no estimate
  // knows; 1 if they take too little time for that.
  int64_t countForTurns(const Candidate &plan) const;
  // Measures, in so many microbatches, the plan that would take least time if
  // these took turns. Returns nullopt if that is not less than the best plan
  // takes by estimate.
  std::optional<Candidate> measureInTurns();

  // Measures plans that hardly differ from the best one, so that the simulation
  // can tell them apart: state in one piece, which saves small models messages,
  // and sharded tables.
  void lookBeside(Candidate plan);

  static VariantShape shapeOf(const Candidate &candidate) {
    return {candidate.stages(), planning::sizeOf(candidate.plan.mesh,
                                                 {planning::AxisRole::Tensor})};
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
    return planning::sizeOf(candidate.plan.mesh, {planning::AxisRole::Data,
                                                  planning::AxisRole::Expert});
  }

  // Returns the ratio of the rows that the variant computes, with padding, to
  // those of the batch.
  double padding(const Candidate &variant) const;
  double padding(const Candidate &variant, int64_t microbatches) const;

  // Returns true if the arithmetic alone takes longer than the best plan.
  bool cannotWin(const Candidate &variant) const;

  // Searches plans without stages. Each shape with stages takes long to
  // measure, so it measures only those that may be faster, by the bounds that
  // follow from the plans known so far (StageBounds.h).
  void search();

  void searchStages(int64_t experts);

  // Finds the ops that --stage pins, and how many stages the pins need.
  mlir::LogicalResult findPinned();

  // Returns the plan with the fewest stages that the pins allow. Compiling it
  // tells whether the pins can be met, and why not.
  Candidate placeOnFewest();

  void searchShapes();

  // Returns the variant with annotations that divide work which devices repeat;
  // nothing if there are none.
  std::optional<Candidate> divide(const Candidate &variant);

  // Improves on the best variant by mixing the variants of its mesh, op by op
  // and parameter by parameter; nullopt if nothing is gained.
  std::optional<Candidate> mix(const Candidate &best);

  // Returns settings of state for single parameters that a mixture may choose
  // besides.
  std::vector<planning::PlanState>
  statesToMix(const planning::Plan &plan) const;

  PlanFigures &known;
  mlir::ModuleOp module;
  mlir::func::FuncOp func;
  const DistributeOptions &options;
  const planning::Plan &asked;
  int64_t devices;
  planning::CostModel model;
  distribute::StepRules rules;
  PlanFacts facts;
  WorkDivider divider;
  // The stage of each op that the user pinned, the fewest stages that the pins
  // allow, and numbers of stages for which no cut meets the pins.
  llvm::DenseMap<mlir::Operation *, int64_t> pinned;
  int64_t leastStages = 2;
  std::set<int64_t> notPinned;
  std::optional<Candidate> best;
  std::vector<Candidate> considered;
  std::set<int64_t> looked; // sizes of `tensor` of the plans without stages
  // Results that nobody has asked for yet. They are apart, so that the choice
  // does not depend on them.
  std::map<Candidate::Key, Measured> ahead;
  std::map<planning::Plan, distribute::DecidedSharding> propagated;
  // The plan that was decided last, and its sharding.
  std::optional<std::pair<planning::Plan, distribute::DecidedSharding>> last;
};

} // namespace zcc::planner

#endif
