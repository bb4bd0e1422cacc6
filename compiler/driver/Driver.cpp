// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the phases in order. A module that leaves a phase carries the phase's
// name (`zcc.phase`) and every option that was consumed so far (`zcc.options`),
// so that its text can be resumed without them.
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/DriverState.h"
#include "compiler/planner/explain/Explain.h"
#include "compiler/phases/Machine.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/search/PlanChoice.h"
#include "compiler/driver/Predicates.h"
#include "compiler/phases/Targets.h"
#include "compiler/driver/TextPlaces.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipeline/Pipeline.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;

namespace zcc {
int fail(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 2;
}

Driver::Driver(CompileRequest request)
    : request(std::move(request)), options(this->request.options) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect, train::TrainDialect, dist::DistDialect,
                  exec::ExecDialect, stablehlo::StableHLODialect,
                  chlo::CHLODialect>();
  if (unsigned count = this->request.threads) {
    context.disableMultithreading();
    if (count > 1)
      context.setThreadPool(threads.emplace(llvm::hardware_concurrency(count)));
  }
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // Unknown attributes of JAX's dialects (mhlo, jax, sdy, newer ones) are kept;
  // VerifyGraph rejects unknown ops.
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
}

OwningOpRef<ModuleOp> Driver::parse(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer) {
    fail("cannot read '" + file + "': " + buffer.getError().message());
    return {};
  }
  if (request.from == Phase::input) {
    std::string text = (*buffer)->getBuffer().str();
    packPredicates(text);
    buffer = llvm::MemoryBuffer::getMemBufferCopy(
        text, (*buffer)->getBufferIdentifier());
  }
  sources.AddNewSourceBuffer(std::move(*buffer), {});
  // parseSourceFile reads the main buffer, so each file needs its own manager.
  llvm::SourceMgr own;
  own.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          sources.getMemoryBuffer(sources.getNumBuffers())->getMemBufferRef()),
      {});
  llvm::MemoryBufferRef text = own.getMemoryBuffer(1)->getMemBufferRef();
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> parsed = parseSourceFile<ModuleOp>(own, config);
  auto verifyOps = [](ModuleOp module) { return mlir::verify(module); };
  if (!parsed || failed(verifyAtPlaces(*parsed, text, verifyOps)))
    return {};
  return parsed;
}

std::string Driver::takeOptions() {
  auto phase = (*module)->getAttrOfType<StringAttr>(phaseAttrName);
  if (request.from == Phase::input)
    return phase && phase.getValue() != StringRef(getName(Phase::input))
               ? "the text is of phase '" + phase.getValue().str() +
                     "': use --compile-from=" + phase.getValue().str()
               : "";
  // Text written by hand need not name its phase.
  if (phase && phase.getValue() != StringRef(getName(request.from)))
    return "--compile-from=" + std::string(getName(request.from)) +
           ": the text is of phase '" + phase.getValue().str() + "'";
  if (auto carried = (*module)->getAttrOfType<DictionaryAttr>(optionsAttrName))
    for (NamedAttribute entry : carried) {
      std::vector<std::string> values;
      if (auto list = dyn_cast<ArrayAttr>(entry.getValue()))
        for (Attribute value : list)
          if (auto text = dyn_cast<StringAttr>(value))
            values.push_back(text.getValue().str());
      if (std::string message = options.resume(entry.getName().str(), values);
          !message.empty())
        return message;
    }
  return "";
}

// Sets the machine: that of the text, of the option, or the default.
int Driver::takeMachine() {
  auto carried = (*module)->getAttrOfType<StringAttr>(machineAttrName);
  std::string wanted = options.get("machine");
  if (!wanted.empty())
    if (std::string errors = findMachine(wanted, machine); !errors.empty()) {
      llvm::errs() << errors;
      return 2;
    }
  if (carried) {
    std::string given =
        machine.name.empty() ? "" : planning::printMachine(machine);
    if (std::string errors = planning::parseMachine(
            carried.getValue().str(), std::string(machineAttrName), machine);
        !errors.empty()) {
      llvm::errs() << errors;
      return 2;
    }
    if (!given.empty() && given != carried.getValue())
      return fail("--machine=" + wanted + " contradicts the machine '" +
                  machine.name + "', with which the text was made");
  } else if (wanted.empty()) {
    std::string fallback = getDefaultMachine(options);
    if (fallback.empty())
      machine = getHostMachine();
    else if (std::string errors = findMachine(fallback, machine);
             !errors.empty())
      return fail(errors);
    report.machineByDefault = !fallback.empty();
  }
  std::string type = options.get("precision");
  if (!wanted.empty() && !machine.peaks.empty() && !machine.findPeak(type))
    llvm::errs() << "warning: --precision=" << type << ": the machine '"
                 << machine.name
                 << "' has no peak of that type: products are predicted at the "
                    "rate of f32\n";
  return 0;
}

// Returns the number of devices, which is known after the text was read.
int64_t Driver::countDevices() {
  if (dist::MeshOp mesh = dist::getMesh(*module))
    return mesh.getDevices();
  auto sizes =
      (*module)->getAttrOfType<DenseI64ArrayAttr>(textMeshSizesAttrName);
  int64_t devices = plan.countDevices();
  if (plan.mesh.empty() && sizes)
    for (int64_t size : sizes.asArrayRef())
      devices *= size;
  return devices;
}

// Sets the facts of the machine that placement reads.
void Driver::takeFacts() {
  facts = machine.getFacts(countDevices());
  if (plan.memory > 0)
    facts.deviceMemory = plan.memory;
  facts.deviceMemory -= withheld;
}

void Driver::stamp(Phase phase) {
  Builder b(&context);
  SmallVector<NamedAttribute> entries;
  for (auto &[name, values] : options.getConsumed(phase)) {
    SmallVector<Attribute> list;
    for (const std::string &value : values)
      list.push_back(b.getStringAttr(value));
    entries.push_back(b.getNamedAttr(name, b.getArrayAttr(list)));
  }
  (*module)->setAttr(phaseAttrName, b.getStringAttr(StringRef(getName(phase))));
  (*module)->setAttr(optionsAttrName, b.getDictionaryAttr(entries));
  if (phase >= Phase::sharded)
    (*module)->setAttr(machineAttrName,
                       b.getStringAttr(planning::printMachine(machine)));
  if (phase >= Phase::sharded && trials)
    (*module)->setAttr(dist::consideredAttrName,
                       b.getI64IntegerAttr(considered.size()));
}

std::string Driver::print(ModuleOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  op.print(os, flags);
  os << "\n";
  return text;
}

// Replaces the schedule by actions in the plan that --plan-out writes.
void Driver::takeActions(std::vector<std::string> rows) {
  decided.schedule.clear();
  decided.actions.clear();
  for (std::string &row : rows)
    decided.actions.push_back({std::move(row)});
}

// Returns true if the residuals may change after memory planning.
bool Driver::mayReplaceTasks() const {
  return request.to >= Phase::planned &&
         (plan.residuals.empty() || plan.compress == "auto" ||
          plan.offloadsByPrice());
}

LogicalResult Driver::runPhase(Phase phase) {
  if (phase == Phase::tasks && !plan.offload.empty() &&
      !(plan.offloadsByPrice() && residuals.offloadBytes <= 0) &&
      machine.hostBytesPerDevice(countDevices()) <= 0) {
    fail("--offload: the description of '" + machine.name +
         "' has no memory named host");
    return failure();
  }
  PassManager pm(&context);
  pm.enableVerifier(
      false); // each phase ends with MLIR's verifier and its own verifier pass
  addPhasePasses(phase, pm, options, plan, machine, facts, *target, &residuals);
  if (phase == Phase::tasks && mayReplaceTasks() && !partitioned)
    partitioned = module->clone();
  auto start = std::chrono::steady_clock::now();
  if (failed(pm.run(*module)) || failed(mlir::verify(*module)))
    return failure();
  seconds.emplace_back(
      getName(phase),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (phase == Phase::step)
    recordModelFlops(*module);
  if (phase == Phase::partitioned)
    recordAddedWork(*module);
  if (phase == Phase::tasks && request.planActions)
    takeActions(printActions(*module));
  stamp(phase);
  return success();
}

// Returns an error if the request needs a phase that is not reached, or "".
std::string Driver::checkRequest() const {
  if (!request.buffers.empty() && request.to < Phase::planned)
    return "--buffers: there is no memory plan before phase planned";
  if (!request.memoryPlot.empty() && request.to < Phase::planned)
    return "--memory-plot: there is no memory plan before phase planned";
  if (!request.trace.empty() && request.to < Phase::scheduled)
    return "--trace: the step has no order before phase scheduled";
  if (!request.draw.empty() && request.to < Phase::scheduled)
    return "--draw: the step has no order before phase scheduled";
  bool shards = request.from < Phase::sharded && request.to >= Phase::sharded;
  if (!(request.plan.empty() && request.planOut.empty()) && !shards)
    return "--plan, --plan-out: plans are followed at phase sharded";
  if (request.planActions && request.planOut.empty())
    return "--plan-actions: expected --plan-out beside it, which writes them";
  if (request.planActions && request.to < Phase::tasks)
    return "--plan-actions: there are no action tables before phase tasks";
  if (!request.explain.empty() && !shards)
    return "--explain: what it explains is decided at phase sharded";
  return "";
}

// Reads the text, the machine and the plan. Returns an exit status.
int Driver::prepare() {
  auto start = std::chrono::steady_clock::now();
  module = parse(options.input);
  if (!module)
    return 2;
  unsigned text = sources.getNumBuffers();
  if (std::string message = takeOptions(); !message.empty())
    return fail(message);
  if (std::string message = options.check(); !message.empty())
    return fail(message);
  target = makeTarget(options);
  if (request.to == Phase::executable)
    for (const std::string &message :
         {checkPrecision(options), target->checkDevice()})
      if (!message.empty())
        return fail(message);
  if (int status = takeMachine())
    return status;
  auto verify = [&](ModuleOp module) {
    return verifyText(request.from, module, *target);
  };
  if (failed(verifyAtPlaces(
          *module, sources.getMemoryBuffer(text)->getMemBufferRef(), verify)))
    return 2;
  // Action tables in the text are not changed.
  if (request.from >= Phase::tasks && options.isGiven("schedule") &&
      failed(checkSchedule(*module, options.get("schedule"))))
    return 2;
  plan = askedPlan(options);
  if (request.from >= Phase::sharded)
    resumePlan(*module, plan);
  residuals = ResidualBudget(plan);
  if (request.from == Phase::input) {
    seconds.emplace_back(
        getName(Phase::input),
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
    stamp(Phase::input);
  }
  if (!request.dumpFolder.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(request.dumpFolder))
      return fail("cannot make the folder '" + request.dumpFolder +
                  "': " + error.message());
  return checkPlaces();
}

// Compiles the module of phase `step` by the plan to phase `sharded`, or takes
// over the module that was simulated. Returns the phase that is reached.
FailureOr<Phase> Driver::shardOrTake() {
  if (!request.explain.empty())
    explained = module->clone();
  if (!request.planOut.empty()) {
    decided = plan;
    decided.values = findValues(*module);
  }
  Phase phase = Phase::sharded;
  std::optional<PlanTrials::Scheduled> scheduled;
  if (trials && request.dumpFolder.empty() &&
      request.to >= Phase::scheduled && residuals.compress == "none")
    scheduled = trials->takeScheduled();
  if (scheduled) {
    phase = Phase::scheduled;
    module = std::move(scheduled->module);
    llvm::append_range(seconds, scheduled->seconds);
    residuals = std::move(scheduled->residuals);
    if (mayReplaceTasks())
      partitioned = std::move(scheduled->partitioned);
    if (request.planActions)
      takeActions(std::move(scheduled->actions));
    if (failed(mlir::verify(*module)))
      return failure();
    stamp(phase);
  } else if (failed(runPhase(phase))) {
    return failure();
  }
  if (!request.planOut.empty())
    decided = decidedPlan(*module, std::move(decided));
  return phase;
}

// Finishes a phase: adds initial weights, and dumps its text if requested.
LogicalResult Driver::finishPhase(Phase phase) {
  if (phase == Phase::graph && phase != request.from &&
      !options.get("init").empty()) {
    OwningOpRef<ModuleOp> init = parse(options.get("init"));
    if (!init || failed(addInit(*module, *init)))
      return failure();
  }
  if (request.dumpFolder.empty())
    return success();
  std::string message = writeFile(
      request.dumpFolder + "/" + std::to_string(static_cast<int>(phase)) + "-" +
          std::string(getName(phase)) + ".mlir",
      print(*module));
  if (!message.empty())
    fail(message);
  return success(message.empty());
}

// Runs the phases. Returns an exit status.
int Driver::runPhases() {
  for (Phase phase = request.from; phase != Phase::executable;) {
    takeFacts();
    if (phase == Phase::sharded && phase != request.from) {
      if (int status = placePlan())
        return status;
      FailureOr<Phase> reached = shardOrTake();
      if (failed(reached))
        return 2;
      phase = *reached;
    } else if (phase != request.from && failed(runPhase(phase))) {
      return 2;
    }
    if (phase == Phase::planned && request.from < Phase::planned) {
      FailureOr<std::optional<Phase>> from = tryLess();
      if (failed(from))
        return 2;
      if (*from) {
        phase = **from;
        // The times of that phase and later ones are dropped.
        seconds.erase(llvm::find_if(seconds,
                                    [&](const auto &entry) {
                                      return entry.first == getName(phase);
                                    }),
                      seconds.end());
        continue;
      }
    }
    if (failed(finishPhase(phase)))
      return 2;
    if (phase == request.to)
      break;
    phase = static_cast<Phase>(static_cast<int>(phase) + 1);
  }
  return 0;
}

int Driver::run() {
  if (std::string message = checkRequest(); !message.empty())
    return fail(message);
  auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics(sources, &context);
  if (int status = prepare())
    return status;
  if (int status = runPhases())
    return status;
  if (failed(addFacts(*module, report)))
    return 2;
  if (request.to >= Phase::scheduled)
    report.predicted = predictStep(
        *module, *target, machine, options.get("precision"),
        report.modelFlops.value_or(0),
        request.trace.empty() && request.draw.empty() ? nullptr : &spans,
        request.memoryPlot.empty() ? nullptr : &times);
  for (MemoryReport &stage : report.stages)
    stage.most.library = static_cast<int64_t>(machine.libraryBytes);
  if (explained) {
    takeFacts();
    MemoryExplainer memory(OwningOpRef<ModuleOp>(explained->clone()), options,
                           plan, machine, facts, *target, residuals,
                           facts.deviceMemory + withheld);
    facts.deviceMemory += withheld; // passes still keep as many residuals
    if (std::string message =
            explain(*explained, request.explain, options, plan, considered,
                    machine, facts, *module, report, memory, explanation);
        !message.empty())
      return fail(message);
  }
  if (request.to >= Phase::planned)
    if (int status = checkMemory()) {
      llvm::outs() << explanation;
      return status;
    }
  if (step && doesMuchMore(report)) {
    OwningOpRef<ModuleOp> again = step->clone();
    warnWork(*again, options, plan, machine, facts, report);
  }
  if (request.output.empty()) {
    // Nothing is written if the step is only explained.
  } else if (request.to == Phase::executable) {
    if (int status = writeExecutable())
      return status;
  } else if (std::string message = files.add(request.output, print(*module));
             !message.empty()) {
    return fail(message);
  }
  seconds.emplace_back("total", std::chrono::duration<double>(
                                    std::chrono::steady_clock::now() - start)
                                    .count());
  return writeReport();
}

int compile(CompileRequest request) { return Driver(std::move(request)).run(); }

} // namespace zcc
