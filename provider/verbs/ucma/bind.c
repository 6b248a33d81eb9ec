/* Local addresses and port numbers of ids. The port numbers of a process are kept here, as the
 * kernel's CMA keeps those of a host: by port space, for all adapters together. Owns nothing: the
 * ids themselves are the table. The callers hold the lock. */
#include "ucma/ucma.h"

#include <string.h>
#include <sys/random.h>

/* The range of Linux for ports that nobody chose. */
#define EPHEMERAL_FIRST 32768u
#define EPHEMERAL_COUNT 28232u

static bool same_address(const union ucma_addr *a, const union ucma_addr *b)
{
	struct rn_gid one = ucma_addr_gid(a), other = ucma_addr_gid(b);

	return memcmp(&one, &other, sizeof(one)) == 0;
}

/* May `id` have the same port number as `other`? The rules are those of Linux. */
static int check_pair(const struct ucma_id *id, const struct ucma_id *other, bool reuse)
{
	if (reuse && other->reuse_addr)
		return 0;
	if (id->one_family && other->one_family && id->src.sa.sa_family != other->src.sa.sa_family)
		return 0;
	if (ucma_addr_is_any(&id->src) || ucma_addr_is_any(&other->src))
		return EADDRNOTAVAIL;
	return same_address(&id->src, &other->src) ? EADDRINUSE : 0;
}

static int check_port(const struct ucma_id *id, uint16_t port, bool reuse)
{
	struct ucma_id *other;
	uint32_t at = 0;
	int rc = 0;

	while (rc == 0 && (other = ucma_id_next(&at)) != NULL)
		if (other != id && other->owns_port && other->port_space == id->port_space &&
		    ucma_addr_port(&other->src) == port)
			rc = check_pair(id, other, reuse);
	return rc;
}

/* Chooses a port number that no id has, beginning at random. Returns 0 if there is none. */
static uint16_t free_port(const struct ucma_id *id)
{
	static uint8_t used[65536 / 8];
	struct ucma_id *other;
	uint32_t at = 0, first = 0;

	memset(used, 0, sizeof(used));
	while ((other = ucma_id_next(&at)) != NULL) {
		uint16_t port = ucma_addr_port(&other->src);

		if (other->owns_port && other->port_space == id->port_space)
			used[port / 8] |= (uint8_t)(1 << port % 8);
	}
	if (getrandom(&first, sizeof(first), 0) != sizeof(first))
		first = 0;
	for (uint32_t i = 0; i < EPHEMERAL_COUNT; i++) {
		uint32_t port = EPHEMERAL_FIRST + (first % EPHEMERAL_COUNT + i) % EPHEMERAL_COUNT;

		if (!(used[port / 8] & 1 << port % 8))
			return (uint16_t)port;
	}
	return 0;
}

static int take_port(struct ucma_id *id)
{
	uint16_t port = ucma_addr_port(&id->src);
	int rc = 0;

	if (port != 0)
		rc = check_port(id, port, id->reuse_addr);
	else
		port = free_port(id);
	if (rc == 0 && port == 0)
		rc = EADDRNOTAVAIL;
	if (rc != 0)
		return rc;
	ucma_addr_set_port(&id->src, port);
	id->owns_port = true;
	return 0;
}

/* Finds the adapter of an address that is not a wildcard, and starts it. */
static int take_adapter(struct ucma_id *id)
{
	struct rn_gid gid = ucma_addr_gid(&id->src);
	struct ucma_adapter *adapter = ucma_adapter_with(&gid);
	int rc;

	if (adapter == NULL)
		return EADDRNOTAVAIL;
	rc = ucma_adapter_start(adapter);
	if (rc != 0)
		return rc;
	id->adapter = adapter;
	id->sgid = gid;
	return 0;
}

int ucma_bind(struct ucma_id *id, const union ucma_addr *addr)
{
	socklen_t size = ucma_addr_size(addr);
	int rc = 0;

	if (id->state != UCMA_IDLE)
		return EINVAL;
	memset(&id->src, 0, sizeof(id->src));
	memcpy(&id->src, addr, size);
	if (!ucma_addr_is_any(addr))
		rc = take_adapter(id);
	if (!id->one_family_asked)
		id->one_family = addr->sa.sa_family == AF_INET;
	if (rc == 0)
		rc = take_port(id);
	if (rc != 0) {
		id->adapter = NULL;
		return rc;
	}
	id->dst.sa.sa_family = addr->sa.sa_family;
	id->state = UCMA_BOUND;
	return 0;
}

int ucma_bind_alone(const struct ucma_id *id)
{
	return check_port(id, ucma_addr_port(&id->src), false);
}

struct rn_client_addr ucma_bound_address(const struct ucma_id *id)
{
	struct rn_client_addr addr = {.port = ucma_addr_port(&id->src)};

	if (!ucma_addr_is_any(&id->src))
		addr.gid = ucma_addr_gid(&id->src);
	else if (id->one_family && id->src.sa.sa_family == AF_INET)
		addr.gid = (struct rn_gid){{[10] = 0xff, [11] = 0xff}};
	return addr;
}

/* ---- commands ---- */

static int bind_to(struct ucma_call *call, uint32_t handle, const union ucma_addr *addr,
		   size_t have)
{
	socklen_t size = ucma_addr_size(addr);
	struct ucma_id *id;
	int rc;

	if (size == 0 || have != size)
		return EINVAL;
	rc = ucma_call_id(call, handle, false, &id);
	return rc != 0 ? rc : ucma_bind(id, addr);
}

int ucma_bind_ip(struct ucma_call *call)
{
	union ucma_addr addr = {.in6 = call->in.bind_ip.addr};

	return bind_to(call, call->in.bind_ip.id, &addr, ucma_addr_size(&addr));
}

/* Refuses the addresses of InfiniBand (AF_IB). librdmacm tries one at its start, and then uses
 * BIND_IP and the like. */
int ucma_bind_addr(struct ucma_call *call)
{
	const struct rdma_ucm_bind *cmd = &call->in.bind;
	union ucma_addr addr;

	if (cmd->reserved != 0)
		return EINVAL;
	memcpy(&addr, &cmd->addr, sizeof(addr));
	return bind_to(call, cmd->id, &addr, cmd->addr_size);
}
