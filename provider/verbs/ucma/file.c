/* Files: what an open() of /dev/infiniband/rdma_cm returns. Owns the table of files. */
#include "ucma/file.h"

#include "os/cancel.h"
#include "ucma/ucma.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

pthread_mutex_t ucma_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ucma_file **files; /* by descriptor */
static int nfiles;

/* ---- forks: a child has the descriptors, but the connections are its parent's ---- */

static void lock_all(void)
{
	pthread_mutex_lock(&ucma_lock);
}

static void unlock_all(void)
{
	pthread_mutex_unlock(&ucma_lock);
}

static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

struct ucma_file *ucma_file_find(int fd)
{
	struct ucma_file *file = fd >= 0 && fd < nfiles ? files[fd] : NULL;

	return file != NULL && file->pid == getpid() ? file : NULL;
}

void ucma_file_put(struct ucma_file *file)
{
	if (--file->users == 0)
		free(file);
}

/* Makes room for a descriptor in the table. */
static bool make_room(int fd)
{
	int n = fd < 64 ? 128 : 2 * fd;
	struct ucma_file **more;

	if (fd < nfiles)
		return true;
	more = realloc(files, (size_t)n * sizeof(struct ucma_file *));
	if (more == NULL)
		return false;
	for (int i = nfiles; i < n; i++)
		more[i] = NULL;
	files = more;
	nfiles = n;
	return true;
}

/* Returns the descriptor, or -1 and sets errno. */
static int open_locked(int flags)
{
	struct ucma_file *file;
	unsigned adapters;
	int fd;

	ucma_adapters(&adapters);
	if (adapters == 0)
		return (errno = ENODEV, -1);
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return (errno = ENOMEM, -1);
	fd = eventfd(0, EFD_SEMAPHORE | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0) |
				(flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
	if (fd < 0 || !make_room(fd)) {
		int why = fd < 0 ? errno : ENOMEM;

		if (fd >= 0)
			close(fd);
		free(file);
		return (errno = why, -1);
	}
	free(files[fd]); /* of a parent, which had this descriptor before it forked */
	*file = (struct ucma_file){.fd = fd, .pid = getpid(), .users = 1};
	files[fd] = file;
	return fd;
}

int softrnic_ucma_open(int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	OS_UNCANCELLED;
	int fd;

	OS_REFUSE_CHILD((errno = EIO, -1));
	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&ucma_lock);
	fd = open_locked(flags);
	pthread_mutex_unlock(&ucma_lock);
	return fd;
}

void softrnic_ucma_close(int fd)
{
	OS_UNCANCELLED;
	struct ucma_file *file;
	struct ucma_id *id;
	uint32_t at = 0;

	if (os_child)
		return;
	pthread_mutex_lock(&ucma_lock);
	file = ucma_file_find(fd);
	if (file != NULL) {
		files[fd] = NULL;
		while ((id = ucma_id_next(&at)) != NULL)
			if (id->file == file)
				ucma_id_destroy(id);
		ucma_file_put(file);
	}
	pthread_mutex_unlock(&ucma_lock);
}
