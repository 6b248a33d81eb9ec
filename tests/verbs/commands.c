/* Owns nothing. */
#include "commands.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

int open_device(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Writes a command. Returns 0 or the errno. */
int command(int fd, uint32_t cmd, const void *in, size_t len, size_t out)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		uint8_t in[512];
	} buf = {.hdr = {cmd, (uint16_t)len, (uint16_t)out}};
	ssize_t n;

	assert_true(len <= sizeof(buf.in));
	memcpy(buf.in, in, len);
	n = write(fd, &buf, sizeof(buf.hdr) + len);
	assert_true(n == -1 || (size_t)n == sizeof(buf.hdr) + len);
	return n == -1 ? errno : 0;
}

uint64_t at(void *answer)
{
	return (uintptr_t)answer;
}

int create_in(int fd, uint16_t ps, uint32_t *id)
{
	struct rdma_ucm_create_id cmd = {.uid = 77, .response = at(id), .ps = ps};

	return command(fd, CMD(CREATE_ID), &cmd, sizeof(cmd), sizeof(*id));
}

uint32_t create(int fd)
{
	uint32_t id = 0;

	assert_int_equal(create_in(fd, RDMA_PS_TCP, &id), 0);
	return id;
}

int destroy(int fd, uint32_t id, uint32_t *events)
{
	struct rdma_ucm_destroy_id cmd = {.response = at(events), .id = id};

	return command(fd, CMD(DESTROY_ID), &cmd, sizeof(cmd), sizeof(*events));
}

struct sockaddr_in6 address(const char *text, uint16_t port)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		memset(&in6, 0, sizeof(in6));
		memcpy(&in6, &in, sizeof(in));
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	}
	return in6;
}

int bind_to(int fd, uint32_t id, const char *text, uint16_t port)
{
	struct rdma_ucm_bind_ip cmd = {.addr = address(text, port), .id = id};

	return command(fd, CMD(BIND_IP), &cmd, sizeof(cmd), 0);
}

int set_flag(int fd, uint32_t id, uint32_t name, int flag)
{
	struct rdma_ucm_set_option cmd = {
		.optval = at(&flag), .id = id, .optname = name, .optlen = 4};

	return command(fd, CMD(SET_OPTION), &cmd, sizeof(cmd), 0);
}

int listen_at(int fd, uint32_t id, uint32_t backlog)
{
	struct rdma_ucm_listen cmd = {id, backlog};

	return command(fd, CMD(LISTEN), &cmd, sizeof(cmd), 0);
}

struct rdma_ucm_query_route_resp route_of(int fd, uint32_t id)
{
	struct rdma_ucm_query_route_resp out;
	struct rdma_ucm_query cmd = {.response = at(&out), .id = id};

	memset(&out, 0xff, sizeof(out));
	assert_int_equal(command(fd, CMD(QUERY_ROUTE), &cmd, sizeof(cmd), sizeof(out)), 0);
	return out;
}

/* Waits for the next event, which must be of this kind. */
struct rdma_ucm_event_resp expect(int fd, uint32_t kind)
{
	struct rdma_ucm_event_resp out = {0};
	struct rdma_ucm_get_event cmd = {.response = at(&out)};
	struct pollfd p = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	assert_int_equal(command(fd, CMD(GET_EVENT), &cmd, sizeof(cmd), sizeof(out)), 0);
	assert_int_equal(out.event, kind);
	return out;
}

int resolve(int fd, uint32_t id, const char *text, uint16_t port)
{
	struct rdma_ucm_resolve_ip cmd = {
		.dst_addr = address(text, port), .id = id, .timeout_ms = 2000};

	return command(fd, CMD(RESOLVE_IP), &cmd, sizeof(cmd), 0);
}

int resolve_route(int fd, uint32_t id)
{
	struct rdma_ucm_resolve_route cmd = {id, 2000};

	return command(fd, CMD(RESOLVE_ROUTE), &cmd, sizeof(cmd), 0);
}

int connect_to(int fd, uint32_t id, const char *text, uint16_t port, uint32_t qpn)
{
	struct rdma_ucm_connect cmd = {.id = id};

	assert_int_equal(resolve(fd, id, text, port), 0);
	expect(fd, ADDR_RESOLVED);
	assert_int_equal(resolve_route(fd, id), 0);
	expect(fd, ROUTE_RESOLVED);
	cmd.conn_param.valid = 1;
	cmd.conn_param.qp_num = qpn;
	cmd.conn_param.responder_resources = 3;
	cmd.conn_param.initiator_depth = 5;
	cmd.conn_param.private_data_len = 57;
	assert_int_equal(command(fd, CMD(CONNECT), &cmd, sizeof(cmd), 0), EINVAL);
	cmd.conn_param.private_data_len = 4;
	memcpy(cmd.conn_param.private_data, "ping", 4);
	return command(fd, CMD(CONNECT), &cmd, sizeof(cmd), 0);
}

uint32_t start_listener(int fd, uint16_t port, uint32_t backlog)
{
	uint32_t id = create(fd);

	assert_int_equal(bind_to(fd, id, "0.0.0.0", port), 0);
	assert_int_equal(listen_at(fd, id, backlog), 0);
	return id;
}
