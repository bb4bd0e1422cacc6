// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Reductions.h"

#include "runtime/format/ElementType.h"
#include "runtime/format/ReductionWords.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

// Blocks of a launch, at most: they fill any GPU.
static constexpr size_t mostBlocks = 1024;

const format::ReductionKernel *
findReduction(const format::Executable &executable,
              const format::CollectiveStep &step) {
  for (const format::ReductionKernel &kernel : executable.reductions())
    if (kernel.reduction() == step.reduction() && kernel.type() == step.type())
      return &kernel;
  return nullptr;
}

ReducedPart::ReducedPart(const format::CollectiveStep &step, size_t members,
                         size_t member)
    : width(byteSize(static_cast<ElementType>(step.type()))) {
  size_t n = step.n();
  if (step.kind() == format::CollectiveStep::REDUCE_SCATTER) {
    rows = step.outer();
    row = n * step.inner();
    pitch = row * members;
    begin = row * member;
    return;
  }
  // Parts begin on lines, so that vectors are whole.
  size_t line = 64 / width;
  size_t length = ((n + members - 1) / members + line - 1) / line * line;
  begin = targetBegin = std::min(n, member * length);
  row = pitch = std::min(n, (member + 1) * length) - begin;
}

PartReduction::PartReduction(const ReducedPart &given, std::vector<bool> where)
    : part(given), others(std::move(where)) {
  hasOthers = std::find(others.begin(), others.end(), true) != others.end();
  // A launch has a single distance between rows, so rows are copied packed.
  copiesAll = hasOthers && part.rows > 1;
  size_t copied = copiesAll
                      ? others.size()
                      : size_t(std::count(others.begin(), others.end(), true));
  if (part.elements() == 0)
    return;
  if (!hasOthers) {
    chunks = {{0, part.rows, 0, part.row}};
    return;
  }
  size_t line = 64 / part.width;
  size_t most =
      std::max(reductionRoom / (copied * part.width) / line * line, line);
  if (part.rows > 1 && part.row <= most) {
    size_t together = most / part.row;
    for (size_t row = 0; row < part.rows; row += together)
      chunks.push_back({row, std::min(together, part.rows - row), 0, part.row});
    return;
  }
  for (size_t row = 0; row < part.rows; ++row)
    for (size_t at = 0; at < part.row; at += most)
      chunks.push_back({row, 1, at, std::min(most, part.row - at)});
}

size_t PartReduction::words() const {
  return chunks.size() * (zccReductionWords + others.size());
}

void PartReduction::launch(CudaDevice &device, Stream &stream,
                           const LaunchSite &place, size_t number,
                           const std::vector<uint64_t> &words) {
  Address at = place.words + 8 * number * words.size();
  written.resize(chunks.size());
  // Most words are the same as in the last run. The launch before, which may
  // still read them, is on the same stream.
  if (written[number] != words) {
    device.copyIn(stream, at, words.data(), 8 * words.size());
    written[number] = words;
  }
  uint32_t threads = place.kernel.threads();
  device.launch(stream, {place.function,
                         uint32_t(words[zccReductionThreads] / threads),
                         threads,
                         0,
                         {at.bits()},
                         place.name});
}

void PartReduction::enqueue(CudaDevice &device, Stream &stream,
                            const LaunchSite &place,
                            const std::vector<Source> &sources,
                            DevicePointer target) {
  size_t threads = place.kernel.threads();
  for (size_t number = 0; number < chunks.size(); ++number) {
    const Chunk &chunk = chunks[number];
    size_t count = chunk.rows * chunk.elements, width = part.width;
    size_t pitch = copiesAll ? chunk.elements : part.pitch;
    std::vector<uint64_t> words(zccReductionWords);
    words[zccReductionTarget] =
        target +
        (part.targetBegin + chunk.firstRow * part.row + chunk.first) * width;
    words[zccReductionCount] = count;
    words[zccReductionRow] = chunk.rows == 1 ? count : chunk.elements;
    words[zccReductionPitch] = chunk.rows == 1 ? count : pitch;
    words[zccReductionSources] = sources.size();
    Address room = place.room;
    for (size_t i = 0; i < sources.size(); ++i) {
      Address from = Address::fromBits(
          sources[i].at +
          (part.begin + chunk.firstRow * part.pitch + chunk.first) * width);
      if (copiesAll || others[i]) {
        size_t bytes = chunk.elements * width;
        device.copyRows(stream, {room, bytes},
                        {from, part.pitch * width, sources[i].context}, bytes,
                        chunk.rows);
        from = room;
        // `most` elements of each source: whole lines.
        room = room + (count * width + 63) / 64 * 64;
      }
      words.push_back(from.bits());
    }
    size_t vector = zccReductionVectorBytes;
    bool isWhole = words[zccReductionTarget] % vector == 0;
    for (size_t i = zccReductionWords; i < words.size(); ++i)
      isWhole &= words[i] % vector == 0;
    if (chunk.rows > 1)
      isWhole &=
          chunk.elements * width % vector == 0 && pitch * width % vector == 0;
    size_t vectors = isWhole ? count * width / vector : 0;
    words[zccReductionVectors] = vectors;
    size_t items = std::max(vectors, count - vectors * (vector / width));
    words[zccReductionThreads] =
        std::clamp<size_t>((items + threads - 1) / threads, 1, mostBlocks) *
        threads;
    launch(device, stream, place, number, words);
  }
}

} // namespace zcc::rt::cuda
