// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of Driver that write outputs: the executable, the plan, the report
// and a picture of the memory.
#include "compiler/driver/DriverState.h"
#include "compiler/emission/Emission.h"
#include "compiler/emission/MemoryPlot.h"
#include "compiler/emission/Page.h"
#include "compiler/phases/OptionValues.h"
#include "compiler/planner/explain/ChoiceText.h"
#include "compiler/planner/explain/Explain.h"
#include "compiler/planner/search/PlanChoice.h"
#include "compiler/planner/search/PlanSimulations.h"
#include "dialects/Dist/Dist.h"
#include "passes/Distribute/PlanAttribute.h"
#include "planning/EnumTable.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>
#include <thread>

using namespace mlir;

namespace zcc {
using namespace planner;

// Returns the frozen parameters: those without a gradient, in a step that
// computes gradients.
static std::vector<std::string> findFrozen(ModuleOp module) {
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
    if (trains && state.getKind() == StateKind::Parameter &&
        seen.insert(*state.getParameter()).second)
      frozen.push_back(state.getParameter()->str());
  return frozen;
}

int Driver::writeExecutable() {
  auto start = std::chrono::steady_clock::now();
  unsigned threads = request.threads
                         ? request.threads
                         : std::max(1u, std::thread::hardware_concurrency());
  auto compiled = target->compile(kernelsOf(module()), threads,
                                  listLaunchBatches(module()));
  if (failed(compiled))
    return 2;
  auto reductions = target->compileReductions(reductionsOf(module()), threads);
  if (failed(reductions))
    return 2;
  addKernels(*compiled, report);
  EmissionOptions emission;
  emission.optimizer = options.get("optimizer");
  emission.ema = parseDecay(options.get("ema"));
  emission.precision = options.get("precision");
  emission.peakFlops =
      machine.flopsPerDevice(options.get("precision"), report.devices);
  emission.libraryBytes = static_cast<uint64_t>(machine.libraryBytes);
  emission.modelFlops = report.modelFlops.value_or(0);
  emission.frozen = findFrozen(module());
  auto bytes = buildExecutable(module(), *compiled, emission, *reductions);
  if (failed(bytes))
    return 2;
  fitted.compiled.seconds.emplace_back(
      getName(Phase::executable),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (inMemory) {
    inMemory->executable = std::move(*bytes);
    return 0;
  }
  if (std::string message = files.add(request.output, std::move(*bytes));
      !message.empty())
    return fail(message);
  return 0;
}

namespace {
struct DocumentRow {
  Document document;
  const char *name; // of its option
};
constexpr DocumentRow documentRows[] = {
    {Document::Buffers, "buffers"},        {Document::Draw, "draw"},
    {Document::MemoryPlot, "memory-plot"}, {Document::Page, "page"},
    {Document::PlanOut, "plan-out"},       {Document::Trace, "trace"}};
static_assert(areRowsInOrder(documentRows, &DocumentRow::document));
} // namespace

const char *getOptionName(Document document) {
  return documentRows[static_cast<size_t>(document)].name;
}

std::vector<Document> allDocuments() {
  std::vector<Document> all;
  for (const DocumentRow &row : documentRows)
    all.push_back(row.document);
  return all;
}

// Checks that all files can be written before anything is computed.
int Driver::checkPlaces() {
  for (const std::string &place : {request.output, request.report})
    if (std::string message = place.empty() ? "" : checkPlace(place);
        !message.empty())
      return fail(message);
  if (inMemory)
    return 0;
  for (const auto &[document, place] : request.documents)
    if (std::string message = checkPlace(place); !message.empty())
      return fail(message);
  return 0;
}

int Driver::put(Document document, std::string text) {
  if (inMemory) {
    inMemory->documents[document] = std::move(text);
    return 0;
  }
  std::string message =
      files.add(request.documents.at(document), std::move(text));
  return message.empty() ? 0 : fail(message);
}

// Draws the memory, and writes the page, which shows it, too.
int Driver::writePictures() {
  if (!wants(Document::MemoryPlot) && !wants(Document::Page))
    return 0;
  auto curves = readCurves(
      module(), times, report.predicted ? report.predicted->stepSeconds : 0);
  if (failed(curves))
    return 2;
  MemoryPlotTexts texts;
  texts.limit = wholeMemory();
  if (options.get("memory").empty())
    texts.machine = machine.name;
  texts.program = formatProgram(options.input, report);
  if (wants(Document::MemoryPlot))
    if (int status = put(Document::MemoryPlot, zcc::drawMemory(*curves, texts)))
      return status;
  if (!wants(Document::Page))
    return 0;
  PageContents page;
  page.model = options.input;
  page.messages = inMemory ? inMemory->messages : keptMessages;
  page.curves = std::move(*curves);
  page.memory = std::move(texts);
  page.spans = spans;
  ExplainedValues explained;
  if (fitted.explained) {
    std::string message = explainAll(context(), fitted, report, explained);
    if (!message.empty())
      return fail(message);
    page.explained = &explained;
  }
  return put(Document::Page, writePage(report, page));
}

// Writes the plan as phase `sharded` and the fit to the memory decided it.
int Driver::writePlan() {
  const planning::Plan &plan = fitted.compiled.plan;
  const MemoryLimits &limits = fitted.compiled.limits;
  const MemoryDecisions &decisions = fitted.compiled.decisions;
  planning::Plan &decided = fitted.decided;
  decided.residualBytes =
      decisions.stages.empty() ? limits.bytes : decisions.mostBytes();
  if (plan.residuals.empty())
    decided.decisions = decisions.values;
  FailureOr<planning::Plan> carried = distribute::getPlan(module());
  if (succeeded(carried)) // else it was reported
    decided.cuts = std::move(carried->cuts);
  if (plan.offloadsByPrice())
    decided.offloadBytes = limits.offloadBytes;
  if (plan.compressesWhereNeeded())
    decided.compress = planning::PlanCompression{false, limits.compress};
  CompiledFigures compiled;
  if (report.predicted)
    compiled.seconds = report.predicted->stepSeconds;
  if (const MemoryReport *worst = report.worst())
    compiled.bytes = static_cast<double>(worst->peak);
  ChoiceText choice(fitted.considered, wholeMemory(),
                    askedPlan(options).isBare(), compiled);
  return put(Document::PlanOut,
             planning::printPlan(decided) + choice.formatComments());
}

int Driver::writeReport() {
  report.machine = machine.name;
  if (wants(Document::Buffers)) {
    auto csv = writeBuffersCsv(module());
    if (failed(csv))
      return 2;
    if (int status = put(Document::Buffers, std::move(*csv)))
      return status;
  }
  if (wants(Document::PlanOut))
    if (int status = writePlan())
      return status;
  if (wants(Document::Trace))
    if (int status = put(Document::Trace, formatTrace(spans)))
      return status;
  if (wants(Document::Draw)) {
    // Users cannot know before whether a bare mesh becomes stages. So this is
    // no error, which would throw away what was compiled.
    const bool isDrawn =
        report.predicted && report.predicted->stages.size() > 1;
    if (!isDrawn && !inMemory)
      messages << "note: --draw: the program has one stage, there is no "
                  "schedule to draw\n";
    if (isDrawn)
      if (int status =
              put(Document::Draw,
                  drawSchedule(spans, formatProgram(options.input, report),
                               formatPrediction(*report.predicted))))
        return status;
  }
  if (auto count =
          module()->getAttrOfType<IntegerAttr>(dist::consideredAttrName))
    report.considered = static_cast<size_t>(count.getInt());
  report.precision = options.get("precision");
  report.compileSeconds = fitted.compiled.seconds;
  if (int status = writePictures())
    return status;
  if (inMemory) {
    inMemory->report = zcc::writeReport(report);
    inMemory->table = formatReport(report);
    inMemory->explanation = explanation;
    return 0;
  }
  if (!request.report.empty())
    if (std::string message =
            files.add(request.report, zcc::writeReport(report));
        !message.empty())
      return fail(message);
  if (std::string message = files.commit(); !message.empty())
    return fail(message);
  (request.output == "-" ? llvm::errs() : llvm::outs()) << explanation;
  if (!request.quiet && request.output != "-" && !request.output.empty())
    llvm::outs() << formatReport(report);
  return 0;
}

} // namespace zcc
