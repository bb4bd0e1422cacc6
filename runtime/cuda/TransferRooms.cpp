// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/TransferRooms.h"

#include "runtime/format/TransferPlan.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

size_t TransferRooms::bytesOf(const format::Executable &executable, int stage,
                              size_t more) {
  const auto &actions = executable.stages(stage).actions();
  if (std::all_of(
          actions.begin(), actions.end(),
          [](const format::Action &action) { return action.has_run(); }))
    return 0;
  size_t bytes = aligned(more);
  std::vector<TransferPlan> plans = planTransfers(executable);
  for (int send : plans[size_t(stage)].kept)
    bytes += aligned(actions[send].send().size());
  return bytes;
}

} // namespace zcc::rt::cuda
