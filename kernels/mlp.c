// Two layers: a graph of kernels that share the hidden layer.
static void layer(int m, int n, const float W[restrict m][n], const float bias[restrict m], const float x[restrict n],
                  float y[restrict m]) {
  for (int i = 0; i < m; i++) {
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += W[i][j] * x[j];
    y[i] = sum + bias[i];
  }
}

static void relu(int n, float x[n]) {
  for (int i = 0; i < n; i++)
    if (x[i] < 0.0f) x[i] = 0.0f;
}

void mlp(int in, int hidden, int out, const float W1[restrict hidden][in], const float b1[restrict hidden],
         const float W2[restrict out][hidden], const float b2[restrict out], const float x[restrict in],
         float y[restrict out]) {
  float h[hidden];
  layer(hidden, in, W1, b1, x, h);
  relu(hidden, h);
  layer(out, hidden, W2, b2, h, y);
}
