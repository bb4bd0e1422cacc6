// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Collective.h"

namespace zcc::planning {

std::string_view getName(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all-reduce";
  case CollectiveKind::AllGather:
    return "all-gather";
  case CollectiveKind::ReduceScatter:
    return "reduce-scatter";
  case CollectiveKind::AllToAll:
    return "all-to-all";
  case CollectiveKind::Permute:
    return "permute";
  case CollectiveKind::Send:
    return "send";
  case CollectiveKind::Receive:
    return "recv";
  }
  return "";
}

} // namespace zcc::planning
