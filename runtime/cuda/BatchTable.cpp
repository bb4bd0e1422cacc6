// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/BatchTable.h"

#include "runtime/core/Spaces.h"
#include "runtime/format/KernelTables.h"

#include <cstring>

namespace zcc::rt::cuda {

BatchTable::BatchTable(const format::Executable &executable,
                       const format::Stage &stage, CudaDevice &device,
                       Address at) {
  std::vector<uint64_t> words;
  auto end = [&] { return at.bits() + 8 * uint64_t(words.size()); };
  forEachLaunchedBatch(stage, [&](const format::Task &task,
                                  const format::KernelBatch &batch) {
    for (const format::BatchLaunch &launch : batch.launches()) {
      auto segments = segmentsOf(executable, batch, launch);
      launches[&launch] = {end(), uint32_t(segments.size())};
      size_t bytes = segments.size() * sizeof(ZccGpuSegment);
      words.resize(words.size() + bytes / 8);
      std::memcpy(words.data() + words.size() - bytes / 8, segments.data(),
                  bytes);
    }
    for (const auto &places : batchPlaces(stage, task, batch)) {
      Addresses own;
      for (const OperandPlace &place : places)
        own.push_back(device.at(place.offset, spaceOf(place.memory)).bits());
      uint64_t begin = end();
      words.insert(words.end(), own.begin(), own.end());
      words.resize((words.size() + 1) / 2 * 2);
      sets.try_emplace({&batch, std::move(own)}, begin);
    }
  });
  device.copyIn(device.mainStream(), at, words.data(), 8 * words.size());
  device.wait(device.mainStream());
}

uint64_t BatchTable::wordsOf(const format::KernelBatch &batch,
                             const Addresses &addresses) const {
  auto found = sets.find({&batch, addresses});
  if (found == sets.end())
    fail("no run of the program has a batch of ", batch.members_size(),
         " kernels with these operands");
  return found->second;
}

} // namespace zcc::rt::cuda
