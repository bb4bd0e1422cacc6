// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/zcc/CommandLine.h"
#include "compiler/phases/Choices.h"
#include "compiler/phases/Optimizations.h"
#include "compiler/phases/OptionValues.h"
#include "planning/Machine.h"
#include "tools/completion/Completion.h"
#include "tools/completion/Manual.h"
#include <algorithm>
#include <cstdio>

using namespace zcc;

CommandLine::CommandLine()
    : app("zcc: compiles a loss function (StableHLO text, as JAX prints "
          "it) into a training step for a mesh",
          "zcc") {
  app.set_version_flag("--version", std::string("zcc ") + programVersion);
  app.add_option("MODEL", said.options.input,
                 "text of the loss function, or of a phase (--compile-from)")
      ->type_name("");
  app.add_option("-o", said.output,
                 "executable [MODEL.zexe], or text with --compile-to [-]")
      ->type_name("FILE");
  addProgramOptions();
  addFiles();
  addPhases();
  app.add_option("--compile-threads", said.threads,
                 "threads of the compilation [all cores]")
      ->type_name("N");
  app.add_flag("--quiet", said.quiet, "no table on standard output");
  app.add_flag("--list-optimizations", optimizations, "names for --disable");
  app.add_option("--completion", shell,
                 "a script that completes command lines in this shell")
      ->type_name("bash|zsh|fish");
  app.add_flag("--manual", manual, "the manual page, as man reads it");
}

std::string CommandLine::writeManual() const {
  ManualText about;
  about.name = "zcc";
  about.summary = "compiles a loss function into a training step for a mesh";
  about.usage = "[OPTIONS] MODEL";
  about.description =
      "Reads the loss of a model as text (StableHLO, as JAX prints it), "
      "differentiates it, distributes the step over the devices of the mesh, "
      "plans its memory, and writes an executable for zrun. Option names may "
      "be followed by = or a blank. Values in brackets are defaults.";
  about.examples = {"zcc model.mlir --mesh data=4 -o model.zexe",
                    "zcc model.mlir --mesh 8x64 --machine h100-dgx --target "
                    "cuda --explain plan"};
  about.references = {"zrun(1)"};
  return zcc::writeManual(app, about);
}

// ------------------------------------------------------- what there is to say

static std::string describe(const OptionInfo &info) {
  std::string text = info.help;
  if (info.fallback[0] && info.kind != OptionInfo::Flag)
    text += std::string(" [") + info.fallback + "]";
  if (info.supported && !info.supported[0])
    text += " (not yet)";
  else if (info.supported)
    text += std::string(" (works: ") + info.supported + ")";
  return text;
}

void CommandLine::addProgramOptions() {
  for (const OptionInfo &info : getOptionTable()) {
    Entry &entry = entries.emplace_back(Entry{&info, nullptr, {}});
    std::string flag = std::string("--") + info.name;
    if (info.kind == OptionInfo::Flag) {
      entry.option = app.add_flag_function(
                            flag, [](int64_t) {}, describe(info))
                         ->group("Program");
      continue;
    }
    entry.option = app.add_option(flag, entry.given, describe(info))
                       ->type_name(info.values)
                       ->group("Program");
    if (info.kind == OptionInfo::Value)
      entry.option->expected(1)->multi_option_policy(
          CLI::MultiOptionPolicy::TakeLast);
    else
      entry.option->allow_extra_args(false);
  }
}

void CommandLine::addFile(const std::string &flag, std::string &value,
                          const std::string &help, const char *type) {
  app.add_option(flag, value, help)->type_name(type);
}

void CommandLine::addDocument(Document document, const char *help) {
  auto take = [this, document](const std::string &file) {
    if (!file.empty())
      said.documents[document] = file;
  };
  app.add_option_function<std::string>(
         std::string("--") + getOptionName(document), take, help)
      ->type_name("FILE");
}

void CommandLine::addFiles() {
  addFile("--plan", said.plan, "a plan to follow");
  addDocument(Document::PlanOut,
              "the plan that was followed, to be read and edited");
  app.add_flag("--plan-actions", said.planActions,
               "--plan-out writes the actions of each stage in place of the "
               "schedule, to be edited");
  addFile("--report", said.report, "what was planned, as JSON");
  addDocument(Document::Buffers, "the memory plan of the worst device, as CSV");
  addDocument(Document::Trace, "the predicted step as a Chrome/Perfetto trace");
  addDocument(Document::Draw,
              "the predicted schedule of a pipeline's stages, as SVG");
  addDocument(Document::MemoryPlot,
              "the memory of the predicted step by category, as SVG");
  addDocument(Document::Page,
              "report, memory, schedule, timeline, collectives and "
              "explanations as a page that opens offline (HTML)");
  app.add_option("--explain", said.explain,
                 "why the values and collectives at a name are as they are, or "
                 "the plan; without -o nothing else is written")
      ->type_name("NAME|plan")
      ->allow_extra_args(false);
}

void CommandLine::addPhases() {
  addFile("--compile-to", to,
          "stop at a phase and print its text: input, graph, step, "
          "sharded, partitioned, tasks, scheduled, planned",
          "PHASE");
  addFile("--compile-from", from, "the input is the text of this phase",
          "PHASE");
  addFile("--dump-phases-to", said.dumpFolder,
          "write every phase's text to this folder", "DIR");
}

std::string CommandLine::writeCompletion() const {
  // Values that only the program knows.
  std::map<std::string, std::vector<std::string>> choices;
  for (const OptionInfo &info : getOptionTable())
    if (info.supported && info.supported[0])
      for (const std::string &choice : planning::split(info.supported, '|'))
        choices[info.name].push_back(choice);
  choices["machine"] = planning::getMachineNames();
  for (const OptimizationInfo &info : getOptimizationTable())
    choices["disable"].push_back(info.name);
  for (std::string_view name : phaseNames) {
    choices["compile-to"].emplace_back(name);
    choices["compile-from"].emplace_back(name);
  }
  choices["compile-from"].pop_back();
  return zcc::writeCompletion(shell, "zcc", "*.mlir",
                              collectOptions(app, choices));
}

// --------------------------------------------------------------- what was said

std::optional<int> CommandLine::parse(int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    if (dynamic_cast<const CLI::ExtrasError *>(&error))
      std::fprintf(stderr, "error: %s (see zcc --help)\n",
                   tellUnknown(app, app.remaining()).c_str());
    else
      std::fprintf(stderr, "error: %s; zcc --help lists the options\n",
                   error.what());
    return 2;
  }
  return std::nullopt;
}

std::string CommandLine::takeProgramOptions() {
  for (Entry &entry : entries) {
    if (!entry.option->count())
      continue;
    if (entry.info->kind == OptionInfo::Flag)
      entry.given = {"true"};
    if (std::string message = said.options.set(entry.info->name, entry.given);
        !message.empty())
      return message;
  }
  return checkDisabled(said.options);
}

std::string CommandLine::takePhases() {
  std::vector<std::string> phases(std::begin(phaseNames), std::end(phaseNames));
  std::string list;
  for (const std::string &name : phases)
    list += (list.empty() ? "" : ", ") + name;
  auto toPhase = parsePhase(to), fromPhase = parsePhase(from);
  if (!toPhase)
    return "--compile-to: expected one of " + list + ", found '" + to + "'" +
           suggestChoice(to, phases);
  if (!fromPhase || *fromPhase == Phase::executable)
    return "--compile-from: expected one of " +
           list.substr(0, list.rfind(',')) + ", found '" + from + "'" +
           suggestChoice(from, phases);
  if (*toPhase < *fromPhase)
    return "--compile-to=" + to + " comes before --compile-from=" + from;
  said.to = *toPhase;
  said.from = *fromPhase;
  return "";
}

void CommandLine::chooseOutput() {
  if (!said.output.empty())
    return;
  if (!said.explain.empty()) {
    // Memory is known at `planned`; there is no need of more.
    if (said.to == Phase::executable)
      said.to = Phase::planned;
    return;
  }
  std::string stem = said.options.input;
  if (size_t dot = stem.rfind(".mlir");
      dot != std::string::npos && dot + 5 == stem.size())
    stem.resize(dot);
  said.output = said.to == Phase::executable ? stem + ".zexe" : "-";
}

std::string CommandLine::makeRequest(CompileRequest &request) {
  if (said.options.input.empty())
    return "expected a MODEL.mlir; zcc --help lists the options";
  if (std::string message = takeProgramOptions(); !message.empty())
    return message;
  if (std::string message = takePhases(); !message.empty())
    return message;
  chooseOutput();
  request = said;
  return "";
}
