# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every overload of the table against torch, on torch's own samples (OpInfo) and on those below.

Values are computed from the text by XLA in float64, and gradients by zcc. Many calls share one text, so that all of it takes minutes.
"""
import fnmatch
import functools
import importlib.util
import itertools
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from samples import BATCH, REACHED, Call, check_gradients, check_values, run_text  # noqa: E402
from torch.func import functional_call  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._pytree import tree_flatten  # noqa: E402

from zcc._torch import ops, trace  # noqa: E402

torch.set_num_threads(1)
warnings.simplefilter("ignore")


def setup_module():
    REACHED.clear()  # of what other files of tests have lowered


# ---------------------------------------------------------------- torch's samples

COMPLEX, LAPACK, SIZES, DRAWS, STORAGE = "complex numbers", "linear algebra libraries", "sizes that depend on values", "random", "memory"
RARE = "no model is known to use it"
# Names of OpInfos, or patterns of them with *, which zcc cannot carry or which are tested otherwise.
REFUSED = {
    # Samples are real; own_calls() has those of complex numbers.
    **dict.fromkeys(["view_as_real", "cfloat", "chalf", "imag"], COMPLEX),
    **dict.fromkeys([*(f"linalg.{n}" for n in ("cond", "det.singular", "eig*", "householder_product", "ldl*", "lstsq*", "lu*", "matrix_*", "pinv*", "polar",
                                                        "qr", "svd*", "tensor*")),
                     "cholesky", "cholesky_inverse", "geqrf", "ormqr", "lu", "lu_solve", "lu_unpack", "matrix_exp", "svd*", "pca_lowrank", "qr", "pinverse",
                     "triangular_solve", "norm.nuc", "symeig", "lobpcg", "torch.linalg*"], LAPACK),
    **dict.fromkeys(["masked_select", "nonzero", "argwhere", "bincount", "unique*", "combinations", "nn.functional.one_hot",
                     "histogramdd", "histogram", "tensor_split", "item", "repeat_interleave", "equal", "allclose", "narrow"], SIZES),
    **dict.fromkeys(["cauchy", "exponential", "geometric", "log_normal", "normal*", "uniform", "bernoulli", "multinomial", "rand*",
                     "nn.functional.dropout*", "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout*", "native_dropout_backward",
                     "nn.functional.fractional_max_pool*", "nn.functional.rrelu", "nn.functional.multi_head_attention_forward"], DRAWS),
    **dict.fromkeys(["resize_", "resize_as_", "to_sparse", "empty*", "new_empty*", "as_strided.partial_views", "sparse.*", "torch._scaled*", "bfloat16",
                     "jiterator*"], STORAGE),
    **dict.fromkeys([*(f"special.{n}" for n in ("i0e", "i1*", "airy_ai", "*bessel*", "*polynomial*", "zeta", "erfcx", "log_ndtr", "ndtri", "polygamma*")), "i0", "frexp", "gcd", "lcm", "igamma", "igammac", "polygamma*", "nn.functional.ctc_loss",
                     "nn.functional.linear_cross_entropy*", "grid_sampler_3d", "mode", "_segment_reduce*", "hash_tensor", "signal.windows.kaiser", "torch.ops.aten._flash*", "torch.ops.aten._efficient*", "torch.ops.aten._scaled*",
                     "max_pool2d_with_indices_backward", "_batch_norm_with_update"], RARE),
    "cov": "torch rounds sums of its weights to float32",
}


# Those whose gradients are not compared.
NO_GRADIENTS = {"as_strided_scatter": "places that are written twice", "nn.functional.max_unpool3d": "places that are written twice", "nextafter": RARE}


def name_of(info):
    return info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")


def is_refused(info):
    return any(fnmatch.fnmatchcase(name_of(info), n) for n in REFUSED)


INFOS = {name_of(i): i for i in op_db if not is_refused(i)}
GROUP = 24
GROUPS = [list(INFOS)[k:k + GROUP] for k in range(0, len(INFOS), GROUP)]


def size(tree):
    return sum(x.numel() for x in tree_flatten(tree)[0] if isinstance(x, torch.Tensor))


def calls_of(name, most, trains=False):
    """Returns up to `most` Calls of an OpInfo, spread over its samples."""
    info = INFOS[name]
    dtype = next((t for t in (torch.float64, torch.int64, torch.bool) if t in info.dtypes), None)
    if dtype is None or (trains and not (info.supports_autograd and dtype.is_floating_point)):
        return []
    torch.manual_seed(0)
    found = []
    for sample in itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=info.supports_autograd and dtype.is_floating_point), 60):
        if size((sample.input, sample.args, sample.kwargs)) > 600 or "dropout_p" in sample.kwargs or sample.kwargs.get("training"):
            continue
        call = Call(name, info.op, sample.input, *sample.args, **sample.kwargs)
        if trains and not all(p.numel() for p in call.parameters()):
            continue
        try:
            results = call()
            # zcc ends a step whose loss is not finite.
            if not results or trains and not (any(y.requires_grad for y in results) and all(y.isfinite().all() for y in results)):
                continue
        except RuntimeError:  # a sample of what torch itself refuses
            continue
        found.append(call)
    return found[::max(1, len(found) // most)][:most]


def of_group(check, calls):
    return {} if not calls else functools.reduce(lambda d, p: {**d, p[0].name: p[1]}, check(calls), {})


@pytest.mark.parametrize("group", range(len(GROUPS)), ids=lambda k: GROUPS[k][0])
def test_values(group):
    calls = [c for name in GROUPS[group] for c in calls_of(name, 2)]
    assert of_group(check_values, calls) == {}


@pytest.mark.parametrize("group", range(len(GROUPS)), ids=lambda k: GROUPS[k][0])
def test_gradients(group):
    calls = [c for name in GROUPS[group] for c in calls_of(name, 1, trains=True) if name not in NO_GRADIENTS]
    assert of_group(check_gradients, calls) == {}


# ---------------------------------------------------------------- samples of our own

def real(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed + sum(shape)).standard_normal(shape)).requires_grad_()


def module_call(name, module, *inputs):
    """Returns the Call of a module, whose parameters are arguments."""
    module = module.double()
    parameters = {n: p.detach().requires_grad_() for n, p in module.named_parameters()}
    return Call(name, lambda p, *xs: functional_call(module, p, xs), parameters, *inputs)


def put(x, mask, values):
    x = x.clone()
    x[mask] = values
    return x


def of_complex_numbers():
    """Calls of functions of two complex tensors [3, 4], which are given as real ones with a last dim of 2."""
    mask = torch.tensor([True, False, True, True])
    table = torch.polar(torch.ones(3, 4, dtype=torch.float64), torch.arange(12.).double().view(3, 4))
    functions = {
        "arithmetic": lambda x, y: [x * y, x / (y + 3), x + 2 * y, x - .5 * y, -x, x * (1 + 2j), x / 2.5, torch.add(x, y, alpha=2j), torch.sub(x, y, alpha=3)],
        "with real operands": lambda x, y: [x * y.real, y.imag / (x + 3), y.real + x, y.real - x, y.real * table],
        "conjugates": lambda x, y: [x.conj() * y, x.conj().transpose(0, 1), x.conj().resolve_conj(), torch.conj_physical(x), (x * x.conj()).real],
        "parts": lambda x, y: [x.real, x.imag, x.abs(), x.angle(), torch.complex(x.real, y.imag), torch.polar(x.abs(), y.imag), torch.view_as_real(x)],
        "exp": lambda x, y: x.exp(),
        "powers": lambda x, y: [x.square(), x ** 2, x ** 3, x ** -2, x ** 0, x.reciprocal(), 1 / x, (1 + 2j) / x, 1 - x, torch.rsub(x, y, alpha=2)],
        "values": lambda x, y: [x * torch.ones_like(x), x * torch.full_like(x, 2), x * x.new_ones(4) + x @ torch.eye(4, dtype=x.dtype), torch.constant_pad_nd(x, [1, 0], 1),
                                x.index_fill(1, torch.tensor([1]), 1), x.scatter(1, torch.tensor([[0], [2], [1]]), 1), x.masked_fill(mask, 1), x.masked_fill(mask, torch.tensor(2)),
                                x.new_full((3, 4), 3) * y],
        "movements": lambda x, y: [x.reshape(2, 6), x[1:, [0, 2]], torch.cat([x, y.real * y], 1), torch.stack([x, y]), x.t(), torch.where(mask, x, y), x[:, None].expand(3, 2, 4),
                                   F.pad(x, (1, 1)), torch.zeros_like(x) + y, torch.full((3, 4), 2 - 1j, dtype=x.dtype) * y, x.index_select(0, torch.tensor([2, 0]))],
        "sums": lambda x, y: [x.sum(), x.sum(0), x.mean(1), x.mean(), x.sum((0, 1))],
        "products": lambda x, y: [x @ y.t(), torch.mm(x, y.t()), x @ y[0], torch.mv(x, y[0]), torch.dot(x[0], y[0]), torch.einsum("ij,kj->ik", x, y.conj()), torch.bmm(x[None], y.t()[None]), F.linear(x, y), F.linear(x, y, y[:, 0]), x.real.to(torch.complex128) * y],
        "constants": lambda x, y: x * table,
        "detach": lambda x, y: x * y.detach(),
        "large transform": lambda x, y: torch.fft.fft(F.pad(x, (0, 296)))[:, :5],
    }
    call = lambda f: lambda x, y: f(torch.view_as_complex(x), torch.view_as_complex(y))
    return [Call("complex: " + n, call(f), real(3, 4, 2), real(3, 4, 2, seed=1)) for n, f in functions.items()]


def of_sorted_bounds():
    """Calls of functions that look for places in sorted numbers, of which some are equal to those looked for."""
    line, rows = torch.tensor([-1., -.5, 0., 1.], dtype=torch.float64), torch.tensor([[0, 1, 1, 3], [-2, 0, 2, 9]])
    x = torch.tensor([-.5, np.nan, 7., -2.], dtype=torch.float64)
    numbers = torch.tensor([[1, 2, -1], [0, 9, -2]])
    found = [Call("bucketize, as many numbers as bounds", lambda x: [torch.bucketize(x, line), torch.bucketize(x, line, right=True), torch.bucketize(.25, line, right=True)], x),
             Call("searchsorted", lambda x: [torch.searchsorted(line, x), torch.searchsorted(line, x, side="right"), torch.searchsorted(line, .5, out_int32=True)], x),
             Call("searchsorted, in rows", lambda y: [torch.searchsorted(rows, y), torch.searchsorted(rows, y, right=True), torch.searchsorted(rows.double(), y + .5)], numbers)]
    mixed = rows.flip(-1)
    return [*found, Call("searchsorted, with a sorter", lambda y: torch.searchsorted(mixed, y, sorter=mixed.argsort(-1)), numbers)]


def own_calls():
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    torch.manual_seed(0)
    nn, x = torch.nn, real(3, 2, 4)
    mask = torch.tensor([True, False, True, True])
    return [
        module_call("lstm", nn.LSTM(4, 5, 2, bidirectional=True), x),
        module_call("lstm with projections", nn.LSTM(4, 5, proj_size=3), x),
        module_call("lstm without batch", nn.LSTM(4, 5), real(3, 4)),
        module_call("gru", nn.GRU(4, 5, 2, batch_first=True), x),
        module_call("rnn", nn.RNN(4, 5), x),
        module_call("rnn of relu", nn.RNN(4, 5, nonlinearity="relu", bias=False), x),
        Call("scan", lambda x, w: scan(lambda c, x: ((c * w + x), c.sin()), x[0], x), real(3, 2), real(2)),
        Call("while_loop", lambda x, w: while_loop(lambda i, c: i < 4, lambda i, c: (i + 1, c * w), (torch.tensor(0), x)), real(3, 2), real(2)),
        Call("solve, from the right", lambda a, b: torch.linalg.solve(a, b, left=False), real(4, 4), real(3, 4)),
        Call("solve, a row each", lambda a, b: torch.linalg.solve(a, b), real(2, 4, 4), real(2, 4, 3)),
        Call("determinant, odd", torch.linalg.slogdet, torch.eye(5, dtype=torch.float64)[[1, 0, 3, 4, 2]].contiguous().requires_grad_()),
        Call("determinant, even", torch.linalg.det, torch.eye(5, dtype=torch.float64)[[1, 0, 2, 4, 3]].contiguous().requires_grad_()),
        Call("cholesky, upper", lambda x: torch.linalg.cholesky(x @ x.mT + torch.eye(4, dtype=x.dtype), upper=True), real(2, 4, 4)),
        Call("solve, unitriangular", lambda a, b: torch.linalg.solve_triangular(a, b, upper=False, left=False, unitriangular=True), real(2, 4, 4), real(3, 4)),
        Call("cond, true", lambda x, w: torch.cond(x.sum() > -99, lambda x: x * w, lambda x: x - 1, (x,)), real(3, 2), real(2)),
        Call("cond, false", lambda x, w: torch.cond(x.sum() < -99, lambda x: x * w, lambda x: x - 1, (x,)), real(3, 2), real(2)),
        Call("embedding_bag", lambda w, i, o: F.embedding_bag(i, w, o), real(7, 3), torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 2, 2])),
        Call("embedding_bag, max", lambda w, i: F.embedding_bag(i, w, mode="max"), real(7, 3), torch.tensor([[1, 2, 4], [5, 4, 3]])),
        Call("embedding_bag, max of equal ones", lambda w, i: F.embedding_bag(i, w, mode="max"), torch.ones(7, 3, dtype=torch.float64).requires_grad_(),
             torch.tensor([[1, 1, 4], [2, 4, 2]])),
        Call("embedding_bag, max and padding", lambda w, i, o: F.embedding_bag(i, w, o, mode="max", padding_idx=2), real(7, 3), torch.tensor([1, 2, 2, 5, 4, 3]),
             torch.tensor([0, 1, 3, 6])),
        Call("embedding, padding_idx", lambda w, i: F.embedding(i, w, padding_idx=2), real(7, 3), torch.tensor([1, 2, 2])),
        Call("masked rows", put, real(4, 3), mask, real(3, 3)),
        Call("masked rows, one value", put, real(4, 3), mask, real(3)),
        Call("masked elements", put, real(4), mask, 2.0),
        Call("masked columns", put, real(3, 4, 2), (slice(None), mask), real(2)),
        Call("masked columns of a row each", put, real(3, 4, 2), (slice(None), mask), real(3, 1, 2)),
        Call("masked rows at a number", put, real(4, 3), (mask, -1), 2.0),
        Call("masked rows between numbers", put, real(2, 4, 3, 5), (1, mask, slice(None), 2), real(3)),
        Call("masked rows apart from a number", put, real(4, 3, 5), (mask, slice(None), 2), real(1, 3)),
        Call("masked rows, added", lambda x, v: x.index_put((mask, torch.tensor(1)), v, accumulate=True), real(4, 3), real(1)),
        Call("bits of numbers", lambda x: x * (x.detach().view(torch.int64) & 1), real(4, 3)),
        Call("attention, a row without keys", F.scaled_dot_product_attention, real(1, 2, 3, 4), real(1, 2, 3, 4, seed=1), real(1, 2, 3, 4, seed=2),
             torch.tensor([[True, False, True], [False] * 3, [True] * 3])),
        Call("attention, a row of -inf", F.scaled_dot_product_attention, real(1, 2, 3, 4), real(1, 2, 3, 4, seed=1), real(1, 2, 3, 4, seed=2),
             torch.tensor([[0., -np.inf, .5], [-np.inf] * 3, [0., .25, 0.]]).requires_grad_()),
        Call("pow at integers", lambda x: [x ** n for n in (-2, -1, 0, 1, 2, 3, 0.5)], (real(5).detach().abs() + .5).requires_grad_()),
        Call("pow of integers", lambda x: [x ** 3, 2 ** x, x ** x], torch.arange(5)),
        Call("resized smoothly", lambda x: F.interpolate(x, (3, 5), mode="bilinear", antialias=True), real(1, 2, 8, 7)),
        Call("resized smoothly, cubic", lambda x: F.interpolate(x, (3, 9), mode="bicubic", antialias=True), real(1, 2, 8, 7)),
        Call("max_pool with indices", lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), real(1, 2, 7, 6)),
        Call("grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=False), real(1, 2, 4, 4), (real(1, 3, 3, 2).detach() * .4).requires_grad_()),
        Call("rrelu", lambda x: F.rrelu(x), real(6)),
        Call("as_strided beyond a slice", lambda x: x[:, 1:3].as_strided((2, 2), (4, 1), 2), real(3, 4)),
        Call("pads that cut and go round", lambda x: F.pad(x, (-1, 2, 1, -1), mode="circular"), real(1, 2, 5, 4)),
        Call("narrow", lambda x: x.narrow(0, 1, 2), real(4, 3)),
        Call("logcumsumexp of far numbers", lambda x: x.logcumsumexp(0), torch.tensor([-900., -3., 2., -1., 700., 0.], dtype=torch.float64).requires_grad_()),
        Call("xlogy of 0", lambda x, y: [torch.xlogy(x, y), torch.xlogy(0, y)], torch.zeros(4, dtype=torch.float64),
             torch.tensor([2., 0., -1., np.nan], dtype=torch.float64)),
        *of_sorted_bounds(),
        module_call("weight_norm", nn.utils.parametrizations.weight_norm(nn.Linear(3, 4)), real(2, 3)),
        *of_complex_numbers(),
        Call("eye, linspace, arange", lambda x: [x * torch.eye(3, 4, dtype=x.dtype), torch.linspace(0, 1, 5, dtype=x.dtype), torch.arange(1., 3., .5)], real(3, 4)),
    ]


def test_own_values():
    assert of_group(check_values, own_calls()) == {}


def test_own_gradients():
    assert of_group(check_gradients, own_calls()) == {}


def test_grouped_products():
    """torch has them for 32 bits and fewer, and torch 2.14 for bfloat16 alone. XLA has none on CPUs, so that the gradients of both
    factors stand for the values."""
    kind, bar = (torch.bfloat16, 2e-2) if torch.__version__.startswith("2.14.") else (torch.float32, 1e-5)
    short = lambda *shape: real(*shape).detach().float().requires_grad_()
    ends = lambda *values: torch.tensor(values, dtype=torch.int32)
    product = lambda x, w, ends: F.grouped_mm(x.to(kind), w.to(kind), offs=ends)
    calls = [Call("rows", product, short(6, 8), short(3, 8, 16), ends(2, 2, 6)), Call("columns", product, short(3, 8, 8), short(8, 16), ends(8, 8, 16)),
             Call("contracted", product, short(8, 16), short(16, 8), ends(8, 8, 16))]
    if importlib.util.find_spec("transformers"):  # its op without a product of groups in the library of the device
        from transformers.integrations import moe  # noqa: F401

        calls.append(Call("transformers", torch.ops.transformers.grouped_mm_fallback, short(6, 8), short(3, 8, 4), ends(2, 2, 6)))
    assert of_group(lambda c: check_gradients(c, bar), calls) == {}


# ---------------------------------------------------------------- spellings

def doubled_in_place(x):
    y = x * 1
    with torch.no_grad():
        y.mul_(2)
    return y


class Cube(torch.autograd.Function):
    """x ^ 3 with twice its derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        return 6 * g * ctx.saved_tensors[0] ** 2


def bools(*values):
    return torch.tensor(values, dtype=torch.bool)


def spellings():
    """Calls of overloads by their own names, (name, arguments, keywords): those for which torch.nn.functional and tensors' methods have others."""
    ints = lambda *values: torch.tensor(values)
    image, volume = real(1, 2, 5, 4), real(1, 2, 5, 4, 3)
    labels, spots = ints(1, 0, 3), ints(0, 2, 1).view(3, 1)
    numbers, channels = real(3, 4), (real(2), real(2, seed=1))
    running = real(2).detach(), real(2).detach().abs()
    fixed = numbers.detach()  # for those without a derivative in torch
    # Integers that nothing computes are folded before they are lowered, so these come from floats.
    bits = torch.tensor([5., -6., 3.], dtype=torch.float64)
    shifts = {f"__{n}__.{kind}": (bits, y) for n in ("lshift", "rshift") for kind, y in (("Scalar", 1), ("Tensor", ints(1, 2, 0)))}
    logic = {f"__{n}__.{kind}": (bits, y) for n in ("and", "or", "xor") for kind, y in (("Scalar", 3), ("Tensor", ints(3, 1, 7)))}
    logic |= {f"bitwise_{n}.Scalar": (bits, 3) for n in ("and", "or", "xor")} | {f"bitwise_{n}_shift.Tensor_Scalar": (bits, 1) for n in ("left", "right")}
    around = {1: (real(2, 5), [1, 2]), 2: (image, [1, 2, 0, 3]), 3: (real(1, 1, 4, 5, 4), [1, 2, 0, 3, 1, 1])}
    pads = {f"{kind}_pad{n}d.default": around[n] for kind in ("reflection", "replication") for n in (1, 2, 3)}
    resized = {1: (real(1, 2, 5), [8]), 2: (image, [8, 3]), 3: (volume, [8, 3, 6])}
    nearest = {f"{kind}{n}d.default": resized[n] for kind in ("upsample_nearest", "_upsample_nearest_exact") for n in (1, 2, 3)}
    plain = {
        "xlogy.Scalar_Self": (2., fixed.abs()), "xlogy.Scalar_Other": (numbers, 2.), "special_xlog1py.self_scalar": (2., fixed.abs()),
        "special_xlog1py.other_scalar": (numbers, 2.),
        **pads, **nearest,
        "_upsample_nearest_exact3d.vec": (volume, None, [1.5, 2., 2.]), "upsample_nearest3d.vec": (volume, None, [1.5, 2., 2.]),
        "upsample_linear1d.default": (real(1, 2, 5), [8], False), "upsample_trilinear3d.default": (volume, [8, 3, 6], False),
        "_upsample_bicubic2d_aa.default": (real(1, 2, 8, 7), [3, 9], False), "_upsample_bilinear2d_aa.default": (real(1, 2, 8, 7), [3, 9], False),
        "_adaptive_avg_pool2d.default": (image, [2, 3]), "_adaptive_avg_pool3d.default": (volume, [2, 3, 1]),
        "max_pool2d.default": (image, [2, 2]), "max_pool3d.default": (volume, [2, 2, 2]),
        "_softmax.default": (numbers, 1, False), "_log_softmax.default": (numbers, 1, False), "_prelu_kernel.default": (real(3, 2, 4), real(1, 2, 1)),
        "_native_batch_norm_legit.no_stats": (real(3, 2, 4), *channels, True, .1, 1e-5),
        "all.dims": (bools(True, False), [0]), "count_nonzero.dim_IntList": (bools(True, False), [0]),
        "concat.default": ([real(2, 3), real(1, 3)],), "concatenate.default": ([real(2, 3), real(1, 3)],),
        "clamp_max.default": (numbers, .3), "copysign.Scalar": (numbers, -2.), "fix.default": (numbers,), "floor_divide.Scalar": (fixed, .7),
        "fmod.Scalar": (numbers, .7), "remainder.Scalar_Tensor": (5.3, fixed), "ger.default": (real(3), real(4)), "norm.Scalar": (numbers, 3),
        "conv2d.padding": (image, real(3, 2, 3, 2), None, [1, 1], "same"), "conv3d.default": (volume, real(3, 2, 2, 2, 2), real(3)),
        "convolution.default": (image, real(2, 3, 3, 2), real(3), [2, 1], [1, 0], [1, 1], True, [1, 0], 1),
        "detach_copy.default": (fixed,), "type_as.default": (real(3), real(2).detach().float()), "one_hot.default": (labels, 5),
        "median.dim": (numbers, 1), "nanmedian.dim": (numbers, 1), "repeat_interleave.self_int": (real(3, 2), 2, 1),
        "nll_loss.default": (numbers, labels), "nll_loss_forward.default": (numbers, labels, None, 1, -100),
        "nll_loss2d.default": (real(3, 4, 1, 1), labels.view(3, 1, 1)), "nll_loss2d_forward.default": (real(3, 4, 1, 1), labels.view(3, 1, 1), None, 1, -100),
        "scatter.value": (numbers, 1, spots, 2.), "select_copy.int": (numbers, 1, -1), "slice_copy.Tensor": (real(5, 4), 0, 1, 5, 2),
        "slice_scatter.default": (real(5, 4), real(2, 4), 0, 1, 5, 2), "split_copy.Tensor": (real(5, 2), 2), "squeeze_copy.dims": (real(3, 1, 1), [1]),
        "std.dim": (numbers, [1], True), "std_mean.dim": (numbers, [1], False), "var.dim": (numbers, [1], True), "var_mean.dim": (numbers, [1], False),
    }
    with_keywords = [("argsort.stable", (numbers,), dict(stable=True, dim=0)), ("sort.stable", (numbers,), dict(stable=True, dim=0)),
                     ("div.Scalar_mode", (numbers, .7), dict(rounding_mode="floor")), ("arange.start", (2, 7), dict(dtype=torch.float64)),
                     ("scatter.reduce", (fixed, 1, spots, fixed + 1), dict(reduce="add")),
                     ("scatter.value_reduce", (fixed, 1, spots, 2.), dict(reduce="multiply"))]

    def op(name):
        packet, overload = name.split(".")
        return getattr(getattr(torch.ops.aten, packet), overload)
    of_integers = lambda name: lambda x, y: op(name)(x.long(), y)
    calls = [Call(n, of_integers(n), *a) for n, a in {**shifts, **logic}.items()]
    calls += [Call(n, op(n), *a) for n, a in plain.items()] + [Call(n, op(n), *a, **k) for n, a, k in with_keywords]
    # Some results are without meaning for a caller: elements of new memory, and what torch's backward pass would read.
    shape_of = lambda name: lambda *a: torch.ops.aten.zeros_like(op(name)(*a))
    calls += [Call(n, shape_of(n), *a, [3, 4], [1, 3]) for n, a in (("empty_strided.default", ()), ("new_empty_strided.default", (numbers,)))]
    calls += [Call("empty_permuted.default", shape_of("empty_permuted.default"), [3, 4], [1, 0])]
    first_of = lambda name: lambda *a: op(name)(*a)[0]
    calls += [Call("log_sigmoid_forward.default", first_of("log_sigmoid_forward.default"), numbers),
              Call("_embedding_bag_forward_only.default", first_of("_embedding_bag_forward_only.default"), real(7, 3).detach(), ints(1, 2, 4, 5), ints(0, 2)),
              Call("_batch_norm_with_update_functional.default", lambda *a: [y for i, y in enumerate(op("_batch_norm_with_update_functional.default")(*a)) if i != 3],
                   real(3, 2, 4), *channels, *running, .1, 1e-5)]

    # Decomposed, but in the regions of torch.cond.
    resized = lambda name: lambda x: torch.cond(x.sum() > -99, lambda x: op(name)(x, [8, 3], True), lambda x: op(name)(x, [8, 3], False), (x,))
    calls += [Call(n, resized(n), image) for n in ("upsample_bilinear2d.default", "upsample_bicubic2d.default")]
    return calls + [Call("convert_element_type", torch.ops.prims.convert_element_type, numbers.detach(), torch.float32),
                    Call("autograd.Function", Cube.apply, real(4)), Call("in place, without gradient", doubled_in_place, real(4))]


def test_values_of_spellings():
    assert of_group(check_values, spellings()) == {}


def test_gradients_of_spellings():
    assert of_group(check_gradients, spellings()) == {}


# ---------------------------------------------------------------- kinks and ties

TIES = [1., 3., 3., -2., 0., 3.]


def kinks():
    at = lambda values: torch.tensor(values, dtype=torch.float64, requires_grad=True)
    ends = at([-2., -1., 0., 1., 2., 3., 6., 7.])
    unary = {"abs": torch.abs, "relu": F.relu, "relu6": F.relu6, "clamp": lambda x: x.clamp(-1, 1), "clamp_min": lambda x: x.clamp_min(0),
             "hardtanh": F.hardtanh, "hardsigmoid": lambda x: F.hardsigmoid(x), "hardswish": F.hardswish, "leaky_relu": F.leaky_relu,
             "elu": F.elu, "softshrink": lambda x: F.softshrink(x, 1.), "hardshrink": lambda x: F.hardshrink(x, 1.),
             "threshold": lambda x: F.threshold(x, 0., 0.), "sign": torch.sign, "prelu": lambda x: F.prelu(x, at([.25])), "silu": F.silu}
    tied = {"max": lambda x: x.max(), "min": lambda x: (-x).min(), "max(dim)": lambda x: x.max(0)[0], "amax": lambda x: x.amax(0),
            "sort": lambda x: x.sort()[0], "cummax": lambda x: x.cummax(0)[0], "median": lambda x: x.median(),
            "inf norm": lambda x: torch.linalg.vector_norm(x, float("inf")),
            "max_pool": lambda x: F.max_pool1d(x.view(1, 1, 6), 3, 1), "adaptive_max_pool": lambda x: F.adaptive_max_pool1d(x.view(1, 1, 6), 2),
            "logsumexp": lambda x: x.logsumexp(0)}
    # torch has the derivative of clamp between numbers 0 at the ends, and shares it where the ends are tensors.
    pairs = {"clamp of a tensor": lambda x, y: x.clamp(min=y), "fmin": torch.fmin, "maximum": torch.maximum, "minimum": torch.minimum, "where": lambda x, y: torch.where(x > y, x, y), "fmax": torch.fmax}
    zeros = {f"norm {p}": lambda x, p=p: torch.linalg.vector_norm(x, p) for p in (1, 2, 3, float("inf"))}
    zeros["cdist"] = lambda x: torch.cdist(x.view(1, 3), x.view(1, 3))
    zeros |= {"std": lambda x: [x.std(), x.view(3, 1).std(1, correction=0)], "sinc": torch.sinc,
              "xlogy": lambda x: [torch.xlogy(x, torch.tensor([2., 0., -1.])), torch.special.xlog1py(x, torch.tensor([2., -1., 0.]))]}
    to = torch.tensor([0, 0, 1, 1, 2, 2])  # where elements are written
    zeros |= {f"scatter_reduce {r}, {s}": lambda x, r=r, s=s: x.repeat(1).scatter_reduce(0, to, torch.cat([x, x]), r, include_self=s)
              for r in ("prod", "amax", "amin", "mean") for s in (True, False)}
    zeros |= {f"index_reduce {r}, {s}": lambda x, r=r, s=s: x.repeat(1).index_reduce(0, to, torch.cat([x + 1, x]), r, include_self=s)
              for r in ("prod", "amax", "amin", "mean") for s in (True, False)}
    zeros["product of one 0"] = lambda x: (x + 2).scatter_reduce(0, to, torch.cat([x, x + 3]), "prod")
    return ([Call(n, f, ends) for n, f in unary.items()] + [Call(n, f, at(TIES)) for n, f in tied.items()]
            + [Call(n, f, at(TIES), at([1., 2., 3., -2., 1., 3.])) for n, f in pairs.items()]
            + [Call(n + " at 0", f, at([0., 0., 0.])) for n, f in zeros.items()])


def test_derivatives_at_kinks_and_ties():
    assert of_group(check_gradients, kinks()) == {}


# ---------------------------------------------------------------- random numbers

COUNT = 40000
SHARES = torch.tensor([.2, .3, .5], dtype=torch.float64)
# A function of a tensor of COUNT elements, and the mean and the standard deviation of its result.
RANDOM = {
    "rand": (torch.rand_like, .5, 12 ** -.5), "randn": (torch.randn_like, 0, 1),
    "dropout": (lambda x: F.dropout(x * 0 + 1, .25), 1, (1 / 3) ** .5), "uniform": (lambda x: x.clone().uniform_(1, 3), 2, 3 ** -.5),
    "feature_dropout": (lambda x: F.dropout1d((x * 0 + 1).view(1, -1, 1), .25), 1, (1 / 3) ** .5),
    "normal": (lambda x: x.clone().normal_(1, 2), 1, 2), "bernoulli": (lambda x: torch.bernoulli(x * 0 + .3), .3, .21 ** .5),
    "bernoulli.p": (lambda x: x.clone().bernoulli_(.3), .3, .21 ** .5), "exponential": (lambda x: x.clone().exponential_(2.), .5, .5),
    "log_normal": (lambda x: x.clone().log_normal_(0, .5).log(), 0, .5), "cauchy": (lambda x: torch.atan(x.clone().cauchy_()), 0, np.pi * 12 ** -.5),
    "geometric": (lambda x: x.clone().geometric_(.4), 2.5, .6 ** .5 / .4), "randint": (lambda x: torch.randint(0, 10, (COUNT,)).double(), 4.5, 8.25 ** .5),
    "randint.low": (lambda x: torch.randint(5, 15, (COUNT,)).double(), 9.5, 8.25 ** .5),
    "randint_like": (lambda x: torch.randint_like(x, 10), 4.5, 8.25 ** .5), "randint_like.low": (lambda x: torch.randint_like(x, 5, 15), 9.5, 8.25 ** .5),
    "rand.default": (lambda x: torch.rand(COUNT, dtype=x.dtype), .5, 12 ** -.5), "randn.default": (lambda x: torch.randn(COUNT, dtype=x.dtype), 0, 1),
    "randperm": (lambda x: torch.randperm(COUNT).double(), (COUNT - 1) / 2, COUNT * 12 ** -.5),
    "multinomial": (lambda x: torch.multinomial(SHARES.expand(COUNT, 3), 1).double(), 1.3, .61 ** .5),
    # The second of two is 0, 1 and 2 with the probabilities 2/7, 3/8 and 19/56.
    "multinomial, a second one": (lambda x: torch.multinomial(SHARES.expand(COUNT, 3), 2)[:, 1].double(), 59 / 56, (97 / 56 - (59 / 56) ** 2) ** .5),
    "multinomial, of all again": (lambda x: torch.multinomial(SHARES * 3, COUNT, replacement=True).double(), 1.3, .61 ** .5),
    "native_dropout": (lambda x: torch.native_dropout(x * 0 + 1, .25, True)[0], 1, (1 / 3) ** .5),
    "randint.default": (lambda x: torch.ops.aten.randint.default(10, [COUNT]).double(), 4.5, 8.25 ** .5),
    "rrelu": (lambda x: F.rrelu(x * 0 - 1, .1, .3, training=True), -.2, .2 * 12 ** -.5),
}


class Draws(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(COUNT, dtype=torch.float64))

    def forward(self, batch):
        return {n.replace(".", "_"): f(self.w.detach()) for n, (f, _, _) in RANDOM.items()}


def test_moments_of_random_ops():
    traced = trace(Draws(), BATCH, trains=False, function=lambda m, b: m.train()(**b))
    found = run_text(traced.text, [np.zeros(COUNT), BATCH["batch"], np.array([3, 4], np.uint32)])
    for (name, (_, mean, deviation)), values in zip(RANDOM.items(), found):
        assert abs(values.mean() - mean) < 5 * deviation * COUNT ** -.5 and abs(values.std() / deviation - 1) < .03, name
    wholes = found[list(RANDOM).index("randperm")]
    assert (np.sort(wholes) == np.arange(COUNT)).all()


# ---------------------------------------------------------------- coverage

def test_every_overload_of_the_table_is_tested():
    """Goes last: it looks at what the tests above have lowered."""
    if len(REACHED) < 200:
        pytest.skip("the other tests of this file were not run")
    unreached = sorted({*ops.load(), *ops.complex_numbers.COMPLEX} - REACHED)
    assert not unreached, " ".join(unreached)


# Overloads of torch's core opset without a lowering, and why.
CORE_MISSING = {
    **dict.fromkeys(["aten._local_scalar_dense.default", "aten.nonzero.default", "aten.sym_is_contiguous.default", "aten.sym_numel.default",
                     "aten.sym_size.int", "aten.sym_storage_offset.default", "aten.sym_stride.int"], SIZES),
    **dict.fromkeys(["aten.resize_.default", "aten.atan2.out"], STORAGE),
    **dict.fromkeys(["aten._adaptive_avg_pool2d_backward.default", "aten.avg_pool2d_backward.default", "aten.convolution_backward.default",
                     "aten.embedding_dense_backward.default", "aten.max_pool2d_with_indices_backward.default",
                     "aten.native_group_norm_backward.default", "aten.native_layer_norm_backward.default"], "zcc differentiates by itself"),
    **dict.fromkeys(["aten._native_batch_norm_legit.default", "aten.col2im.default", "aten.fill.Scalar", "aten.grid_sampler_2d.default"],
                    "torch decomposes it"),
}


def test_core_opset():
    table, missing = {**ops.load(), **ops.complex_numbers.COMPLEX}, set()
    for name in torch._C._dispatch_get_all_op_names():
        packet, _, overload = name.removeprefix("aten::").partition(".")
        found = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None) if name.startswith("aten::") else None
        if found is not None and torch.Tag.core in found.tags and str(found) not in table:
            missing.add(str(found))
    assert missing == set(CORE_MISSING)


def test_names_of_the_table_are_torch_s():
    """A lowering under a name that torch lacks would never be used."""
    higher = {"cond", "while_loop", "scan"}
    for name in set(ops.load()) - higher:
        space, packet, overload = name.split(".")
        if space == "transformers":
            pytest.importorskip("transformers.integrations.moe")  # it registers the op
        assert hasattr(getattr(getattr(torch.ops, space), packet, None), overload), name


def test_overloads_that_mutate_are_decomposed():
    """They change running statistics in place, although their schemas do not say so."""
    assert not {"aten.batch_norm.default", "aten.native_batch_norm.default", "aten.instance_norm.default"} & set(ops.load())
