// Stages of PointNet++ (Qi et al., 2017) as plain loops: sampling, neighbours, and what is learned of them.
//
// Rows of features are padded to 16 elements (PADDED); what is padded is 0, so its weights do not matter.
#include <math.h>

#define PADDED(n) (((n) + 15) / 16 * 16)

// Furthest point sampling: k of p points, each the one that is furthest from those before it. The first is point 0.
static void sample(int p, int k, const float x[restrict p][3], float near[restrict p], int at[restrict k],
                   float c[restrict k][3]) {
  for (int i = 0; i < p; i++) near[i] = 3.0e38f;
  at[0] = 0;
  for (int s = 0; s < k - 1; s++) {
    for (int i = 0; i < p; i++) {
      float dx = x[i][0] - x[at[s]][0], dy = x[i][1] - x[at[s]][1], dz = x[i][2] - x[at[s]][2];
      float d = dx * dx + dy * dy + dz * dz;
      near[i] = fminf(near[i], d);
    }
    float far = -1.0f;
    int next = 0;
    for (int i = 0; i < p; i++)
      if (near[i] > far) {
        far = near[i];
        next = i;
      }
    at[s + 1] = next;
  }
  for (int s = 0; s < k; s++)
    for (int d = 0; d < 3; d++) c[s][d] = x[at[s]][d];
}

// Ball query: for each centre the first n points nearer than r; what is missing is the first of them again.
static void query(int p, int k, int n, float r, const float x[restrict p][3], const float c[restrict k][3],
                  int found[restrict k], int inside[restrict k][n], int neighbour[restrict k * n]) {
  for (int s = 0; s < k; s++) {
    int count = 0;
    for (int i = 0; i < p; i++) {
      float dx = x[i][0] - c[s][0], dy = x[i][1] - c[s][1], dz = x[i][2] - c[s][2];
      if (dx * dx + dy * dy + dz * dz < r * r && count < n) inside[s][count++] = i;
    }
    found[s] = count;
  }
  for (int s = 0; s < k; s++)
    for (int i = 0; i < n; i++) neighbour[s * n + i] = i < found[s] ? inside[s][i] : inside[s][0];
}

// Rows of w elements, one for each neighbour: its place as its centre sees it, then its features, then zeros.
static void gather_places(int p, int k, int n, int w, const float x[restrict p][3], const float c[restrict k][3],
                          const int neighbour[restrict k * n], float rows[restrict k * n][w]) {
  for (int s = 0; s < k; s++)
    for (int i = 0; i < n; i++)
      for (int d = 0; d < 3; d++) rows[s * n + i][d] = x[neighbour[s * n + i]][d] - c[s][d];
}

static void gather_features(int p, int m, int f, int w, const float features[restrict p][f],
                            const int neighbour[restrict m], float rows[restrict m][w]) {
  for (int i = 0; i < m; i++)
    for (int d = 0; d < f; d++) rows[i][3 + d] = features[neighbour[i]][d];
}

static void pad(int m, int used, int w, float rows[restrict m][w]) {
  for (int i = 0; i < m; i++)
    for (int d = used; d < w; d++) rows[i][d] = 0;
}

// One layer for m rows: products by weights as a sum of outer products, and a rectifier.
static void layer(int m, int in, int out, const float x[restrict m][in], const float w[restrict in][out],
                  float y[restrict m][out]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < out; j++) y[i][j] = 0;
  for (int d = 0; d < in; d++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < out; j++) y[i][j] += x[i][d] * w[d][j];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < out; j++) y[i][j] = y[i][j] > 0 ? y[i][j] : 0;
}

// The largest of every feature among n neighbours, into columns of `to` from `first` on.
static void aggregate(int k, int n, int f, int all, int first, const float rows[restrict k * n][f],
                      float to[restrict k][all]) {
  for (int s = 0; s < k; s++)
    for (int j = 0; j < f; j++) {
      float most = 0;
      for (int i = 0; i < n; i++) most = rows[s * n + i][j] > most ? rows[s * n + i][j] : most;
      to[s][first + j] = most;
    }
}

// The last layer has no rectifier.
static void scores_of(int in, int out, const float x[restrict in], const float w[restrict in][out],
                      float y[restrict out]) {
  for (int j = 0; j < out; j++) {
    float v = 0;
    for (int d = 0; d < in; d++) v += x[d] * w[d][j];
    y[j] = v;
  }
}
