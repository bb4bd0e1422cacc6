# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that see, of transformers, timm and torchvision."""
import numpy as np
import torch

from . import B, S, V, WHOLE_BATCH, With, floats, ids, module
from .text import GROUPED, WITHOUT_DROPOUT


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

    return timm.models.regnet.RegNet(timm.models.regnet.RegNetCfg(depth=6, w0=16, wa=16.0, wm=2.0, group_size=8, se_ratio=.25, stem_width=8),
                                     num_classes=10)


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


# ---------------------------------------------------------------- more of transformers

def classifier(name, prefix, attention=2, why="", size=16, refused=None, cls="{}ForImageClassification", **options):
    """A classifier of pictures of transformers."""
    @module(f"transformers/{name}", "vision", attention, why, refused)
    def make():
        import transformers

        model = getattr(transformers, cls.format(prefix))(getattr(transformers, f"{prefix}Config")(**options, num_labels=10))
        return model, lambda rng: {"pixel_values": floats(rng, B, 3, size, size), "labels": ids(rng, B, below=10)}


TINY = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4)
classifier("deit", "DeiT", **TINY, **WITHOUT_DROPOUT)
classifier("beit", "Beit", **TINY, **WITHOUT_DROPOUT, drop_path_rate=0, use_relative_position_bias=True)
classifier("data2vec-vision", "Data2VecVision", **TINY, **WITHOUT_DROPOUT, drop_path_rate=0)
classifier("dinov2", "Dinov2", **TINY, **WITHOUT_DROPOUT, mlp_ratio=2)
classifier("dinov2-registers", "Dinov2WithRegisters", **TINY, **WITHOUT_DROPOUT, mlp_ratio=2, num_register_tokens=2)
classifier("ijepa", "IJepa", **TINY, **WITHOUT_DROPOUT)
classifier("vit-msn", "ViTMSN", **TINY, **WITHOUT_DROPOUT)
classifier("swin", "Swin", 4, size=32, image_size=32, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, drop_path_rate=0,
           **WITHOUT_DROPOUT)
classifier("swinv2", "Swinv2", 4, "scores are cosines that a learned factor scales", size=32, image_size=32, patch_size=4, embed_dim=16,
           depths=[2, 2],
           num_heads=[2, 4], window_size=4, drop_path_rate=0, **WITHOUT_DROPOUT)
classifier("convnext", "ConvNext", 0, size=32, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 32])
classifier("convnextv2", "ConvNextV2", 0, size=32, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 32])
classifier("resnet", "ResNet", 0, size=32, refused=WHOLE_BATCH, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")
classifier("regnet", "RegNet", 0, size=32, refused=WHOLE_BATCH, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], groups_width=4)
classifier("mobilenet-v1", "MobileNetV1", 0, size=32, refused=WHOLE_BATCH, depth_multiplier=.125, min_depth=4, classifier_dropout_prob=0)
classifier("mobilenet-v2", "MobileNetV2", 0, size=32, refused=WHOLE_BATCH, depth_multiplier=.125, min_depth=4, classifier_dropout_prob=0)
classifier("pvt", "Pvt", 2, size=32, image_size=32, patch_sizes=[4, 2], strides=[4, 2], hidden_sizes=[16, 32], depths=[1, 1], num_encoder_blocks=2,
           sequence_reduction_ratios=[2, 1], num_attention_heads=[1, 2], mlp_ratios=[2, 2], drop_path_rate=0, **WITHOUT_DROPOUT)
classifier("pvt-v2", "PvtV2", 2, size=32, image_size=32, patch_sizes=[7, 3], strides=[4, 2], hidden_sizes=[16, 32], depths=[1, 1],
           num_encoder_blocks=2,
           sr_ratios=[2, 1], num_attention_heads=[1, 2], mlp_ratios=[2, 2], drop_path_rate=0, **WITHOUT_DROPOUT)
classifier("poolformer", "PoolFormer", 0, size=32, patch_sizes=[7, 3], strides=[4, 2], padding=[2, 1], hidden_sizes=[16, 32], depths=[1, 1],
           num_encoder_blocks=2,
           drop_path_rate=0)
classifier("focalnet", "FocalNet", 0, size=32, image_size=32, embed_dim=16, hidden_sizes=[16, 32], depths=[1, 1], focal_levels=[2, 2],
           focal_windows=[3, 3],
           drop_path_rate=0, hidden_dropout_prob=0)
classifier("mobilevit", "MobileViT", 3, size=64, refused=WHOLE_BATCH, image_size=64, hidden_sizes=[16, 20, 24], neck_hidden_sizes=[8, 8, 8, 12, 12,
           16, 32], num_attention_heads=4,
           mlp_ratio=2., expand_ratio=2., hidden_dropout_prob=0, attention_probs_dropout_prob=0, classifier_dropout_prob=0)
classifier("mobilevitv2", "MobileViTV2", 0, size=64, refused=WHOLE_BATCH, image_size=64, width_multiplier=.125, ffn_dropout=0, attn_dropout=0,
           classifier_dropout_prob=0)
classifier("levit", "Levit", 5, size=64, refused=WHOLE_BATCH, image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 3, 4], depths=[1, 1,
           1], key_dim=[8, 8, 8], drop_path_rate=0)
classifier("hiera", "Hiera", 2, size=32, image_size=[32, 32], patch_size=[7, 7], embed_dim=16, depths=[1, 1], num_heads=[1, 2], mlp_ratio=2.,
           drop_path_rate=0,
           query_stride=[2, 2], masked_unit_size=[4, 4], masked_unit_attention=[True, False], num_query_pool=1, patch_stride=[4, 4], patch_padding=[3,
           3])
classifier("bit", "Bit", 0, size=32, embedding_size=8, hidden_sizes=[32, 32], depths=[1, 1], num_groups=4, layer_type="preactivation")


def recognizer(name, attention, make, shape, loss, refused=None, why="", **arrays):
    """A model of transformers whose outputs are compared with numbers: `loss` takes the module and the batch."""
    @module(f"transformers/{name}", "vision", attention, why, refused)
    def build():
        import transformers

        return With(make(transformers), loss), lambda rng: {"x": floats(rng, B, *shape), **{k: f(rng) for k, f in arrays.items()}}


def mean_square(field):
    return lambda m, x: (getattr(m(x), field) ** 2).mean()


recognizer("dpt", 4, lambda t: t.DPTForDepthEstimation(t.DPTConfig(**dict(TINY, num_hidden_layers=4), **WITHOUT_DROPOUT, backbone_out_indices=[0, 1,
           2, 3], neck_hidden_sizes=[8, 8, 8, 8],
           fusion_hidden_size=8, reassemble_factors=[4, 2, 1, .5], is_hybrid=False)), (3, 16, 16), mean_square("predicted_depth"))
recognizer("glpn", 2, lambda t: t.GLPNForDepthEstimation(t.GLPNConfig(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32],
           patch_sizes=[7, 3],
           strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2,
           2], decoder_hidden_size=8, drop_path_rate=0, **WITHOUT_DROPOUT)), (3, 32, 32), mean_square("predicted_depth"), WHOLE_BATCH)
recognizer("swin2sr", 4, lambda t: t.Swin2SRForImageSuperResolution(t.Swin2SRConfig(image_size=16, embed_dim=16, depths=[2, 2], num_heads=[2, 2],
           window_size=4, mlp_ratio=2.,
           drop_path_rate=0, **WITHOUT_DROPOUT, upscale=2)), (3, 16, 16), mean_square("reconstruction"), why="scores are cosines that a learned factor scales")
recognizer("yolos", 2, lambda t: t.YolosModel(t.YolosConfig(**dict(TINY, image_size=[16, 16]), **WITHOUT_DROPOUT, num_detection_tokens=4)),
           (3, 16, 16), mean_square("last_hidden_state"))
recognizer("vitdet", 2, lambda t: t.VitDetModel(t.VitDetConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, image_size=16,
           pretrain_image_size=16, patch_size=4,
           dropout_prob=0, drop_path_rate=0, window_block_indices=[0], window_size=2, use_relative_position_embeddings=True)), (3, 16, 16), mean_square("last_hidden_state"))
recognizer("videomae", 2, lambda t: t.VideoMAEForVideoClassification(t.VideoMAEConfig(**TINY, **WITHOUT_DROPOUT, num_frames=4, num_labels=10)),
           (4, 3, 16, 16), mean_square("logits"))
recognizer("timesformer", 4, lambda t: t.TimesformerForVideoClassification(t.TimesformerConfig(**TINY, **WITHOUT_DROPOUT, num_frames=2,
           num_labels=10)), (2, 3, 16, 16), mean_square("logits"))
recognizer("vivit", 2, lambda t: t.VivitForVideoClassification(t.VivitConfig(**{k: v for k, v in TINY.items() if k != "patch_size"},
           **WITHOUT_DROPOUT, num_frames=4, tubelet_size=[2, 4, 4], num_labels=10)), (4, 3, 16, 16), mean_square("logits"))
recognizer("depth-anything", 2, lambda t: t.DepthAnythingForDepthEstimation(t.DepthAnythingConfig(backbone_config=t.Dinov2Config(**TINY, mlp_ratio=2,
           out_features=["stage1", "stage2"], reshape_hidden_states=False, **WITHOUT_DROPOUT),
           reassemble_hidden_size=32, patch_size=4, reassemble_factors=[2, 1], neck_hidden_sizes=[8,
           8], fusion_hidden_size=8, head_in_index=-1, head_hidden_size=8)), (3, 16, 16), mean_square("predicted_depth"))
recognizer("upernet", 0, lambda t: t.UperNetForSemanticSegmentation(t.UperNetConfig(backbone_config=t.ConvNextConfig(depths=[1, 1, 1, 1],
           hidden_sizes=[8, 16, 16, 32], out_features=["stage1", "stage2", "stage3", "stage4"]),
           hidden_size=8, pool_scales=[1, 2], use_auxiliary_head=False, num_labels=5)), (3, 32, 32), mean_square("logits"), WHOLE_BATCH)
recognizer("conditional-detr", 6, lambda t: t.ConditionalDetrModel(t.ConditionalDetrConfig(use_timm_backbone=False, use_pretrained_backbone=False,
           backbone=None,
           backbone_config=t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic",
           out_features=["stage2"]), num_queries=6, d_model=32, encoder_layers=2, decoder_layers=2,
           encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, dropout=0, attention_dropout=0, activation_dropout=0)), (3, 32, 32), mean_square("last_hidden_state"))
recognizer("deformable-detr", 4, lambda t: t.DeformableDetrModel(t.DeformableDetrConfig(use_timm_backbone=False, use_pretrained_backbone=False,
           backbone=None,
           backbone_config=t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", out_features=["stage1",
           "stage2"]), num_queries=6, d_model=32, encoder_layers=2, decoder_layers=2, num_feature_levels=2,
           encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, dropout=0, attention_dropout=0, activation_dropout=0)), (3, 32, 32), mean_square("last_hidden_state"))
recognizer("sam-vision", 2, lambda t: t.SamVisionModel(t.SamVisionConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
           output_channels=8, image_size=16, patch_size=4, mlp_dim=64,
           window_size=2, global_attn_indexes=[1])), (3, 16, 16), mean_square("last_hidden_state"))
recognizer("clipseg-vision", 2, lambda t: t.CLIPSegVisionModel(t.CLIPSegVisionConfig(**TINY)), (3, 16, 16), mean_square("pooler_output"))
recognizer("rt-detr-resnet", 0, lambda t: t.RTDetrResNetBackbone(t.RTDetrResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1],
           layer_type="basic", out_features=["stage2"])), (3, 32, 32),
           lambda m, x: (m(x).feature_maps[0] ** 2).mean(), WHOLE_BATCH)
recognizer("dinov3", 2, lambda t: t.DINOv3ViTModel(t.DINOv3ViTConfig(**TINY, num_register_tokens=2, drop_path_rate=0)), (3, 16, 16),
           mean_square("pooler_output"))
recognizer("flava-image", 2, lambda t: t.FlavaImageModel(t.FlavaImageConfig(**TINY, **WITHOUT_DROPOUT)), (3, 16, 16), mean_square("pooler_output"))
recognizer("owlvit-vision", 2, lambda t: t.OwlViTVisionModel(t.OwlViTVisionConfig(**TINY)), (3, 16, 16), mean_square("pooler_output"))
recognizer("textnet", 0, lambda t: t.TextNetModel(t.TextNetConfig(stem_out_channels=8, conv_layer_kernel_sizes=[[[3, 3]], [[3, 1]]],
           conv_layer_strides=[[1], [2]], hidden_sizes=[8, 8, 16], depths=[1, 1])), (3, 32, 32), mean_square("pooler_output"), WHOLE_BATCH)
# Its pictures are one sequence.
recognizer("pixtral-vision", 2, lambda t: t.PixtralVisionModel(t.PixtralVisionConfig(**TINY)), (3, 16, 16), mean_square("last_hidden_state"), WHOLE_BATCH)
recognizer("siglip-vision", 2, lambda t: t.SiglipVisionModel(t.SiglipVisionConfig(**TINY)), (3, 16, 16), mean_square("pooler_output"))


@module("transformers/imagegpt", "vision", 2)
def imagegpt():
    import transformers

    config = transformers.ImageGPTConfig(vocab_size=V + 1, n_positions=S, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
        use_cache=False)
    return transformers.ImageGPTForCausalImageModeling(config), lambda rng: {"input_ids": (x := ids(rng)), "labels": x}


# ---------------------------------------------------------------- more of timm



def timm_class(place, **options):
    """A class of timm, for options that create_model() does not pass on."""
    def build():
        import importlib

        module, _, name = place.rpartition(".")
        return getattr(importlib.import_module(f"timm.models.{module}"), name)(num_classes=10, **options)
    return build


VITS = dict(img_size=16, patch_size=4, embed_dim=32, depth=2, num_heads=4)
pictures("timm/deit3", timm_model("deit3_small_patch16_224", **VITS), 2, size=16)
pictures("timm/eva02", timm_model("eva02_tiny_patch14_224", **VITS), 2, size=16)
pictures("timm/beit", timm_model("beit_base_patch16_224", **VITS), 2, size=16)
pictures("timm/beitv2", timm_model("beitv2_base_patch16_224", **VITS), 2, size=16)
pictures("timm/vit-relpos", timm_model("vit_relpos_small_patch16_224", **VITS), 2, size=16)
pictures("timm/vit-registers", timm_model("vit_small_patch14_reg4_dinov2", **VITS), 2, size=16)
pictures("timm/siglip-vit", timm_model("vit_base_patch16_siglip_224", **VITS), 3, size=16)
pictures("timm/cait", timm_model("cait_xxs24_224", **VITS), 4, "cait mixes heads before and after the softmax", size=16)
pictures("timm/xcit", timm_model("xcit_nano_12_p8_224", img_size=16, patch_size=8, embed_dim=32, depth=2, num_heads=4), 4, size=16,
         refused=WHOLE_BATCH)
pictures("timm/tnt", timm_model("tnt_s_patch16_224", img_size=16, patch_size=8, embed_dim=32, depth=2, num_heads_inner=2, num_heads_outer=4), 4,
         size=16)
pictures("timm/visformer", timm_model("visformer_tiny", img_size=32, init_channels=8, embed_dim=32, depth=(1, 1, 1), num_heads=4), 2,
         refused=WHOLE_BATCH)
pictures("timm/convmixer", timm_class("convmixer.ConvMixer", dim=16, depth=2, kernel_size=3, patch_size=4), refused=WHOLE_BATCH)
pictures("timm/sequencer2d", timm_model("sequencer2d_s", layers=(1, 1), patch_sizes=(4, 2), embed_dims=(16, 32), hidden_sizes=(8, 8), mlp_ratios=(2.,
         2.)), size=32)
pictures("timm/swinv2", timm_model("swinv2_tiny_window8_256", img_size=32, window_size=4, embed_dim=16, depths=(2, 2), num_heads=(2, 4),
         drop_path_rate=0), 4,
         "scores are cosines that a learned factor scales")
pictures("timm/twins", timm_model("twins_svt_small", img_size=32, embed_dims=(16, 16, 16, 32), num_heads=(2, 2, 2, 2), depths=(2, 1, 1, 1),
         mlp_ratios=(2, 2, 2, 2), wss=(2, 2, 2, 1), sr_ratios=(2, 2, 1, 1)), 4)  # The last stage has one place, which attends to itself.
pictures("timm/pvt-v2", timm_model("pvt_v2_b0", depths=(1, 1, 1, 1), embed_dims=(8, 16, 16, 32), num_heads=(1, 2, 2, 4), drop_path_rate=0), 4,
         size=32)
pictures("timm/poolformer", timm_class("metaformer.MetaFormer", depths=(1, 1, 1, 1), dims=(8, 16, 16, 32)))
pictures("timm/edgenext", timm_model("edgenext_xx_small", dims=(8, 16, 16, 32), depths=(2, 2, 2, 2), drop_path_rate=0, heads=(4, 4, 4, 4)), 3)
pictures("timm/pit", timm_model("pit_ti_224", img_size=32, patch_size=8, stride=4, base_dims=(8, 8, 8), depth=(1, 1, 1), heads=(2, 2, 4)), 3)
pictures("timm/crossvit", timm_model("crossvit_tiny_240", img_size=48, embed_dim=(16, 32), num_heads=(2, 2), depth=((1, 1, 0),), img_scale=(1.0, 1.0),
         patch_size=(12, 16)), 4, size=48)
pictures("timm/nest", timm_class("nest.Nest", img_size=32, patch_size=4, num_levels=2, embed_dims=(16, 32), num_heads=(2, 4), depths=(1, 1),
         drop_path_rate=0), 2)
pictures("timm/davit", timm_model("davit_tiny", depths=(1, 1), embed_dims=(16, 32), num_heads=(2, 4), window_size=4, drop_path_rate=0), 4)
pictures("timm/gcvit", timm_class("gcvit.GlobalContextVit", img_size=32, embed_dim=16, depths=(2, 2), num_heads=(2, 4), window_size=(4, 4)), 4)
pictures("timm/focalnet", timm_class("focalnet.FocalNet", depths=(1, 1), embed_dim=16, focal_levels=(2, 2), focal_windows=(3, 3), drop_path_rate=0))
pictures("timm/hiera", timm_model("hiera_tiny_224", img_size=(32, 32), embed_dim=16, num_heads=1, stages=(1, 1), q_pool=1, q_stride=(2, 2),
         mask_unit_size=(4, 4), mask_unit_attn=(True, False), drop_path_rate=0), 2)
pictures("timm/mambaout", timm_model("mambaout_femto", depths=(1, 1, 1, 1), dims=(8, 16, 16, 32), drop_path_rate=0))
pictures("timm/inception-next", timm_model("inception_next_atto", depths=(1, 1, 1, 1), dims=(8, 16, 16, 32), drop_path_rate=0), size=64,
         refused=WHOLE_BATCH)
pictures("timm/starnet", timm_model("starnet_s050", base_dim=8, depths=(1, 1, 1, 1), drop_path_rate=0), size=64, refused=WHOLE_BATCH)
pictures("timm/repvit", timm_model("repvit_m0_9", embed_dim=(8, 16, 16, 32), depth=(1, 1, 1, 1)), size=64, refused=WHOLE_BATCH)
pictures("timm/fastvit", timm_model("fastvit_t8", layers=(1, 1, 1, 1), embed_dims=(8, 16, 16, 32), drop_path_rate=0), size=64, refused=WHOLE_BATCH)
pictures("timm/efficientvit", timm_model("efficientvit_b0", widths=(8, 8, 16, 16, 32), depths=(1, 1, 1, 1, 1), head_dim=8, head_widths=(32, 32)),
         size=64, refused=WHOLE_BATCH)
pictures("timm/efficientvit-msra", timm_model("efficientvit_m0", img_size=64, embed_dim=(16, 16, 16), key_dim=(4, 4, 4), depth=(1, 1, 1),
         num_heads=(2, 2, 2), window_size=(2, 2, 2)), 6, size=64, refused=WHOLE_BATCH)
pictures("timm/shvit", timm_model("shvit_s1", embed_dim=(16, 24, 32), partial_dim=(8, 8, 8), qk_dim=(8, 8, 8), depth=(1, 1, 1), types=("i", "s",
         "s")), 2, size=64, refused=WHOLE_BATCH)
pictures("timm/swiftformer", timm_model("swiftformer_xs", layers=(1, 1, 1, 1), embed_dims=(8, 16, 16, 32), drop_path_rate=0), size=64,
         refused=WHOLE_BATCH)
pictures("timm/tiny-vit", timm_model("tiny_vit_5m_224", embed_dims=(8, 16, 16, 32), depths=(1, 1, 1, 1), num_heads=(1, 2, 2, 4), window_sizes=(4, 4,
         4, 2), drop_path_rate=0), 3, size=64, refused=WHOLE_BATCH)
pictures("timm/densenet", timm_model("densenet121", growth_rate=4, block_config=(1, 1, 1, 1)), size=64, refused=WHOLE_BATCH)
pictures("timm/dpn", timm_model("dpn48b", k_sec=(1, 1, 1, 1), num_init_features=8, k_r=16, groups=4, inc_sec=(4, 4, 4, 4)), size=64,
         refused=WHOLE_BATCH)
pictures("timm/dla", timm_model("dla34", levels=(1, 1, 1, 1, 1, 1), channels=(8, 8, 8, 16, 16, 32)), size=64, refused=WHOLE_BATCH)
pictures("timm/res2net", timm_model("res2net50_26w_4s", layers=(1, 1, 1, 1), channels=(8, 8, 16, 16), base_width=32), size=64, refused=WHOLE_BATCH)
pictures("timm/resnest", timm_model("resnest14d", layers=(1, 1, 1, 1), channels=(8, 8, 16, 16), stem_width=8), size=64, refused=WHOLE_BATCH)
pictures("timm/resnext", timm_model("resnext50_32x4d", layers=(1, 1, 1, 1), channels=(8, 8, 16, 16), cardinality=4, base_width=32, stem_width=8),
         size=64, refused=WHOLE_BATCH)
pictures("timm/seresnet", timm_model("seresnet50", layers=(1, 1, 1, 1), channels=(8, 8, 16, 16), stem_width=8), size=64, refused=WHOLE_BATCH)
pictures("timm/ecaresnet", timm_model("ecaresnet26t", layers=(1, 1, 1, 1), channels=(8, 8, 16, 16), stem_width=8), size=64, refused=WHOLE_BATCH)
pictures("timm/resnetv2", timm_model("resnetv2_50", layers=(1, 1), channels=(32, 64), stem_chs=32), size=64, refused=WHOLE_BATCH)
pictures("timm/convnextv2", timm_model("convnextv2_atto", depths=(1, 1, 1, 1), dims=(8, 16, 16, 32)))
pictures("timm/mobilenetv3", timm_model("mobilenetv3_small_050"), size=64, refused=WHOLE_BATCH)
pictures("timm/mnasnet", timm_model("mnasnet_small"), size=64, refused=WHOLE_BATCH)
pictures("timm/ghostnet", timm_model("ghostnet_050"), size=64, refused=WHOLE_BATCH)
pictures("timm/rexnet", timm_model("rexnet_100", initial_chs=4, final_chs=16, depth_mult=.5), size=64, refused=WHOLE_BATCH)
pictures("timm/lcnet", timm_model("lcnet_035"), size=64, refused=WHOLE_BATCH)
pictures("timm/tinynet", timm_model("tinynet_e"), size=64, refused=WHOLE_BATCH)


# ---------------------------------------------------------------- more of torchvision

def torchvision_model(name, **options):
    def build():
        import torchvision

        return torchvision.models.get_model(name, num_classes=10, **options)
    return build


pictures("torchvision/vit", lambda: __import__("torchvision").models.VisionTransformer(16, 4, 2, 4, 32, 64, num_classes=10), 2, size=16)
pictures("torchvision/swin", lambda: __import__("torchvision").models.swin_transformer.SwinTransformer([4, 4], 16, [2], [2], [4, 4],
         stochastic_depth_prob=0, num_classes=10), 2)
pictures("torchvision/shufflenet", lambda: __import__("torchvision").models.ShuffleNetV2([1, 1, 1], [8, 16, 16, 32, 32], num_classes=10), size=64,
         refused=WHOLE_BATCH)
pictures("torchvision/densenet", lambda: __import__("torchvision").models.DenseNet(4, (1, 1), 8, num_classes=10), refused=WHOLE_BATCH)
pictures("torchvision/mobilenet-v2", torchvision_model("mobilenet_v2", width_mult=.1, round_nearest=4, dropout=0, inverted_residual_setting=[[1, 8, 1,
         1], [2, 8, 1, 2]]), refused=WHOLE_BATCH)
pictures("torchvision/squeezenet", torchvision_model("squeezenet1_1", dropout=0))
pictures("torchvision/maxvit", lambda: __import__("torchvision").models.MaxVit((32, 32), 8, 4, [8, 16], [1, 1], 8, stochastic_depth_prob=0,
         num_classes=10), 4, refused=WHOLE_BATCH)
pictures("torchvision/convnext", lambda: __import__("torchvision").models.ConvNeXt([__import__("torchvision").models.convnext.CNBlockConfig(8, 16, 1),
         __import__("torchvision").models.convnext.CNBlockConfig(16, None, 1)], 0.0, num_classes=10))


@module("torchvision/r3d", "vision", refused=WHOLE_BATCH)
def r3d():
    import torchvision

    video = torchvision.models.video.resnet
    model = torchvision.models.video.VideoResNet(video.BasicBlock, [video.Conv3DSimple] * 4, [1, 1, 1, 1], video.BasicStem, num_classes=10)
    return (With(model, lambda m, x, y: torch.nn.functional.cross_entropy(m(x), y)), lambda rng: {"x": floats(rng, B, 3, 4, 16, 16), "y": ids(rng, B,
            below=10)})


@module("torchvision/swin3d", "vision", 2)
def swin3d():
    import torchvision

    model = torchvision.models.video.SwinTransformer3d([2, 4, 4], 16, [2], [2], [2, 4, 4], stochastic_depth_prob=0, num_classes=10)
    return (With(model, lambda m, x, y: torch.nn.functional.cross_entropy(m(x), y)), lambda rng: {"x": floats(rng, B, 3, 4, 16, 16), "y": ids(rng, B,
            below=10)})



@module("torchvision/deformable", "vision")
def deformable():
    """A convolution whose places another convolution computes."""
    import torchvision

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.offset, self.conv, self.head = torch.nn.Conv2d(3, 18, 3, padding=1), torchvision.ops.DeformConv2d(3, 8, 3, padding=1), torch.nn.Linear(8, 10)

        def forward(self, x, y):
            found = self.conv(x, torch.tanh(self.offset(x))).relu().mean((2, 3))
            return torch.nn.functional.cross_entropy(self.head(found), y)
    return Net(), lambda rng: {"x": floats(rng, B, 3, 8, 8), "y": ids(rng, B, below=10)}
