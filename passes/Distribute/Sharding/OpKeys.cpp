// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/OpKeys.h"
#include "dialects/Train/AttributeNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
// The bytes of one op that are hashed.
struct Bytes {
  SmallVector<uint8_t, 256> data;

  void add(uint64_t number) {
    for (int i = 0; i < 8; ++i)
      data.push_back(static_cast<uint8_t>(number >> (8 * i)));
  }
  void add(StringRef text) {
    add(static_cast<uint64_t>(text.size()));
    data.append(text.bytes_begin(), text.bytes_end());
  }
  void add(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    for (int64_t extent : tensor.getShape())
      add(static_cast<uint64_t>(extent));
    add(static_cast<uint64_t>(tensor.getElementTypeBitWidth()));
  }
  // Large attributes are left out: where all else is the same, they rarely
  // differ.
  void add(Attribute attribute) {
    if (auto text = dyn_cast<StringAttr>(attribute))
      add(text.getValue());
    else if (auto integer = dyn_cast<IntegerAttr>(attribute))
      add(integer.getValue().getLimitedValue());
    else if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
      for (int64_t element : list.asArrayRef())
        add(static_cast<uint64_t>(element));
    else if (auto list = dyn_cast<ArrayAttr>(attribute))
      for (Attribute element : list)
        add(element);
  }
  uint64_t hash() const { return llvm::xxh3_64bits(data); }
};
} // namespace

OpKeys::OpKeys(Block &block) {
  DenseMap<Value, uint64_t> values;
  auto func = dyn_cast<func::FuncOp>(block.getParentOp());
  for (BlockArgument argument : block.getArguments()) {
    Bytes bytes;
    DictionaryAttr attributes =
        func ? func.getArgAttrDict(argument.getArgNumber()) : nullptr;
    bytes.add(argument.getType());
    if (attributes)
      for (NamedAttribute attribute : attributes) {
        bytes.add(attribute.getName().getValue());
        bytes.add(attribute.getValue());
      }
    values[argument] = bytes.hash();
  }
  for (auto [place, op] : llvm::enumerate(block)) {
    Bytes bytes;
    bytes.add(op.getName().getStringRef());
    for (NamedAttribute attribute : op.getAttrs())
      bytes.add(attribute.getValue());
    if (Attribute properties = op.getPropertiesAsAttribute())
      if (auto dictionary = dyn_cast<DictionaryAttr>(properties))
        for (NamedAttribute attribute : dictionary)
          bytes.add(attribute.getValue());
    for (Value operand : op.getOperands())
      bytes.add(values.lookup(operand));
    for (Type type : op.getResultTypes())
      bytes.add(type);
    uint64_t key = bytes.hash();
    keys[&op] = key;
    places[&op] = place;
    for (Value result : op.getResults())
      values[result] = key++;
  }
}
