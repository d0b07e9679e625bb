func.func @argmax(%x: tensor<5x30xf32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %z = arith.constant 0 : i32
  %e0 = tensor.empty() : tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xi32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<5xf32>) -> tensor<5xf32>
  %f1 = linalg.fill ins(%z : i32) outs(%e1 : tensor<5xi32>) -> tensor<5xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x30xf32>) outs(%f0, %f1 : tensor<5xf32>, tensor<5xi32>) {
  ^bb0(%in: f32, %out: f32, %at: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %in, %out : f32
    %v = arith.select %c, %in, %out : f32
    %j = arith.select %c, %k, %at : i32
    linalg.yield %v, %j : f32, i32
  } -> (tensor<5xf32>, tensor<5xi32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
}
