func.func @f(%x: memref<4xbf16>, %y: memref<4xbf16>, %z: memref<4x2xbf16>) {
  %c = arith.constant 1.5 : bf16
  %t = memref.alloc() : memref<4xbf16>
  linalg.fill ins(%c : bf16) outs(%t : memref<4xbf16>)
  linalg.map { arith.mulf } ins(%x, %t : memref<4xbf16>, memref<4xbf16>) outs(%y : memref<4xbf16>)
  linalg.sub ins(%y, %x : memref<4xbf16>, memref<4xbf16>) outs(%y : memref<4xbf16>)
  memref.copy %y, %t : memref<4xbf16> to memref<4xbf16>
  linalg.broadcast ins(%t : memref<4xbf16>) outs(%z : memref<4x2xbf16>) dimensions = [1]
  memref.dealloc %t : memref<4xbf16>
  return
}
