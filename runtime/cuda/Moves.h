// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank takes of the others in a collective that only moves elements, as
// copies between its own target and their sources.

#ifndef ZCC_RUNTIME_CUDA_MOVES_H
#define ZCC_RUNTIME_CUDA_MOVES_H

#include <cstddef>
#include <vector>

namespace zcc::rt {
namespace format {
class CollectiveStep;
} // namespace format
class Mesh;

namespace cuda {

/// Pieces of equal length in a regular order on both sides.
struct Pieces {
  struct Dim {
    size_t count, from, to; // bytes from one to the next on either side
  };
  size_t width;          // bytes of a piece
  std::vector<Dim> dims; // the first is the slowest; none: one piece

  size_t bytes() const;
  /// Longer pieces, or fewer dims, where some lie one after the other.
  Pieces merged() const;
  /// The same, but one after the other on that side.
  Pieces withDenseFrom() const;
  Pieces withDenseTo() const;
};

/// Calls copy(from, to, rows, fromPitch, toPitch) for offsets in bytes: so many
/// rows of `width` bytes. As few calls as there are with one pitch each.
template <typename Copy> void forEachRows(const Pieces &pieces, Copy copy) {
  if (pieces.bytes() == 0)
    return;
  size_t longest = 0;
  for (size_t d = 1; d < pieces.dims.size(); ++d)
    if (pieces.dims[d].count > pieces.dims[longest].count)
      longest = d;
  std::vector<size_t> index(pieces.dims.size(), 0);
  for (;;) {
    size_t from = 0, to = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      from += index[d] * pieces.dims[d].from;
      to += index[d] * pieces.dims[d].to;
    }
    if (pieces.dims.empty())
      return copy(from, to, size_t(1), pieces.width, pieces.width);
    const Pieces::Dim &rows = pieces.dims[longest];
    copy(from, to, rows.count, rows.from, rows.to);
    size_t d = index.size();
    while (d-- > 0) {
      if (d == longest)
        continue;
      if (++index[d] < pieces.dims[d].count)
        break;
      index[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

struct Move {
  int member;      // of the group: whose source it is
  size_t from, to; // where pieces begin in the source and in the target
  Pieces pieces;   // merged
};

/// What the rank takes, its own included. Of an all-gather, all-to-all, permute
/// or exchange of boxes; those of reductions take nothing as it is.
std::vector<Move> movesOf(const format::CollectiveStep &step, const Mesh &mesh,
                          int rank);

/// Whether parts of the target are of no source, and become zeros.
bool hasPadding(const format::CollectiveStep &step, const Mesh &mesh, int rank);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_MOVES_H
