// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index spaces: offsets that are affine in an index, followed through all
// indices of a shape in row-major order.

#ifndef ZCC_RUNTIME_REFERENCE_WALK_H
#define ZCC_RUNTIME_REFERENCE_WALK_H

#include <array>
#include <cstdint>
#include <vector>

namespace zcc::rt::reference {

using Shape = std::vector<int64_t>;

inline int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Distances, in elements, between neighbours along each dim, row-major.
inline Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    strides[d] = stride;
  return strides;
}

/// base + sum of strides[d] index[d].
struct Affine {
  Shape strides;
  int64_t base = 0;
};

/// Calls visit(offsets) for every index of `shape`, row-major; `offsets` has
/// the value of each of `maps` there.
template <size_t N, typename F>
void walk(const Shape &shape, const std::array<Affine, N> &maps, F &&visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  std::array<int64_t, N> at;
  for (size_t k = 0; k < N; ++k)
    at[k] = maps[k].base;
  if (shape.empty()) {
    visit(at);
    return;
  }
  const size_t last = shape.size() - 1;
  std::array<int64_t, N> step;
  for (size_t k = 0; k < N; ++k)
    step[k] = maps[k].strides[last];
  Shape index(shape.size(), 0);
  while (true) {
    std::array<int64_t, N> inner = at;
    for (int64_t i = 0; i < shape[last]; ++i) {
      visit(inner);
      for (size_t k = 0; k < N; ++k)
        inner[k] += step[k];
    }
    size_t d = last;
    while (d-- > 0) {
      for (size_t k = 0; k < N; ++k)
        at[k] += maps[k].strides[d];
      if (++index[d] < shape[d])
        break;
      for (size_t k = 0; k < N; ++k)
        at[k] -= maps[k].strides[d] * shape[d];
      index[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

/// Calls visit(index) for every index of `shape`, row-major.
template <typename F> void forEachIndex(const Shape &shape, F &&visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(static_cast<const Shape &>(index));
    size_t d = shape.size();
    while (d-- > 0) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

/// The offsets of the elements of a row-major tensor of `shape` if only `dims`
/// are walked, in the order given, and the others are fixed.
inline Affine along(const Shape &shape, const Shape &dims) {
  Shape strides = stridesOf(shape);
  Affine map;
  for (int64_t d : dims)
    map.strides.push_back(strides[d]);
  return map;
}

/// The extents of some dims.
inline Shape extentsOf(const Shape &shape, const Shape &dims) {
  Shape extents;
  for (int64_t d : dims)
    extents.push_back(shape[d]);
  return extents;
}

} // namespace zcc::rt::reference

#endif // ZCC_RUNTIME_REFERENCE_WALK_H
