/* Secrets: the source of all keys, numbers and ids that a peer or another process must not guess.
 *
 * Every purpose has its own 128-bit key, and every number is derived from a key by SipHash-2-4
 * (libsodium's), a pseudo-random function: an attacker who sees any number of results learns
 * nothing about the others, nor about another purpose. The adapter draws one set of keys from the
 * kernel; tests derive the set from a seed, so that a run can be repeated. The caller owns all
 * state. Any thread may call the functions, but only one at a time may use a struct rn_stream.
 */
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

/* For tests only: the same seed gives the same secrets. */
struct rn_secrets rn_secrets_of_seed(uint64_t seed);

/* The keyed hash of len bytes. Without the key an attacker finds collisions only by chance, so a
 * peer cannot slow down a hash table that uses this hash. */
uint64_t rn_secret_hash(const struct rn_secret *s, const void *bytes, size_t len);

/* Applies a secret permutation of [0, n) to x < n: different x give different results. One pass
 * costs ten hashes and is repeated while its result is n or more: one pass is enough if n is a
 * power of four, and the average is below 4 passes for any n. */
uint32_t rn_secret_permute(const struct rn_secret *s, uint32_t x, uint32_t n);

/* A stream of random numbers. `number` distinguishes streams of the same secret: two streams with
 * the same secret and the same number give the same values. */
struct rn_stream {
	struct rn_secret secret;
	uint32_t number;
	uint64_t drawn; /* how many values were drawn so far */
};

void rn_stream_init(struct rn_stream *st, const struct rn_secret *s, uint32_t number);
uint64_t rn_stream_next(struct rn_stream *st);

#endif
