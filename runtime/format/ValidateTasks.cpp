// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The validator's second half: tasks with their steps, and the action tables.

#include "runtime/format/Checker.h"
#include "runtime/format/CollectiveText.h"
#include "runtime/format/TransferPlan.h"
#include "runtime/format/Validate.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace zcc::rt {

CollectiveSizes sizesOf(const format::CollectiveStep &step, uint64_t ranks,
                        const Mesh &mesh) {
  uint64_t bytes = step.outer() * step.n() * step.inner() *
                   byteSize(toElementType(step.type()));
  switch (step.kind()) {
  case format::CollectiveStep::ALL_GATHER:
    return {bytes, bytes * ranks};
  case format::CollectiveStep::REDUCE_SCATTER:
    return {bytes * ranks, bytes};
  case format::CollectiveStep::EXCHANGE_BOXES: {
    auto sizeOf = [&](const ProtoSharding &sharding) {
      Shard box = shardAt(mesh, toSharding(sharding), toShape(step.shape()),
                          mesh.coordinates(0));
      return byteSize(toElementType(step.type())) * volume(box.shape);
    };
    if (step.windows().empty())
      return {sizeOf(step.from()), sizeOf(step.to())};
    uint64_t size = byteSize(toElementType(step.type()));
    for (int i = 4; i < step.windows_size(); i += 5)
      size *= step.windows(i);
    return {sizeOf(step.from()), size};
  }
  default:
    return {bytes, bytes};
  }
}

namespace {

/// Elements of a row of an all-to-all's source or target, and the number of
/// rows.
struct RowCounts {
  uint64_t length, rows;
};

RowCounts sourceRows(const format::CollectiveStep &step, uint64_t ranks) {
  return {step.n() / ranks * step.inner(), step.outer() * ranks};
}

RowCounts targetRows(const format::CollectiveStep &step, uint64_t ranks) {
  uint64_t concat = std::max<uint64_t>(step.concat(), 1);
  return {step.outer() * (step.n() / ranks) * step.inner() / concat,
          concat * ranks};
}

} // namespace

CollectiveSizes extentsOf(const format::CollectiveStep &step, uint64_t ranks,
                          const Mesh &mesh) {
  CollectiveSizes sizes = sizesOf(step, ranks, mesh);
  if (sizes.source == 0)
    return sizes;
  auto extent = [&](const format::CollectiveStep::Rows &place,
                    const RowCounts &own) {
    return byteSize(toElementType(step.type())) *
           (place.begin() + (own.rows - 1) * place.pitch() + own.length);
  };
  if (step.has_source_rows())
    sizes.source = extent(step.source_rows(), sourceRows(step, ranks));
  if (step.has_target_rows())
    sizes.target = extent(step.target_rows(), targetRows(step, ranks));
  return sizes;
}

bool Checker::checkRows(const std::string &where,
                        const format::CollectiveStep &step, uint64_t ranks) {
  auto check = [&](const char *side, const format::CollectiveStep::Rows &place,
                   const RowCounts &own) {
    if (place.pitch() < own.length)
      return fail(where, ": rows of the ", side, " are ", place.pitch(),
                  " elements apart, expected at least their length of ",
                  own.length);
    unsigned __int128 elements = own.rows;
    elements = place.begin() + elements * place.pitch();
    if (place.begin() > maxBytes || place.pitch() > maxBytes ||
        elements > maxBytes / byteSize(toElementType(step.type())))
      return fail(where, ": impossible place of the ", side, ": ", own.rows,
                  " rows at ", place.begin(), " elements and each ",
                  place.pitch(), " after it");
    return true;
  };
  return (!step.has_source_rows() ||
          check("source", step.source_rows(), sourceRows(step, ranks))) &&
         (!step.has_target_rows() ||
          check("target", step.target_rows(), targetRows(step, ranks)));
}

bool Checker::checkBoxes(const std::string &where,
                         const format::CollectiveStep &step) {
  unsigned __int128 total[2] = {1, 1};
  for (int64_t extent : step.shape())
    if (extent < 0 || uint64_t(extent) > maxBytes)
      return fail(where, ": impossible extent ", extent);
  std::vector<int64_t> shape = toShape(step.shape());
  if (!checkSharding(where, step.from(), shape, false) ||
      !checkSharding(where, step.to(), shape, false))
    return false;
  std::set<uint32_t> sources;
  for (size_t d = 0; d < shape.size(); ++d) {
    const ProtoSharding *shardings[2] = {&step.from(), &step.to()};
    for (int i : {0, 1}) {
      const format::DimSharding &dim = (*shardings[i])[int(d)];
      total[i] *= std::max<uint64_t>(dim.padded(), shape[d]);
      if (total[i] > maxBytes)
        return fail(where, ": impossible size");
    }
    sources.insert(step.from(int(d)).axes().begin(),
                   step.from(int(d)).axes().end());
  }
  if (step.windows_size() && size_t(step.windows_size()) != 5 * shape.size())
    return fail(where, ": ", step.windows_size(), " numbers of windows for ",
                shape.size(), " dims, expected 5 each");
  unsigned __int128 volume = 1;
  for (int i = 0; i < step.windows_size(); ++i) {
    int64_t number = step.windows(i);
    int part = i % 5; // step, divisor, scale, offset, size
    constexpr int64_t most = int64_t(1) << 40;
    if (number > most || number < -most || (part == 0 && number < 0) ||
        ((part == 1 || part == 4) && number < 1))
      return fail(where, ": impossible window");
    // The begin of the last box must not overflow.
    if (part == 2 && static_cast<unsigned __int128>(step.windows(i - 2)) *
                             mesh->ranks() * std::abs(number) >
                         maxBytes)
      return fail(where, ": impossible window");
    if (part == 4 && (volume *= number) > maxBytes)
      return fail(where, ": impossible size");
  }
  if (!std::equal(sources.begin(), sources.end(), step.axes().begin(),
                  step.axes().end()))
    return fail(where, ": the axes are not those of the first sharding, in "
                       "ascending order");
  return true;
}

/// Slots with different indices are bound to different places.
static bool overlap(const format::Operand &a, uint64_t aBytes,
                    const format::Operand &b, uint64_t bBytes) {
  if (a.slot() != b.slot() || a.memory() != b.memory() || aBytes == 0 ||
      bBytes == 0)
    return false;
  if (a.slot())
    return a.offset() == b.offset() && a.begin() < b.begin() + bBytes &&
           b.begin() < a.begin() + aBytes;
  return a.offset() < b.offset() + bBytes && b.offset() < a.offset() + aBytes;
}

bool Checker::checkCollective(const std::string &where,
                              const format::CollectiveStep &step,
                              const format::Task &task) {
  uint64_t ranks = 1;
  std::set<uint32_t> seen;
  for (uint32_t axis : step.axes()) {
    if (axis >= mesh->axes().size() || mesh->axes()[axis].temporal ||
        !seen.insert(axis).second)
      return fail(where, ": axis ", axis,
                  " is not an axis of ranks, or named twice");
    ranks *= mesh->axes()[axis].size;
  }
  if (!format::CollectiveStep::Kind_IsValid(step.kind()) ||
      !format::CollectiveStep::Reduction_IsValid(step.reduction()))
    return fail(where, ": unknown kind or reduction");
  ElementType type = toElementType(step.type());
  if (!checkType(where, step.type()))
    return false;
  bool reduces = step.kind() == format::CollectiveStep::ALL_REDUCE ||
                 step.kind() == format::CollectiveStep::REDUCE_SCATTER;
  bool logical = step.reduction() == format::CollectiveStep::AND ||
                 step.reduction() == format::CollectiveStep::OR;
  if (reduces && logical && isFloat(type))
    return fail(where, ": a logical reduction of ", typeName(type));
  if (reduces && isOnlyStored(type))
    return fail(where, ": a reduction of ", typeName(type));
  unsigned __int128 total = byteSize(type);
  for (uint64_t factor : {step.outer(), step.n(), step.inner(), ranks}) {
    if (factor > maxBytes)
      return fail(where, ": impossible extent ", factor);
    total *= factor;
    if (total > maxBytes)
      return fail(where, ": impossible size");
  }
  if (step.kind() == format::CollectiveStep::ALL_REDUCE &&
      (step.outer() != 1 || step.inner() != 1))
    return fail(where, ": an all-reduce with outer ", step.outer(),
                " and inner ", step.inner(), ", expected 1 and 1");
  if (step.kind() == format::CollectiveStep::ALL_TO_ALL) {
    if (step.n() % ranks != 0)
      return fail(where, ": ", step.n(),
                  " elements along the dim, not a "
                  "multiple of the ",
                  ranks, " ranks");
    uint64_t block = step.outer() * (step.n() / ranks) * step.inner();
    uint64_t concat = step.concat() ? step.concat() : 1;
    if (concat > maxBytes)
      return fail(where, ": impossible extent ", concat);
    if (block % concat != 0)
      return fail(where, ": a block of ", block,
                  " elements cannot be cut into ", concat, " rows");
    if (!checkRows(where, step, ranks))
      return false;
  } else if (step.has_source_rows() || step.has_target_rows()) {
    return fail(where, ": rows of a part in a collective of kind ",
                kindText(step), ", expected an all-to-all");
  }
  if (step.kind() == format::CollectiveStep::EXCHANGE_BOXES &&
      !checkBoxes(where, step))
    return false;
  if (step.source() >= uint32_t(task.operands_size()) ||
      step.target() >= uint32_t(task.operands_size()))
    return fail(where, ": operand ", step.source(), " or ", step.target(),
                " of ", task.operands_size());
  for (uint32_t index : {step.what(), step.value(), step.why(), step.place()})
    if (index != 0 && index >= uint32_t(executable.texts_size()))
      return fail(where, ": text ", index, " of ", executable.texts_size());
  CollectiveSizes sizes = extentsOf(step, ranks, *mesh);
  const format::Operand &source = task.operands(step.source());
  const format::Operand &target = task.operands(step.target());
  if (source.size() < sizes.source || target.size() < sizes.target)
    return fail(where, ": needs ", sizes.source, " and ", sizes.target,
                " bytes, the operands have ", source.size(), " and ",
                target.size());
  if (!target.written())
    return fail(where, ": writes operand \"", target.name(),
                "\", which is not marked as written");
  if (step.kind() == format::CollectiveStep::ALL_REDUCE &&
      step.source() == step.target())
    return true;
  if (overlap(source, sizes.source, target, sizes.target))
    return fail(where, ": source and target overlap");
  return true;
}

static bool mayRunTogether(format::CollectiveStep::Kind kind) {
  return kind == format::CollectiveStep::ALL_REDUCE ||
         kind == format::CollectiveStep::ALL_GATHER ||
         kind == format::CollectiveStep::REDUCE_SCATTER ||
         kind == format::CollectiveStep::ALL_TO_ALL;
}

bool Checker::checkBucket(const std::string &where,
                          const format::CollectiveBucket &bucket,
                          const format::Task &task) {
  if (bucket.members_size() < 2)
    return fail(where, ": a bucket of ", bucket.members_size(),
                ", expected at least 2");
  const format::CollectiveStep &first = bucket.members(0);
  std::vector<CollectiveSizes> sizes;
  uint64_t ranks = 1;
  for (int i = 0; i < bucket.members_size(); ++i) {
    const format::CollectiveStep &member = bucket.members(i);
    std::string what = text(where, ", member ", i);
    if (!mayRunTogether(member.kind()))
      return fail(what, ": of a kind that runs alone");
    if (!checkCollective(what, member, task))
      return false;
    if (member.kind() != first.kind() || member.type() != first.type() ||
        member.reduction() != first.reduction() ||
        !std::equal(member.axes().begin(), member.axes().end(),
                    first.axes().begin(), first.axes().end()))
      return fail(what, ": of another kind, group, type or reduction than the "
                        "first");
    if (i == 0)
      for (uint32_t axis : member.axes())
        ranks *= mesh->axes()[axis].size;
    sizes.push_back(extentsOf(member, ranks, *mesh));
  }
  auto operand = [&](uint32_t index) -> const format::Operand & {
    return task.operands(int(index));
  };
  for (int i = 0; i < bucket.members_size(); ++i)
    for (int k = 0; k < bucket.members_size(); ++k) {
      const format::CollectiveStep &a = bucket.members(i),
                                   &b = bucket.members(k);
      if (i != k && (overlap(operand(a.target()), sizes[i].target,
                             operand(b.source()), sizes[k].source) ||
                     overlap(operand(a.target()), sizes[i].target,
                             operand(b.target()), sizes[k].target)))
        return fail(where, ": members ", i, " and ", k, " overlap");
    }
  return true;
}

bool Checker::checkTexts() {
  if (executable.texts_size() && !executable.texts(0).empty())
    return fail("the first text is \"", executable.texts(0),
                "\", expected an empty one");
  return true;
}

bool Checker::checkTask(const std::string &where, const format::Stage &stage,
                        const format::Task &task) {
  if (!format::Task::Kind_IsValid(task.kind()))
    return fail(where, ": unknown kind ", int(task.kind()));
  for (const format::Operand &operand : task.operands()) {
    std::string what = text(where, ", operand \"", operand.name(), "\"");
    if (operand.size() > maxBytes)
      return fail(what, ": ", operand.size(), " bytes");
    if (!checkMemory(what, operand.memory()))
      return false;
    if (operand.begin() > maxBytes || operand.begin() % operandAlignment ||
        (operand.begin() && !operand.slot()))
      return fail(what, ": begins after ", operand.begin(),
                  " bytes of it, expected a multiple of ", operandAlignment,
                  ", of a slot");
    if (operand.slot() ? operand.offset() > (1u << 24)
                       : !checkOperandRange(what, stage, operand.memory(),
                                            operand.offset(), operand.size(),
                                            operand.written()))
      return fail(what, ": slot ", operand.offset());
    if (task.kind() == format::Task::INIT && !operand.slot() &&
        operand.memory() == format::DEVICE &&
        isCallers(stage, operand.offset()))
      return fail(what, ": is an input in the caller's memory, which only "
                        "steps have");
  }
  for (int i = 0; i < task.steps_size(); ++i) {
    const format::Step &step = task.steps(i);
    std::string what = text(where, ", step ", i, " \"", step.name(), "\"");
    if (!checkStep(what, step, task))
      return false;
  }
  return true;
}

bool Checker::checkOperandRange(const std::string &where,
                                const format::Stage &stage,
                                format::Memory memory, uint64_t offset,
                                uint64_t size, bool isWritten) {
  if (memory != format::DEVICE || !isCallers(stage, offset))
    return checkRange(where, offset, size, arenaBytes(stage, spaceOf(memory)),
                      operandAlignment);
  auto part = callerParts.upper_bound(offset);
  if (part == callerParts.begin() || offset % operandAlignment != 0)
    return fail(where, ": no input in the caller's memory is at ", offset);
  --part;
  uint64_t begin = offset - part->first;
  if (begin > part->second || size > part->second - begin)
    return fail(where, ": bytes ", offset, " to ", offset, " + ", size,
                " lie outside of the input at ", part->first, " of ",
                part->second, " bytes");
  return !isWritten || fail(where, ": writes an input in the caller's memory");
}

bool Checker::checkOperand(const std::string &where, const format::Task &task,
                           uint32_t index, bool written) {
  if (index >= uint32_t(task.operands_size()))
    return fail(where, ": operand ", index, " of ", task.operands_size());
  if (written && !task.operands(int(index)).written())
    return fail(where, ": writes operand \"", task.operands(int(index)).name(),
                "\", which is not marked as written");
  return true;
}

bool Checker::checkKernel(const std::string &what,
                          const format::KernelStep &run,
                          const format::Task &task) {
  if (run.kernel() >= uint32_t(executable.kernels_size()))
    return fail(what, ": kernel ", run.kernel(), " of ",
                executable.kernels_size());
  const format::Kernel &kernel = executable.kernels(run.kernel());
  if (kernel.has_segments())
    return fail(what, ": kernel \"", kernel.symbol(),
                "\" is for launches of batches");
  if (uint32_t(run.operands_size()) != kernel.buffers())
    return fail(what, ": ", run.operands_size(), " operands, kernel \"",
                kernel.symbol(), "\" has ", kernel.buffers(), " buffers");
  if (run.reads() > uint32_t(run.operands_size()))
    return fail(what, ": reads ", run.reads(), " of ", run.operands_size(),
                " operands");
  for (int k = 0; k < run.operands_size(); ++k)
    if (!checkOperand(what, task, run.operands(k), uint32_t(k) >= run.reads()))
      return false;
  if (isOfLibrary(kernel) && !checkLibraryStep(what, run, task))
    return false;
  return !kernel.has_program() || checkProgramStep(what, run, task);
}

namespace {

/// The ends of ranges that begin before a place, by member of a batch. Keeps
/// the two farthest ones, of different members.
class Reach {
public:
  void add(int member, uint64_t end) {
    if (member == farthest.member || end > farthest.end) {
      if (member != farthest.member)
        next = farthest;
      farthest = {member, std::max(end, member == farthest.member ? farthest.end
                                                                  : end)};
    } else if (end > next.end) {
      next = {member, end};
    }
  }
  /// A member other than the given one with a range beyond `begin`; -1: none.
  int findOther(int member, uint64_t begin) const {
    const One &other = farthest.member == member ? next : farthest;
    return other.end > begin ? other.member : -1;
  }

private:
  struct One {
    int member = -1;
    uint64_t end = 0;
  };
  One farthest, next;
};

struct MemberRange {
  uint64_t place, begin, end; // bytes; place: a memory, or a slot
  int member;
  bool written;
};

} // namespace

bool Checker::checkBatch(const std::string &where,
                         const format::KernelBatch &batch,
                         const format::Task &task) {
  if (batch.members_size() < 2)
    return fail(where, ": a batch of ", batch.members_size(),
                ", expected at least 2");
  std::vector<MemberRange> ranges;
  for (int i = 0; i < batch.members_size(); ++i) {
    const format::KernelStep &member = batch.members(i);
    if (!checkKernel(text(where, ", member ", i), member, task))
      return false;
    for (int k = 0; k < member.operands_size(); ++k) {
      const format::Operand &operand = task.operands(int(member.operands(k)));
      uint64_t begin = operand.slot() ? operand.begin() : operand.offset();
      uint64_t place = operand.slot() ? 2 + operand.offset() : operand.memory();
      ranges.push_back({place, begin, begin + operand.size(), i,
                        uint32_t(k) >= member.reads()});
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const MemberRange &a, const MemberRange &b) {
              return std::tie(a.place, a.begin, a.end, a.member, a.written) <
                     std::tie(b.place, b.begin, b.end, b.member, b.written);
            });
  Reach used, written;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const MemberRange &own = ranges[i];
    if (i > 0 && ranges[i - 1].place != own.place)
      used = written = Reach();
    int other = (own.written ? used : written).findOther(own.member, own.begin);
    if (own.begin < own.end && other >= 0)
      return fail(where, ": members ", std::min(other, own.member), " and ",
                  std::max(other, own.member), " overlap");
    used.add(own.member, own.end);
    if (own.written)
      written.add(own.member, own.end);
  }
  return checkLaunches(where, batch);
}

bool Checker::checkCopy(const std::string &what, const format::CopyStep &copy,
                        const format::Task &task) {
  if (!checkOperand(what, task, copy.source(), false) ||
      !checkOperand(what, task, copy.target(), true))
    return false;
  uint64_t source = task.operands(copy.source()).size();
  uint64_t target = task.operands(copy.target()).size();
  return source <= target ||
         fail(what, ": copies ", source, " bytes into ", target);
}

bool Checker::checkFill(const std::string &what, const format::FillStep &fills,
                        const format::Task &task) {
  if (!checkOperand(what, task, fills.target(), true))
    return false;
  uint64_t value = fills.value();
  uint32_t width = fills.width() ? fills.width() : 1;
  if (width > 8 || (width & (width - 1)))
    return fail(what, ": fills elements of ", width, " bytes");
  if (width < 8 && value >> (8 * width))
    return fail(what, ": fills with ", value, ", more than ", width,
                width == 1 ? " byte" : " bytes");
  const format::Operand &target = task.operands(fills.target());
  return target.size() % width == 0 ||
         fail(what, ": fills operand \"", target.name(), "\" with elements of ",
              width, " bytes");
}

bool Checker::checkObserve(const std::string &what,
                           const format::ObserveStep &observe,
                           const format::Task &task) {
  if (observe.operands_size() != observe.states_size())
    return fail(what, ": ", observe.operands_size(), " operands and ",
                observe.states_size(), " states");
  for (int k = 0; k < observe.operands_size(); ++k) {
    if (!checkOperand(what, task, observe.operands(k), false))
      return false;
    const format::State &state = observe.states(k);
    ElementType type = toElementType(state.type());
    if (!isFloat(type))
      return fail(what, ": observes a value of type ", typeName(type));
    Shard shard =
        shardAt(*mesh, toSharding(state.sharding()), toShape(state.extent()),
                Coordinates(mesh->axes().size(), 0));
    auto size = bytes(shard.shape, type);
    const format::Operand &operand = task.operands(observe.operands(k));
    if (!size || *size > operand.size())
      return fail(what, ": observes ", size.value_or(0), " bytes of operand \"",
                  operand.name(), "\", which has ", operand.size());
  }
  return true;
}

bool Checker::checkStep(const std::string &what, const format::Step &step,
                        const format::Task &task) {
  return checkOperation(what, step, task) && checkMemories(what, step, task);
}

bool Checker::checkOperation(const std::string &what, const format::Step &step,
                             const format::Task &task) {
  switch (step.what_case()) {
  case format::Step::kKernel:
    return checkKernel(what, step.kernel(), task);
  case format::Step::kCollective:
    return checkCollective(what, step.collective(), task);
  case format::Step::kBatch:
    return checkBatch(what, step.batch(), task);
  case format::Step::kBucket:
    return checkBucket(what, step.bucket(), task);
  case format::Step::kCopy:
    return checkCopy(what, step.copy(), task);
  case format::Step::kFill:
    return checkFill(what, step.fill(), task);
  case format::Step::kObserve:
    return checkObserve(what, step.observe(), task);
  case format::Step::kRepeat:
    return checkRepeat(what, step.repeat(), task);
  case format::Step::WHAT_NOT_SET:
    break;
  }
  return fail(what, ": does nothing");
}

bool Checker::checkChunks(int index) {
  const format::Stage &stage = executable.stages(index);
  for (const format::Task &task : stage.tasks()) {
    bool once = task.kind() == format::Task::PROLOGUE ||
                task.kind() == format::Task::EPILOGUE;
    if (once && task.chunk() != 0)
      return fail("stage ", index, ", task \"", task.name(), "\": of chunk ",
                  task.chunk(), ", expected 0: it is of all chunks");
  }
  return true;
}

bool Checker::checkActions(int index) {
  const format::Stage &stage = executable.stages(index);
  // The bytes that a task needs in each of its slots, and in which memory.
  struct Slot {
    uint64_t size = 0;
    bool isWritten = false;
    const format::Operand *operand = nullptr;
  };
  std::vector<std::vector<Slot>> slots(stage.tasks_size());
  for (int i = 0; i < stage.tasks_size(); ++i)
    for (const format::Operand &operand : stage.tasks(i).operands())
      if (operand.slot()) {
        if (slots[i].size() <= operand.offset())
          slots[i].resize(operand.offset() + 1);
        Slot &slot = slots[i][operand.offset()];
        slot.size =
            std::max<uint64_t>(slot.size, operand.begin() + operand.size());
        if (slot.operand && slot.operand->memory() != operand.memory())
          return fail("stage ", index, ", task \"", stage.tasks(i).name(),
                      "\": operands \"", slot.operand->name(), "\" and \"",
                      operand.name(), "\" of slot ", operand.offset(),
                      " are in different memories");
        slot.isWritten |= operand.written();
        slot.operand = &operand;
      }
  for (int i = 0; i < stage.actions_size(); ++i) {
    const format::Action &action = stage.actions(i);
    std::string where = text("stage ", index, ", action ", i);
    switch (action.what_case()) {
    case format::Action::kRun: {
      const format::Run &run = action.run();
      if (run.task() >= uint32_t(stage.tasks_size()))
        return fail(where, ": task ", run.task(), " of ", stage.tasks_size());
      if (stage.tasks(run.task()).kind() == format::Task::INIT)
        return fail(where, ": runs an init task");
      if (run.microbatch() >= mesh->microbatches())
        return fail(where, ": microbatch ", run.microbatch(), " of ",
                    mesh->microbatches());
      const auto &own = slots[run.task()];
      if (size_t(run.slots_size()) < own.size())
        return fail(where, ": gives ", run.slots_size(), " slots, task \"",
                    stage.tasks(run.task()).name(), "\" uses ", own.size());
      for (size_t k = 0; k < own.size(); ++k) {
        format::Memory memory =
            own[k].operand ? own[k].operand->memory() : format::DEVICE;
        if (!checkOperandRange(text(where, ", slot ", k), stage, memory,
                               run.slots(k), own[k].size, own[k].isWritten))
          return false;
      }
      break;
    }
    case format::Action::kSend:
    case format::Action::kReceive: {
      const format::Transfer &transfer =
          action.has_send() ? action.send() : action.receive();
      if (transfer.peer() >= uint32_t(executable.stages_size()) ||
          transfer.peer() == uint32_t(index))
        return fail(where, ": transfer \"", transfer.name(), "\" with stage ",
                    transfer.peer());
      if (!checkRange(text(where, ": transfer \"", transfer.name(), "\""),
                      transfer.offset(), transfer.size(), arenaBytes(stage), 1))
        return false;
      break;
    }
    case format::Action::WHAT_NOT_SET:
      return fail(where, ": does nothing");
    }
  }
  return true;
}

bool Checker::checkTransfers() {
  // (from, to, tag) -> size.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;
  std::map<Key, uint64_t> sends, receives;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (const format::Action &action : executable.stages(i).actions()) {
      if (action.has_run())
        continue;
      bool isSend = action.has_send();
      const format::Transfer &transfer =
          isSend ? action.send() : action.receive();
      Key key = isSend ? Key(i, transfer.peer(), transfer.tag())
                       : Key(transfer.peer(), i, transfer.tag());
      if (!(isSend ? sends : receives).insert({key, transfer.size()}).second)
        return fail("stage ", i, ": tag ", transfer.tag(), " of \"",
                    transfer.name(), "\" is used twice");
    }
  for (const auto &[key, size] : sends) {
    auto at = receives.find(key);
    if (at == receives.end() || at->second != size)
      return fail("stage ", std::get<0>(key), " sends tag ", std::get<2>(key),
                  " of ", size, " bytes to stage ", std::get<1>(key),
                  ", which ",
                  at == receives.end() ? text("never receives it")
                                       : text("expects ", at->second));
  }
  for (const auto &entry : receives)
    if (!sends.count(entry.first))
      return fail("stage ", std::get<1>(entry.first), " receives tag ",
                  std::get<2>(entry.first), " from stage ",
                  std::get<0>(entry.first), ", which never sends it");

  std::string circle;
  planTransfers(executable, &circle);
  if (!circle.empty())
    return fail("the stages wait for each other in a circle: ", circle);
  return true;
}

} // namespace zcc::rt
