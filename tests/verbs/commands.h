/* The commands that librdmacm writes to /dev/infiniband/rdma_cm, one function each. The programs
 * that use them have two adapters that are joined, 192.0.2.1 and 192.0.2.2. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "side.h"

#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>

#define DEVICE	"/dev/infiniband/rdma_cm"
#define WAIT_MS 10000

#define CMD(name) RDMA_USER_CM_CMD_##name

/* Events, as in rdma/rdma_cma.h. */
enum {
	ADDR_RESOLVED,
	ADDR_ERROR,
	ROUTE_RESOLVED = 2,
	CONNECT_REQUEST = 4,
	CONNECT_RESPONSE,
	REJECTED = 8,
	ESTABLISHED,
	DISCONNECTED,
	DEVICE_REMOVAL
};

int open_device(void);
/* Writes a command: `len` bytes of `in`, with room for `out` bytes of answer. Returns 0 or the
 * errno. */
int command(int fd, uint32_t cmd, const void *in, size_t len, size_t out);
/* A pointer as it stands in commands. */
uint64_t at(void *answer);

/* Create an id with the uid 77: in a port space, or in RDMA_PS_TCP, where that must succeed. */
int create_in(int fd, uint16_t ps, uint32_t *id);
uint32_t create(int fd);
/* Stores how many events of the id were taken. */
int destroy(int fd, uint32_t id, uint32_t *events);

struct sockaddr_in6 address(const char *text, uint16_t port);
int bind_to(int fd, uint32_t id, const char *text, uint16_t port);
int set_flag(int fd, uint32_t id, uint32_t name, int flag);
int listen_at(int fd, uint32_t id, uint32_t backlog);
/* Creates a listener at the wildcard of IPv4. */
uint32_t start_listener(int fd, uint16_t port, uint32_t backlog);
struct rdma_ucm_query_route_resp route_of(int fd, uint32_t id);
/* Waits for the next event, which must be of this kind. */
struct rdma_ucm_event_resp expect(int fd, uint32_t kind);
int resolve(int fd, uint32_t id, const char *text, uint16_t port);
int resolve_route(int fd, uint32_t id);
/* Resolves address and route, and connects with the private data "ping". */
int connect_to(int fd, uint32_t id, const char *text, uint16_t port, uint32_t qpn);

#endif
