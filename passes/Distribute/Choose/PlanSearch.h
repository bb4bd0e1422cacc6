// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for a plan (ChoosePlan.h): which shapes are looked at
// (SearchShapes.cpp), how they fit (FitPlan.cpp), what each costs
// (MeasurePlan.cpp, under which schedules MeasureSchedules.cpp), and a mixture
// on the mesh of the best (MixVariants.cpp).
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_PLANSEARCH_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_PLANSEARCH_H

#include "passes/Distribute/Choose/ChoosePlan.h"
#include "passes/Distribute/Choose/DivideWork.h"
#include "passes/Distribute/Place/DecideSharding.h"

namespace zcc::dist {

class PlanSearch {
public:
  PlanSearch(mlir::ModuleOp module, mlir::func::FuncOp func,
             const DistributeOptions &options, PlanFigures &known)
      : known(known), module(module), func(func), options(options),
        asked(options.plan), devices(asked.countDevices()),
        model(options.model, devices), rules(func, options.disable),
        facts(func, options.notBatched), divider(func, rules) {}

  mlir::FailureOr<PlanChoice> run();

private:
  // Estimates of plans with stages and of others are made in different ways,
  // and they know little of gathers for each microbatch: the best of each kind
  // is simulated beside the others.
  void addOtherKinds(PlanChoice &choice) const;
  void addRequests(PlanChoice &choice) const;

  ShardingRequest requestOf(const planning::Plan &plan) const {
    return {&plan, options.notBatched, options.disable, options.exact};
  }

  // The sharding of a plan; failure if there is none. Says why not, unless it
  // is only to be measured.
  mlir::FailureOr<DecidedSharding> decide(const planning::Plan &plan,
                                          bool quiet = true) {
    return decide(plan, makeAxes(module, plan), quiet);
  }

  mlir::FailureOr<DecidedSharding>
  decide(const planning::Plan &plan, const MeshAxes &mesh, bool quiet = true);

  // Not decided last; by what was propagated, if that is kept.
  mlir::FailureOr<DecidedSharding> decideNew(const planning::Plan &plan,
                                             const MeshAxes &mesh) const;
  void remember(const planning::Plan &plan, const DecidedSharding &decided);

  // Shardings of plans whose axes the best one has are kept, or that one.
  void forgetOthers(const Candidate *next = nullptr);

  double budget() const { return options.getMemory(); }

  // How much of the state a device holds, cheapest first: moments and masters
  // split; parameters too, but gathered on a node alone; parameters over all
  // devices.
  std::vector<Candidate> layoutsOf(const Candidate &variant) const;

  // Whether state alone is more than there is, however it is sharded besides.
  bool cannotFit(const Candidate &layout) const;

  // In so many microbatches, under the schedule that was asked for.
  Candidate inMicrobatches(Candidate candidate, int64_t count) const;

  // `next`: what is likely to be asked for after it, and is looked at beside it
  // where there are threads.
  std::optional<Candidate> measure(const Candidate &layout, int64_t count,
                                   llvm::ArrayRef<Candidate> next = {});

  struct Measured {
    std::optional<StepCost::Figures> figures;
    std::optional<StepProfile> profile;         // of stages
    std::shared_ptr<const ResidualCurve> curve; // where it does not fit
  };
  // Side by side, into `ahead`.
  void measureNew(llvm::ArrayRef<Candidate> candidates);
  void take(const Candidate::Key &base, Measured measured);

  // Figures do not depend on the schedule.
  static Candidate::Key baseOf(const Candidate &candidate) {
    Candidate::Key key = candidate.key();
    key.schedule.clear();
    return key;
  }

  Candidate consider(Candidate candidate, const StepCost::Figures &estimate);

  // With as much kept as fits; all communication counts where none is to run
  // beside computation.
  StepCost::Figures countAll(const StepCost::Figures &estimate) const {
    StepCost::Figures figures = estimate.withKept(budget());
    if (llvm::is_contained(options.disable, "overlap"))
      figures.loose = figures.inWay = 0;
    return figures;
  }

  // Of those from `first` on, what has more chunks and gains next to nothing by
  // them: each is kernels and messages of its own.
  void dropFineChunks(size_t first);

  // Under the schedule that was asked for, or those that are near the best.
  std::optional<Candidate> measureSchedules(Candidate candidate,
                                            const StepCost::Figures &whole);

  // Where a plan does not fit, and nothing was said of what is computed again,
  // as much is as must be.
  bool wantsCurve(const StepCost::Figures &figures) const;
  void recompute(Candidate &candidate);

  // In so many microbatches that it should fit, by the figures of one; one row
  // each at least.
  int64_t countThatFits(const Candidate &layout,
                        const StepCost::Figures &whole) const;
  // How the variant is likely to be looked at first; if that is known, and does
  // not fit, next.
  std::vector<Candidate> firstOf(const Candidate &variant) const;

  // The cheapest way to run the variant that fits; what does not fit at all is
  // the smallest. `next`: the variant that is likely to come after it.
  std::optional<Candidate> measure(const Candidate &variant,
                                   const Candidate *next = nullptr);

  // With stages many small microbatches are fast as long as they are not too
  // small.
  std::optional<Candidate> measureStages(const Candidate &variant);

  // What hardly differs from the best plan, for the simulation to tell apart:
  // state in one piece, which saves small models messages, and sharded tables.
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

  // How much more than the batch it computes.
  double padding(const Candidate &variant) const;
  double padding(const Candidate &variant, int64_t microbatches) const;

  // Whether arithmetic alone takes longer than the best plan does.
  bool cannotWin(const Candidate &variant) const;

  // Plans without stages, and of shapes with stages those that may be faster,
  // by what is known of the others: each takes as long to look at.
  void search();

  void searchStages(int64_t experts);

  // What --stage pins, and how many stages that takes.
  mlir::LogicalResult findPinned();

  // The least that pins ask for: compiled, it says why they cannot be, or that
  // they can.
  Candidate placeOnFewest();

  void searchShapes();

  // Where devices do the same work: with annotations that divide it, if there
  // are any.
  std::optional<Candidate> divide(const Candidate &variant);

  // Improves on the best variant by mixing the variants of its mesh, op by op
  // and parameter by parameter; nullopt if nothing is gained.
  std::optional<Candidate> mix(const Candidate &best);

  // What single parameters may do else.
  std::vector<planning::PlanState>
  statesToMix(const planning::Plan &plan) const;

  PlanFigures &known;
  mlir::ModuleOp module;
  mlir::func::FuncOp func;
  const DistributeOptions &options;
  const planning::Plan &asked;
  int64_t devices;
  planning::CostModel model;
  StepRules rules;
  PlanFacts facts;
  WorkDivider divider;
  // Stages that the user wants ops on, and how many there are at least; numbers
  // of them that no cut with these has.
  llvm::DenseMap<mlir::Operation *, int64_t> pinned;
  int64_t leastStages = 2;
  std::set<int64_t> notPinned;
  std::optional<Candidate> best;
  std::vector<Candidate> considered;
  std::set<int64_t> looked; // sizes of `tensor`, without stages
  // Figures that nobody has asked for yet: what is chosen does not depend on
  // what is looked at ahead.
  std::map<Candidate::Key, Measured> ahead;
  std::map<planning::Plan, DecidedSharding> propagated;
  // That was decided last.
  std::optional<std::pair<planning::Plan, DecidedSharding>> last;
};

} // namespace zcc::dist

#endif
