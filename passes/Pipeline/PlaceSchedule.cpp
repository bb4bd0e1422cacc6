// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks as a problem for compiler/planning, and its answer as action
// tables: what crosses stages goes under the names of the values.
#include "compiler/planning/ScheduleGenerators.h"
#include "compiler/planning/ValueRoutes.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Account.h"
#include "passes/Pipeline/Pipeline.h"
#include "llvm/ADT/SetVector.h"
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
  explicit TablePlacer(ModuleOp module)
      : module(module), mesh(getMesh(module)),
        b(OpBuilder::atBlockEnd(module.getBody())) {}

  // Values may be passed on by stages that read them. By the links of
  // `machine`, which outlives this.
  void allowForwarding(const planning::Machine &machine) {
    if (!mesh)
      return;
    model.emplace(machine, mesh.getDevices());
    Accounts accounts(mesh);
    seconds = [this, accounts](int64_t from, int64_t to, double bytes) {
      return model->sendSeconds(accounts.rankOfStage(from),
                                accounts.rankOfStage(to), bytes);
    };
  }

  // `name`: as it was asked for.
  LogicalResult run(const planning::ScheduleGenerator &generator,
                    StringRef name) {
    if (failed(describe()))
      return failure();
    auto make = [&](std::vector<planning::ActionTable> &tables)
        -> std::optional<planning::ActionFault> {
      std::string wrong = makeSchedule(generator, problem, tables);
      if (wrong.empty())
        return std::nullopt;
      return planning::ActionFault{-1, 0, wrong};
    };
    std::vector<planning::ActionTable> tables;
    if (auto fault = place(listRoutes(), make, tables))
      return module.emitError(fault->print());
    write(tables,
          b.getStringAttr(name == "auto" ? StringRef(generator.name) : name));
    return success();
  }

  LogicalResult run(const ActionRows &actions) {
    if (failed(describe()))
      return failure();
    std::vector<planning::ActionTable> tables;
    std::optional<planning::ActionFault> fault =
        parseRows(actions.listTexts(), problem, tables);
    if (!fault) {
      std::vector<Routes> routes = listRoutes();
      // If it was written for others.
      addRoutes(routes, findRoutes(direct(), values, tables));
      const std::vector<planning::ActionTable> given = tables;
      fault = place(
          routes,
          [&](std::vector<planning::ActionTable> &own) {
            own = given;
            return findFault(problem, own);
          },
          tables);
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
    connect(readRoutes());
    std::map<std::string, size_t> tasks;
    for (auto [i, func] : llvm::enumerate(functions))
      tasks[func.getSymName().str()] = i;
    for (auto table : module.getOps<ScheduleOp>()) {
      auto stage = static_cast<int64_t>(table.getStage());
      planning::ActionTable own;
      // Several values of one task cross as one action, which comes after it.
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
        for (const auto &[key, names] : crossing) {
          auto [task, reader] = key;
          if (reader != to || problem.tasks[task].stage != from ||
              !names.contains(b.getStringAttr(name)))
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
    findReads();
    connectOnce();
    return success();
  }

  // What a stage runs once, by level, and the surveys.
  struct Once {
    SmallVector<func::FuncOp> surveys, prologues, epilogues;
  };
  // What crosses stages once.
  struct Crossing {
    StringAttr name;
    int64_t peer;
  };
  using Crossings = std::map<Operation *, SmallVector<Crossing>>;

  void countMicrobatches() {
    if (!mesh)
      return;
    problem.stages = mesh.getStages();
    for (Attribute axis : mesh.getAxes())
      if (cast<AxisAttr>(axis).getTemporal())
        problem.microbatches *= cast<AxisAttr>(axis).getSize();
  }

  LogicalResult collect() {
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      auto kind = func->getAttrOfType<StringAttr>(taskAttrName);
      if (!kind || kind.getValue() == "init")
        continue;
      int64_t stage = getStage(func), chunk = getChunk(func);
      if (mesh && failed(verifyStage(func, mesh)))
        return failure();
      if (!mesh && stage != 0)
        return func.emitError("is of stage ")
               << stage << ", but the module has no dist.mesh";
      auto own = planning::findTaskKind(kind.getValue());
      if (!own) {
        auto region = func->getAttrOfType<StringAttr>(regionAttrName);
        Once &tasks = once[stage];
        (region && region.getValue() == "survey" ? tasks.surveys
         : kind.getValue() == "epilogue"         ? tasks.epilogues
                                                 : tasks.prologues)
            .push_back(func);
        continue;
      }
      if (problem.find(stage, chunk, *own) >= 0)
        return func.emitError("is the second ")
               << kind.getValue() << " task of stage " << stage << ", chunk "
               << chunk;
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

  // By an attribute of its results or arguments, each once.
  static SmallVector<StringAttr> namesOf(func::FuncOp func, bool results,
                                         StringRef attribute) {
    SmallVector<StringAttr> names;
    unsigned count = results ? func.getNumResults() : func.getNumArguments();
    for (unsigned i = 0; i < count; ++i)
      if (auto name = results
                          ? func.getResultAttrOfType<StringAttr>(i, attribute)
                          : func.getArgAttrOfType<StringAttr>(i, attribute))
        if (!llvm::is_contained(names, name))
          names.push_back(name);
    return names;
  }

  // Who reads what a task made of a microbatch. A name is that of a value of
  // the reader's own stage, if there is one.
  void findReads() {
    std::map<std::pair<int64_t, StringRef>, size_t> makers;
    llvm::StringMap<size_t> anywhere;
    for (auto [i, func] : llvm::enumerate(functions))
      for (StringAttr name : namesOf(func, true, valueAttrName)) {
        makers[{getStage(func), name.getValue()}] = i;
        anywhere.try_emplace(name.getValue(), i);
      }
    llvm::StringMap<size_t> numbers;
    for (auto [i, func] : llvm::enumerate(functions))
      for (StringAttr name : namesOf(func, false, valueAttrName))
        if (auto own = makers.find({getStage(func), name.getValue()});
            own != makers.end()) {
          within.insert({own->second, i});
        } else if (auto other = anywhere.find(name.getValue());
                   other != anywhere.end()) {
          auto [at, isNew] =
              numbers.try_emplace(name.getValue(), values.size());
          if (isNew) {
            values.push_back({other->second, {}, bytesOf(func, name)});
            valueNames.push_back(name);
          }
          values[at->second].readers.push_back(i);
        } // else it is a sum, or made once: VerifyTasks knows
  }

  // Of what a task reads by that name.
  static double bytesOf(func::FuncOp func, StringAttr name) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.getArgAttr(i, valueAttrName) == name)
        return dist::bytesOfType(func.getArgumentTypes()[i]);
    return 0;
  }

  // The problem with values read of those that make them.
  const planning::ScheduleProblem &direct() {
    llvm::SetVector<Read> reads = within;
    for (const planning::CrossingValue &value : values)
      for (size_t reader : value.readers)
        reads.insert({value.maker, reader});
    problem.reads.assign(reads.begin(), reads.end());
    return problem;
  }

  using Routes = std::vector<planning::ValueRoute>;
  static void addRoutes(std::vector<Routes> &list, Routes own) {
    if (!llvm::is_contained(list, own))
      list.push_back(std::move(own));
  }

  // Those worth a look: from the makers, and as links ask for.
  std::vector<Routes> listRoutes() {
    std::vector<Routes> list;
    addRoutes(list, routeValues(direct(), values, /*seconds=*/nullptr));
    if (seconds)
      addRoutes(list, routeValues(direct(), values, seconds));
    return list;
  }

  // Connects by those with which the step is over first, of those for which
  // `make` has tables; else what is wrong, with the last.
  using MakeTables = function_ref<std::optional<planning::ActionFault>(
      std::vector<planning::ActionTable> &)>;
  std::optional<planning::ActionFault>
  place(ArrayRef<Routes> list, MakeTables make,
        std::vector<planning::ActionTable> &tables) {
    std::vector<double> task;
    if (seconds && list.size() > 1)
      task = timeTasks();
    std::optional<planning::ActionFault> fault;
    const Routes *best = nullptr;
    double least = 0;
    for (const Routes &routes : list) {
      connect(routes);
      std::vector<planning::ActionTable> own;
      fault = make(own);
      if (fault)
        continue;
      double took = task.empty() ? 0
                                 : timeRoutes(problem, own, values, routes,
                                              task, seconds);
      if (best && took >= least)
        continue;
      best = &routes;
      least = took;
      tables = std::move(own);
    }
    if (!best)
      return fault;
    connect(*best);
    return std::nullopt;
  }

  // By task of the problem, for a microbatch.
  std::vector<double> timeTasks() {
    std::vector<double> out;
    Accounts accounts(mesh);
    for (func::FuncOp func : functions) {
      double sum = 0;
      for (Operation &op : func.getBody().front().without_terminator())
        sum += accounts.secondsOf(&op, *model);
      out.push_back(sum);
    }
    return out;
  }

  // Values are read of those that they come from.
  void connect(const Routes &routes) {
    llvm::SetVector<Read> reads = within;
    crossing.clear();
    passedOn.clear();
    for (const planning::ValueRoute &route : routes) {
      for (size_t reader : values[route.value].readers)
        if (problem.tasks[reader].stage == route.stage)
          reads.insert({route.from, reader});
      StringAttr name = valueNames[route.value];
      crossing[{route.from, route.stage}].insert(name);
      if (route.from != values[route.value].maker)
        passedOn[route.from].push_back({name, route.stage});
    }
    problem.reads.assign(reads.begin(), reads.end());
  }

  // The routes that the module's tables were written for.
  Routes readRoutes() {
    std::map<std::pair<int64_t, StringRef>, int64_t> senders;
    for (auto table : module.getOps<ScheduleOp>())
      for (auto receive : table.getOps<ReceiveOp>())
        senders.try_emplace(
            {static_cast<int64_t>(table.getStage()), receive.getValue()},
            static_cast<int64_t>(receive.getPeer()));
    Routes routes = routeValues(direct(), values, /*seconds=*/nullptr);
    for (planning::ValueRoute &route : routes) {
      auto sender =
          senders.find({route.stage, valueNames[route.value].getValue()});
      if (sender == senders.end() ||
          sender->second == problem.tasks[route.from].stage)
        continue;
      for (size_t reader : llvm::reverse(values[route.value].readers))
        if (problem.tasks[reader].stage == sender->second)
          route.from = reader;
    }
    return routes;
  }

  // Whether a task of a microbatch on that stage gets it from another one.
  bool crosses(StringAttr name, int64_t stage) const {
    for (auto [value, own] : llvm::zip_equal(values, valueNames))
      if (own == name)
        return llvm::any_of(value.readers, [&](size_t reader) {
          return problem.tasks[reader].stage == stage;
        });
    return false;
  }

  // What tasks that run once read of other stages, and what is made once for
  // tasks of a microbatch on other stages.
  void connectOnce() {
    struct Maker {
      int64_t stage;
      func::FuncOp once; // null: of a microbatch, there when the loop ends
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
        if (!from.once && (!isOnce || crosses(name, stage)))
          continue; // of a microbatch: connect() sends it
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
      const SmallVector<Crossing> &passed = passedOn[action.task];
      if (action.kind == planning::StageAction::Run) {
        // It is there, and crosses beside the task.
        for (const Crossing &own : passed)
          send(func.getLoc(), own.name, action.microbatch, own.peer);
        run(func, action.microbatch);
        continue;
      }
      bool sends = action.kind == planning::StageAction::Send;
      auto isPassed = [&](StringAttr name) {
        return llvm::any_of(passed, [&](const Crossing &own) {
          return own.name == name && own.peer == action.peer;
        });
      };
      for (StringAttr name :
           crossing[{action.task, sends ? action.peer : stage}])
        if (!sends)
          receive(func.getLoc(), name, action.microbatch, action.peer);
        else if (!isPassed(name))
          send(func.getLoc(), name, action.microbatch, action.peer);
    }
    for (const Crossing &own : sent[stage])
      send(schedule.getLoc(), own.name, 0, own.peer);
    for (func::FuncOp func : tasks.epilogues)
      runOnce(func);
  }

  ModuleOp module;
  MeshOp mesh; // or null: one stage, one microbatch
  OpBuilder b;
  planning::ScheduleProblem problem;
  SmallVector<func::FuncOp> functions; // of the problem's tasks
  std::map<int64_t, Once> once;        // by stage
  // The second task reads what the first one made.
  using Read = std::pair<size_t, size_t>;
  llvm::SetVector<Read> within; // a stage
  std::vector<planning::CrossingValue> values;
  SmallVector<StringAttr> valueNames;
  std::optional<planning::CostModel> model;
  planning::TransferSeconds seconds; // null: all are sent by their makers
  // What a stage reads of what a task of another one made, or passes on.
  std::map<std::pair<size_t, int64_t>, llvm::SetVector<StringAttr>> crossing;
  // Of that, by task, what it did not make.
  std::map<size_t, SmallVector<Crossing>> passedOn;
  // Before and after a task that runs once; by stage, before and after the
  // loop over the microbatches.
  Crossings receives, sends;
  std::map<int64_t, SmallVector<Crossing>> received, sent;
};

struct PlaceSchedule : impl::PlaceScheduleBase<PlaceSchedule> {
  using Base::Base;

  ActionRows actions;
  planning::Machine machine;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const planning::ScheduleGenerator *generator;
    if (std::string wrong =
            planning::findSchedule(schedule.getValue(), generator);
        !wrong.empty()) {
      module.emitError("schedule: ") << wrong;
      return signalPassFailure();
    }
    bool kept = !module.getOps<ScheduleOp>().empty();
    TablePlacer placer(module);
    if (forward)
      placer.allowForwarding(machine);
    if (failed(kept ? checkSchedule(module, schedule.getValue())
               : !actions.rows.empty()
                   ? placer.run(actions)
                   : placer.run(*generator, schedule.getValue())))
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

LogicalResult checkSchedule(ModuleOp module, StringRef schedule) {
  if (schedule == "auto")
    return success();
  for (ScheduleOp table : module.getOps<ScheduleOp>())
    if (table.getGenerator() != schedule) {
      InFlightDiagnostic diagnostic =
          table.emitError("the action table was written ");
      if (auto generator = table.getGenerator())
        diagnostic << "for the schedule '" << *generator << "'";
      else
        diagnostic << "by hand";
      return diagnostic << ", which contradicts --schedule=" << schedule;
    }
  return success();
}
} // namespace zcc
