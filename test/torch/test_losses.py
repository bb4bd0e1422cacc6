# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every loss of torch.nn: values and gradients against PyTorch in float64."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.func import functional_call  # noqa: E402

from samples import Call, check_gradients, check_values  # noqa: E402


def real(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed + sum(shape)).standard_normal(shape)).requires_grad_()


def share(*shape, seed=0):
    """Returns numbers between 0.1 and 0.9."""
    return torch.tensor(np.random.default_rng(seed + sum(shape)).uniform(.1, .9, shape)).requires_grad_()


def shares(*shape):
    """Returns numbers that sum to 1 along dim 1."""
    return share(*shape).detach().div(share(*shape).detach().sum(1, keepdim=True)).requires_grad_()


def labels(*shape, below=5, seed=0):
    return torch.tensor(np.random.default_rng(seed + sum(shape)).integers(0, below, shape))


def signs(*shape):
    return labels(*shape, below=2).double() * 2 - 1


WEIGHT = torch.tensor([.5, 1., 2., .1, 1.5], dtype=torch.float64)
SOME = torch.tensor([0, -100, 4, 2, -100, 1])  # labels of which two do not count
SEVEN = torch.tensor([0, 1, 4, 2, 1, 1])
NONE = torch.full((6,), -100)
REDUCTIONS = [dict(reduction=r) for r in ("mean", "sum", "none")]
SPREAD = torch.tensor([[3, 0, -1, 1, 2], [1, -1, 0, 2, 3], [-1, 0, 1, 2, 3]])  # labels before -1 count
FRAMES, LENGTHS = torch.tensor([9, 6, 7]), torch.tensor([4, 2, 0])


def with_log_softmax(loss):
    return lambda x, *rest: loss(x.log_softmax(-1), *rest)


# Keywords of the constructor, and arguments of the call, by class.
CASES = {
    "L1Loss": [({}, (real(6, 5), real(6, 5, seed=1))), ({}, (torch.tensor([0., 1., 2.], dtype=torch.float64).requires_grad_(), torch.tensor([0., 3., 1.], dtype=torch.float64)))],
    "MSELoss": [({}, (real(6, 5), real(6, 5, seed=1))), ({}, (real(6, 1), real(6, 5)))],
    "SmoothL1Loss": [({}, (real(6, 5), real(6, 5, seed=1))), (dict(beta=.3), (real(6, 5), real(6, 5, seed=1))), (dict(beta=0.), (real(6, 5), real(6, 5, seed=1)))],
    "HuberLoss": [({}, (real(6, 5), real(6, 5, seed=1))), (dict(delta=.3), (real(6, 5), real(6, 5, seed=1)))],
    "NLLLoss": [({}, (real(6, 5), SEVEN)), (dict(weight=WEIGHT), (real(6, 5), SEVEN)), ({}, (real(6, 5), SOME)), (dict(weight=WEIGHT, ignore_index=1), (real(6, 5), SEVEN)),
                ({}, (real(5), torch.tensor(3))), (dict(weight=WEIGHT), (real(2, 5, 3), labels(2, 3))), (dict(ignore_index=2), (real(2, 5, 3, 4), labels(2, 3, 4)))],
    "LinearCrossEntropyLoss": [(dict(in_features=3, num_classes=5), (real(6, 3), SEVEN)),
                               (dict(in_features=3, num_classes=5, bias=False, label_smoothing=.1, weight=WEIGHT, ignore_index=1), (real(6, 3), SEVEN))],
    "CrossEntropyLoss": [
        ({}, (real(6, 5), SEVEN)), ({}, (real(6, 5), SOME)), (dict(weight=WEIGHT), (real(6, 5), SOME)), (dict(label_smoothing=.2), (real(6, 5), SOME)),
        (dict(label_smoothing=.2, weight=WEIGHT), (real(6, 5), SOME)), (dict(label_smoothing=.2, weight=WEIGHT, ignore_index=1), (real(6, 5), SEVEN)),
        ({}, (real(6, 5), shares(6, 5))), (dict(label_smoothing=.2, weight=WEIGHT), (real(6, 5), shares(6, 5))), ({}, (real(5), torch.tensor(3))),
        (dict(label_smoothing=.1), (real(5), torch.tensor(3))), ({}, (real(5), share(5))), (dict(weight=WEIGHT, label_smoothing=.1), (real(2, 5, 3), labels(2, 3))),
        (dict(label_smoothing=.1), (real(2, 5, 3, 2), shares(2, 5, 3, 2))), (dict(ignore_index=2), (real(2, 5, 3, 4), labels(2, 3, 4)))],
    "PoissonNLLLoss": [({}, (real(6, 5), labels(6, 5).double())), (dict(log_input=False), (share(6, 5), labels(6, 5).double())),
                       (dict(full=True), (real(6, 5), labels(6, 5).double())), (dict(log_input=False, full=True, eps=1e-3), (share(6, 5), labels(6, 5).double()))],
    "GaussianNLLLoss": [({}, (real(6, 5), real(6, 5, seed=1), share(6, 5))), (dict(full=True), (real(6, 5), real(6, 5, seed=1), share(6, 1))),
                        ({}, (real(6, 5), real(6, 5, seed=1), share(6))), (dict(eps=.5), (real(6, 5), real(6, 5, seed=1), share(6, 5)))],
    "KLDivLoss": [({}, (real(6, 5), shares(6, 5))), (dict(log_target=True), (real(6, 5), real(6, 5, seed=1))),
                  ({}, (real(3), torch.tensor([0., .25, .75], dtype=torch.float64)))],
    "BCELoss": [({}, (share(6, 5), share(6, 5, seed=1))), (dict(weight=WEIGHT), (share(6, 5), share(6, 5, seed=1))),
                ({}, (torch.tensor([0., 1., 0., 1., .5], dtype=torch.float64).requires_grad_(), torch.tensor([0., 1., .5, .5, 1.], dtype=torch.float64)))],
    "BCEWithLogitsLoss": [({}, (real(6, 5), share(6, 5))), (dict(weight=WEIGHT), (real(6, 5), share(6, 5))), (dict(pos_weight=WEIGHT), (real(6, 5), share(6, 5))),
                          (dict(weight=WEIGHT, pos_weight=WEIGHT), (real(6, 5), share(6, 5))),
                          ({}, (torch.tensor([-800., 0., 800., -40.], dtype=torch.float64).requires_grad_(), torch.tensor([0., 1., 1., 1.], dtype=torch.float64)))],
    "MarginRankingLoss": [({}, (real(6), real(6, seed=1), signs(6))), (dict(margin=.5), (real(6), real(6, seed=1), signs(6)))],
    "HingeEmbeddingLoss": [({}, (real(6, 5), signs(6, 5))), (dict(margin=.3), (real(6, 5), signs(6, 5)))],
    "MultiLabelMarginLoss": [({}, (real(3, 5), SPREAD)), ({}, (real(5), SPREAD[0]))],
    "SoftMarginLoss": [({}, (real(6, 5), signs(6, 5))), ({}, (torch.tensor([-900., 900.], dtype=torch.float64).requires_grad_(), torch.tensor([-1., 1.], dtype=torch.float64)))],
    "MultiLabelSoftMarginLoss": [({}, (real(6, 5), labels(6, 5, below=2).double())), (dict(weight=WEIGHT), (real(6, 5), labels(6, 5, below=2).double()))],
    "CosineEmbeddingLoss": [({}, (real(6, 5), real(6, 5, seed=1), signs(6))), (dict(margin=.2), (real(6, 5), real(6, 5, seed=1), signs(6))),
                            (dict(margin=.2), (real(5), real(5, seed=1), torch.tensor(-1.)))],
    "MultiMarginLoss": [({}, (real(6, 5), SEVEN)), (dict(p=2), (real(6, 5), SEVEN)), (dict(margin=.5, weight=WEIGHT), (real(6, 5), SEVEN)),
                        (dict(p=2, weight=WEIGHT), (real(6, 5), SEVEN)), ({}, (real(5), torch.tensor(3)))],
    "TripletMarginLoss": [({}, (real(6, 5), real(6, 5, seed=1), real(6, 5, seed=2))), (dict(swap=True, p=1), (real(6, 5), real(6, 5, seed=1), real(6, 5, seed=2))),
                          (dict(margin=3., p=3), (real(6, 5), real(6, 5, seed=1), real(6, 5, seed=2)))],
    "TripletMarginWithDistanceLoss": [({}, (real(6, 5), real(6, 5, seed=1), real(6, 5, seed=2))),
                                      (dict(distance_function=nn.CosineSimilarity(), swap=True, margin=2.), (real(6, 5), real(6, 5, seed=1), real(6, 5, seed=2)))],
    "CTCLoss": [({}, (real(9, 3, 5), labels(3, 4).clamp(min=1), FRAMES, LENGTHS)), (dict(blank=2), (real(9, 3, 5), labels(3, 4) // 4, FRAMES, LENGTHS)),
                (dict(zero_infinity=True), (real(3, 2, 5), torch.tensor([[1, 1, 2, 2], [1, 2, 0, 0]]), torch.tensor([3, 3]), torch.tensor([4, 2]))),
                ({}, (real(9, 5), torch.tensor([1, 1, 3]), (9,), (3,)))],
}
# Those whose text cannot have a fixed size.
REFUSED = {"AdaptiveLogSoftmaxWithLoss": (lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 12, [4, 8]), (real(6, 8), labels(6, below=12)))}


def calls_of(name):
    found = []
    for i, (keywords, arguments) in enumerate(CASES[name]):
        for reduction in REDUCTIONS + ([dict(reduction="batchmean")] if name == "KLDivLoss" else []):
            if name.startswith("Multi") and arguments[0].ndim == 1 and reduction["reduction"] == "none":
                continue  # torch's decomposition of one sample has a result of shape [1]
            torch.manual_seed(0)
            loss = getattr(nn, name)(**keywords, **reduction).double()
            loss = with_log_softmax(loss) if name == "CTCLoss" else loss
            own = {n: p.detach().requires_grad_() for n, p in loss.named_parameters()} if isinstance(loss, nn.Module) else {}
            call = (lambda own, *xs, loss=loss: functional_call(loss, own, xs)) if own else lambda own, *xs, loss=loss: loss(*xs)
            found.append(Call(f"{name} {i}, {reduction['reduction']}", call, own, *arguments))
    return found


def test_all_losses_are_here():
    assert {n for n in dir(nn) if n.endswith("Loss")} == {*CASES, *REFUSED}


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    assert {c.name: m for c, m in check_values(calls_of(name))} == {}


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    assert {c.name: m for c, m in check_gradients(calls_of(name))} == {}
