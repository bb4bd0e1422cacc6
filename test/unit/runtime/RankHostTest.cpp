// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank host runs any backend: what it trains on a device whose memory the
// host cannot address has the bits of what it trains on a CPU.

#include "Files.h"
#include "OpaqueDevice.h"
#include "Toy.h"

#include "runtime/core/Executor.h"
#include "runtime/core/HostView.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/data/Inputs.h"
#include "runtime/data/Parameters.h"
#include "runtime/launch/RankHost.h"
#include "tools/zrun/Results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <mutex>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

/// What a run leaves: losses, weights by rank, gradients that were observed.
struct Left {
  std::vector<double> losses;
  std::vector<std::string> states;
  std::map<int, std::string> observed;
};

std::vector<float> ramp(int count, float scale) {
  std::vector<float> out(count);
  for (int i = 0; i < count; ++i)
    out[i] = scale * float((i * 7) % 11 - 5);
  return out;
}

Left train(const Backend &backend, const ToyOptions &toy, int steps) {
  TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  for (int s = 1; s <= toy.stages; ++s)
    tensors.push_back(tensor("w" + std::to_string(s), ElementType::F32, {4, 4},
                             ramp(16, 0.1f * float(s))));
  writeTensors(folder / "w", tensors);
  WeightSet weights = openWeights(folder / "w");
  format::Executable executable = makeToy(toy);
  std::vector<InputSpec> specs = inputSpecs(executable);
  std::vector<std::vector<float>> data;
  Batch batch;
  for (const InputSpec &spec : specs) {
    data.push_back(ramp(32, spec.name == "x" ? 0.3f : 0.2f));
    TensorView view;
    view.type = ElementType::F32;
    view.shape = spec.shape;
    view.bytes = 32 * sizeof(float);
    view.data = reinterpret_cast<const char *>(data.back().data());
    batch.inputs.push_back(view);
  }
  RunOptions options;
  options.threads = 1;
  RankHost ranks(executable, backend, options);
  Left left;
  std::mutex mutex;
  ranks.setObserver(
      [&](int rank, const format::State &place, const void *bytes, bool) {
        size_t size = volume(Place(ranks.mesh(), place, rank).shard.shape) * 4;
        std::lock_guard<std::mutex> lock(mutex);
        left.observed[rank].append(static_cast<const char *>(bytes), size);
      });
  std::vector<float> hyper(format::HYPER_COUNT, 0.0f);
  hyper[format::LEARNING_RATE] = 0.1f;
  hyper[format::CLIP_NORM] = INFINITY;
  hyper[format::LOSS_SCALE] = 1;
  ranks.onAllRanks([&](int rank) {
    loadParameters(executable, ranks.mesh(), rank, weights, ranks.device(rank));
  });
  for (int step = 0; step < steps; ++step) {
    ranks.onAllRanks([&](int rank) {
      Device &device = ranks.device(rank);
      loadInputs(executable, ranks.mesh(), rank, specs, batch, device);
      device.copyIn(device.mainStream(),
                    device.at(ranks.stage(rank).hyper_offset()), hyper.data(),
                    hyper.size() * sizeof(float));
      ranks.runStep(rank, step == 0);
    });
    left.losses.push_back(readResults(executable, ranks).loss->value);
  }
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    std::string &states = left.states.emplace_back();
    for (const format::State &state : ranks.stage(rank).states()) {
      size_t bytes = volume(Place(ranks.mesh(), state, rank).shard.shape) * 4;
      Device &device = ranks.device(rank);
      HostView view(device, device.at(state.offset()), bytes, Access::Read);
      states.append(view.data(), bytes);
    }
  }
  return left;
}

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
              executable.stages(0).device_bytes());
  }
}

} // namespace
