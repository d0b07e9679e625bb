func.func @attention(%q: memref<4x8x16xf32>, %k: memref<4x8x16xf32>, %v: memref<4x8x16xf32>, %o: memref<4x8x16xf32>) {
  %z = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4x8x8xf32>
  %p = memref.alloc() : memref<4x8x8xf32>
  linalg.fill ins(%z : f32) outs(%s : memref<4x8x8xf32>)
  linalg.batch_matmul indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] ins(%q, %k : memref<4x8x16xf32>, memref<4x8x16xf32>) outs(%s : memref<4x8x8xf32>)
  linalg.softmax dimension(2) ins(%s : memref<4x8x8xf32>) outs(%p : memref<4x8x8xf32>)
  linalg.fill ins(%z : f32) outs(%o : memref<4x8x16xf32>)
  linalg.batch_matmul ins(%p, %v : memref<4x8x8xf32>, memref<4x8x16xf32>) outs(%o : memref<4x8x16xf32>)
  memref.dealloc %s : memref<4x8x8xf32>
  memref.dealloc %p : memref<4x8x8xf32>
  return
}
