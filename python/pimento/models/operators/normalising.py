"""Functions that scale by what they find: softmax and normalisations."""

import torch

from ..trace import Unknown, leaves
from .table import operator_of, reshape, same


@operator_of("softmax", "_softmax")
def _softmax(m, y, input=None, dim=None, *arguments, dtype=None, self=None, **named):
    input = self if input is None else input
    if dim is None:
        dim = 0 if len(y.shape) in (0, 1, 3) else 1
    return m.operator("Softmax", [m.named(m.cast(input, y.dtype))], y.shape, y.dtype, axis=int(dim))


@operator_of("log_softmax", "_log_softmax")
def _log_softmax(m, y, input=None, dim=None, *arguments, dtype=None, self=None, **named):
    input = self if input is None else input
    if dim is None:
        dim = 0 if len(y.shape) in (0, 1, 3) else 1
    return m.operator("LogSoftmax", [m.named(m.cast(input, y.dtype))], y.shape, y.dtype, axis=int(dim))


@operator_of("layer_norm")
def _layer_norm(m, y, input=None, normalized_shape=None, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    shape = [int(n) for n in leaves(normalized_shape)]
    scale = torch.ones(shape, dtype=y.dtype) if weight is None else weight
    names = [m.named(input), m.named(scale), "" if bias is None else m.named(bias)]
    return m.operator("LayerNormalization", names, y.shape, y.dtype, axis=-len(shape), epsilon=float(eps))


@operator_of("batch_norm")
def _batch_norm(m, y, input=None, running_mean=None, running_var=None, weight=None, bias=None, training=False,
                momentum=0.1, eps=1e-5, cudnn_enabled=True):
    if training or running_mean is None:
        raise Unknown("batch normalisation that learns: call model.eval()")
    channels = [input.shape[1]]
    weight = torch.ones(channels, dtype=y.dtype) if weight is None else weight
    bias = torch.zeros(channels, dtype=y.dtype) if bias is None else bias
    names = [m.named(x) for x in (input, weight, bias, running_mean, running_var)]
    return m.operator("BatchNormalization", names, y.shape, y.dtype, epsilon=float(eps))


@operator_of("group_norm")
def _group_norm(m, y, input=None, num_groups=1, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    batch, channels = input.shape[:2]
    grouped = [batch, num_groups, input.numel() // (batch * num_groups)]
    ones, zeros = torch.ones(num_groups, dtype=y.dtype), torch.zeros(num_groups, dtype=y.dtype)
    made = m.operator("InstanceNormalization", [m.named(reshape(m, input, grouped)), m.named(ones), m.named(zeros)],
                      grouped, y.dtype, epsilon=float(eps))
    made = reshape(m, made, y.shape)
    per_channel = [channels] + [1] * (len(y.shape) - 2)
    if weight is not None:
        made = same(m, y, "Mul", made, reshape(m, weight, per_channel))
    return made if bias is None else same(m, y, "Add", made, reshape(m, bias, per_channel))


@operator_of("instance_norm")
def _instance_norm(m, y, input=None, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                   momentum=0.1, eps=1e-5, cudnn_enabled=True):
    if running_mean is not None:
        raise Unknown("instance normalisation with statistics of its own")
    channels = [input.shape[1]]
    weight = torch.ones(channels, dtype=y.dtype) if weight is None else weight
    bias = torch.zeros(channels, dtype=y.dtype) if bias is None else bias
    return m.operator("InstanceNormalization", [m.named(x) for x in (input, weight, bias)], y.shape, y.dtype,
                      epsilon=float(eps))
