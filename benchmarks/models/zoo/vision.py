# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of images: their classes, their parts, their reconstruction."""
import jax.numpy as jnp

from . import inputs, integers, model, normal

B, CLASSES = 8, 10


def cross_entropy(m, image, label):
    import torch.nn.functional as F

    return F.cross_entropy(m(image), label.long())


def timm_network(name, build, size=32):
    @model(f"timm/{name}", "timm")
    def make():
        import timm

        from .pytorch import torch_loss

        loss, params = torch_loss(lambda: build(timm), cross_entropy)
        return loss, params, inputs(image=normal(B, 3, size, size), label=integers(CLASSES, B))


def timm_model(name, architecture, size=32, **options):
    timm_network(name, lambda timm: timm.create_model(architecture, num_classes=CLASSES, **options), size)


def timm_class(name, file, cls, **options):
    """Makes a model by its class, for models whose widths create_model fixes. An option may be a function of timm's module."""
    def build(timm):
        module = getattr(timm.models, file)
        return getattr(module, cls)(num_classes=CLASSES, **{k: v(module) if callable(v) else v for k, v in options.items()})

    timm_network(name, build)


timm_model("vit", "vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4)
timm_model("convnext", "convnext_atto", depths=(1, 1, 2, 1), dims=(8, 16, 32, 64))
timm_model("resnet", "resnet18", layers=(1, 1, 1, 1), channels=(8, 16, 16, 32), stem_width=8)
timm_class("regnet", "regnet", "RegNet", cfg=lambda m: m.RegNetCfg(depth=4, w0=8, wa=8., wm=1.6, group_size=4, stem_width=8))
timm_model("efficientnet", "test_efficientnet")
timm_model("mobilenet-v3", "mobilenetv3_small_050")
timm_class("mixer", "mlp_mixer", "MlpMixer", img_size=32, patch_size=8, embed_dim=32, num_blocks=2)
timm_model("swin", "swin_tiny_patch4_window7_224", img_size=32, patch_size=2, window_size=4, embed_dim=16, depths=(2, 2), num_heads=(2, 4), drop_path_rate=0.)
timm_class("densenet", "densenet", "DenseNet", growth_rate=4, block_config=(2, 2))
timm_class("poolformer", "metaformer", "MetaFormer", depths=(1, 1, 1, 1), dims=(8, 16, 16, 32), downsample_norm=None, mlp_act=lambda m: m.nn.GELU, mlp_bias=True,
           norm_layers=lambda m: m.GroupNorm1, layer_scale_init_values=1e-5, res_scale_init_values=None, use_mlp_head=False)
timm_model("coatnet", "coatnet_pico_rw_224", img_size=64, size=64, drop_path_rate=0.)
timm_model("levit", "levit_128s", img_size=64, size=64, embed_dim=(16, 24), num_heads=(2, 3), key_dim=8, depth=(1, 1))


def torchvision_model(name, size=32, **options):
    @model(f"torchvision/{name.replace('_', '-')}", "torchvision")
    def make():
        import torchvision

        from .pytorch import torch_loss

        loss, params = torch_loss(lambda: getattr(torchvision.models, name)(num_classes=CLASSES, **options), cross_entropy)
        return loss, params, inputs(image=normal(B, 3, size, size), label=integers(CLASSES, B))


torchvision_model("shufflenet_v2_x0_5")
torchvision_model("squeezenet1_1", dropout=0.)


@model("haiku/resnet", "haiku")
def haiku_resnet():
    import haiku as hk
    import jax
    import optax

    f = hk.transform_with_state(lambda x: hk.nets.ResNet(
        (1, 1, 1, 1), CLASSES, resnet_v2=True, bottleneck=False, channels_per_group=(8, 16, 16, 32), use_projection=(True, True, True, True))(x, is_training=True))
    params, state = f.init(jax.random.key(0), jnp.zeros((B, 32, 32, 3)))

    def loss(params, batch):
        logits, _ = f.apply(params, state, None, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    return loss, params, inputs(image=normal(B, 32, 32, 3), label=integers(CLASSES, B))


@model("haiku/vq-vae", "haiku")
def haiku_vqvae():
    import haiku as hk
    import jax

    def network(x):
        h = jax.nn.relu(hk.Conv2D(16, 4, stride=2)(x))
        h = hk.Conv2D(8, 4, stride=2)(h)
        q = hk.nets.VectorQuantizer(embedding_dim=8, num_embeddings=24, commitment_cost=0.25)(h, is_training=True)
        h = jax.nn.relu(hk.Conv2DTranspose(16, 4, stride=2)(q["quantize"]))
        return hk.Conv2DTranspose(3, 4, stride=2)(h), q["loss"]

    f = hk.without_apply_rng(hk.transform(network))

    def loss(params, batch):
        y, commitment = f.apply(params, batch["image"])
        return jnp.mean((y - batch["image"]) ** 2) + commitment

    return loss, f.init(jax.random.key(0), jnp.zeros((B, 16, 16, 3))), inputs(image=normal(B, 16, 16, 3))


@model("equinox/cnn", "equinox")
def equinox_cnn():
    import equinox as eqx
    import jax
    import optax

    keys = jax.random.split(jax.random.key(0), 4)
    network = eqx.nn.Sequential([
        eqx.nn.Conv2d(3, 8, 3, padding=1, key=keys[0]), eqx.nn.GroupNorm(4, 8), eqx.nn.Lambda(jax.nn.silu), eqx.nn.MaxPool2d(2, 2),
        eqx.nn.Conv2d(8, 16, 3, padding=1, key=keys[1]), eqx.nn.Lambda(jax.nn.silu), eqx.nn.AdaptiveAvgPool2d(4), eqx.nn.Lambda(jnp.ravel),
        eqx.nn.LayerNorm(256), eqx.nn.Linear(256, 32, key=keys[2]), eqx.nn.Lambda(jax.nn.relu), eqx.nn.Linear(32, CLASSES, key=keys[3])])
    params, static = eqx.partition(network, eqx.is_inexact_array)

    def loss(params, batch):
        logits = jax.vmap(eqx.combine(params, static))(batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    return loss, params, inputs(image=normal(B, 3, 16, 16), label=integers(CLASSES, B))


@model("flax/autoencoder", "flax (linen)")
def flax_autoencoder():
    import flax.linen as nn
    import jax

    class VAE(nn.Module):
        @nn.compact
        def __call__(self, x, noise):
            h = nn.relu(nn.Conv(8, (3, 3), strides=2)(x))
            h = nn.relu(nn.Conv(16, (3, 3), strides=2)(h)).reshape(x.shape[0], -1)
            mean, scale = nn.Dense(8)(h), nn.Dense(8)(h)
            z = nn.relu(nn.Dense(4 * 4 * 16)(mean + jnp.exp(0.5 * scale) * noise)).reshape(-1, 4, 4, 16)
            z = nn.relu(nn.ConvTranspose(8, (3, 3), strides=(2, 2))(z))
            return nn.ConvTranspose(1, (3, 3), strides=(2, 2))(z), mean, scale

    f = VAE()

    def loss(params, batch):
        x = batch["image"]
        y, mean, scale = f.apply(params, x, batch["noise"])
        divergence = -0.5 * (1 + scale - mean ** 2 - jnp.exp(scale)).sum(-1)
        likelihood = jax.nn.softplus(y) - jax.nn.sigmoid(x) * y
        return jnp.mean(likelihood.sum((1, 2, 3)) + divergence)

    return loss, f.init(jax.random.key(0), jnp.zeros((B, 16, 16, 1)), jnp.zeros((B, 8))), inputs(image=normal(B, 16, 16, 1), noise=normal(B, 8))
