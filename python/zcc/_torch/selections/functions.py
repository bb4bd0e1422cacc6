# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of the functions of torch, by how they treat the elements that a mask selects.

A function has one name here, whether it is called as a method, as an operator or in place: `x.add_(y)`, `x + y` and `torch.add(x, y)` are "add".
"""
from __future__ import annotations

import dataclasses
import math

import torch


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ---------------------------------------------------------------- each element alone

# These have the elements of their argument, perhaps in another type.
COPIES = _names("to type type_as float double half bfloat16 long int bool cpu contiguous clone detach stop_gradient requires_grad __get__ expand_as view_as "
                "resolve_conj broadcast_tensors")
ACTIVATIONS = _names("softplus celu selu relu6 prelu hardshrink softshrink softsign tanhshrink hardsigmoid hardswish dropout alpha_dropout gumbel_softmax")
TENSORS_LIKE_ANOTHER = _names("zeros_like ones_like full_like empty_like rand_like randn_like")
OTHERS = _names("nan_to_num isclose one_hot polar complex view_as_complex view_as_real")
# Each element of the result follows from one element of each argument, as of the functions that ATen tags as pointwise.
ELEMENTWISE = COPIES | ACTIVATIONS | TENSORS_LIKE_ANOTHER | OTHERS

# Questions of a tensor whose answers are the same for all its rows as for those that are selected.
ATTRIBUTES = _names("requires_grad_ dim is_floating_point is_complex get_device is_contiguous element_size stride is_leaf is_conj is_neg")
# Questions of a shape, whose answers have the number of selected elements as a symbol.
SIZES = _names("size numel nelement __len__")

# ---------------------------------------------------------------- rows that do not mix


@dataclasses.dataclass(frozen=True)
class Dim:
    """The argument of a function that says along which dim it works. place: its number. default: its value if it is not given; None: it has none."""
    place: int = 1
    default: int | None = None


# These mix elements along one dim or several, which must be others than that of the selection. x.flip(0, 1) has each dim as an argument.
ALONG: dict[str, Dim] = {
    **dict.fromkeys(("softmax", "log_softmax", "softmin", "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin", "flip", "gather", "take_along_dim", "select",
                     "narrow", "index_select", "median", "unfold", "trapezoid", "argmax", "argmin"), Dim()),
    **dict.fromkeys(("roll", "kthvalue"), Dim(2)),
    **dict.fromkeys(("glu", "sort", "argsort"), Dim(1, -1)),
    **dict.fromkeys(("topk", "diff"), Dim(2, -1)),
    **dict.fromkeys(("split", "chunk", "split_with_sizes"), Dim(2, 0)),
    **dict.fromkeys(("normalize", "cosine_similarity"), Dim(2, 1)),
    "unbind": Dim(1, 0),
}

# These treat each sample of a batch, the first dim, alone.
OF_BATCHES = _names("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d group_norm max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d "
                    "avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d scaled_dot_product_attention pad interpolate")

# These mix elements of so many of the last dims; None: the argument normalized_shape says how many.
OF_LAST_DIMS: dict[str, int | None] = {"linear": 1, "bilinear": 1, "layer_norm": None, "rms_norm": None}

EMBEDDING = "embedding"  # a selection may be its numbers, but not its table
PRODUCTS = _names("matmul mm bmm mv __matmul__")
JOINS = _names("cat concat concatenate stack hstack vstack")

# ---------------------------------------------------------------- shapes

TRANSPOSES = _names("t transpose swapaxes swapdims permute movedim moveaxis")
RESHAPES = TRANSPOSES | _names("view reshape flatten unflatten squeeze unsqueeze expand")
# These make a tensor of a shape, which may have the number of selected elements; x.new_zeros and its like take the type of x.
FACTORIES = _names("zeros ones full empty rand randn new_zeros new_ones new_full new_empty")

# ---------------------------------------------------------------- sums and losses


@dataclasses.dataclass(frozen=True)
class Reduction:
    """A function that makes one element of several. neutral: the number that stands for an element that counts nothing, where an infinity
    means the largest or smallest number of the type; None: the result depends on how many there are. place: the number of the argument
    that says along which dims."""
    neutral: float | None
    place: int = 1


REDUCTIONS: dict[str, Reduction] = {
    **dict.fromkeys(("sum", "nansum", "count_nonzero", "any"), Reduction(0)),
    **dict.fromkeys(("all", "prod"), Reduction(1)),
    **dict.fromkeys(("amax", "max", "logsumexp"), Reduction(-math.inf)),
    **dict.fromkeys(("amin", "min"), Reduction(math.inf)),
    **dict.fromkeys(("norm", "vector_norm", "linalg_vector_norm"), Reduction(0, 2)),
    **dict.fromkeys(("mean", "std", "var"), Reduction(None)),
}
NORMS = _names("norm vector_norm linalg_vector_norm")

# Losses that are functions of each element, of which the sum or the mean is taken.
LOSSES_OF_ELEMENTS = _names("mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div hinge_embedding_loss "
                            "margin_ranking_loss poisson_nll_loss soft_margin_loss")
# Losses that are functions of each row of their first two arguments.
LOSSES_OF_ROWS = _names("cosine_embedding_loss triplet_margin_loss multi_margin_loss multilabel_margin_loss")
# Losses of one label for each row, among which one counts nothing.
LOSSES_BY_LABEL = _names("cross_entropy_loss nll_loss_nd nll_loss")

# ---------------------------------------------------------------- reads and writes at places

# These write rows of a source to places along a dim.
WRITES = _names("index_add scatter_add scatter scatter_reduce index_copy index_reduce")
# These read at places that a selection may be.
READS = _names("index_select gather take_along_dim")
# These have an index, in which masks, places and slices may stand together.
INDEXED = _names("__getitem__ __setitem__ index_put")

# ---------------------------------------------------------------- names

_METHODS = _names("__get__ __getitem__ __setitem__ __len__ __matmul__ __contains__")  # they keep their underscores
_OPERATORS = {"invert": "bitwise_not", "truediv": "div", "rtruediv": "div", "itruediv": "div", "rdiv": "div", "radd": "add", "iadd": "add", "isub": "sub",
              "rmul": "mul", "imul": "mul", "rpow": "pow", "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and", "iand": "bitwise_and",
              "or": "bitwise_or", "ior": "bitwise_or", "xor": "bitwise_xor"}


def name_of(function) -> str:
    """Returns the name of a function as it is in the lists above."""
    name = getattr(function, "__name__", "") or ""
    if name.startswith("__") and name not in _METHODS:
        name = name.strip("_")
        name = _OPERATORS.get(name, name)
    packet = getattr(torch.ops.aten, name, None)
    return name if name.endswith("__") or packet is not None and not name.endswith("_") else name.removesuffix("_")


def is_elementwise(name: str) -> bool:
    """Returns True for the name of a function each element of whose result follows from one element of each argument."""
    packet = getattr(torch.ops.aten, name, None)
    return name in ELEMENTWISE or packet is not None and any(torch.Tag.pointwise in getattr(packet, o).tags for o in packet.overloads())


def is_in_place(function) -> bool:
    """Returns True for a function that writes its result to its first argument, and returns that."""
    raw = getattr(function, "__name__", "")
    return raw.endswith("_") and not raw.endswith("__") or raw.startswith("__i") and raw not in ("__invert__", "__int__")


def bound(name: str, args, kwargs) -> dict:
    """Returns the arguments of a function by the names that its schema in ATen gives them."""
    packet = getattr(torch.ops.aten, name)
    schema = getattr(packet, "default", None) or getattr(packet, packet.overloads()[0])
    return {**{a.name: v for a, v in zip(schema._schema.arguments, args)}, **kwargs}
