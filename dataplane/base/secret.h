/* Secrets: what keys, numbers and ids that strangers must not guess are made from.
 *
 * Every purpose has a key of its own, and everything derived from it goes through SipHash-2-4
 * (libsodium's), which is made for this: whoever sees any number of results learns nothing about
 * the other ones, nor about another purpose. The owner draws the keys from the kernel, one set per
 * adapter; tests derive them from a seed, so that a run can be repeated. No state but the caller's,
 * and no thread.
 */
#ifndef RN_SECRET_H
#define RN_SECRET_H

#include "types.h"

/* X(purpose, what it is for) */
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
	struct rn_secret of[RN_SECRETS]; /* by enum rn_secret_purpose */
};

/* For tests: the same seed gives the same secrets. */
struct rn_secrets rn_secrets_of_seed(uint64_t seed);

/* The keyed hash of bytes. Nobody without the key can find two inputs that collide in more bits
 * than chance has them. */
uint64_t rn_secret_hash(const struct rn_secret *s, const void *bytes, size_t len);

/* A permutation of [0, n): x < n, and every result comes from one x. About ten hashes. */
uint32_t rn_secret_permute(const struct rn_secret *s, uint32_t x, uint32_t n);

/* Numbers one after the other. Two streams of one secret and of one number are the same stream. */
struct rn_stream {
	struct rn_secret secret;
	uint32_t number;
	uint64_t drawn;
};

void rn_stream_init(struct rn_stream *st, const struct rn_secret *s, uint32_t number);
uint64_t rn_stream_next(struct rn_stream *st);

#endif
