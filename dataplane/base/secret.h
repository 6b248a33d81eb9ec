/* Secrets: the source of all keys, numbers and ids that a peer or another process must not guess.
 *
 * Every purpose has its own 128-bit key, from which SipHash-2-4 (libsodium) derives the numbers.
 * Known numbers tell an attacker nothing about other numbers. The adapter draws the keys from the
 * kernel; tests derive the keys from a seed. The caller owns all state. Any thread may call the
 * functions, but two threads must not share a struct rn_stream. */
#ifndef RN_SECRET_H
#define RN_SECRET_H

#include "base/types.h"

/* columns: purpose, description */
#define RN_SECRET_ROWS(X)                                     \
	X(KEYS, "keys of memory regions and windows")         \
	X(QPNS, "queue pair numbers")                         \
	X(GENERATIONS, "generations of queue pairs")          \
	X(COMM_IDS, "communication ids")                      \
	X(TIDS, "transaction ids")                            \
	X(PORTS, "ephemeral ports")                           \
	X(CM_TABLES, "hash tables of the connection manager") \
	X(NEIGH_TABLE, "hash table of neighbours")

enum rn_secret_purpose {
#define X(purpose, text) RN_SECRET_##purpose,
	RN_SECRET_ROWS(X)
#undef X
		RN_SECRETS
};

struct rn_secret {
	uint8_t key[16];
};

struct rn_secrets {
	struct rn_secret of[RN_SECRETS]; /* indexed by enum rn_secret_purpose */
};

/* Derives all keys from a seed, for tests. The same seed gives the same keys. */
struct rn_secrets rn_secrets_of_seed(uint64_t seed);

/* Returns the keyed hash of len bytes. Without the key an attacker finds collisions by chance only.
 * A peer therefore cannot slow down a hash table that uses this hash. */
uint64_t rn_secret_hash(const struct rn_secret *s, const void *bytes, size_t len);

/* Applies a secret permutation of [0, n) to x < n. Different x give different results. The cost is
 * ten hashes if n is a power of four, and on average less than forty for any n. */
uint32_t rn_secret_permute(const struct rn_secret *s, uint32_t x, uint32_t n);

/* A stream of random numbers that nobody can guess without the secret. `number` distinguishes
 * streams of the same secret. Streams with the same secret and the same `number` give the same
 * values. */
struct rn_stream {
	struct rn_secret secret;
	uint32_t number;
	uint64_t drawn; /* how many values were drawn so far */
};

void rn_stream_init(struct rn_stream *st, const struct rn_secret *s, uint32_t number);
uint64_t rn_stream_next(struct rn_stream *st);

#endif
