// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the mesh that the options ask for into the module. If annotations or
// options name sub-axes, the axis is cut at the ends of all of them, and its
// parts stand in its place. So every sub-axis is a list of axes of the mesh,
// and ranks keep their order.
#include "dialects/Dist/AxisNames.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "planning/PlanValues.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_PLACEMESH
#include "passes/Distribute/Passes.h.inc"

namespace {
// The axis of devices that nobody names.
constexpr StringRef dataAxis = planning::axisName(planning::AxisRole::Data);

struct PlaceMesh : impl::PlaceMeshBase<PlaceMesh> {
  using PlaceMeshBase::PlaceMeshBase;

  // The plan; null if the pass was made from the text of a pipeline, whose
  // options tell it.
  std::shared_ptr<const planning::Plan> plan;

  struct WantedAxis {
    StringRef name;
    int64_t size;
    Location at;
  };

  // Returns the first place in the text where an axis of its mesh shards
  // something.
  Location placeOf(StringRef axis) {
    auto names = [&](ArrayAttr dims) {
      return dims && llvm::any_of(dims, [&](Attribute dim) {
               auto list = dyn_cast<ArrayAttr>(dim);
               return list && llvm::any_of(list, [&](Attribute name) {
                        auto text = dyn_cast<StringAttr>(name);
                        return text && wholeAxisName(text.getValue()) == axis;
                      });
             });
    };
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      for (BlockArgument argument : func.getArguments())
        if (names(func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                   textShardingAttrName)))
          return argument.getLoc();
      for (auto constraint : func.getOps<train::ShardingConstraintOp>())
        if (names(constraint.getSharding()))
          return constraint.getLoc();
    }
    return getOperation().getLoc();
  }

  // Makes a plan of the options in the text of a pipeline.
  FailureOr<planning::Plan> parseOptions() {
    planning::Plan own;
    own.microbatches = microbatches;
    ModuleOp module = getOperation();
    for (StringRef text : axes) {
      auto [name, number] =
          text.contains('=') ? text.split('=') : std::pair(dataAxis, text);
      planning::PlanAxis &axis = own.mesh.emplace_back();
      axis.name = name;
      if (number.getAsInteger(10, axis.size) || axis.size < 1)
        return module.emitError()
               << "mesh axis '" << text
               << "': expected NAME=SIZE with a size of at least 1";
    }
    for (const std::string &text : shardings)
      if (std::string wrong =
              planning::parseAnnotation(text, own.shard.emplace_back());
          !wrong.empty())
        return module.emitError("--shard: ") << wrong;
    own.zeroAxes.assign(zeroAxes.begin(), zeroAxes.end());
    own.expertAxes.assign(expertAxes.begin(), expertAxes.end());
    return own;
  }

  // Reads the mesh that the text was written for.
  void readText(SmallVectorImpl<WantedAxis> &wanted) {
    auto names = getOperation()->getAttrOfType<ArrayAttr>(textMeshAxesAttrName);
    auto sizes =
        getOperation()->getAttrOfType<DenseI64ArrayAttr>(textMeshSizesAttrName);
    if (!names || !sizes || names.size() != static_cast<size_t>(sizes.size()))
      return;
    for (auto [name, size] : llvm::zip_equal(names, sizes.asArrayRef()))
      if (auto text = dyn_cast<StringAttr>(name); text && size > 0)
        wanted.push_back({text.getValue(), size, placeOf(text.getValue())});
  }

  LogicalResult parse(SmallVectorImpl<Attribute> &list) {
    SmallVector<WantedAxis> wanted;
    for (const planning::PlanAxis &axis : plan->mesh)
      wanted.push_back({axis.name, axis.size, getOperation().getLoc()});
    if (wanted.empty())
      readText(wanted);
    if (wanted.empty())
      wanted.push_back({dataAxis, 1, getOperation().getLoc()});
    llvm::StringSet<> seen;
    for (const auto &[name, size, at] : wanted) {
      if (name == planning::microAxisName &&
          (!plan->mesh.empty() || plan->microbatches > 1))
        return emitError(at)
               << "mesh axis 'micro': microbatches are no devices";
      if (!seen.insert(name).second)
        return emitError(at) << "mesh axis '" << name << "' stands twice";
      list.push_back(AxisAttr::get(&getContext(), name, size, false));
    }
    return success();
  }

  struct Mention {
    AxisPart part;
    Location at;
  };

  // Finds the sub-axes that annotations of the text and options name.
  LogicalResult findSubAxes(SmallVectorImpl<Mention> &mentions) {
    Location here = getOperation().getLoc();
    auto note = [&](StringRef name, Location at) -> LogicalResult {
      if (!name.contains(':'))
        return success();
      std::optional<AxisPart> part = parseAxisPart(name);
      if (!part)
        return emitError(at) << "expected a sub-axis as in \"x:(1)2\", found '"
                             << name << "'";
      mentions.push_back({*part, at});
      return success();
    };
    auto noteAll = [&](ArrayAttr dims, Location at) -> LogicalResult {
      for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>())
        if (auto list = dyn_cast<ArrayAttr>(dim))
          for (Attribute axis : list)
            if (auto name = dyn_cast<StringAttr>(axis))
              if (failed(note(name.getValue(), at)))
                return failure();
      return success();
    };
    for (const planning::PlanAnnotation &annotation : plan->shard)
      for (const planning::PlanAnnotation::Dim &dim : annotation.dims)
        for (const std::string &name : dim.axes)
          if (failed(note(name, here)))
            return failure();
    for (const auto *names : {&plan->zeroAxes, &plan->expertAxes})
      for (const std::string &name : *names)
        if (failed(note(name, here)))
          return failure();
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      for (BlockArgument argument : func.getArguments())
        if (failed(noteAll(func.getArgAttrOfType<ArrayAttr>(
                               argument.getArgNumber(), textShardingAttrName),
                           argument.getLoc())))
          return failure();
      for (auto constraint : func.getOps<train::ShardingConstraintOp>())
        if (failed(noteAll(constraint.getSharding(), constraint.getLoc())))
          return failure();
    }
    return success();
  }

  // Cuts the axis at both ends of each of its sub-axes.
  LogicalResult cut(AxisAttr axis, ArrayRef<Mention> mentions,
                    SmallVectorImpl<Attribute> &list) {
    // by the size of the parts before them
    std::map<int64_t, const Mention *> ends;
    for (const Mention &mention : mentions) {
      // An axis of one device is not cut: the device has all parts.
      if (mention.part.axis != axis.getName() || axis.getSize() == 1)
        continue;
      int64_t before = mention.part.before, size = mention.part.size;
      if (axis.getTemporal() || before > axis.getSize() ||
          axis.getSize() / before % size != 0 || axis.getSize() % before != 0)
        return emitError(mention.at)
               << "'" << nameAxisPart(mention.part) << "' is no part of axis '"
               << axis.getName() << "' of " << axis.getSize();
      ends.try_emplace(before, &mention);
      ends.try_emplace(before * size, &mention);
    }
    ends.erase(1);
    ends.try_emplace(axis.getSize(), nullptr);
    if (ends.size() == 1) {
      list.push_back(axis);
      return success();
    }
    int64_t before = 1;
    const Mention *last = nullptr;
    for (auto [end, mention] : ends) {
      if (end % before != 0) {
        InFlightDiagnostic diagnostic = emitError(mention->at)
                                        << "sub-axis '"
                                        << nameAxisPart(mention->part)
                                        << "' cuts through another";
        diagnostic.attachNote(last->at)
            << "which is '" << nameAxisPart(last->part) << "'";
        return diagnostic;
      }
      list.push_back(AxisAttr::get(
          &getContext(), nameAxisPart({axis.getName(), before, end / before}),
          end / before, false));
      before = end;
      last = mention;
    }
    return success();
  }

  LogicalResult refine(SmallVectorImpl<Attribute> &list) {
    SmallVector<Mention> mentions;
    if (failed(findSubAxes(mentions)))
      return failure();
    SmallVector<Attribute> whole(list.begin(), list.end());
    list.clear();
    for (Attribute axis : whole)
      if (failed(cut(cast<AxisAttr>(axis), mentions, list)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!plan) {
      FailureOr<planning::Plan> parsed = parseOptions();
      if (failed(parsed))
        return signalPassFailure();
      plan = std::make_shared<planning::Plan>(std::move(*parsed));
    }
    // Nothing asks for a mesh: the text has one.
    if (plan->isBare())
      return;
    SmallVector<Attribute> list;
    if (plan->microbatches > 1)
      list.push_back(AxisAttr::get(&getContext(), planning::microAxisName,
                                   plan->microbatches, true));
    if (failed(parse(list)) || failed(refine(list)))
      return signalPassFailure();
    ArrayAttr wanted = ArrayAttr::get(&getContext(), list);
    if (MeshOp mesh = getMesh(module)) {
      if ((!plan->mesh.empty() || plan->microbatches > 1) &&
          mesh.getAxes() != wanted) {
        mesh.emitError("the text has the mesh ")
            << mesh.getAxes() << ", the options ask for " << wanted;
        return signalPassFailure();
      }
      return;
    }
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    MeshOp::create(b, module.getLoc(), meshName, wanted);
  }
};
} // namespace

std::unique_ptr<Pass> createPlaceMesh(const DistributeOptions &options) {
  auto pass = std::make_unique<PlaceMesh>();
  pass->plan = std::make_shared<planning::Plan>(options.plan);
  return pass;
}
} // namespace zcc
