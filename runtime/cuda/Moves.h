// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that a rank takes from the others in a collective that only moves
// elements, as copies from their sources to its own target.

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

/// Pieces of equal length in a regular pattern on both sides.
struct Pieces {
  struct Dim {
    size_t count, from, to; // bytes from one to the next on either side
  };
  size_t width;          // bytes of a piece
  std::vector<Dim> dims; // the first is the slowest; none: one piece

  size_t bytes() const;
  /// Merges pieces that lie one after the other on both sides: there are fewer
  /// dims, or longer pieces.
  Pieces merged() const;
  /// The same pieces, but packed on the named side.
  Pieces withDenseFrom() const;
  Pieces withDenseTo() const;
};

/// Calls copy(from, to, rows, fromPitch, toPitch) for offsets in bytes: each
/// call copies `rows` rows of `width` bytes. Makes as few calls as one pitch a
/// side allows.
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
  int member;      // of the group: owner of the source
  size_t from, to; // offsets of the first piece in source and target
  Pieces pieces;   // merged
};

/// Returns all moves of data to the rank, including its own data, for an
/// all-gather, all-to-all, permute or exchange of boxes. Reductions have none.
std::vector<Move> movesOf(const format::CollectiveStep &step, const Mesh &mesh,
                          int rank);

/// Returns true if parts of the target come from no source; they become zeros.
bool hasPadding(const format::CollectiveStep &step, const Mesh &mesh, int rank);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_MOVES_H
