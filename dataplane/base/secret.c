/* How are keys, QPNs and ids made so that a peer cannot guess them? A hash function makes them from
 * a secret. Each purpose has a secret of its own. The caller owns all state. Runs on the caller's
 * thread. */
#include "base/secret.h"

#include <string.h>

#include <sodium/crypto_shorthash.h>

static_assert(sizeof(struct rn_secret) == crypto_shorthash_KEYBYTES,
	      "a secret is a key of SipHash");

/* crypto_shorthash() of libsodium may run on the packet path: it keeps no state, allocates nothing
 * and cannot fail. It does not need sodium_init(). */
uint64_t rn_secret_hash(const struct rn_secret *s, const void *bytes, size_t len)
{
	uint64_t hash;

	static_assert(sizeof(hash) == crypto_shorthash_BYTES, "SipHash gives 64 bits");
	crypto_shorthash((uint8_t *)&hash, bytes, len, s->key);
	return hash;
}

static uint64_t hash_pair(const struct rn_secret *s, uint64_t a, uint64_t b)
{
	const uint64_t pair[2] = {a, b};

	return rn_secret_hash(s, pair, sizeof(pair));
}

struct rn_secrets rn_secrets_of_seed(uint64_t seed)
{
	struct rn_secrets all;
	struct rn_secret from = {{0}};

	memcpy(from.key, &seed, sizeof(seed));
	for (unsigned i = 0; i < RN_SECRETS; i++) {
		const uint64_t key[2] = {hash_pair(&from, i, 0), hash_pair(&from, i, 1)};

		memcpy(all.of[i].key, key, sizeof(key));
	}
	return all;
}

/* A Feistel network. x is split into row and column of a square with at least n cells. Each round
 * adds a hash of the column to the row, then a hash of the row to the column. Every step can be
 * undone, so the rounds permute the cells. Results of n or more are permuted again, so the function
 * permutes [0, n). */
uint32_t rn_secret_permute(const struct rn_secret *s, uint32_t x, uint32_t n)
{
	enum { ROUNDS = 5 };
	uint64_t side = 1;

	rn_assert(x < n);
	while (side * side < n)
		side *= 2;
	do {
		uint64_t row = x / side, column = x % side;

		for (unsigned i = 0; i < ROUNDS; i++) {
			row = (row + hash_pair(s, 2 * i, column)) % side;
			column = (column + hash_pair(s, 2 * i + 1, row)) % side;
		}
		x = (uint32_t)(row * side + column);
	} while (x >= n);
	return x;
}

void rn_stream_init(struct rn_stream *st, const struct rn_secret *s, uint32_t number)
{
	*st = (struct rn_stream){.secret = *s, .number = number};
}

uint64_t rn_stream_next(struct rn_stream *st)
{
	return hash_pair(&st->secret, st->number, st->drawn++);
}
