#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules of other libraries, trained by the Python package on meshes and held against PyTorch in float64.

    python benchmarks/models/torch_modules.py [--out build/torch-modules] [--again] [--failed] [--plans 'data=2;4'] [--table FILE.md] [NAME-GLOB...]

One line a plan: ok, or what is wrong. A loss of three AdamW steps may be off by 1e-6 (relative), or ten times what PyTorch's own
float32 training is off by, whichever is larger. Weights are random and dropout is off. Needs the packages zcc, torch and those in
requirements-torch.txt. What has a result in --out is not run again. Exit status 1 if anything is wrong or unexplained.
"""
import argparse
import contextlib
import copy
import fnmatch
import json
import math
import os
import sys
import time
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
import tables  # noqa: E402
import zcc  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STEPS, LIMIT, SLACK = 3, 1e-6, 10
ADAMW = dict(lr=1e-2, b1=.9, b2=.95, eps=1e-8, weight_decay=.1)
PLANS = {
    "1": {},
    "data=2": dict(mesh="data=2"),
    "data=2,tensor=2 ZeRO 3": dict(mesh="data=2,tensor=2", zero=3),
    "pipe=2, 4 microbatches": dict(mesh="pipe=2", microbatches=4),
    "4": dict(mesh="4"),
}
MARKS = "<!-- table: benchmarks/models/torch_modules.py -->", "<!-- end of table of modules -->"
MODULES = {}
B, S, V = 8, 16, 96


class Case:
    """A module's name, library and domain, and a function that returns it and a function of a numpy Generator to a batch.

    attention: the number of attentions that its forward pass computes. why: why some of them are not recognized.
    refused: what a refusal of a plan must say, by plan, for plans that the module cannot have.
    """

    def __init__(self, name, domain, make, attention, why, refused):
        self.name, self.library, self.domain, self.make = name, name.partition("/")[0], domain, make
        self.attention, self.why, self.refused = attention, why, refused


def module(name, domain, attention=0, why="", refused=None):
    def add(make):
        MODULES[name] = Case(name, domain, make, attention, why, refused or {})
        return make
    return add


# Plans with microbatches do not take models with statistics of the whole batch.
WHOLE_BATCH = {"pipe=2, 4 microbatches": "batch"}


class With(torch.nn.Module):
    """A module whose forward pass is loss(module, **batch)."""

    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, **batch):
        return self.loss(self.model, **batch)


def ids(rng, *shape, below=V):
    return rng.integers(0, below, shape or (B, S))


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


# ---------------------------------------------------------------- text

def causal(name, config, cls, attention=2, why="", **options):
    """A causal language model of transformers, with its own loss of shifted labels."""
    @module(f"transformers/{name}", "text", attention, why)
    def make():
        import transformers

        model = getattr(transformers, cls)(getattr(transformers, config)(vocab_size=V, use_cache=False, **options))

        def batch(rng):
            x = ids(rng)
            return {"input_ids": x, "labels": x}
        return model, batch


SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=32,
             pad_token_id=0, bos_token_id=1, eos_token_id=2)
GROUPED = dict(SMALL, num_key_value_heads=2)
causal("llama", "LlamaConfig", "LlamaForCausalLM", **GROUPED)
causal("gpt2", "GPT2Config", "GPT2LMHeadModel", n_layer=2, n_embd=32, n_head=4, n_positions=32, resid_pdrop=0, embd_pdrop=0,
       attn_pdrop=0, bos_token_id=1, eos_token_id=2)
causal("qwen3", "Qwen3Config", "Qwen3ForCausalLM", **GROUPED, head_dim=8, tie_word_embeddings=True)
causal("gemma3", "Gemma3TextConfig", "Gemma3ForCausalLM", **GROUPED, head_dim=8, sliding_window=8,
       layer_types=["sliding_attention", "full_attention"])
causal("phi3", "Phi3Config", "Phi3ForCausalLM", **GROUPED)
causal("opt", "OPTConfig", "OPTForCausalLM", hidden_size=32, word_embed_proj_dim=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64,
       max_position_embeddings=32, dropout=0, layerdrop=0, pad_token_id=1, bos_token_id=2, eos_token_id=2)
causal("mamba2", "Mamba2Config", "Mamba2ForCausalLM", 0, hidden_size=32, num_hidden_layers=2, num_heads=4, head_dim=16, state_size=8,
       n_groups=1, expand=2, chunk_size=8, pad_token_id=0, bos_token_id=1, eos_token_id=2)
causal("mixtral", "MixtralConfig", "MixtralForCausalLM", **GROUPED, num_local_experts=4, num_experts_per_tok=2)
causal("qwen3-moe", "Qwen3MoeConfig", "Qwen3MoeForCausalLM", **GROUPED, head_dim=8, num_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=32, decoder_sparse_step=1)
causal("deepseek-v3", "DeepseekV3Config", "DeepseekV3ForCausalLM", **SMALL, num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=16, first_k_dense_replace=1, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=4, qk_nope_head_dim=8,
       v_head_dim=8, n_group=2, topk_group=1)
causal("gpt-oss", "GptOssConfig", "GptOssForCausalLM", why="the softmax has one more column than there are keys, a learned sink", **GROUPED, head_dim=8, num_local_experts=4, num_experts_per_tok=2, sliding_window=8,
       layer_types=["sliding_attention", "full_attention"])

causal("llama4", "Llama4TextConfig", "Llama4ForCausalLM", **GROUPED, head_dim=8, intermediate_size_mlp=64, num_local_experts=4,
       num_experts_per_tok=1, attention_chunk_size=8)
causal("rwkv", "RwkvConfig", "RwkvForCausalLM", 0, context_length=32, hidden_size=32, num_hidden_layers=2, attention_hidden_size=32,
       intermediate_size=64, bos_token_id=1, eos_token_id=2)
causal("qwen3-next", "Qwen3NextConfig", "Qwen3NextForCausalLM", 1, **GROUPED, head_dim=8, linear_num_value_heads=4, linear_num_key_heads=2,
       linear_key_head_dim=8, linear_value_head_dim=8, linear_conv_kernel_dim=4, num_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=16, shared_expert_intermediate_size=16, layer_types=["linear_attention", "full_attention"])
causal("recurrent-gemma", "RecurrentGemmaConfig", "RecurrentGemmaForCausalLM", 1, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
       intermediate_size=64, lru_width=32, attention_window_size=8, block_types=["recurrent", "attention"], pad_token_id=0, bos_token_id=1,
       eos_token_id=2)
causal("xlstm", "xLSTMConfig", "xLSTMForCausalLM", 0, hidden_size=32, num_hidden_layers=2, num_blocks=2, num_heads=2, chunk_size=8,
       pad_token_id=0, bos_token_id=1, eos_token_id=2)
causal("bloom", "BloomConfig", "BloomForCausalLM", 2, hidden_size=32, n_layer=2, n_head=4, hidden_dropout=0, attention_dropout=0,
       pad_token_id=0, bos_token_id=1, eos_token_id=2)


@module("transformers/bert", "text", 2)
def bert():
    import transformers

    config = transformers.BertConfig(vocab_size=V, hidden_dropout_prob=0, attention_probs_dropout_prob=0, **SMALL)

    def batch(rng):
        x = ids(rng)
        return {"input_ids": x, "attention_mask": (rng.integers(S // 2, S + 1, (B, 1)) > np.arange(S)).astype(np.int64),
                "labels": np.where(rng.random((B, S)) < .3, x, -100)}
    return transformers.BertForMaskedLM(config), batch


@module("transformers/modernbert", "text", 2)
def modernbert():
    import transformers

    config = transformers.ModernBertConfig(vocab_size=V, **SMALL, local_attention=8, global_attn_every_n_layers=2, cls_token_id=1,
                                           sep_token_id=2, num_labels=5)
    return transformers.ModernBertForSequenceClassification(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, below=5)}


@module("transformers/deberta-v2", "text", 2, "relative positions are added to the scores as gathered products")
def deberta():
    import transformers

    config = transformers.DebertaV2Config(vocab_size=V, hidden_dropout_prob=0, attention_probs_dropout_prob=0, relative_attention=True,
                                          pos_att_type=["p2c", "c2p"], **SMALL)
    return transformers.DebertaV2ForMaskedLM(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng)}


def labeled(name, config, cls, attention=2, why="", **options):
    """A model of transformers that gives each token a label."""
    @module(f"transformers/{name}", "text", attention, why)
    def make():
        import transformers

        model = getattr(transformers, cls)(getattr(transformers, config)(vocab_size=V, **options))
        return model, lambda rng: {"input_ids": ids(rng), "labels": ids(rng)}


WITHOUT_DROPOUT = dict(hidden_dropout_prob=0, attention_probs_dropout_prob=0)
labeled("xlnet", "XLNetConfig", "XLNetForTokenClassification", num_labels=V, d_model=32, n_layer=2, n_head=4, d_inner=64, dropout=0,
        summary_last_dropout=0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
labeled("fnet", "FNetConfig", "FNetForMaskedLM", 0, hidden_size=32, num_hidden_layers=2, intermediate_size=64, max_position_embeddings=32,
        hidden_dropout_prob=0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
labeled("bigbird", "BigBirdConfig", "BigBirdForMaskedLM", **dict(SMALL, max_position_embeddings=64), **WITHOUT_DROPOUT,
        attention_type="block_sparse", block_size=2, num_random_blocks=1)
labeled("perceiver", "PerceiverConfig", "PerceiverForMaskedLM", 3, d_model=32, d_latents=32, num_latents=8, num_blocks=1,
        num_self_attends_per_block=2, num_self_attention_heads=4, num_cross_attention_heads=4, max_position_embeddings=S,
        attention_probs_dropout_prob=0)


# ---------------------------------------------------------------- encoder and decoder

@module("transformers/t5", "encoder-decoder", 6)
def t5():
    import transformers

    config = transformers.T5Config(vocab_size=V, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0, use_cache=False,
                                   decoder_start_token_id=0, pad_token_id=0)
    return transformers.T5ForConditionalGeneration(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, 12)}


@module("transformers/bart", "encoder-decoder", 6)
def bart():
    import transformers

    config = transformers.BartConfig(vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                                     decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=32, dropout=0,
                                     attention_dropout=0, activation_dropout=0, use_cache=False, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                     decoder_start_token_id=2, forced_eos_token_id=2)
    return transformers.BartForConditionalGeneration(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, 12)}


# ---------------------------------------------------------------- audio

@module("transformers/whisper", "audio", 6)
def whisper():
    import transformers

    config = transformers.WhisperConfig(vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                                        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=10, max_source_positions=16,
                                        max_target_positions=16, dropout=0, use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                        decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)
    model = transformers.WhisperForConditionalGeneration(config)
    return model, lambda rng: {"input_features": floats(rng, B, 10, 32), "labels": ids(rng, B, 12)}


WAVES = dict(conv_dim=(16, 16), conv_kernel=(10, 3), conv_stride=(5, 2), num_feat_extract_layers=2, num_conv_pos_embeddings=16,
             num_conv_pos_embedding_groups=4, hidden_dropout=0, attention_dropout=0, activation_dropout=0, feat_proj_dropout=0, layerdrop=0,
             mask_time_prob=0, mask_feature_prob=0, num_labels=5, classifier_proj_size=16, final_dropout=0)


@module("transformers/wav2vec2", "audio", 2)
def wav2vec2():
    import transformers

    model = transformers.Wav2Vec2ForSequenceClassification(transformers.Wav2Vec2Config(**SMALL, **WAVES))
    return model, lambda rng: {"input_values": floats(rng, B, 320), "labels": ids(rng, B, below=5)}


@module("transformers/hubert", "audio", 2)
def hubert():
    import transformers

    model = transformers.HubertForSequenceClassification(transformers.HubertConfig(**SMALL, **WAVES))
    return model, lambda rng: {"input_values": floats(rng, B, 320), "labels": ids(rng, B, below=5)}


@module("transformers/wavlm", "audio", 2)
def wavlm():
    import transformers

    model = transformers.WavLMForSequenceClassification(transformers.WavLMConfig(**SMALL, **WAVES))
    return model, lambda rng: {"input_values": floats(rng, B, 320), "labels": ids(rng, B, below=5)}


@module("transformers/wav2vec2-ctc", "audio", 2)
def wav2vec2_ctc():
    import transformers

    model = transformers.Wav2Vec2ForCTC(transformers.Wav2Vec2Config(vocab_size=12, ctc_loss_reduction="mean", **SMALL, **WAVES))
    return model, lambda rng: {"input_values": floats(rng, B, 320), "labels": 1 + ids(rng, B, 6, below=10)}


@module("transformers/encodec", "audio")
def encodec():
    import transformers

    model = transformers.EncodecModel(transformers.EncodecConfig(hidden_size=16, num_filters=4, upsampling_ratios=[4, 2], codebook_size=16,
                                                                 codebook_dim=16, num_lstm_layers=1, target_bandwidths=[24.0]))
    return With(model, lambda m, x: ((m(x, bandwidth=24.0).audio_values - x) ** 2).mean()), lambda rng: {"x": floats(rng, B, 1, 64)}


# ---------------------------------------------------------------- vision

@module("transformers/vit", "vision", 2)
def vit():
    import transformers

    config = transformers.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4,
                                    hidden_dropout_prob=0, attention_probs_dropout_prob=0, num_labels=10)
    model = transformers.ViTForImageClassification(config)
    return model, lambda rng: {"pixel_values": floats(rng, B, 3, 16, 16), "labels": ids(rng, B, below=10)}


@module("transformers/clip", "vision and text", 4, refused=WHOLE_BATCH)  # Its loss compares every picture with every text.
def clip():
    import transformers

    part = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
    config = transformers.CLIPConfig(text_config=dict(part, vocab_size=V, max_position_embeddings=S, pad_token_id=0, bos_token_id=1, eos_token_id=2),
                                     vision_config=dict(part, image_size=16, patch_size=4), projection_dim=16)
    return transformers.CLIPModel(config), lambda rng: {"input_ids": ids(rng), "pixel_values": floats(rng, B, 3, 16, 16), "return_loss": True}


@module("transformers/llava", "vision and text", 4, refused=WHOLE_BATCH)  # Pictures fill the places of the whole batch in order.
def llava():
    import transformers

    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16,
                                                    patch_size=4),
        text_config=transformers.LlamaConfig(vocab_size=V, use_cache=False, **dict(GROUPED, max_position_embeddings=64)), image_token_id=V - 1,
        vision_feature_layer=-1)

    def batch(rng):
        x = ids(rng, B, 24, below=V - 1)
        x[:, 2:18] = V - 1
        return {"input_ids": x, "pixel_values": floats(rng, B, 3, 16, 16), "labels": np.where(x == V - 1, -100, x)}
    return transformers.LlavaForConditionalGeneration(config), batch


@module("transformers/detr", "vision", 6, "its mask is compared beside the dims of the scores")
def detr():
    import transformers

    backbone = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", out_features=["stage2"])
    config = transformers.DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, num_queries=6,
                                     d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
                                     encoder_ffn_dim=64, decoder_ffn_dim=64, dropout=0, attention_dropout=0, activation_dropout=0)
    return (With(transformers.DetrModel(config), lambda m, x, y: ((m(x).last_hidden_state - y) ** 2).mean()),
            lambda rng: {"x": floats(rng, B, 3, 32, 32), "y": floats(rng, B, 6, 32)})


@module("transformers/segformer", "vision", 2, refused=WHOLE_BATCH)
def segformer():
    import transformers

    config = transformers.SegformerConfig(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32], patch_sizes=[7, 3],
                                          strides=[2, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2], hidden_dropout_prob=0,
                                          attention_probs_dropout_prob=0, classifier_dropout_prob=0, drop_path_rate=0, decoder_hidden_size=16,
                                          num_labels=5)
    model = transformers.SegformerForSemanticSegmentation(config)
    return model, lambda rng: {"pixel_values": floats(rng, B, 3, 32, 32), "labels": ids(rng, B, 32, 32, below=5)}


@module("transformers/vit-mae", "vision", 4)
def vit_mae():
    import transformers

    config = transformers.ViTMAEConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4,
                                       **WITHOUT_DROPOUT, decoder_num_attention_heads=4, decoder_hidden_size=32, decoder_num_hidden_layers=2,
                                       decoder_intermediate_size=64)
    model = transformers.ViTMAEForPreTraining(config)  # The noise says which patches are masked.
    return model, lambda rng: {"pixel_values": floats(rng, B, 3, 16, 16), "noise": rng.random((B, 16)).astype(np.float32)}


def pictures(name, build, attention=0, why="", size=32, refused=None):
    """A classifier of pictures."""
    @module(name, "vision", attention, why, refused)
    def make():
        model = With(build(), lambda m, x, y: torch.nn.functional.cross_entropy(m(x), y))
        return model, lambda rng: {"x": floats(rng, B, 3, size, size), "y": ids(rng, B, below=10)}


def timm_model(name, **options):
    def build():
        import timm

        return timm.create_model(name, num_classes=10, **options)
    return build


def small_efficientnet():
    import timm

    args = [["ds_r1_k3_s1_e1_c8"], ["ir_r2_k3_s2_e4_c8_se0.25"], ["ir_r1_k5_s2_e4_c16_se0.25"]]
    blocks = timm.models._efficientnet_builder.decode_arch_def(args)
    return timm.models.efficientnet.EfficientNet(blocks, num_classes=10, num_features=32, stem_size=8)


def small_regnet():
    import timm

    return timm.models.regnet.RegNet(timm.models.regnet.RegNetCfg(depth=6, w0=16, wa=16.0, wm=2.0, group_size=8, se_ratio=.25, stem_width=8), num_classes=10)


def small_mixer():
    import timm

    return timm.models.mlp_mixer.MlpMixer(num_classes=10, img_size=16, patch_size=4, embed_dim=32, num_blocks=2)


pictures("timm/resnet", timm_model("resnet10t", stem_width=8, channels=(8, 8, 16, 16)), size=64, refused=WHOLE_BATCH)
pictures("timm/convnext", timm_model("convnext_atto", depths=(1, 1, 1, 1), dims=(8, 16, 16, 32)))
pictures("timm/efficientnet", small_efficientnet, size=64, refused=WHOLE_BATCH)
pictures("timm/regnet", small_regnet, size=64, refused=WHOLE_BATCH)
pictures("timm/swin", timm_model("swin_tiny_patch4_window7_224", img_size=32, window_size=4, embed_dim=16, depths=(2, 2), num_heads=(2, 4),
                                 drop_path_rate=0), 4)
pictures("timm/vit", timm_model("vit_tiny_patch16_224", img_size=16, patch_size=4, embed_dim=32, depth=2, num_heads=4), 2, size=16)
pictures("timm/mixer", small_mixer, size=16)


@module("torchvision/fcn-resnet", "vision", refused=WHOLE_BATCH)
def fcn():
    import torchvision

    backbone = torchvision.models.resnet.ResNet(torchvision.models.resnet.BasicBlock, [1, 1, 1, 1], width_per_group=64)
    backbone = torchvision.models._utils.IntermediateLayerGetter(backbone, {"layer2": "out"})
    head = torchvision.models.segmentation.fcn.FCNHead(128, 5)
    head[3].p = 0.0
    model = torchvision.models.segmentation.FCN(backbone, head)
    return (With(model, lambda m, x, y: torch.nn.functional.cross_entropy(m(x)["out"], y)),
            lambda rng: {"x": floats(rng, B, 3, 32, 32), "y": ids(rng, B, 32, 32, below=5)})


@module("torchvision/swin-v2", "vision", 2, "scores are cosines that a learned factor scales")
def swin_v2():
    import torchvision

    model = torchvision.models.swin_transformer.SwinTransformer(patch_size=[4, 4], embed_dim=16, depths=[2], num_heads=[2], window_size=[4, 4],
                                                                stochastic_depth_prob=0, num_classes=10,
                                                                block=torchvision.models.swin_transformer.SwinTransformerBlockV2)
    return (With(model, lambda m, x, y: torch.nn.functional.cross_entropy(m(x), y)),
            lambda rng: {"x": floats(rng, B, 3, 32, 32), "y": ids(rng, B, below=10)})


# ---------------------------------------------------------------- diffusion

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


# ---------------------------------------------------------------- adapters

def adapter(name, config, **options):
    """A small Llama with an adapter."""
    @module(f"peft/{name}-llama", "text", 2)
    def make():
        import peft
        import transformers

        base = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=V, use_cache=False, **GROUPED))
        model = peft.get_peft_model(base, getattr(peft, config)(**options))

        def batch(rng):
            x = ids(rng)
            return {"input_ids": x, "labels": x}
        return model, batch


ADAPTED = ["q_proj", "v_proj", "down_proj"]
adapter("lora", "LoraConfig", r=4, lora_alpha=8, lora_dropout=0, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("loha", "LoHaConfig", r=4, alpha=8, target_modules=ADAPTED)
adapter("lokr", "LoKrConfig", r=4, alpha=8, target_modules=ADAPTED)
adapter("oft", "OFTConfig", oft_block_size=4, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("prompt", "PromptTuningConfig", num_virtual_tokens=4, task_type="CAUSAL_LM")
adapter("prefix", "PrefixTuningConfig", num_virtual_tokens=4, task_type="CAUSAL_LM")


# ---------------------------------------------------------------- graphs

NODES, EDGES = 48, 160


def graph(name, build, why=""):
    """A classifier of nodes; edges are an input."""
    @module(f"torch-geometric/{name}", "graphs", refused=WHOLE_BATCH)
    def make():
        import torch_geometric

        model = With(build(torch_geometric.nn), lambda m, x, edge_index, y: torch.nn.functional.cross_entropy(m(x, edge_index), y))
        return model, lambda rng: {"x": floats(rng, NODES, 8), "edge_index": ids(rng, 2, EDGES, below=NODES), "y": ids(rng, NODES, below=5)}


graph("gcn", lambda nn: nn.GCN(8, 16, num_layers=2, out_channels=5))
graph("gat", lambda nn: nn.GAT(8, 16, num_layers=2, out_channels=5, heads=2))
graph("gin", lambda nn: nn.GIN(8, 16, num_layers=2, out_channels=5, norm=None))
graph("sage", lambda nn: nn.GraphSAGE(8, 16, num_layers=2, out_channels=5))


# ---------------------------------------------------------------- training by PyTorch

class InFloat64(TorchDispatchMode):
    """Makes float64 of what a module asks to have in float32, such as its norms and its loss."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("dtype") == torch.float32:
            kwargs["dtype"] = torch.float64
        return function(*args, **kwargs)


def torch_losses(model, batches, dtype):
    """Returns the losses of AdamW by PyTorch; weights of rank above 1 decay."""
    with InFloat64() if dtype == torch.float64 else contextlib.nullcontext():
        return _torch_losses(model, batches, dtype)


def _torch_losses(model, batches, dtype):
    model = copy.deepcopy(model).to(dtype)
    for part in model.modules():  # The other forms of transformers' experts lack float64.
        if hasattr(getattr(part, "config", None), "_experts_implementation"):
            part.config._experts_implementation = "eager"
    trained = {n: p for n, p in model.named_parameters() if p.requires_grad}
    first, second = ({n: torch.zeros_like(p) for n, p in trained.items()} for _ in range(2))
    losses = []
    for step, batch in enumerate(batches, 1):
        given = {k: torch.tensor(x) if isinstance(x, np.ndarray) else x for k, x in batch.items()}
        given = {k: x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() else x for k, x in given.items()}
        model.zero_grad()
        found = model(**given)
        found = found if isinstance(found, torch.Tensor) else found.loss
        found.backward()
        losses.append(float(found.detach()))
        with torch.no_grad():
            for n, p in trained.items():
                g = torch.zeros_like(p) if p.grad is None else p.grad
                first[n].mul_(ADAMW["b1"]).add_(g, alpha=1 - ADAMW["b1"])
                second[n].mul_(ADAMW["b2"]).addcmul_(g, g, value=1 - ADAMW["b2"])
                moved = first[n] / (1 - ADAMW["b1"] ** step) / ((second[n] / (1 - ADAMW["b2"] ** step)).sqrt() + ADAMW["eps"])
                p.mul_(1 - ADAMW["lr"] * (ADAMW["weight_decay"] if p.ndim > 1 else 0)).sub_(moved, alpha=ADAMW["lr"])
    return losses


def off(got, want):
    """Returns the largest relative error."""
    if len(got) != len(want) or not all(math.isfinite(x) for x in got):
        return math.inf
    return max(abs(a - b) / max(abs(b), 1e-12) for a, b in zip(got, want))


# ---------------------------------------------------------------- training by zcc

def facts_of(case, model, batches, options):
    """Returns what is the same for all plans: parameters, references, attention, seconds of the export."""
    begin = time.process_time()
    from zcc._frontend import Model
    text = Model(model, None, batches[0], None, trains=True).traced.text
    export = time.process_time() - begin
    with open(os.path.join(options.out, case.name.replace("/", "-") + ".mlir"), "w") as f:
        f.write(text)
    wide, own = torch_losses(model, batches, torch.float64), torch_losses(model, batches, torch.float32)
    return {"parameters": sum(p.numel() for p in model.parameters()), "float64": wide, "float32": own, "own": off(own, wide), "export": export,
            "lines": text.count("\n")}


def run_plan(case, model, batches, facts, plan):
    """Returns how one plan of a module went."""
    begin = time.process_time()
    try:
        with zcc.compile(model, batches[0], optimizer=zcc.AdamW(**ADAMW), quiet=True, cache=False, **PLANS[plan]) as step:
            seconds = time.process_time() - begin - facts["export"]
            report, messages = step.report, str(step.messages)
            losses = [step(b).loss for b in batches]
    except zcc.Error as error:
        expected = case.refused.get(plan)
        return {"status": "refused" if expected and expected in str(error) else "ERROR", "said": str(error)[:3000]}
    error, limit = off(losses, facts["float64"]), max(LIMIT, SLACK * facts["own"])
    attention = report.get("attention", {"recognized": 0, "left": []})
    return {"status": "ok" if error <= limit else "wrong", "attention": attention, "error": error, "executed": report["flops"]["executed"] / max(1, report["flops"]["model"]),
            "compile": max(0.0, seconds), "mesh": report["mesh"], "losses": losses, "said": messages[:3000]}


def run(case, options):
    """Runs the plans of a module that have no result yet. Returns True if everything is as it should be."""
    path = os.path.join(options.out, case.name.replace("/", "-") + ".json")
    known = {"plans": {}}
    if os.path.exists(path) and not options.again:
        with open(path) as f:
            known = json.load(f)
    wanted = [p for p in PLANS if not options.plans or p in options.plans.split(";")]
    missing = [p for p in wanted if p not in known["plans"] or options.failed and known["plans"][p]["status"] not in ("ok", "refused")]
    fine = True
    if missing or "facts" not in known:
        torch.manual_seed(0)
        try:
            model, batch = case.make()
            model.train()
            rng = np.random.default_rng(0)
            batches = [batch(rng) for _ in range(STEPS)]
            if "facts" not in known or options.failed:
                known["facts"] = facts_of(case, model, batches, options)
        except Exception as error:
            print(f"NO TEXT  {case.name}: {type(error).__name__}: {str(error)[:1500]}", flush=True)
            return False
    facts = known["facts"]
    print(f"{case.name}: {facts['parameters']} parameters, PyTorch's float32 off by {facts['own']:.1e}, export {facts['export']:.1f} s", flush=True)
    for plan in wanted:
        if plan in missing:
            known["plans"][plan] = run_plan(case, model, batches, facts, plan)
            with open(path, "w") as f:
                json.dump(known, f, indent=1)
        row = known["plans"][plan]
        text = (f"loss off by {row['error']:.1e}, executed/model {row['executed']:.2f}, compiled in {row['compile']:.1f} s, {row['mesh']}"
                if "error" in row else row["said"].replace("\n", " | ")[:600])
        print(f"  {row['status']:8} {plan:24} {text}", flush=True)
        fine &= row["status"] in ("ok", "refused")
    seen, reasons = attention_of(case, known)
    if case.attention:
        print(f"  attention: {seen} of {case.attention}" + "".join(f"; {r}" for r in reasons), flush=True)
    return fine and (seen >= case.attention or bool(reasons))


def attention_of(case, known):
    """Returns how many attentions zcc recognizes, and why it leaves others: by its report, else by the registry."""
    found = next((r["attention"] for r in known["plans"].values() if "attention" in r), {"recognized": 0, "left": []})
    reasons = [f"{left['why']}" + (f" ({left['op']})" if left["op"] else "") for left in found["left"]]
    seen = min(found["recognized"], case.attention)
    return seen, [] if seen >= case.attention else sorted(set(reasons)) or [case.why] * bool(case.why)


def table(options):
    reasons = []
    lines = ["| module | domain | parameters | attention | PyTorch's float32 | worst loss error | " + " | ".join(PLANS) + " | export | compiled in |",
             "|" + "---|" * (8 + len(PLANS))]
    for case in MODULES.values():
        path = os.path.join(options.out, case.name.replace("/", "-") + ".json")
        if not os.path.exists(path):
            continue
        with open(path) as f:
            known = json.load(f)
        facts, rows = known["facts"], known["plans"]
        ran = [r for r in rows.values() if "error" in r]
        worst = f"{max(r['error'] for r in ran):.0e}" if ran else ""
        slowest = f"{max(r['compile'] for r in ran):.1f} s" if ran else ""
        cells = [f"{r['executed']:.2f}" if r["status"] == "ok" else r["status"] for r in (rows.get(p, {"status": ""}) for p in PLANS)]
        seen, why = attention_of(case, known)
        reasons += [f"- `{case.name}`: {r}." for r in why]
        seen = f"{seen} of {case.attention}" if case.attention else ""
        lines.append(f"| {case.name} | {case.domain} | {facts['parameters']:,} | {seen} | {facts['own']:.0e} | {worst} | {' | '.join(cells)} | "
                     f"{facts['export']:.1f} s | {slowest} |")
    return "\n".join([*lines, "", "Attention is not recognized in:", "", *reasons])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "torch-modules"), help="folder for texts and results")
    parser.add_argument("--plans", help="only these, separated by semicolons: " + "; ".join(PLANS))
    parser.add_argument("--again", action="store_true", help="also what has a result in --out")
    parser.add_argument("--failed", action="store_true", help="also what has a result that is not as it should be")
    parser.add_argument("--table", help="a Markdown file whose table is renewed")
    parser.add_argument("--only-table", action="store_true", help="run nothing")
    parser.add_argument("names", nargs="*", help="globs of modules")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    torch.set_num_threads(1)
    cases = [c for c in MODULES.values() if not options.names or any(fnmatch.fnmatch(c.name, g) for g in options.names)]
    bad = [] if options.only_table else [c.name for c in cases if not run(c, options)]
    if options.table:
        tables.renew(options.table, MARKS, table(options))
    print(f"{len(cases) - len(bad)} passed, {len(bad)} failed" + (": " + ", ".join(bad) if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
