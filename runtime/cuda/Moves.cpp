// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Moves.h"

#include "runtime/comm/BoxExchange.h"
#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

size_t Pieces::bytes() const {
  size_t product = width;
  for (const Dim &dim : dims)
    product *= dim.count;
  return product;
}

Pieces Pieces::merged() const {
  Pieces out{width, {}};
  for (size_t d = dims.size(); d-- > 0;) {
    Dim dim = dims[d];
    if (dim.count == 1)
      continue;
    if (out.dims.empty()) {
      if (dim.from == out.width && dim.to == out.width)
        out.width *= dim.count;
      else
        out.dims.push_back(dim);
      continue;
    }
    Dim &inner = out.dims.back(); // the slowest so far
    if (dim.from == inner.from * inner.count &&
        dim.to == inner.to * inner.count)
      inner.count *= dim.count;
    else
      out.dims.push_back(dim);
  }
  std::reverse(out.dims.begin(), out.dims.end());
  return out;
}

/// The pieces packed on one side: each dim's distance is the extent of the dims
/// below it.
static Pieces dense(Pieces pieces, size_t Pieces::Dim::*side) {
  size_t stride = pieces.width;
  for (size_t d = pieces.dims.size(); d-- > 0;) {
    pieces.dims[d].*side = stride;
    stride *= pieces.dims[d].count;
  }
  return pieces;
}

Pieces Pieces::withDenseFrom() const {
  return dense(*this, &Dim::from).merged();
}

Pieces Pieces::withDenseTo() const { return dense(*this, &Dim::to).merged(); }

namespace {

/// Returns the offset of a box that begins at `start` in the buffer of
/// `holder`, and sets the strides of its elements there, in bytes.
size_t placeIn(const Shard &holder, const std::vector<int64_t> &start,
               size_t width, std::vector<size_t> &strides) {
  size_t offset = 0, stride = width;
  strides.resize(start.size());
  for (size_t d = start.size(); d-- > 0;) {
    strides[d] = stride;
    offset += size_t(start[d] - holder.start[d]) * stride;
    stride *= size_t(holder.shape[d]);
  }
  return offset;
}

/// The part of `to` that `from` holds; no bytes if there is none.
Move boxMove(int member, const Shard &from, const Shard &to, size_t width) {
  std::vector<int64_t> start, extent;
  for (size_t d = 0; d < from.start.size(); ++d) {
    start.push_back(std::max(from.start[d], to.start[d]));
    int64_t end =
        std::min(from.start[d] + from.extent[d], to.start[d] + to.extent[d]);
    extent.push_back(std::max<int64_t>(0, end - start[d]));
  }
  if (volume(extent) == 0)
    return {member, 0, 0, {0, {}}};
  std::vector<size_t> fromStrides, toStrides;
  Move move{member,
            placeIn(from, start, width, fromStrides),
            placeIn(to, start, width, toStrides),
            {width, {}}};
  for (size_t d = 0; d < start.size(); ++d)
    move.pieces.dims.push_back(
        {size_t(extent[d]), fromStrides[d], toStrides[d]});
  move.pieces = move.pieces.merged();
  return move;
}

/// Bytes before the first row of an operand, and from one row to the next.
struct Place {
  size_t begin, pitch;
};

Place placeOf(const format::CollectiveStep::Rows &rows, size_t width) {
  return {rows.begin() * width, rows.pitch() * width};
}

} // namespace

bool hasPadding(const format::CollectiveStep &step, const Mesh &mesh,
                int rank) {
  if (step.kind() != format::CollectiveStep::EXCHANGE_BOXES)
    return false;
  Shard target = targetBox(step, mesh, rank);
  return target.isPadded() ||
         std::any_of(target.start.begin(), target.start.end(),
                     [](int64_t start) { return start < 0; });
}

std::vector<Move> movesOf(const format::CollectiveStep &step, const Mesh &mesh,
                          int rank) {
  std::vector<int> group =
      mesh.group(rank, {step.axes().begin(), step.axes().end()});
  size_t members = group.size();
  auto own =
      size_t(std::find(group.begin(), group.end(), rank) - group.begin());
  size_t width = byteSize(static_cast<ElementType>(step.type()));
  size_t outer = step.outer(), row = step.n() * step.inner() * width;
  std::vector<Move> moves;
  auto add = [&](size_t member, size_t from, size_t to, Pieces pieces) {
    moves.push_back({int(member), from, to, pieces.merged()});
  };
  switch (step.kind()) {
  case format::CollectiveStep::ALL_GATHER:
    // Each source is [outer, row]; the target has the rows of all side by side.
    for (size_t m = 0; m < members; ++m)
      add(m, 0, m * row, {row, {{outer, row, row * members}}});
    break;
  case format::CollectiveStep::ALL_TO_ALL: {
    // A block is [outer, n/k, inner] in the source and [concat, run] in the
    // target. So rows have two lengths, one of which is a multiple of the
    // other, as both are products of some of the block's last dims.
    size_t sourceRow = row / members, block = outer * sourceRow;
    size_t concat = step.concat() ? step.concat() : 1, run = block / concat;
    size_t piece = std::min(sourceRow, run);
    if (piece == 0)
      break;
    Place source = step.has_source_rows() ? placeOf(step.source_rows(), width)
                                          : Place{0, sourceRow};
    Place target = step.has_target_rows() ? placeOf(step.target_rows(), width)
                                          : Place{0, run};
    // From a row of a member to its next one.
    size_t fromStride = source.pitch * members,
           toStride = target.pitch * members;
    for (size_t m = 0; m < members; ++m) {
      size_t from = source.begin + own * source.pitch,
             to = target.begin + m * target.pitch;
      if (sourceRow % piece == 0 && run % piece == 0) {
        Pieces pieces{piece, {}};
        if (sourceRow >= run) // a source's row over several of the target's
          pieces.dims = {{outer, fromStride, sourceRow / run * toStride},
                         {sourceRow / piece, piece, toStride}};
        else
          pieces.dims = {{concat, run / sourceRow * fromStride, toStride},
                         {run / piece, fromStride, piece}};
        add(m, from, to, pieces);
        continue;
      }
      // Not made by our compiler: each piece ends where either row ends.
      for (size_t at = 0; at < block;) {
        size_t end =
            std::min((at / sourceRow + 1) * sourceRow, (at / run + 1) * run);
        add(m, from + at / sourceRow * fromStride + at % sourceRow,
            to + at / run * toStride + at % run, {end - at, {}});
        at = end;
      }
    }
    break;
  }
  case format::CollectiveStep::PERMUTE: {
    auto size = int64_t(members);
    int64_t from = ((int64_t(own) - step.shift()) % size + size) % size;
    add(size_t(from), 0, 0, {outer * row, {}});
    break;
  }
  case format::CollectiveStep::EXCHANGE_BOXES: {
    Shard target = targetBox(step, mesh, rank);
    for (size_t m = 0; m < members; ++m)
      if (Move move =
              boxMove(int(m), sourceBox(step, mesh, group[m]), target, width);
          move.pieces.bytes() != 0)
        moves.push_back(move);
    break;
  }
  default:
    break;
  }
  return moves;
}

} // namespace zcc::rt::cuda
