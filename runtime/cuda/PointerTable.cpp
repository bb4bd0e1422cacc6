// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/PointerTable.h"

#include "runtime/core/Spaces.h"
#include "runtime/format/KernelTables.h"

#include <algorithm>

namespace zcc::rt::cuda {

PointerTable::PointerTable(const format::Stage &stage, CudaDevice &device)
    : words(device.words()) {
  for (const OperandPlace &place : operandPlaces(stage))
    addresses.push_back(device.at(place.offset, spaceOf(place.memory)).bits());
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
