// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/TaskMessages.h"
#include "dialects/TensorBytes.h"

#include "dialects/Exec/Steps.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "passes/Memory/Memory.h"
#include "runtime/format/Arenas.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;

namespace zcc {

namespace format = rt::format;

unsigned TextTable::get(StringRef text) {
  if (text.empty())
    return 0;
  if (all.empty())
    all.emplace_back();
  auto [at, isNew] = index.try_emplace(text, all.size());
  if (isNew)
    all.push_back(text.str());
  return at->second;
}

static void
fillSharding(dist::ShardingAttr sharding, ArrayRef<int64_t> extents,
             const Indices &axes,
             google::protobuf::RepeatedPtrField<format::DimSharding> &out) {
  for (auto [i, dim] : llvm::enumerate(sharding.getDims())) {
    format::DimSharding *own = out.Add();
    for (Attribute axis : cast<ArrayAttr>(dim))
      own->add_axes(axes.lookup(cast<StringAttr>(axis).getValue()));
    int64_t extent = i < extents.size() ? extents[i] : 0;
    if (int64_t padded = sharding.getPaddedExtent(i, extent); padded != extent)
      own->set_padded(padded);
  }
}

std::string tensorKey(dist::StateOp state) {
  StringRef own = state.getOwnName().value_or(nameOf(state.getKind()));
  return (own + "\n" + state.getParameter().value_or("")).str();
}

void fillState(dist::StateOp state, const Indices &axes, unsigned tensor,
               format::State &out) {
  out.set_tensor(tensor);
  for (int64_t start : state.getStart())
    out.add_start(start);
  for (int64_t extent : state.getExtent())
    out.add_extent(extent);
  fillSharding(state.getSharding(), state.getExtent(), axes,
               *out.mutable_sharding());
  out.set_type(
      toFormatType(cast<RankedTensorType>(state.getType()).getElementType()));
}

void fillInput(dist::InputOp input, const Indices &axes, format::Input &out) {
  auto type = cast<RankedTensorType>(input.getType());
  format::Tensor &tensor = *out.mutable_tensor();
  tensor.set_name(input.getInput().str());
  tensor.set_type(toFormatType(type.getElementType()));
  for (int64_t extent : type.getShape())
    tensor.add_shape(extent);
  fillSharding(input.getSharding(), type.getShape(), axes,
               *out.mutable_sharding());
  if (auto offsets =
          input->getAttrOfType<DenseI64ArrayAttr>(exec::offsetsAttrName))
    for (int64_t offset : offsets.asArrayRef())
      out.add_offsets(offset);
  if (auto limit = input->getAttrOfType<DenseI64ArrayAttr>(dist::limitAttrName);
      limit && limit.size() == 2) {
    out.set_low(limit[0]);
    out.set_limit(limit[1]);
  }
  out.set_key(input->hasAttr(dist::randomKeyAttrName));
}

static format::Output::Kind toFormatKind(dist::OutputKind kind) {
  switch (kind) {
  case dist::OutputKind::Loss:
    return format::Output::LOSS;
  case dist::OutputKind::Metric:
    return format::Output::METRIC;
  case dist::OutputKind::GradientNorm:
    return format::Output::GRADIENT_NORM;
  case dist::OutputKind::Finite:
    return format::Output::FINITE;
  case dist::OutputKind::GradientSquares:
    return format::Output::GRADIENT_SQUARES;
  case dist::OutputKind::Array:
    return format::Output::ARRAY;
  }
  llvm_unreachable("a kind of output");
}

static format::Task::Kind toFormatKind(dist::TaskKind kind) {
  switch (kind) {
  case dist::TaskKind::Prologue:
    return format::Task::PROLOGUE;
  case dist::TaskKind::Forward:
    return format::Task::FORWARD;
  case dist::TaskKind::Backward:
    return format::Task::BACKWARD;
  case dist::TaskKind::WeightBackward:
    return format::Task::WEIGHT_BACKWARD;
  case dist::TaskKind::Epilogue:
    return format::Task::EPILOGUE;
  case dist::TaskKind::Init:
    return format::Task::INIT;
  }
  llvm_unreachable("a kind of task");
}

void fillOutput(dist::OutputOp output, const Indices &axes,
                format::Output &out) {
  out.set_kind(toFormatKind(output.getKind()));
  out.set_name(output.getOutput().str());
  out.set_type(
      toFormatType(cast<RankedTensorType>(output.getType()).getElementType()));
  if (auto names = output.getNames())
    for (Attribute name : *names)
      out.add_names(cast<StringAttr>(name).getValue().str());
  if (output.getKind() != dist::OutputKind::Array)
    return;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(*output.getGlobal()).getShape();
  for (int64_t extent : shape)
    out.add_shape(extent);
  fillSharding(*output.getSharding(), shape, axes, *out.mutable_sharding());
}

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t out = 1;
  for (int64_t extent : extents)
    out *= extent;
  return out;
}

LogicalResult
TaskMessages::fillAxes(Operation *op, ArrayAttr names,
                       google::protobuf::RepeatedField<uint32_t> &out) {
  for (Attribute axis : names) {
    StringRef name = cast<StringAttr>(axis).getValue();
    auto at = axes.find(name);
    if (at == axes.end())
      return op->emitError() << "the mesh has no axis '" << name << "'";
    out.Add(at->second);
  }
  return success();
}

std::optional<format::CollectiveStep::Reduction>
toFormatReduction(StringRef reduction) {
  std::optional<train::ReduceKind> kind =
      reduction.empty() ? train::ReduceKind::add
                        : train::symbolizeReduceKind(reduction);
  if (!kind)
    return std::nullopt;
  switch (*kind) {
  case train::ReduceKind::add:
    return format::CollectiveStep::SUM;
  case train::ReduceKind::maximum:
    return format::CollectiveStep::MAX;
  case train::ReduceKind::minimum:
    return format::CollectiveStep::MIN;
  case train::ReduceKind::logical_and:
    return format::CollectiveStep::AND;
  case train::ReduceKind::logical_or:
    return format::CollectiveStep::OR;
  case train::ReduceKind::multiply:
    return format::CollectiveStep::PRODUCT;
  case train::ReduceKind::logical_xor:
  case train::ReduceKind::replace:
    return std::nullopt;
  }
  llvm_unreachable("a kind of reduction");
}

LogicalResult TaskMessages::fillCollective(exec::CollectiveOp op,
                                           format::CollectiveStep &out) {
  RankedTensorType source = op.getSourceType(), target = op.getTargetType();
  out.set_type(toFormatType(source.getElementType()));
  out.set_what(texts.get(dist::stringifyMovedKind(op.getWhat())));
  out.set_value(texts.get(op.getValue()));
  out.set_why(texts.get(op.getWhy()));
  out.set_place(texts.get(printPlace(op.getLoc())));
  out.set_source(operand(op.getSource()));
  out.set_target(operand(op.getTarget()));
  if (failed(fillAxes(op, op.getAxes(), *out.mutable_axes())))
    return failure();
  auto view = [&](ArrayRef<int64_t> shape, int64_t dim) {
    out.set_outer(product(shape.take_front(dim)));
    out.set_n(shape[dim]);
    out.set_inner(product(shape.drop_front(dim + 1)));
  };
  int64_t split = op.getSplitDim(), concat = op.getConcatDim();
  auto whole = [&](int64_t elements) {
    out.set_outer(1);
    out.set_n(elements);
    out.set_inner(1);
  };
  switch (op.getKind()) {
  case dist::CollectiveKind::all_reduce:
    out.set_kind(format::CollectiveStep::ALL_REDUCE);
    whole(source.getNumElements());
    break;
  case dist::CollectiveKind::all_gather:
    out.set_kind(format::CollectiveStep::ALL_GATHER);
    view(source.getShape(), concat);
    break;
  case dist::CollectiveKind::reduce_scatter:
    out.set_kind(format::CollectiveStep::REDUCE_SCATTER);
    view(target.getShape(), split);
    break;
  case dist::CollectiveKind::all_to_all: {
    out.set_kind(format::CollectiveStep::ALL_TO_ALL);
    view(source.getShape(), split);
    SmallVector<int64_t> block(source.getShape());
    block[split] /= mesh.getGroupSize(op.getAxes());
    out.set_concat(product(ArrayRef(block).take_front(concat)));
    auto fillRows = [&](ArrayRef<int64_t> part, int64_t rows,
                        format::CollectiveStep::Rows &out) {
      int64_t row = product(ArrayRef(block).drop_front(rows));
      out.set_begin(part[1] * row);
      out.set_pitch(part[2] * row);
    };
    if (auto part = op.getSourcePart())
      fillRows(*part, split, *out.mutable_source_rows());
    if (auto part = op.getTargetPart())
      fillRows(*part, concat, *out.mutable_target_rows());
    break;
  }
  case dist::CollectiveKind::permute:
    out.set_kind(format::CollectiveStep::PERMUTE);
    whole(source.getNumElements());
    out.set_shift(*op.getShift());
    break;
  case dist::CollectiveKind::exchange_boxes: {
    out.set_kind(format::CollectiveStep::EXCHANGE_BOXES);
    whole(1);
    dist::Boxes boxes = *op.getBoxes();
    for (int64_t extent : boxes.shape)
      out.add_shape(extent);
    fillSharding(boxes.from, boxes.shape, axes, *out.mutable_from());
    fillSharding(boxes.to, boxes.shape, axes, *out.mutable_to());
    if (boxes.windows)
      for (int64_t number : *boxes.windows)
        out.add_windows(number);
    break;
  }
  }
  StringRef reduction = op.getReduction();
  auto found = toFormatReduction(reduction);
  if (!found)
    return op.emitError() << "no collective reduces by '" << reduction << "'";
  out.set_reduction(*found);
  return success();
}

LogicalResult TaskMessages::fillObserve(exec::ObserveOp op,
                                        format::ObserveStep &out) {
  out.set_scaled(op.getScaled());
  auto shardings = op->getAttrOfType<ArrayAttr>(dist::operandShardingsAttrName);
  for (auto [i, value, name] :
       llvm::enumerate(op.getValues(), op.getStates())) {
    auto symbol = cast<SymbolRefAttr>(name).getRootReference();
    auto state = symbols.lookup<dist::StateOp>(symbol);
    if (!state)
      return op.emitError() << "no dist.state '" << symbol.getValue() << "'";
    out.add_operands(operand(value));
    format::State &own = *out.add_states();
    fillState(state, axes, tensors.lookup(tensorKey(state)), own);
    own.set_type(toFormatType(
        cast<exec::BufferType>(value.getType()).getTensor().getElementType()));
    auto sharding = shardings && i < shardings.size()
                        ? dyn_cast<dist::ShardingAttr>(shardings[i])
                        : dist::ShardingAttr();
    if (!sharding)
      continue;
    // A gradient that is sharded differently from its parameter. Its dims are
    // the last ones of the file; the first ones are those of a stack.
    size_t dims = sharding.getDims().size();
    if (dims > state.getExtent().size())
      return op.emitError()
             << "value " << i << " has " << dims
             << " dims, its parameter's file " << state.getExtent().size();
    size_t lead = state.getExtent().size() - dims;
    own.clear_sharding();
    for (size_t k = 0; k < lead; ++k)
      own.add_sharding();
    fillSharding(sharding, state.getExtent().drop_front(lead), axes,
                 *own.mutable_sharding());
  }
  return success();
}

LogicalResult TaskMessages::fillTask(exec::TaskOp task, format::Task &out) {
  out.set_kind(toFormatKind(task.getKind()));
  out.set_name(task.getSymName().str());
  out.set_chunk(task.getChunk());
  if (task.getKind() != dist::TaskKind::Init)
    taskIndex.insert({task.getSymName(), taskIndex.size()});
  operands.clear();
  // Buffers with the same name and the same part are one operand, whatever
  // their shapes.
  std::map<std::tuple<exec::BufferSpace, StringRef, int64_t, int64_t>, unsigned>
      index;
  for (auto buffer : task.getOps<exec::BufferOp>()) {
    int64_t part = buffer.getBegin() ? buffer.getEndByte() : -1;
    auto [at, isNew] = index.insert(
        {{buffer.getSpace(), buffer.getName(), buffer.getFirstByte(), part},
         unsigned(out.operands_size())});
    operands[buffer.getResult()] = at->second;
    bool isSent = buffer.getSpace() == exec::BufferSpace::Value ||
                  buffer.getSpace() == exec::BufferSpace::Accumulator;
    if (isSent) {
      int64_t &bytes = valueBytes[buffer.getName()];
      bytes = std::max(bytes, buffer.getEndByte());
    }
    if (!isNew)
      continue;
    format::Operand *own = out.add_operands();
    if (!buffer.getOffset() && !buffer.getSlot())
      return buffer.emitError() << "is not planned: neither offset nor slot";
    own->set_slot(buffer.getSlot().has_value());
    own->set_offset(buffer.getSlot()
                        ? *buffer.getSlot()
                        : *buffer.getOffset() + buffer.getFirstByte());
    if (buffer.getSlot())
      own->set_begin(buffer.getFirstByte());
    own->set_size(buffer.getType().getBytes());
    own->set_name(buffer.getName().str());
    own->set_memory(rt::memoryOf(buffer.getMemorySpace()));
    if (isSent && !buffer.getBegin())
      valueBytes[buffer.getName()] = buffer.getType().getBytes();
  }
  for (Operation &op : task.getBody().front())
    if (!isa<exec::BufferOp>(op) &&
        failed(fillStep(op, task.getKind(), out, *out.add_steps())))
      return failure();
  return success();
}

static std::string kindName(exec::CollectiveOp op) {
  return dist::stringifyCollectiveKind(op.getKind()).str();
}

LogicalResult TaskMessages::fillStep(Operation &op, dist::TaskKind kind,
                                     format::Task &out, format::Step &step) {
  auto target = [&](Value value) {
    out.mutable_operands(operand(value))->set_written(true);
    return operand(value);
  };
  std::string what = op.getName().stripDialect().str();
  auto fillLaunch = [&](exec::LaunchOp launch,
                        format::KernelStep &own) -> LogicalResult {
    auto at = kernels.find(launch.getKernel());
    if (at == kernels.end())
      return launch.emitError() << "no kernel '" << launch.getKernel() << "'";
    own.set_kernel(at->second);
    for (Value source : launch.getSources())
      own.add_operands(operand(source));
    own.set_reads(launch.getSources().size());
    for (Value value : launch.getTargets())
      own.add_operands(target(value));
    return success();
  };
  if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
    what = launch.getKernel().str();
    if (failed(fillLaunch(launch, *step.mutable_kernel())))
      return failure();
  } else if (auto batch = dyn_cast<exec::BatchOp>(op)) {
    what = exec::describeBatch(batch);
    for (auto member : batch.getOps<exec::LaunchOp>())
      if (failed(fillLaunch(member, *step.mutable_batch()->add_members())))
        return failure();
    if (auto own = launches.find(batch); own != launches.end())
      for (const format::BatchLaunch &launch : own->second)
        *step.mutable_batch()->add_launches() = launch;
  } else if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
    what = kindName(collective) + " " + collective.getValue().str();
    if (failed(fillCollective(collective, *step.mutable_collective())))
      return failure();
    target(collective.getTarget());
  } else if (auto repeat = dyn_cast<exec::RepeatOp>(op)) {
    what = "ring " + repeat.getValue().str();
    format::RepeatStep &own = *step.mutable_repeat();
    if (failed(fillAxes(repeat, repeat.getAxes(), *own.mutable_axes())))
      return failure();
    own.set_member(target(repeat.getMember()));
    own.set_ahead(repeat.getAhead());
    for (auto [held, next, spare] : llvm::zip_equal(
             repeat.getHeld(), repeat.getNext(), repeat.getSpare())) {
      format::RepeatStep::Rotation &rotation = *own.add_rotations();
      rotation.set_held(operand(held));
      rotation.set_next(target(next));
      rotation.set_spare(target(spare));
    }
    for (Operation &inner : repeat.getBody().front())
      if (failed(fillStep(inner, kind, out, *own.add_body())))
        return failure();
    for (Operation &inner : repeat.getBetween().front())
      if (failed(fillStep(inner, kind, out, *own.add_between())))
        return failure();
  } else if (auto bucket = dyn_cast<exec::BucketOp>(op)) {
    auto members = llvm::to_vector(bucket.getOps<exec::CollectiveOp>());
    for (exec::CollectiveOp member : members) {
      if (failed(fillCollective(member, *step.mutable_bucket()->add_members())))
        return failure();
      target(member.getTarget());
    }
    what = kindName(members.front()) + " of " + std::to_string(members.size()) +
           ": " + members.front().getValue().str() + ", ...";
  } else if (auto copy = dyn_cast<exec::CopyOp>(op)) {
    if (exec::isTransfer(copy))
      what = exec::describeTransfer(copy);
    step.mutable_copy()->set_source(operand(copy.getSource()));
    step.mutable_copy()->set_target(target(copy.getTarget()));
  } else if (auto fill = dyn_cast<exec::FillOp>(op)) {
    step.mutable_fill()->set_target(target(fill.getTarget()));
    int64_t width =
        getElementBytes(cast<exec::BufferType>(fill.getTarget().getType())
                            .getTensor()
                            .getElementType());
    uint64_t mask = width < 8 ? (uint64_t(1) << (8 * width)) - 1 : ~uint64_t();
    step.mutable_fill()->set_value(fill.getValue() & mask);
    step.mutable_fill()->set_width(static_cast<uint32_t>(width));
  } else if (auto observe = dyn_cast<exec::ObserveOp>(op)) {
    if (failed(fillObserve(observe, *step.mutable_observe())))
      return failure();
  } else {
    return op.emitError() << "is no step of a task";
  }
  step.set_stream(exec::getStream(&op));
  numStreams = std::max(numStreams, step.stream() + 1);
  for (int64_t event : exec::getWaits(&op)) {
    step.add_waits(event);
    numEvents = std::max(numEvents, static_cast<uint32_t>(event) + 1);
  }
  if (auto event = exec::getEvent(&op)) {
    step.set_event(1 + *event);
    numEvents = std::max(numEvents, step.event());
  }
  // Members of buckets and batches have places of their own, and a value
  // without a name already has its place as its name.
  std::string place = printPlace(op.getLoc());
  if (step.has_bucket() || step.has_batch() || StringRef(what).contains(place))
    place.clear();
  step.set_name(dist::stringifyTaskKind(kind).str() + ": " + what +
                (place.empty() ? "" : " " + place));
  return success();
}

// The tags of transfers by sender, receiver, value and microbatch.
using TransferTags =
    std::map<std::tuple<int64_t, int64_t, StringRef, int64_t>, uint64_t>;

// Numbers the transfers between each pair of stages from 0 on, in the order in
// which they are sent. Both ends get the same numbers.
static TransferTags numberTransfers(dist::ScheduleOp table) {
  auto own = static_cast<int64_t>(table.getStage());
  TransferTags tags;
  std::map<std::pair<int64_t, int64_t>, uint64_t> count;
  auto module = table->getParentOfType<ModuleOp>();
  for (auto sender : module.getOps<dist::ScheduleOp>()) {
    auto from = static_cast<int64_t>(sender.getStage());
    for (auto send : sender.getOps<dist::SendOp>()) {
      auto to = static_cast<int64_t>(send.getPeer());
      if (from == own || to == own)
        tags.insert({{from, to, send.getValue(), send.getMicrobatch()},
                     count[{from, to}]++});
    }
  }
  return tags;
}

LogicalResult TaskMessages::fillActions(dist::ScheduleOp table,
                                        format::Stage &out) {
  TransferTags tags = numberTransfers(table);
  auto transfer = [&](auto op, int64_t from, int64_t to,
                      format::Transfer &own) -> LogicalResult {
    auto bytes = valueBytes.find(op.getValue());
    if (bytes == valueBytes.end() || !op.getOffset())
      return op.emitError() << "the value '" << op.getValue()
                            << "' has no place on stage " << table.getStage();
    own.set_peer(op.getPeer());
    own.set_offset(*op.getOffset());
    own.set_size(bytes->second);
    own.set_name(op.getValue().str());
    auto tag = tags.find({from, to, op.getValue(), op.getMicrobatch()});
    if (tag == tags.end())
      return op.emitError()
             << "the value '" << op.getValue() << "' of microbatch "
             << op.getMicrobatch() << " is never sent from stage " << from;
    own.set_tag(tag->second);
    own.set_microbatch(op.getMicrobatch());
    for (int64_t event : exec::getWaits(op)) {
      own.add_waits(event);
      numEvents = std::max(numEvents, static_cast<uint32_t>(event) + 1);
    }
    return success();
  };
  for (Operation &op : table.getBody().front()) {
    format::Action &action = *out.add_actions();
    if (auto run = dyn_cast<dist::RunOp>(op)) {
      auto at = taskIndex.find(run.getTask());
      if (at == taskIndex.end())
        return run.emitError() << "no task '" << run.getTask() << "' on stage "
                               << table.getStage();
      format::Run &own = *action.mutable_run();
      own.set_task(at->second);
      if (auto event = exec::getEvent(run)) {
        own.set_event(1 + *event);
        numEvents = std::max(numEvents, own.event());
      }
      own.set_microbatch(run.getMicrobatch());
      if (auto slots = run.getSlots())
        for (int64_t slot : *slots)
          own.add_slots(slot);
    } else if (auto send = dyn_cast<dist::SendOp>(op)) {
      if (failed(transfer(send, table.getStage(), send.getPeer(),
                          *action.mutable_send())))
        return failure();
    } else if (auto receive = dyn_cast<dist::ReceiveOp>(op)) {
      if (failed(transfer(receive, receive.getPeer(), table.getStage(),
                          *action.mutable_receive())))
        return failure();
    } else {
      return op.emitError() << "is no action";
    }
  }
  return success();
}

} // namespace zcc
