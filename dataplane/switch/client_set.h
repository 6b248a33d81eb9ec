/* A set of client numbers, 0 to 255. All bytes zero is the empty set. */
#ifndef RN_CLIENT_SET_H
#define RN_CLIENT_SET_H

#include <stdbool.h>
#include <stdint.h>

struct rn_client_set {
	uint64_t word[4];
};

static inline void rn_client_set_add(struct rn_client_set *s, unsigned client)
{
	s->word[client / 64 & 3] |= (uint64_t)1 << client % 64;
}

static inline void rn_client_set_remove(struct rn_client_set *s, unsigned client)
{
	s->word[client / 64 & 3] &= ~((uint64_t)1 << client % 64);
}

static inline bool rn_client_set_has(const struct rn_client_set *s, unsigned client)
{
	return s->word[client / 64 & 3] >> client % 64 & 1;
}

static inline bool rn_client_set_empty(const struct rn_client_set *s)
{
	return (s->word[0] | s->word[1] | s->word[2] | s->word[3]) == 0;
}

/* Returns the smallest member >= first, or 256 if there is none. Use:
 * for (c = rn_client_set_next(s, 0); c < 256; c = rn_client_set_next(s, c + 1)) */
static inline unsigned rn_client_set_next(const struct rn_client_set *s, unsigned first)
{
	for (unsigned i = first / 64; i < 4; i++) {
		uint64_t left = s->word[i];

		if (i == first / 64)
			left &= ~(uint64_t)0 << first % 64;
		if (left)
			return i * 64 + (unsigned)__builtin_ctzll(left);
	}
	return 256;
}

#endif
