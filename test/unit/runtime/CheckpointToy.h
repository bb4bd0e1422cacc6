// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A toy program in whose state each element's value tells its place, so that a
// test sees if a checkpoint is read back correctly.
#ifndef ZCC_TEST_UNIT_RUNTIME_CHECKPOINTTOY_H
#define ZCC_TEST_UNIT_RUNTIME_CHECKPOINTTOY_H

#include "Files.h"
#include "Toy.h"

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/checkpoint/CheckpointWriter.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/States.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <numeric>

namespace zcc::rt::test {

/// A toy with two slots of each weight's shape, in parts and padded, and one
/// that has its columns only.
inline format::Executable withSlots(const ToyOptions &options) {
  format::Executable e = makeToy(options);
  e.set_optimizer("adamw");
  for (format::Stage &stage : *e.mutable_stages()) {
    format::State weight = stage.states(0);
    for (const char *name : {"moment1", "moment2", "columns"}) {
      format::State *slot = stage.add_states();
      *slot = weight;
      slot->set_tensor(e.states_size());
      format::StateTensor *tensor = e.add_states();
      *tensor = e.states(int(weight.tensor()));
      tensor->set_kind(format::StateTensor::SLOT);
      tensor->clear_file();
      tensor->set_name(name);
      slot->set_offset(arenaBytes(stage));
      // Columns over data, padded to what does not divide 4.
      format::DimSharding columns;
      if (options.data > 1) {
        columns.add_axes(2);
        columns.set_padded(uint64_t(options.data) * 3);
      }
      slot->mutable_sharding(0)->Clear();
      if (tensor->name() == "columns") {
        tensor->set_initial(2);
        tensor->clear_shape();
        tensor->add_shape(4);
        slot->clear_start();
        slot->add_start(0);
        slot->clear_extent();
        slot->add_extent(4);
        *slot->mutable_sharding(0) = columns;
        slot->mutable_sharding()->RemoveLast();
      } else {
        *slot->mutable_sharding(1) = columns;
      }
      setArenaBytes(stage, arenaBytes(stage) + 4 * 4 * 4);
    }
  }
  return e;
}

struct ToyState {
  explicit ToyState(const ToyOptions &options)
      : executable(withSlots(options)), mesh(executable) {
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      devices.emplace_back(arenaBytes(executable.stages(mesh.stageOf(rank))),
                           pool);
  }
  /// Every element that exists gets a value that says which it is.
  void fill() {
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      forElements(rank, [](float &at, float value) { at = value; });
  }
  void check() {
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      forElements(rank, [](float &at, float value) { EXPECT_EQ(at, value); });
  }
  template <typename F> void forElements(int rank, F f) {
    for (const format::State &state :
         executable.stages(mesh.stageOf(rank)).states()) {
      StateBox place(mesh, state, rank);
      auto *data =
          static_cast<float *>(devices[rank].at(state.offset()).host());
      int base = fileTensorOf(executable, state) * 1000;
      const std::string &slot = tensorOf(executable, state).name();
      base += slot == "moment1"   ? 200
              : slot == "moment2" ? 300
              : slot == "columns" ? 400
                                  : 0;
      // A state of one dim counts as one row.
      auto last = place.shard.shape.size() - 1;
      int64_t rows = last ? place.shard.extent[0] : 1;
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < place.shard.extent[last]; ++j)
          f(data[i * place.shard.shape[last] + j],
            float(base + (last ? (place.start[0] + i) * 4 : 0) +
                  place.start[last] + j));
    }
  }
  void save(CheckpointWriter &writer, int64_t step) {
    save(writer, step, devices);
  }
  template <typename Devices>
  void save(CheckpointWriter &writer, int64_t step, Devices &from) {
    writer.wait();
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      writer.snapshot(rank, from[rank]);
    Standing standing;
    standing.step = step;
    standing.updates = step - 1;
    standing.lossScale = 1024;
    standing.goodSteps = 1;
    standing.seed = 7;
    writer.begin(standing);
    writer.wait();
  }
  std::unique_ptr<CheckpointWriter> writer(const std::string &folder,
                                           int keep = 2) {
    CheckpointWriter::Settings settings;
    settings.folder = folder;
    settings.keep = keep;
    settings.token = "t";
    std::vector<int> ranks(mesh.ranks());
    std::iota(ranks.begin(), ranks.end(), 0);
    return std::make_unique<CheckpointWriter>(executable, mesh, ranks,
                                              settings);
  }

  format::Executable executable;
  Mesh mesh;
  ThreadPool pool{1, SpinPolicy{0}};
  std::deque<CpuDevice> devices;
};

inline ToyOptions toy(int data, int stages, bool shard) {
  ToyOptions options;
  options.data = data;
  options.stages = stages;
  options.shardWeights = shard;
  return options;
}

inline std::string refusal(const std::function<void()> &body) {
  try {
    body();
    return "accepted";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    return error.what();
  }
}

} // namespace zcc::rt::test

#endif
