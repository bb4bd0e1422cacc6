// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the step into forward, backward and epilogue by the tags of its ops.
// Gradients and other values go from task to task by name.
#include "mlir/IR/IRMapping.h"
#include "passes/Distribute/Placement.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/Residuals.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_SPLITTASKS
#include "passes/Pipeline/Passes.h.inc"

namespace {
constexpr StringLiteral tags[] = {"forward", "backward", "update"};
constexpr StringLiteral kinds[] = {"forward", "backward", "epilogue"};

struct Splitter {
  ModuleOp module;
  func::FuncOp step;
  Block &block;
  OpBuilder b;
  MeshAxes mesh;
  llvm::StringMap<unsigned> symbols;    // taken
  llvm::StringMap<unsigned> valueNames; // taken
  llvm::StringMap<Type> fileTypes;      // of parameters
  DenseMap<Value, std::string> nameOf;  // of arguments: the declared symbol; of
                                        // values between tasks: their name
  SmallVector<std::string>
      resultNames; // of the step: the declared symbol, "" for state that comes
                   // back as it went in
  DenseMap<Operation *, int> partOf;

  Splitter(ModuleOp module, func::FuncOp step)
      : module(module), step(step), block(step.getBody().front()), b(step),
        mesh(getMesh(module)) {
    for (Operation &op : module.getOps())
      if (auto name =
              op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        symbols[name.getValue()] = 1;
  }

  // `name`, or `name#k` where it is taken; `taken` counts how often each was
  // asked for, so that many are not slow.
  static std::string unique(llvm::StringMap<unsigned> &taken,
                            const std::string &name) {
    unsigned &times = taken[name];
    if (++times == 1)
      return name;
    while (true) {
      std::string candidate = name + "#" + std::to_string(times);
      if (taken.try_emplace(candidate, 1).second)
        return candidate;
      ++times;
    }
  }

  // ------------------------------------------------------------ declarations

  // The element types of parameters in files: those of their widest weights.
  void findFileTypes() {
    for (BlockArgument argument : step.getArguments()) {
      auto kind = step.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    kindAttrName);
      if (!kind ||
          (kind.getValue() != "parameter" && kind.getValue() != "master"))
        continue;
      Type type = train::tensorType(argument).getElementType();
      Type &widest = fileTypes[argumentName(argument)];
      if (!widest ||
          type.getIntOrFloatBitWidth() > widest.getIntOrFloatBitWidth())
        widest = type;
    }
  }

  LogicalResult declareState(BlockArgument argument,
                             DictionaryAttr attributes) {
    StringRef parameter = argumentName(argument);
    auto global = cast<RankedTensorType>(
        attributes.getAs<TypeAttr>("dist.global").getValue());
    Placement placement =
        *mesh.fromAttr(attributes.getAs<ShardingAttr>(shardingAttrName));
    auto part = attributes.getAs<DenseI64ArrayAttr>(partAttrName);
    auto file = attributes.getAs<DenseI64ArrayAttr>(fileShapeAttrName);
    SmallVector<int64_t> fileShape(file ? file.asArrayRef()
                                        : global.getShape());
    if (fileShape.size() < static_cast<size_t>(global.getRank()))
      return emitError(argument.getLoc(), "parameter '")
             << parameter << "': expected a file shape of rank "
             << global.getRank() << " or more, found " << fileShape.size();
    // A part of a stack lacks the stack's dims, which come first.
    size_t lead = fileShape.size() - global.getRank();
    SmallVector<int64_t> start(fileShape.size(), 0), extent(lead, 1);
    if (part)
      llvm::copy(part.asArrayRef().take_front(start.size()), start.begin());
    extent.append(global.getShape().begin(), global.getShape().end());
    placement.dims.insert(placement.dims.begin(), lead, AxisList());
    std::string symbol = stateSymbolOf(attributes);
    if (!symbols.try_emplace(symbol, 1).second)
      return emitError(argument.getLoc(), "state '")
             << symbol << "' stands twice";
    nameOf[argument] = symbol;
    StateOp::create(b, argument.getLoc(), symbol, argument.getType(),
                    attributes.getAs<StringAttr>(kindAttrName), parameter,
                    RankedTensorType::get(fileShape, fileTypes[parameter]),
                    start, extent, mesh.toAttr(placement), /*stage=*/0);
    return success();
  }

  LogicalResult declareArguments() {
    findFileTypes();
    for (BlockArgument argument : step.getArguments()) {
      DictionaryAttr attributes = step.getArgAttrDict(argument.getArgNumber());
      if (!stateSymbolOf(attributes).empty()) {
        if (failed(declareState(argument, attributes)))
          return failure();
      } else if (auto name = attributes.getAs<StringAttr>(zcc::inputAttrName)) {
        if (argument.use_empty())
          continue;
        nameOf[argument] = unique(symbols, name.getValue().str());
        auto input = InputOp::create(
            b, argument.getLoc(), nameOf[argument],
            attributes.getAs<TypeAttr>("dist.global").getValue(), name,
            attributes.getAs<ShardingAttr>(shardingAttrName), /*stage=*/0);
        if (auto limit =
                attributes.getAs<DenseI64ArrayAttr>(zcc::limitAttrName))
          input->setAttr(dist::limitAttrName, limit);
      }
    }
    return success();
  }

  LogicalResult declareResults() {
    Operation *terminator = block.getTerminator();
    for (auto [i, v] : llvm::enumerate(terminator->getOperands())) {
      DictionaryAttr attributes = step.getResultAttrDict(i);
      std::string &symbol = resultNames.emplace_back(stateSymbolOf(attributes));
      if (!symbol.empty()) {
        if (!symbols.contains(symbol))
          return step.emitError("result ") << i << " is the state '" << symbol
                                           << "', which no argument is";
        if (nameOf.lookup(v) == symbol)
          symbol.clear();
        continue;
      }
      auto kind = attributes ? attributes.getAs<StringAttr>(zcc::outputAttrName)
                             : StringAttr();
      if (!kind)
        return step.emitError("result ")
               << i << " says neither which state nor which output it is";
      auto name = attributes.getAs<StringAttr>(resultAttrName);
      std::string output = name ? name.getValue().str() : kind.getValue().str();
      symbol = unique(symbols, output);
      OutputOp::create(b, v.getLoc(), symbol, v.getType(), kind.getValue(),
                       output, attributes.getAs<ArrayAttr>(namesAttrName),
                       /*stage=*/0);
    }
    return success();
  }

  // ------------------------------------------------------------ names of
  // values

  void nameGradients() {
    for (ObserveOp observe : block.getOps<ObserveOp>())
      for (auto [v, state] :
           llvm::zip_equal(observe.getValues(), observe.getStates())) {
        Value g = v;
        while (true) {
          nameOf.try_emplace(
              g, cast<SymbolRefAttr>(state).getRootReference().str() +
                     ":gradient");
          Operation *op = g.getDefiningOp();
          if (!op ||
              !(isa<train::ConvertOp, AllReduceOp, ReduceScatterOp>(op) ||
                op->hasTrait<train::DataMovementOp>()))
            break;
          g = op->getOperand(0);
        }
      }
  }

  // The name by which `v` goes from task to task.
  StringAttr valueName(Value v, DenseMap<Value, StringAttr> &between) {
    StringAttr &name = between[v];
    if (!name) {
      std::string text = nameOf.lookup(v);
      if (text.empty())
        text = locationName(v.getLoc());
      if (text.empty())
        text = v.getDefiningOp()->getName().getStringRef().str();
      name = b.getStringAttr(unique(valueNames, text));
    }
    return name;
  }

  // ------------------------------------------------------------ tasks

  struct Task {
    SmallVector<Operation *>
        ops; // computed again, then its own; in the order of the step
    SmallVector<Value> read;       // values of earlier tasks
    SmallVector<unsigned> results; // of the step
  };

  int partOfValue(Value v, int atLeast) {
    Operation *op = v.getDefiningOp();
    return op ? partOf[op] : atLeast;
  }

  void build(int part, const Task &task, ArrayRef<Value> yields,
             const DenseSet<Value> &residual,
             DenseMap<Value, StringAttr> &between) {
    SmallVector<Type> argumentTypes, resultTypes;
    SmallVector<Attribute> argumentAttrs, resultAttrs;
    SmallVector<Value> arguments;
    auto attr = [&](StringRef name, Attribute value) {
      return b.getDictionaryAttr({b.getNamedAttr(name, value)});
    };
    auto add = [&](Value v, Attribute attribute) {
      arguments.push_back(v);
      argumentTypes.push_back(v.getType());
      argumentAttrs.push_back(attribute);
    };
    DenseSet<Value> used;
    for (Operation *op : task.ops)
      used.insert(op->operand_begin(), op->operand_end());
    for (unsigned i : task.results)
      used.insert(block.getTerminator()->getOperand(i));
    for (BlockArgument argument : step.getArguments()) {
      if (!used.contains(argument))
        continue;
      DictionaryAttr attributes = step.getArgAttrDict(argument.getArgNumber());
      if (!stateSymbolOf(attributes).empty())
        add(argument, attr(stateAttrName, b.getStringAttr(nameOf[argument])));
      else if (attributes.contains(zcc::inputAttrName))
        add(argument,
            attr(dist::inputAttrName, b.getStringAttr(nameOf[argument])));
      else
        add(argument, attr(hyperAttrName, b.getUnitAttr()));
    }
    for (Value v : task.read)
      add(v, attr(valueAttrName, valueName(v, between)));

    SmallVector<Value> returned;
    for (Value v : yields) {
      NamedAttrList attributes;
      attributes.set(valueAttrName, valueName(v, between));
      if (residual.contains(v))
        attributes.set(residualAttrName, b.getStringAttr("keep"));
      returned.push_back(v);
      resultTypes.push_back(v.getType());
      resultAttrs.push_back(attributes.getDictionary(b.getContext()));
    }
    for (unsigned i : task.results) {
      Value v = block.getTerminator()->getOperand(i);
      bool isState = !stateSymbolOf(step.getResultAttrDict(i)).empty();
      returned.push_back(v);
      resultTypes.push_back(v.getType());
      resultAttrs.push_back(attr(isState ? stateAttrName : dist::outputAttrName,
                                 b.getStringAttr(resultNames[i])));
    }

    auto func = func::FuncOp::create(
        b, step.getLoc(), unique(symbols, kinds[part].str()),
        b.getFunctionType(argumentTypes, resultTypes));
    func->setAttr(taskAttrName, b.getStringAttr(kinds[part]));
    func->setAttr(stageAttrName, b.getI64IntegerAttr(0));
    func.setAllArgAttrs(argumentAttrs);
    func.setAllResultAttrs(resultAttrs);
    Block *body = func.addEntryBlock();
    IRMapping map;
    for (auto [v, argument] :
         llvm::zip_equal(arguments, body->getArguments())) {
      argument.setLoc(v.getLoc());
      map.map(v, argument);
    }
    OpBuilder inside = OpBuilder::atBlockBegin(body);
    for (Operation *op : task.ops) {
      Operation *clone = inside.clone(*op, map);
      clone->removeAttr(shardingsAttrName);
      clone->removeAttr("dist.region");
      clone->setAttr(train::tagAttrName, b.getStringAttr(tags[part]));
    }
    for (Value &v : returned)
      v = map.lookup(v);
    func::ReturnOp::create(inside, step.getLoc(), returned);
  }

  LogicalResult run() {
    if (failed(declareArguments()) || failed(declareResults()))
      return failure();
    nameGradients();
    SmallVector<Operation *> ops;
    DenseMap<Operation *, size_t> position;
    std::array<DenseSet<Operation *>, 3> own;
    for (Operation &op : block.without_terminator()) {
      auto tag = op.getAttrOfType<StringAttr>(train::tagAttrName);
      const auto *it = llvm::find(tags, tag ? tag.getValue() : "forward");
      if (it == std::end(tags))
        return op.emitOpError("expected '")
               << train::tagAttrName
               << "' to be forward, backward or update, found " << tag;
      position[&op] = ops.size();
      ops.push_back(&op);
      own[partOf[&op] = it - std::begin(tags)].insert(&op);
    }
    std::array<Task, 3> tasks;
    Operation *terminator = block.getTerminator();
    int last = 0;
    for (int part = 0; part < 3; ++part)
      if (!own[part].empty())
        last = part;
    for (unsigned i = 0; i < terminator->getNumOperands(); ++i)
      if (!resultNames[i].empty())
        tasks[partOfValue(terminator->getOperand(i), last)].results.push_back(
            i);
    // Residuals: the first task needs nothing; later ones say what they read of
    // earlier ones.
    Residuals residuals(ops);
    SmallVector<Value> yields[3];
    DenseSet<Value> yielded;
    for (int part = 0; part < 3; ++part) {
      residuals.cut(own[part], tasks[part].ops, tasks[part].read);
      tasks[part].ops.append(own[part].begin(), own[part].end());
      llvm::sort(tasks[part].ops, [&](Operation *a, Operation *b) {
        return position[a] < position[b];
      });
      for (Value v : tasks[part].read) {
        int source = partOf[v.getDefiningOp()];
        if (source >= part)
          return v.getDefiningOp()->emitOpError("is tagged ")
                 << tags[source] << ", but " << tags[part] << " reads it";
        if (yielded.insert(v).second)
          yields[source].push_back(v);
      }
    }
    DenseSet<Value> residual(tasks[1].read.begin(), tasks[1].read.end());
    DenseMap<Value, StringAttr> between;
    for (int part = 0; part < 3; ++part) {
      // Named and yielded in the order in which they are computed.
      llvm::sort(yields[part], [&](Value a, Value b) {
        return std::make_pair(position[a.getDefiningOp()],
                              cast<OpResult>(a).getResultNumber()) <
               std::make_pair(position[b.getDefiningOp()],
                              cast<OpResult>(b).getResultNumber());
      });
      if (!tasks[part].ops.empty() || !tasks[part].results.empty())
        build(part, tasks[part], yields[part], residual, between);
    }
    step.erase();
    return success();
  }
};

struct SplitTasks : impl::SplitTasksBase<SplitTasks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp step = getStep(module);
    if (!step || !getMesh(module)) {
      module.emitError("expected a mesh and a function @step");
      return signalPassFailure();
    }
    if (failed(Splitter(module, step).run()))
      return signalPassFailure();
  }
};
} // namespace
} // namespace zcc
