/* Commands as librdmacm writes them to /dev/infiniband/rdma_cm, and commands that it never would.
 * The program runs with softrnic's libibverbs and libsoftrnic-preload.so, and has two adapters that
 * are joined, 192.0.2.1 and 192.0.2.2. */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20000

/* ---- rubbish ---- */

static void the_device_is_a_device(void **state)
{
	int fd = open_device();
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(close(fd), 0);
	assert_int_equal(fstat(fd, &st), -1);
	assert_int_equal(write(fd, &st, sizeof(st)), -1);
	assert_int_equal(errno, EBADF);
}

static void lengths_are_checked(void **state)
{
	int fd = open_device();
	uint8_t rubbish[600] = {0};
	struct rdma_ucm_cmd_hdr hdr = {CMD(LISTEN), 8, 0};

	for (size_t n = 0; n < sizeof(hdr); n++) {
		assert_int_equal(write(fd, &hdr, n), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(write(fd, &hdr, sizeof(hdr)), -1); /* says 8 bytes more than there are */
	assert_int_equal(errno, EINVAL);
	for (uint32_t cmd = 0; cmd <= CMD(JOIN_MCAST); cmd++)
		if (cmd != CMD(GET_OPTION))
			assert_int_equal(command(fd, cmd, rubbish, 3, 512), EINVAL);
	assert_int_equal(command(fd, CMD(GET_OPTION), rubbish, 64, 0), ENOSYS);
	assert_int_equal(command(fd, CMD(JOIN_MCAST) + 1, rubbish, 64, 0), EINVAL);
	assert_int_equal(command(fd, UINT32_MAX, rubbish, 64, 0), EINVAL);
	/* longer than the struct: as in Linux, the rest does not matter */
	assert_int_equal(command(fd, CMD(DESTROY_ID), rubbish, 512, 4), EFAULT);
	close(fd);
}

static void pointers_are_checked(void **state)
{
	int fd = open_device();
	uint32_t id = 0;
	struct rdma_ucm_create_id cmd = {.ps = RDMA_PS_TCP};
	void *volatile low = (void *)8; /* volatile: the compiler warns of it otherwise */
	void *read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_int_equal(write(fd, low, 64), -1);
	assert_int_equal(errno, EFAULT);
	low = (void *)~UINT64_C(0xfff);
	assert_int_equal(write(fd, low, 64), -1);
	assert_int_equal(command(fd, CMD(CREATE_ID), &cmd, sizeof(cmd), 4), EFAULT);
	cmd.response = at(read_only);
	assert_int_equal(command(fd, CMD(CREATE_ID), &cmd, sizeof(cmd), 4), EFAULT);
	cmd.response = at(&id);
	assert_int_equal(command(fd, CMD(CREATE_ID), &cmd, sizeof(cmd), 3), ENOSPC);
	cmd.ps = 1;
	assert_int_equal(command(fd, CMD(CREATE_ID), &cmd, sizeof(cmd), 4), EINVAL);
	munmap(read_only, 4096);
	close(fd);
}

static void ids_are_checked(void **state)
{
	int fd = open_device(), other = open_device();
	uint32_t id = create(fd), n;

	assert_int_equal(destroy(fd, id + 1, &n), ENOENT);
	assert_int_equal(destroy(other, id, &n), EINVAL);
	assert_int_equal(destroy(fd, id, &n), 0);
	assert_int_equal(destroy(fd, id, &n), ENOENT);
	close(fd);
	close(other);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Random commands with ids that exist, and pointers good and bad. */
static void rubbish_does_no_harm(void **state)
{
	static uint8_t answer[1024], words[64];
	const uint64_t pointers[] = {at(answer), at(answer), at(answer), 0, 1, UINT64_MAX - 7};
	int fd = open(DEVICE, O_RDWR | O_NONBLOCK);
	uint32_t seed = 7, id = create(fd), n, made = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t cmd = next_random(&seed) % (CMD(JOIN_MCAST) + 2);
		uint8_t in[512];

		for (size_t b = 0; b < sizeof(in); b++)
			in[b] = next_random(&seed) % 3 ? 0 : (uint8_t)next_random(&seed);
		for (size_t b = 0; b < 16; b += 8)
			memcpy(in + b, &pointers[next_random(&seed) % 6], 8);
		for (size_t b = next_random(&seed) % 5 * 4; b < 80; b += 20)
			memcpy(in + b, &id, 4);
		if (cmd == CMD(SET_OPTION))
			memcpy(in, &(uint64_t){at(words)}, 8);
		made += command(fd, cmd, in, next_random(&seed) % 400, next_random(&seed) % 600) ==
			0;
		if (i % 16 == 0) {
			destroy(fd, id, &n);
			id = create(fd);
		}
	}
	assert_true(made > 0);
	close(fd);
}

/* ---- addresses and ports ---- */

static void ports_are_taken_once(void **state)
{
	static const struct {
		const char *first, *second;
		int reuse, rc;
	} rows[] = {
		{"0.0.0.0", "192.0.2.1", 0, EADDRNOTAVAIL},
		{"192.0.2.1", "192.0.2.1", 0, EADDRINUSE},
		{"192.0.2.1", "192.0.2.2", 0, 0},
		{"192.0.2.1", "192.0.2.1", 1, 0},
		{"192.0.2.1", "2001:db8::1", 0, 0},
		{"::", "192.0.2.1", 0, EADDRNOTAVAIL},
	};
	int fd = open_device();
	uint32_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t a = create(fd), b = create(fd);

		set_flag(fd, a, RDMA_OPTION_ID_REUSEADDR, rows[i].reuse);
		set_flag(fd, b, RDMA_OPTION_ID_REUSEADDR, rows[i].reuse);
		assert_int_equal(bind_to(fd, a, rows[i].first, 4000), 0);
		assert_int_equal(bind_to(fd, b, rows[i].second, 4000), rows[i].rc);
		assert_int_equal(listen_at(fd, a, 0), rows[i].reuse ? EADDRINUSE : 0);
		destroy(fd, a, &n);
		destroy(fd, b, &n);
	}
	close(fd);
}

static void a_port_is_chosen(void **state)
{
	int fd = open_device();
	uint32_t id = create(fd);
	struct rdma_ucm_query_route_resp route;

	assert_int_equal(bind_to(fd, id, "198.51.100.1", 0), EADDRNOTAVAIL);
	assert_int_equal(bind_to(fd, id, "0.0.0.0", 0), 0);
	assert_int_equal(bind_to(fd, id, "0.0.0.0", 0), EINVAL);
	route = route_of(fd, id);
	assert_true(ntohs(route.src_addr.sin6_port) >= 32768);
	assert_int_equal(route.port_num, 0); /* no adapter yet */
	close(fd);
}

static void closing_frees_the_port(void **state)
{
	for (int i = 0; i < 2; i++) {
		int fd = open_device();
		uint32_t id = create(fd);

		assert_int_equal(bind_to(fd, id, "192.0.2.1", 4001), 0);
		assert_int_equal(listen_at(fd, id, 0), 0);
		if (i == 0)
			close(fd);
		else
			assert_int_equal(dup2(STDERR_FILENO, fd), fd);
		fd = open_device();
		id = create(fd);
		assert_int_equal(bind_to(fd, id, "192.0.2.1", 4001), 0);
		close(fd);
	}
}

/* ---- a connection ---- */

static int answer(int fd, uint32_t id, uint64_t uid, uint8_t valid, uint32_t qpn)
{
	struct rdma_ucm_accept cmd = {.uid = uid, .id = id};

	cmd.conn_param.valid = valid;
	cmd.conn_param.qp_num = qpn;
	return command(fd, CMD(ACCEPT), &cmd, sizeof(cmd), 0);
}

static int attr_mask(int fd, uint32_t id, uint32_t qp_state)
{
	struct ib_uverbs_qp_attr out;
	struct rdma_ucm_init_qp_attr cmd = {at(&out), id, qp_state};
	int rc = command(fd, CMD(INIT_QP_ATTR), &cmd, sizeof(cmd), sizeof(out));

	return rc != 0 ? -rc : (int)out.qp_attr_mask;
}

static void a_connection_lives_and_ends(void **state)
{
	int server = open_device(), client = open_device();
	uint32_t listener = start_listener(server, 4002, 0), id = create(client), child, n;
	struct rdma_ucm_event_resp ev;
	struct rdma_ucm_disconnect bye;

	assert_int_equal(attr_mask(client, id, IBV_QPS_INIT), -EINVAL); /* no adapter */
	assert_int_equal(connect_to(client, id, "192.0.2.2", 4002, 77), 0);
	assert_int_equal(attr_mask(client, id, IBV_QPS_RTR), -EINVAL); /* no answer yet */
	ev = expect(server, CONNECT_REQUEST);
	child = ev.id;
	assert_int_equal(ev.uid, 77);
	assert_int_equal(ev.param.conn.private_data_len, 56);
	assert_memory_equal(ev.param.conn.private_data, "ping", 5);
	assert_int_equal(ev.param.conn.responder_resources, 5);
	assert_int_equal(ev.param.conn.initiator_depth, 3);
	assert_int_equal(ev.param.conn.qp_num, 77);
	assert_int_equal(attr_mask(server, child, IBV_QPS_INIT), 0x39);
	assert_int_equal(attr_mask(server, child, IBV_QPS_RTR), 0x129181);
	assert_int_equal(attr_mask(server, child, IBV_QPS_RTS), 0x12e01);
	assert_int_equal(route_of(server, child).num_paths, 1);
	assert_int_equal(answer(server, child, 88, 1, 78), 0);
	assert_int_equal(expect(client, CONNECT_RESPONSE).param.conn.qp_num, 78);
	assert_int_equal(attr_mask(client, id, IBV_QPS_RTR), 0x129181);
	assert_int_equal(answer(client, id, 77, 0, 0), 0);
	assert_int_equal(expect(server, ESTABLISHED).uid, 88);
	bye.id = id;
	assert_int_equal(command(client, CMD(DISCONNECT), &bye, sizeof(bye), 0), 0);
	assert_int_equal(expect(server, DISCONNECTED).uid, 88);
	bye.id = child;
	assert_int_equal(command(server, CMD(DISCONNECT), &bye, sizeof(bye), 0), 0);
	expect(client, DISCONNECTED);
	assert_int_equal(destroy(client, id, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(destroy(server, child, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(destroy(server, listener, &n), 0);
	assert_int_equal(n, 1);
	close(server);
	close(client);
}

static void requests_are_rejected(void **state)
{
	int server = open_device(), client = open_device();
	uint32_t listener = start_listener(server, 4003, 1), id = create(client),
		 other = create(client), n;
	struct rdma_ucm_reject no = {.private_data_len = 2, .private_data = "no"};
	struct rdma_ucm_event_resp ev;

	assert_int_equal(connect_to(client, id, "192.0.2.2", 4003, 101), 0);
	assert_int_equal(poll(&(struct pollfd){.fd = server, .events = POLLIN}, 1, WAIT_MS), 1);
	/* the backlog is full until the first request is taken */
	assert_int_equal(connect_to(client, other, "192.0.2.2", 4003, 102), 0);
	ev = expect(client, REJECTED);
	assert_int_equal(ev.id, other);
	assert_int_equal(ev.status, 28);
	no.id = expect(server, CONNECT_REQUEST).id;
	no.reason = 1;
	assert_int_equal(command(server, CMD(REJECT), &no, sizeof(no), 0), EINVAL);
	no.reason = 0;
	assert_int_equal(command(server, CMD(REJECT), &no, sizeof(no), 0), 0);
	ev = expect(client, REJECTED);
	assert_int_equal(ev.id, id);
	assert_memory_equal(ev.param.conn.private_data, "no", 3);
	destroy(server, listener, &n);
	destroy(client, id, &n);
	id = create(client);
	assert_int_equal(connect_to(client, id, "192.0.2.2", 4003, 103), 0);
	assert_int_equal(expect(client, REJECTED).status, 8); /* nobody listens */
	close(server);
	close(client);
}

static void ids_move_with_their_events(void **state)
{
	int from = open_device(), to = open_device();
	uint32_t id = create(from), n = 9;
	struct rdma_ucm_migrate_id cmd = {.response = at(&n), .id = id, .fd = (uint32_t)from};

	assert_int_equal(resolve(from, id, "192.0.2.2", 4004), 0);
	assert_int_equal(poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, WAIT_MS), 1);
	assert_int_equal(command(to, CMD(MIGRATE_ID), &cmd, sizeof(cmd), 4), 0);
	assert_int_equal(n, 0);
	assert_int_equal(poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, 0), 0);
	expect(to, ADDR_RESOLVED);
	assert_int_equal(command(to, CMD(MIGRATE_ID), &cmd, sizeof(cmd), 4), EINVAL);
	assert_int_equal(destroy(to, id, &n), 0);
	assert_int_equal(n, 1);
	close(from);
	close(to);
}

static void an_event_survives_a_bad_pointer(void **state)
{
	int fd = open_device();
	uint32_t id = create(fd);
	struct rdma_ucm_get_event cmd = {.response = 8};

	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(command(fd, CMD(GET_EVENT), &cmd, sizeof(cmd), 336), EAGAIN);
	assert_int_equal(resolve(fd, id, "192.0.2.1", 4005), 0);
	assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, WAIT_MS), 1);
	assert_int_equal(command(fd, CMD(GET_EVENT), &cmd, sizeof(cmd), 336), EFAULT);
	expect(fd, ADDR_RESOLVED);
	close(fd);
}

/* ---- children: they have the descriptor, but not the connections ---- */

static void children_do_no_harm(void **state)
{
	int fd = open_device(), status;
	uint32_t id = create(fd), n;
	pid_t child = vfork();

	if (child == 0) {
		close(fd);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	child = fork();
	if (child == 0) {
		int rc = destroy(fd, id, &n);

		close(fd);
		_exit(rc);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), EIO);
	assert_int_equal(destroy(fd, id, &n), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_is_a_device),
		cmocka_unit_test(lengths_are_checked),
		cmocka_unit_test(pointers_are_checked),
		cmocka_unit_test(ids_are_checked),
		cmocka_unit_test(ports_are_taken_once),
		cmocka_unit_test(a_port_is_chosen),
		cmocka_unit_test(closing_frees_the_port),
		cmocka_unit_test(a_connection_lives_and_ends),
		cmocka_unit_test(requests_are_rejected),
		cmocka_unit_test(ids_move_with_their_events),
		cmocka_unit_test(an_event_survives_a_bad_pointer),
		cmocka_unit_test(children_do_no_harm),
		cmocka_unit_test(rubbish_does_no_harm),
	};

	struct ibv_device **list = ibv_get_device_list(NULL);

	/* That has loaded the library: the device exists for programs of verbs. */
	if (list == NULL)
		return 1;
	ibv_free_device_list(list);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
