// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the row of the step's ops into the parts of a pipeline, and puts the ops
// there. The cut weighs the time of the ops, the memory that they hold, and the
// bytes that are sent between parts.
#include "dialects/Train/Place.h"
#include "passes/Distribute/CollectiveAccount.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/StagePins.h"
#include "passes/Distribute/Stages/PlaceStages.h"
#include "passes/Distribute/Stages/StageMemory.h"
#include "planning/ScheduleGenerators.h"
#include "planning/ScheduleSearch.h"
#include "planning/StageCut.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_CUTSTAGES
#include "passes/Distribute/Passes.h.inc"

namespace {
struct CutStages : impl::CutStagesBase<CutStages> {
  using CutStagesBase::CutStagesBase;

  planning::Machine machine;
  double memory = 0; // bytes of a device; 0: the machine's; negative: no limit
  std::vector<planning::PlanResidual> residuals;
  std::vector<std::string> rows; // rows of actions, in place of the schedule
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
        schedule == "auto" ? planning::defaultSchedule
                           : std::string_view(schedule.getValue()),
        rows, mesh.getStages(), countMicrobatches(mesh));
    if (held.empty())
      return;
    problem.memory = memory;
    for (int64_t stage : problem.stages)
      problem.microbatches.push_back(held[stage]);
    describeMemory(step, row, residuals, problem);
  }

  LogicalResult run(func::FuncOp step, MeshOp mesh) {
    int64_t stages = mesh.getStages();
    planning::ActionShape shape;
    if (std::string wrong =
            planning::findShape(schedule.getValue(), rows, shape);
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
    double limit = std::exchange(problem.memory, 0);
    std::string wrong = cutStages(problem, cut);
    problem.memory = limit;
    if (wrong.empty() && !fitsAsItIs(problem, cut)) {
      if (residuals.empty())
        describeRecomputation(step, row,
                              planning::CostModel(machine, mesh.getDevices()),
                              problem);
      wrong = cutStages(problem, cut);
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
      return step.emitError("the cut into stages is wrong: ") << wrong;
    SmallVector<unsigned> partOf;
    for (unsigned part = 0; part < parts.size(); ++part)
      partOf.resize(cut[part], part);
    placeStages(step, row, partOf, parts);
    return success();
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
  if (!options.plan.schedule.empty())
    own.schedule = options.plan.schedule;
  own.pins.assign(options.stages.begin(), options.stages.end());
  auto pass = std::make_unique<CutStages>(own);
  pass->rows = options.plan.listRows();
  pass->machine = options.model;
  pass->residuals = options.plan.residuals;
  // The budget of the plan, whatever was withheld from it in trials: so that a
  // plan can be followed.
  pass->memory = options.plan.offload.empty() ? options.plan.memory : -1;
  return pass;
}
} // namespace zcc
