// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the phases in order. A module that leaves a phase carries the phase's
// name (`zcc.phase`) and every option that was consumed so far (`zcc.options`),
// so that its text can be resumed without them.
#include "compiler/driver/Driver.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/Machine.h"
#include "compiler/driver/OptionValues.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/driver/PlanChoice.h"
#include "compiler/emission/Emission.h"
#include "compiler/emission/Report.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <array>
#include <chrono>
#include <thread>

using namespace mlir;

namespace zcc {
namespace {

constexpr llvm::StringLiteral phaseAttr = "zcc.phase",
                              optionsAttr = "zcc.options",
                              machineAttr = "zcc.machine";

int fail(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 2;
}

class Driver {
public:
  explicit Driver(CompileRequest request)
      : request(std::move(request)), options(this->request.options) {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, train::TrainDialect, dist::DistDialect,
                    exec::ExecDialect, stablehlo::StableHLODialect,
                    chlo::CHLODialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    // Attributes of dialects that JAX knows (mhlo, jax, sdy, newer ones) are
    // kept; VerifyGraph refuses unknown ops.
    context.allowUnregisteredDialects();
    context.printOpOnDiagnostic(false);
  }

  int run();

private:
  OwningOpRef<ModuleOp> parse(const std::string &file);
  std::string takeOptions();
  int takeMachine();
  void takeFacts();
  bool choosesPlan();
  void stamp(Phase phase);
  LogicalResult runPhase(Phase phase);
  std::string print(ModuleOp op);
  int writeExecutable();
  int checkMemory(ModuleOp step);
  int writeReport();

  CompileRequest request;
  Options &options;
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  planning::Machine machine;
  planning::MachineFacts facts;
  std::string planOut; // text of the plan that was followed
  std::string explanation;
  double withheld = 0; // bytes of a device that the choice of a plan may not use
  Report report; // facts of the module, once the phases have run
  std::vector<PredictedSpan> spans; // of the step, if a trace is wanted
  std::vector<std::pair<std::string, double>> seconds;
};

OwningOpRef<ModuleOp> Driver::parse(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer) {
    fail("cannot read '" + file + "': " + buffer.getError().message());
    return {};
  }
  sources.AddNewSourceBuffer(std::move(*buffer), {});
  // parseSourceFile reads the main buffer: each file gets a manager of its own.
  llvm::SourceMgr own;
  own.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          sources.getMemoryBuffer(sources.getNumBuffers())->getMemBufferRef()),
      {});
  ParserConfig config(&context);
  return parseSourceFile<ModuleOp>(own, config);
}

std::string Driver::takeOptions() {
  auto phase = (*module)->getAttrOfType<StringAttr>(phaseAttr);
  if (request.from == Phase::input)
    return phase && phase.getValue() != StringRef(getName(Phase::input))
               ? "the text is of phase '" + phase.getValue().str() +
                     "': use --compile-from=" + phase.getValue().str()
               : "";
  // Text written by hand need not say its phase.
  if (phase && phase.getValue() != StringRef(getName(request.from)))
    return "--compile-from=" + std::string(getName(request.from)) +
           ": the text is of phase '" + phase.getValue().str() + "'";
  if (auto carried = (*module)->getAttrOfType<DictionaryAttr>(optionsAttr))
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

// The machine of the text, of the option, or the host.
int Driver::takeMachine() {
  auto carried = (*module)->getAttrOfType<StringAttr>(machineAttr);
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
            carried.getValue().str(), std::string(machineAttr), machine);
        !errors.empty()) {
      llvm::errs() << errors;
      return 2;
    }
    if (!given.empty() && given != carried.getValue())
      return fail("--machine=" + wanted + " contradicts the machine '" +
                  machine.name + "', with which the text was made");
  } else if (wanted.empty()) {
    machine = getHostMachine();
  }
  return 0;
}

// What placement reads of the machine. Devices are known once the text was
// read.
void Driver::takeFacts() {
  int64_t devices = 1;
  auto sizes = (*module)->getAttrOfType<DenseI64ArrayAttr>("zcc.mesh_sizes");
  if (dist::MeshOp mesh = dist::getMesh(*module)) {
    devices = mesh.getDevices();
  } else if (!options.isGiven("mesh") && sizes) {
    for (int64_t size : sizes.asArrayRef())
      devices *= size;
  } else {
    std::vector<MeshAxis> axes;
    parseMesh(options.get("mesh"), axes);
    for (const MeshAxis &axis : axes)
      devices *= axis.size;
  }
  facts = machine.getFacts(options.get("precision"), devices);
  if (std::string text = options.get("memory"); !text.empty())
    parseBytes(text, facts.deviceMemory);
  facts.deviceMemory -= withheld;
}

// Whether devices are given, but not what they are for.
bool Driver::choosesPlan() {
  return isBare(getDistributeOptions(options, machine, facts)) &&
         !dist::getMesh(*module);
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
  (*module)->setAttr(phaseAttr, b.getStringAttr(StringRef(getName(phase))));
  (*module)->setAttr(optionsAttr, b.getDictionaryAttr(entries));
  if (phase >= Phase::sharded)
    (*module)->setAttr(machineAttr,
                       b.getStringAttr(planning::printMachine(machine)));
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

LogicalResult Driver::runPhase(Phase phase) {
  PassManager pm(&context);
  pm.enableVerifier(
      false); // every phase closes with its own verifier pass, after MLIR's
  addPhasePasses(phase, pm, options, machine, facts);
  auto start = std::chrono::steady_clock::now();
  if (failed(pm.run(*module)) || failed(mlir::verify(*module)))
    return failure();
  seconds.emplace_back(
      getName(phase),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (phase == Phase::step)
    recordModelFlops(*module);
  stamp(phase);
  return success();
}

int Driver::run() {
  if (!request.buffers.empty() && request.to < Phase::planned)
    return fail("--buffers: there is no memory plan before phase planned");
  if (!request.trace.empty() && request.to < Phase::scheduled)
    return fail("--trace: the step has no order before phase scheduled");
  if (!(request.plan.empty() && request.planOut.empty()) &&
      (request.from >= Phase::sharded || request.to < Phase::sharded))
    return fail("--plan, --plan-out: plans are followed at phase sharded");
  if (!request.explain.empty() &&
      (request.from >= Phase::sharded || request.to < Phase::sharded))
    return fail("--explain: what it explains is decided at phase sharded");
  auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics(sources, &context);
  module = parse(options.input);
  if (!module)
    return 2;
  if (std::string message = takeOptions(); !message.empty())
    return fail(message);
  if (std::string message = options.check(); !message.empty())
    return fail(message);
  if (int status = takeMachine())
    return status;
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
  dist::PlanFigures known;         // of plans that were looked at
  OwningOpRef<ModuleOp> step;      // before a plan was chosen
  OwningOpRef<ModuleOp> explained; // with the plan
  bool chooses = false;
  int attempts = 0;
  for (int p = static_cast<int>(request.from);; ++p) {
    auto phase = static_cast<Phase>(p);
    if (phase == Phase::executable)
      break;
    takeFacts();
    if (phase == Phase::sharded && !request.plan.empty()) {
      if (std::string errors = followPlan(*module, request.plan, options);
          !errors.empty()) {
        llvm::errs() << errors;
        return 2;
      }
    } else if (phase == Phase::sharded && phase != request.from &&
               choosesPlan()) {
      if (!step)
        step = module->clone();
      chooses = true;
      if (failed(choosePlan(*module, options, machine, facts, known)))
        return 2;
    } else if (phase == Phase::sharded && phase != request.from &&
               request.to >= Phase::planned) {
      step = module->clone(); // a refusal says what would fit
    }
    if (phase == Phase::sharded && !request.explain.empty())
      explained = module->clone();
    planning::Plan plan;
    if (phase == Phase::sharded && !request.planOut.empty())
      plan = describePlan(*module, options);
    if (phase != request.from && failed(runPhase(phase)))
      return 2;
    if (phase == Phase::sharded && !request.planOut.empty()) {
      completePlan(*module, plan);
      planOut = printPlan(plan);
    }
    // The search estimates memory. Where the plan needs more, it gets so much
    // less to plan with, and at last nothing, which is to ask for the smallest.
    constexpr int mostAttempts = 4;
    if (phase == Phase::planned && chooses && attempts < mostAttempts) {
      Report planned;
      if (failed(addFacts(*module, planned)))
        return 2;
      const MemoryReport *worst = planned.worst();
      double budget = facts.deviceMemory + withheld;
      double excess = worst ? static_cast<double>(worst->peak) - budget : 0;
      if (excess > 0) {
        constexpr double leastStep = 1.0 / 16; // of what was left
        withheld += std::max(excess, facts.deviceMemory * leastStep);
        if (++attempts == mostAttempts || withheld > budget - 1) {
          withheld = budget - 1;
          attempts = mostAttempts;
        }
        module = step->clone();
        p = static_cast<int>(Phase::step);
        llvm::erase_if(seconds, [](const auto &entry) {
          return llvm::any_of(
              std::array{Phase::sharded, Phase::partitioned, Phase::tasks,
                         Phase::scheduled, Phase::planned},
              [&](Phase phase) { return entry.first == getName(phase); });
        });
        continue;
      }
    }
    if (phase == Phase::graph && phase != request.from &&
        !options.get("init").empty()) {
      OwningOpRef<ModuleOp> init = parse(options.get("init"));
      if (!init || failed(addInit(*module, *init)))
        return 2;
    }
    if (!request.dumpFolder.empty())
      if (std::string message =
              writeFile(request.dumpFolder + "/" + std::to_string(p) + "-" +
                            std::string(getName(phase)) + ".mlir",
                        print(*module));
          !message.empty())
        return fail(message);
    if (phase == request.to)
      break;
  }
  if (failed(addFacts(*module, report)))
    return 2;
  if (request.to >= Phase::scheduled)
    report.predicted =
        predictStep(*module, machine, options.get("precision"),
                    report.modelFlops.value_or(0),
                    request.trace.empty() ? nullptr : &spans);
  for (MemoryReport &stage : report.stages)
    stage.most.library = static_cast<int64_t>(machine.libraryBytes);
  if (explained) {
    takeFacts();
    facts.deviceMemory += withheld;
    if (std::string message = explain(*explained, request.explain, options,
                                      machine, facts, report, explanation);
        !message.empty())
      return fail(message);
  }
  if (request.to >= Phase::planned)
    if (int status = checkMemory(step ? *step : ModuleOp())) {
      llvm::outs() << explanation;
      return status;
    }
  if (request.output.empty()) {
    // Only to be explained.
  } else if (request.to == Phase::executable) {
    if (int status = writeExecutable())
      return status;
  } else if (std::string message = writeFile(request.output, print(*module));
             !message.empty()) {
    return fail(message);
  }
  seconds.emplace_back("total", std::chrono::duration<double>(
                                    std::chrono::steady_clock::now() - start)
                                    .count());
  return writeReport();
}
// Parameters that have no gradient, though the step computes some: the frozen
// ones.
std::vector<std::string> findFrozen(ModuleOp module) {
  std::vector<std::string> frozen;
  llvm::StringSet<> seen;
  bool trains = false;
  for (auto output : module.getOps<dist::OutputOp>())
    if (ArrayAttr names = output.getNamesAttr()) {
      trains = true;
      for (Attribute name : names)
        seen.insert(cast<StringAttr>(name).getValue());
    }
  for (auto state : module.getOps<dist::StateOp>())
    if (trains && state.getKind() == "parameter" &&
        seen.insert(state.getParameter()).second)
      frozen.push_back(state.getParameter().str());
  return frozen;
}

// Refuses a plan that exceeds the budget, with the breakdown.
int Driver::checkMemory(ModuleOp step) {
  const MemoryReport *worst = report.worst();
  takeFacts();
  double budget = facts.deviceMemory + withheld;
  if (!worst || static_cast<double>(worst->peak) <= budget)
    return 0;
  std::string text =
      "memory: a device needs " + formatBytes(worst->peak) + " (" +
      std::to_string(worst->peak) + " bytes), more than the budget of " +
      formatBytes(static_cast<int64_t>(budget)) +
      (options.get("memory").empty() ? " that '" + machine.name + "' has for it"
                                     : "") +
      "\n  at the peak: " + formatShares(*worst) + "\n  largest values there:";
  for (const LargeValue &value : worst->largest)
    text += "\n    " + formatBytes(value.bytes) + "  " + value.category + "  " +
            value.name;
  std::string fit;
  if (step)
    fit = findFit(step, *module, options, machine, facts, report, budget);
  llvm::errs() << "error: " << text << "\n" << fit;
  return 2;
}

int Driver::writeExecutable() {
  auto start = std::chrono::steady_clock::now();
  auto target =
      getCpuTarget(options.get("cpu"), [](const llvm::Twine &message) {
        fail("--cpu: " + message);
      });
  if (failed(target))
    return 2;
  CodegenOptions codegen;
  codegen.threads = request.threads
                        ? request.threads
                        : std::max(1u, std::thread::hardware_concurrency());
  auto compiled = compileKernels(kernelsOf(*module), *target, codegen);
  if (failed(compiled))
    return 2;
  EmissionOptions emission;
  emission.cpu = target->cpu;
  emission.optimizer = options.get("optimizer");
  emission.precision = options.get("precision");
  emission.peakFlops =
      machine.flopsPerDevice(options.get("precision"), report.devices);
  emission.modelFlops = report.modelFlops.value_or(0);
  emission.frozen = findFrozen(*module);
  emission.pipeAxis = "pipe";
  auto bytes = buildExecutable(*module, *compiled, emission);
  if (failed(bytes))
    return 2;
  seconds.emplace_back(
      getName(Phase::executable),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (std::string message = writeFile(request.output, *bytes); !message.empty())
    return fail(message);
  return 0;
}

int Driver::writeReport() {
  if (!request.buffers.empty()) {
    auto csv = writeBuffersCsv(*module);
    if (failed(csv))
      return 2;
    if (std::string message = writeFile(request.buffers, *csv);
        !message.empty())
      return fail(message);
  }
  if (!request.planOut.empty())
    if (std::string message = writeFile(request.planOut, planOut);
        !message.empty())
      return fail(message);
  if (!request.trace.empty())
    if (std::string message = writeFile(request.trace, formatTrace(spans));
        !message.empty())
      return fail(message);
  (request.output == "-" ? llvm::errs() : llvm::outs()) << explanation;
  if (request.report.empty() &&
      (request.quiet || request.output == "-" || request.output.empty()))
    return 0;
  report.machine = machine.name;
  report.considered = countConsidered(*module);
  report.precision = options.get("precision");
  report.schedule = options.get("schedule") == "gpipe" ? "gpipe" : "1f1b";
  report.compileSeconds = seconds;
  report.compileSeconds.pop_back();
  report.totalSeconds = seconds.back().second;
  if (!request.report.empty())
    if (std::string message =
            writeFile(request.report, zcc::writeReport(report));
        !message.empty())
      return fail(message);
  if (!request.quiet && request.output != "-" && !request.output.empty())
    llvm::outs() << formatReport(report);
  return 0;
}
} // namespace

int compile(CompileRequest request) { return Driver(std::move(request)).run(); }

} // namespace zcc
