/* The end of a process: exit() closes the adapters that no context uses, while a thread still gives
 * commands to the connection manager. Functions that exit() calls afterwards get EIO if
 * they open a device. A crash shows in the exit status. */
#include "commands.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PAUSE_US 300000

static struct ibv_device **list;
static atomic_bool started; /* a command has started the adapter */

/* No host has the peer's address, so no id gets an adapter. librdmacm opens a context only for an
 * id with an adapter, and this process has no context either. */
static void *give_commands(void *arg)
{
	for (;;) {
		int fd = open_device();
		uint32_t id, n;

		if (create_in(fd, RDMA_PS_TCP, &id) == 0) {
			resolve(fd, id, "192.0.2.200", 4130);
			atomic_store(&started, true);
			usleep(1000);
			destroy(fd, id, &n);
		}
		close(fd);
	}
	return NULL;
}

static void run_after_the_adapters_are_closed(void)
{
	struct ibv_context *context;

	usleep(PAUSE_US);
	errno = 0;
	context = ibv_open_device(list[0]);
	if (context != NULL || errno != EIO) {
		fprintf(stderr, "a device opens at the end: errno %d\n", errno);
		_exit(2);
	}
}

int main(void)
{
	pthread_t thread;

	/* exit() calls first the function that was registered last, which is softrnic's. */
	if (atexit(run_after_the_adapters_are_closed) != 0)
		return 3;
	list = ibv_get_device_list(NULL);
	if (list == NULL || pthread_create(&thread, NULL, give_commands, NULL) != 0)
		return 4;
	for (unsigned n = 0; !atomic_load(&started) && n < WAIT_MS; n++)
		usleep(1000);
	usleep(PAUSE_US);
	return 0;
}
