# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers and Fourier transforms in modules, against PyTorch's own gradients."""
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from habits import MESHES, Base, batch_of, compare, made  # noqa: E402
import zcc  # noqa: E402


def test_complex_numbers():
    """Rotary positions as complex numbers, of a buffer, and a Fourier transform with learned factors."""
    class Rotated(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("turns", torch.polar(torch.ones(16), torch.arange(16.) / 5), persistent=False)
            self.filter = nn.Parameter(torch.randn(17, 2))

        def forward(self, x, y):
            h = self.a(x)
            turned = torch.view_as_real(torch.view_as_complex(h.reshape(-1, 16, 2)) * self.turns.to(torch.promote_types(h.dtype, torch.complex64))).flatten(1)
            mixed = torch.fft.irfft(torch.fft.rfft(turned, norm="ortho") * torch.view_as_complex(self.filter), norm="ortho")
            return self.head(mixed + torch.fft.fft2(h).real, y)
    torch.manual_seed(0)
    compare(Rotated(), bar=1e-5)


def complex_of(h):
    return torch.view_as_complex(h.reshape(len(h), -1, 2))


def parts_of(z):
    return torch.view_as_real(z).flatten(1)


def test_complex_numbers_without_gradients():
    def read(self, x, y):
        z = complex_of(self.a(x))
        with torch.no_grad():
            w = z * 2
        return self.head(parts_of(z * w), y)

    def written(self, x, y):
        z = complex_of(self.a(x)) * 1
        with torch.no_grad():
            z.mul_(2)
        z.detach().mul_(1 + 2j)
        return self.head(parts_of(z), y)
    for body in (read, written):
        compare(made(body), meshes=MESHES[:1])


def test_values_that_are_written_to_complex_numbers():
    def forward(self, x, y):
        z = complex_of(self.a(x)) * torch.tensor(1 + 2j)
        z[:, 0] = 1
        z[:, 1] = 2j
        z.real[:, 2] = 3
        z[:, 3].fill_(torch.tensor(2))
        z[:, 4:].masked_fill_(x[:, :1] > 0, 1)
        return self.head(parts_of(z), y)
    compare(made(forward), meshes=MESHES[:1])


def test_sizes_of_complex_numbers():
    """Squares of large and of small numbers are not representable."""
    def forward(self, x, y):
        z = complex_of(self.a(x))
        large, small = (z * 1e25).abs() / 1e25, (z * 1e-20).abs() * 1e20
        none = (z - z).abs() + (z - z).angle() + (1e25 / (z * 1e25 + 3e25)).real
        return self.head(torch.cat([large + none, small], 1), y)
    compare(made(forward), meshes=MESHES[:1])


class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.complex(x, -x)

    @staticmethod
    def backward(ctx, g):
        return g.real - g.imag


class Length(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z.real ** 2 + z.imag ** 2

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


@pytest.mark.parametrize("body", (lambda h: Turned.apply(h).imag, lambda h: Length.apply(complex_of(h)).repeat(1, 2)), ids=("Turned", "Length"))
def test_functions_of_complex_numbers_are_refused_by_name(body, request):
    name = request.node.callspec.id
    with pytest.raises(zcc.Error, match=f"{name} cannot be carried: it has complex.*view_as_real"):
        zcc.compile(made(lambda self, x, y: self.head(body(self.a(x)), y)), batch_of())
