// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trace.h"

#include "planning/ScheduleDrawing.h"
#include "planning/ScheduleTrace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace zcc::planning;

void TraceCommand::add(CLI::App &app) {
  command = app.add_subcommand(
      "trace",
      "what the stages of a pipeline did, from a trace of zcc or zrun");
  command->add_option("FILE", file, "a trace (JSON)")->required();
  draw = command
             ->add_option("--draw", drawing,
                          "a picture, into the file (SVG) or after the answer")
             ->expected(0, 1)
             ->type_name("FILE");
}

int TraceCommand::run() const {
  auto fail = [](const std::string &message) {
    fmt::print(stderr, "error: {}\n", message);
    return 2;
  };
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in)
    return fail(file + ": cannot be read");
  std::vector<TaskStep> steps;
  if (std::string wrong = parseTaskSteps(text, steps); !wrong.empty())
    return fail(file + ": " + wrong);
  auto [problem, times] = gatherTasks(steps);
  std::vector<std::string> busy;
  for (const auto &stage : times.spans) {
    double seconds = 0;
    for (const ScheduleTimes::Span &span : stage)
      seconds += span.end - span.begin;
    busy.push_back(fmt::format("{:.6g}", seconds));
  }
  fmt::print("{{\"makespan\":{:.6g},\"bubble\":{:.6g},\"busy\":[{}]}}\n",
             times.makespan, 1 - times.work / times.makespan,
             fmt::join(busy, ","));
  if (drawing.empty()) {
    if (draw->count())
      fmt::print("{}", drawScheduleText(problem, times));
    return 0;
  }
  std::ofstream out(drawing, std::ios::binary);
  out << drawScheduleSvg(problem, times,
                         {"Schedule of " + file.substr(file.rfind('/') + 1)});
  out.close();
  return out ? 0 : fail(drawing + ": cannot be written");
}
