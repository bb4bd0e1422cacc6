// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank host runs any backend: training on a device whose memory the host
// cannot address gives the same bits as on a CPU.

#include "OpaqueDevice.h"
#include "Train.h"

#include "runtime/core/Executor.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/format/Arenas.h"
#include "runtime/launch/RankHost.h"

#include <gtest/gtest.h>

using namespace zcc;
using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

TEST(RankHostTest, AnyBackendTrainsTheSameBits) {
  for (int stages : {1, 2})
    for (int microbatches : {1, 2})
      for (bool shard : {false, true}) {
        ToyOptions toy;
        toy.data = 2;
        toy.stages = stages;
        toy.microbatches = microbatches;
        toy.shardWeights = shard;
        SCOPED_TRACE(::testing::Message()
                     << stages << " " << microbatches << " " << shard);
        Left cpu = train(cpuBackend(), toy, 4);
        Left opaque = train(opaqueBackend(), toy, 4);
        EXPECT_LT(cpu.losses.back(), cpu.losses.front());
        EXPECT_EQ(cpu.losses, opaque.losses);
        EXPECT_EQ(cpu.states, opaque.states);
        EXPECT_FALSE(cpu.observed.empty());
        EXPECT_EQ(cpu.observed, opaque.observed);
        // Beside the main stream as well.
        toy.streams = true;
        for (const Backend *backend : {&cpuBackend(), &opaqueBackend()}) {
          Left beside = train(*backend, toy, 4);
          EXPECT_EQ(beside.losses, cpu.losses);
          EXPECT_EQ(beside.states, cpu.states);
          EXPECT_EQ(beside.observed, cpu.observed);
        }
      }
}

TEST(RankHostTest, StepsAreSeenInTheirOrderOnAnyBackend) {
  ToyOptions toy;
  toy.data = 2;
  format::Executable executable = makeToy(toy);
  for (const Backend *backend : {&cpuBackend(), &opaqueBackend()}) {
    RankHost ranks(executable, *backend, {});
    std::vector<std::vector<Span>> spans;
    ranks.record(spans);
    ranks.onAllRanks([&](int rank) { ranks.runStep(rank, false); });
    ASSERT_EQ(spans.size(), 2u);
    std::vector<std::string> planned, seen;
    for (const format::Action &action : executable.stages(0).actions())
      for (const format::Step &step :
           executable.stages(0).tasks(int(action.run().task())).steps())
        planned.push_back(step.name());
    for (const Span &span : spans[1])
      seen.push_back(span.step->name());
    EXPECT_EQ(seen, planned);
    EXPECT_EQ(ranks.device(0).arenaBytes(MemorySpace::Device),
              arenaBytes(executable.stages(0)));
  }
}

} // namespace
