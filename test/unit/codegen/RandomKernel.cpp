// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RandomKernel.h: each step applies a random op to a random value of the
// pool, preferring late ones, and makes the other operands that it needs.

#include "test/unit/codegen/RandomKernel.h"

using namespace mlir;

namespace zcc::test {
namespace {
constexpr int64_t largest = 4000; // elements of a value

int64_t count(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}
} // namespace

RandomKernel::RandomKernel(ModuleOp module, unsigned seed,
                           RandomKernelOptions options)
    : module(module), b(module.getContext()), random(seed), options(options) {
  b.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(b, b.getUnknownLoc(), "k",
                                  b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
}

func::FuncOp RandomKernel::build() {
  Shape shape;
  for (unsigned rank = 1 + below(3), d = 0; d < rank; ++d)
    shape.push_back(1 + below(d + 1 == rank ? 40 : 9));
  argument(shape, randomElement());
  for (unsigned i = 0; i < options.ops; ++i) {
    Value x = pool[pool.size() - 1 - below(std::min<size_t>(3, pool.size()))];
    unsigned choice = below(100);
    Value y = options.reductions && choice < 25 ? reduction(x)
              : choice < 45                     ? movement(x)
              : choice < 52                     ? indexed(x)
                                                : elementwise(x);
    if (y)
      pool.push_back(y);
  }
  // Results: the last value and maybe others of as many elements.
  SmallVector<Value> results = {pool.back()};
  if (Value other = pick([&](Value v) {
        return v != results[0] && v.getDefiningOp() &&
               (options.reductions ||
                train::tensorType(v).getNumElements() ==
                    train::tensorType(results[0]).getNumElements());
      });
      other && chance(40))
    results.push_back(other);
  func::ReturnOp::create(b, b.getUnknownLoc(), results);
  Block &block = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  llvm::BitVector unused(block.getNumArguments());
  for (BlockArgument a : block.getArguments())
    if (a.use_empty())
      unused.set(a.getArgNumber());
  block.eraseArguments(unused);
  function.setFunctionType(
      b.getFunctionType(block.getArgumentTypes(), ValueRange(results)));
  return function;
}

Type RandomKernel::randomElement() {
  switch (below(10)) {
  case 0:
    return b.getBF16Type();
  case 1:
    return b.getF16Type();
  case 2:
    return b.getF64Type();
  case 3:
    return b.getI32Type();
  case 4:
    return b.getI64Type();
  case 5:
    return b.getIntegerType(8, /*isSigned=*/false);
  default:
    return b.getF32Type();
  }
}

Value RandomKernel::pick(llvm::function_ref<bool(Value)> suits) {
  SmallVector<Value> found;
  llvm::copy_if(pool, std::back_inserter(found), suits);
  return found.empty() ? Value() : found[below(found.size())];
}

Value RandomKernel::argument(ArrayRef<int64_t> shape, Type element) {
  Value v = function.getBody().front().addArgument(
      RankedTensorType::get(shape, element), b.getUnknownLoc());
  pool.push_back(v);
  return v;
}

Value RandomKernel::op(StringRef name, ValueRange operands,
                       ArrayRef<int64_t> shape, Type element,
                       ArrayRef<NamedAttribute> attributes) {
  OperationState state(b.getUnknownLoc(), ("train." + name).str());
  state.addOperands(operands);
  state.addTypes(RankedTensorType::get(shape, element));
  state.addAttributes(attributes);
  return b.create(state)->getResult(0);
}

NamedAttribute RandomKernel::dims(StringRef name, ArrayRef<int64_t> values) {
  return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
}
NamedAttribute RandomKernel::number(StringRef name, int64_t value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}
NamedAttribute RandomKernel::kind(train::ReduceKind value) {
  return b.getNamedAttr("kind",
                        train::ReduceKindAttr::get(b.getContext(), value));
}

Value RandomKernel::valueOf(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  Type element = type.getElementType();
  Value same = pick([&](Value v) { return v.getType() == type; });
  unsigned choice = below(10);
  if (same && choice < 5)
    return same;
  if (choice == 5)
    return train::splat(b, b.getUnknownLoc(), type,
                        element.isInteger(1) ? below(2) : below(4));
  if (choice == 6 && !shape.empty() && !element.isInteger(1))
    return op("iota", {}, shape, element, number("dim", below(shape.size())));
  if (choice < 9) { // a broadcast along some dims
    Shape small;
    SmallVector<int64_t> into;
    for (auto [d, extent] : llvm::enumerate(shape))
      if (chance(60)) {
        small.push_back(chance(30) ? 1 : extent);
        into.push_back(d);
      }
    Value v = argument(small, element);
    pool.pop_back();
    return op("broadcast_in_dim", v, shape, element, dims("dims", into));
  }
  return argument(shape, element);
}

Value RandomKernel::elementwise(Value x) {
  RankedTensorType type = train::tensorType(x);
  Type element = type.getElementType();
  ArrayRef<int64_t> shape = type.getShape();
  if (element.isInteger(1)) { // a predicate: use it
    auto other = RankedTensorType::get(shape, randomElement());
    Value a = valueOf(other), c = valueOf(other);
    return op("select", {x, a, c}, shape, other.getElementType());
  }
  switch (below(8)) {
  case 0: {
    auto direction = static_cast<train::CompareDirection>(below(6));
    return op("compare", {x, valueOf(type)}, shape, b.getI1Type(),
              b.getNamedAttr("direction", train::CompareDirectionAttr::get(
                                              b.getContext(), direction)));
  }
  case 1:
    return op("convert", x, shape, randomElement());
  case 2:
    return op("clamp", {valueOf(type), x, valueOf(type)}, shape, element);
  default:
    return isa<FloatType>(element) ? floatOp(x) : integerOp(x);
  }
}

Value RandomKernel::floatOp(Value x) {
  RankedTensorType type = train::tensorType(x);
  static const char *const unary[] = {"abs",
                                      "negate",
                                      "sign",
                                      "floor",
                                      "ceil",
                                      "round_nearest_even",
                                      "round_nearest_afz"};
  static const char *const transcendental[] = {
      "exponential", "log",  "tanh",   "logistic",    "rsqrt",
      "erf",         "sine", "cosine", "log_plus_one"};
  static const char *const binary[] = {"add",      "subtract", "multiply",
                                       "multiply", "maximum",  "minimum",
                                       "add",      "divide"};
  auto apply = [&](StringRef name, ValueRange operands) {
    return op(name, operands, type.getShape(), type.getElementType());
  };
  if (options.transcendental && chance(40))
    return apply(transcendental[below(std::size(transcendental))], x);
  if (chance(25))
    return apply(unary[below(std::size(unary))], x);
  Value y = valueOf(type);
  return chance(50) ? apply(binary[below(std::size(binary))], {x, y})
                    : apply(binary[below(std::size(binary))], {y, x});
}

Value RandomKernel::integerOp(Value x) {
  RankedTensorType type = train::tensorType(x);
  static const char *const unary[] = {"not",    "popcnt", "count_leading_zeros",
                                      "negate", "abs",    "sign"};
  static const char *const binary[] = {"add",        "subtract",
                                       "multiply",   "divide",
                                       "remainder",  "maximum",
                                       "minimum",    "and",
                                       "or",         "xor",
                                       "shift_left", "shift_right_logical",
                                       "power",      "shift_right_arithmetic"};
  auto apply = [&](StringRef name, ValueRange operands) {
    return op(name, operands, type.getShape(), type.getElementType());
  };
  if (chance(25))
    return apply(unary[below(std::size(unary))], x);
  return apply(binary[below(std::size(binary))], {x, valueOf(type)});
}

Value RandomKernel::movement(Value x) {
  Type element = train::tensorType(x).getElementType();
  Shape shape(train::shapeOf(x));
  int64_t rank = shape.size();
  switch (below(8)) {
  case 0: { // transpose
    SmallVector<int64_t> permutation =
        llvm::to_vector(llvm::seq<int64_t>(rank));
    std::shuffle(permutation.begin(), permutation.end(), random);
    Shape out;
    for (int64_t d : permutation)
      out.push_back(shape[d]);
    return op("transpose", x, out, element, dims("permutation", permutation));
  }
  case 1: { // reshape: join all, or split by a divisor
    int64_t n = count(shape), divisor = 1 + below(12);
    Shape out = {n};
    if (n % divisor == 0)
      out = {n / divisor, divisor};
    return op("reshape", x, out, element);
  }
  case 2: { // slice
    SmallVector<int64_t> start, limit, stride;
    Shape out;
    for (int64_t extent : shape) {
      start.push_back(below(extent));
      limit.push_back(start.back() + 1 + below(extent - start.back()));
      stride.push_back(1 + below(2));
      out.push_back(
          llvm::divideCeil(limit.back() - start.back(), stride.back()));
    }
    return op(
        "slice", x, out, element,
        {dims("start", start), dims("limit", limit), dims("stride", stride)});
  }
  case 3: { // pad
    SmallVector<int64_t> low, high, interior;
    Shape out;
    for (int64_t extent : shape) {
      low.push_back(static_cast<int64_t>(below(4)) - 1);
      high.push_back(static_cast<int64_t>(below(4)) - 1);
      interior.push_back(below(4) == 0);
      out.push_back(extent + (extent - 1) * interior.back() + low.back() +
                    high.back());
      if (out.back() < 1)
        return {};
    }
    if (count(out) > largest)
      return {};
    Value value = valueOf(RankedTensorType::get({}, element));
    return op(
        "pad", {x, value}, out, element,
        {dims("low", low), dims("high", high), dims("interior", interior)});
  }
  case 4: { // reverse
    SmallVector<int64_t> reversed;
    for (int64_t d = 0; d < rank; ++d)
      if (chance(50))
        reversed.push_back(d);
    return op("reverse", x, shape, element, dims("dims", reversed));
  }
  case 5: { // concatenate
    if (rank == 0 || 2 * count(shape) > largest)
      return {};
    int64_t dim = below(rank);
    Shape otherShape = shape, out = shape;
    otherShape[dim] = 1 + below(shape[dim]);
    out[dim] += otherShape[dim];
    Value other = valueOf(RankedTensorType::get(otherShape, element));
    return op("concatenate", {x, other}, out, element, number("dim", dim));
  }
  default: { // broadcast
    Shape out;
    SmallVector<int64_t> into;
    for (int64_t extent : shape) {
      if (out.size() < 4 && chance(25))
        out.push_back(1 + below(5));
      into.push_back(out.size());
      out.push_back(extent == 1 && chance(50) ? 1 + below(6) : extent);
    }
    if (out.size() < 4 && chance(40))
      out.push_back(1 + below(20));
    if (count(out) > largest)
      return {};
    return op("broadcast_in_dim", x, out, element, dims("dims", into));
  }
  }
}

// Gathers of rows and dynamic slices, by indices that may be outside.
Value RandomKernel::indexed(Value x) {
  Type element = train::tensorType(x).getElementType();
  Shape shape(train::shapeOf(x));
  int64_t rank = shape.size();
  if (rank == 0)
    return {};
  if (chance(50)) {
    Shape sizes;
    SmallVector<Value> operands = {x};
    for (int64_t extent : shape) {
      sizes.push_back(1 + below(extent));
      operands.push_back(argument({}, b.getI32Type()));
      pool.pop_back();
    }
    return op("dynamic_slice", operands, sizes, element, dims("sizes", sizes));
  }
  int64_t n = 1 + below(12);
  Value indices = valueOf(RankedTensorType::get({n}, b.getI32Type()));
  Shape out = {n}, sizes = shape;
  sizes[0] = 1;
  SmallVector<int64_t> offsets;
  for (int64_t d = 1; d < rank; ++d) {
    out.push_back(shape[d]);
    offsets.push_back(d);
  }
  if (count(out) > largest)
    return {};
  return op("gather", {x, indices}, out, element,
            {dims("offset_dims", offsets), dims("collapsed_slice_dims", {0}),
             dims("operand_batching_dims", {}),
             dims("indices_batching_dims", {}), dims("start_index_map", {0}),
             number("index_vector_dim", 1), dims("slice_sizes", sizes)});
}

Value RandomKernel::reduction(Value x) {
  Type element = train::tensorType(x).getElementType();
  Shape shape(train::shapeOf(x));
  if (shape.empty())
    return {};
  // Several reductions make one kernel only over the same dims.
  if (reducedShape.empty()) {
    for (size_t d = 0; d < shape.size(); ++d)
      if (chance(50))
        reduced.push_back(d);
    if (reduced.empty())
      reduced.push_back(below(shape.size()));
    reducedShape = shape;
  } else if (shape != reducedShape) {
    return {};
  }
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!llvm::is_contained(reduced, d))
      out.push_back(shape[d]);
  using train::ReduceKind;
  bool predicate = element.isInteger(1);
  if (reduced.size() == 1 && !predicate && chance(20))
    return op("arg_reduce", x, out, b.getI32Type(),
              {number("dim", reduced[0]),
               kind(chance(50) ? ReduceKind::maximum : ReduceKind::minimum)});
  ReduceKind kinds[] = {ReduceKind::add, ReduceKind::maximum,
                        ReduceKind::minimum, ReduceKind::add};
  ReduceKind chosen = predicate ? (chance(50) ? ReduceKind::logical_and
                                              : ReduceKind::logical_or)
                                : kinds[below(4)];
  Value r =
      op("reduce", x, out, element, {dims("dims", reduced), kind(chosen)});
  if (chance(60)) { // back to where it came from, as a softmax does
    SmallVector<int64_t> into;
    for (size_t d = 0; d < shape.size(); ++d)
      if (!llvm::is_contained(reduced, d))
        into.push_back(d);
    r = op("broadcast_in_dim", r, shape, element, dims("dims", into));
  }
  return r;
}

} // namespace zcc::test
