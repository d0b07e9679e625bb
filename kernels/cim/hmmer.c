// hmmer: scores of protein sequences in a profile hidden Markov model, by the Viterbi algorithm on the Plan 7 states
// (Durbin et al., Biological Sequence Analysis, 1998, ch. 5; Eddy, Bioinformatics 1998). What 456.hmmer of SPEC 2006
// spends its time with; nothing here is from there. Scores are whole thousandths of bits.
//
//   hmmer [SEED [STATES [LENGTH [SEQUENCES]]]]
#include "bench.h"

enum { kLetters = 20, kMostStates = 1024, kNever = -(1 << 28) };

/// Scores of steps from position k: to the next match (mm, im, dm), deletion (md, dd) or an insertion here (mi, ii).
typedef struct {
  int32_t mm, mi, md, im, ii, dm, dd;
  int32_t begin, end;  // into match k, and out of it
  int32_t match[kLetters], insert[kLetters];
} Position;

/// Scores around the model: letters before (n), between (j) and after (c) hits stay or move on.
typedef struct {
  int32_t nStay, nMove, jStay, jMove, cStay, cMove, endToJ, endToC;
} Flanks;

typedef struct {
  uint32_t states;
  Position at[kMostStates + 1];  // from 1 on
  Flanks flanks;
} Profile;

/// The best scores of paths that end in each position's states, after some letter.
typedef struct {
  int32_t match[kMostStates + 1], insert[kMostStates + 1], erase[kMostStates + 1];
} Row;

static int32_t larger(int32_t a, int32_t b) {
  return a > b ? a : b;
}

/// One letter: `row` from `last`. Returns the best score of leaving the model after it.
static int32_t nextRow(const Profile *profile, const Row *last, uint32_t letter, int32_t begin, Row *row) {
  int32_t end = kNever;
  for (uint32_t k = 1; k <= profile->states; k++) {
    const Position *here = &profile->at[k], *before = &profile->at[k - 1];
    int32_t match = last->match[k - 1] + before->mm;
    match = larger(match, last->insert[k - 1] + before->im);
    match = larger(match, last->erase[k - 1] + before->dm);
    match = larger(match, begin + here->begin) + here->match[letter];
    row->match[k] = larger(match, kNever);
    int32_t erase = larger(row->match[k - 1] + before->md, row->erase[k - 1] + before->dd);
    row->erase[k] = larger(erase, kNever);
    int32_t insert = larger(last->match[k] + here->mi, last->insert[k] + here->ii) + here->insert[letter];
    row->insert[k] = larger(insert, kNever);
    end = larger(end, row->match[k] + here->end);
  }
  return end;
}

static int32_t viterbi(const Profile *profile, const uint8_t *sequence, uint32_t length, Row rows[2]) {
  const Flanks *flanks = &profile->flanks;
  for (uint32_t k = 0; k <= profile->states; k++)
    for (int r = 0; r < 2; r++) rows[r].match[k] = rows[r].insert[k] = rows[r].erase[k] = kNever;
  int32_t n = 0, j = kNever, c = kNever, begin = flanks->nMove;
  for (uint32_t i = 0; i < length; i++) {
    int32_t end = nextRow(profile, &rows[i % 2], sequence[i], begin, &rows[(i + 1) % 2]);
    n += flanks->nStay;
    j = larger(larger(j + flanks->jStay, end + flanks->endToJ), kNever);
    c = larger(larger(c + flanks->cStay, end + flanks->endToC), kNever);
    begin = larger(n + flanks->nMove, j + flanks->jMove);
  }
  return c + flanks->cMove;
}

/// Each position likes one letter; `consensus` gets them. The last position has no next one.
static void makeProfile(Rng *rng, Profile *profile, uint8_t *consensus) {
  Position never = {kNever, kNever, kNever, kNever, kNever, kNever, kNever, kNever, kNever, {0}, {0}};
  profile->at[0] = never;
  for (uint32_t k = 1; k <= profile->states; k++) {
    Position *position = &profile->at[k];
    *position = never;
    consensus[k - 1] = (uint8_t)randomBelow(rng, kLetters);
    for (uint32_t a = 0; a < kLetters; a++) {
      position->match[a] = randomBetween(rng, -3000, 0);
      position->insert[a] = randomBetween(rng, -500, 100);
    }
    position->match[consensus[k - 1]] = randomBetween(rng, 2000, 4000);
    position->begin = randomBetween(rng, -9000, k == 1 ? -1000 : -7000);
    position->end = k == profile->states ? 0 : randomBetween(rng, -9000, -7000);
    if (k == profile->states) continue;
    position->mm = randomBetween(rng, -100, -10);
    position->mi = randomBetween(rng, -7000, -4000);
    position->md = randomBetween(rng, -7000, -4000);
    position->im = randomBetween(rng, -900, -300);
    position->ii = randomBetween(rng, -2500, -1000);
    position->dm = randomBetween(rng, -900, -300);
    position->dd = randomBetween(rng, -2500, -1000);
  }
  profile->flanks = (Flanks){-8, -7400, -8, -7400, -8, -7400, -1000, -1000};
}

/// Random letters; every second sequence has, over and over, the consensus with letters lost, added and changed.
static void makeSequence(Rng *rng, uint8_t *sequence, uint32_t length, const uint8_t *consensus, uint32_t states,
                         bool isRelated) {
  uint32_t place = randomBelow(rng, states);
  for (uint32_t i = 0; i < length; i++) {
    uint32_t letter = randomBelow(rng, kLetters);
    uint32_t draw = randomBelow(rng, 32);
    if (isRelated && draw >= 4) letter = consensus[place];  // else changed, or added: the place stays
    if (draw != 3) place += draw == 2 ? 2 : 1;
    place %= states;
    sequence[i] = (uint8_t)letter;
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t states = argument(argc, argv, 2, 100, 1, kMostStates);
  uint32_t length = argument(argc, argv, 3, 250, 1, 1 << 14);
  uint32_t sequences = argument(argc, argv, 4, 16, 1, 1000);
  Profile *profile = newArray(1, sizeof *profile);
  profile->states = states;
  uint8_t *consensus = newArray(states, 1);
  makeProfile(&rng, profile, consensus);
  uint8_t *letters = newArray((size_t)sequences * length, 1);
  for (uint32_t s = 0; s < sequences; s++)
    makeSequence(&rng, letters + (size_t)s * length, length, consensus, states, s % 2 == 1);
  Row *rows = newArray(2, sizeof *rows);
  int32_t *scores = newArray(sequences, sizeof *scores);

  region_begin();
  for (uint32_t s = 0; s < sequences; s++) scores[s] = viterbi(profile, letters + (size_t)s * length, length, rows);
  region_end();

  printf("scores");
  for (uint32_t s = 0; s < sequences; s++) printf(" %" PRId32, scores[s]);
  printf("\n");
  free(scores);
  free(rows);
  free(letters);
  free(consensus);
  free(profile);
  return 0;
}
