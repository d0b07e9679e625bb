// Features of neighbours, gathered, through three layers of inner products, each with a rectifier.
static void layer(int m, int k, int n, const float in[restrict m][k], const float W[restrict n][k],
                  float out[restrict m][n]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      float v = 0;
      for (int d = 0; d < k; d++) v += in[i][d] * W[j][d];
      out[i][j] = v > 0 ? v : 0;
    }
}

void gather_mlp_in(int m, int f, int k, const float feat[restrict f][k], const int nbr[restrict m],
                   const float W1[restrict k][k], const float W2[restrict k][k], const float W3[restrict k][k],
                   float G[restrict m][k], float out[restrict m][k]) {
  for (int i = 0; i < m; i++)
    for (int d = 0; d < k; d++) G[i][d] = feat[nbr[i]][d];
  layer(m, k, k, G, W1, out);
  layer(m, k, k, out, W2, G);
  layer(m, k, k, G, W3, out);
}
