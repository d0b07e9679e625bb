"""Models in the manner of those that people run: ResNet-18, an encoder layer of BERT, a block of LLaMA, at any width."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class BasicBlock(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample = None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet18(nn.Module):
    def __init__(self, width=64, classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        for n in range(4):
            stride = 1 if n == 0 else 2
            setattr(self, f"layer{n + 1}", nn.Sequential(BasicBlock(widths[n], widths[n + 1], stride),
                                                         BasicBlock(widths[n + 1], widths[n + 1], 1)))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(widths[4], classes)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class BertLayer(nn.Module):
    """Post-norm, as BERT-base has it (width 768, 12 heads)."""

    def __init__(self, width=768, heads=12, inner=3072):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.dense = nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.intermediate, self.output = nn.Linear(width, inner), nn.Linear(inner, width)
        self.dropout = nn.Dropout(0.1)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
        weights = self.dropout(F.softmax(scores, dim=-1))
        mixed = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous()
        mixed = mixed.view(x.size(0), x.size(1), -1)
        x = self.norm1(self.dropout(self.dense(mixed)) + x)
        return self.norm2(self.dropout(self.output(F.gelu(self.intermediate(x)))) + x)


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, inner, length):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate_proj, self.up_proj = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(width), RMSNorm(width)
        frequencies = 1.0 / 10000 ** (torch.arange(0, self.head, 2).float() / self.head)
        angles = torch.outer(torch.arange(length).float(), frequencies)
        angles = torch.cat((angles, angles), -1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.register_buffer("mask", torch.full((length, length), -10000.0).triu(1))

    def rotate(self, x):
        half = self.head // 2
        turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        return x * self.cos + turned * self.sin

    def forward(self, x):
        batch, length, width = x.shape
        h = self.input_layernorm(x)
        q, k, v = (p(h).view(batch, length, self.heads, self.head).transpose(1, 2)
                   for p in (self.q_proj, self.k_proj, self.v_proj))
        scores = torch.matmul(self.rotate(q), self.rotate(k).transpose(2, 3)) / math.sqrt(self.head) + self.mask
        mixed = torch.matmul(F.softmax(scores, dim=-1), v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.o_proj(mixed)
        h = self.post_attention_layernorm(x)
        return x + self.down_proj(F.silu(self.gate_proj(h)) * self.up_proj(h))


class Llama(nn.Module):
    def __init__(self, width=64, heads=4, inner=176, length=16, layers=2, words=100):
        super().__init__()
        self.embed_tokens = nn.Embedding(words, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, inner, length) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.lm_head = nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))


def resnet18(width=8, size=32, classes=10):
    model = ResNet18(width, classes)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):  # statistics as of a model that has learnt
            module.running_mean.uniform_(-0.5, 0.5)
            module.running_var.uniform_(0.5, 1.5)
    return model.eval(), torch.randn(1, 3, size, size)


def bert_layer(width=32, heads=4, inner=64, length=8):
    return BertLayer(width, heads, inner).eval(), torch.randn(1, length, width)


def llama(**sizes):
    model = Llama(**sizes).eval()
    length = model.layers[0].cos.shape[0]
    return model, torch.randint(0, model.embed_tokens.num_embeddings, (1, length))


MODELS = {"resnet18": resnet18, "bert_layer": bert_layer, "llama": llama}
