// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the tasks into a problem for planning, and its answer into action
// tables. Values cross stages under their names.
#include "planning/ScheduleGenerators.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/TaskTransfers.h"
#include <map>
#include <set>

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_PLACESCHEDULE
#include "passes/Pipeline/Passes.h.inc"

namespace {
class TablePlacer {
public:
  // `links`: the machine, if stages may pass values on; else null.
  explicit TablePlacer(ModuleOp module,
                       const planning::Machine *links = nullptr)
      : module(module), mesh(getMesh(module)), links(links),
        b(OpBuilder::atBlockEnd(module.getBody())) {}

  LogicalResult run(const planning::NamedSchedule &schedule) {
    if (failed(describe()))
      return failure();
    auto make = [&](std::vector<planning::ActionTable> &tables)
        -> std::optional<planning::ActionFault> {
      std::string wrong = makeSchedule(schedule, problem, tables);
      if (wrong.empty())
        return std::nullopt;
      return planning::ActionFault{-1, 0, wrong};
    };
    std::vector<planning::ActionTable> tables;
    if (auto fault = transfers->connect(transfers->listRoutes(), make, tables))
      return module.emitError(fault->print());
    write(tables,
          b.getStringAttr(schedule.isNamed()
                              ? schedule.print()
                              : std::string(schedule.getGenerator().name)));
    return success();
  }

  LogicalResult run(const ActionRows &actions) {
    if (failed(describe()))
      return failure();
    std::vector<planning::ActionTable> tables;
    std::optional<planning::ActionFault> fault =
        parseRows(actions.listTexts(), problem, tables);
    if (!fault) {
      const std::vector<planning::ActionTable> given = tables;
      auto take = [&](std::vector<planning::ActionTable> &own) {
        own = given;
        return findFault(problem, own);
      };
      fault = transfers->connect(transfers->listRoutes(), take, tables);
      // The rows may be written by hand, or for another machine.
      if (fault)
        fault = transfers->connect(transfers->findRoutes(given), take, tables);
    }
    if (!fault) {
      write(tables, /*name=*/nullptr);
      return success();
    }
    Location place = module.getLoc();
    if (fault->stage >= 0) {
      const planning::PlanRow &row = actions.rows[fault->stage];
      if (row.line != 0)
        place = FileLineColLoc::get(module.getContext(), actions.file, row.line,
                                    row.column);
    }
    return emitError(place, "actions: ") << fault->print();
  }

  std::vector<std::string> print() {
    std::vector<std::string> rows;
    if (failed(describe()))
      return rows;
    transfers->connectAsIn(module);
    std::map<std::string, size_t> tasks;
    for (auto [i, func] : llvm::enumerate(functions))
      tasks[func.getSymName().str()] = i;
    std::vector<SmallVector<size_t>> ofStage(problem.stages);
    for (auto [i, task] : llvm::enumerate(problem.tasks))
      ofStage[task.stage].push_back(i);
    for (auto table : module.getOps<ScheduleOp>()) {
      auto stage = static_cast<int64_t>(table.getStage());
      planning::ActionTable own;
      // Several values of one task cross as one action, which comes after the
      // task.
      using Kind = planning::StageAction::Kind;
      std::set<std::tuple<Kind, size_t, int64_t, int64_t>> done;
      std::map<std::pair<size_t, int64_t>, SmallVector<int64_t, 2>> early;
      auto add = [&](Kind kind, size_t task, int64_t microbatch, int64_t peer) {
        if (done.insert({kind, task, microbatch, peer}).second)
          own.push_back({kind, task, microbatch, peer});
      };
      auto cross = [&](Kind kind, StringRef name, int64_t microbatch,
                       int64_t peer) {
        bool sends = kind == planning::StageAction::Send;
        int64_t from = sends ? stage : peer, to = sends ? peer : stage;
        if (from < 0 || from >= problem.stages)
          return;
        for (size_t task : ofStage[from]) {
          if (!transfers->crosses(task, to, b.getStringAttr(name)))
            continue;
          if (sends &&
              !done.count({planning::StageAction::Run, task, microbatch, -1}))
            early[{task, microbatch}].push_back(peer);
          else
            add(kind, task, microbatch, peer);
        }
      };
      for (Operation &op : table.getBody().front())
        if (auto run = dyn_cast<RunOp>(op)) {
          auto task = tasks.find(run.getTask().str());
          if (task == tasks.end())
            continue;
          auto microbatch = static_cast<int64_t>(run.getMicrobatch());
          add(planning::StageAction::Run, task->second, microbatch, -1);
          for (int64_t peer : early[{task->second, microbatch}])
            add(planning::StageAction::Send, task->second, microbatch, peer);
        } else if (auto send = dyn_cast<SendOp>(op)) {
          cross(planning::StageAction::Send, send.getValue(),
                send.getMicrobatch(), send.getPeer());
        } else if (auto receive = dyn_cast<ReceiveOp>(op)) {
          cross(planning::StageAction::Receive, receive.getValue(),
                receive.getMicrobatch(), receive.getPeer());
        }
      rows.resize(std::max<size_t>(rows.size(), stage + 1));
      rows[stage] = printRow(problem, own);
    }
    return rows;
  }

private:
  LogicalResult describe() {
    countMicrobatches();
    if (failed(collect()))
      return failure();
    transfers.emplace(problem, functions, mesh, links);
    connectOnce();
    return success();
  }

  // The surveys of a stage, and the tasks that it runs once, by level.
  struct Once {
    SmallVector<func::FuncOp> surveys, prologues, epilogues;
  };
  // Values that cross stages once a step.
  using Crossing = TaskTransfers::Crossing;
  using Crossings = std::map<Operation *, SmallVector<Crossing>>;

  void countMicrobatches() {
    if (!mesh)
      return;
    problem.stages = mesh.getStages();
    for (Attribute axis : mesh.getAxes())
      if (cast<AxisAttr>(axis).getTemporal())
        problem.microbatches *= cast<AxisAttr>(axis).getSize();
  }

  // Returns the kind of a task that runs for each microbatch in the loop.
  static std::optional<planning::StageTaskKind> plannedKind(TaskKind kind) {
    switch (kind) {
    case TaskKind::Forward:
      return planning::StageTaskKind::Forward;
    case TaskKind::Backward:
      return planning::StageTaskKind::Backward;
    case TaskKind::WeightBackward:
      return planning::StageTaskKind::WeightBackward;
    default:
      return std::nullopt;
    }
  }

  LogicalResult collect() {
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      std::optional<TaskKind> kind = taskKindOf(func);
      if (!kind || *kind == TaskKind::Init)
        continue;
      int64_t stage = getStage(func), chunk = getChunk(func);
      if (mesh && failed(verifyStage(func, mesh)))
        return failure();
      if (!mesh && stage != 0)
        return func.emitError("is of stage ")
               << stage << ", but the module has no dist.mesh";
      std::optional<planning::StageTaskKind> own = plannedKind(*kind);
      if (!own) {
        Once &tasks = once[stage];
        (regionOf(func) == StepRegion::Survey ? tasks.surveys
         : *kind == TaskKind::Epilogue        ? tasks.epilogues
                                              : tasks.prologues)
            .push_back(func);
        continue;
      }
      if (problem.find(stage, chunk, *own) >= 0)
        return func.emitError("is the second ")
               << stringifyTaskKind(*kind) << " task of stage " << stage
               << ", chunk " << chunk;
      problem.tasks.push_back({stage, chunk, *own});
      functions.push_back(func);
    }
    for (auto &[stage, tasks] : once)
      for (auto *list : {&tasks.prologues, &tasks.epilogues})
        llvm::stable_sort(*list, [](func::FuncOp a, func::FuncOp b) {
          return getLevel(a) < getLevel(b);
        });
    return success();
  }

  // Finds the values that tasks which run once read of other stages, and the
  // values that are made once for tasks of a microbatch on other stages.
  void connectOnce() {
    struct Maker {
      int64_t stage;
      // If null, the value is made for each microbatch, and is a sum at the end.
      func::FuncOp once;
    };
    std::map<StringRef, SmallVector<Maker, 1>> makers;
    auto note = [&](func::FuncOp func, func::FuncOp once) {
      for (StringRef attribute :
           {StringRef(valueAttrName), StringRef(accumulateAttrName)})
        for (StringAttr name : namesOf(func, true, attribute))
          makers[name.getValue()].push_back({getStage(func), once});
    };
    for (func::FuncOp func : functions)
      note(func, {});
    auto forEachOnce = [&](auto visit) {
      for (auto &[stage, tasks] : once)
        for (auto *list : {&tasks.surveys, &tasks.prologues, &tasks.epilogues})
          for (func::FuncOp func : *list)
            visit(func);
    };
    forEachOnce([&](func::FuncOp func) { note(func, func); });
    std::set<std::pair<StringRef, int64_t>> there; // name, stage
    auto read = [&](func::FuncOp func, bool isOnce) {
      int64_t stage = getStage(func);
      for (StringAttr name : namesOf(func, false, valueAttrName)) {
        auto at = makers.find(name.getValue());
        if (at == makers.end() || llvm::any_of(at->second, [&](const Maker &m) {
              return m.stage == stage;
            }))
          continue;
        const Maker &from = at->second.front();
        if (!from.once && (!isOnce || transfers->comesTo(stage, name)))
          continue; // connect() sends it for each microbatch
        if (!there.insert({name.getValue(), stage}).second)
          continue;
        if (isOnce)
          receives[func].push_back({name, from.stage});
        else
          received[stage].push_back({name, from.stage});
        if (from.once)
          sends[from.once].push_back({name, stage});
        else
          sent[from.stage].push_back({name, stage});
      }
    };
    for (func::FuncOp func : functions)
      read(func, false);
    forEachOnce([&](func::FuncOp func) { read(func, true); });
  }

  void run(func::FuncOp func, int64_t microbatch) {
    RunOp::create(b, func.getLoc(), func.getSymName(), microbatch,
                  /*slots=*/nullptr);
  }
  void send(Location loc, StringAttr name, int64_t microbatch, int64_t peer) {
    SendOp::create(b, loc, name, microbatch, peer, /*offset=*/nullptr);
  }
  void receive(Location loc, StringAttr name, int64_t microbatch,
               int64_t peer) {
    ReceiveOp::create(b, loc, name, microbatch, peer, /*offset=*/nullptr);
  }

  void runOnce(func::FuncOp func) {
    for (const Crossing &own : receives[func])
      receive(func.getLoc(), own.name, 0, own.peer);
    run(func, 0);
    for (const Crossing &own : sends[func])
      send(func.getLoc(), own.name, 0, own.peer);
  }

  void write(ArrayRef<planning::ActionTable> tables, StringAttr name) {
    for (int64_t stage = 0; stage < problem.stages; ++stage)
      write(stage, tables[stage], name);
  }
  void write(int64_t stage, const planning::ActionTable &table,
             StringAttr name) {
    b.setInsertionPointToEnd(module.getBody());
    auto schedule = ScheduleOp::create(b, module.getLoc(), stage,
                                       problem.microbatches, name);
    b.createBlock(&schedule.getBody());
    const Once &tasks = once[stage];
    for (int64_t m = 0; m < problem.microbatches; ++m)
      for (func::FuncOp func : tasks.surveys)
        run(func, m);
    for (func::FuncOp func : tasks.prologues)
      runOnce(func);
    for (const Crossing &own : received[stage])
      receive(schedule.getLoc(), own.name, 0, own.peer);
    for (const planning::StageAction &action : table) {
      func::FuncOp func = functions[action.task];
      if (action.kind == planning::StageAction::Run) {
        // The value is there already and crosses while the task runs.
        for (const Crossing &own : transfers->passedOn(action.task))
          send(func.getLoc(), own.name, action.microbatch, own.peer);
        run(func, action.microbatch);
      } else if (action.kind == planning::StageAction::Send) {
        for (StringAttr name : transfers->madeFor(action.task, action.peer))
          send(func.getLoc(), name, action.microbatch, action.peer);
      } else {
        for (StringAttr name : transfers->crossing(action.task, stage))
          receive(func.getLoc(), name, action.microbatch, action.peer);
      }
    }
    for (const Crossing &own : sent[stage])
      send(schedule.getLoc(), own.name, 0, own.peer);
    for (func::FuncOp func : tasks.epilogues)
      runOnce(func);
  }

  ModuleOp module;
  MeshOp mesh; // null: one stage, one microbatch
  const planning::Machine *links;
  OpBuilder b;
  planning::ScheduleProblem problem;
  SmallVector<func::FuncOp> functions; // one for each task of `problem`
  std::map<int64_t, Once> once;        // by stage
  std::optional<TaskTransfers> transfers; // set by describe()
  // Transfers before and after a task that runs once; and, by stage, before and
  // after the loop over the microbatches.
  Crossings receives, sends;
  std::map<int64_t, SmallVector<Crossing>> received, sent;
};

struct PlaceSchedule : impl::PlaceScheduleBase<PlaceSchedule> {
  using Base::Base;

  ActionRows actions;
  planning::Machine machine;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool kept = !module.getOps<ScheduleOp>().empty();
    TablePlacer placer(module, forward ? &machine : nullptr);
    if (failed(kept                    ? checkSchedule(module, schedule)
               : !actions.rows.empty() ? placer.run(actions)
                                       : placer.run(schedule)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createPlaceSchedule(const PlaceScheduleOptions &options,
                                          const ActionRows &actions,
                                          const planning::Machine &machine) {
  auto pass = std::make_unique<PlaceSchedule>(options);
  pass->actions = actions;
  pass->machine = machine;
  return pass;
}

std::vector<std::string> printActions(ModuleOp module) {
  return TablePlacer(module).print();
}

LogicalResult checkSchedule(ModuleOp module,
                            const planning::NamedSchedule &schedule) {
  if (!schedule.isNamed())
    return success();
  std::string name = schedule.print();
  for (ScheduleOp table : module.getOps<ScheduleOp>())
    if (table.getGenerator() != name) {
      InFlightDiagnostic diagnostic =
          table.emitError("the action table was written ");
      if (auto generator = table.getGenerator())
        diagnostic << "for the schedule '" << *generator << "'";
      else
        diagnostic << "by hand";
      return diagnostic << ", which contradicts --schedule=" << name;
    }
  return success();
}
} // namespace zcc
