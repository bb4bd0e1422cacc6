// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two checks of the order of work on a GPU: the recording stand-in and
// the validator's proof. Both find a wait missing in the same cases.

#include "CudaStandIn.h"
#include "Files.h"
#include "Train.h"

#include "runtime/core/Error.h"
#include "runtime/format/Validate.h"
#include "test/cuda-stand-in/KernelFacts.h"

#include <gtest/gtest.h>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

/// All waits of the program: step, and place in its list.
template <typename Visit>
void forEachWait(format::Executable &executable, Visit visit) {
  for (format::Stage &stage : *executable.mutable_stages())
    for (format::Task &task : *stage.mutable_tasks())
      for (format::Step &step : *task.mutable_steps())
        for (int i = step.waits_size(); i-- > 0;)
          visit(step, i);
}

void removeWait(format::Step &step, int i) {
  step.mutable_waits()->erase(step.waits().begin() + i);
}

/// Without waits that the validator can do without.
format::Executable makeSparse(const ToyOptions &toy) {
  format::Executable executable = makeToy(toy);
  forEachWait(executable, [&](format::Step &step, int i) {
    format::Step before = step;
    removeWait(step, i);
    if (!validate(executable).empty())
      step = before;
  });
  return executable;
}

TEST(CudaOrderTest, EveryWaitThatIsNeededIsMissed) {
  int removed = 0;
  for (int data : {1, 2, 4})
    for (int microbatches : {1, 2, 4})
      for (bool shard : {false, true}) {
        if (data * microbatches > toyBatch)
          continue;
        CudaOptions options{StandIn::path(), {}, StandIn::path()};
        // A GPU does nothing for a group of one rank that reduces in place.
        if (data == 1)
          options.collectives = CudaCollectives::Host;
        ToyOptions toy;
        toy.data = data;
        toy.microbatches = microbatches;
        toy.shardWeights = shard;
        toy.streams = toy.cuda = true;
        format::Executable whole = makeSparse(toy);
        ASSERT_EQ(validate(whole), "");
        TemporaryFolder folder;
        writeFile(folder / "facts", zcc::standin::kernelFacts(whole));
        StandIn standIn("mode=record,capability=0,kernels=" + folder / "facts");
        auto backend = makeCudaBackend(options);
        train(*backend, whole, 3);
        ASSERT_EQ(standIn.takeComplaints(), 0);
        int count = 0;
        forEachWait(whole, [&](format::Step &, int) { ++count; });
        for (int chosen = 0; chosen < count; ++chosen) {
          format::Executable torn = whole;
          int at = 0;
          std::string name;
          forEachWait(torn, [&](format::Step &step, int i) {
            if (at++ != chosen)
              return;
            name = step.name();
            removeWait(step, i);
          });
          ASSERT_NE(validate(torn), "");
          EXPECT_THROW(train(*backend, torn, 3), Error) << name;
          EXPECT_GT(standIn.takeComplaints(), 0)
              << name << ": " << validate(torn);
          ++removed;
        }
      }
  EXPECT_GE(removed, 50);
}

} // namespace
