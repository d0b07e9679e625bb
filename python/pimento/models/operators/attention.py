"""Attention, in pieces that are functions of their own."""

import math

import torch

from ..trace import Unknown
from .table import operator_of


@operator_of("scaled_dot_product_attention")
def _attention(m, y, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = torch.matmul(query, key.transpose(-2, -1)) * scale
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return torch.matmul(torch.softmax(scores, -1), value)


@operator_of("multi_head_attention_forward")
def _multi_head(m, y, query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,
                v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, is_causal=False):
    """(length, batch, width), as torch.nn.MultiheadAttention calls it; or without a batch."""
    if bias_k is not None or add_zero_attn or static_k is not None or static_v is not None or key_padding_mask is not None:
        raise Unknown("multi-head attention with extra keys or padding")
    linear = torch.nn.functional.linear
    is_single = len(query.shape) == 2
    if is_single:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
    length, batch, width = query.shape
    head = width // num_heads
    biases = in_proj_bias.chunk(3) if in_proj_bias is not None else (None, None, None)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))
    q, k, v = (x.contiguous().view(x.shape[0], batch, num_heads, head).permute(1, 2, 0, 3) for x in (q, k, v))
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(head)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros(attn_mask.shape, dtype=q.dtype).masked_fill(attn_mask, -math.inf)
        if len(attn_mask.shape) == 3:
            attn_mask = attn_mask.view(batch, num_heads, length, -1)
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    mixed = torch.matmul(weights, v).permute(2, 0, 1, 3).reshape(length, batch, width)
    made = linear(mixed, out_proj_weight, out_proj_bias)
    if is_single:
        made = made.squeeze(1)
    if not need_weights:
        return made, None
    return made, weights.mean(1) if average_attn_weights else weights
