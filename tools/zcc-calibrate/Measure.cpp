// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/zcc-calibrate/Measure.h"
#include "compiler/driver/Driver.h"
#include "runtime/core/Executor.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/RankHost.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace zcc::calibrate {

namespace {

/// A folder that is removed with its files at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code error;
    std::string text =
        (std::filesystem::temp_directory_path(error) / "zcc-calibrate-XXXXXX")
            .string();
    if (!error && mkdtemp(text.data()))
      path = text;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path.empty())
      std::filesystem::remove_all(path, error);
  }
  std::string path;
};

double lowerDecile(std::vector<double> &values) {
  auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// "forward: NAME PLACE" or "forward: KIND NAME PLACE": the name.
std::string nameOf(const rt::Span &span) {
  std::string name = span.step->name();
  name.erase(0, name.find(": ") + 2);
  for (const char *kind : {"all_reduce ", "all_gather "})
    if (name.rfind(kind, 0) == 0)
      name.erase(0, std::string(kind).size());
  return name.substr(0, name.find(' '));
}

double secondsOf(const rt::Span &span) {
  return std::chrono::duration<double>(span.end - span.begin).count();
}

} // namespace

static std::string compileProgram(const Program &program,
                                  rt::format::Executable &executable) {
  TemporaryFolder folder;
  if (folder.path.empty())
    return "cannot make a temporary folder";
  CompileRequest request;
  request.options.input = folder.path + "/program.mlir";
  request.output = folder.path + "/program.zexe";
  request.from = Phase::scheduled;
  request.quiet = true;
  request.options.set("optimizer", {"forward"});
  {
    std::ofstream file(request.options.input);
    file << program.text();
    if (!file.flush())
      return "cannot write '" + request.options.input + "'";
  }
  std::string output = request.output;
  if (compile(std::move(request)) != 0)
    return "the program to be timed does not compile";
  return rt::readExecutable(output, executable);
}

std::string measure(const Program &program, int threads, double seconds,
                    Timings &timings) {
  rt::format::Executable executable;
  if (std::string error = compileProgram(program, executable); !error.empty())
    return error;
  try {
    rt::RunOptions options;
    options.threads = threads;
    options.report = [](const std::string &) {};
    rt::RankHost run(executable, rt::cpuBackend(), options);
    auto steps = [&](int64_t count) {
      run.onAllRanks([&](int rank) {
        for (int64_t i = 0; i < count; ++i)
          run.runStep(rank, false);
      });
    };
    using Clock = std::chrono::steady_clock;
    auto begin = Clock::now();
    steps(1);
    double one = std::chrono::duration<double>(Clock::now() - begin).count();
    auto count = static_cast<int64_t>(seconds / std::max(one, 1e-4));
    std::vector<std::vector<rt::Span>> spans;
    run.record(spans);
    steps(std::clamp<int64_t>(count, 3, 1000));

    // The time of a step that all ranks do together is the average of the
    // ranks.
    std::map<std::string, std::vector<double>> all;
    for (size_t i = 0; i < spans[0].size(); ++i) {
      double sum = 0;
      for (const std::vector<rt::Span> &ofRank : spans)
        sum += secondsOf(ofRank[i]);
      all[nameOf(spans[0][i])].push_back(sum /
                                         static_cast<double>(spans.size()));
      if (i > 0)
        all["dispatch"].push_back(std::chrono::duration<double>(
                                      spans[0][i].begin - spans[0][i - 1].end)
                                      .count());
    }
    for (auto &[name, values] : all)
      timings[name] = lowerDecile(values);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

} // namespace zcc::calibrate
