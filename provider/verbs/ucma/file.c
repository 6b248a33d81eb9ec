/* Files: what an open() of /dev/infiniband/rdma_cm returns. Owns the table of files. */
#include "ucma/file.h"

#include "os/cancel.h"
#include "ucma/ucma.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

pthread_mutex_t ucma_lock = PTHREAD_MUTEX_INITIALIZER;

/* Guards the table and `users` of each file. Taken after ucma_lock, and for a moment only. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ucma_file **files; /* by the program's descriptor */
static int nfiles;

/* ---- forks: a child has the descriptors, but the connections are its parent's ---- */

static void lock_all(void)
{
	pthread_mutex_lock(&ucma_lock);
	pthread_mutex_lock(&table_lock);
}

static void unlock_all(void)
{
	pthread_mutex_unlock(&table_lock);
	pthread_mutex_unlock(&ucma_lock);
}

static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

struct ucma_file *ucma_file_get(int fd)
{
	struct ucma_file *file;

	pthread_mutex_lock(&table_lock);
	file = fd >= 0 && fd < nfiles ? files[fd] : NULL;
	if (file != NULL && file->pid == getpid())
		file->users++;
	else
		file = NULL;
	pthread_mutex_unlock(&table_lock);
	return file;
}

void ucma_file_put(struct ucma_file *file)
{
	bool last;

	pthread_mutex_lock(&table_lock);
	last = --file->users == 0;
	pthread_mutex_unlock(&table_lock);
	if (!last)
		return;
	close(file->fd);
	free(file);
}

/* ---- open and close ---- */

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

/* Makes the two descriptors of a file. Returns the program's, or -1 and sets errno. */
static int make_descriptors(struct ucma_file *file, int flags)
{
	int fd = eventfd(0, EFD_SEMAPHORE | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0) |
				    (flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
	int why;

	if (fd < 0)
		return -1;
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (file->fd >= 0)
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

/* Takes the file into the table. Returns false if there is no memory. */
static bool add(int fd, struct ucma_file *file)
{
	bool ok;

	pthread_mutex_lock(&table_lock);
	ok = make_room(fd);
	if (ok) {
		free(files[fd]); /* of a parent, which had this descriptor before it forked */
		files[fd] = file;
	}
	pthread_mutex_unlock(&table_lock);
	return ok;
}

static int open_file(int flags)
{
	struct ucma_file *file = calloc(1, sizeof(*file));
	int fd;

	if (file == NULL)
		return (errno = ENOMEM, -1);
	*file = (struct ucma_file){.pid = getpid(), .users = 1};
	fd = make_descriptors(file, flags);
	if (fd >= 0 && !add(fd, file)) {
		close(fd);
		close(file->fd);
		errno = ENOMEM;
		fd = -1;
	}
	if (fd < 0)
		free(file);
	return fd;
}

int softrnic_ucma_open(int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	OS_UNCANCELLED;
	unsigned adapters;

	OS_REFUSE_CHILD((errno = EIO, -1));
	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&ucma_lock);
	ucma_adapters(&adapters);
	pthread_mutex_unlock(&ucma_lock);
	if (adapters == 0)
		return (errno = ENODEV, -1);
	return open_file(flags);
}

/* Takes the file of a descriptor out of the table. */
static struct ucma_file *take(int fd)
{
	struct ucma_file *file;

	pthread_mutex_lock(&table_lock);
	file = fd >= 0 && fd < nfiles ? files[fd] : NULL;
	if (file != NULL && file->pid == getpid())
		files[fd] = NULL;
	else
		file = NULL;
	pthread_mutex_unlock(&table_lock);
	return file;
}

void softrnic_ucma_close(int fd)
{
	OS_UNCANCELLED;
	struct ucma_file *file;
	struct ucma_id *id;
	uint32_t at = 0;

	if (os_child)
		return;
	file = take(fd);
	if (file == NULL)
		return;
	pthread_mutex_lock(&ucma_lock);
	file->closed = true;
	while ((id = ucma_id_next(&at)) != NULL)
		if (id->file == file)
			ucma_id_destroy(id);
	pthread_mutex_unlock(&ucma_lock);
	ucma_file_put(file);
}
