"""Kernels of the tests: what the language has, and the zoo's kernels in Python."""

import math

import pimento

SCALE = 3
OFFSETS = (1, 2)


@pimento.kernel
def gemv(A, x):
    """y = A x"""
    y = pimento.Tensor.zero([A.size(0)])
    for i in range(A.size(0)):
        for j in range(A.size(1)):
            y[i] += A[i, j] * x[j]
    return y


@pimento.kernel
def gemm(A, B):
    C = pimento.Tensor.zero((A.size(0), B.size(1)))
    for i in range(A.size(0)):
        for j in range(B.size(1)):
            for k in range(B.size(0)):
                C[i][j] += A[i][k] * B[k][j]
    return C


@pimento.kernel
def va(a, b):
    c = pimento.Tensor(a.shape)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


@pimento.kernel
def mul(a, b):
    c = pimento.Tensor(a.shape)
    for i in range(len(a)):
        c[i] = a[i] * b[i]
    return c


@pimento.kernel
def relu(x):
    y = pimento.Tensor(x.shape)
    for i in range(x.size(0)):
        y[i] = pimento.relu(x[i])
    return y


@pimento.kernel
def red(x):
    total = 0
    for i in range(len(x)):
        total += x[i]
    return total


@pimento.kernel
def scan(x):
    y = pimento.Tensor(x.shape)
    s = 0
    for i in range(len(x)):
        s += x[i]
        y[i] = s
    return y


@pimento.kernel
def hst(x, bins):
    h = pimento.Tensor.zero([bins])
    for i in range(len(x)):
        h[x[i]] += 1
    return h


@pimento.kernel
def bgemv(K, q):
    y = pimento.Tensor.zero([K.size(0), K.size(1)])
    for r in range(K.size(0)):
        for l in range(K.size(1)):
            for d in range(K.size(2)):
                y[r, l] += K[r, l, d] * q[r, d]
    return y


@pimento.kernel
def mlp(W, b, V, x):
    h = pimento.Tensor.zero([W.size(0)])
    for i in range(W.size(0)):
        for j in range(len(x)):
            h[i] += W[i, j] * x[j]
    g = pimento.Tensor(h.shape)
    for i in range(len(h)):
        g[i] = pimento.relu(h[i] + b[i])
    y = pimento.Tensor.zero([V.size(0)])
    for i in range(V.size(0)):
        for j in range(len(g)):
            y[i] += V[i, j] * g[j]
    return y


@pimento.kernel
def softmax(x):
    y = pimento.Tensor(x.shape)
    for r in range(x.size(0)):
        most = x[r, 0]
        for i in range(1, x.size(1)):
            most = max(most, x[r, i])
        total = 0.0
        for i in range(x.size(1)):
            y[r, i] = pimento.exp(x[r, i] - most)
            total += y[r, i]
        for i in range(x.size(1)):
            y[r, i] = y[r, i] / total
    return y


# --- the language ---


@pimento.kernel
def steps(x):
    y = pimento.Tensor.zero(x.shape)
    for i in range(1, len(x), 2):
        y[i] = x[i]
    for i in range(len(x) - 1, -1, -3):
        y[i] += 10
    return y


@pimento.kernel
def triangle(A):
    y = pimento.Tensor.zero([A.size(0)])
    for i in range(A.size(0)):
        for j in range(i, A.size(1)):
            y[i] += A[i, j]
    return y


@pimento.kernel
def tiled(x):
    y = pimento.Tensor(x.shape)
    for ii in range(0, len(x), 4):
        for i in range(ii, min(ii + 4, len(x))):
            y[i] = x[i] * 2
    return y


@pimento.kernel
def borders(x):
    n = len(x)
    y = pimento.Tensor(x.shape)
    for i in range(n):
        if 0 < i < n - 1:
            y[i] = x[i - 1] + x[i] + x[i + 1]
        elif i == 0 or not i < n - 1:
            y[i] = x[i]
    return y


@pimento.kernel
def positives(x):
    y = pimento.Tensor.zero(x.shape)
    count = 0
    for i in range(len(x)):
        if x[i] > 0 and x[i] != 3:
            y[i] = x[i]
            count += 1
        else:
            y[i] = -x[i] if x[i] < -1 else abs(x[i])
    return y, count


def square(x):
    return x * x


def norm(x, n, scale=1):
    total = 0
    for i in range(n):
        total += square(x[i]) * scale
    return total


@pimento.kernel
def helpers(x):
    y = pimento.Tensor(x.shape)
    for i in range(len(x)):
        y[i] = square(x[i]) + OFFSETS[1]
    y[0] = norm(x, len(x), scale=SCALE) + y[1]
    return y


@pimento.kernel
def division(a, b):
    q = pimento.Tensor(a.shape)
    r = pimento.Tensor(a.shape)
    for i in range(len(a)):
        q[i] = a[i] // b[i]
        r[i] = a[i] % b[i]
    return q, r


@pimento.kernel
def bits(a, b):
    y = pimento.Tensor(a.shape)
    for i in range(len(a)):
        y[i] = ((a[i] & b[i]) | 1) ^ (~a[i] << 2) + (b[i] >> 1)
    return y


@pimento.kernel
def old_values(x, y):
    for i in range(len(x)):
        t = y[i]
        y[i] = x[i]
        x[i] = t
    return x


@pimento.kernel
def fibonacci(x):
    a, b = 0, 1
    for i in range(len(x)):
        x[i] = a
        a, b = b, a + b
    return x


@pimento.kernel
def gather(x, index):
    y = pimento.Tensor(index.shape, x.dtype)
    for i in range(len(index)):
        y[i] = x[index[i]]
    return y


@pimento.kernel
def saxpy(alpha, x, y):
    for i in range(len(x)):
        y[i] += alpha * x[i]


@pimento.kernel
def mixed(a: pimento.f16, b: pimento.Tensor[pimento.f32], c: "pimento.i32"):
    y = pimento.Tensor(b.shape, pimento.f32)
    for i in range(len(b)):
        y[i] = a[i] * b[i] + pimento.f32(c[i]) + c[i].to(pimento.f16) + i
    return y


@pimento.kernel
def local_in_loop(A):
    y = pimento.Tensor(A.size(0))
    for i in range(A.size(0)):
        t = pimento.Tensor.zero([A.size(1)])
        for j in range(A.size(1)):
            t[j] = A[i, j] * 2
        s = 0
        for j in range(A.size(1)):
            s += t[j]
        y[i] = s
    return y


@pimento.kernel
def negative_index(x):
    y = pimento.Tensor.zero([2])
    y[0] = x[-1]
    y[-1] = x[0]
    return y


@pimento.kernel
def functions(x):
    y = pimento.Tensor(x.shape)
    for i in range(len(x)):
        y[i] = math.sqrt(abs(x[i])) + pimento.tanh(x[i]) * pimento.exp(-x[i]) - math.log(2.0)
    return y


@pimento.kernel
def fold(x, factor):
    y = pimento.Tensor(x.shape)
    if factor > 1:
        for i in range(len(x)):
            y[i] = x[i] * factor
    else:
        for i in range(len(x)):
            y[i] = x[i] + 2**3 // factor
    return y


@pimento.kernel
def argmin(x):
    best = x[0]
    at = pimento.Tensor.zero([1])
    for i in range(1, len(x)):
        if x[i] < best:
            best = x[i]
            at[0] = i
    return at


# Fig. 6 of the DCC paper, with our names.
@pimento.kernel
def pim_kernel(weight, bias, x):
    y = pimento.Tensor.zero([x.size(0), weight.size(0)])
    for b in range(y.size(0)):
        for i in range(y.size(1)):
            for j in range(x.size(1)):
                y[b][i] += x[b][j] * weight[i][j] + bias[j]
    return y
