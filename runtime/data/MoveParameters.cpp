// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves parameters from one program's arenas into another's. All ranks go
// through one list of pieces in one order and send or receive their own. A send
// does not wait, so nothing can block. A barrier every few MB bounds the memory
// of messages under way.

#include "runtime/data/MoveParameters.h"

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/States.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace zcc::rt {

using Shape = std::vector<int64_t>;

namespace {
constexpr uint64_t moveTag = 2; // nothing else is under way then

Shape minus(Shape a, const Shape &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] -= b[i];
  return a;
}

/// Intersects two boxes; false if they have nothing in common.
bool intersect(const Shape &start, const Shape &extent, const Shape &otherStart,
               const Shape &otherExtent, Shape &commonStart,
               Shape &commonExtent) {
  commonStart.resize(start.size());
  commonExtent.resize(start.size());
  for (size_t i = 0; i < start.size(); ++i) {
    commonStart[i] = std::max(start[i], otherStart[i]);
    commonExtent[i] =
        std::min(start[i] + extent[i], otherStart[i] + otherExtent[i]) -
        commonStart[i];
    if (commonExtent[i] <= 0)
      return false;
  }
  return true;
}
} // namespace

void checkSameModel(const format::Executable &from,
                    const format::Executable &to, const std::string &name) {
  std::map<std::string, Shape> shapes;
  for (const format::Tensor &tensor : from.parameters())
    shapes[tensor.name()] = shapeOf(tensor.shape());
  std::vector<std::string> missing, misshapen;
  for (const format::Tensor &tensor : to.parameters()) {
    auto at = shapes.find(tensor.name());
    Shape shape = shapeOf(tensor.shape());
    if (at == shapes.end())
      missing.push_back(tensor.name());
    else if (at->second != shape)
      misshapen.push_back(
          text(tensor.name(), " (", shape, ", trained is ", at->second, ")"));
  }
  if (missing.empty() && misshapen.empty())
    return;
  badInput(name, ": not a program of the model that is trained: ",
           missing.empty() ? ""
                           : text("it has the parameters ", listText(missing),
                                  ", which are not trained"),
           !missing.empty() && !misshapen.empty() ? "; " : "",
           misshapen.empty() ? "" : text("misshapen: ", listText(misshapen)));
}

/// A state of the first program, and the boxes of it that ranks hold.
struct ParameterMove::Source {
  ElementType type;
  StateKind kind;
  struct Box {
    const Local *local;
    std::vector<int> holders; // equal copies
  };
  std::vector<Box> boxes;
};

ParameterMove::Local
ParameterMove::localOf(const Mesh &mesh, const format::State &state, int rank) {
  StateBox place(mesh, state, rank);
  return {state.offset(),
          spaceOf(state.memory()),
          static_cast<ElementType>(state.type()),
          place.shard.shape,
          place.start,
          place.shard.extent};
}

ParameterMove::ParameterMove(const format::Executable &from,
                             const format::Executable &to,
                             const std::vector<int> &local,
                             ParameterValues values, int64_t pieceBytes,
                             int64_t roundBytes)
    : pieceBytes(pieceBytes), roundBytes(roundBytes) {
  Mesh mesh(to);
  const int ranks = mesh.ranks();
  isLocal.resize(ranks);
  sent.resize(ranks);
  for (int rank : local)
    isLocal[rank] = true;
  const Sources sources = collectSources(from, values);
  for (int rank = 0; rank < ranks; ++rank)
    for (const format::State &state : to.stages(mesh.stageOf(rank)).states())
      if (isInFiles(to, state))
        addTarget(rank, localOf(mesh, state, rank),
                  sources.at(fileNameOf(to, state)));
}

ParameterMove::Sources
ParameterMove::collectSources(const format::Executable &from,
                              ParameterValues values) {
  Sources sources;
  Mesh mesh(from);
  for (int stage = 0; stage < from.stages_size(); ++stage)
    for (const format::State &state : from.stages(stage).states()) {
      const StateKind kind = kindOf(from, state);
      if (!hasValues(kind, values))
        continue;
      Source source{static_cast<ElementType>(state.type()), kind, {}};
      std::map<Shape, size_t> boxAt;
      for (int rank = 0; rank < mesh.ranks(); ++rank) {
        if (mesh.stageOf(rank) != stage)
          continue;
        Local local = localOf(mesh, state, rank);
        if (volume(local.extent) == 0)
          continue;
        auto [at, isNew] = boxAt.try_emplace(local.start, source.boxes.size());
        if (isNew)
          source.boxes.push_back({&locals.emplace_back(local), {}});
        source.boxes[at->second].holders.push_back(rank);
      }
      PartKey key = {shapeOf(state.start()), shapeOf(state.extent())};
      sources[fileNameOf(from, state)][key].push_back(std::move(source));
    }
  return sources;
}

void ParameterMove::addTarget(int rank, const Local &target,
                              const Parts &parts) {
  const Local *kept = &target;
  // Most parts of other ranks have nothing in common with this one.
  auto keep = [&] {
    if (kept == &target)
      kept = &locals.emplace_back(target);
    return kept;
  };
  if (isLocal[rank] && target.shape != target.extent)
    padded.push_back({rank, keep()});
  auto isBetter = [&](const Source &a, const Source &b) {
    bool isAverage = a.kind == StateKind::Average;
    if (isAverage != (b.kind == StateKind::Average))
      return isAverage;
    bool fits = a.type == target.type, otherFits = b.type == target.type;
    return fits != otherFits ? fits : isPreferred(a.kind, b.kind) && !fits;
  };
  Shape start, extent;
  for (const auto &[key, kinds] : parts) {
    const Source *best = nullptr;
    for (const Source &source : kinds)
      if (!best || isBetter(source, *best))
        best = &source;
    for (const Source::Box &box : best->boxes) {
      if (!intersect(box.local->start, box.local->extent, target.start,
                     target.extent, start, extent))
        continue;
      const std::vector<int> &holders = box.holders;
      bool isHere = std::binary_search(holders.begin(), holders.end(), rank);
      int holder = isHere ? rank : holders[rank % holders.size()];
      bool matters = isLocal[holder] || isLocal[rank];
      addPieces(holder, rank, box.local, matters ? keep() : &target, start,
                extent);
    }
  }
}

void ParameterMove::addPieces(int fromRank, int toRank, const Local *from,
                              const Local *to, const Shape &start,
                              const Shape &extent) {
  int64_t bytes = volume(extent) * int64_t(byteSize(to->type));
  size_t dim = 0;
  while (dim < extent.size() && extent[dim] == 1)
    ++dim;
  if (fromRank != toRank && bytes > pieceBytes && dim < extent.size()) {
    Shape half = extent, secondStart = start, secondHalf = extent;
    half[dim] /= 2;
    secondStart[dim] += half[dim];
    secondHalf[dim] -= half[dim];
    addPieces(fromRank, toRank, from, to, start, half);
    addPieces(fromRank, toRank, from, to, secondStart, secondHalf);
    return;
  }
  // Rounds are counted alike on all ranks, for all pieces.
  if (fromRank != toRank && (sent[fromRank] += bytes) > roundBytes) {
    ++round;
    std::fill(sent.begin(), sent.end(), 0);
    sent[fromRank] = bytes;
  }
  if (isLocal[fromRank] || isLocal[toRank])
    pieces.push_back({fromRank, toRank, from, to, start, extent, round});
}

/// Fills the buffers of the rank that have padding with zeros. The pieces,
/// which come after this, write all but the padding, which is zero in all
/// buffers.
void ParameterMove::clearPadded(int rank, Device &device) const {
  for (const auto &[owner, local] : padded)
    if (owner == rank)
      device.fill(device.mainStream(), device.at(local->offset, local->space),
                  0, 1, volume(local->shape) * byteSize(local->type));
}

static void copy(const void *from, ElementType fromType, const Shape &fromShape,
                 const Shape &fromStart, void *to, ElementType toType,
                 const Shape &toShape, const Shape &toStart,
                 const Shape &extent) {
  if (!copyBox({from, fromType, fromShape, fromStart},
               {to, toType, toShape, toStart}, extent))
    fail("a parameter of type ", typeName(fromType), " cannot be converted to ",
         typeName(toType));
}

/// Views of the parts that the current piece is of: consecutive pieces mostly
/// have the same two.
class ParameterMove::Views {
public:
  const char *read(Device &device, const Local &local) {
    if (&local != source) {
      sourceView = view(device, local, Access::Read);
      source = &local;
    }
    return sourceView.data();
  }
  char *update(Device &device, const Local &local) {
    if (&local != target) {
      finish();
      targetView = view(device, local, Access::Update);
      target = &local;
    }
    return targetView.data();
  }
  /// After the last piece.
  void finish() {
    if (target)
      targetView.commit();
    target = nullptr;
  }

private:
  static HostView view(Device &device, const Local &local, Access access) {
    return HostView(device, device.at(local.offset, local.space),
                    volume(local.shape) * byteSize(local.type), access);
  }
  const Local *source = nullptr, *target = nullptr;
  HostView sourceView, targetView;
};

void ParameterMove::copyTo(int rank, const DeviceOf &from, Device &to) const {
  clearPadded(rank, to);
  Views views;
  for (const Piece &p : pieces)
    if (p.toRank == rank)
      copy(views.read(from(p.fromRank), *p.from), p.from->type, p.from->shape,
           minus(p.start, p.from->start), views.update(to, *p.to), p.to->type,
           p.to->shape, minus(p.start, p.to->start), p.extent);
  views.finish();
}

void ParameterMove::exchange(int rank, Transfers &transfers,
                             const std::function<void()> &barrier, Device &from,
                             Device &to) const {
  clearPadded(rank, to);
  Views views;
  std::vector<char> buffer;
  int64_t done = 0;
  auto catchUp = [&](int64_t with) {
    for (; done < with; ++done)
      barrier();
  };
  for (const Piece &p : pieces) {
    catchUp(p.round);
    bool sends = p.fromRank == rank, receives = p.toRank == rank;
    if (!sends && !receives)
      continue;
    const char *source = sends ? views.read(from, *p.from) : nullptr;
    char *target = receives ? views.update(to, *p.to) : nullptr;
    Shape fromStart = minus(p.start, p.from->start);
    Shape toStart = minus(p.start, p.to->start), zero(p.start.size(), 0);
    if (sends && receives) {
      copy(source, p.from->type, p.from->shape, fromStart, target, p.to->type,
           p.to->shape, toStart, p.extent);
      continue;
    }
    buffer.resize(volume(p.extent) * byteSize(p.to->type));
    if (sends) {
      copy(source, p.from->type, p.from->shape, fromStart, buffer.data(),
           p.to->type, p.extent, zero, p.extent);
      transfers.send(p.toRank, moveTag, buffer.data(), buffer.size());
    } else {
      transfers.receive(p.fromRank, moveTag, buffer.data(), buffer.size());
      copy(buffer.data(), p.to->type, p.extent, zero, target, p.to->type,
           p.to->shape, toStart, p.extent);
    }
  }
  views.finish();
  catchUp(round);
}

} // namespace zcc::rt
