// pimento: --data uniform:0,20
void budget(int cost[50], int out[2]) {
  int total = 0, i;
  for (i = 0; i < 50; i++) {
    if (total + cost[i] > 100) break;
    total += cost[i];
  }
  out[0] = total;
  out[1] = i;
}
