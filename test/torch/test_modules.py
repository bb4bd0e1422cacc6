# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of modules against PyTorch's own, one test for each habit of modules."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
import torch.utils.checkpoint  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from habits import MESHES, Base, batch_of, compare, gradients_of, made, refusal  # noqa: E402
import zcc  # noqa: E402


def test_detach():
    compare(made(lambda self, x, y: self.head(self.a(x) * self.a(x).detach(), y)))


def test_data_attribute():
    compare(made(lambda self, x, y: self.head(self.a(x) * self.a.weight.data.sum(), y)))


@pytest.mark.parametrize("create_graph", [True, False])
def test_gradients_within_the_forward_pass(create_graph):
    """Those of torch.autograd.grad have a gradient of their own only with create_graph=True."""
    from torch.autograd import grad  # as a module imports it

    def forward(self, x, y):
        h = self.a(x)
        g, = grad(h.pow(3).sum(), h, create_graph=create_graph, retain_graph=True)
        return self.head(h * g, y)
    compare(made(forward))


def test_assigned_data():
    """The value of `.data = ...` has no gradient; the tensor's own is that of what was there."""
    class Averaged(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("m", torch.ones(32))

    def forward(self, x, y):
        h = self.a(x)
        self.m.data = self.m.data * 0.9 + h.mean(0) * 0.1
        with torch.no_grad():
            self.m.data = self.m * 2
        h.data = h.data * 3
        return self.head(h * self.m, y)
    module, batch = made(forward, Averaged), batch_of()
    start = module.m.clone()
    loss, wanted = gradients_of(module, batch)
    for options in MESHES:
        module.m.data = start.clone()
        with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
            found = step.gradients(batch)
            assert abs(step(batch).loss - loss) < 1e-6
            assert not np.allclose(np.asarray(step.state["m"]), start)
        for n, g in wanted.items():
            assert np.abs(np.asarray(found[n]) - g).max() <= 3e-6 * np.abs(g).max(), n


def test_assigned_data_that_cannot_be_carried_is_refused():
    class Averaged(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("m", torch.ones(32))

    def of_another_kind(self, x, y):
        self.m.data = self.a(x).mean(1)
        return self.head(self.a(x) * self.m, y)

    def of_a_view(self, x, y):
        h = self.a(x)
        h[:, :3].data = h[:, :3] * 2
        return self.head(h, y)

    def below_a_view(self, x, y):
        old = self.m.view(4, 8)
        self.m.data = self.a(x).mean(0)
        return self.head(self.a(x) * self.m, y) + old.sum()

    def below_a_view_without_gradients(self, x, y):
        old = self.m.data
        with torch.no_grad():
            self.m.data = self.a(x).mean(0)
        return self.head(self.a(x) * self.m, y) + old.sum()

    def of_a_parameter(self, x, y):
        self.a.weight.data = F.normalize(self.a.weight.data)
        return self.head(self.a(x), y)
    stale = "reads a view of a tensor after its .data was assigned"
    for body, text in ((of_another_kind, "expected torch.float32 of [32], found torch.float32 of [8]"), (of_a_view, ".data of a view"),
                       (below_a_view, stale), (below_a_view_without_gradients, stale), (of_a_parameter, "changes the parameter 'a.weight'")):
        assert text in refusal(made(body, Averaged)), body.__name__


def test_no_grad():
    def forward(self, x, y):
        with torch.no_grad():
            gate = self.a(x).tanh() + 1
        return self.head(self.a(x) * gate, y)
    compare(made(forward))


def test_no_grad_decorator():
    @torch.no_grad()
    def gate(self, x):
        return self.a(x).sigmoid()
    compare(made(lambda self, x, y: self.head(self.a(x) * gate(self, x), y)))


def test_enable_grad_within_no_grad():
    def forward(self, x, y):
        with torch.no_grad():
            outer = self.a(x)
            with torch.enable_grad():
                inner = self.a(x) * 2
        return self.head(outer * inner, y)
    module = made(forward)
    compare(module)


class Cube(torch.autograd.Function):
    """Its backward pass is not the derivative of its forward pass."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * x * scale

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x * ctx.scale, None


def test_function():
    compare(made(lambda self, x, y: self.head(Cube.apply(self.a(x), 0.5), y)))


def test_forward_of_a_function():
    """A program that calls forward itself has the derivative of its ops, and a forward may call that of its base."""
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g

    class Beside(Straight):
        @staticmethod
        def forward(ctx, x):
            return Straight.forward(ctx, x) + 1

    kept = Beside.apply  # before the export
    compare(made(lambda self, x, y: self.head(Straight.forward(None, self.a(x)), y)))
    compare(made(lambda self, x, y: self.head(kept(self.a(x)), y)))


class Two(torch.autograd.Function):
    """Two results, one of them of integers, with setup_context."""

    @staticmethod
    def forward(x, y):
        return x * y, (x > 0).long(), x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _, h):
        x, y = ctx.saved_tensors
        return g * y * 2 + h, g * x * 3 - h


def test_function_of_two_results():
    def forward(self, x, y):
        h = self.a(x)
        product, positive, total = Two.apply(h, h.tanh())
        return self.head(product * positive + total, y)
    compare(made(forward))


def test_function_called_twice():
    compare(made(lambda self, x, y: self.head(Cube.apply(Cube.apply(self.a(x), 0.5), 2.0), y)))


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_function_in_place_is_refused_by_name():
    with pytest.raises(zcc.Error, match="Dirty"):
        zcc.compile(made(lambda self, x, y: self.head(Dirty.apply(self.a(x) + 0), y)), batch_of())


def test_in_place_updates():
    def forward(self, x, y):
        h = self.a(x)
        h[:, ::2].mul_(2.0)
        h[:, 0] = 1.0
        h += 0.5
        h.clamp_(-1, 1)
        return self.head(h, y)
    compare(made(forward))


def test_views():
    def forward(self, x, y):
        h = self.a(x)
        v = h.view(-1, 4, 8).transpose(1, 2)
        v.add_(x[:, :1, None])
        return self.head(v.transpose(1, 2).flatten(1), y)
    compare(made(forward))


def test_in_place_updates_of_views():
    def forward(self, x, y):
        h = self.a(x)
        h[1:, ::3] = h[:-1, ::3] * 2
        h.view(-1, 4, 8)[:, 1].add_(x[:, :8])
        h.t()[5].mul_(3)
        h.diagonal().fill_(.5)
        h.narrow(1, 4, 6).copy_(x[:, 6:])
        h[x[:, 0] > 0] = 1.5
        h[:, [1, 7]] -= 1
        h.unsqueeze(0).squeeze(0)[..., -1:].masked_fill_(x[:, :1] > 0, 2.0)
        h.index_add_(1, torch.tensor([0, 2]), x[:, :2])
        return self.head(h.sin_(), y)
    compare(made(forward))


def test_in_place_updates_without_gradients():
    """A change of a value where no gradient passes leaves the gradient of the value that was
    there."""
    def in_no_grad(self, x, y):
        h = self.a(x)
        with torch.no_grad():
            h.mul_(2)
        return self.head(h * h, y)

    def of_detached(self, x, y):
        h = self.a(x) * 1
        h.detach().mul_(2)
        h.detach().view(4, -1).detach().add_(1)
        return self.head(h + 1, y)
    def by_data(self, x, y):
        h = self.a(x) * 1
        before = h.detach()
        h.data[:, :4].clamp_(-1, 1).add_(1)
        read = h.data.mul_(3).add_(before)  # which shares the memory
        h.data.masked_fill_(torch.eye(8, 32) > 0, 0)
        return self.head(h + read * self.a(x) + before, y)

    def in_place(self, x, y):
        h = self.a(x) * 1
        h.detach_()
        return self.head(h * self.a(x), y)

    def of_infinite(self, x, y):
        mask = torch.full((32, 32), -torch.inf)
        with torch.no_grad():
            mask.triu_(1)
        return self.head((self.a(x) @ self.a.weight @ self.a.weight.t() + mask[0]).softmax(-1), y)

    def over_infinite(self, x, y):
        h = self.a(x) + torch.zeros(32).index_fill(0, torch.tensor([0, 3]), -torch.inf)
        with torch.no_grad():
            h.copy_(torch.where(torch.isinf(h), 0.5, h))
        return self.head(h, y)
    for body in (in_no_grad, of_detached, by_data, in_place, of_infinite, over_infinite):
        compare(made(body), meshes=MESHES[:1])


def test_in_place_updates_of_parts_without_gradients():
    """Ops of several results give views, too."""
    def of_rows(self, x, y):
        h = self.a(x) * 1
        for row in h.data:
            row.mul_(2)
        return self.head(h, y)

    def of_chunks(self, x, y):
        h = self.a(x) * 1
        first, second = h.detach().chunk(2, -1)
        first.mul_(2)
        return self.head(h * torch.cat([second, first], -1), y)

    def in_no_grad(self, x, y):
        h = self.a(x) * 1
        with torch.no_grad():
            for row in h.unbind(0):
                row.mul_(2)
        return self.head(h, y)
    for body in (of_rows, of_chunks, in_no_grad):
        compare(made(body), meshes=MESHES[:1])


def test_in_place_updates_within_no_grad():
    def of_detached(self, x, y):
        h = self.a(x) * 1
        d = h.detach()
        with torch.no_grad():
            d.mul_(2)
        return self.head(h * d, y)

    def of_part_of_detached(self, x, y):
        h = self.a(x) * 1
        d = h.detach()
        with torch.no_grad():
            scale = d[:, :4].mul_(2).mean()
        d.add_(1)
        return self.head(h * scale + h * d, y)

    def by_out(self, x, y):
        h = self.a(x) * 1
        with torch.no_grad():
            torch.mul(h, 2, out=h)
        return self.head(h, y)

    def by_out_of_another(self, x, y):
        h, g = self.a(x) * 1, self.a(x) * 3
        with torch.no_grad():
            r = torch.mul(g, 2, out=h)
        return self.head(h * g + r, y)

    def detached_in_place(self, x, y):
        h = self.a(x) * 1
        with torch.no_grad():
            h.detach_()
        return self.head(h * self.a(x), y)
    for body in (of_detached, of_part_of_detached, by_out, by_out_of_another, detached_in_place):
        compare(made(body), meshes=MESHES[:1])


def test_a_buffer_that_is_detached_in_place():
    class Detached(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(32))

        def forward(self, x, y):
            self.mean.detach_()
            h = self.a(x) + self.mean
            self.mean.copy_(h.mean(0).detach())
            return self.head(h + self.mean, y)
    torch.manual_seed(0)
    module, batch = Detached(), batch_of()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        step(batch)
        found = np.asarray(step.state["mean"])
    module(torch.tensor(batch["x"]), torch.tensor(batch["y"]))
    assert module.mean.any() and np.allclose(found, module.mean.numpy(), atol=1e-6)


def test_averages_that_are_changed_in_place():
    """As in vector quantization: a buffer is changed by .data or without gradients, and read afterwards."""
    class Average(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(32))
            self.register_buffer("square", torch.ones(32))

        def forward(self, x, y):
            h = self.a(x)
            self.mean.data.mul_(.9).add_(h.mean(0), alpha=.1)
            with torch.no_grad():
                self.square.mul_(.5).add_(h.square().mean(0))
            return self.head((h - self.mean) / self.square.sqrt(), y)
    torch.manual_seed(0)
    module, batch = Average(), batch_of()
    loss, wanted = gradients_of(module, batch)
    state = {n: b.clone().numpy() for n, b in module.named_buffers()}
    with torch.no_grad():
        module.mean.zero_(), module.square.fill_(1)
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        found = step.gradients(batch)
        assert abs(step(batch).loss - loss) < 3e-6 * loss
        for n, b in state.items():
            assert np.allclose(np.asarray(step.state[n]), b, rtol=1e-5, atol=1e-6), n
    for n, g in wanted.items():
        assert np.abs(np.asarray(found[n]) - g).max() <= 3e-6 * np.abs(g).max() + 1e-7, n


def test_tied_parameters():
    class Tied(Base):
        def __init__(self):
            super().__init__()
            self.c, self.d = nn.Linear(32, 12), nn.Linear(12, 32)
            self.d.weight = self.a.weight
    module = made(lambda self, x, y: self.head(self.d(self.c(self.a(x).tanh())).tanh(), y), Tied)
    compare(module)
    with zcc.compile(module, batch_of(), quiet=True) as step:
        assert "a.weight" in step.params and "d.weight" not in step.params and "d.bias" in step.params


def test_shared_modules():
    class Shared(Base):
        def __init__(self):
            super().__init__()
            self.c = nn.Linear(32, 32)
            self.again = self.c
    compare(made(lambda self, x, y: self.head(self.again(self.c(self.a(x)).tanh()), y), Shared))


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint(reentrant):
    class Blocks(Base):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32)) for _ in range(3))

    def forward(self, x, y):
        h = self.a(x)
        for block in self.blocks:
            h = torch.utils.checkpoint.checkpoint(block, h, use_reentrant=reentrant)
        return self.head(h, y)
    module = made(forward, Blocks)
    compare(module)
    if not reentrant:
        with zcc.compile(module, batch_of(), quiet=True) as step:
            assert step.report["flops"]["executed"] > 1.1 * step.report["flops"]["model"]


def test_autocast():
    def forward(self, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = self.a(x)
        return self.head(h.float(), y)
    module = made(forward)
    batch = batch_of()
    loss = module(torch.tensor(batch["x"]), torch.tensor(batch["y"]))
    loss.backward()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        found = step.gradients(batch)
        assert abs(step(batch).loss - loss.item()) < 2e-3
    for n, p in module.named_parameters():
        assert np.abs(np.asarray(found[n]) - p.grad.numpy()).max() <= 2e-2 * p.grad.abs().max().item(), n


def beside_torch(module):
    """Compares the loss, the gradients and the types of products with PyTorch's own in bfloat16, whose every rounding is of 2^-9."""
    batch = batch_of()
    module.train()
    given = {k: torch.tensor(v) for k, v in batch.items()}

    products = []

    class Products(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            found = function(*args, **(kwargs or {}))
            if function.overloadpacket in (torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.linear):
                products.append(found.dtype == torch.bfloat16)
            return found
    with Products():
        loss = module(**given)
    loss.backward()
    loss, wanted = loss.item(), {n: p.grad.numpy().copy() for n, p in module.named_parameters() if p.grad is not None}
    for options in MESHES:
        with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
            found = step.gradients(batch)
            assert abs(step(batch).loss - loss) <= 2e-3
            lines = [line.rsplit("->", 1)[1] for line in step._text.splitlines() if "stablehlo.dot_general" in line]
            assert ["bf16" in line for line in lines] == products and any(products)
        for n, g in wanted.items():
            assert np.abs(np.asarray(found[n]) - g).max() <= 2e-2 * np.abs(g).max(), (n, options)
    return products


class Narrow(Base):
    def __init__(self):
        super().__init__()
        self.c = nn.Linear(32, 32)

    def cast(self, enabled=True):
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled)


def test_autocast_of_the_whole_forward():
    def forward(self, x, y):
        with self.cast():
            h = self.c(F.layer_norm(self.a(x), (32,)).softmax(-1))
            return F.cross_entropy(self.b(torch.cat([h[:, :16], x[:, :1] * h[:, 16:]], 1)).float(), y)
    beside_torch(made(forward, Narrow))


def without_gradients(self, h):
    with torch.no_grad():
        scale = h.abs().mean()
    return h * scale


def with_gradients_again(self, h):
    with torch.no_grad():
        scale = h.abs().mean()
        with torch.enable_grad():
            h = h * 2
    return h * scale


def nested_regions(self, h):
    with torch.autocast("cpu", enabled=False), torch.no_grad(), torch.autocast("cpu", enabled=False):
        scale = h.abs().mean()
    return h * scale


def writes_without_gradients(self, h):
    with torch.no_grad():
        h.mul_(2)
        h[:, 3] = h[:, 4]
    return h * h


def writes_to_what_is_detached(self, h):
    h.detach()[:, :4].mul_(2)
    h.data.add_(1)
    return h * h


def writes_to_views(self, h):
    h.view(8, 4, 8)[:, 1].mul_(2)
    return h * h


BODIES = [without_gradients, with_gradients_again, nested_regions, writes_without_gradients, writes_to_what_is_detached, writes_to_views]


@pytest.mark.parametrize("body", BODIES, ids=lambda f: f.__name__)
def test_regions_without_gradients_within_autocast(body):
    def forward(self, x, y):
        h = self.a(x) * 1
        with torch.autocast("cpu", enabled=False):
            h = body(self, h * 1)
        return self.head(h, y)
    compare(made(forward))


def test_branches_within_a_region_without_gradients():
    def forward(self, x, y):
        h = self.a(x)
        with torch.no_grad():
            scale = torch.cond(h.sum() > 0, lambda v: v.mean(), lambda v: v.abs().mean(), (h,))
        return self.head(h * scale, y)
    compare(made(forward))


def test_writes_in_an_autocast_region_to_what_was_made_before():
    def forward(self, x, y):
        h = self.a(x) * 1
        of_h, row = h.detach(), h.view(8, 4, 8)[1]
        with torch.autocast("cpu", enabled=False):
            of_h[:, :4].mul_(2)
            row.mul_(3)
            with torch.no_grad():
                row.add_(1)
                of_h[3] = 2.0
            same = h.to(h.dtype)
        return self.head(h * same * of_h, y)
    compare(made(forward))


def test_autocast_that_is_off_within():
    def forward(self, x, y):
        with self.cast():
            h = self.a(x)
            with self.cast(False):
                h = self.c(h.float()) @ self.c.weight
            return F.cross_entropy(self.b(h).float(), y)
    assert beside_torch(made(forward, Narrow)) == [True, False, False, True]


def test_weights_that_are_cast():
    """By hand, once for two products, as by the cache of autocast."""
    def forward(self, x, y):
        w = self.c.weight.to(torch.bfloat16)
        h = (self.a(x).to(torch.bfloat16) @ w).tanh() @ w
        return F.cross_entropy(self.b(h.float()), y)
    beside_torch(made(forward, Narrow))


def test_hooks_with_keywords_and_removed_ones():
    class Gated(nn.Linear):
        def forward(self, x, *, gate=1.0):
            return super().forward(x) * gate
    module = made(lambda self, x, y: self.head(self.a(x, gate=2.0), y))
    module.a = Gated(12, 32)
    seen = []
    module.a.register_forward_pre_hook(lambda m, args, kwargs: ((args[0] + 1,), {"gate": kwargs["gate"] * 3}), with_kwargs=True)
    module.a.register_forward_hook(lambda m, args, kwargs, output: output.tanh() * kwargs["gate"], with_kwargs=True)
    module.a.register_forward_hook(lambda m, args, output: seen.append(tuple(output.shape)))
    module.b.register_forward_hook(lambda m, args, output: output * 5).remove()
    module.register_forward_hook(lambda m, args, output: output * 1.5)
    compare(module)
    assert seen


@pytest.mark.parametrize("norm", [nn.utils.weight_norm, nn.utils.parametrizations.weight_norm, nn.utils.parametrizations.spectral_norm])
def test_weights_that_hooks_compute(norm):
    module = made(lambda self, x, y: self.head(self.a(x).tanh(), y))
    norm(module.a)
    if norm is nn.utils.parametrizations.spectral_norm:
        module.a.parametrizations.weight[0].eval()  # each call in training changes its vectors
        module.a.parametrizations.weight.train = lambda mode=True: None
    compare(module)


def test_forward_hooks():
    module = made(lambda self, x, y: self.head(self.a(x), y))
    module.a.register_forward_hook(lambda m, args, output: output * 2)
    module.b.register_forward_pre_hook(lambda m, args: (args[0].tanh(),))
    compare(module)


def test_gradient_hooks_of_parameters_are_refused():
    module = made(lambda self, x, y: self.head(self.a(x), y))
    module.a.weight.register_hook(lambda g: g * 2)
    with pytest.raises(zcc.Error, match="a.weight"):
        zcc.compile(module, batch_of())


def test_gradient_hooks_of_values():
    def forward(self, x, y):
        h = self.a(x)
        h.register_hook(lambda g: g * 3)
        return self.head(h, y)
    with pytest.raises(zcc.Error, match="register_hook"):
        zcc.compile(made(forward), batch_of())


def test_a_module_that_is_made_in_inference_mode():
    batch = batch_of()
    with torch.inference_mode():
        module = made(lambda self, x, y: self.head(self.a(x), y))
        with zcc.compile(module, batch, quiet=True) as step:
            assert abs(step.evaluate(batch).loss - float(module(torch.tensor(batch["x"]), torch.tensor(batch["y"])))) < 1e-5


def test_padding_idx():
    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.e, self.b = nn.Embedding(10, 8, padding_idx=3), nn.Linear(8, 6)

        def forward(self, t, y):
            return F.cross_entropy(self.b(self.e(t).sum(1)), y)
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    module = Words()
    with torch.no_grad():
        module.e.weight[3] = 1.0
    compare(module, {"t": random.integers(0, 10, (8, 5)), "y": random.integers(0, 6, 8)})


def test_dropout():
    """Masks differ by step and by module, and follow from the seed alone; gradients have the mask of the loss."""
    class Drop(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(64))
            self.first, self.second = nn.Dropout(0.5), nn.Dropout(0.25)

        def forward(self, x):
            return (self.first(self.w * x) + self.second(self.w * x)).sum() / 64

    batch, seen = {"x": np.ones((8, 64), np.float32)}, []
    for options in [{}, {"mesh": "data=2"}, {"mesh": "data=2", "microbatches": 2}, {"remat": "full"}]:
        with zcc.compile(Drop().train(), batch, optimizer=zcc.SGD(lr=0.0), seed=3, quiet=True, **options) as step:
            g = np.asarray(step.gradients(batch)["w"])
            losses = [step(batch).loss for _ in range(3)]
            assert abs(g.sum() - losses[0]) < 1e-4  # the loss is linear in w = 1
            seen.append((losses, g))
            assert abs(step.evaluate(batch).loss - 16) < 1e-4
    assert len(set(seen[0][0])) == 3
    for losses, g in seen[1:]:
        assert np.allclose(losses, seen[0][0], rtol=1e-6) and np.allclose(g, seen[0][1], rtol=1e-6)


def test_buffers_are_state():
    class Counted(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("average", torch.zeros(32))
            self.register_buffer("steps", torch.tensor(0))
            self.register_buffer("scale", torch.full((32,), 2.0))
            self.register_buffer("table", torch.arange(32.0), persistent=False)

        def forward(self, x, y):
            h = self.a(x) * self.scale + self.table
            self.average.mul_(0.9).add_(0.1 * h.detach().mean(0))
            self.steps += 1
            return F.cross_entropy(self.b(h), y)
    torch.manual_seed(0)
    module, batch = Counted(), batch_of()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True, mesh="data=2") as step:
        for _ in range(3):
            step(batch)
        state = step.state
    assert set(state) == {"average", "steps", "scale"}
    for _ in range(3):
        module(torch.tensor(batch["x"]), torch.tensor(batch["y"]))
    assert int(np.asarray(state["steps"])) == 3
    assert np.allclose(np.asarray(state["average"]), module.average.numpy(), atol=1e-5)


def test_parameters_that_the_loss_ignores(capfd):
    class Spare(Base):
        def __init__(self):
            super().__init__()
            self.spare = nn.Linear(3, 3)
    module, batch = made(lambda self, x, y: self.head(self.a(x), y), Spare), batch_of()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.1)) as step:
        before = module.spare.weight.detach().numpy().copy()
        step(batch)
        assert np.array_equal(np.asarray(step.params["spare.weight"]), before)
        assert "does not read the parameters spare.weight, spare.bias" in step.messages


def test_loss_of_outputs():
    class Plain(Base):
        def forward(self, x):
            return {"logits": self.b(self.a(x).tanh())}
    torch.manual_seed(0)
    module, batch = Plain(), batch_of()
    inputs = {"x": batch["x"]}
    with zcc.compile(module, inputs, loss=lambda outputs, b: outputs["logits"].square().mean(), optimizer=zcc.SGD(lr=0.1), quiet=True) as step:
        first, second = step(inputs).loss, step(inputs).loss
        assert second < first
        assert np.asarray(step.predict(inputs)["logits"]).shape == (8, 6)
    with pytest.raises(zcc.Error, match="loss=lambda"):
        zcc.compile(module, inputs)


def test_functions_of_the_module():
    torch.manual_seed(0)
    module, batch = made(lambda self, x, y: self.head(self.a(x), y)), batch_of()
    with zcc.compile(module, batch, quiet=True) as step:
        found = np.asarray(step.predict(batch, lambda m, b: m.a(b["x"]).tanh()))
        assert np.allclose(found, module.a(torch.tensor(batch["x"])).tanh().detach().numpy(), atol=1e-6)


# ---------------------------------------------------------------- bad input

def test_control_flow_on_data_is_refused():
    def forward(self, x, y):
        h = self.a(x)
        return self.head(h if h.sum() > 0 else -h, y)
    text = refusal(made(forward))
    assert "torch.export refuses" in text and "torch.where" in text


def test_shapes_that_depend_on_data_are_refused():
    text = refusal(made(lambda self, x, y: self.head(self.a(x), y) + torch.unique(x).sum()))
    assert "unique" in text and "shape" in text, text


def test_an_unknown_op_is_named_with_its_module_and_line():
    class Inner(nn.Module):
        def forward(self, x):
            return torch.linalg.eigvalsh(x)

    class Outer(Base):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
    text = refusal(made(lambda self, x, y: self.head(self.a(x), y) + self.inner(x[:, None, :4] * x[:, :4, None]).sum(), Outer))
    assert "linalg" in text and "'inner'" in text and "docs/pytorch.md" in text


def test_a_batch_with_other_keys():
    module, batch = made(lambda self, x, y: self.head(self.a(x), y)), batch_of()
    assert "z" in refusal(module, {**batch, "z": batch["x"]})
    with zcc.compile(module, batch, quiet=True) as step:
        with pytest.raises(zcc.Error, match="missing: y"):
            step({"x": batch["x"]})
        with pytest.raises(zcc.Error, match="surplus: z"):
            step({**batch, "z": batch["x"]})


def test_params_are_not_given():
    module, batch = made(lambda self, x, y: self.head(self.a(x), y)), batch_of()
    with pytest.raises(zcc.Error, match="no params"):
        zcc.compile(module, dict(module.named_parameters()), batch)
    with pytest.raises(zcc.Error, match="batch is missing"):
        zcc.compile(lambda p, b: 0.0, {})


def test_an_old_torch_is_refused(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.3.1+cpu")
    assert "too old" in refusal(made(lambda self, x, y: self.head(self.a(x), y)))


def test_torch_is_left_as_it_was():
    own = torch.autograd.Function.__dict__.get("apply"), torch.utils.checkpoint._checkpoint_impl
    module = made(lambda self, x, y: self.head(Cube.apply(self.a(x), 0.5), y)).train()
    module.b.eval()
    zcc.compile(module, batch_of(), quiet=True).close()
    assert (torch.autograd.Function.__dict__.get("apply"), torch.utils.checkpoint._checkpoint_impl) == own
    assert module.training and not module.b.training
