// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the row of the step's ops into the parts of a pipeline, and puts the ops
// there. The cut weighs the time of the ops, the memory that they hold, and the
// bytes that are sent between parts.
#include "dialects/Train/Place.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Distribute/StagePins.h"
#include "passes/Distribute/Stages/PlaceStages.h"
#include "passes/Distribute/Stages/StageMemory.h"
#include "passes/Train/StateNames.h"
#include "planning/ScheduleGenerators.h"
#include "planning/ScheduleSearch.h"
#include "planning/StageCut.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_CUTSTAGES
#include "passes/Distribute/Passes.h.inc"

LogicalResult distribute::refuseArraysInStages(func::FuncOp step) {
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    if (isArrayResult(step, i))
      return withHelp(
          emitError(
              step.getBody().front().getTerminator()->getOperand(i).getLoc(),
              "not yet: the output ")
              << step.getResultAttr(i, resultAttrName)
              << ", an array, on a mesh with an axis 'pipe'",
          "leave out the axis 'pipe' of --mesh");
  return success();
}

namespace {
struct CutStages : impl::CutStagesBase<CutStages> {
  using CutStagesBase::CutStagesBase;

  planning::Machine machine;
  double memory = 0; // bytes of a device; 0: the machine's; negative: no limit
  std::vector<planning::PlanResidual> residuals;
  std::vector<std::string> rows; // rows of actions, in place of the schedule
  std::string file;              // of the plan
  std::vector<planning::PlanCut> cuts; // of the plan; if empty, open
  StagePins wanted;

  LogicalResult parsePins(func::FuncOp step, int64_t stages) {
    if (failed(wanted.parse(
            step, std::vector<std::string>(pins.begin(), pins.end()))))
      return failure();
    auto [text, stage] = wanted.getLast();
    if (stage >= stages)
      return step.emitError("--stage: expected a stage below ")
             << stages << ", found '" << text << "'";
    return success();
  }

  LogicalResult describe(func::FuncOp step, MeshOp mesh, const StageRow &row,
                         planning::StageCutProblem &problem) {
    CollectiveAccounts accounts(mesh);
    planning::CostModel model(machine, mesh.getDevices());
    problem.pieces.resize(row.size());
    std::vector<double> sent(row.size() + 1, 0); // differences
    for (Operation &op : step.getBody().front().without_terminator()) {
      auto place = row.placeOf(&op);
      if (!place)
        continue;
      planning::StageCutProblem::Piece &piece = problem.pieces[*place];
      double seconds = accounts.secondsOf(&op, model);
      piece.seconds += seconds;
      if (isForward(&op))
        piece.againSeconds += seconds;
      FailureOr<int64_t> pin = wanted.find(&op);
      if (failed(pin))
        return failure();
      if (*pin >= 0) {
        if (piece.stage >= 0 && piece.stage != *pin)
          return op.emitError("--stage wants this on stage ")
                 << *pin << ", what is computed beside it on stage "
                 << piece.stage;
        piece.stage = *pin;
      }
      for (Value v : op.getResults()) {
        int64_t last = *place, first = *place;
        for (Operation *user : v.getUsers())
          if (auto at = row.placeOf(user)) {
            last = std::max(last, *at);
            first = std::min(first, *at);
          }
        sent[first] += bytesOf(v);
        sent[last] -= bytesOf(v);
      }
    }
    double bytes = 0;
    for (auto [i, piece] : llvm::enumerate(problem.pieces)) {
      bytes += sent[i];
      piece.sentBytes = bytes;
      piece.sentSeconds = model.collectiveSeconds(
          accounts.transfer(planning::CollectiveKind::Send, 0, 1, bytes));
    }
    if (const std::string *glob = wanted.getUnmatched())
      return step.emitError("--stage: nothing that a microbatch computes is "
                            "named '")
             << *glob << "'";
    return success();
  }

  // Adds what the cut must know of memory. With offload, it is not known yet
  // how much lies in the host's memory; there is no limit then.
  void addMemory(func::FuncOp step, MeshOp mesh, const StageRow &row,
                 planning::StageCutProblem &problem) {
    if (memory == 0)
      memory = machine.bytesPerDevice(mesh.getDevices());
    if (!(memory > 0))
      return;
    std::vector<double> held = planning::countHeld(
        schedule, rows, mesh.getStages(), countMicrobatches(mesh));
    if (held.empty())
      return;
    problem.memory = memory;
    for (int64_t stage : problem.stages)
      problem.microbatches.push_back(held[stage]);
    describeMemory(step, row, residuals, problem);
  }

  // An op of the forward pass that has a place, as plans call it.
  struct NamedOp {
    std::string name;
    int64_t number = 0; // among those of its name
    int64_t place = 0;
  };
  static std::vector<NamedOp> nameForward(func::FuncOp step,
                                          const StageRow &row) {
    std::vector<NamedOp> ops;
    llvm::StringMap<int64_t> times;
    for (Operation &op : step.getBody().front().without_terminator())
      if (auto place = row.placeOf(&op); place && isForward(&op)) {
        std::string name = pinName(&op);
        int64_t number = times[name]++;
        ops.push_back({std::move(name), number, *place});
      }
    return ops;
  }

  // Finds the cut that the plan has, into so many parts.
  LogicalResult followCuts(func::FuncOp step, const StageRow &row, size_t parts,
                           planning::StageCut &cut) {
    auto refuse = [&](const planning::PlanCut &own) {
      Location place = step->getLoc();
      if (own.line != 0)
        place = FileLineColLoc::get(&getContext(), file, own.line, own.column);
      InFlightDiagnostic error = emitError(place, "cuts: ");
      error.attachNote() << "a plan without 'cuts' has the model cut anew";
      return error;
    };
    if (cuts.size() + 1 != parts)
      return refuse(cuts.front())
             << "expected " << parts - 1 << ", one before each of " << parts
             << " parts but the first, found " << cuts.size();
    std::vector<NamedOp> ops = nameForward(step, row);
    int64_t before = 0;
    for (const planning::PlanCut &own : cuts) {
      int64_t count = 0, place = -1;
      for (const NamedOp &op : ops)
        if (op.name == own.name && count++ == own.number)
          place = op.place;
      if (count == 0)
        return refuse(own) << "expected an op of the forward pass, found '"
                           << own.name << "', of which it has none";
      if (place < 0)
        return refuse(own) << "expected a number below " << count << " of '"
                           << own.name << "', found " << own.number;
      if (place <= before)
        return refuse(own) << "expected an op behind the beginning of the part "
                              "before it, found '"
                           << own.name << "' number " << own.number;
      cut.push_back(before = place);
    }
    cut.push_back(row.size());
    return success();
  }

  // Writes the cut into the module's plan: the first op of each part.
  LogicalResult record(func::FuncOp step, const StageRow &row,
                       const planning::StageCut &cut) {
    FailureOr<planning::Plan> plan = getPlan(getOperation());
    if (failed(plan))
      return failure();
    plan->cuts.clear();
    std::vector<NamedOp> ops = nameForward(step, row);
    for (size_t end : ArrayRef(cut).drop_back()) {
      const NamedOp *first = nullptr;
      for (const NamedOp &op : ops)
        if (op.place >= static_cast<int64_t>(end) &&
            (!first || op.place < first->place))
          first = &op;
      if (first) // each part has an op of the forward pass
        plan->cuts.push_back({first->name, first->number});
    }
    setPlan(getOperation(), *plan);
    return success();
  }

  LogicalResult run(func::FuncOp step, MeshOp mesh) {
    int64_t stages = mesh.getStages();
    planning::ActionShape shape;
    if (std::string wrong = planning::findShape(schedule, rows, shape);
        !wrong.empty())
      return step.emitError("schedule: ") << wrong;
    if (failed(parsePins(step, stages)))
      return failure();
    planning::StageCutProblem problem;
    problem.stages = planning::listParts(stages, shape.chunks, shape.goesBack);
    SmallVector<StagePart> parts;
    for (int64_t stage : problem.stages)
      parts.push_back({stage, static_cast<int64_t>(parts.size()) / stages});
    // Backward ops that would repeat a forward op, of values of other stages,
    // rather read the forward op's result, which is kept.
    mergeForwardCopies(step);
    StageRow row(step);
    if (failed(describe(step, mesh, row, problem)))
      return failure();
    addMemory(step, mesh, row, problem);
    planning::StageCut cut;
    std::string wrong;
    if (!cuts.empty()) {
      if (failed(followCuts(step, row, parts.size(), cut)))
        return failure();
    } else {
      double limit = std::exchange(problem.memory, 0);
      wrong = cutStages(problem, cut);
      problem.memory = limit;
      if (wrong.empty() && !fitsAsItIs(problem, cut)) {
        if (residuals.empty())
          describeRecomputation(step, row,
                                planning::CostModel(machine, mesh.getDevices()),
                                problem);
        wrong = cutStages(problem, cut);
      }
    }
    if (!wrong.empty())
      return withHelp(step.emitError("cannot be cut into ")
                          << parts.size() << " parts (" << stages
                          << " stages of " << parts.size() / stages
                          << " chunks): " << wrong,
                      pins.empty() ? "use fewer stages (axis 'pipe' of "
                                     "--mesh), or a schedule of fewer chunks"
                                   : "leave out some of " + wanted.print());
    if (std::string wrong = verifyStageCut(problem, cut); !wrong.empty())
      return step.emitError(cuts.empty() ? "the cut into stages is wrong: "
                                         : "the plan's cut into stages: ")
             << wrong;
    if (failed(record(step, row, cut)))
      return failure();
    SmallVector<unsigned> partOf;
    for (unsigned part = 0; part < parts.size(); ++part)
      partOf.resize(cut[part], part);
    return placeStages(step, row, partOf, parts);
  }

  void runOnOperation() override {
    func::FuncOp step = getStep(getOperation());
    MeshOp mesh = getMesh(getOperation());
    if (!step || !mesh)
      return;
    if (mesh.getStages() == 1) {
      if (!pins.empty()) {
        step.emitError("--stage: the mesh has no axis 'pipe'");
        signalPassFailure();
      }
      return;
    }
    if (failed(refuseArraysInStages(step)))
      return signalPassFailure();
    // A text that was edited or resumed may say already where its ops are.
    for (Operation &op : step.getBody().front())
      if (op.hasAttr(stageAttrName))
        return;
    if (failed(run(step, mesh)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createCutStages(const DistributeOptions &options) {
  CutStagesOptions own;
  own.schedule = options.plan.schedule;
  own.pins.assign(options.stages.begin(), options.stages.end());
  auto pass = std::make_unique<CutStages>(own);
  pass->rows = options.plan.listRows();
  pass->file = options.plan.file;
  pass->cuts = options.plan.cuts;
  pass->machine = options.model;
  pass->residuals = options.plan.residuals;
  // The budget of the plan, whatever was withheld from it in trials: so that a
  // plan can be followed.
  pass->memory = options.plan.offload.empty() ? options.plan.memory : -1;
  return pass;
}
} // namespace zcc
