// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the phases in order. A module that leaves a phase carries the phase's
// name (`zcc.phase`) and every option that was consumed so far (`zcc.options`),
// so that its text can be resumed without them.
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/DriverState.h"
#include "compiler/driver/Predicates.h"
#include "compiler/driver/TextPlaces.h"
#include "compiler/phases/Machine.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/phases/Targets.h"
#include "compiler/planner/explain/Explain.h"
#include "compiler/planner/search/PlanChoice.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Import/Import.h"
#include "passes/Pipeline/Pipeline.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;

namespace zcc {
using namespace planner;
int Driver::fail(const llvm::Twine &message) {
  messages << "error: " << message << "\n";
  return 2;
}

Driver::Driver(CompileRequest request, const std::string &text,
               CompiledText &result)
    : Driver(std::move(request), &text, &result) {}

Driver::Driver(CompileRequest request)
    : Driver(std::move(request), nullptr, nullptr) {}

Driver::Driver(CompileRequest request, const std::string *text,
               CompiledText *result)
    : request(std::move(request)), options(this->request.options), text(text),
      inMemory(result), ownMessages(openMessages()),
      messages(ownMessages ? *ownMessages : llvm::errs()) {
  DialectRegistry registry;
  registerImportDialects(registry);
  registry.insert<dist::DistDialect, exec::ExecDialect>();
  if (unsigned count = this->request.threads) {
    mlirContext.disableMultithreading();
    if (count > 1)
      mlirContext.setThreadPool(
          threads.emplace(llvm::hardware_concurrency(count)));
  }
  mlirContext.appendDialectRegistry(registry);
  mlirContext.loadAllAvailableDialects();
  // Attributes of dialects that JAX knows (mhlo, jax, newer ones) are
  // kept; VerifyGraph refuses unknown ops.
  mlirContext.allowUnregisteredDialects();
  mlirContext.printOpOnDiagnostic(false);
}

std::unique_ptr<llvm::raw_ostream> Driver::openMessages() {
  if (inMemory)
    return std::make_unique<llvm::raw_string_ostream>(inMemory->messages);
  if (wants(Document::Page))
    return std::make_unique<KeptMessages>(keptMessages);
  return nullptr;
}

OwningOpRef<ModuleOp> Driver::parse(const std::string &file) {
  if (StringRef(file).ends_with(".py")) {
    fail(file +
         ": expected the text of a loss function, found a file of "
         "Python; tools/export/jax.py MODULE:FUNCTION writes the text of "
         "a JAX function, and zcc.compile() takes JAX functions and "
         "PyTorch modules as they are");
    return {};
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer) {
    fail("cannot read '" + file + "': " + buffer.getError().message());
    return {};
  }
  return parse(std::move(*buffer));
}

OwningOpRef<ModuleOp>
Driver::parse(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  if (request.from == Phase::input) {
    std::string text = buffer->getBuffer().str();
    packPredicates(text);
    buffer = llvm::MemoryBuffer::getMemBufferCopy(
        text, buffer->getBufferIdentifier());
  }
  sources.AddNewSourceBuffer(std::move(buffer), {});
  // parseSourceFile reads the main buffer, so each file needs its own manager.
  llvm::SourceMgr own;
  own.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          sources.getMemoryBuffer(sources.getNumBuffers())->getMemBufferRef()),
      {});
  llvm::MemoryBufferRef text = own.getMemoryBuffer(1)->getMemBufferRef();
  ParserConfig config(&mlirContext, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> parsed = parseSourceFile<ModuleOp>(own, config);
  auto verifyOps = [](ModuleOp module) { return mlir::verify(module); };
  if (!parsed || failed(verifyAtPlaces(*parsed, text, verifyOps)))
    return {};
  return parsed;
}

std::string Driver::takeOptions() {
  auto phase = module()->getAttrOfType<StringAttr>(phaseAttrName);
  if (request.from == Phase::input)
    return phase && phase.getValue() != StringRef(getName(Phase::input))
               ? "the text is of phase '" + phase.getValue().str() +
                     "': use --compile-from=" + phase.getValue().str()
               : "";
  // Text written by hand need not name its phase.
  if (phase && phase.getValue() != StringRef(getName(request.from)))
    return "--compile-from=" + std::string(getName(request.from)) +
           ": the text is of phase '" + phase.getValue().str() + "'";
  if (auto carried = module()->getAttrOfType<DictionaryAttr>(optionsAttrName))
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
  auto carried = module()->getAttrOfType<StringAttr>(machineAttrName);
  std::string wanted = options.get("machine");
  if (!wanted.empty())
    if (std::string errors = findMachine(wanted, machine); !errors.empty()) {
      messages << errors;
      return 2;
    }
  if (carried) {
    std::string given =
        machine.name.empty() ? "" : planning::printMachine(machine);
    if (std::string errors = planning::parseMachine(
            carried.getValue().str(), std::string(machineAttrName), machine);
        !errors.empty()) {
      messages << errors;
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
    messages << "warning: --precision=" << type << ": the machine '"
             << machine.name
             << "' has no peak of that type: products are predicted at the "
                "rate of f32\n";
  return 0;
}

double Driver::wholeMemory() {
  return findFacts(machine, module(), fitted.compiled.plan, 0).deviceMemory;
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

// Returns an error if the request asks for something of a phase that it does
// not reach; else "".
std::string Driver::checkRequest() const {
  for (Document document :
       {Document::Buffers, Document::MemoryPlot, Document::Page})
    if (wants(document) && request.to < Phase::planned)
      return std::string("--") + getOptionName(document) +
             ": there is no memory plan before phase planned";
  for (Document document : {Document::Trace, Document::Draw})
    if (wants(document) && request.to < Phase::scheduled)
      return std::string("--") + getOptionName(document) +
             ": the step has no order before phase scheduled";
  bool shards = request.from < Phase::sharded && request.to >= Phase::sharded;
  if ((!request.plan.empty() || wants(Document::PlanOut)) && !shards)
    return "--plan, --plan-out: plans are followed at phase sharded";
  if (request.planActions && !wants(Document::PlanOut))
    return "--plan-actions: expected --plan-out beside it, which writes them";
  if (request.planActions && request.to < Phase::tasks)
    return "--plan-actions: there are no action tables before phase tasks";
  if (!request.explain.empty() && !shards)
    return "--explain: what it explains is decided at phase sharded";
  return "";
}

// Reads the text and all that it is compiled with. Returns the exit status.
int Driver::prepare() {
  auto start = std::chrono::steady_clock::now();
  StepCompilation &compiled = fitted.compiled;
  compiled.module =
      text ? parse(llvm::MemoryBuffer::getMemBufferCopy(*text, options.input))
           : parse(options.input);
  if (!compiled.module)
    return 2;
  compiled.phase = request.from;
  unsigned input = sources.getNumBuffers();
  if (std::string message = takeOptions(); !message.empty())
    return fail(message);
  if (std::string message = options.check(); !message.empty())
    return fail(message);
  target = makeTarget(options);
  if (request.to == Phase::executable)
    for (const std::string &message :
         {checkPrecision(options), checkInputs(options), target->checkDevice()})
      if (!message.empty())
        return fail(message);
  if (int status = takeMachine())
    return status;
  auto verify = [&](ModuleOp module) {
    return verifyText(request.from, module, *target);
  };
  if (failed(verifyAtPlaces(
          module(), sources.getMemoryBuffer(input)->getMemBufferRef(), verify)))
    return 2;
  compiled.plan = askedPlan(options);
  // Action tables in the text are not changed.
  if (request.from >= Phase::tasks && options.isGiven("schedule") &&
      failed(checkSchedule(module(), compiled.plan.schedule)))
    return 2;
  if (request.from >= Phase::sharded)
    resumePlan(module(), compiled.plan);
  if (request.from == Phase::input) {
    stampPhase(context(), module(), Phase::input);
    compiled.seconds.emplace_back(
        getName(Phase::input),
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
  if (!request.dumpFolder.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(request.dumpFolder))
      return fail("cannot make the folder '" + request.dumpFolder +
                  "': " + error.message());
  return checkPlaces();
}

// Adds the initial weights to phase `graph`, and writes the phase's text if it
// is wanted.
LogicalResult Driver::finishPhase(Phase phase, ModuleOp module) {
  if (phase == Phase::graph && phase != request.from &&
      !options.get("init").empty()) {
    OwningOpRef<ModuleOp> init = parse(options.get("init"));
    if (!init || failed(addInit(module, *init)))
      return failure();
  }
  if (request.dumpFolder.empty())
    return success();
  std::string message = writeFile(
      request.dumpFolder + "/" + std::to_string(static_cast<int>(phase)) + "-" +
          std::string(getName(phase)) + ".mlir",
      print(module));
  if (!message.empty())
    fail(message);
  return success(message.empty());
}

// Runs the phases; from `step` on the planner runs them. Returns the exit
// status.
int Driver::runPhases() {
  if (failed(finishPhase(request.from, module())))
    return 2;
  StepCompilation &compiled = fitted.compiled;
  Phase last = std::min(request.to, Phase::planned);
  while (compiled.phase < std::min(last, Phase::step)) {
    Phase phase = getNext(compiled.phase);
    if (failed(compileTo(context(), compiled, phase)) ||
        failed(finishPhase(phase, module())))
      return 2;
  }
  return compiled.phase < last ? fitPlan() : 0;
}

// Compiles the step by a plan that fits the memory. Returns the exit status.
int Driver::fitPlan() {
  FitRequest fit;
  fit.to = std::min(request.to, Phase::planned);
  fit.planFile = request.plan;
  fit.wantsDecided = wants(Document::PlanOut);
  fit.wantsActions = request.planActions;
  fit.wantsExplained = !request.explain.empty() || wants(Document::Page);
  if (!request.dumpFolder.empty())
    fit.onPhase = [this](Phase phase, ModuleOp module) {
      return finishPhase(phase, module);
    };
  PlanFitter fitter(context(), std::move(fit), std::move(fitted.compiled));
  LogicalResult isFitted = fitter.run();
  messages << fitter.getErrors();
  fitted = fitter.take();
  return failed(isFitted) ? 2 : 0;
}

int Driver::explainNames() {
  if (request.explain.empty())
    return 0;
  std::string message =
      explain(context(), fitted, request.explain, report, explanation);
  return message.empty() ? 0 : fail(message);
}

int Driver::run() {
  if (std::string message = checkRequest(); !message.empty())
    return fail(message);
  auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics(sources, &mlirContext, messages,
                          inMemory ? &inMemory->place : nullptr);
  if (int status = prepare())
    return status;
  if (int status = runPhases())
    return status;
  if (failed(addFacts(module(), report)))
    return 2;
  if (request.to >= Phase::scheduled)
    report.predicted = predictStep(
        module(), *target, machine, options.get("precision"),
        report.modelFlops.value_or(0),
        wants(Document::Trace) || wants(Document::Draw) || wants(Document::Page)
            ? &spans
            : nullptr,
        wants(Document::MemoryPlot) || wants(Document::Page) ? &times
                                                             : nullptr);
  for (MemoryReport &stage : report.stages)
    stage.most.library = static_cast<int64_t>(machine.libraryBytes);
  if (int status = explainNames())
    return status;
  if (request.to >= Phase::planned)
    if (int status = checkMemory()) {
      (inMemory ? messages : llvm::outs()) << explanation;
      return status;
    }
  if (fitted.step && doesMuchMore(report))
    warnWork(context(), fitted, report);
  if (request.output.empty() && !inMemory) {
    // Nothing is written if the step is only explained.
  } else if (request.to == Phase::executable) {
    if (int status = writeExecutable())
      return status;
  } else if (inMemory) {
    // The text is only to be planned, so there is nothing to write.
  } else if (std::string message = files.add(request.output, print(module()));
             !message.empty()) {
    return fail(message);
  }
  report.totalSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return writeReport();
}

int compile(CompileRequest request) { return Driver(std::move(request)).run(); }

bool compileText(const TextRequest &request, CompiledText &result) {
  CompileRequest full;
  full.options = request.options;
  full.to = request.plans ? Phase::planned : Phase::executable;
  full.explain = request.explain;
  full.threads = request.threads;
  for (Document document : request.documents)
    full.documents.emplace(document, "");
  result = CompiledText();
  return Driver(std::move(full), request.text, result).run() == 0;
}

} // namespace zcc
