// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives by NCCL. It wants contiguous operands: others are packed before
// one group of calls for all portions of a step, and unpacked after it. An
// operand of few large contiguous blocks gets a call for each block instead.

#include "runtime/cuda/NcclCollectives.h"

#include "runtime/comm/BoxExchange.h"
#include "runtime/cuda/Moves.h"
#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"

#include <optional>

namespace zcc::rt::cuda {

namespace {

using format::CollectiveStep;

// An operand of at most so many blocks, each at least so large, is not packed.
constexpr uint64_t mostBlocks = 8;
constexpr size_t leastBlockBytes = 65536;

size_t alignedPart(size_t bytes) { return (bytes + 255) / 256 * 256; }

struct Reduced {
  int type, operation;
};

/// Nothing if NCCL has no such type or reduction.
std::optional<Reduced> findReduced(const CollectiveStep &step) {
  Reduced out{};
  auto reduction = step.reduction();
  switch (static_cast<ElementType>(step.type())) {
  case ElementType::I1: {
    // Elements of I1 are 0 or 1.
    bool any = reduction == CollectiveStep::SUM ||
               reduction == CollectiveStep::MAX ||
               reduction == CollectiveStep::OR;
    return Reduced{nccl::uint8, any ? nccl::maximum : nccl::minimum};
  }
  case ElementType::I8:
    out.type = nccl::int8;
    break;
  case ElementType::U8:
    out.type = nccl::uint8;
    break;
  case ElementType::I32:
    out.type = nccl::int32;
    break;
  case ElementType::U32:
    out.type = nccl::uint32;
    break;
  case ElementType::I64:
    out.type = nccl::int64;
    break;
  case ElementType::U64:
    out.type = nccl::uint64;
    break;
  case ElementType::F16:
    out.type = nccl::float16;
    break;
  case ElementType::BF16:
    out.type = nccl::bfloat16;
    break;
  case ElementType::F32:
    out.type = nccl::float32;
    break;
  case ElementType::F64:
    out.type = nccl::float64;
    break;
  default:
    return std::nullopt;
  }
  switch (reduction) {
  case CollectiveStep::SUM:
    out.operation = nccl::sum;
    return out;
  case CollectiveStep::PRODUCT:
    out.operation = nccl::product;
    return out;
  case CollectiveStep::MAX:
    out.operation = nccl::maximum;
    return out;
  case CollectiveStep::MIN:
    out.operation = nccl::minimum;
    return out;
  default:
    return std::nullopt;
  }
}

/// Bytes that go between an operand and one peer.
struct Parcel {
  int peer;
  size_t begin;  // in the operand
  Pieces pieces; // `from` is the operand's side of what is sent, `to` that of
                 // what is received; the other is dense
  std::optional<size_t> room; // where it is packed; none: it lies in one piece

  size_t bytes() const { return pieces.bytes(); }
};

/// One portion of a step, on one rank.
struct Plan {
  Plan(const CollectiveStep &step, const Mesh &mesh, int rank, size_t &room);

  void pack(Parcel &parcel, size_t &room) {
    if (parcel.pieces.dims.empty())
      return;
    parcel.room = room;
    room += alignedPart(parcel.bytes());
  }

  const CollectiveStep &step;
  const size_t width, members, row; // bytes of a row of n * inner
  std::vector<Move> own;            // moves within the rank
  std::vector<Parcel> sends, receives;
  std::optional<size_t> room; // of the whole source or target, packed
  bool pads;
};

Plan::Plan(const CollectiveStep &step, const Mesh &mesh, int rank, size_t &used)
    : step(step), width(byteSize(static_cast<ElementType>(step.type()))),
      members(groupOf(step, mesh, rank).size()),
      row(step.n() * step.inner() * width), pads(hasPadding(step, mesh, rank)) {
  if (reduces(step) || step.kind() == CollectiveStep::ALL_GATHER) {
    if (members > 1 && step.outer() > 1 &&
        (step.outer() > mostBlocks || row < leastBlockBytes)) {
      room = used;
      used += alignedPart(step.outer() * row * members);
    }
    if (members == 1 || step.kind() == CollectiveStep::ALL_GATHER)
      own = movesOf(step, mesh, rank);
    return;
  }
  std::vector<int> group = groupOf(step, mesh, rank);
  int member = int(indexIn(group, rank));
  for (Move &move : movesOf(step, mesh, rank)) {
    if (move.member == member) {
      own.push_back(move);
      continue;
    }
    Parcel parcel{move.member, move.to, move.pieces.withDenseFrom(), {}};
    pack(parcel, used);
    receives.push_back(parcel);
  }
  for (int peer = 0; peer < int(members); ++peer) {
    if (peer == member)
      continue;
    for (Move &move : movesOf(step, mesh, group[size_t(peer)])) {
      if (move.member != member)
        continue;
      Parcel parcel{peer, move.from, move.pieces.withDenseTo(), {}};
      pack(parcel, used);
      sends.push_back(parcel);
    }
  }
}

class NcclCollective : public Step {
public:
  NcclCollective(const format::Step &step, const RankSetting &setting,
                 const ExchangePlan &plan, std::shared_ptr<NcclRank> given)
      : nccl(std::move(given)), mesh(setting.mesh), rank(setting.rank) {
    size_t room = 0;
    for (const CollectiveStep *own : portionsOf(step)) {
      reads.push_back(own->source());
      writes.push_back(own->target());
      portions.emplace_back(*own, mesh, rank, room);
    }
    const CollectiveStep &first = portions.front().step;
    member = indexIn(groupOf(first, mesh, rank), rank);
    group = &nccl->group({first.axes().begin(), first.axes().end()});
    auto found = plan.rooms.find(step.stream());
    roomBegin = found == plan.rooms.end() ? 0 : found->second;
  }

  bool warmUp(const Frame &frame) override {
    if (portions.front().members == 1)
      return false;
    std::string what;
    for (const Plan &own : portions)
      what += text(int(own.step.kind()), " ", int(own.step.reduction()), " ",
                   int(own.step.type()), " ", own.step.outer(), " ",
                   own.step.n(), " ", own.step.inner(), "; ");
    if (!nccl->isFirst(*group, what))
      return false;
    execute(frame);
    return true;
  }

  void execute(const Frame &frame) override {
    auto &device = static_cast<CudaDevice &>(frame.device);
    bool isAlone = portions.front().members == 1;
    for (Plan &own : portions)
      isAlone ? moveOwn(frame, own) : before(frame, own);
    if (isAlone)
      return;
    nccl->enqueue(*group, device, frame.stream, name,
                  [&](StreamHandle stream) { return callAll(frame, stream); });
    for (Plan &own : portions)
      after(frame, own);
  }

private:
  static Address source(const Frame &frame, const Plan &own) {
    return frame.operands[own.step.source()];
  }
  static Address target(const Frame &frame, const Plan &own) {
    return frame.operands[own.step.target()];
  }
  Address room(const Frame &frame, size_t offset) const {
    return static_cast<CudaDevice &>(frame.device).exchange() + roomBegin +
           offset;
  }
  static void *pointer(Address at) {
    return reinterpret_cast<void *>(uintptr_t(at.bits()));
  }

  static void copy(const Frame &frame, const Pieces &pieces, Address to,
                   Address from) {
    forEachRows(pieces, [&](size_t fromAt, size_t toAt, size_t rows,
                            size_t fromPitch, size_t toPitch) {
      static_cast<CudaDevice &>(frame.device)
          .copyRows(frame.stream, {to + toAt, toPitch},
                    {from + fromAt, fromPitch}, pieces.width, rows);
    });
  }

  /// Moves the data that a rank has itself; in a group of one, that is all.
  void moveOwn(const Frame &frame, Plan &own) {
    if (own.pads) {
      size_t bytes =
          own.width * size_t(volume(targetBox(own.step, mesh, rank).shape));
      frame.device.fill(frame.stream, target(frame, own), 0, 1, bytes);
    }
    if (reduces(own.step) && source(frame, own) != target(frame, own))
      copy(frame, {own.step.outer() * own.row, {}}, target(frame, own),
           source(frame, own));
    for (const Move &move : own.own)
      copy(frame, move.pieces, target(frame, own) + move.to,
           source(frame, own) + move.from);
  }

  /// Members' rows lie side by side in the operand, and one after the other if
  /// they are packed.
  static Pieces sideBySide(const Plan &own) {
    return {own.row,
            {{own.members, own.row, own.step.outer() * own.row},
             {own.step.outer(), own.row * own.members, own.row}}};
  }

  void before(const Frame &frame, Plan &own) {
    if (own.step.kind() == CollectiveStep::REDUCE_SCATTER && own.room)
      copy(frame, sideBySide(own), room(frame, *own.room), source(frame, own));
    if (reduces(own.step) || own.step.kind() == CollectiveStep::ALL_GATHER)
      return;
    moveOwn(frame, own);
    for (const Parcel &parcel : own.sends)
      if (parcel.room)
        copy(frame, parcel.pieces, room(frame, *parcel.room),
             source(frame, own) + parcel.begin);
  }

  /// Makes the calls of a group's operand in their order, up to one that fails.
  template <typename Call>
  static nccl::Result callEach(uint64_t count, Call call) {
    nccl::Result code = nccl::success;
    for (uint64_t i = 0; i < count; ++i) {
      code = call(i);
      if (code != nccl::success && code != nccl::inProgress)
        return code;
    }
    return code;
  }

  nccl::Result call(const Frame &frame, Plan &own, StreamHandle stream) {
    const Nccl &library = nccl->library;
    const CollectiveStep &step = own.step;
    Address from = source(frame, own), to = target(frame, own);
    bool moves = step.kind() == CollectiveStep::REDUCE_SCATTER ||
                 step.kind() == CollectiveStep::ALL_GATHER;
    uint64_t blocks = moves && !own.room ? step.outer() : 1;
    size_t count = step.outer() / blocks * step.n() * step.inner();
    if (step.kind() == CollectiveStep::ALL_REDUCE) {
      Reduced reduced = *findReduced(step);
      return library.allReduce(pointer(from), pointer(to), count, reduced.type,
                               reduced.operation, group->comm, stream);
    }
    if (step.kind() == CollectiveStep::REDUCE_SCATTER) {
      Reduced reduced = *findReduced(step);
      if (own.room)
        from = room(frame, *own.room);
      return callEach(blocks, [&](uint64_t i) {
        return library.reduceScatter(pointer(from + i * own.members * own.row),
                                     pointer(to + i * own.row), count,
                                     reduced.type, reduced.operation,
                                     group->comm, stream);
      });
    }
    if (step.kind() == CollectiveStep::ALL_GATHER) {
      if (own.room)
        to = room(frame, *own.room);
      return callEach(blocks, [&](uint64_t i) {
        return library.allGather(pointer(from + i * own.row),
                                 pointer(to + i * own.members * own.row),
                                 count * own.width, nccl::int8, group->comm,
                                 stream);
      });
    }
    for (const Parcel &parcel : own.sends) {
      Address at =
          parcel.room ? room(frame, *parcel.room) : from + parcel.begin;
      if (nccl::Result code =
              library.send(pointer(at), parcel.bytes(), nccl::int8, parcel.peer,
                           group->comm, stream);
          code != nccl::success && code != nccl::inProgress)
        return code;
    }
    for (const Parcel &parcel : own.receives) {
      Address at = parcel.room ? room(frame, *parcel.room) : to + parcel.begin;
      if (nccl::Result code =
              library.receive(pointer(at), parcel.bytes(), nccl::int8,
                              parcel.peer, group->comm, stream);
          code != nccl::success && code != nccl::inProgress)
        return code;
    }
    return nccl::success;
  }

  nccl::Result callAll(const Frame &frame, StreamHandle stream) {
    if (nccl::Result code = nccl->library.beginGroup())
      return code;
    nccl::Result wrong = nccl::success;
    for (Plan &own : portions)
      if (wrong == nccl::success) {
        nccl::Result code = call(frame, own, stream);
        if (code != nccl::inProgress)
          wrong = code;
      }
    nccl::Result ended = nccl->library.endGroup();
    return wrong != nccl::success ? wrong : ended;
  }

  void after(const Frame &frame, Plan &own) {
    if (own.step.kind() == CollectiveStep::ALL_GATHER && own.room) {
      Pieces pieces = sideBySide(own);
      for (Pieces::Dim &dim : pieces.dims)
        std::swap(dim.from, dim.to);
      copy(frame, pieces, target(frame, own), room(frame, *own.room));
    }
    for (const Parcel &parcel : own.receives)
      if (parcel.room)
        copy(frame, parcel.pieces, target(frame, own) + parcel.begin,
             room(frame, *parcel.room));
  }

  const std::shared_ptr<NcclRank> nccl;
  const Mesh &mesh;
  const int rank;
  std::vector<Plan> portions;
  NcclGroup *group;
  size_t member, roomBegin;
};

} // namespace

ExchangePlan planNcclExchange(const format::Executable &executable,
                              const Mesh &mesh, int rank) {
  return {executable.stages(mesh.stageOf(rank)), [&](const format::Step &step) {
            ExchangePlan::Need need;
            for (const CollectiveStep *own : portionsOf(step))
              Plan(*own, mesh, rank, need.shared);
            return need;
          }};
}

std::unique_ptr<Step> createNcclCollective(const format::Step &step,
                                           const RankSetting &setting,
                                           const ExchangePlan &plan,
                                           std::shared_ptr<NcclRank> nccl) {
  PortionSteps portions = portionsOf(step);
  if (portions.empty() ||
      (reduces(*portions.front()) && !findReduced(*portions.front())))
    return nullptr;
  return std::make_unique<NcclCollective>(step, setting, plan, std::move(nccl));
}

} // namespace zcc::rt::cuda
