// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command `zcc-solve pipeline`: finds or makes an order of the tasks of a
// pipeline, prints it, and draws it.
#ifndef ZCC_TOOLS_ZCC_SOLVE_PIPELINE_H
#define ZCC_TOOLS_ZCC_SOLVE_PIPELINE_H

#include "planning/ScheduleClock.h"
#include <CLI/CLI.hpp>

class PipelineCommand {
public:
  void add(CLI::App &app);
  bool isAsked() const { return command->parsed(); }
  // The exit status.
  int run() const;

private:
  std::string readCosts(std::vector<zcc::planning::StageCost> &costs) const;

  CLI::App *command = nullptr;
  CLI::Option *draw = nullptr;
  std::string file, schedule = "auto", cost, drawing;
  int stages = 0, microbatches = 1;
  double memory = 0, weightMemory = 1;
  bool early = false, countsMakespan = false;
};

#endif
