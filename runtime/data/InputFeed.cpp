// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/InputFeed.h"

namespace zcc::rt {

InputFeed::InputFeed(const format::Stage &stage, const Mesh &mesh, int rank,
                     const std::vector<InputSpec> &specs, Device &device)
    : parts(inputParts(stage, mesh, rank)), specs(specs), device(device) {
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

void InputFeed::load(const Batch &batch) {
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
