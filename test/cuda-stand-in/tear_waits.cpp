// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tear_waits FILE.zexe STAND_IN MOST: takes waits for events away from a
// program, one at a time, and runs the rest on the recording stand-in, which
// must find each wait that the validator's proof needs. ZCC_CUDA_STAND_IN is as
// for zrun. Prints the waits that were not found, and how many were taken.

#include "runtime/cuda/CudaBackend.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/RankHost.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace zcc::rt;

namespace {

/// Visits all waits of the program, with their step and their place in the
/// list.
template <typename Steps, typename Visit>
void forEachWait(Steps &steps, Visit visit) {
  for (format::Step &step : steps) {
    for (int i = 0; i < step.waits_size(); ++i)
      visit(step, i);
    if (step.has_repeat()) {
      forEachWait(*step.mutable_repeat()->mutable_body(), visit);
      forEachWait(*step.mutable_repeat()->mutable_between(), visit);
    }
  }
}

template <typename Visit>
void forEachWait(format::Executable &executable, Visit visit) {
  for (format::Stage &stage : *executable.mutable_stages())
    for (format::Task &task : *stage.mutable_tasks())
      forEachWait(*task.mutable_steps(), visit);
}

/// Removes the wait of that number. Returns its step's name.
std::string tear(format::Executable &executable, size_t number) {
  size_t at = 0;
  format::Step *found = nullptr;
  int place = 0;
  forEachWait(executable, [&](format::Step &step, int i) {
    if (at++ == number) {
      found = &step;
      place = i;
    }
  });
  found->mutable_waits()->erase(found->waits().begin() + place);
  return found->name();
}

/// Runs three steps of training, after which everything repeats.
void run(const Backend &backend, const format::Executable &executable) {
  RankHost ranks(executable, backend, {});
  for (int step = 0; step < 3; ++step)
    ranks.onAllRanks([&](int rank) {
      ranks.runStep(rank, false);
      ranks.device(rank).wait(ranks.device(rank).mainStream());
    });
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: tear_waits FILE.zexe STAND_IN MOST\n");
    return 2;
  }
  format::Executable whole;
  if (std::string error = readExecutable(argv[1], whole); !error.empty()) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 2;
  }
  void *handle = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  auto *takeComplaints =
      handle ? reinterpret_cast<int (*)(bool)>(
                   dlsym(handle, "zccStandInComplaints"))
             : nullptr;
  if (!takeComplaints) {
    std::fprintf(stderr, "error: %s is no stand-in\n", argv[2]);
    return 2;
  }
  CudaOptions options{argv[2], {}, argv[2]};
  options.cudnn = argv[2];
  auto backend = makeCudaBackend(options);
  run(*backend, whole);
  if (takeComplaints(true) != 0) {
    std::fprintf(stderr, "error: the whole program is out of order\n");
    return 1;
  }
  size_t count = 0;
  forEachWait(whole, [&](format::Step &, int) { ++count; });
  size_t most = std::max<size_t>(std::strtoul(argv[3], nullptr, 10), 1),
         apart = std::max<size_t>(count / most, 1);
  int torn = 0, missed = 0;
  for (size_t i = 0; i < count; i += apart) {
    format::Executable program = whole;
    std::string name = tear(program, i), needed = validate(program);
    // The stand-in does not see the transport, so it misses waits that only
    // order its calls.
    if (needed.empty() || needed.find("transport") != std::string::npos)
      continue;
    ++torn;
    try {
      run(*backend, program);
    } catch (const std::exception &) {
      // A call that is out of order fails.
    }
    if (takeComplaints(true) == 0) {
      ++missed;
      std::printf("missed in \"%s\": %s\n", name.c_str(), needed.c_str());
    }
  }
  std::printf("%zu waits, %d torn, %d missed\n", count, torn, missed);
  std::fflush(nullptr);
  // Complaints of the stand-in were intended.
  std::_Exit(missed != 0);
}
