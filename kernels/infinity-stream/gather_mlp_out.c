// Features of neighbours, gathered, through three layers of outer products, each with a rectifier.
static void layer(int m, int k, int n, const float in[restrict m][k], const float W[restrict k][n],
                  float out[restrict m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) out[i][j] = 0;
  for (int d = 0; d < k; d++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) out[i][j] += in[i][d] * W[d][j];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) out[i][j] = out[i][j] > 0 ? out[i][j] : 0;
}

void gather_mlp_out(int m, int f, int k, const float feat[restrict f][k], const int nbr[restrict m],
                    const float W1[restrict k][k], const float W2[restrict k][k], const float W3[restrict k][k],
                    float G[restrict m][k], float out[restrict m][k]) {
  for (int i = 0; i < m; i++)
    for (int d = 0; d < k; d++) G[i][d] = feat[nbr[i]][d];
  layer(m, k, k, G, W1, out);
  layer(m, k, k, out, W2, G);
  layer(m, k, k, G, W3, out);
}
