// PointNet++, single-scale grouping: SA1 (512, 32, .2, [64, 64, 128]), SA2 (128, 64, .4, [128, 128, 256]),
// SA3 (1, 128, all, [256, 512, 1024]), FC [512, 256, 10].
#include "pointnet.h"

#define W2 PADDED(3 + 128)
#define W3 PADDED(3 + 256)

void pointnet_ssg(int p, const float x[restrict p][3], const float w11[restrict 16][64],
                  const float w12[restrict 64][64], const float w13[restrict 64][128],
                  const float w21[restrict W2][128], const float w22[restrict 128][128],
                  const float w23[restrict 128][256], const float w31[restrict W3][256],
                  const float w32[restrict 256][512], const float w33[restrict 512][1024],
                  const float wf1[restrict 1024][512], const float wf2[restrict 512][256],
                  const float wf3[restrict 256][10], int at1[restrict 512], int at2[restrict 128],
                  int neighbour1[restrict 512 * 32], int neighbour2[restrict 128 * 64], float scores[restrict 10]) {
  // SA1: of the points.
  float near1[p], c1[512][3], rows1[512 * 32][16], a1[512 * 32][64], b1[512 * 32][64], d1[512 * 32][128];
  float f1[512][128];
  int found1[512], inside1[512][32];
  sample(p, 512, x, near1, at1, c1);
  query(p, 512, 32, 0.2f, x, c1, found1, inside1, neighbour1);
  pad(512 * 32, 3, 16, rows1);
  gather_places(p, 512, 32, 16, x, c1, neighbour1, rows1);
  layer(512 * 32, 16, 64, rows1, w11, a1);
  layer(512 * 32, 64, 64, a1, w12, b1);
  layer(512 * 32, 64, 128, b1, w13, d1);
  aggregate(512, 32, 128, 128, 0, d1, f1);
  // SA2: of SA1's centres and their features.
  float near2[512], c2[128][3], rows2[128 * 64][W2], a2[128 * 64][128], b2[128 * 64][128], d2[128 * 64][256];
  float f2[128][256];
  int found2[128], inside2[128][64];
  sample(512, 128, c1, near2, at2, c2);
  query(512, 128, 64, 0.4f, c1, c2, found2, inside2, neighbour2);
  pad(128 * 64, 131, W2, rows2);
  gather_places(512, 128, 64, W2, c1, c2, neighbour2, rows2);
  gather_features(512, 128 * 64, 128, W2, f1, neighbour2, rows2);
  layer(128 * 64, W2, 128, rows2, w21, a2);
  layer(128 * 64, 128, 128, a2, w22, b2);
  layer(128 * 64, 128, 256, b2, w23, d2);
  aggregate(128, 64, 256, 256, 0, d2, f2);
  // SA3: of all of SA2's centres.
  float rows3[128][W3], a3[128][256], b3[128][512], d3[128][1024], f3[1][1024], g1[1][512], g2[1][256];
  for (int i = 0; i < 128; i++)
    for (int d = 0; d < 3; d++) rows3[i][d] = c2[i][d];
  for (int i = 0; i < 128; i++)
    for (int d = 0; d < 256; d++) rows3[i][3 + d] = f2[i][d];
  pad(128, 259, W3, rows3);
  layer(128, W3, 256, rows3, w31, a3);
  layer(128, 256, 512, a3, w32, b3);
  layer(128, 512, 1024, b3, w33, d3);
  aggregate(1, 128, 1024, 1024, 0, d3, f3);
  layer(1, 1024, 512, f3, wf1, g1);
  layer(1, 512, 256, g1, wf2, g2);
  scores_of(256, 10, g2[0], wf3, scores);
}
