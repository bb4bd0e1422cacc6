// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/TaskTransfers.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

SmallVector<StringAttr> zcc::namesOf(func::FuncOp task, bool results,
                                     StringRef attribute) {
  SmallVector<StringAttr> names;
  unsigned count = results ? task.getNumResults() : task.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    if (auto name = results ? task.getResultAttrOfType<StringAttr>(i, attribute)
                            : task.getArgAttrOfType<StringAttr>(i, attribute))
      if (!llvm::is_contained(names, name))
        names.push_back(name);
  return names;
}

TaskTransfers::TaskTransfers(planning::ScheduleProblem &problem,
                             ArrayRef<func::FuncOp> functions, MeshOp mesh,
                             const planning::Machine *links)
    : problem(problem), functions(functions), mesh(mesh) {
  if (mesh && links) {
    model.emplace(*links, mesh.getDevices());
    seconds = [this, accounts = CollectiveAccounts(mesh)](
                  int64_t from, int64_t to, double bytes) {
      return model->sendSeconds(accounts.rankOfStage(from),
                                accounts.rankOfStage(to), bytes);
    };
  }
  findReads();
}

// Returns the bytes of the argument that a task reads by that name; 0 if none.
static double bytesOf(func::FuncOp task, StringAttr name) {
  for (unsigned i = 0; i < task.getNumArguments(); ++i)
    if (task.getArgAttr(i, valueAttrName) == name) {
      auto type = dyn_cast<RankedTensorType>(task.getArgumentTypes()[i]);
      return type && type.getElementType().isIntOrFloat() ? bytesOfType(type)
                                                          : 0;
    }
  return 0;
}

// A task reads the value of that name of its own stage, if there is one.
void TaskTransfers::findReads() {
  std::map<std::pair<int64_t, StringRef>, size_t> makers;
  llvm::StringMap<size_t> anywhere;
  for (auto [i, func] : llvm::enumerate(functions))
    for (StringAttr name : namesOf(func, true, valueAttrName)) {
      makers[{getStage(func), name.getValue()}] = i;
      anywhere.try_emplace(name.getValue(), i);
    }
  for (auto [i, func] : llvm::enumerate(functions))
    for (StringAttr name : namesOf(func, false, valueAttrName))
      if (auto own = makers.find({getStage(func), name.getValue()});
          own != makers.end()) {
        within.insert({own->second, i});
      } else if (auto other = anywhere.find(name.getValue());
                 other != anywhere.end()) {
        auto [at, isNew] = numbers.try_emplace(name.getValue(), values.size());
        if (isNew) {
          values.push_back({other->second, {}, ::bytesOf(func, name)});
          names.push_back(name);
        }
        values[at->second].readers.push_back(i);
      } // else a sum, or made once: VerifyTasks checks it
}

// Sets the problem's reads so that each value is read from the task that makes
// it, whatever they were, and returns the problem.
const planning::ScheduleProblem &TaskTransfers::readFromMakers() {
  llvm::SetVector<Read> reads = within;
  for (const planning::CrossingValue &value : values)
    for (size_t reader : value.readers)
      reads.insert({value.maker, reader});
  problem.reads.assign(reads.begin(), reads.end());
  return problem;
}

std::vector<TaskTransfers::Routes> TaskTransfers::listRoutes() {
  std::vector<Routes> list;
  auto add = [&](Routes own) {
    if (!llvm::is_contained(list, own))
      list.push_back(std::move(own));
  };
  add(routeValues(readFromMakers(), values, /*seconds=*/nullptr));
  if (seconds)
    add(routeValues(readFromMakers(), values, seconds));
  return list;
}

TaskTransfers::Routes TaskTransfers::findRoutes(const Tables &tables) {
  return planning::findRoutes(readFromMakers(), values, tables);
}

std::optional<planning::ActionFault> TaskTransfers::connect(
    ArrayRef<Routes> list,
    function_ref<std::optional<planning::ActionFault>(Tables &)> make,
    Tables &tables) {
  std::vector<double> task;
  if (seconds && list.size() > 1)
    task = timeTasks();
  std::optional<planning::ActionFault> fault;
  const Routes *best = nullptr;
  double least = 0;
  for (const Routes &routes : list) {
    connect(routes);
    Tables own;
    fault = make(own);
    if (fault)
      continue;
    double took = task.empty()
                      ? 0
                      : timeRoutes(problem, own, values, routes, task, seconds);
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

// Returns the seconds of each task of the problem for a microbatch.
std::vector<double> TaskTransfers::timeTasks() const {
  std::vector<double> out;
  CollectiveAccounts accounts(mesh);
  for (func::FuncOp func : functions) {
    double sum = 0;
    if (!func.isExternal())
      for (Operation &op : func.getBody().front().without_terminator())
        sum += accounts.secondsOf(&op, *model);
    out.push_back(sum);
  }
  return out;
}

// Sets the problem's reads: values are read from the tasks that the routes
// name.
void TaskTransfers::connect(const Routes &routes) {
  llvm::SetVector<Read> reads = within;
  crossings.clear();
  passed.clear();
  for (const planning::ValueRoute &route : routes) {
    const planning::CrossingValue &value = values[route.value];
    for (size_t reader : value.readers)
      if (problem.tasks[reader].stage == route.stage)
        reads.insert({route.from, reader});
    StringAttr name = names[route.value];
    crossings[{route.from, route.stage}].push_back(name);
    if (route.from != value.maker)
      passed[route.from].push_back({name, route.stage});
  }
  problem.reads.assign(reads.begin(), reads.end());
}

void TaskTransfers::connectAsIn(ModuleOp module) {
  std::map<std::pair<int64_t, StringRef>, int64_t> senders;
  for (auto table : module.getOps<ScheduleOp>())
    for (auto receive : table.getOps<ReceiveOp>())
      senders.try_emplace(
          {static_cast<int64_t>(table.getStage()), receive.getValue()},
          static_cast<int64_t>(receive.getPeer()));
  Routes routes = routeValues(readFromMakers(), values, /*seconds=*/nullptr);
  for (planning::ValueRoute &route : routes) {
    auto sender = senders.find({route.stage, names[route.value].getValue()});
    if (sender == senders.end() ||
        sender->second == problem.tasks[route.from].stage)
      continue;
    for (size_t reader : llvm::reverse(values[route.value].readers))
      if (problem.tasks[reader].stage == sender->second)
        route.from = reader;
  }
  connect(routes);
}

bool TaskTransfers::comesTo(int64_t stage, StringAttr name) const {
  auto at = numbers.find(name.getValue());
  return at != numbers.end() &&
         llvm::any_of(values[at->second].readers, [&](size_t reader) {
           return problem.tasks[reader].stage == stage;
         });
}

ArrayRef<StringAttr> TaskTransfers::crossing(size_t task, int64_t stage) const {
  auto at = crossings.find({task, stage});
  return at == crossings.end() ? ArrayRef<StringAttr>() : at->second;
}

SmallVector<StringAttr> TaskTransfers::madeFor(size_t task,
                                               int64_t stage) const {
  SmallVector<StringAttr> out;
  for (StringAttr name : crossing(task, stage))
    if (values[numbers.lookup(name.getValue())].maker == task)
      out.push_back(name);
  return out;
}

ArrayRef<TaskTransfers::Crossing> TaskTransfers::passedOn(size_t task) const {
  auto at = passed.find(task);
  return at == passed.end() ? ArrayRef<Crossing>() : at->second;
}
