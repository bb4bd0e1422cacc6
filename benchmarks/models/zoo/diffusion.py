# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of diffusers: denoisers and autoencoders."""
from . import inputs, integers, model, normal

B = 8


def denoise(m, image, noise, step, **more):
    """The loss of DDPM's training; noise is added by its linear schedule from 1e-4 to 0.02, here of continuous time."""
    time = (step.float() / 1000).reshape(-1, 1, 1, 1)
    kept = (-0.1 * time - 9.95 * time * time).exp()
    noisy = kept.sqrt() * image + (1 - kept).sqrt() * noise
    return ((m(noisy, step, **more).sample[:, :noise.shape[1]] - noise) ** 2).mean()


@model("diffusers/unet", "diffusers")
def unet():
    import diffusers

    from .pytorch import torch_loss

    loss, params = torch_loss(lambda: diffusers.UNet2DModel(
        sample_size=16, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, attention_head_dim=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D")), denoise)
    return loss, params, inputs(image=normal(B, 3, 16, 16), noise=normal(B, 3, 16, 16), step=integers(1000, B))


@model("diffusers/unet-text", "diffusers")
def unet_text():
    import diffusers

    from .pytorch import torch_loss

    loss, params = torch_loss(
        lambda: diffusers.UNet2DConditionModel(
            sample_size=8, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, attention_head_dim=4, cross_attention_dim=12,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D")),
        lambda m, image, noise, step, text: denoise(m, image, noise, step, encoder_hidden_states=text))
    return loss, params, inputs(image=normal(B, 4, 8, 8), noise=normal(B, 4, 8, 8), step=integers(1000, B), text=normal(B, 5, 12))


@model("diffusers/dit", "diffusers")
def dit():
    import diffusers

    from .pytorch import torch_loss

    loss, params = torch_loss(
        lambda: diffusers.DiTTransformer2DModel(num_attention_heads=4, attention_head_dim=8, in_channels=4, out_channels=4, num_layers=2, sample_size=8,
                                                norm_num_groups=4, num_embeds_ada_norm=1000, dropout=0.),
        lambda m, image, noise, step, label: denoise(m.eval(), image, noise, step, class_labels=label))
    return loss, params, inputs(image=normal(B, 4, 8, 8), noise=normal(B, 4, 8, 8), step=integers(1000, B), label=integers(1000, B))


@model("diffusers/autoencoder-kl", "diffusers")
def autoencoder_kl():
    import diffusers

    from .pytorch import torch_loss

    def likelihood(m, image, noise):
        latent = m.encode(image).latent_dist
        z = latent.mean + latent.std * noise
        return ((m.decode(z).sample - image) ** 2).mean() + 1e-3 * latent.kl().mean()

    loss, params = torch_loss(lambda: diffusers.AutoencoderKL(block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, latent_channels=2,
                                                              down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2), likelihood)
    return loss, params, inputs(image=normal(B, 3, 16, 16), noise=normal(B, 2, 8, 8))
