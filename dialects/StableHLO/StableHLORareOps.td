// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that JAX hardly prints: they are expanded before other passes see the graph, or are errors by name.
#ifndef ZCC_DIALECTS_STABLEHLO_STABLEHLORAREOPS_TD
#define ZCC_DIALECTS_STABLEHLO_STABLEHLORAREOPS_TD

include "dialects/StableHLO/StableHLOBase.td"

// ---------------------------------------------------------------- tokens

def StableHLO_CreateTokenOp : StableHLO_PureOp<"create_token"> {
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}
def StableHLO_AfterAllOp : StableHLO_PureOp<"after_all"> {
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($result)";
}

// ---------------------------------------------------------------- products and lookups by another name

def StableHLO_EinsumOp : StableHLO_PureOp<"einsum"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_UnaryEinsumOp : StableHLO_PureOp<"unary_einsum"> {
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_TorchIndexSelectOp : StableHLO_PureOp<"torch_index_select"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- shapes as operands, with a static shape of the result

def StableHLO_DynamicReshapeOp : StableHLO_PureOp<"dynamic_reshape"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$output_shape);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_DynamicIotaOp : StableHLO_PureOp<"dynamic_iota"> {
  let arguments = (ins StableHLO_IntTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_DynamicBroadcastInDimOp : StableHLO_PureOp<"dynamic_broadcast_in_dim"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions, OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_DynamicPadOp : StableHLO_PureOp<"dynamic_pad"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$padding_value, StableHLO_IntTensor:$edge_padding_low,
    StableHLO_IntTensor:$edge_padding_high, StableHLO_IntTensor:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_RealDynamicSliceOp : StableHLO_PureOp<"real_dynamic_slice"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices, StableHLO_IntTensor:$limit_indices,
    StableHLO_IntTensor:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_DynamicGatherOp : StableHLO_PureOp<"dynamic_gather"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices, StableHLO_IntTensor:$slice_sizes,
    StableHLO_GatherAttr:$dimension_numbers, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
}
def StableHLO_DynamicConvOp : StableHLO_PureOp<"dynamic_conv"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StableHLO_IntTensor:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfig>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
}
// ---------------------------------------------------------------- distribution written by hand, and communication with the host

class StableHLO_DistributionOp<string mnemonic> : StableHLO_Op<mnemonic> {
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<AnyAttr>:$channel_handle, OptionalAttr<AnyAttr>:$replica_groups,
    OptionalAttr<AnyAttr>:$use_global_device_ids, OptionalAttr<AnyAttr>:$all_gather_dim,
    OptionalAttr<AnyAttr>:$scatter_dimension, OptionalAttr<AnyAttr>:$split_dimension,
    OptionalAttr<AnyAttr>:$concat_dimension, OptionalAttr<AnyAttr>:$split_count,
    OptionalAttr<AnyAttr>:$source_target_pairs, OptionalAttr<AnyAttr>:$is_host_transfer,
    OptionalAttr<AnyAttr>:$infeed_config, OptionalAttr<AnyAttr>:$outfeed_config, OptionalAttr<AnyAttr>:$layout);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$bodies);
}
def StableHLO_AllGatherOp : StableHLO_DistributionOp<"all_gather">;
def StableHLO_AllReduceOp : StableHLO_DistributionOp<"all_reduce">;
def StableHLO_AllToAllOp : StableHLO_DistributionOp<"all_to_all">;
def StableHLO_CollectiveBroadcastOp : StableHLO_DistributionOp<"collective_broadcast">;
def StableHLO_CollectivePermuteOp : StableHLO_DistributionOp<"collective_permute">;
def StableHLO_ReduceScatterOp : StableHLO_DistributionOp<"reduce_scatter">;
def StableHLO_SendOp : StableHLO_DistributionOp<"send">;
def StableHLO_RecvOp : StableHLO_DistributionOp<"recv">;
def StableHLO_InfeedOp : StableHLO_DistributionOp<"infeed">;
def StableHLO_OutfeedOp : StableHLO_DistributionOp<"outfeed">;
class StableHLO_DeviceNumberOp<string mnemonic> : StableHLO_PureOp<mnemonic> {
  let results = (outs StaticShapeTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def StableHLO_ReplicaIdOp : StableHLO_DeviceNumberOp<"replica_id">;
def StableHLO_PartitionIdOp : StableHLO_DeviceNumberOp<"partition_id">;

#endif
