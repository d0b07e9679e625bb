// AES-128 (FIPS 197), of a block and its key schedule. SBOX(i) is entry i of the substitution box.
#pragma once

#include "common.h"

static inline uint8_t twice(uint8_t x) {
  return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

/// Fills the substitution box: inverses in GF(2^8) by powers of the generator 3, then the affine map.
static void make_sbox(uint8_t *sbox) {
  uint8_t p = 1, q = 1;
  do {
    p = p ^ twice(p);        // times 3
    q ^= (uint8_t)(q << 1);  // divided by 3
    q ^= (uint8_t)(q << 2);
    q ^= (uint8_t)(q << 4);
    if (q & 0x80) q ^= 0x09;
    const uint8_t x = q;
    sbox[p] = (uint8_t)(0x63 ^ x ^ (x << 1 | x >> 7) ^ (x << 2 | x >> 6) ^ (x << 3 | x >> 5) ^ (x << 4 | x >> 4));
  } while (p != 1);
  sbox[0] = 0x63;
}

static void expand_key(const uint8_t *key, uint8_t (*round_keys)[AES_BLOCK]) {
  uint8_t *words = round_keys[0], round_constant = 1;
  for (int i = 0; i < 16; ++i) words[i] = key[i];
  for (int i = 16; i < AES_BLOCK * (ROUNDS + 1); i += 4) {
    uint8_t w[4] = {words[i - 4], words[i - 3], words[i - 2], words[i - 1]};
    if (i % 16 == 0) {
      const uint8_t first = w[0];
      w[0] = SBOX(w[1]) ^ round_constant;
      w[1] = SBOX(w[2]);
      w[2] = SBOX(w[3]);
      w[3] = SBOX(first);
      round_constant = twice(round_constant);
    }
    for (int k = 0; k < 4; ++k) words[i + k] = words[i + k - 16] ^ w[k];
  }
}

static void encrypt(uint8_t (*round_keys)[AES_BLOCK], const uint8_t *from, uint8_t *to) {
  uint8_t s[AES_BLOCK], t[AES_BLOCK];
  for (int i = 0; i < AES_BLOCK; ++i) s[i] = from[i] ^ round_keys[0][i];
  for (int round = 1; round <= ROUNDS; ++round) {
    for (int i = 0; i < AES_BLOCK; ++i) t[i] = SBOX(s[(i + 4 * (i % 4)) % AES_BLOCK]);
    for (int c = 0; c < AES_BLOCK; c += 4) {
      const uint8_t all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3], first = t[c];
      for (int k = 0; k < 4 && round < ROUNDS; ++k) {
        const uint8_t next = k < 3 ? t[c + k + 1] : first;
        t[c + k] ^= all ^ twice(t[c + k] ^ next);
      }
    }
    for (int i = 0; i < AES_BLOCK; ++i) s[i] = t[i] ^ round_keys[round][i];
  }
  for (int i = 0; i < AES_BLOCK; ++i) to[i] = s[i];
}

static void encrypt_counter(uint8_t (*round_keys)[AES_BLOCK], const uint8_t *nonce, uint32_t counter, uint8_t *to) {
  uint8_t block[AES_BLOCK] = {0};
  for (int i = 0; i < 8; ++i) block[i] = nonce[i];
  for (int i = 0; i < 4; ++i) block[12 + i] = (uint8_t)(counter >> (24 - 8 * i));
  encrypt(round_keys, block, to);
}
