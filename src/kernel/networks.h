// Four neural networks as graphs, layer by layer: what the zoo's network entries build.
//
// One inference of batch 1. Weights are constants of the graph (Tensor::isConstant), states of recurrent layers are
// in-outs. Layers that a device may take are kernels of their own (a relu is not folded into its convolution), so that
// a report can say what runs where. Left out: biases of linear and convolution layers and batch normalisation (folded
// into weights before inference), embedding look-ups, the arg max behind the last layer.
//
// Shapes: RNN-T of MLPerf inference (LibriSpeech); AlexNet and ResNet-18/50 as in torchvision, 224 x 224 images;
// wav2vec 2.0 base (Baevski et al., NeurIPS 2020).
#pragma once

#include <cstdint>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// One step of the transducer: two frames of 240 features through encoder layers 1 and 2, their outputs stacked once
/// through layers 3 to 5; one token through the prediction network; one joint. LSTM layers of 1024 and 320.
Graph rnnt(DType type);

/// Five convolutions, three linear layers.
Graph alexnet(DType type);

/// `depth` 18 (basic blocks) or 50 (bottlenecks).
Graph resnet(std::int64_t depth, DType type);

/// `layers` transformer layers of 768 over `frames` frames of 512 features (49 frames are one second of speech), with
/// the projections before and the 32 letters behind them. The convolutions that make the features from samples, and
/// the positional one, are not in it.
Graph wav2(std::int64_t frames, std::int64_t layers, DType type);

}  // namespace pimento::kernel
