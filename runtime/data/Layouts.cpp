// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed, cut, joined and reshaped tensors as pieces of others.

#include "runtime/core/Error.h"
#include "runtime/data/Rename.h"
#include "runtime/format/Mesh.h"

#include <algorithm>

namespace zcc::rt {

using Shape = std::vector<int64_t>;

/// Most pieces that a reshape may cut a tensor into.
static constexpr size_t mostPieces = 1 << 16;

static void makeStrided(Piece &piece) {
  if (piece.strides.empty())
    piece.strides = stridesOf(piece.shape);
}

static std::string checkDim(const Weight &weight, int64_t dim) {
  if (dim >= 0 && dim < int64_t(weight.shape.size()))
    return "";
  return text("no dim ", dim, " in shape ", weight.shape);
}

static Shape permuted(const Shape &values, const Shape &order) {
  Shape out;
  for (int64_t from : order)
    out.push_back(values[from]);
  return out;
}

std::string transposeWeight(Weight &weight, const Shape &order) {
  Shape sorted = order, expected(weight.shape.size());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = int64_t(i);
  if (sorted != expected)
    return text(order, " is no order of the dims of shape ", weight.shape);
  weight.shape = permuted(weight.shape, order);
  for (Piece &piece : weight.pieces) {
    makeStrided(piece);
    piece.start = permuted(piece.start, order);
    piece.shape = permuted(piece.shape, order);
    piece.strides = permuted(piece.strides, order);
  }
  return "";
}

std::string sliceWeight(Weight &weight, int64_t dim, int64_t begin,
                        int64_t end) {
  std::string problem = checkDim(weight, dim);
  if (!problem.empty())
    return problem;
  if (begin < 0 || begin > end || end > weight.shape[dim])
    return text("no elements ", begin, " to ", end, " in dim ", dim,
                " of shape ", weight.shape);
  std::vector<Piece> kept;
  for (Piece piece : weight.pieces) {
    int64_t low = std::max(begin, piece.start[dim]);
    int64_t high = std::min(end, piece.start[dim] + piece.shape[dim]);
    if (low >= high)
      continue;
    makeStrided(piece);
    piece.data += (low - piece.start[dim]) * piece.strides[dim] *
                  int64_t(byteSize(piece.type));
    piece.shape[dim] = high - low;
    piece.start[dim] = low - begin;
    kept.push_back(std::move(piece));
  }
  weight.pieces = std::move(kept);
  weight.shape[dim] = end - begin;
  return "";
}

std::string concatWeights(Weight &all, const Weight &next, int64_t dim) {
  std::string problem = checkDim(all, dim);
  if (!problem.empty())
    return problem;
  Shape expected = all.shape;
  if (next.shape.size() == expected.size())
    expected[dim] = next.shape[dim];
  if (next.shape != expected)
    return text("shapes ", all.shape, " and ", next.shape,
                " cannot be joined in dim ", dim);
  int64_t extent;
  if (__builtin_add_overflow(all.shape[dim], next.shape[dim], &extent))
    return text("shapes ", all.shape, " and ", next.shape,
                " are too large to be joined in dim ", dim);
  for (Piece piece : next.pieces) {
    piece.start[dim] += all.shape[dim];
    all.pieces.push_back(std::move(piece));
  }
  all.shape[dim] = extent;
  return "";
}

namespace {

/// Reshapes one piece that is a whole tensor. Dims fall into groups of equal
/// products; in each, the old dims are merged and the new ones split off.
struct Reshape {
  const Shape &target;
  std::vector<Piece> out;
  std::string problem;

  struct Group {
    size_t begin, end;       // of the old dims
    size_t newBegin, newEnd; // of the new ones
  };

  std::vector<Group> groupsOf(const Shape &shape) const {
    std::vector<Group> groups;
    size_t i = 0, k = 0;
    while (i < shape.size() || k < target.size()) {
      Group group{i, i, k, k};
      int64_t old = 1, made = 1;
      do {
        if (old <= made && i < shape.size())
          old *= shape[i++];
        else if (k < target.size())
          made *= target[k++];
        else
          old *= shape[i++];
      } while (old != made && (i < shape.size() || k < target.size()));
      // Trailing ones belong to the last group.
      while (i < shape.size() && shape[i] == 1)
        ++i;
      while (k < target.size() && target[k] == 1)
        ++k;
      group.end = i;
      group.newEnd = k;
      groups.push_back(group);
    }
    return groups;
  }

  /// `start`: where the piece's group products begin, one entry a group.
  void add(Piece piece, const std::vector<Group> &groups, const Shape &start) {
    if (out.size() > mostPieces) {
      problem = "too many pieces: reshape before transposing or slicing";
      return;
    }
    Piece made{piece.type, piece.data, {}, {}, {}};
    for (size_t g = 0; g < groups.size(); ++g) {
      const Group &group = groups[g];
      int64_t stride = 1, count = 1;
      bool first = true;
      size_t outermost = group.end;
      for (size_t i = group.end; i-- > group.begin;) {
        if (piece.shape[i] == 1)
          continue;
        outermost = i;
        if (first)
          stride = piece.strides[i];
        else if (piece.strides[i] != stride * count) {
          for (size_t k = group.begin; k < i; ++k)
            if (piece.shape[k] > 1)
              outermost = std::min(outermost, k);
          cut(piece, groups, start, g, outermost);
          return;
        }
        first = false;
        count *= piece.shape[i];
      }
      if (start[g] == 0 && count == products[g]) {
        Shape shape(target.begin() + group.newBegin,
                    target.begin() + group.newEnd);
        Shape strides = stridesOf(shape);
        for (size_t k = 0; k < shape.size(); ++k) {
          made.start.push_back(0);
          made.shape.push_back(shape[k]);
          made.strides.push_back(strides[k] * stride);
        }
        continue;
      }
      // A part of a group: a box if the new dim is one.
      size_t wide = group.newBegin, others = 0;
      for (size_t k = group.newBegin; k < group.newEnd; ++k)
        if (target[k] > 1)
          wide = k, ++others;
      if (others > 1) {
        problem = "not possible without copying: reshape before transposing";
        return;
      }
      for (size_t k = group.newBegin; k < group.newEnd; ++k) {
        made.start.push_back(k == wide ? start[g] : 0);
        made.shape.push_back(k == wide ? count : 1);
        made.strides.push_back(stride);
      }
    }
    out.push_back(std::move(made));
  }

  /// One piece for each element of an old dim.
  void cut(const Piece &piece, const std::vector<Group> &groups,
           const Shape &start, size_t g, size_t dim) {
    int64_t inner = 1;
    for (size_t i = dim + 1; i < groups[g].end; ++i)
      inner *= piece.shape[i];
    for (int64_t k = 0; k < piece.shape[dim] && problem.empty(); ++k) {
      Piece part = piece;
      part.data += k * piece.strides[dim] * int64_t(byteSize(piece.type));
      part.shape[dim] = 1;
      Shape at = start;
      at[g] += k * inner;
      add(std::move(part), groups, at);
    }
  }

  Shape products;
};

} // namespace

std::string reshapeWeight(Weight &weight, const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count))
      return text("no shape: ", shape);
  if (count != volume(weight.shape))
    return text("shape ", weight.shape, " has not as many elements as ", shape);
  if (count == 0) {
    weight.pieces.clear();
  } else if (weight.pieces.size() != 1) {
    return "the tensor is in several pieces: reshape before joining";
  } else {
    Piece piece = weight.pieces[0];
    makeStrided(piece);
    Reshape reshape{shape, {}, "", {}};
    auto groups = reshape.groupsOf(piece.shape);
    for (const auto &group : groups) {
      int64_t product = 1;
      for (size_t i = group.begin; i < group.end; ++i)
        product *= piece.shape[i];
      reshape.products.push_back(product);
    }
    reshape.add(std::move(piece), groups, Shape(groups.size(), 0));
    if (!reshape.problem.empty())
      return reshape.problem;
    weight.pieces = std::move(reshape.out);
  }
  weight.shape = shape;
  return "";
}

} // namespace zcc::rt
