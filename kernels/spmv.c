// A sparse matrix in rows (CSR) times a vector: row i has the entries row[i] to row[i + 1] - 1.
void spmv(int n, int m, int entries, const int row[restrict n + 1], const int column[restrict entries],
          const float value[restrict entries], const float x[restrict m], float y[restrict n]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int e = row[i]; e < row[i + 1]; e++) sum += value[e] * x[column[e]];
    y[i] = sum;
  }
}
