# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers that read pictures and texts, time series, trajectories or tables."""
import numpy as np
import torch

from . import B, S, V, WHOLE_BATCH, With, floats, ids, module
from .text import GROUPED, SMALL, WITHOUT_DROPOUT

PART = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
SEES = dict(PART, image_size=16, patch_size=4)
READS = dict(PART, vocab_size=V, max_position_embeddings=S, pad_token_id=0, bos_token_id=1, eos_token_id=2)


def pairs(name, prefix, refused=WHOLE_BATCH, text=READS, vision=SEES, **options):
    """A model whose loss compares every picture with every text."""
    @module(f"transformers/{name}", "vision and text", 4, refused=refused)
    def make():
        import transformers

        config = getattr(transformers, f"{prefix}Config")(text_config=dict(text), vision_config=dict(vision), **options)
        model = getattr(transformers, f"{prefix}Model")(config)
        return model, lambda rng: {"input_ids": ids(rng), "pixel_values": floats(rng, B, 3, 16, 16), "return_loss": True}


pairs("siglip", "Siglip")
pairs("chinese-clip", "ChineseCLIP", text=dict(READS, **WITHOUT_DROPOUT), projection_dim=16)
pairs("metaclip-2", "MetaClip2", projection_dim=16)
pairs("altclip", "AltCLIP", text=dict(READS, **WITHOUT_DROPOUT, project_dim=16, max_position_embeddings=32), projection_dim=16)
pairs("owlvit", "OwlViT", projection_dim=16)


@module("transformers/blip", "vision and text", 6)
def blip():
    import transformers

    config = transformers.BlipConfig(text_config=dict(READS, **WITHOUT_DROPOUT, encoder_hidden_size=32, hidden_act="gelu", sep_token_id=2),
                                     vision_config=SEES, projection_dim=16)
    return (transformers.BlipForConditionalGeneration(config), lambda rng: {"input_ids": (x := ids(rng)), "labels": x, "pixel_values": floats(rng, B,
            3, 16, 16)})


@module("transformers/git", "vision and text", 4)
def git():
    import transformers

    config = transformers.GitConfig(vision_config=SEES, **dict(READS, max_position_embeddings=32), **WITHOUT_DROPOUT)
    return (transformers.GitForCausalLM(config), lambda rng: {"input_ids": (x := ids(rng)), "labels": x, "pixel_values": floats(rng, B, 3, 16, 16)})


@module("transformers/visual-bert", "vision and text", 2)
def visual_bert():
    import transformers

    config = transformers.VisualBertConfig(vocab_size=V, **dict(SMALL), **WITHOUT_DROPOUT, visual_embedding_dim=16, num_labels=5)
    return (transformers.VisualBertForVisualReasoning(config),
            lambda rng: {"input_ids": ids(rng), "visual_embeds": floats(rng, B, 6, 16), "labels": ids(rng, B, below=5),
                         "attention_mask": np.ones((B, S), np.int64), "visual_attention_mask": np.ones((B, 6), np.int64)})


@module("transformers/lxmert", "vision and text", 6)  # the loss reads words alone, so the last layer of pictures is not reached
def lxmert():
    import transformers

    config = transformers.LxmertConfig(vocab_size=V, hidden_size=32, num_attention_heads=4, intermediate_size=64, max_position_embeddings=32,
                                       l_layers=2,
                                       x_layers=1, r_layers=2, visual_feat_dim=16, visual_pos_dim=4, num_qa_labels=5, hidden_dropout_prob=0,
                                       attention_probs_dropout_prob=0)
    return (transformers.LxmertForQuestionAnswering(config),
            lambda rng: {"input_ids": ids(rng), "visual_feats": floats(rng, B, 6, 16), "visual_pos": floats(rng, B, 6, 4), "labels": ids(rng, B,
            below=5)})


@module("transformers/vision-encoder-decoder", "vision and text", 6)
def vision_encoder_decoder():
    import transformers

    encoder = transformers.ViTConfig(**SEES, **WITHOUT_DROPOUT)
    decoder = transformers.GPT2Config(vocab_size=V, n_layer=2, n_embd=32, n_head=4, n_positions=32, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
                                      add_cross_attention=True, is_decoder=True, use_cache=False, bos_token_id=1, eos_token_id=2)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.pad_token_id, config.decoder_start_token_id = 0, 1
    return transformers.VisionEncoderDecoderModel(config), lambda rng: {"pixel_values": floats(rng, B, 3, 16, 16), "labels": ids(rng, B, 12)}


@module("transformers/layoutlmv3", "vision and text", 2)
def layoutlmv3():
    import transformers

    config = transformers.LayoutLMv3Config(vocab_size=V, **SMALL, **WITHOUT_DROPOUT, coordinate_size=6, shape_size=4, max_2d_position_embeddings=64,
                                           input_size=16, patch_size=4, num_labels=5, rel_pos_bins=8, rel_2d_pos_bins=8)
    return (transformers.LayoutLMv3ForTokenClassification(config),
            lambda rng: {"input_ids": ids(rng), "bbox": np.sort(rng.integers(0, 60, (B, S, 4)), axis=-1)[..., [0, 1, 2, 3]],
                         "pixel_values": floats(rng, B, 3, 16, 16), "labels": ids(rng, B, S, below=5)})


@module("transformers/paligemma", "vision and text", 4, refused=WHOLE_BATCH)  # Pictures fill the places of the whole batch in order.
def paligemma():
    import transformers

    config = transformers.PaliGemmaConfig(vision_config=dict(SEES, model_type="siglip_vision_model", projection_dim=32),
                                          text_config=dict(GROUPED, vocab_size=V, model_type="gemma", head_dim=8, use_cache=False,
                                              max_position_embeddings=64), image_token_index=V - 1,
                                          projection_dim=32)

    def batch(rng):
        x = ids(rng, B, 24, below=V - 1)
        x[:, :16] = V - 1
        return {"input_ids": x, "pixel_values": floats(rng, B, 3, 16, 16), "labels": np.where(x == V - 1, -100, x),
                "token_type_ids": np.where(np.arange(24) < 16, 0, 1)[None].repeat(B, 0)}
    return transformers.PaliGemmaForConditionalGeneration(config), batch


# ---------------------------------------------------------------- series, trajectories, tables

SERIES = dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
              decoder_ffn_dim=64,
              dropout=0, attention_dropout=0, activation_dropout=0, encoder_layerdrop=0, decoder_layerdrop=0, prediction_length=4, context_length=12,
              lags_sequence=[1, 2], num_time_features=2, use_cache=False)


def series(name, prefix, attention=6, why="", **options):
    """A forecaster of series."""
    @module(f"transformers/{name}", "series", attention, why)
    def make():
        import transformers

        model = getattr(transformers, f"{prefix}ForPrediction")(getattr(transformers, f"{prefix}Config")(**dict(SERIES, **options)))
        return model, lambda rng: {"past_values": floats(rng, B, 14), "past_time_features": floats(rng, B, 14, 2),
                                   "past_observed_mask": (rng.random((B, 14)) < .9).astype(np.float32), "future_values": floats(rng, B, 4),
                                   "future_time_features": floats(rng, B, 4, 2)}


series("time-series-transformer", "TimeSeriesTransformer")


@module("transformers/patchtst", "series", 2)
def patchtst():
    import transformers

    config = transformers.PatchTSTConfig(num_input_channels=3, context_length=16, prediction_length=4, patch_length=4, patch_stride=4, d_model=32,
                                         num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, attention_dropout=0, ff_dropout=0, path_dropout=0,
                                         positional_dropout=0, head_dropout=0, norm_type="layernorm", loss="mse")
    return transformers.PatchTSTForPrediction(config), lambda rng: {"past_values": floats(rng, B, 16, 3), "future_values": floats(rng, B, 4, 3)}


@module("transformers/patchtsmixer", "series")
def patchtsmixer():
    import transformers

    config = transformers.PatchTSMixerConfig(num_input_channels=3, context_length=16, prediction_length=4, patch_length=4, patch_stride=4, d_model=16,
                                             num_layers=2, dropout=0, head_dropout=0, norm_mlp="LayerNorm", loss="mse")
    return transformers.PatchTSMixerForPrediction(config), lambda rng: {"past_values": floats(rng, B, 16, 3), "future_values": floats(rng, B, 4, 3)}


@module("transformers/timesfm", "series", 2)
def timesfm():
    import transformers

    config = transformers.TimesFmConfig(patch_length=4, context_length=16, horizon_length=8, num_hidden_layers=2, hidden_size=32,
                                        intermediate_size=64, head_dim=8, num_attention_heads=4)
    return (With(transformers.TimesFmModelForPrediction(config), lambda m, x, y: m(past_values=list(x), future_values=y).loss),
            lambda rng: {"x": floats(rng, B, 16), "y": floats(rng, B, 8)})


@module("transformers/decision-transformer", "trajectories", 2)
def decision_transformer():
    import transformers

    config = transformers.DecisionTransformerConfig(state_dim=5, act_dim=3, hidden_size=32, max_ep_len=32, n_layer=2, n_head=4, n_inner=64,
        resid_pdrop=0,
                                                    embd_pdrop=0, attn_pdrop=0, n_positions=64)

    def loss(m, s, a, r, t):
        found = m(states=s, actions=a, rewards=r, returns_to_go=r, timesteps=t, attention_mask=torch.ones_like(t))
        return ((found.action_preds - a) ** 2).mean()
    return (With(transformers.DecisionTransformerModel(config), loss),
            lambda rng: {"s": floats(rng, B, 8, 5), "a": floats(rng, B, 8, 3), "r": floats(rng, B, 8, 1), "t": ids(rng, B, 8, below=32)})


@module("transformers/tapas", "tables", 2)
def tapas():
    import transformers

    config = transformers.TapasConfig(vocab_size=V, **SMALL, **WITHOUT_DROPOUT, type_vocab_sizes=[3, 8, 8, 2, 8, 8, 4], max_num_rows=8,
                                      max_num_columns=8)
    types = np.array([3, 8, 8, 2, 8, 8, 4])
    return (transformers.TapasForMaskedLM(config),
            lambda rng: {"input_ids": ids(rng), "token_type_ids": rng.integers(0, types, (B, S, 7)), "labels": ids(rng)})
