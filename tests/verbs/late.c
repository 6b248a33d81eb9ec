/* Behind softrnicd, looking at a device starts nothing, so that a program may do so before it
 * forks. The first object of each process starts the part of the adapter that belongs to the
 * process. Tests run in the order of main(): the last one starts the adapter of the parent. */
#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ibv_context *context;

/* Opens the device, without objects. */
static int open_first(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (list == NULL || list[0] == NULL)
		return -1;
	context = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	return context == NULL;
}

static void a_device_can_be_looked_at(void **state)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	union ibv_gid gid;
	uint16_t pkey;

	assert_int_equal(ibv_query_device(context, &device), 0);
	assert_true(device.max_qp > 0);
	assert_int_equal(ibv_query_port(context, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	assert_true(port.gid_tbl_len > 0);
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	assert_memory_equal(gid.raw + 12, ((uint8_t[]){192, 0, 2, 1}), 4);
	assert_int_equal(ibv_query_pkey(context, 1, 0, &pkey), 0);
}

/* Makes two QPs that are connected with each other, and sends a message. */
static void use_the_adapter(void)
{
	struct side one, other;

	side_connect(&one, &other, 0, 0, 4);
	side_recv(&other, 1, 0, 100);
	side_send(&one, 2, 0, 100);
	assert_int_equal(side_wait(&other).status, IBV_WC_SUCCESS);
	assert_int_equal(side_wait(&one).status, IBV_WC_SUCCESS);
	side_close(&one);
	side_close(&other);
}

/* Runs a test in a child, and returns its exit status. */
static int in_child(int (*run)(void))
{
	pid_t pid = fork();
	int status = -1;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(run());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int child_uses_it(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(context); /* in the context that the parent has opened */

	if (pd == NULL)
		return 1;
	use_the_adapter();
	return ibv_dealloc_pd(pd);
}

static void a_child_can_use_the_adapter(void **state)
{
	assert_int_equal(in_child(child_uses_it), 0);
	assert_int_equal(in_child(child_uses_it), 0);
}

static int child_is_refused(void)
{
	return ibv_alloc_pd(context) == NULL && errno == EIO ? 7 : 1;
}

static void events_start_the_adapter(void **state)
{
	struct ibv_async_event event;

	assert_int_equal(fcntl(context->async_fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(ibv_get_async_event(context, &event), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(in_child(child_is_refused), 7);
	use_the_adapter();
	assert_int_equal(ibv_close_device(context), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_can_be_looked_at),
		cmocka_unit_test(a_child_can_use_the_adapter),
		cmocka_unit_test(events_start_the_adapter),
	};

	return cmocka_run_group_tests(tests, open_first, NULL);
}
