# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of diffusers that denoise."""
import numpy as np
import torch

from . import B, WHOLE_BATCH, With, floats, ids, module


@module("diffusers/unet2d", "diffusion", 4)
def unet2d():
    import diffusers

    model = diffusers.UNet2DModel(sample_size=8, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32),
                                  down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
                                  norm_num_groups=8, attention_head_dim=8)
    return (With(model, lambda m, x, t, y: torch.nn.functional.mse_loss(m(x, t).sample, y)),
            lambda rng: {"x": floats(rng, B, 3, 8, 8), "t": ids(rng, B, below=1000), "y": floats(rng, B, 3, 8, 8)})


@module("diffusers/unet2d-condition", "diffusion", 8)
def unet_text():
    import diffusers

    model = diffusers.UNet2DConditionModel(sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(16, 32),
                                           down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                                           up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=16, norm_num_groups=8,
                                           attention_head_dim=4)
    return (With(model, lambda m, x, t, c, y: torch.nn.functional.mse_loss(m(x, t, c).sample, y)),
            lambda rng: {"x": floats(rng, B, 4, 8, 8), "t": ids(rng, B, below=1000), "c": floats(rng, B, 7, 16), "y": floats(rng, B, 4, 8, 8)})


@module("diffusers/dit", "diffusion", 2)
def dit():
    import diffusers

    model = diffusers.DiTTransformer2DModel(num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=4, num_layers=2, sample_size=8,
                                            patch_size=2, num_embeds_ada_norm=10, dropout=0)
    for block in model.transformer_blocks:  # Labels are dropped at random, of which this comparison wants nothing.
        block.norm1.emb.class_embedder.dropout_prob = 0.0
    return (With(model, lambda m, x, t, c, y: torch.nn.functional.mse_loss(m(x, timestep=t, class_labels=c).sample, y)),
            lambda rng: {"x": floats(rng, B, 4, 8, 8), "t": ids(rng, B, below=1000), "c": ids(rng, B, below=10), "y": floats(rng, B, 4, 8, 8)})


@module("diffusers/flux", "diffusion", 3)
def flux():
    import diffusers

    model = diffusers.FluxTransformer2DModel(patch_size=1, in_channels=8, num_layers=1, num_single_layers=2, attention_head_dim=16,
                                             num_attention_heads=2, joint_attention_dim=16, pooled_projection_dim=16, guidance_embeds=False,
                                             axes_dims_rope=(4, 6, 6))

    def loss(m, x, c, p, t, y):
        places = torch.zeros(x.shape[1], 3), torch.zeros(c.shape[1], 3)
        found = m(hidden_states=x, encoder_hidden_states=c, pooled_projections=p, timestep=t, img_ids=places[0], txt_ids=places[1])
        return torch.nn.functional.mse_loss(found.sample, y)
    return With(model, loss), lambda rng: {"x": floats(rng, B, 16, 8), "c": floats(rng, B, 5, 16), "p": floats(rng, B, 16),
                                           "t": rng.random(B).astype(np.float32), "y": floats(rng, B, 16, 8)}


def denoiser(name, attention, make, loss, why="", refused=None, **arrays):
    """A model of diffusers: `make` takes the library; `loss` takes the model and the entries of a batch; arrays: functions of a generator."""
    @module(f"diffusers/{name}", "diffusion", attention, why, refused)
    def build():
        import diffusers

        return With(make(diffusers), loss), lambda rng: {k: f(rng) for k, f in arrays.items()}


def normal(*shape):
    return lambda rng: floats(rng, B, *shape)


def times(rng):
    return ids(rng, B, below=1000)


def fractions(rng):
    return rng.random(B).astype(np.float32)


def square(found, wanted):
    return torch.nn.functional.mse_loss(found, wanted)


PICTURE = dict(x=normal(4, 8, 8), y=normal(4, 8, 8))
SOUND = dict(x=normal(4, 16), y=normal(4, 16))
FILM = dict(x=normal(4, 3, 8, 8), y=normal(4, 3, 8, 8))
WORDS = dict(c=normal(5, 16))

denoiser("autoencoder-kl", 2, lambda d: d.AutoencoderKL(in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D",) * 2,
         up_block_types=("UpDecoderBlock2D",) * 2,
         block_out_channels=(8,
         16), layers_per_block=1, latent_channels=4, norm_num_groups=4, sample_size=8), lambda m, x: square(m(x).sample, x), x=normal(3, 8, 8))
denoiser("vq-model", 2, lambda d: d.VQModel(in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D",) * 2,
         up_block_types=("UpDecoderBlock2D",) * 2, block_out_channels=(8, 16),
         layers_per_block=1, latent_channels=3, num_vq_embeddings=16, norm_num_groups=4), lambda m, x: square(m(x).sample, x), x=normal(3, 8, 8))
denoiser("autoencoder-dc", 0, lambda d: d.AutoencoderDC(in_channels=3, latent_channels=4, attention_head_dim=8, encoder_block_types=("ResBlock",
         "EfficientViTBlock"),
         decoder_block_types=("ResBlock", "EfficientViTBlock"), encoder_block_out_channels=(8, 16), decoder_block_out_channels=(8,
         16), encoder_layers_per_block=(1, 1), decoder_layers_per_block=(1, 1),
         encoder_qkv_multiscales=((), (5,)), decoder_qkv_multiscales=((), (5,))), lambda m, x: square(m(x).sample, x), x=normal(3, 8, 8))
denoiser("unet3d", 18, lambda d: d.UNet3DConditionModel(sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(8, 16),
         down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
         up_block_types=("UpBlock3D",
         "CrossAttnUpBlock3D"), cross_attention_dim=16, norm_num_groups=4, attention_head_dim=4), lambda m, x, t, c, y: square(m(x, t, c).sample, y), t=times, **FILM, **WORDS)
denoiser("pixart", 4, lambda d: d.PixArtTransformer2DModel(num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=4, num_layers=2,
         sample_size=8, patch_size=2, cross_attention_dim=16, caption_channels=16,
         norm_num_groups=4, use_additional_conditions=False), lambda m, x, t, c, y: square(m(x, encoder_hidden_states=c, timestep=t,
         added_cond_kwargs=dict(resolution=None, aspect_ratio=None)).sample, y), t=times, **PICTURE, **WORDS)
denoiser("sd3", 3, lambda d: d.SD3Transformer2DModel(sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8,
         num_attention_heads=4, joint_attention_dim=16, caption_projection_dim=32,
         pooled_projection_dim=16, out_channels=4, pos_embed_max_size=8, dual_attention_layers=(0,)), lambda m, x, t, c, p, y: square(m(x,
         encoder_hidden_states=c, pooled_projections=p, timestep=t).sample, y), t=times, p=normal(16), **PICTURE, **WORDS)
denoiser("aura-flow", 2, lambda d: d.AuraFlowTransformer2DModel(sample_size=8, patch_size=2, in_channels=4, num_mmdit_layers=1,
         num_single_dit_layers=1, attention_head_dim=8, num_attention_heads=4, caption_projection_dim=32,
         joint_attention_dim=16, out_channels=4, pos_embed_max_size=16), lambda m, x, t, c, y: square(m(x, encoder_hidden_states=c,
         timestep=t).sample, y), t=fractions, **PICTURE, **WORDS)
denoiser("sana", 2, lambda d: d.SanaTransformer2DModel(patch_size=1, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=4,
         num_attention_heads=2, num_cross_attention_heads=2, cross_attention_head_dim=4, cross_attention_dim=8,
         caption_channels=16, sample_size=8), lambda m, x, t, c, y: square(m(x, encoder_hidden_states=c,
         timestep=t).sample, y), t=times, **PICTURE, **WORDS)
denoiser("cogvideox", 2, lambda d: d.CogVideoXTransformer3DModel(num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=4,
         time_embed_dim=8, text_embed_dim=16, num_layers=2, sample_width=8, sample_height=8, sample_frames=9,
         patch_size=2, temporal_compression_ratio=4, max_text_seq_length=5), lambda m, x, t, c, y: square(m(x, c,
         t).sample, y), t=times, x=normal(3, 4, 8, 8), y=normal(3, 4, 8, 8), **WORDS)
# Its attention takes one sample after the other.
denoiser("mochi", 16, lambda d: d.MochiTransformer3DModel(patch_size=2, num_attention_heads=2, attention_head_dim=8, num_layers=2,
         pooled_projection_dim=16, in_channels=4, text_embed_dim=16, time_embed_dim=4, max_sequence_length=8),
         lambda m, x, t, c, y: square(m(x, c, t, torch.ones(x.shape[0], 5, dtype=torch.bool)).sample, y), t=times, **FILM, refused=WHOLE_BATCH, **WORDS)
denoiser("wan", 4, lambda d: d.WanTransformer3DModel(patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=12, in_channels=4,
         out_channels=4, text_dim=16, freq_dim=16, ffn_dim=32, num_layers=2, cross_attn_norm=True, qk_norm="rms_norm_across_heads", rope_max_seq_len=32),
         lambda m, x, t, c, y: square(m(x, t, c).sample, y), t=times, **FILM, **WORDS)
denoiser("ltx-video", 4, lambda d: d.LTXVideoTransformer3DModel(in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=8,
         cross_attention_dim=16, num_layers=2, caption_channels=16),
         lambda m, x, t, c, y: square(m(x, c, t, torch.ones(x.shape[0], 5, dtype=torch.bool), num_frames=2, height=2, width=4).sample,
         y), t=times, x=normal(16, 4), y=normal(16, 4), **WORDS)
denoiser("allegro", 4, lambda d: d.AllegroTransformer3DModel(num_attention_heads=2, attention_head_dim=12, in_channels=4, out_channels=4,
         num_layers=2, cross_attention_dim=24, sample_width=8, sample_height=8, sample_frames=3, caption_channels=16),
         lambda m, x, t, c, y: square(m(x, c, t, torch.ones(x.shape[0], 3, 8, 8), torch.ones(x.shape[0], 1, 5)).sample, y), t=times, **FILM, **WORDS)
denoiser("stable-audio", 4, lambda d: d.StableAudioDiTModel(sample_size=4, in_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=4,
         num_key_value_attention_heads=4, out_channels=4, cross_attention_dim=16, time_proj_dim=8,
         global_states_input_dim=16, cross_attention_input_dim=16), lambda m, x, t, c, p, y: square(m(x, t, c,
         p).sample, y), t=fractions, p=normal(1, 16), **SOUND, **WORDS)
denoiser("prior", 2, lambda d: d.PriorTransformer(num_attention_heads=2, attention_head_dim=8, num_layers=2, embedding_dim=16, num_embeddings=5,
         additional_embeddings=4), lambda m, x, t, c, p, y: square(m(x, t, p, c).predicted_image_embedding, y),
         t=times, x=normal(16), p=normal(16), y=normal(16), **WORDS)
denoiser("controlnet", 6, lambda d: d.ControlNetModel(in_channels=4, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), block_out_channels=(8,
         16), layers_per_block=1, cross_attention_dim=16, norm_num_groups=4, attention_head_dim=4,
         conditioning_embedding_out_channels=(4, 8)), lambda m, x, t, c, p, y: square(m(x, t, c, p, return_dict=False)[1].mean((1, 2, 3)), y[:, 0, 0,
         0]), t=times, p=normal(3, 16, 16), **PICTURE, **WORDS)
denoiser("transformer-temporal", 2, lambda d: d.TransformerTemporalModel(num_attention_heads=2,
         attention_head_dim=8, in_channels=8, num_layers=1, norm_num_groups=4), lambda m, x, y: square(m(x,
         num_frames=2).sample, y), x=normal(8, 4, 4), y=normal(8, 4, 4))
