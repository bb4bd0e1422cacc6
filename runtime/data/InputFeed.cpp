// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/InputFeed.h"

#include "runtime/core/Error.h"
#include "runtime/format/Arenas.h"

#include <algorithm>

namespace zcc::rt {

static constexpr size_t roomAlignment = 64;

/// Returns a size that std::aligned_alloc() takes.
static size_t roundUp(size_t bytes) {
  return (std::max<size_t>(bytes, 1) + roomAlignment - 1) / roomAlignment *
         roomAlignment;
}

InputFeed::InputFeed(const format::Stage &stage, std::vector<InputPart> given,
                     const std::vector<InputSpec> &specs, Device &device)
    : specs(specs), device(device) {
  for (InputPart &part : given) {
    if (isCallers(stage, part.offset))
      callerParts.push_back({std::move(part), thePlaces.size()});
    else
      parts.push_back(std::move(part));
    thePlaces.emplace_back();
  }
  if (!device.inputRoom())
    return;
  // Makes the stream now, since steps must not allocate.
  (void)device.inputStream();
  brought = device.makeEvent();
  taken = device.makeEvent();
}

InputFeed::~InputFeed() {
  try {
    if (isAhead)
      device.wait(device.inputStream());
  } catch (...) {
    // The run has failed already, or its results are not wanted any more.
  }
}

void InputFeed::bringAhead(const Batch &batch) {
  if (!brought)
    return;
  Stream &stream = device.inputStream();
  // The batch before has left the room.
  device.enqueueWait(stream, *taken);
  std::vector<char> bytes;
  for (const InputPart &part : parts) {
    bytes.resize(part.bytes);
    writePart(part, specs, batch, bytes.data());
    device.copyIn(stream, *device.inputRoom() + part.room, bytes.data(),
                  part.bytes);
  }
  device.record(stream, *brought);
  isAhead = true;
}

void InputFeed::lend(const Batch &batch) {
  for (CallerPart &own : callerParts) {
    const InputPart &part = own.part;
    const char *data = findPart(part, specs, batch);
    own.isCopied = !data;
    if (!data) {
      if (!own.room)
        own.room.reset(static_cast<char *>(
            std::aligned_alloc(roomAlignment, roundUp(part.bytes))));
      if (!own.room)
        fail("cannot allocate ", part.bytes, " bytes for an input");
      writePart(part, specs, batch, own.room.get());
      data = own.room.get();
    }
    thePlaces[own.number] = device.lend(uint32_t(own.number), data, part.bytes);
  }
}

size_t InputFeed::copiedBytes() const {
  size_t bytes = 0;
  for (const CallerPart &own : callerParts)
    if (own.isCopied)
      bytes += own.part.bytes;
  return bytes;
}

void InputFeed::load(const Batch &batch) {
  lend(batch);
  if (!isAhead)
    return loadInputs(parts, specs, batch, device);
  isAhead = false;
  Stream &stream = device.mainStream();
  device.enqueueWait(stream, *brought);
  for (const InputPart &part : parts)
    device.copy(stream, device.at(part.offset),
                *device.inputRoom() + part.room, part.bytes);
  device.record(stream, *taken);
}

} // namespace zcc::rt
