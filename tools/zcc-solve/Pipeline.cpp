// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pipeline.h"

#include "planning/ScheduleDrawing.h"
#include "planning/ScheduleText.h"

#include <fmt/format.h>
#include <fstream>

using namespace zcc::planning;

void PipelineCommand::add(CLI::App &app) {
  command = app.add_subcommand(
      "pipeline", "in which order the stages of a pipeline run their tasks");
  command->add_option("FILE", file,
                      "stage,f,b,w[,send]: seconds of each stage (CSV)");
  command->add_option("--stages", stages, "how many, where each is alike")
      ->check(CLI::Range(1, 4096));
  command->add_option("--microbatches", microbatches, "of a step")
      ->required()
      ->check(CLI::Range(1, 65536));
  command
      ->add_option("--schedule", schedule,
                   listSchedules() + " [auto: the best that is found]")
      ->type_name("NAME");
  command
      ->add_option("--cost", cost,
                   "f=,b=,w=[,send=]: seconds of a stage's forward task, of "
                   "the gradients of its input and of its weights, and until "
                   "what it sends is there [f=1,b=1,w=1,send=0]")
      ->type_name("COST");
  command->add_flag("--early-input-gradient", early,
                    "gpipe, 1f1b and interleaved send the gradient of the "
                    "input before they make those of the weights");
  command
      ->add_option("--memory", memory,
                   "microbatches of a full stage that each stage may hold "
                   "under auto")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--weight-memory", weightMemory,
                   "what is held from the gradient of the input to those of "
                   "the weights, a share [1]")
      ->check(CLI::Range(0.0, 1.0));
  command->add_flag("--makespan", countsMakespan,
                    "auto counts the makespan, not what a stage takes from its "
                    "first to its last task");
  draw = command
             ->add_option("--draw", drawing,
                          "a picture, into the file (SVG) or after the answer")
             ->expected(0, 1)
             ->type_name("FILE");
}

std::string PipelineCommand::readCosts(std::vector<StageCost> &costs) const {
  if (!file.empty()) {
    if (stages || !cost.empty())
      return "expected FILE, or --stages and --cost, found both";
    std::ifstream in(file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in)
      return file + ": cannot be read";
    std::string wrong = parseStageCosts(text, costs);
    return wrong.empty() ? "" : file + ": " + wrong;
  }
  if (!stages)
    return "expected --stages, or a file";
  StageCost own;
  if (!cost.empty())
    if (std::string wrong = parseStageCost(cost, own); !wrong.empty())
      return "--cost: " + wrong;
  costs.assign(static_cast<size_t>(stages), own);
  return {};
}

int PipelineCommand::run() const {
  auto fail = [](int status, const std::string &message) {
    fmt::print(stderr, "error: {}\n", message);
    return status;
  };
  ScheduleRequest request;
  request.microbatches = microbatches;
  request.weightMemory = weightMemory;
  request.countsMakespan = countsMakespan;
  if (memory > 0)
    request.memory = memory;
  if (std::string wrong = readCosts(request.stages); !wrong.empty())
    return fail(2, wrong);
  FoundSchedule found;
  if (schedule == "auto") {
    std::optional<FoundSchedule> best = searchSchedule(request);
    if (!best)
      return fail(
          1, fmt::format("no schedule holds {} microbatches at most", memory));
    found = std::move(*best);
  } else {
    NamedSchedule named;
    std::string wrong = parseSchedule(schedule, named);
    if (wrong.empty())
      wrong = makeNamed(request, named, early, found);
    if (!wrong.empty())
      return fail(2, "--schedule: " + wrong);
  }
  fmt::print("{}", printFoundSchedule(found));
  if (drawing.empty()) {
    if (draw->count())
      fmt::print("{}", drawScheduleText(found.problem, found.times));
    return 0;
  }
  std::ofstream out(drawing, std::ios::binary);
  out << drawScheduleSvg(
      found.problem, found.times,
      {fmt::format("Schedule{}: {} stages, {} microbatches",
                   found.schedule.isNamed() ? " " + found.schedule.print() : "",
                   found.problem.stages, found.problem.microbatches),
       false});
  out.close();
  return out ? 0 : fail(2, drawing + ": cannot be written");
}
