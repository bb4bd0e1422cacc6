// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/distribute/Spmd.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::ReduceKind;

static int64_t shardVolume(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::vector<int64_t> distribute::coordinatesOf(const MeshAxes &mesh,
                                               int64_t device) {
  std::vector<int64_t> coordinates(mesh.size());
  for (int axis = mesh.size() - 1; axis >= 0; --axis) {
    coordinates[axis] = device % mesh.sizeOf(axis);
    device /= mesh.sizeOf(axis);
  }
  return coordinates;
}

int64_t distribute::devicesOf(const MeshAxes &mesh) {
  int64_t devices = 1;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    devices *= mesh.sizeOf(axis);
  return devices;
}

// Index of the device in the group of `axes`.
static int64_t indexIn(const MeshAxes &mesh, ArrayRef<unsigned> axes,
                       int64_t device) {
  std::vector<int64_t> coordinates = coordinatesOf(mesh, device);
  int64_t index = 0;
  for (unsigned axis : axes)
    index = index * mesh.sizeOf(axis) + coordinates[axis];
  return index;
}

// The devices of the group of `device`, in the group's order.
static std::vector<int64_t> groupOf(const MeshAxes &mesh,
                                    ArrayRef<unsigned> axes, int64_t device) {
  std::vector<int64_t> own = coordinatesOf(mesh, device),
                       group(mesh.shards(axes));
  for (int64_t other = 0; other < devicesOf(mesh); ++other) {
    std::vector<int64_t> coordinates = coordinatesOf(mesh, other);
    bool same = true;
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      same &= llvm::is_contained(axes, axis) || coordinates[axis] == own[axis];
    if (same)
      group[indexIn(mesh, axes, other)] = other;
  }
  return group;
}

// Copies the box at `start` of `whole` from or to `part`.
static void copyBox(Tensor &whole, ArrayRef<int64_t> start, Tensor &part,
                    bool extract) {
  ArrayRef<int64_t> shape = part.type.getShape(), outer = whole.type.getShape();
  for (int64_t i = 0; i < shardVolume(shape); ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
      at += (start[d] + rest % shape[d]) * stride;
      rest /= shape[d];
      stride *= outer[d];
    }
    if (extract) {
      part.values[i] = whole.values[at];
      if (!whole.integers.empty())
        part.integers[i] = whole.integers[at];
    } else {
      whole.values[at] = part.values[i];
      if (!part.integers.empty())
        whole.integers[at] = part.integers[i];
    }
  }
}

static Tensor allocate(RankedTensorType type, bool integers) {
  Tensor t{type, std::vector<double>(type.getNumElements()), {}};
  if (integers)
    t.integers.resize(type.getNumElements());
  return t;
}

// Fills in values that nothing may read.
static void fillWithGarbage(Tensor &t) {
  bool truth = t.type.getElementType().isInteger(1);
  for (size_t i = 0; i < t.values.size(); ++i) {
    if (t.integers.empty())
      t.values[i] = NAN;
    else
      t.values[i] = t.integers[i] = truth ? (i + 1) % 2 : 1000003 + i;
  }
}

static RankedTensorType paddedType(RankedTensorType type,
                                   const Placement &placement) {
  return type.clone(ArrayRef<int64_t>(placement.extents));
}

Devices distribute::shard(const Tensor &whole, const Placement &placement,
                          const MeshAxes &mesh) {
  Devices parts;
  bool integers = !whole.integers.empty();
  Tensor padded = allocate(paddedType(whole.type, placement), integers);
  fillWithGarbage(padded);
  Tensor own = whole;
  SmallVector<int64_t> zero(whole.type.getRank(), 0);
  copyBox(padded, zero, own, /*extract=*/false);
  RankedTensorType local = mesh.localType(whole.type, placement);
  for (int64_t device = 0; device < devicesOf(mesh); ++device) {
    SmallVector<int64_t> start;
    for (auto [axes, extent] :
         llvm::zip_equal(placement.dims, local.getShape()))
      start.push_back(indexIn(mesh, axes, device) * extent);
    Tensor part = allocate(local, integers);
    copyBox(padded, start, part, /*extract=*/true);
    parts.push_back(part);
  }
  return parts;
}

static double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::add:
    return a + b;
  case ReduceKind::multiply:
    return a * b;
  case ReduceKind::maximum:
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  case ReduceKind::minimum:
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  case ReduceKind::logical_and:
    return a != 0 && b != 0;
  case ReduceKind::logical_or:
    return a != 0 || b != 0;
  case ReduceKind::logical_xor:
    return (a != 0) != (b != 0);
  case ReduceKind::replace:
    break;
  }
  return b;
}

static Tensor combine(ReduceKind kind, const Devices &parts,
                      ArrayRef<int64_t> group) {
  Tensor sum = parts[group[0]];
  if (sum.type.getElementType().isInteger(1) && kind == ReduceKind::add)
    kind = ReduceKind::logical_or;
  for (int64_t device : group.drop_front())
    for (size_t i = 0; i < sum.values.size(); ++i)
      sum.values[i] = combine(kind, sum.values[i], parts[device].values[i]);
  if (!sum.integers.empty())
    sum.integers.assign(sum.values.begin(), sum.values.end());
  return sum;
}

double distribute::difference(const Tensor &a, const Tensor &b) {
  if (a.type != b.type || a.values.size() != b.values.size())
    return INFINITY;
  double worst = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    double x = a.values[i], y = b.values[i];
    if (std::isnan(x) && std::isnan(y))
      continue;
    double d = x == y ? 0 : std::abs(x - y) / std::max(1.0, std::abs(x));
    worst = std::isnan(d) ? INFINITY : std::max(worst, d);
  }
  return worst;
}

Tensor distribute::unshard(const Devices &parts, RankedTensorType type,
                           const Placement &placement, const MeshAxes &mesh,
                           std::string &error) {
  Devices reduced;
  for (int64_t device = 0; device < devicesOf(mesh); ++device)
    reduced.push_back(placement.partial.empty()
                          ? parts[device]
                          : combine(placement.reduction, parts,
                                    groupOf(mesh, placement.partial, device)));
  bool integers = !parts[0].integers.empty();
  Tensor padded = allocate(paddedType(type, placement), integers);
  if (mesh.localType(type, placement) != parts[0].type) {
    error = "the shards have another type than their placement says";
    return padded;
  }
  auto startOf = [&](int64_t device) {
    SmallVector<int64_t> start;
    for (auto [axes, extent] :
         llvm::zip_equal(placement.dims, parts[0].type.getShape()))
      start.push_back(indexIn(mesh, axes, device) * extent);
    return start;
  };
  // Every device must hold its part of the whole: copies are equal, but for
  // their padding.
  for (int64_t device = devicesOf(mesh) - 1; device >= 0; --device)
    copyBox(padded, startOf(device), reduced[device], /*extract=*/false);
  Tensor inside = allocate(padded.type, false), ones = allocate(type, false);
  ones.values.assign(ones.values.size(), 1);
  SmallVector<int64_t> zero(type.getRank(), 0);
  copyBox(inside, zero, ones, /*extract=*/false);
  for (int64_t device = 0; device < devicesOf(mesh); ++device) {
    Tensor again = allocate(parts[0].type, integers),
           counts = allocate(parts[0].type, false);
    copyBox(padded, startOf(device), again, /*extract=*/true);
    copyBox(inside, startOf(device), counts, /*extract=*/true);
    for (size_t i = 0; i < counts.values.size(); ++i)
      if (counts.values[i] == 0)
        again.values[i] = reduced[device].values[i];
    if (difference(again, reduced[device]) != 0)
      error = "device " + std::to_string(device) + " has another copy";
  }
  Tensor whole = allocate(type, integers);
  copyBox(padded, zero, whole, /*extract=*/true);
  return whole;
}

Tensor distribute::sample(RankedTensorType type, unsigned seed) {
  Tensor t = allocate(type, !isa<FloatType>(type.getElementType()));
  uint64_t state = seed * 7919 + 12345;
  for (size_t i = 0; i < t.values.size(); ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t bits = state >> 33;
    if (t.integers.empty())
      t.values[i] = (bits % 1000 + 0.5) / 1000;
    else
      t.values[i] = t.integers[i] = type.getElementType().isInteger(1)
                                        ? static_cast<int64_t>(bits % 2)
                                        : static_cast<int64_t>(bits % 7) - 1;
  }
  return t;
}

namespace {
struct Machine {
  const MeshAxes &mesh;
  DenseMap<Value, Devices> values;
  std::string &error;

  AxisList axesOf(Operation *op) {
    AxisList list;
    for (Attribute name : op->getAttrOfType<ArrayAttr>("axes"))
      for (unsigned axis = 0; axis < mesh.size(); ++axis)
        if (mesh.nameOf(axis) == cast<StringAttr>(name).getValue())
          list.push_back(axis);
    return list;
  }

  // The dims between which a collective moves its axes, and what it reduces.
  struct Exchange {
    std::optional<ReduceKind> reduction;
    std::optional<unsigned> gathered, split;
  };

  Devices collective(Operation *op) {
    AxisList axes;
    Exchange move;
    auto kind = [](StringAttr reduction) {
      return *train::symbolizeReduceKind(reduction.getValue());
    };
    if (auto sum = dyn_cast<AccumulateOp>(op)) {
      for (unsigned axis = 0; axis < mesh.size(); ++axis)
        if (mesh.isTemporal(axis))
          axes.push_back(axis);
      move.reduction = kind(sum.getReductionAttr());
    } else {
      axes = axesOf(op);
    }
    if (auto reduce = dyn_cast<AllReduceOp>(op)) {
      move.reduction = kind(reduce.getReductionAttr());
    } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
      move.gathered = gather.getDim();
    } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
      move.reduction = kind(scatter.getReductionAttr());
      move.split = scatter.getDim();
    } else if (auto exchange = dyn_cast<AllToAllOp>(op)) {
      move.gathered = exchange.getConcatDim();
      move.split = exchange.getSplitDim();
    }
    const Devices &in = values[op->getOperand(0)];
    bool integers = !in[0].integers.empty();
    int64_t count = mesh.shards(axes);
    Devices out(in.size());
    for (size_t device = 0; device < in.size(); ++device) {
      std::vector<int64_t> group = groupOf(mesh, axes, device);
      Tensor whole = in[device];
      SmallVector<int64_t> shape(whole.type.getShape()), start(shape.size());
      if (move.reduction) {
        whole = combine(*move.reduction, in, group);
      } else {
        int64_t extent = shape[*move.gathered];
        shape[*move.gathered] *= count;
        whole = allocate(whole.type.clone(shape), integers);
        for (auto [index, member] : llvm::enumerate(group)) {
          start[*move.gathered] = index * extent;
          Tensor part = in[member];
          copyBox(whole, start, part, /*extract=*/false);
        }
        start[*move.gathered] = 0;
      }
      if (move.split) {
        shape[*move.split] /= count;
        start[*move.split] = indexIn(mesh, axes, device) * shape[*move.split];
      }
      out[device] = allocate(whole.type.clone(shape), integers);
      copyBox(whole, start, out[device], /*extract=*/true);
    }
    return out;
  }

  // Boxes of a group joined, and cut anew; what lies beyond the value is zero.
  Devices exchangeBoxes(ExchangeBoxesOp op) {
    Placement from = *mesh.fromAttr(op.getFrom(), op.getShape()),
              to = *mesh.fromAttr(op.getTo(), op.getShape());
    const Devices &in = values[op.getOperand()];
    RankedTensorType type = in[0].type;
    bool integers = !in[0].integers.empty();
    auto startOf = [&](const Placement &placement, int64_t device) {
      SmallVector<int64_t> start;
      for (auto [axes, extent] :
           llvm::zip_equal(placement.dims, placement.extents))
        start.push_back(indexIn(mesh, axes, device) * extent /
                        mesh.shards(axes));
      return start;
    };
    auto clipped = [&](const Tensor &padded) {
      Tensor whole = allocate(type.clone(op.getShape()), integers);
      copyBox(const_cast<Tensor &>(padded),
              SmallVector<int64_t>(type.getRank(), 0), whole,
              /*extract=*/true);
      return whole;
    };
    Devices out;
    for (size_t device = 0; device < in.size(); ++device) {
      Tensor joined =
          allocate(type.clone(ArrayRef<int64_t>(from.extents)), integers);
      for (int64_t member : groupOf(mesh, axesOf(op), device)) {
        Tensor part = in[member];
        copyBox(joined, startOf(from, member), part, /*extract=*/false);
      }
      Tensor whole = clipped(joined);
      if (op.getWindows()) {
        out.push_back(window(op, to, device, whole));
        continue;
      }
      Tensor padded =
          allocate(type.clone(ArrayRef<int64_t>(to.extents)), integers);
      copyBox(padded, SmallVector<int64_t>(type.getRank(), 0), whole,
              /*extract=*/false);
      Tensor &own = out.emplace_back(
          allocate(train::tensorType(op.getResult()), integers));
      copyBox(padded, startOf(to, device), own, /*extract=*/true);
    }
    return out;
  }

  // The box that begins where the windows say, zero beyond the value.
  Tensor window(ExchangeBoxesOp op, const Placement &to, int64_t device,
                Tensor &whole) {
    bool integers = !whole.integers.empty();
    SmallVector<int64_t> shape, low, start;
    for (auto [d, extent] : llvm::enumerate(op.getShape())) {
      ArrayRef<int64_t> own = op.getWindows()->slice(5 * d, 5);
      int64_t at =
          indexIn(mesh, to.dims[d], device) * own[0] / own[1] * own[2] + own[3];
      low.push_back(std::max<int64_t>(0, -at));
      start.push_back(at + low.back());
      shape.push_back(low.back() + std::max(extent, at + own[4]));
    }
    Tensor zeros = allocate(whole.type.clone(shape), integers),
           box = allocate(train::tensorType(op.getResult()), integers);
    copyBox(zeros, low, whole, /*extract=*/false);
    copyBox(zeros, start, box, /*extract=*/true);
    return box;
  }

  // Turn by turn; blocks are passed to the next device of the group.
  bool ring(RingOp op) {
    AxisList axes = axesOf(op);
    int64_t turns = mesh.shards(axes),
            fixed = op.getNumOperands() - op.getPassed(),
            kept = op.getNumResults() - op.getMoved();
    size_t devices = devicesOf(mesh);
    std::vector<Devices> operands, results;
    for (Value v : op.getOperands())
      operands.push_back(values[v]);
    for (auto [v, start] : llvm::zip_equal(op.getResults(), op.getStarts())) {
      Tensor t = allocate(train::tensorType(v), false);
      double value = cast<FloatAttr>(start).getValueAsDouble();
      t.values.assign(t.values.size(), value);
      results.push_back(Devices(devices, t));
    }
    auto pass = [&](Devices &blocks) {
      Devices before = blocks;
      for (size_t device = 0; device < devices; ++device)
        blocks[groupOf(mesh, axes,
                       device)[(indexIn(mesh, axes, device) + 1) % turns]] =
            before[device];
    };
    for (int64_t turn = 0; turn < turns; ++turn) {
      for (size_t device = 0; device < devices; ++device) {
        int64_t member = (indexIn(mesh, axes, device) - turn + turns) % turns;
        Block &body = op.getBody().front();
        DenseMap<Value, Tensor> inside;
        unsigned next = 0;
        inside[body.getArgument(next)] = {
            train::tensorType(body.getArgument(next)),
            {static_cast<double>(member)},
            {member}};
        for (std::vector<Devices> *list : {&operands, &results})
          for (Devices &parts : *list)
            inside[body.getArgument(++next)] = parts[device];
        for (Operation &inner : body.without_terminator()) {
          SmallVector<Tensor> in, out;
          for (Value v : inner.getOperands())
            in.push_back(inside[v]);
          train::EvaluateOptions options;
          options.asDouble = true;
          if (!train::evaluate(&inner, in, out, error, options))
            return false;
          for (auto [v, t] : llvm::zip_equal(inner.getResults(), out))
            inside[v] = t;
        }
        for (auto [i, v] : llvm::enumerate(body.getTerminator()->getOperands()))
          results[i][device] = inside[v];
      }
      for (size_t i = kept; i < results.size(); ++i)
        pass(results[i]);
      for (size_t i = fixed; turn + 1 < turns && i < operands.size(); ++i)
        pass(operands[i]);
    }
    for (auto [v, parts] : llvm::zip_equal(op.getResults(), results))
      values[v] = parts;
    return true;
  }

  bool run(Operation &op) {
    size_t devices = devicesOf(mesh);
    if (auto own = dyn_cast<RingOp>(op))
      return ring(own);
    if (isa<ObserveOp>(op))
      return true;
    if (isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp,
            AccumulateOp>(op)) {
      values[op.getResult(0)] = collective(&op);
      return true;
    }
    if (auto boxes = dyn_cast<ExchangeBoxesOp>(op)) {
      values[boxes.getResult()] = exchangeBoxes(boxes);
      return true;
    }
    std::vector<Devices> results(op.getNumResults(), Devices(devices));
    for (size_t device = 0; device < devices; ++device) {
      if (isa<CoordinateOp>(op)) {
        double index = indexIn(mesh, axesOf(&op), device);
        results[0][device] = {train::tensorType(op.getResult(0)),
                              {index},
                              {static_cast<int64_t>(index)}};
        continue;
      }
      SmallVector<Tensor> operands, out;
      for (Value v : op.getOperands())
        operands.push_back(values[v][device]);
      train::EvaluateOptions options;
      options.asDouble = true;
      if (!train::evaluate(&op, operands, out, error, options))
        return false;
      for (auto [i, t] : llvm::enumerate(out))
        results[i][device] = t;
    }
    for (auto [i, v] : llvm::enumerate(op.getResults()))
      values[v] = results[i];
    return true;
  }
};
} // namespace

bool distribute::evaluateOnMesh(func::FuncOp func, const MeshAxes &mesh,
                                ArrayRef<Devices> arguments,
                                std::vector<Devices> &results,
                                std::string &error) {
  Machine machine{mesh, DenseMap<Value, Devices>(), error};
  for (auto [argument, parts] : llvm::zip_equal(func.getArguments(), arguments))
    machine.values[argument] = parts;
  Block &block = func.getBody().front();
  for (Operation &op : block.without_terminator())
    if (!machine.run(op)) {
      error = op.getName().getStringRef().str() + ": " + error;
      return false;
    }
  for (Value v : block.getTerminator()->getOperands())
    results.push_back(machine.values[v]);
  return true;
}

bool distribute::runTasks(ModuleOp module, const MeshAxes &mesh,
                          std::map<std::string, Devices> &named,
                          std::string &error) {
  std::map<std::string, Devices> values;
  ScheduleOp schedule = *module.getOps<ScheduleOp>().begin();
  for (RunOp run : schedule.getBody().getOps<RunOp>()) {
    auto func = module.lookupSymbol<func::FuncOp>(run.getTask());
    std::vector<Devices> arguments, results;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      DictionaryAttr attributes = func.getArgAttrDict(i);
      if (attributes.contains(coordinatesAttrName)) {
        Devices &parts = arguments.emplace_back();
        for (int64_t device = 0; device < devicesOf(mesh); ++device) {
          std::vector<int64_t> own = coordinatesOf(mesh, device);
          parts.push_back({cast<RankedTensorType>(func.getArgumentTypes()[i]),
                           {own.begin(), own.end()},
                           own});
        }
      } else if (auto value = attributes.getAs<StringAttr>(valueAttrName)) {
        arguments.push_back(values[value.getValue().str()]);
      } else {
        std::string name = "hyper";
        for (StringRef role :
             {StringRef(stateAttrName), StringRef(dist::inputAttrName)})
          if (auto symbol = attributes.getAs<StringAttr>(role))
            name = symbol.getValue().str();
        arguments.push_back(named[name]);
      }
      if (arguments.back().empty() ||
          arguments.back()[0].type != func.getArgumentTypes()[i]) {
        error = "argument " + std::to_string(i) + " of " + run.getTask().str() +
                " has no value of its type";
        return false;
      }
    }
    if (!evaluateOnMesh(func, mesh, arguments, results, error))
      return false;
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      DictionaryAttr attributes = func.getResultAttrDict(i);
      if (auto value = attributes.getAs<StringAttr>(valueAttrName))
        values[value.getValue().str()] = results[i];
      for (StringRef role :
           {StringRef(stateAttrName), StringRef(dist::outputAttrName)})
        if (auto symbol = attributes.getAs<StringAttr>(role))
          named[symbol.getValue().str()] = results[i];
    }
  }
  return true;
}
