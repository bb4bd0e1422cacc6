# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives that a forward pass takes: its loss and its gradients against PyTorch's own in float64."""
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap  # noqa: E402

from habits import MESHES, Base, batch_of, compare, gradients_of, made, refusal  # noqa: E402
import zcc  # noqa: E402


class Field(Base):
    """A field of points, u(x), by a layer and a number for each point."""

    def u(self, x):
        return self.b(torch.tanh(self.a(x))).sum(-1)


OF_FUNC = {
    "grad of samples": lambda self, x: vmap(grad(self.u))(x),
    "grad of a sum": lambda self, x: grad(lambda z: self.u(z).sum())(x),
    "grad of grad": lambda self, x: vmap(lambda p: grad(lambda q: grad(self.u)(q)[0])(p))(x),
    "grad by the second": lambda self, x: vmap(grad(lambda s, p: s * self.u(p) ** 2, argnums=1), in_dims=(None, 0))(x.sum(), x),
    "grad and value": lambda self, x: torch.cat([g.flatten() for g in grad_and_value(lambda z: self.u(z).sum())(x)]),
    "grad with aux": lambda self, x: sum(grad(lambda z: (self.u(z).sum(), z * 2), has_aux=True)(x)),
    "vjp": lambda self, x: vjp(self.u, x)[1](x.sum(-1))[0],
    "jvp": lambda self, x: jvp(self.u, (x,), (x * 2,))[1],
    "jacrev": lambda self, x: vmap(jacrev(lambda p: torch.tanh(self.a(p))))(x),
    "jacfwd": lambda self, x: vmap(jacfwd(lambda p: torch.tanh(self.a(p))))(x),
    "hessian": lambda self, x: vmap(hessian(self.u))(x[:, :3] @ self.a.weight[:3]),
    "jacobian": lambda self, x: torch.autograd.functional.jacobian(lambda z: self.u(z).sum(), x, create_graph=True),
    "constant function": lambda self, x: grad(lambda z: self.a.weight.sum())(x) + x,
}


@pytest.mark.parametrize("name", OF_FUNC)
def test_of_torch_func(name):
    compare(made(lambda self, x, y: OF_FUNC[name](self, x).square().mean() + self.head(self.a(x), y), Field), meshes=[{}])


def test_a_derivative_by_points_trains():
    """As a loss of physics has it: a residual with second derivatives."""
    def forward(self, x, y):
        x = x.clone().requires_grad_()
        u = self.u(x)
        first, = torch.autograd.grad(u.sum(), x, create_graph=True)
        second, = torch.autograd.grad(first[:, 0].sum(), x, create_graph=True)
        return (second[:, 0] + u - y).square().mean()
    compare(made(forward, Field))


def test_a_step_within_the_loss():
    """As learning to learn has it: parameters of the forward pass are those after a step of descent."""
    def forward(self, x, y):
        inner = dict(self.named_parameters())
        found = torch.autograd.grad(self.head(F.gelu(self.a(x)), y), list(inner.values()), create_graph=True)
        return Base.head(Stepped(self, {n: p - 0.1 * g for (n, p), g in zip(inner.items(), found)}), F.gelu(self.a(x)), y)
    compare(made(forward))


def test_a_step_by_functions():
    def forward(self, x, y):
        inner = dict(self.head_of.named_parameters())
        loss = lambda p: F.cross_entropy(functional_call(self.head_of, p, (x,)), y)
        found = grad(loss)(inner)
        return loss({n: p - 0.1 * found[n] for n, p in inner.items()})

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head_of = nn.Sequential(nn.Linear(12, 8), nn.LayerNorm(8), nn.SiLU(), nn.Linear(8, 6))
    compare(made(forward, Net))


class Stepped:
    """Stands for a module, with other parameters of its layer `b`."""

    def __init__(self, module, parameters):
        self.b = lambda h: F.linear(h, parameters["b.weight"], parameters["b.bias"])


LAYERS = {
    "attention": lambda self, h: attention(*h.view(2, 4, 4, 8).expand(3, 2, 4, 4, 8)).reshape(8, 32),
    "layer norm": lambda self, h: F.layer_norm(h, (32,), self.a.weight[:, 0]),
    "softmax": lambda self, h: h.softmax(-1) * h,
    "stopped": lambda self, h: h * h.detach() + torch.sigmoid(h),
    "custom function": lambda self, h: Doubled.apply(h) * h,
    "indexed": lambda self, h: h[torch.arange(8).flip(0)] * h.roll(1, 1),
    "in place": lambda self, h: h.clone().mul_(h).add_(1),
}


PICTURES = {
    "convolution": lambda h, w: F.conv2d(h, w, stride=2, padding=1),
    "convolution, uneven": lambda h, w: F.conv2d(h, w[:, :, :2], stride=(3, 2), padding=(0, 1), dilation=(1, 2)),
    "convolution, groups": lambda h, w: F.conv2d(h, w[:, :2], dilation=2, padding=2, groups=2),
    "convolution, transposed": lambda h, w: F.conv_transpose2d(h, w, stride=2, padding=1, output_padding=1),
    "convolution, transposed in groups": lambda h, w: F.conv_transpose2d(h, w[:, :2], stride=2, dilation=2, groups=2),
    "convolution, 1 dim": lambda h, w: F.conv1d(h.flatten(2), w[:, :, 0], stride=2),
    "convolution, 3 dims": lambda h, w: F.conv3d(h.unsqueeze(2), w.unsqueeze(2), padding=(0, 1, 1)),
    "maximum of windows": lambda h, w: F.max_pool2d(h, 3, 2, 1) * w.sum(),
    "mean of windows": lambda h, w: F.avg_pool2d(h, (3, 2), 2, (1, 0), ceil_mode=True) * w.sum(),
    "mean of windows without padding": lambda h, w: F.avg_pool2d(h, 3, 2, 1, count_include_pad=False) * w.sum(),
    "mean of windows by a divisor": lambda h, w: F.avg_pool2d(h, 2, divisor_override=3) * w.sum(),
    "mean to a size": lambda h, w: F.adaptive_avg_pool2d(h, (3, 2)) * w.sum(),
    "batch norm": lambda h, w: F.batch_norm(h, None, None, w[:, 0, 0, 0], training=True),
    "group norm": lambda h, w: F.group_norm(h, 2, w[:, 0, 0, 0]),
    "instance norm": lambda h, w: F.instance_norm(h, weight=w[:, 0, 0, 0]),
    "leaky relu": lambda h, w: F.leaky_relu(h, .2) + F.prelu(h, w[:, 0, 0, 0]) + F.elu(h) * F.gelu(h) + F.mish(h) * F.softplus(h),
    "nearest": lambda h, w: F.interpolate(h, scale_factor=2) * w.sum(),
    "bilinear": lambda h, w: F.interpolate(h, scale_factor=2, mode="bilinear") * F.interpolate(h, (12, 10), mode="bilinear", align_corners=True) * w.sum(),
    "smaller": lambda h, w: F.interpolate(h, (4, 3)) * F.interpolate(h, (4, 3), mode="bilinear") * w.sum(),
    "padded": lambda h, w: F.conv2d(F.pad(h, (1, 1, 1, 1), mode="reflect"), w),
    "shuffled": lambda h, w: F.pixel_shuffle(h, 2) * w.sum(),
    "unfolded": lambda h, w: F.unfold(h, 3) * w.sum(),
}


class Critic(nn.Module):
    """Has a gradient penalty, and one of its filters' gradient."""

    def __init__(self):
        super().__init__()
        self.a, self.w = nn.Linear(12, 120), nn.Parameter(torch.randn(4, 4, 3, 3))


@pytest.mark.parametrize("layer", PICTURES)
def test_through_layers_of_pictures(layer):
    def forward(self, x, y):
        h = self.a(x).view(8, 4, 6, 5)
        score = PICTURES[layer](h, self.w)
        found, of_w = torch.autograd.grad(score.pow(3).sum() + score.sum() + self.w.sum(), (h, self.w), create_graph=True)
        return score.mean() + ((found.flatten(1).norm(dim=1) - 1) ** 2).mean() + of_w.square().mean()
    compare(made(forward, Critic), meshes=[{}])


@pytest.mark.parametrize("options", [{"mesh": "data=2"}, {"mesh": "data=2,tensor=2", "zero": 3}], ids=str)
def test_a_gradient_penalty_on_meshes(options):
    def forward(self, x, y):
        h = self.a(x).view(8, 4, 6, 5)
        score = F.leaky_relu(F.conv2d(h, self.w, stride=2, padding=1), .2).mean((1, 2, 3))
        found, = torch.autograd.grad(score.sum(), h, create_graph=True)
        return score.mean() + ((found.flatten(1).norm(dim=1) - 1) ** 2).mean()
    compare(made(forward, Critic), meshes=[options])


def attention(q, k, v):
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):  # the others have no second derivative
        return F.scaled_dot_product_attention(q, k, v)


class Doubled(torch.autograd.Function):
    """Returns x², with twice its derivative."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(context, g):
        x, = context.saved_tensors
        return 4 * x * g


@pytest.mark.parametrize("layer", LAYERS)
def test_through_layers(layer):
    def forward(self, x, y):
        h = self.a(x)
        found, = torch.autograd.grad(LAYERS[layer](self, h).pow(3).sum(), h, create_graph=True)
        return self.head(h, y) + found.square().mean()
    compare(made(forward), meshes=[{}])


def test_of_several_outputs_by_several_inputs():
    """One input depends on the other, one is not used, and outputs have cotangents."""
    def forward(self, x, y):
        h = self.a(x)
        k = h * 2
        ys = (k.tanh() * h, k.sum())
        first, second, third = torch.autograd.grad(ys, (h, k, self.b.weight), (h.detach(), k.sum().detach()), create_graph=True, allow_unused=True)
        assert third is None
        return self.head(first + second, y)
    compare(made(forward))


def test_a_derivative_through_dropout_reads_its_mask():
    """The derivative is 0 where the mask is, in the same step."""
    def forward(self, x, y):
        h = self.a(x)
        dropped = F.dropout(h, 0.5)
        found, = torch.autograd.grad(dropped.sum(), h, create_graph=True)
        return self.head(h, y) + (found - dropped / h).square().sum()
    module = made(forward)
    loss, _ = gradients_of(made(lambda self, x, y: self.head(self.a(x), y)), batch_of())
    for options in MESHES:
        with zcc.compile(module.train(), batch_of(), optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
            assert abs(step(batch_of()).loss - loss) < 1e-5


def test_predictions_take_derivatives():
    """A force is the derivative of an energy in evaluation, too."""
    class Force(Field):
        def forward(self, x, y):
            with torch.enable_grad():
                x = x.clone().requires_grad_()
                force, = torch.autograd.grad(self.u(x).sum(), x, create_graph=self.training)
            return {"loss": (force - y[:, None]).square().mean(), "force": force}
    torch.manual_seed(0)
    module, batch = Force(), batch_of()
    wanted = module.eval()(*(torch.tensor(v) for v in batch.values()))["force"]
    with zcc.compile(module.train(), batch, quiet=True) as step:
        assert abs(step.predict(batch)["force"] - wanted.detach().numpy()).max() < 1e-5


def test_refusals():
    def branches(self, x, y):
        h = self.a(x)
        k = torch.cond(h.sum() > 0, lambda h: h * 2, lambda h: h * 3, (h,))
        return self.head(torch.autograd.grad(k.sum(), h, create_graph=True)[0], y)

    def backward(self, x, y):
        self.head(self.a(x), y).backward()
        return self.head(self.a(x) + self.a.weight.grad.sum(), y)

    def unused(self, x, y):
        h = self.a(x)
        return self.head(torch.autograd.grad(h.sum(), self.b.weight, create_graph=True)[0].sum() + h, y)
    def drawn(self, x, y):
        h = self.a(x)
        return self.head(torch.autograd.grad(F.rrelu(h, training=True).sum(), h, create_graph=True)[0], y)
    def batched(self, x, y):
        h = self.a(x)
        return self.head(torch.autograd.grad(h.sum(0), h, torch.eye(32), is_grads_batched=True)[0].sum() + h, y)
    assert "is not carried: expected torch.func.jacrev" in refusal(made(batched))
    assert "which draws random numbers: expected torch.nn.functional.dropout" in refusal(made(drawn))
    assert "takes a derivative through cond, which is not carried" in refusal(made(branches))
    assert "calls backward(), which would change the .grad" in refusal(made(backward))
    assert "appears to not have been used in the graph" in refusal(made(unused))
