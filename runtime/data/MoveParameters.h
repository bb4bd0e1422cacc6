// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves parameters from the arenas of one program into those of another program
// of the same model, over any two meshes of as many ranks. Each rank of the
// second gets the boxes that its parts intersect, from itself if it holds them.
// The source is the copy that the first program computes with, if it has the
// type that the second reads; else master weights, as for saved parameters. Or
// it is the average of the parameter, where there is one.

#ifndef ZCC_RUNTIME_DATA_MOVEPARAMETERS_H
#define ZCC_RUNTIME_DATA_MOVEPARAMETERS_H

#include "runtime/core/HostView.h"
#include "runtime/core/Transfers.h"
#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/States.h"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Executable;
class State;
} // namespace format

/// Throws bad input that begins with `name` and lists the parameters of `to`
/// that `from` lacks, or has in another shape.
void checkSameModel(const format::Executable &from,
                    const format::Executable &to, const std::string &name);

class ParameterMove {
public:
  /// `from` and `to` are of the same model and have as many ranks; `local` has
  /// the ranks of this process. Messages have at most `pieceBytes`; a rank
  /// sends `roundBytes` of them before all wait for each other.
  ParameterMove(const format::Executable &from, const format::Executable &to,
                const std::vector<int> &local,
                ParameterValues values = ParameterValues::Trained,
                int64_t pieceBytes = 4 << 20, int64_t roundBytes = 16 << 20);

  using DeviceOf = std::function<Device &(int rank)>;
  /// Fills the arena of one rank, if all ranks are in this process.
  void copyTo(int rank, const DeviceOf &from, Device &to) const;
  /// For ranks that are processes: called by all; `rank` is this one's.
  /// `barrier` returns when all ranks have called it. Holds at most a round
  /// beside the arenas (and a tensor of each, if the host cannot address them).
  void exchange(int rank, Transfers &transfers,
                const std::function<void()> &barrier, Device &from,
                Device &to) const;

private:
  /// A rank's part of a parameter in its arena.
  struct Local {
    uint64_t offset;
    MemorySpace space;
    ElementType type;
    std::vector<int64_t> shape;         // of the buffer
    std::vector<int64_t> start, extent; // in the parameter
  };
  struct Piece {
    int fromRank, toRank;
    const Local *from, *to;
    std::vector<int64_t> start, extent; // in the parameter
    // Pieces of earlier rounds have arrived before one of this round is sent.
    int64_t round;
  };
  class Views;
  /// A rank's part of a parameter in the first program.
  struct Source;
  using PartKey = std::pair<std::vector<int64_t>, std::vector<int64_t>>;
  using Parts = std::map<PartKey, std::vector<Source>>;
  using Sources = std::map<std::string, Parts>;

  static Local localOf(const Mesh &mesh, const format::State &state, int rank);
  Sources collectSources(const format::Executable &from,
                         ParameterValues values);
  void addTarget(int rank, const Local &target, const Parts &parts);
  void addPieces(int fromRank, int toRank, const Local *from, const Local *to,
                 const std::vector<int64_t> &start,
                 const std::vector<int64_t> &extent);
  void clearPadded(int rank, Device &device) const;

  const int64_t pieceBytes, roundBytes;
  std::vector<bool> isLocal; // by rank
  std::deque<Local> locals;
  std::vector<Piece> pieces; // of local ranks, in one order on all ranks
  std::vector<std::pair<int, const Local *>> padded; // by rank
  int64_t round = 0;
  std::vector<int64_t> sent; // in this round, by rank
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_MOVEPARAMETERS_H
