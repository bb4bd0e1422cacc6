// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says how the state of one parameter is stored over the devices that share it,
// and whether the parameter is kept once it is gathered. Parameters choose one
// by one; if all choose alike, that is a stage of ZeRO (Rajbhandari et al.,
// 2020).
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_STATECHOICE_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_STATECHOICE_H

namespace zcc::distribute {

// The stage tells what is split. 0: nothing. 1: moments and master weights. 2:
// gradients too. 3: the whole copy of the parameter too. Between steps a
// parameter is split from stage 1 on: each device updates its part, and the
// parts are gathered where the forward pass reads them.
struct StateChoice {
  int stage = 0;
  // Kept: a gathered parameter stays for the backward pass and for all
  // microbatches. Again: each task that reads it gathers it again.
  enum class Gathered { Open, Kept, Again } gathered = Gathered::Open;

  /// Returns true if there is the whole copy that stages 1 and 2 have. A choice
  /// for the gathered parameter overrules it.
  bool hasCopy() const {
    return gathered == Gathered::Open && (stage == 1 || stage == 2);
  }
  bool isKept() const { return gathered == Gathered::Kept || hasCopy(); }

  bool operator==(const StateChoice &other) const {
    return stage == other.stage && gathered == other.gathered;
  }
};

} // namespace zcc::distribute

#endif
