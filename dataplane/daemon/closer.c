/* Who waits for the close of a descriptor that came from another process? */
#include "daemon/closer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "port/thread.h"

/* Descriptors to be closed are written to [1] as numbers. */
static int queue[2] = {-1, -1};

static void *close_all(void *arg)
{
	int fd;

	rn_thread_set_up("rn-closer");
	while (read(queue[0], &fd, sizeof(fd)) == sizeof(fd))
		close(fd);
	return NULL;
}

int rn_closer_start(void)
{
	pthread_t thread;

	if (pipe2(queue, O_CLOEXEC) != 0)
		return -errno;
	/* The reading end waits, the writing end never does. */
	if (fcntl(queue[1], F_SETFL, O_NONBLOCK) != 0)
		return -errno;
	int rc = -pthread_create(&thread, NULL, close_all, NULL);

	return rc == 0 ? -pthread_detach(thread) : rc;
}

void rn_closer_give(int fd)
{
	/* A pipe that is full holds 16,384 descriptors that cannot be closed: more than the process
	 * usually may have. */
	if (write(queue[1], &fd, sizeof(fd)) != sizeof(fd))
		close(fd);
}
