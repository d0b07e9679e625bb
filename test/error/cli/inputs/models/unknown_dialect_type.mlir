func.func @main(%x: !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32> {
  return %x : !torch.vtensor<[8],f32>
}
