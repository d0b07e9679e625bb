// An embedding as torch-mlir prints it: tensor.extract in the body, indices in the file.
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @forward(%table: tensor<10x8xf32>) -> tensor<1x6x8xf32> {
  %ids = arith.constant dense<[[1, 7, 3, 3, 9, 0]]> : tensor<1x6xi64>
  %0 = tensor.empty() : tensor<1x6x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<1x6xi64>) outs(%0 : tensor<1x6x8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %2 = arith.index_cast %in : i64 to index
    %3 = linalg.index 2 : index
    %x = tensor.extract %table[%2, %3] : tensor<10x8xf32>
    linalg.yield %x : f32
  } -> tensor<1x6x8xf32>
  return %1 : tensor<1x6x8xf32>
}
