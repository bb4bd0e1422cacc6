// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PLANNING_PRODUCTKIND_H
#define ZCC_PLANNING_PRODUCTKIND_H

namespace zcc::planning {

/// A product of matrices that stands alone, or one of those that a fused
/// attention or its gradient consists of. Machines have figures for each.
enum class ProductKind { Matrix, Attention, AttentionBackward };

} // namespace zcc::planning

#endif
