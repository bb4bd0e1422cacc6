// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of the C interface as tensors of the runtime, and back.

#ifndef ZCC_CAPI_ARRAYS_H
#define ZCC_CAPI_ARRAYS_H

#include "capi/zcc.h"
#include "runtime/data/SafeTensors.h"

#include <deque>

namespace zcc::capi {

/// Reads arrays of the caller by name. Throws bad input, with the name of the
/// argument, for null pointers, unknown types, negative extents, extents whose
/// product no memory has, and two arrays of one name.
rt::TensorMap readArrays(const char *argument, const zcc_array *arrays,
                         size_t count);

/// Descriptions of arrays, with addresses that stay.
class Descriptions {
public:
  /// `data` is null where the array is only described.
  void add(const std::string &name, rt::ElementType type,
           std::vector<int64_t> shape, const void *data = nullptr);
  const std::vector<zcc_array> &arrays() const { return all; }
  /// Throws bad input, with the name of the argument, unless each of the arrays
  /// has a description, with its shape, and its type or else `type`. `kind`
  /// names the described arrays in errors: "parameter".
  void check(const char *argument, const char *kind,
             const rt::TensorMap &arrays,
             rt::ElementType type = rt::ElementType::Invalid) const;

private:
  std::deque<std::string> names;
  std::deque<std::vector<int64_t>> shapes;
  std::vector<zcc_array> all;
};

} // namespace zcc::capi

#endif // ZCC_CAPI_ARRAYS_H
