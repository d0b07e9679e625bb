#!/usr/bin/env python3
"""Language models of two layers with random weights, of each family, decode 8 tokens on every machine: with their layers on the
machine, caches that grow and shapes that are tuned when they come, the logits are PyTorch's within the bound of the type.

usage: llm_test.py [MACHINE...]        default: attacc hbm-pim-hbm3 aim upmem
"""

import math
import sys

from support import NOT_RUN, has_llvm, pimento

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    print("not run here: this Python has no PyTorch")
    sys.exit(NOT_RUN)
from torch_zoo import RMSNorm

# Largest difference, relative to the largest logit: f32 in other orders; f16 and bf16 round every operation of two layers.
BOUNDS = {"upmem": 1e-5, "attacc": 0.02, "hbm-pim-hbm3": 0.02, "aim": 0.1}
WIDTH, HEADS, WORDS, PROMPT, TOKENS = 32, 4, 50, 5, 8


class Block(nn.Module):
    """One token: GPT-3 and MT-NLG (layer norm, GELU), or LLaMA-2 (RMS norm, rotation, gate)."""

    def __init__(self, is_llama, inner):
        super().__init__()
        self.is_llama = is_llama
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH, bias=not is_llama), nn.Linear(WIDTH, WIDTH, bias=not is_llama)
        self.norm1, self.norm2 = (RMSNorm(WIDTH), RMSNorm(WIDTH)) if is_llama else (nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH))
        self.up, self.down = nn.Linear(WIDTH, inner, bias=not is_llama), nn.Linear(inner, WIDTH, bias=not is_llama)
        self.gate = nn.Linear(WIDTH, inner, bias=False) if is_llama else None

    def heads(self, x):
        return x.view(-1, HEADS, WIDTH // HEADS).transpose(0, 1)

    def rotate(self, x, angles):
        half = WIDTH // HEADS // 2
        return x * angles[0] + torch.cat((-x[..., half:], x[..., :half]), -1) * angles[1]

    def forward(self, x, keys, values, angles):
        q, k, v = torch.chunk(self.qkv(self.norm1(x)), 3, -1)
        q, k, v = self.heads(q), self.heads(k), self.heads(v)
        if self.is_llama:
            q, k = self.rotate(q, angles), self.rotate(k, angles)
        keys, values = torch.cat((keys, k), 1), torch.cat((values, v), 1)
        weights = F.softmax(torch.matmul(q, keys.transpose(1, 2)) / math.sqrt(WIDTH // HEADS), -1)
        x = x + self.proj(torch.matmul(weights, values).transpose(0, 1).reshape(1, WIDTH))
        h = self.norm2(x)
        h = F.silu(self.gate(h)) * self.up(h) if self.is_llama else F.gelu(self.up(h))
        return x + self.down(h), keys, values


class Decoder(nn.Module):
    def __init__(self, is_llama, inner):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(64, WIDTH)
        self.first, self.second = Block(is_llama, inner), Block(is_llama, inner)
        self.norm = RMSNorm(WIDTH) if is_llama else nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.is_llama = is_llama

    def forward(self, token, place, angles, k1, v1, k2, v2):
        x = self.words(token)
        if not self.is_llama:
            x = x + self.places(place)
        x, k1, v1 = self.first(x, k1, v1, angles)
        x, k2, v2 = self.second(x, k2, v2, angles)
        return self.head(self.norm(x)), k1, v1, k2, v2


def angles_at(n):
    turn = n / 10000.0 ** (torch.arange(0, WIDTH // HEADS, 2) / (WIDTH // HEADS))
    turn = torch.cat((turn, turn))
    return torch.stack((turn.cos(), turn.sin()))


def decoded(model, tokens, count):
    """Logits of `count` tokens behind a prompt, which is read token by token by the plain model."""
    plain, machine = model
    caches = [torch.zeros(HEADS, 0, WIDTH // HEADS)] * 4
    out = []
    with torch.no_grad():
        for n in range(len(tokens) + count):
            token = torch.tensor([tokens[n] if n < len(tokens) else int(out[-1].argmax())])
            run = plain if n < len(tokens) or machine is None else machine
            logits, *caches = run(token, torch.tensor([n]), angles_at(float(n)), *caches)
            if n >= len(tokens) - 1:
                out.append(logits[0])
    return torch.stack(out[1:])


def main():
    machines = sys.argv[1:] or ["attacc", "hbm-pim-hbm3", "aim"] + (["upmem"] if has_llvm() else [])
    wrong = 0
    for family, is_llama, inner in (("gpt3", False, 4 * WIDTH), ("llama2", True, 88), ("mt-nlg", False, 4 * WIDTH)):
        torch.manual_seed(len(family))
        plain = Decoder(is_llama, inner).eval()
        tokens = torch.randint(0, WORDS, (PROMPT,)).tolist()
        expected = decoded((plain, None), tokens, TOKENS)
        head = WIDTH // HEADS
        example = (torch.tensor([1]), torch.tensor([PROMPT]), angles_at(5.0), *(torch.zeros(HEADS, PROMPT, head),) * 4)
        for target in machines:
            machine = pimento.set_model(plain, example, target=target, map="auto")
            made = decoded((plain, machine), tokens, TOKENS)
            # Tokens are those of PyTorch as long as no two logits are nearer than the bound.
            difference = float((made - expected).abs().max() / expected.abs().max())
            layers = machine.pimento
            print(f"{family} on {target}: {len(layers.layers)} layers there, {len(layers.kept)} kept; {difference:.2g}; kept: "
                  + ", ".join(sorted({name.rstrip('_0123456789') for name in layers.kept})))
            if not difference <= BOUNDS[target]:
                print(f"    beyond {BOUNDS[target]}")
                wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
