/* A linear table: listeners are added rarely, and only REQs and SIDR_REQs are looked up. */
#include "switch/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "switch/share.h"
#include "wire/frame.h"

static const struct rn_gid any, any_ipv4 = {{[10] = 0xff, [11] = 0xff}};

bool rn_service_is_wildcard(const struct rn_gid *addr)
{
	return rn_gid_equal(addr, &any) || rn_gid_equal(addr, &any_ipv4);
}

int rn_services_create(struct rn_services *s, uint32_t max, uint32_t share)
{
	*s = (struct rn_services){.of = calloc(max, sizeof(*s->of)), .max = max, .share = share};
	return s->of ? 0 : -ENOMEM;
}

void rn_services_destroy(struct rn_services *s)
{
	free(s->of);
	s->of = NULL;
}

/* Returns true if a is a wildcard that covers the address b. */
static bool covers(const struct rn_gid *a, const struct rn_gid *b)
{
	return rn_gid_equal(a, &any) || (rn_gid_equal(a, &any_ipv4) && rn_gid_is_ipv4(b));
}

static bool conflict(const struct rn_service *old, unsigned client, const struct rn_gid *addr)
{
	return rn_gid_equal(&old->addr, addr) ||
	       (old->client != client && (covers(&old->addr, addr) || covers(addr, &old->addr)));
}

/* May the client have one more listener? The entries that are kept for other clients do not
 * count. */
static bool has_room(const struct rn_services *s, unsigned client)
{
	uint32_t own[RN_CLIENT_MAX + 1] = {0}, reserved = 0;

	for (uint32_t i = 0; i < s->max; i++)
		own[s->of[i].client]++;
	for (unsigned c = 1; c <= RN_CLIENT_MAX; c++)
		reserved += c == client ? 0 : rn_share_unused(own[c], s->max);
	return own[client] < s->share && s->count + reserved < s->max;
}

int rn_services_add(struct rn_services *s, unsigned client, uint64_t id, const struct rn_gid *addr)
{
	struct rn_service *free_one = NULL;

	for (uint32_t i = 0; i < s->max; i++) {
		struct rn_service *old = &s->of[i];

		if (old->client == 0)
			free_one = free_one ? free_one : old;
		else if (old->id == id && conflict(old, client, addr))
			return -EADDRINUSE;
	}
	if (!free_one || !has_room(s, client))
		return -ENOSPC;
	*free_one = (struct rn_service){.id = id, .addr = *addr, .client = client};
	s->count++;
	return 0;
}

int rn_services_remove(struct rn_services *s, unsigned client, uint64_t id,
		       const struct rn_gid *addr)
{
	for (uint32_t i = 0; i < s->max; i++) {
		struct rn_service *old = &s->of[i];

		if (old->client == client && old->id == id && rn_gid_equal(&old->addr, addr)) {
			old->client = 0;
			s->count--;
			return 0;
		}
	}
	return -ENOENT;
}

void rn_services_remove_client(struct rn_services *s, unsigned client)
{
	for (uint32_t i = 0; i < s->max; i++)
		if (s->of[i].client == client) {
			s->of[i].client = 0;
			s->count--;
		}
}

unsigned rn_services_find(const struct rn_services *s, uint64_t id, const struct rn_gid *addr)
{
	const struct rn_gid *family = rn_gid_is_ipv4(addr) ? &any_ipv4 : &any;
	unsigned found = 0, best = 3;

	for (uint32_t i = 0; i < s->max; i++) {
		const struct rn_service *old = &s->of[i];
		unsigned rank = 3;

		if (old->client == 0 || old->id != id)
			continue;
		if (rn_gid_equal(&old->addr, addr))
			rank = 0;
		else if (rn_gid_equal(&old->addr, family))
			rank = 1;
		else if (rn_gid_equal(&old->addr, &any))
			rank = 2;
		if (rank < best) {
			best = rank;
			found = old->client;
		}
	}
	return found;
}
