// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Train.h"

#include "Files.h"

#include "runtime/core/HostView.h"
#include "runtime/data/Inputs.h"
#include "runtime/data/Parameters.h"
#include "runtime/train/Results.h"

#include <cmath>
#include <cstring>
#include <mutex>

namespace zcc::rt::test {

static std::vector<float> ramp(int count, float scale) {
  std::vector<float> out(count);
  for (int i = 0; i < count; ++i)
    out[i] = scale * float((i * 7) % 11 - 5);
  return out;
}

Left train(const Backend &backend, const format::Executable &executable,
           int steps) {
  TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  for (int s = 1; s <= executable.stages_size(); ++s)
    tensors.push_back(tensor("w" + std::to_string(s), ElementType::F32, {4, 4},
                             ramp(16, 0.1f * float(s))));
  writeTensors(folder / "w", tensors);
  WeightSet weights = openWeights(folder / "w");
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
  ranks.setObserver([&](int rank, const format::State &place, const void *bytes,
                        bool) {
    size_t size = volume(StateBox(ranks.mesh(), place, rank).shard.shape) * 4;
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
      size_t bytes =
          volume(StateBox(ranks.mesh(), state, rank).shard.shape) * 4;
      Device &device = ranks.device(rank);
      HostView view(device, device.at(state.offset()), bytes, Access::Read);
      states.append(view.data(), bytes);
    }
  }
  return left;
}

} // namespace zcc::rt::test
