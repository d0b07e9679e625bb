// PointNet++, multi-scale grouping: SA4 (512, 16, .1, [32, 32, 64]), SA5 (512, 32, .2, [64, 64, 128]) and
// SA6 (512, 128, .4, [64, 96, 128]), joined; SA7 (128, 16, .2, [64, 64, 128]), SA8 (128, 32, .4, [128, 128, 256]) and
// SA9 (128, 128, .8, [128, 128, 256]), joined; SA3 (1, 128, all, [256, 512, 1024]), FC [512, 256, 10].
#include "pointnet.h"

void pointnet_msg(
    int p, const float x[restrict p][3], const float w41[restrict PADDED(3)][32], const float w42[restrict 32][32],
    const float w43[restrict 32][64], const float w51[restrict PADDED(3)][64], const float w52[restrict 64][64],
    const float w53[restrict 64][128], const float w61[restrict PADDED(3)][64], const float w62[restrict 64][96],
    const float w63[restrict 96][128], const float w71[restrict PADDED(323)][64], const float w72[restrict 64][64],
    const float w73[restrict 64][128], const float w81[restrict PADDED(323)][128], const float w82[restrict 128][128],
    const float w83[restrict 128][256], const float w91[restrict PADDED(323)][128], const float w92[restrict 128][128],
    const float w93[restrict 128][256], const float w31[restrict PADDED(643)][256], const float w32[restrict 256][512],
    const float w33[restrict 512][1024], const float wf1[restrict 1024][512], const float wf2[restrict 512][256],
    const float wf3[restrict 256][10], int at1[restrict 512], int at2[restrict 128], int neighbour4[restrict 512 * 16],
    int neighbour5[restrict 512 * 32], int neighbour6[restrict 512 * 128], int neighbour7[restrict 128 * 16],
    int neighbour8[restrict 128 * 32], int neighbour9[restrict 128 * 128], float scores[restrict 10]) {
  // 512 of the points, and their neighbours at three distances.
  float near1[p], c1[512][3], f1[512][320];
  sample(p, 512, x, near1, at1, c1);
  // SA4
  float rows4[512 * 16][PADDED(3)], a4[512 * 16][32], b4[512 * 16][32], d4[512 * 16][64];
  int found4[512], inside4[512][16];
  query(p, 512, 16, 0.1f, x, c1, found4, inside4, neighbour4);
  pad(512 * 16, 3, PADDED(3), rows4);
  gather_places(p, 512, 16, PADDED(3), x, c1, neighbour4, rows4);
  layer(512 * 16, PADDED(3), 32, rows4, w41, a4);
  layer(512 * 16, 32, 32, a4, w42, b4);
  layer(512 * 16, 32, 64, b4, w43, d4);
  aggregate(512, 16, 64, 320, 0, d4, f1);
  // SA5
  float rows5[512 * 32][PADDED(3)], a5[512 * 32][64], b5[512 * 32][64], d5[512 * 32][128];
  int found5[512], inside5[512][32];
  query(p, 512, 32, 0.2f, x, c1, found5, inside5, neighbour5);
  pad(512 * 32, 3, PADDED(3), rows5);
  gather_places(p, 512, 32, PADDED(3), x, c1, neighbour5, rows5);
  layer(512 * 32, PADDED(3), 64, rows5, w51, a5);
  layer(512 * 32, 64, 64, a5, w52, b5);
  layer(512 * 32, 64, 128, b5, w53, d5);
  aggregate(512, 32, 128, 320, 64, d5, f1);
  // SA6
  float rows6[512 * 128][PADDED(3)], a6[512 * 128][64], b6[512 * 128][96], d6[512 * 128][128];
  int found6[512], inside6[512][128];
  query(p, 512, 128, 0.4f, x, c1, found6, inside6, neighbour6);
  pad(512 * 128, 3, PADDED(3), rows6);
  gather_places(p, 512, 128, PADDED(3), x, c1, neighbour6, rows6);
  layer(512 * 128, PADDED(3), 64, rows6, w61, a6);
  layer(512 * 128, 64, 96, a6, w62, b6);
  layer(512 * 128, 96, 128, b6, w63, d6);
  aggregate(512, 128, 128, 320, 192, d6, f1);
  // 128 of these.
  float near2[512], c2[128][3], f2[128][640];
  sample(512, 128, c1, near2, at2, c2);
  // SA7
  float rows7[128 * 16][PADDED(323)], a7[128 * 16][64], b7[128 * 16][64], d7[128 * 16][128];
  int found7[128], inside7[128][16];
  query(512, 128, 16, 0.2f, c1, c2, found7, inside7, neighbour7);
  pad(128 * 16, 323, PADDED(323), rows7);
  gather_places(512, 128, 16, PADDED(323), c1, c2, neighbour7, rows7);
  gather_features(512, 128 * 16, 320, PADDED(323), f1, neighbour7, rows7);
  layer(128 * 16, PADDED(323), 64, rows7, w71, a7);
  layer(128 * 16, 64, 64, a7, w72, b7);
  layer(128 * 16, 64, 128, b7, w73, d7);
  aggregate(128, 16, 128, 640, 0, d7, f2);
  // SA8
  float rows8[128 * 32][PADDED(323)], a8[128 * 32][128], b8[128 * 32][128], d8[128 * 32][256];
  int found8[128], inside8[128][32];
  query(512, 128, 32, 0.4f, c1, c2, found8, inside8, neighbour8);
  pad(128 * 32, 323, PADDED(323), rows8);
  gather_places(512, 128, 32, PADDED(323), c1, c2, neighbour8, rows8);
  gather_features(512, 128 * 32, 320, PADDED(323), f1, neighbour8, rows8);
  layer(128 * 32, PADDED(323), 128, rows8, w81, a8);
  layer(128 * 32, 128, 128, a8, w82, b8);
  layer(128 * 32, 128, 256, b8, w83, d8);
  aggregate(128, 32, 256, 640, 128, d8, f2);
  // SA9
  float rows9[128 * 128][PADDED(323)], a9[128 * 128][128], b9[128 * 128][128], d9[128 * 128][256];
  int found9[128], inside9[128][128];
  query(512, 128, 128, 0.8f, c1, c2, found9, inside9, neighbour9);
  pad(128 * 128, 323, PADDED(323), rows9);
  gather_places(512, 128, 128, PADDED(323), c1, c2, neighbour9, rows9);
  gather_features(512, 128 * 128, 320, PADDED(323), f1, neighbour9, rows9);
  layer(128 * 128, PADDED(323), 128, rows9, w91, a9);
  layer(128 * 128, 128, 128, a9, w92, b9);
  layer(128 * 128, 128, 256, b9, w93, d9);
  aggregate(128, 128, 256, 640, 384, d9, f2);
  // SA3: of all of them.
  float rows3[128][PADDED(643)], a3[128][256], b3[128][512], d3[128][1024], f3[1][1024], g1[1][512], g2[1][256];
  for (int i = 0; i < 128; i++)
    for (int d = 0; d < 3; d++) rows3[i][d] = c2[i][d];
  for (int i = 0; i < 128; i++)
    for (int d = 0; d < 640; d++) rows3[i][3 + d] = f2[i][d];
  pad(128, 643, PADDED(643), rows3);
  layer(128, PADDED(643), 256, rows3, w31, a3);
  layer(128, 256, 512, a3, w32, b3);
  layer(128, 512, 1024, b3, w33, d3);
  aggregate(1, 128, 1024, 1024, 0, d3, f3);
  layer(1, 1024, 512, f3, wf1, g1);
  layer(1, 512, 256, g1, wf2, g2);
  scores_of(256, 10, g2[0], wf3, scores);
}
