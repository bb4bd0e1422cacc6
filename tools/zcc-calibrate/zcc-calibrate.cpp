// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// zcc-calibrate: measures the machine that it runs on and writes a description
// for zcc --machine.
#include "compiler/driver/OutputFile.h"
#include "planning/Machine.h"
#include "tools/zcc-calibrate/Calibrate.h"
#include <CLI/CLI.hpp>
#include <cstdio>

using namespace zcc;

static int fail(int status, const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return status;
}

int main(int argc, char **argv) {
  CLI::App app("zcc-calibrate: measures the machine that it runs on and writes "
               "a description of it, for zcc --machine=FILE. Takes about a "
               "minute; nothing else should run meanwhile",
               "zcc-calibrate");
  calibrate::CalibrateOptions options;
  std::string output = "-";
  bool quiet = false;
  app.add_option("-o", output, "where the description goes [-]")
      ->type_name("FILE");
  app.add_option("--name", options.name,
                 "what the machine is called [its processor and cores]")
      ->type_name("NAME");
  app.add_flag("--quick", options.quick,
               "a few seconds: rough figures, few shapes");
  app.add_flag("--quiet", quiet, "say nothing of what is measured");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    return fail(2, std::string(error.what()) +
                       "; zcc-calibrate --help lists the options");
  }
  // The output is checked before measuring takes a minute.
  if (output != "-")
    if (std::string error = checkPlace(output); !error.empty())
      return fail(2, error);
  if (!quiet)
    options.progress = [](const std::string &text) {
      std::fprintf(stderr, "%s\n", text.c_str());
    };
  planning::Machine machine;
  if (std::string error = calibrate::calibrate(options, machine);
      !error.empty())
    return fail(1, error);
  std::string text = "# Measured by zcc-calibrate" +
                     std::string(options.quick ? " --quick" : "") + ".\n" +
                     planning::formatMachine(machine);
  planning::Machine again;
  if (std::string errors = planning::parseMachine(text, output, again);
      !errors.empty())
    return fail(1, "a measurement is out of range:\n" + errors);
  if (std::string error = writeFile(output, text); !error.empty())
    return fail(1, error);
  return 0;
}
