// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The staging memory is a ring of blocks. Small pieces share a block as long as
// they are for one stream, in whose order the last piece's event covers all.

#include "runtime/cuda/Staging.h"

#include <algorithm>
#include <cstring>

namespace zcc::rt::cuda {

Staging::Staging(const Gpu &gpu, size_t count) : Staging(gpu) {
  const Driver &driver = gpu.driver;
  void *at = nullptr;
  driver.require(driver.allocateHost(&at, blockBytes * count, hostPortable),
                 "take ", blockBytes * count, " bytes of pinned memory");
  memory = static_cast<char *>(at);
  blocks.resize(count);
  for (Block &block : blocks)
    driver.require(driver.createEvent(&block.read, eventWithoutTime),
                   "make an event");
}

Staging::~Staging() {
  for (Block &block : blocks)
    if (block.read)
      (void)gpu.driver.destroyEvent(block.read);
  if (memory)
    (void)gpu.driver.releaseHost(memory);
}

Result Staging::copyIn(StreamHandle stream, DevicePointer to, const void *from,
                       size_t bytes,
                       const std::function<void(EventHandle)> &waitFor) {
  const Driver &driver = gpu.driver;
  const char *rest = static_cast<const char *>(from);
  std::lock_guard<std::mutex> lock(mutex);
  while (bytes != 0) {
    if (used == blockBytes || (used != 0 && stream != user)) {
      current = (current + 1) % blocks.size();
      used = 0;
    }
    Block &block = blocks[current];
    if (used == 0 && block.isGiven) {
      waitFor(block.read);
      block.isGiven = false;
    }
    size_t piece = std::min(bytes, blockBytes - used);
    char *at = memory + current * blockBytes + used;
    std::memcpy(at, rest, piece);
    Result result = driver.copy(to, hostPointer(at), piece, stream);
    if (result == success)
      result = driver.recordEvent(block.read, stream);
    if (result != success)
      return result;
    block.isGiven = true;
    user = stream;
    used += (piece + alignment - 1) / alignment * alignment;
    rest += piece;
    to += piece;
    bytes -= piece;
  }
  return success;
}

Result Staging::copyOut(StreamHandle stream, void *to, DevicePointer from,
                        size_t bytes,
                        const std::function<void(EventHandle)> &waitFor) {
  const Driver &driver = gpu.driver;
  auto pieceAt = [&](size_t at) { return std::min(bytes - at, blockBytes); };
  std::lock_guard<std::mutex> lock(mutex);
  // The stream is ahead by as many blocks as there are.
  for (size_t taken = 0, given = 0; taken < bytes; taken += pieceAt(taken)) {
    for (; given < bytes && given - taken < blocks.size() * blockBytes;
         given += pieceAt(given)) {
      size_t number = given / blockBytes % blocks.size();
      Result result = driver.copy(hostPointer(memory + number * blockBytes),
                                  from + given, pieceAt(given), stream);
      if (result == success)
        result = driver.recordEvent(blocks[number].read, stream);
      if (result != success)
        return result;
    }
    size_t number = taken / blockBytes % blocks.size();
    waitFor(blocks[number].read);
    std::memcpy(static_cast<char *>(to) + taken, memory + number * blockBytes,
                pieceAt(taken));
  }
  return success;
}

} // namespace zcc::rt::cuda
