"""Convolutions and poolings of linalg, with strides and dilations. The names of the ops say the layouts."""

import itertools

import numpy as np

from case import Case, linalg, returned, wide, zeros, MLIR_TYPES, type_of

CONVOLUTIONS = [
    "conv_1d", "conv_2d", "conv_3d", "conv_1d_nwc_wcf", "conv_1d_ncw_fcw", "conv_2d_nhwc_hwcf", "conv_2d_nhwc_fhwc",
    "conv_2d_nhwc_hwcf_q", "conv_2d_nhwc_fhwc_q", "conv_2d_nchw_fchw", "conv_2d_ngchw_fgchw", "conv_2d_ngchw_gfchw",
    "conv_2d_ngchw_gfchw_q", "conv_3d_ndhwc_dhwcf", "conv_3d_ndhwc_dhwcf_q", "conv_3d_ncdhw_fcdhw",
    "depthwise_conv_1d_nwc_wc", "depthwise_conv_1d_ncw_cw", "depthwise_conv_1d_nwc_wcm", "depthwise_conv_2d_nchw_chw",
    "depthwise_conv_2d_nhwc_hwc", "depthwise_conv_2d_nhwc_hwc_q", "depthwise_conv_2d_nhwc_hwcm",
    "depthwise_conv_2d_nhwc_hwcm_q", "depthwise_conv_3d_ndhwc_dhwc", "depthwise_conv_3d_ncdhw_cdhw",
    "depthwise_conv_3d_ndhwc_dhwcm"]
POOLINGS = [f"pooling_{layout}_{kind}" for layout, kinds in (
    ("nhwc", ("sum", "max", "max_unsigned", "min", "min_unsigned")), ("nchw", ("sum", "max")),
    ("nwc", ("sum", "max", "max_unsigned", "min", "min_unsigned")), ("ncw", ("sum", "max")),
    ("ndhwc", ("sum", "max", "min"))) for kind in kinds]


class Windows:
    """Spatial sizes of a window op: the input has room for at least one output."""

    def __init__(self, draw, spatial, has_attributes=True):
        count = len(spatial)
        self.spatial = spatial
        high = 2 if count == 3 else 3
        self.kernel = dict(zip(spatial, draw.sizes(count, 1, 3)))
        self.out = dict(zip(spatial, draw.sizes(count, 1, high)))
        one = [1] * count
        self.strides = dict(zip(spatial, draw.sizes(count, 1, 2) if has_attributes else one))
        self.dilations = dict(zip(spatial, draw.sizes(count, 1, 2) if has_attributes else one))
        self.input = {s: (self.out[s] - 1) * self.strides[s] + (self.kernel[s] - 1) * self.dilations[s] + 1
                      for s in spatial}

    def attributes(self):
        n = len(self.spatial)
        lists = [", ".join(str(d[s]) for s in self.spatial) for d in (self.dilations, self.strides)]
        return (f"{{dilations = dense<[{lists[0]}]> : tensor<{n}xi64>, "
                f"strides = dense<[{lists[1]}]> : tensor<{n}xi64>}}")

    def each(self, x, layout):
        """The offsets in the window, each with the elements of `x` that it meets."""
        for offset in itertools.product(*(range(self.kernel[s]) for s in self.spatial)):
            at = dict(zip(self.spatial, offset))
            cut = tuple(slice(at[c] * self.dilations[c],
                              at[c] * self.dilations[c] + (self.out[c] - 1) * self.strides[c] + 1, self.strides[c])
                        if c in self.spatial else slice(None) for c in layout)
            yield at, x[cut]


def layouts(op):
    """Of input, weights and result."""
    parts = op.removeprefix("depthwise_").removesuffix("_q").split("_")
    if len(parts) == 2:
        spatial = "dhw"[-int(parts[1][0]):]
        return spatial, spatial, spatial
    image, weights = parts[2], parts[3]
    if not op.startswith("depthwise"):
        return image, weights, image.replace("c", "f")
    return image, weights, image + ("m" if "m" in weights else "")


def convolution(op):
    image, weights, result = layouts(op)
    spatial = "".join(c for c in "dhw" if c in image)
    is_quantised = op.endswith("_q")

    def make(draw):
        w = Windows(draw, spatial, has_attributes=image != spatial)
        size = {c: draw.size(1, 3) for c in "ngcfm"}
        dtype = np.int8 if is_quantised else draw.choice([np.float32, np.float32, np.int32])
        x = draw.array([w.input.get(c, size.get(c)) for c in image], dtype)
        k = draw.array([w.kernel.get(c, size.get(c)) for c in weights], dtype)
        zx, zk = (int(draw.random.integers(-9, 10)), int(draw.random.integers(-9, 10))) if is_quantised else (0, 0)
        total = magnitude = 0
        for at, part in w.each(wide(x) - zx, image):
            tap = (wide(k) - zk)[tuple(at[c] if c in spatial else slice(None) for c in weights)]
            letters = f"{image},{''.join(c for c in weights if c not in spatial)}->{result}"
            total = total + np.einsum(letters, part, tap)
            magnitude = magnitude + np.einsum(letters, abs(part), abs(tap))
        r = total.astype(np.int32 if is_quantised else dtype)
        body, inputs = zeros("s", r), {"x": x, "k": k}
        if is_quantised:
            body += f"  %zx = arith.constant {zx} : i32\n  %zk = arith.constant {zk} : i32\n"
            inputs |= {"zx": "i32", "zk": "i32"}
        body += linalg(op, inputs, ("s", r), attributes="" if image == spatial else w.attributes())
        return Case({"x": x, "k": k}, body + returned(("r", r)), [r], magnitude=float(np.max(magnitude)) + 1)
    return make


def pooling(op):
    _, image, kind = op.split("_", 2)
    spatial = "".join(c for c in "dhw" if c in image)

    def make(draw):
        w = Windows(draw, spatial)
        size = {c: draw.size(1, 3) for c in "nc"}
        is_unsigned = kind.endswith("unsigned")
        dtype = draw.choice([np.uint8, np.uint16]) if is_unsigned else draw.choice([np.float32, np.int32, np.int8])
        if kind == "sum" and dtype == np.int8:
            dtype = np.int16
        x = draw.array([w.input.get(c, size.get(c)) for c in image], dtype)
        parts = [wide(part) for _, part in w.each(x, image)]
        fold = {"sum": lambda p: sum(p), "max": lambda p: np.maximum.reduce(p), "min": lambda p: np.minimum.reduce(p)}
        r = fold[kind.split("_")[0]](parts).astype(dtype)
        element = MLIR_TYPES[np.dtype(dtype).name]
        if kind == "sum":
            start = "0.0" if r.dtype.kind == "f" else "0"
        elif r.dtype.kind == "f":
            start = "0xFF800000" if kind == "max" else "0x7F800000"
        else:
            info = np.iinfo(dtype)
            start = info.min if kind.startswith("max") else info.max
            start = str(int(np.array(start, dtype).astype(f"i{info.bits // 8}")))
        window = "tensor<" + "".join(f"{w.kernel[s]}x" for s in spatial) + element + ">"
        body = (f"  %z = arith.constant {start} : {element}\n  %e = tensor.empty() : {type_of(r)}\n"
                f"  %s = linalg.fill ins(%z : {element}) outs(%e : {type_of(r)}) -> {type_of(r)}\n"
                f"  %w = tensor.empty() : {window}\n")
        body += linalg(op, {"x": x, "w": window}, ("s", r), attributes=w.attributes())
        return Case({"x": x}, body + returned(("r", r)), [r], magnitude=sum(float(np.max(abs(p))) for p in parts))
    return make


OPS = {f"linalg.{op}": convolution(op) for op in CONVOLUTIONS}
OPS |= {f"linalg.{op}": pooling(op) for op in POOLINGS}
