/* What the commands of rdma_cm answer: queries, addresses with their lengths, options, and an
 * adapter that is taken away. The answers are those of Linux, errno included. */
#include "commands.h"

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/sa.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GID_ADDR   48 /* bytes of struct sockaddr_ib */
#define FAMILY_IB  27
#define PATH_ROOM  (sizeof(struct rdma_ucm_query_path_resp) + sizeof(struct ib_path_rec_data))
#define OLD_ADDR   offsetof(struct rdma_ucm_query_addr_resp, ibdev_index)
#define TOLERATED  0x40 /* a type of service */
#define V4_BYTES   sizeof(struct sockaddr_in)
#define V6_BYTES   sizeof(struct sockaddr_in6)
#define NO_ADDRESS "198.51.100.1" /* no adapter has it, and none reaches it */

static int query(int fd, uint32_t id, uint32_t option, void *out, size_t room)
{
	struct rdma_ucm_query cmd = {.response = at(out), .id = id, .option = option};

	return command(fd, CMD(QUERY), &cmd, sizeof(cmd), room);
}

static struct rdma_ucm_query_addr_resp addr_of(int fd, uint32_t id)
{
	struct rdma_ucm_query_addr_resp out;

	memset(&out, 0xff, sizeof(out));
	assert_int_equal(query(fd, id, RDMA_USER_CM_QUERY_ADDR, &out, sizeof(out)), 0);
	return out;
}

static struct rdma_ucm_query_addr_resp gids_of(int fd, uint32_t id)
{
	struct rdma_ucm_query_addr_resp out;

	memset(&out, 0xff, sizeof(out));
	assert_int_equal(query(fd, id, RDMA_USER_CM_QUERY_GID, &out, sizeof(out)), 0);
	assert_int_equal(out.src_size, GID_ADDR);
	assert_int_equal(out.dst_size, GID_ADDR);
	assert_int_equal(out.src_addr.ss_family, FAMILY_IB);
	assert_int_equal(out.dst_addr.ss_family, FAMILY_IB);
	return out;
}

/* The answer to a query of paths, with room for more than one. */
static const struct ib_path_rec_data *path_of(int fd, uint32_t id, uint32_t *n)
{
	static uint64_t out[64];
	struct rdma_ucm_query_path_resp *resp = (struct rdma_ucm_query_path_resp *)out;

	memset(out, 0xff, sizeof(out));
	assert_int_equal(query(fd, id, RDMA_USER_CM_QUERY_PATH, out, sizeof(out)), 0);
	*n = resp->num_paths;
	return resp->path_data;
}

/* ---- queries ---- */

static void an_id_without_an_adapter_has_nothing(void **state)
{
	int fd = open_device();
	uint32_t id = create(fd), n;
	struct rdma_ucm_query_addr_resp out = addr_of(fd, id);

	assert_int_equal(out.src_size, 0);
	assert_int_equal(out.dst_size, 0);
	assert_int_equal(out.node_guid, 0);
	assert_int_equal(out.port_num, 0);
	assert_int_equal(out.pkey, 0);
	path_of(fd, id, &n);
	assert_int_equal(n, 0);
	out = gids_of(fd, id);
	assert_int_equal(out.pkey, 0);
	for (size_t i = 2; i < GID_ADDR; i++)
		if (i / 8 != 3) /* the service id, which has the port space */
			assert_int_equal(((uint8_t *)&out.src_addr)[i], 0);
	assert_int_equal(bind_to(fd, id, "::", 4100), 0);
	out = addr_of(fd, id);
	assert_int_equal(out.src_size, V6_BYTES);
	assert_int_equal(out.dst_size, V6_BYTES);
	assert_int_equal(out.port_num, 0);
	close(fd);
}

static void assert_gid(const void *addr, uint8_t last, uint16_t port)
{
	const uint8_t want[16] = {[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = last};
	uint64_t sid;

	memcpy(&sid, (const uint8_t *)addr + 24, sizeof(sid));
	assert_memory_equal((const uint8_t *)addr + 8, want, 16);
	assert_true(be64toh(sid) == ((uint64_t)RDMA_PS_TCP << 16 | port));
}

static void assert_path(const struct ib_path_rec_data *data)
{
	struct ibv_path_record rec;

	memcpy(&rec, data->path_rec, sizeof(rec));
	assert_int_equal(data->flags, IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL);
	assert_int_equal(rec.sgid.raw[15], 1);
	assert_int_equal(rec.dgid.raw[15], 2);
	assert_int_equal(be16toh(rec.pkey), 0xffff);
	assert_int_equal(rec.tclass, TOLERATED);
	assert_int_equal(rec.packetlifetime, 2 << 6 | 20); /* exactly, half of the timeout */
	assert_int_equal(rec.mtu, 2 << 6 | IBV_MTU_4096);
}

static void set_byte(int fd, uint32_t id, uint32_t name, uint8_t value)
{
	struct rdma_ucm_set_option cmd = {
		.optval = at(&value), .id = id, .optname = name, .optlen = 1};

	assert_int_equal(command(fd, CMD(SET_OPTION), &cmd, sizeof(cmd), 0), 0);
}

static void queries_return_addresses_and_path(void **state)
{
	int fd = open_device();
	uint32_t id = create(fd), n;
	struct rdma_ucm_query_addr_resp out;
	struct sockaddr_in own, peer;

	set_byte(fd, id, RDMA_OPTION_ID_TOS, TOLERATED);
	set_byte(fd, id, RDMA_OPTION_ID_ACK_TIMEOUT, 21);
	assert_int_equal(bind_to(fd, id, "192.0.2.1", 4101), 0);
	assert_int_equal(resolve(fd, id, "192.0.2.2", 4102), 0);
	expect(fd, ADDR_RESOLVED);
	out = addr_of(fd, id);
	memcpy(&own, &out.src_addr, sizeof(own));
	memcpy(&peer, &out.dst_addr, sizeof(peer));
	assert_int_equal(out.src_size, V4_BYTES);
	assert_int_equal(out.dst_size, V4_BYTES);
	assert_int_equal(own.sin_addr.s_addr, htonl(0xc0000201));
	assert_int_equal(peer.sin_addr.s_addr, htonl(0xc0000202));
	assert_int_equal(ntohs(own.sin_port), 4101);
	assert_int_equal(ntohs(peer.sin_port), 4102);
	assert_int_equal(out.port_num, 1);
	assert_true(out.node_guid == route_of(fd, id).node_guid);
	assert_int_equal(out.ibdev_index, 1);
	path_of(fd, id, &n);
	assert_int_equal(n, 0); /* no route yet */
	assert_int_equal(resolve_route(fd, id), 0);
	expect(fd, ROUTE_RESOLVED);
	out = gids_of(fd, id);
	assert_gid(&out.src_addr, 1, 4101);
	assert_gid(&out.dst_addr, 2, 4102);
	assert_path(path_of(fd, id, &n));
	assert_int_equal(n, 1);
	assert_int_equal(route_of(fd, id).num_paths, 1);
	assert_int_equal(route_of(fd, id).ib_route[0].packet_life_time, 20);
	close(fd);
}

static void queries_check_their_room(void **state)
{
	static const struct {
		uint32_t option;
		size_t room;
		int rc;
	} rows[] = {
		{RDMA_USER_CM_QUERY_ADDR, OLD_ADDR - 1, ENOSPC},
		{RDMA_USER_CM_QUERY_ADDR, OLD_ADDR, 0},
		{RDMA_USER_CM_QUERY_GID, OLD_ADDR - 1, ENOSPC},
		{RDMA_USER_CM_QUERY_GID, OLD_ADDR, 0},
		{RDMA_USER_CM_QUERY_PATH, 7, ENOSPC},
		{RDMA_USER_CM_QUERY_PATH, 8, 0},
		{RDMA_USER_CM_QUERY_GID + 1, 512, ENOSYS},
	};
	int fd = open_device(), other = open_device();
	uint32_t id = create(fd);
	struct rdma_ucm_query_path_resp *path;
	uint64_t out[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(query(fd, id, rows[i].option, out, rows[i].room), rows[i].rc);
	assert_int_equal(query(fd, id + 1, RDMA_USER_CM_QUERY_ADDR, out, 512), ENOENT);
	assert_int_equal(query(other, id, RDMA_USER_CM_QUERY_ADDR, out, 512), EINVAL);
	assert_int_equal(query(fd, id, RDMA_USER_CM_QUERY_ADDR, (void *)8, 512), EFAULT);
	assert_int_equal(resolve(fd, id, "192.0.2.2", 4103), 0);
	expect(fd, ADDR_RESOLVED);
	assert_int_equal(resolve_route(fd, id), 0);
	expect(fd, ROUTE_RESOLVED);
	/* Paths are whole; and Linux wants more room than the path has bytes. */
	path = (struct rdma_ucm_query_path_resp *)out;
	for (size_t room = PATH_ROOM - 1; room <= PATH_ROOM + 1; room++) {
		memset(out, 0, sizeof(out));
		assert_int_equal(query(fd, id, RDMA_USER_CM_QUERY_PATH, out, room), 0);
		assert_int_equal(path->num_paths, 1);
		assert_true((path->path_data[0].flags != 0) == (room > PATH_ROOM));
	}
	close(fd);
	close(other);
}

/* ---- addresses ---- */

static int bind_sized(int fd, uint32_t id, const struct sockaddr_in6 *addr, uint16_t size)
{
	struct rdma_ucm_bind cmd = {.id = id, .addr_size = size};

	memcpy(&cmd.addr, addr, sizeof(*addr));
	return command(fd, CMD(BIND), &cmd, sizeof(cmd), 0);
}

static void the_size_of_an_address_is_that_of_its_family(void **state)
{
	int fd = open_device();
	uint32_t id = create(fd), n;
	struct sockaddr_in6 v4 = address("192.0.2.1", 0), v6 = address("2001:db8::1", 0);
	struct sockaddr_in6 none = {.sin6_family = AF_UNSPEC}, ib = {.sin6_family = FAMILY_IB};
	struct rdma_ucm_bind reserved = {.id = id, .addr_size = V4_BYTES, .reserved = 1};

	memcpy(&reserved.addr, &v4, sizeof(v4));
	assert_int_equal(command(fd, CMD(BIND), &reserved, sizeof(reserved), 0), EINVAL);
	assert_int_equal(bind_sized(fd, id, &v4, V4_BYTES - 1), EINVAL);
	assert_int_equal(bind_sized(fd, id, &v4, V4_BYTES + 1), EINVAL);
	assert_int_equal(bind_sized(fd, id, &v4, V6_BYTES), EINVAL);
	assert_int_equal(bind_sized(fd, id, &v6, V4_BYTES), EINVAL);
	assert_int_equal(bind_sized(fd, id, &none, V4_BYTES), EINVAL);
	assert_int_equal(bind_sized(fd, id, &none, 0), EINVAL);
	assert_int_equal(bind_sized(fd, id, &ib, GID_ADDR), EINVAL); /* not as Linux: verbs.md */
	assert_int_equal(bind_sized(fd, id + 1, &v4, V4_BYTES), ENOENT);
	assert_int_equal(bind_sized(fd, id, &v4, V4_BYTES), 0);
	assert_int_equal(bind_sized(fd, id, &v4, V4_BYTES), EINVAL); /* bound already */
	assert_int_equal(addr_of(fd, id).src_size, V4_BYTES);
	destroy(fd, id, &n);
	id = create(fd);
	assert_int_equal(bind_sized(fd, id, &v6, V6_BYTES), 0);
	assert_int_equal(addr_of(fd, id).src_size, V6_BYTES);
	close(fd);
}

static int resolve_sized(int fd, uint32_t id, const char *src, size_t src_size, const char *dst,
			 size_t dst_size)
{
	struct rdma_ucm_resolve_addr cmd = {.id = id,
					    .timeout_ms = 2000,
					    .src_size = (uint16_t)src_size,
					    .dst_size = (uint16_t)dst_size};
	struct sockaddr_in6 addr = {0};

	if (src != NULL)
		addr = address(src, 0);
	memcpy(&cmd.src_addr, &addr, sizeof(addr));
	addr = address(dst, 4104);
	memcpy(&cmd.dst_addr, &addr, sizeof(addr));
	return command(fd, CMD(RESOLVE_ADDR), &cmd, sizeof(cmd), 0);
}

static void resolutions_check_both_addresses(void **state)
{
	static const struct {
		const char *src, *dst;
		size_t src_size, dst_size;
		int rc;
	} rows[] = {
		{NULL, "192.0.2.2", 0, V4_BYTES - 1, EINVAL},
		{NULL, "192.0.2.2", 0, V6_BYTES, EINVAL},
		{NULL, "192.0.2.2", 0, 0, EINVAL},
		{NULL, "192.0.2.2", V4_BYTES, V4_BYTES, EINVAL},
		{"192.0.2.1", "192.0.2.2", V6_BYTES, V4_BYTES, EINVAL},
		{"192.0.2.1", "2001:db8::2", V4_BYTES, V6_BYTES, EINVAL},
		{NO_ADDRESS, "192.0.2.2", V4_BYTES, V4_BYTES, EADDRNOTAVAIL},
		{NULL, NO_ADDRESS, 0, V4_BYTES, ENETUNREACH},
		{NULL, "192.0.2.2", 0, V4_BYTES, 0},
		{"192.0.2.1", "192.0.2.2", V4_BYTES, V4_BYTES, 0},
		{"2001:db8::1", "2001:db8::2", V6_BYTES, V6_BYTES, 0},
	};
	int fd = open_device();
	uint32_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t id = create(fd);

		if (resolve_sized(fd, id, rows[i].src, rows[i].src_size, rows[i].dst,
				  rows[i].dst_size) != rows[i].rc)
			fail_msg("row %zu", i);
		if (rows[i].rc == 0)
			expect(fd, ADDR_RESOLVED);
		destroy(fd, id, &n);
	}
	close(fd);
}

/* ---- options ---- */

static int set(int fd, uint32_t id, uint32_t level, uint32_t name, const void *value, uint32_t len)
{
	struct rdma_ucm_set_option cmd = {.optval = at((void *)(uintptr_t)value),
					  .id = id,
					  .level = level,
					  .optname = name,
					  .optlen = len};

	return command(fd, CMD(SET_OPTION), &cmd, sizeof(cmd), 0);
}

/* An adapter resolves 16 addresses at a time, and the 17th id waits for an answer to one of these,
 * also if the ids of the 16 were destroyed. An id without a source address has no adapter after an
 * error. */
static void a_resolution_does_not_wait_for_destroyed_ids(void **state)
{
	int fd = open_device();
	uint32_t id[17], n;
	char text[16];

	for (unsigned i = 0; i < 17; i++) {
		snprintf(text, sizeof(text), "192.0.2.%u", 100 + i); /* nobody has these */
		id[i] = create(fd);
		assert_int_equal(resolve(fd, id[i], text, 4120), 0);
	}
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(destroy(fd, id[i], &n), 0);
	/* The adapter still resolves the 16 addresses. */
	assert_int_equal(resolve(fd, create(fd), "192.0.2.150", 4120), 0);
	expect(fd, ADDR_ERROR);
	expect(fd, ADDR_ERROR);
	assert_true(route_of(fd, id[16]).node_guid == 0);
	close(fd);
}

/* A thread that waits for an event reads the descriptor before it takes the lock. In between
 * another thread may destroy the id of that event. */
static void a_withdrawn_event_leaves_the_descriptor_unreadable(void **state)
{
	int fd = open_device();
	uint32_t first = create(fd), second = create(fd), n;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t count;

	assert_int_equal(resolve(fd, first, "192.0.2.1", 4121), 0);
	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(destroy(fd, first, &n), 0);
	assert_int_equal(resolve(fd, second, "192.0.2.1", 4121), 0);
	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	assert_int_equal(syscall(SYS_write, fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(expect(fd, ADDR_RESOLVED).id, second);
	assert_int_equal(poll(&p, 1, 0), 0);
	close(fd);
}

static void options_check_name_and_length(void **state)
{
	static const struct {
		uint32_t level, name, len;
		int rc;
	} rows[] = {
		{RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 1, 0},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 4, EINVAL},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, 4, 0},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, 1, EINVAL},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, 4, 0},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, 8, EINVAL},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, 1, 0},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, 0, EINVAL},
		{RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT + 1, 1, ENOSYS},
		{RDMA_OPTION_IB, RDMA_OPTION_IB_PATH + 1, 1, ENOSYS},
		{RDMA_OPTION_IB + 1, RDMA_OPTION_ID_TOS, 1, ENOSYS},
	};
	int fd = open_device();
	uint32_t id = create(fd), datagrams = 0;
	uint64_t zero = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (set(fd, id, rows[i].level, rows[i].name, &zero, rows[i].len) != rows[i].rc)
			fail_msg("row %zu", i);
		if (rows[i].len != 0) /* Linux reads the value first */
			assert_int_equal(
				set(fd, id, rows[i].level, rows[i].name, (void *)8, rows[i].len),
				EFAULT);
	}
	assert_int_equal(set(fd, id + 1, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, (void *)8, 1), ENOENT);
	assert_int_equal(create_in(fd, RDMA_PS_UDP, &datagrams), 0);
	assert_int_equal(set(fd, datagrams, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &zero, 1),
			 EINVAL);
	close(fd);
}

static void flags_can_be_set_in_their_states(void **state)
{
	int fd = open_device();
	uint32_t id = create(fd);

	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_REUSEADDR, 1), 0);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_REUSEADDR, 0), 0);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_AFONLY, 1), 0);
	assert_int_equal(bind_to(fd, id, "192.0.2.1", 4105), 0);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_REUSEADDR, 0), EINVAL);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_REUSEADDR, 1), 0);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_AFONLY, 0), 0);
	assert_int_equal(listen_at(fd, id, 0), 0);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_REUSEADDR, 1), EINVAL);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_AFONLY, 1), EINVAL);
	close(fd);
}

/* Listens at the wildcard of IPv6; with `only`, not for IPv4. */
static uint32_t listen_v6(int fd, uint16_t port, int only)
{
	uint32_t id = create(fd);

	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_AFONLY, only), 0);
	assert_int_equal(bind_to(fd, id, "::", port), 0);
	assert_int_equal(listen_at(fd, id, 0), 0);
	return id;
}

static void a_listener_of_one_family_leaves_the_other_alone(void **state)
{
	int fd = open_device(), client = open_device();
	uint32_t only = listen_v6(fd, 4106, 1), id = create(client), n;

	assert_int_equal(connect_to(client, id, "192.0.2.2", 4106, 11), 0);
	expect(client, REJECTED);
	destroy(client, id, &n);
	id = create(client);
	assert_int_equal(connect_to(client, id, "2001:db8::2", 4106, 12), 0);
	assert_int_equal(expect(fd, CONNECT_REQUEST).param.conn.qp_num, 12);
	destroy(client, id, &n);
	id = start_listener(fd, 4106, 0); /* the port is free for IPv4 */
	destroy(fd, id, &n);
	destroy(fd, only, &n);
	listen_v6(fd, 4106, 0);
	id = create(client);
	assert_int_equal(connect_to(client, id, "192.0.2.2", 4106, 13), 0);
	assert_int_equal(expect(fd, CONNECT_REQUEST).param.conn.qp_num, 13);
	close(fd);
	close(client);
}

static struct ib_uverbs_qp_attr attr_of(int fd, uint32_t id, uint32_t qp_state)
{
	struct ib_uverbs_qp_attr out;
	struct rdma_ucm_init_qp_attr cmd = {at(&out), id, qp_state};

	assert_int_equal(command(fd, CMD(INIT_QP_ATTR), &cmd, sizeof(cmd), sizeof(out)), 0);
	return out;
}

/* Both sides have the type of service, each has its own timeout. */
static void options_reach_the_queue_pair(void **state)
{
	int server = open_device(), client = open_device();
	uint32_t listener = create(server), id = create(client), child;
	struct rdma_ucm_accept accept = {.uid = 5};

	set_byte(server, listener, RDMA_OPTION_ID_ACK_TIMEOUT, 9);
	assert_int_equal(bind_to(server, listener, "192.0.2.2", 4107), 0);
	assert_int_equal(listen_at(server, listener, 0), 0);
	set_byte(client, id, RDMA_OPTION_ID_TOS, TOLERATED);
	set_byte(client, id, RDMA_OPTION_ID_ACK_TIMEOUT, 21);
	assert_int_equal(connect_to(client, id, "192.0.2.2", 4107, 21), 0);
	child = expect(server, CONNECT_REQUEST).id;
	assert_int_equal(attr_of(server, child, IBV_QPS_RTR).ah_attr.grh.traffic_class, TOLERATED);
	assert_int_equal(attr_of(server, child, IBV_QPS_RTS).timeout, 9);
	accept.id = child;
	accept.conn_param.valid = 1;
	accept.conn_param.qp_num = 22;
	assert_int_equal(command(server, CMD(ACCEPT), &accept, sizeof(accept), 0), 0);
	expect(client, CONNECT_RESPONSE);
	assert_int_equal(attr_of(client, id, IBV_QPS_RTR).ah_attr.grh.traffic_class, TOLERATED);
	assert_int_equal(attr_of(client, id, IBV_QPS_RTS).timeout, 21);
	/* The client has asked for no RNR retries, so its RNR timer is the longest (code 0). */
	assert_int_equal(attr_of(client, id, IBV_QPS_RTR).min_rnr_timer, 0);
	close(server);
	close(client);
}

/* ---- files ---- */

static int migrate(int to, uint32_t id, int from)
{
	uint32_t n;
	struct rdma_ucm_migrate_id cmd = {.response = at(&n), .id = id, .fd = (uint32_t)from};

	return command(to, CMD(MIGRATE_ID), &cmd, sizeof(cmd), sizeof(n));
}

static void migration_checks_the_descriptor(void **state)
{
	int fd = open_device(), to = open_device(), null = open("/dev/null", O_RDWR);
	uint32_t id = create(fd);

	assert_int_equal(migrate(to, id, 999), ENOENT);
	assert_int_equal(migrate(to, id, -1), ENOENT);
	assert_int_equal(migrate(to, id, null), EINVAL);
	assert_int_equal(migrate(to, id, to), EINVAL);
	assert_int_equal(migrate(to, id + 1, fd), ENOENT);
	assert_int_equal(migrate(fd, id, fd), 0);
	close(fd);
	close(to);
	close(null);
}

/* ---- an adapter is taken away, for good: the last test ---- */

/* Takes the first adapter away, as if its card had been unplugged. */
static void unplug(void)
{
	void *library = dlopen("libsoftrnic.so.0", RTLD_NOW | RTLD_NOLOAD);
	int (*take)(const char *name);

	assert_non_null(library);
	*(void **)&take = dlsym(library, "rn_link_unplug");
	assert_non_null(take);
	assert_int_equal(take("v0"), 0);
}

/* After the removal an id answers nothing but ENXIO, until it is destroyed. */
static void assert_removed(int fd, uint32_t id, uint32_t events)
{
	struct rdma_ucm_disconnect bye = {id};
	uint64_t out[64];
	uint32_t n;

	assert_int_equal(query(fd, id, RDMA_USER_CM_QUERY_ADDR, out, sizeof(out)), ENXIO);
	assert_int_equal(resolve(fd, id, "192.0.2.2", 4109), ENXIO);
	assert_int_equal(resolve_route(fd, id), ENXIO);
	assert_int_equal(listen_at(fd, id, 0), ENXIO);
	assert_int_equal(set_flag(fd, id, RDMA_OPTION_ID_AFONLY, 0), ENXIO);
	assert_int_equal(command(fd, CMD(DISCONNECT), &bye, sizeof(bye), 0), ENXIO);
	assert_int_equal(migrate(fd, id, fd), ENXIO);
	assert_int_equal(destroy(fd, id, &n), 0);
	assert_int_equal(n, events);
	assert_int_equal(destroy(fd, id, &n), ENOENT);
}

static void a_removed_adapter_is_reported_to_its_ids(void **state)
{
	int fd = open_device(), other = open_device();
	uint32_t bound = create(fd), listener = create(fd), id = create(fd);
	uint32_t idle = create(other), any = start_listener(other, 4108, 0), n, found = 0;
	uint32_t far = create(other);

	assert_int_equal(bind_to(fd, bound, "192.0.2.1", 4110), 0);
	assert_int_equal(bind_to(fd, listener, "192.0.2.1", 4111), 0);
	assert_int_equal(listen_at(fd, listener, 0), 0);
	assert_int_equal(resolve(fd, id, "192.0.2.1", 4108), 0);
	expect(fd, ADDR_RESOLVED);
	assert_int_equal(bind_to(other, far, "192.0.2.2", 4112), 0);
	unplug();
	for (int i = 0; i < 3; i++) {
		struct rdma_ucm_event_resp ev = expect(fd, DEVICE_REMOVAL);

		assert_int_equal(ev.uid, 77);
		assert_int_equal(ev.status, 0);
		found |= ev.id == bound ? 1 : ev.id == listener ? 2 : ev.id == id ? 4 : 8;
	}
	assert_int_equal(found, 7);
	assert_removed(fd, bound, 1);
	assert_removed(fd, listener, 1);
	assert_removed(fd, id, 2);
	/* Ids without an adapter, or of another adapter, get no event and can still be used. */
	assert_int_equal(poll(&(struct pollfd){.fd = other, .events = POLLIN}, 1, 100), 0);
	assert_int_equal(listen_at(other, far, 0), 0);
	assert_int_equal(bind_to(other, idle, "192.0.2.1", 4113), ENODEV);
	assert_int_equal(destroy(other, any, &n), 0);
	assert_int_equal(destroy(other, idle, &n), 0);
	close(fd);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_without_an_adapter_has_nothing),
		cmocka_unit_test(queries_return_addresses_and_path),
		cmocka_unit_test(queries_check_their_room),
		cmocka_unit_test(the_size_of_an_address_is_that_of_its_family),
		cmocka_unit_test(resolutions_check_both_addresses),
		cmocka_unit_test(a_resolution_does_not_wait_for_destroyed_ids),
		cmocka_unit_test(a_withdrawn_event_leaves_the_descriptor_unreadable),
		cmocka_unit_test(options_check_name_and_length),
		cmocka_unit_test(flags_can_be_set_in_their_states),
		cmocka_unit_test(a_listener_of_one_family_leaves_the_other_alone),
		cmocka_unit_test(options_reach_the_queue_pair),
		cmocka_unit_test(migration_checks_the_descriptor),
		cmocka_unit_test(a_removed_adapter_is_reported_to_its_ids),
	};
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (list == NULL)
		return 1;
	ibv_free_device_list(list);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
