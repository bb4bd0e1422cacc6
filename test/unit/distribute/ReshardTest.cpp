// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random pairs of placements on small meshes. A path has the cost that an
// exhaustive search over the same steps finds, and holds no more than the
// larger end. Its ops, run on all devices with garbage in all padding, give the
// same as placing the value directly.
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Partition/LowerReshard.h"
#include "test/unit/evaluate/Evaluator.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::Tensor;
using Devices = std::vector<Tensor>;
using Index = SmallVector<int64_t>;
using Kind = ReshardMove::Kind;

namespace {
int64_t volume(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

// Calls body(index) for all indices of a box at zero.
template <typename Body> void forEach(ArrayRef<int64_t> extent, Body body) {
  for (int64_t i = 0; i < volume(extent); ++i) {
    Index index(extent.size());
    int64_t rest = i;
    for (size_t d = extent.size(); d-- > 0; rest /= extent[d])
      index[d] = rest % extent[d];
    body(index);
  }
}
double &at(Tensor &t, ArrayRef<int64_t> index) {
  int64_t flat = 0;
  for (auto [i, extent] : llvm::zip_equal(index, t.type.getShape()))
    flat = flat * extent + i;
  return t.values[flat];
}

struct Mesh {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<MeshAxes> axes;
  int64_t devices = 1;

  explicit Mesh(ArrayRef<int64_t> sizes, bool temporal = false) {
    context.loadDialect<DistDialect, train::TrainDialect, func::FuncDialect>();
    std::string text = "dist.mesh @mesh [";
    for (auto [i, size] : llvm::enumerate(sizes)) {
      text += (i ? ", #dist.axis<\"" : "#dist.axis<\"") +
              std::string(1, static_cast<char>('a' + i)) +
              "\" = " + std::to_string(size) +
              (temporal && i == 0 ? " temporal>" : ">");
      devices *= size;
    }
    module = parseSourceString<ModuleOp>(text + "]", &context);
    axes.emplace(getMesh(*module));
  }
  int64_t coordinate(int64_t device, unsigned axis) const {
    for (unsigned i = axes->size() - 1; i > axis; --i)
      device /= axes->sizeOf(i);
    return device % axes->sizeOf(axis);
  }
  int64_t indexIn(ArrayRef<unsigned> list, int64_t device) const {
    int64_t index = 0;
    for (unsigned axis : list)
      index = index * axes->sizeOf(axis) + coordinate(device, axis);
    return index;
  }
  std::vector<int64_t> group(ArrayRef<unsigned> list, int64_t device) const {
    std::vector<int64_t> members(axes->shards(list));
    for (int64_t other = 0; other < devices; ++other) {
      bool same = true;
      for (unsigned axis = 0; axis < axes->size(); ++axis)
        same &= llvm::is_contained(list, axis) ||
                coordinate(other, axis) == coordinate(device, axis);
      if (same)
        members[indexIn(list, other)] = other;
    }
    return members;
  }
  Index localShape(const Placement &p) const {
    Index local;
    for (auto [extent, list] : llvm::zip_equal(p.extents, p.dims))
      local.push_back(extent / axes->shards(list));
    return local;
  }
  // The index of a device's first element.
  Index origin(const Placement &p, int64_t device) const {
    Index start = localShape(p);
    for (auto [first, list] : llvm::zip_equal(start, p.dims))
      first *= indexIn(list, device);
    return start;
  }
  bool isInside(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) const {
    return llvm::all_of(llvm::zip_equal(index, shape), [](auto pair) {
      return std::get<0>(pair) < std::get<1>(pair);
    });
  }
};

// The ops of a block on all devices.
struct Simulator {
  const Mesh &mesh;
  DenseMap<Value, Devices> values;

  AxisList axesOf(Operation *op) {
    AxisList list;
    for (Attribute name : op->getAttrOfType<ArrayAttr>("axes"))
      list.push_back(*mesh.axes->find(cast<StringAttr>(name).getValue()));
    return list;
  }
  static Tensor allocate(Value like) {
    RankedTensorType type = train::tensorType(like);
    return {type, std::vector<double>(type.getNumElements(), NAN), {}};
  }
  static double combine(StringRef reduction, double a, double b) {
    return reduction == "add" ? a + b : std::max(a, b);
  }

  // One element at a time, from the definition of each collective.
  void collective(Operation *op) {
    AxisList axes = axesOf(op);
    Devices &in = values[op->getOperand(0)];
    Devices out(mesh.devices, allocate(op->getResult(0)));
    for (int64_t device = 0; device < mesh.devices; ++device) {
      std::vector<int64_t> group = mesh.group(axes, device);
      int64_t own = mesh.indexIn(axes, device);
      forEach(out[device].type.getShape(), [&](Index index) {
        double &result = at(out[device], index);
        auto sum = [&](StringRef reduction) {
          result = at(in[group[0]], index);
          for (int64_t other : ArrayRef(group).drop_front())
            result = combine(reduction, result, at(in[other], index));
        };
        if (auto all = dyn_cast<AllReduceOp>(op)) {
          sum(all.getReduction());
        } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
          index[scatter.getDim()] +=
              own * out[device].type.getShape()[scatter.getDim()];
          sum(scatter.getReduction());
        } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
          int64_t extent = in[0].type.getShape()[gather.getDim()];
          int64_t member = index[gather.getDim()] / extent;
          index[gather.getDim()] %= extent;
          result = at(in[group[member]], index);
        } else if (auto exchange = dyn_cast<AllToAllOp>(op)) {
          int64_t extent = in[0].type.getShape()[exchange.getConcatDim()];
          int64_t member = index[exchange.getConcatDim()] / extent;
          index[exchange.getConcatDim()] %= extent;
          index[exchange.getSplitDim()] +=
              own * out[device].type.getShape()[exchange.getSplitDim()];
          result = at(in[group[member]], index);
        } else {
          result =
              boxElement(cast<ExchangeBoxesOp>(op), in, group, device, index);
        }
      });
    }
    values[op->getResult(0)] = out;
  }
  double boxElement(ExchangeBoxesOp op, Devices &in, ArrayRef<int64_t> group,
                    int64_t device, Index index) {
    Placement from = *mesh.axes->fromAttr(op.getFrom(), op.getShape());
    Placement to = *mesh.axes->fromAttr(op.getTo(), op.getShape());
    for (auto [i, first] : llvm::zip_equal(index, mesh.origin(to, device)))
      i += first;
    if (!mesh.isInside(index, op.getShape()))
      return NAN;
    for (int64_t other : group) {
      Index local = index;
      for (auto [i, first] : llvm::zip_equal(local, mesh.origin(from, other)))
        i -= first;
      if (llvm::all_of(local, [](int64_t i) { return i >= 0; }) &&
          mesh.isInside(local, mesh.localShape(from)))
        return at(in[other], local);
    }
    ADD_FAILURE() << "nobody has the element";
    return NAN;
  }

  void run(Operation &op) {
    if (isa<CollectiveOpInterface>(op))
      return collective(&op);
    Devices results;
    for (int64_t device = 0; device < mesh.devices; ++device) {
      if (isa<CoordinateOp>(op)) {
        int64_t index = mesh.indexIn(axesOf(&op), device);
        results.push_back({train::tensorType(op.getResult(0)),
                           {static_cast<double>(index)},
                           {index}});
        continue;
      }
      SmallVector<Tensor> operands, out;
      for (Value v : op.getOperands())
        operands.push_back(values[v][device]);
      std::string error;
      train::EvaluateOptions options;
      options.asDouble = true;
      ASSERT_TRUE(train::evaluate(&op, operands, out, error, options)) << error;
      results.push_back(out[0]);
    }
    values[op.getResult(0)] = results;
  }
};

struct Random {
  std::mt19937 engine;
  int below(int n) { return static_cast<int>(engine() % n); }

  Placement placement(const MeshAxes &mesh, ArrayRef<int64_t> shape,
                      bool partial) {
    Placement p(shape);
    std::vector<unsigned> axes(mesh.size());
    std::iota(axes.begin(), axes.end(), 0u);
    std::shuffle(axes.begin(), axes.end(), engine);
    for (unsigned axis : axes) {
      int where = below(shape.size() + 1 + partial);
      if (where < static_cast<int>(shape.size()))
        p.dims[where].push_back(axis);
      else if (where > static_cast<int>(shape.size()))
        p.partial.push_back(axis);
    }
    llvm::sort(p.partial);
    for (unsigned d = 0; d < shape.size(); ++d)
      p.extents[d] = mesh.pad(shape[d], 1 + below(2), p.dims[d]);
    return p;
  }
};

// All devices' parts of `whole`; what is partial sums (or maximizes) to it.
Devices place(const Mesh &mesh, Tensor whole, const Placement &p) {
  Devices parts;
  RankedTensorType type = mesh.axes->localType(whole.type, p);
  for (int64_t device = 0; device < mesh.devices; ++device) {
    Tensor part{type, std::vector<double>(type.getNumElements(), NAN), {}};
    // Different parts: 1 on all but the first, which has the rest.
    int64_t share = mesh.indexIn(p.partial, device);
    double others = mesh.axes->shards(p.partial) - 1;
    bool adds = p.reduction == train::ReduceKind::add;
    Index start = mesh.origin(p, device);
    forEach(type.getShape(), [&](Index index) {
      Index global = index;
      for (auto [i, first] : llvm::zip_equal(global, start))
        i += first;
      if (mesh.isInside(global, whole.type.getShape()))
        at(part, index) = share  ? (adds ? 1.0 : -1.0)
                          : adds ? at(whole, global) - others
                                 : at(whole, global);
    });
    parts.push_back(part);
  }
  return parts;
}

void expectPlaced(const Mesh &mesh, Tensor whole, const Placement &p,
                  Devices &parts) {
  for (int64_t device = 0; device < mesh.devices; ++device) {
    Index start = mesh.origin(p, device);
    forEach(parts[device].type.getShape(), [&](Index index) {
      Index global = index;
      for (auto [i, first] : llvm::zip_equal(global, start))
        i += first;
      if (!mesh.isInside(global, whole.type.getShape()))
        return;
      std::vector<int64_t> group = mesh.group(p.partial, device);
      double value = at(parts[group[0]], index);
      for (int64_t other : ArrayRef(group).drop_front())
        value = Simulator::combine(
            p.reduction == train::ReduceKind::add ? "add" : "maximum", value,
            at(parts[other], index));
      ASSERT_EQ(value, at(whole, global));
    });
  }
}

// The least cost over all sequences of steps: relaxation without any order.
int64_t exhaustive(const ReshardProblem &problem) {
  std::vector<std::pair<Placement, int64_t>> best = {{problem.from, 0}};
  int64_t least =
      std::min(problem.shards(problem.from), problem.shards(problem.to));
  for (size_t i = 0; i < best.size(); ++i) {
    Placement placement = best[i].first;
    int64_t cost = best[i].second;
    bool isStale = llvm::any_of(best, [&](auto &entry) {
      return entry.first == placement && entry.second < cost;
    });
    if (isStale)
      continue;
    for (ReshardMove &move : problem.movesFrom(placement)) {
      if (problem.shards(move.after) < least)
        continue;
      bool isBetter = llvm::none_of(best, [&](auto &entry) {
        return entry.first == move.after && entry.second <= cost + move.cost;
      });
      if (isBetter)
        best.push_back({move.after, cost + move.cost});
    }
  }
  int64_t result = std::numeric_limits<int64_t>::max();
  for (auto &[placement, cost] : best)
    if (placement == problem.to)
      result = std::min(result, cost);
  return result;
}

std::string describe(const Mesh &mesh, const ReshardProblem &problem) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "from " << mesh.axes->toAttr(problem.from, problem.shape) << " to "
      << mesh.axes->toAttr(problem.to, problem.shape);
  return text;
}

void check(Mesh &mesh, const ReshardProblem &problem, bool compareCost) {
  SCOPED_TRACE(describe(mesh, problem));
  ReshardPaths paths;
  const ReshardPath &path = paths.find(problem);
  std::string error;
  ASSERT_TRUE(verify(problem, path, error)) << error;
  if (compareCost)
    ASSERT_EQ(costOf(path), exhaustive(problem));
  // Bytes held: at most the larger end, with all padding there is.
  int64_t least =
      std::min(problem.shards(problem.from), problem.shards(problem.to));
  int64_t bound = problem.elementBytes;
  for (unsigned d = 0; d < problem.shape.size(); ++d)
    bound *= std::max(problem.from.extents[d], problem.to.extents[d]);
  for (const ReshardMove &move : path)
    ASSERT_LE(problem.localBytes(move.after) * least, bound);

  OpBuilder b(&mesh.context);
  b.setInsertionPointToEnd(mesh.module->getBody());
  Location loc = b.getUnknownLoc();
  auto whole = RankedTensorType::get(problem.shape, b.getF32Type());
  auto func = func::FuncOp::create(
      b, loc, "f",
      b.getFunctionType({mesh.axes->localType(whole, problem.from)},
                        {mesh.axes->localType(whole, problem.to)}));
  func.setArgAttr(0, "dist.global", TypeAttr::get(whole));
  func.setArgAttr(0, shardingAttrName,
                  mesh.axes->toAttr(problem.from, problem.shape));
  Block *block = func.addEntryBlock();
  b.setInsertionPointToStart(block);
  auto end = func::ReturnOp::create(b, loc, block->getArguments());
  b.setInsertionPoint(end);
  Origins origins(*block, *mesh.axes);
  StringAttr none = b.getStringAttr("");
  Value v = lowerReshard(b, loc, block->getArgument(0), problem, paths,
                         {MovedKind::Activation, none, none}, origins);
  end->setOperand(0, v);
  PassManager pm(&mesh.context);
  pm.addPass(createVerifyPartitioned());
  ASSERT_TRUE(succeeded(pm.run(*mesh.module)));

  Tensor values{whole, {}, {}};
  for (int64_t i = 0; i < volume(problem.shape); ++i)
    values.values.push_back(static_cast<double>(10 + i));
  Simulator simulator{mesh, DenseMap<Value, Devices>()};
  simulator.values[block->getArgument(0)] = place(mesh, values, problem.from);
  for (Operation &op : block->without_terminator())
    simulator.run(op);
  expectPlaced(mesh, values, problem.to, simulator.values[v]);
  func.erase();
}

// Returns true if the problem can be asked for: a sum stays a sum, or becomes
// parts of one.
bool isPossible(const ReshardProblem &problem) {
  return problem.from.reduction == train::ReduceKind::add ||
         llvm::all_of(problem.to.partial, [&](unsigned axis) {
           return llvm::is_contained(problem.from.partial, axis);
         });
}

void checkRandom(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape, int count,
                 unsigned seed, bool compareCost = true) {
  Mesh mesh(sizes);
  Random random{std::mt19937(seed)};
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    ReshardProblem problem(*mesh.axes, shape, 4,
                           random.placement(*mesh.axes, shape, true),
                           random.placement(*mesh.axes, shape, i % 3 == 0));
    // Sometimes large enough that bytes count more than latency.
    problem.elementBytes = i % 2 ? 4 : 1 << 20;
    if (i % 5 == 0)
      problem.from.reduction = problem.to.reduction =
          train::ReduceKind::maximum;
    if (isPossible(problem))
      check(mesh, problem, compareCost);
  }
}

TEST(ReshardTest, OneAxis) { checkRandom({4}, {5, 8}, 200, 1); }
TEST(ReshardTest, TwoEqualAxes) { checkRandom({2, 2}, {4, 6}, 400, 2); }
TEST(ReshardTest, TwoUnequalAxes) { checkRandom({2, 3}, {7, 5}, 400, 3); }
TEST(ReshardTest, OneDim) { checkRandom({2, 3}, {13}, 200, 4); }
TEST(ReshardTest, ThreeAxes) { checkRandom({2, 2, 2}, {6, 4}, 200, 5); }
TEST(ReshardTest, ThreeAxesOfThreeDims) {
  checkRandom({2, 3, 2}, {4, 3, 5}, 200, 6, /*compareCost=*/false);
}

struct ReshardPaths2x2 : testing::Test {
  Mesh mesh{{2, 2}};
  std::vector<Kind> kinds(const char *from, const char *to) {
    SmallVector<int64_t> shape = {1024, 1024};
    auto read = [&](const char *text) {
      auto attr = cast<ShardingAttr>(mlir::parseAttribute(
          "#dist.sharding<@mesh, " + std::string(text) + ">", &mesh.context));
      return *mesh.axes->fromAttr(attr, shape);
    };
    ReshardProblem problem(*mesh.axes, shape, 4, read(from), read(to));
    std::vector<Kind> result;
    for (const ReshardMove &move : findReshardPath(problem))
      result.push_back(move.kind);
    return result;
  }
};

TEST_F(ReshardPaths2x2, NothingIsNothing) {
  EXPECT_TRUE(kinds("[{\"a\"}, {}]", "[{\"a\"}, {}]").empty());
}
TEST_F(ReshardPaths2x2, OneCollectiveEach) {
  EXPECT_EQ(kinds("[{\"a\"}, {}]", "[{}, {\"a\"}]"),
            std::vector{Kind::AllToAll});
  EXPECT_EQ(kinds("[{\"a\", \"b\"}, {}]", "[{\"a\"}, {}]"),
            std::vector{Kind::AllGather});
  EXPECT_EQ(kinds("[{}, {}], partial = add {\"a\"}", "[{}, {\"a\"}]"),
            std::vector{Kind::ReduceScatter});
  EXPECT_EQ(kinds("[{}, {}], partial = add {\"a\", \"b\"}", "[{}, {}]"),
            std::vector{Kind::AllReduce});
  EXPECT_EQ(kinds("[{}, {}]", "[{\"a\"}, {}]"), std::vector{Kind::Slice});
}
// Neither is gathered whole.
TEST_F(ReshardPaths2x2, OtherDevicesHoldTheSameBoxes) {
  EXPECT_EQ(kinds("[{\"a\", \"b\"}, {}]", "[{\"b\", \"a\"}, {}]"),
            std::vector{Kind::ExchangeBoxes});
  EXPECT_EQ(kinds("[{\"a\"}, {\"b\"}]", "[{\"b\"}, {\"a\"}]"),
            std::vector{Kind::ExchangeBoxes});
  EXPECT_EQ(kinds("[{\"a\"}, {}]", "[{\"b\"}, {}]"),
            std::vector{Kind::ExchangeBoxes});
}
TEST_F(ReshardPaths2x2, OtherPadding) {
  EXPECT_EQ(kinds("[{\"a\"}, {}]", "[{\"a\"}, {}], padded = [1040, 1024]"),
            std::vector{Kind::ExchangeBoxes});
}
// More axes than are searched fully: the way is allowed, whatever it costs.
TEST(ReshardTest, ManyAxes) {
  Mesh mesh({2, 2, 3, 2, 2});
  SmallVector<int64_t> shape = {64, 64, 48, 7, 20};
  Random random{std::mt19937(7)};
  for (int i = 0; i < 30; ++i) {
    ReshardProblem problem(*mesh.axes, shape, i % 2 ? 4 : 1 << 20,
                           random.placement(*mesh.axes, shape, true),
                           random.placement(*mesh.axes, shape, i % 3 == 0));
    SCOPED_TRACE(describe(mesh, problem));
    std::string error;
    EXPECT_TRUE(verify(problem, findReshardPath(problem), error)) << error;
  }
}

// A path is checked by what its steps say, not by where they claim to lead.
TEST(ReshardTest, WrongPathsAreFound) {
  Mesh mesh({2, 2});
  SmallVector<int64_t> shape = {4, 4};
  Placement rows(shape), columns(shape);
  rows.dims[0] = {0};
  columns.dims[1] = {0};
  ReshardProblem problem(*mesh.axes, shape, 4, rows, columns);
  const ReshardPath path = findReshardPath(problem);
  std::string error;
  ASSERT_TRUE(verify(problem, path, error));
  EXPECT_FALSE(verify(problem, {}, error));
  EXPECT_EQ(error, "the path does not lead to its end");
  ReshardPath wrong = path;
  wrong[0].source = 1;
  EXPECT_FALSE(verify(problem, wrong, error));
  EXPECT_EQ(error, "step 0 does not lead to its placement");
  wrong = path;
  wrong[0].cost /= 2;
  EXPECT_FALSE(verify(problem, wrong, error));
  EXPECT_EQ(error, "step 0 has another cost");
  wrong = path;
  wrong[0].kind = Kind::AllGather;
  wrong[0].dim = 0;
  wrong[0].after = Placement(shape);
  EXPECT_FALSE(verify(problem, wrong, error));
  EXPECT_EQ(error, "after step 0 a device holds more than at either end");
}

// Sums over time come first, unless they are to come last.
TEST(ReshardTest, Microbatches) {
  Mesh mesh({2, 2}, /*temporal=*/true);
  SmallVector<int64_t> shape = {8, 8};
  Placement sum(shape), rows(shape), batches(shape);
  sum.partial = {0, 1};
  rows.dims[0] = {1};
  batches.dims[0] = {0, 1};
  auto kinds = [](const ReshardProblem &problem) {
    std::vector<Kind> result;
    for (const ReshardMove &move : findReshardPath(problem))
      result.push_back(move.kind);
    return result;
  };
  ReshardProblem problem(*mesh.axes, shape, 4, sum, rows);
  EXPECT_EQ(kinds(problem),
            (std::vector{Kind::Accumulate, Kind::ReduceScatter}));
  problem.reduceFirst = true;
  EXPECT_EQ(kinds(problem),
            (std::vector{Kind::ReduceScatter, Kind::Accumulate}));
  // No device has another microbatch's part to send.
  ReshardProblem other(*mesh.axes, shape, 4, rows, batches);
  EXPECT_EQ(kinds(other),
            (std::vector{Kind::AllToAll, Kind::Slice, Kind::AllToAll}));
}
} // namespace
