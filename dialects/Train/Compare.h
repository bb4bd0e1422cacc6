// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates the directions of train.compare.
#ifndef ZCC_DIALECTS_TRAIN_COMPARE_H
#define ZCC_DIALECTS_TRAIN_COMPARE_H

#include "dialects/Train/Train.h"
#include "llvm/Support/ErrorHandling.h"

namespace zcc::train {

template <typename T> bool holds(CompareDirection direction, T x, T y) {
  switch (direction) {
  case CompareDirection::EQ:
    return x == y;
  case CompareDirection::NE:
    return x != y;
  case CompareDirection::LT:
    return x < y;
  case CompareDirection::LE:
    return x <= y;
  case CompareDirection::GT:
    return x > y;
  case CompareDirection::GE:
    return x >= y;
  }
  llvm_unreachable("covered switch");
}

} // namespace zcc::train

#endif
