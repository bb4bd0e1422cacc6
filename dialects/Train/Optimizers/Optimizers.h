// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers that zcc has. A new one is a file beside this one, with its
// getter here and a line in getOptimizers().
#ifndef ZCC_DIALECTS_TRAIN_OPTIMIZERS_OPTIMIZERS_H
#define ZCC_DIALECTS_TRAIN_OPTIMIZERS_OPTIMIZERS_H

#include "dialects/Train/Optimizers/Optimizer.h"

namespace zcc::train {

const Optimizer &getAdamW();
const Optimizer &getLion();
const Optimizer &getSgd();

// The first is the default of --optimizer.
inline llvm::SmallVector<const Optimizer *> getOptimizers() {
  return {&getAdamW(), &getLion(), &getSgd()};
}

} // namespace zcc::train

#endif
