// pimento: --size n=40,dim=6
void cost(int n, int dim, float p[n][dim], float c[dim], float w[n], float out[n]) {
  for (int i = 0; i < n; i++) {
    float d = 0;
    for (int k = 0; k < dim; k++) d += (p[i][k] - c[k]) * (p[i][k] - c[k]);
    out[i] = d * w[i];
  }
}
