// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/PointerTable.h"

#include "runtime/core/Spaces.h"

#include <algorithm>

namespace zcc::rt::cuda {

/// Calls visit(memory, offset) for what each operand may be in its arena.
template <typename Visit>
static void forEachPlace(const format::Stage &stage, Visit visit) {
  auto fixed = [&](const format::Task &task) {
    for (const format::Operand &operand : task.operands())
      if (!operand.slot())
        visit(operand.memory(), operand.offset());
  };
  for (const format::Task &task : stage.tasks())
    fixed(task);
  fixed(stage.init());
  for (const format::Action &action : stage.actions())
    if (action.has_run())
      for (const format::Operand &operand :
           stage.tasks(int(action.run().task())).operands())
        if (operand.slot())
          visit(operand.memory(),
                action.run().slots(int(operand.offset())) + operand.begin());
}

size_t PointerTable::wordsOf(const format::Stage &stage) {
  size_t count = 0;
  forEachPlace(stage, [&](format::Memory, uint64_t) { ++count; });
  return count;
}

PointerTable::PointerTable(const format::Stage &stage, CudaDevice &device)
    : words(device.words()) {
  forEachPlace(stage, [&](format::Memory memory, uint64_t offset) {
    addresses.push_back(device.at(offset, spaceOf(memory)).bits());
  });
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()),
                  addresses.end());
  device.copyIn(device.mainStream(), words, addresses.data(),
                8 * addresses.size());
  device.wait(device.mainStream());
}

uint64_t PointerTable::wordOf(Address address) const {
  auto found =
      std::lower_bound(addresses.begin(), addresses.end(), address.bits());
  if (found == addresses.end() || *found != address.bits())
    fail("no operand of the program is at address ", address.bits());
  return words.bits() + 8 * uint64_t(found - addresses.begin());
}

} // namespace zcc::rt::cuda
