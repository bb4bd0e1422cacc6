// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// zcc: compiles a loss function to an executable that trains it on a mesh.
#include "compiler/driver/Driver.h"
#include "compiler/driver/Optimizations.h"
#include "compiler/driver/OptionValues.h"
#include "compiler/driver/Options.h"
#include "compiler/driver/Phases.h"
#include "compiler/planning/Machine.h"
#include "tools/completion/Completion.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

using namespace zcc;

namespace {

int fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}

std::string describe(const OptionInfo &info) {
  std::string text = info.help;
  if (info.fallback[0] && info.kind != OptionInfo::Flag)
    text += std::string(" [") + info.fallback + "]";
  if (info.supported && !info.supported[0])
    text += " (not yet)";
  else if (info.supported)
    text += std::string(" (works: ") + info.supported + ")";
  return text;
}

// Options of INTERFACE that say something about this run, not about the
// program, and do not work yet.
constexpr const char *later[][2] = {
    {"memory-plot", "the memory plan as a picture"}};

// The script for a shell; values that only the program knows are added.
int printCompletion(const CLI::App &app, const std::string &shell) {
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
  std::string script =
      writeCompletion(shell, "zcc", "*.mlir", collectOptions(app, choices));
  if (script.empty())
    return fail("--completion: expected bash, zsh or fish, found '" + shell +
                "'");
  std::fputs(script.c_str(), stdout);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("zcc: compiles a loss function (StableHLO text, as JAX prints "
               "it) into a training step for a mesh",
               "zcc");
  CompileRequest request;
  std::string to = "executable", from = "input";
  std::string completion;
  bool listOptimizations = false;
  app.set_version_flag("--version", "zcc 0.1");
  app.add_option("MODEL", request.options.input,
                 "text of the loss function, or of a phase (--compile-from)")
      ->type_name("");
  app.add_option("-o", request.output,
                 "executable [MODEL.zexe], or text with --compile-to [-]")
      ->type_name("FILE");

  std::vector<std::unique_ptr<std::vector<std::string>>> values;
  std::vector<std::pair<const OptionInfo *,
                        std::pair<CLI::Option *, std::vector<std::string> *>>>
      entries;
  for (const OptionInfo &info : getOptionTable()) {
    values.push_back(std::make_unique<std::vector<std::string>>());
    std::string flag = std::string("--") + info.name;
    CLI::Option *option;
    if (info.kind == OptionInfo::Flag) {
      option = app.add_flag_function(
                      flag, [](int64_t) {}, describe(info))
                   ->group("Program");
    } else {
      option = app.add_option(flag, *values.back(), describe(info))
                   ->type_name(info.values)
                   ->group("Program");
      if (info.kind == OptionInfo::Value)
        option->expected(1)->multi_option_policy(
            CLI::MultiOptionPolicy::TakeLast);
      else
        option->allow_extra_args(false);
    }
    entries.push_back({&info, {option, values.back().get()}});
  }
  app.add_option("--plan", request.plan, "a plan to follow")
      ->type_name("FILE");
  app.add_option("--plan-out", request.planOut,
                 "the plan that was followed, to be read and edited")
      ->type_name("FILE");
  app.add_option("--report", request.report, "what was planned, as JSON")
      ->type_name("FILE");
  app.add_option("--buffers", request.buffers,
                 "the memory plan of the worst device, as CSV")
      ->type_name("FILE");
  app.add_option("--trace", request.trace,
                 "the predicted step as a Chrome/Perfetto trace")
      ->type_name("FILE");
  app.add_option("--explain", request.explain,
                 "why the values and collectives at a name are as they are, or "
                 "the plan; without -o nothing else is written")
      ->type_name("NAME|plan")
      ->allow_extra_args(false);
  app.add_option("--compile-to", to,
                 "stop at a phase and print its text: input, graph, step, "
                 "sharded, partitioned, tasks, scheduled, planned")
      ->type_name("PHASE");
  app.add_option("--compile-from", from, "the input is the text of this phase")
      ->type_name("PHASE");
  app.add_option("--dump-phases-to", request.dumpFolder,
                 "write every phase's text to this folder")
      ->type_name("DIR");
  app.add_option("--compile-threads", request.threads,
                 "threads for code generation [all cores]")
      ->type_name("N");
  app.add_flag("--quiet", request.quiet, "no table on standard output");
  app.add_flag("--list-optimizations", listOptimizations,
               "names for --disable");
  app.add_option("--completion", completion,
                 "a script that completes command lines in this shell")
      ->type_name("bash|zsh|fish");
  std::vector<std::string> unused(std::size(later));
  std::vector<CLI::Option *> laterOptions;
  for (size_t i = 0; i < std::size(later); ++i)
    laterOptions.push_back(
        app.add_option(std::string("--") + later[i][0], unused[i],
                       std::string(later[i][1]) + " (not yet)")
            ->type_name("NAME"));

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    return fail(std::string(error.what()) + "; zcc --help lists the options");
  }
  if (!completion.empty())
    return printCompletion(app, completion);
  if (listOptimizations) {
    for (const OptimizationInfo &info : getOptimizationTable())
      std::printf("%-20s %s%s\n", info.name, info.help,
                  info.reorders ? " (reorders sums: off under --exact)" : "");
    return 0;
  }
  for (size_t i = 0; i < std::size(later); ++i)
    if (laterOptions[i]->count())
      return fail(std::string("--") + later[i][0] +
                  " does not work yet (not yet)");
  if (request.options.input.empty())
    return fail("expected a MODEL.mlir; zcc --help lists the options");
  for (auto &[info, entry] : entries) {
    auto [option, given] = entry;
    if (!option->count())
      continue;
    if (info->kind == OptionInfo::Flag)
      *given = {"true"};
    if (std::string message = request.options.set(info->name, *given);
        !message.empty())
      return fail(message);
  }
  for (const std::string &name : request.options.getList("disable")) {
    bool known = false;
    for (const OptimizationInfo &optimization : getOptimizationTable())
      known |= name == optimization.name;
    if (!known)
      return fail("--disable: no optimization is called '" + name +
                  "'; --list-optimizations lists them");
  }
  std::string phaseList;
  for (std::string_view name : phaseNames)
    phaseList += (phaseList.empty() ? "" : ", ") + std::string(name);
  auto toPhase = parsePhase(to), fromPhase = parsePhase(from);
  if (!toPhase)
    return fail("--compile-to: expected one of " + phaseList + ", found '" +
                to + "'");
  if (!fromPhase || *fromPhase == Phase::executable)
    return fail("--compile-from: expected one of " +
                phaseList.substr(0, phaseList.rfind(',')) + ", found '" + from +
                "'");
  if (*toPhase < *fromPhase)
    return fail("--compile-to=" + to + " comes before --compile-from=" + from);
  request.to = *toPhase;
  request.from = *fromPhase;
  if (request.output.empty() && !request.explain.empty()) {
    // Memory is known at `planned`; there is no need of more.
    if (request.to == Phase::executable)
      request.to = Phase::planned;
  } else if (request.output.empty()) {
    std::string stem = request.options.input;
    if (size_t dot = stem.rfind(".mlir");
        dot != std::string::npos && dot + 5 == stem.size())
      stem.resize(dot);
    request.output = request.to == Phase::executable ? stem + ".zexe" : "-";
  }
  return compile(std::move(request));
}
