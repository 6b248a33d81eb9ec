/* Which client listens to which service id? The rules are those of the connection manager
 * within one process, and those of the kernel between processes:
 * - Two listeners of one client conflict if service id and address are equal.
 * - Listeners of two clients also conflict if one of the addresses is a wildcard that covers
 *   the other.
 *
 * A lookup prefers the exact address, then the wildcard of its family, then that of both. */
#ifndef RN_SERVICE_H
#define RN_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

struct rn_service {
	uint64_t id;
	struct rn_gid addr; /* :: = both families, ::ffff:0.0.0.0 = IPv4 */
	unsigned client;    /* 0: the entry is free */
};

/* Services in no order. The numbers are small: a search reads the whole array. */
struct rn_services {
	struct rn_service *of;
	uint32_t max, count;
	uint32_t share; /* maximum number of services of one client */
};

/* Is this the address of a listener at all addresses of the port, or at all its IPv4 addresses? */
bool rn_service_is_wildcard(const struct rn_gid *addr);

int rn_services_create(struct rn_services *s, uint32_t max, uint32_t share);
void rn_services_destroy(struct rn_services *s);

/* Adds a listener. Returns 0, -EADDRINUSE, or -ENOSPC if the table or the client's share is
 * full. */
int rn_services_add(struct rn_services *s, unsigned client, uint64_t id, const struct rn_gid *addr);
/* Removes a listener. Returns 0, or -ENOENT. */
int rn_services_remove(struct rn_services *s, unsigned client, uint64_t id,
		       const struct rn_gid *addr);
void rn_services_remove_client(struct rn_services *s, unsigned client);
/* Returns the client that listens to the service id at this address of the port, or 0. */
unsigned rn_services_find(const struct rn_services *s, uint64_t id, const struct rn_gid *addr);

#endif
