/* Where does a restarted daemon find the key of the tokens, and which numbers may come back? */
#include "daemon/seats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* every 10 ms */
#define LOCK_TRIES 200

#define MAGIC UINT64_C(0x736561747333) /* "seats3" */

/* The content of the file. */
struct file {
	uint64_t magic; /* written last: without it the rest is not valid */
	struct rn_secret key;
	struct rn_client_set used;
	uint64_t over; /* the last daemon has ended for good */
	uint32_t epoch[RN_CLIENT_MAX + 1];
};

struct rn_seats {
	int fd;
	struct file *file;
	struct rn_client_set former;
	bool may_return;
};

/* Locks the file. Waits a moment for a daemon that has been killed: the kernel frees its memory
 * before it closes its files. */
static int lock_file(int fd)
{
	for (unsigned i = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (i == LOCK_TRIES)
			return -EBUSY;
		usleep(10000);
	}
	return 0;
}

/* Gives the file its length. A file of another length is emptied first: its part of a key must not
 * be used as a key. */
static int set_length(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (st.st_size != sizeof(struct file) &&
	    (ftruncate(fd, 0) != 0 || ftruncate(fd, sizeof(struct file)) != 0))
		return -errno;
	return 0;
}

/* Opens and locks the file. Returns the descriptor or -errno. */
static int open_file(const char *path, char *err, size_t errlen)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), rc = 0;
	struct stat st;

	if (fd < 0) {
		rc = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(-rc));
		return rc;
	}
	if (fstat(fd, &st) != 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		rc = -EPERM;
	else
		rc = lock_file(fd);
	if (rc == 0)
		rc = set_length(fd);
	if (rc == 0)
		return fd;
	snprintf(err, errlen, "%s: %s", path,
		 rc == -EBUSY	? "another softrnicd runs with this socket"
		 : rc == -EPERM ? "is not a file that this user alone may read"
				: strerror(-rc));
	close(fd);
	return rc;
}

int rn_seats_open(struct rn_seats **out, const char *path, char *err, size_t errlen)
{
	struct rn_seats *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (s == NULL) {
		snprintf(err, errlen, "no memory");
		return rc;
	}
	s->fd = open_file(path, err, errlen);
	if (s->fd < 0) {
		rc = s->fd;
		free(s);
		return rc;
	}
	s->file = mmap(NULL, sizeof(*s->file), PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	rc = s->file == MAP_FAILED ? -errno : 0;
	if (rc == 0 && s->file->magic != MAGIC) {
		memset(s->file, 0, sizeof(*s->file));
		rc = getentropy(&s->file->key, sizeof(s->file->key)) == 0 ? 0 : -errno;
		if (rc == 0)
			s->file->magic = MAGIC;
	}
	if (rc != 0) {
		snprintf(err, errlen, "%s: %s", path, strerror(-rc));
		if (s->file == MAP_FAILED)
			s->file = NULL;
		rn_seats_close(s);
		return rc;
	}
	s->former = s->file->used;
	s->may_return = s->file->over == 0;
	s->file->over = 0;
	*out = s;
	return 0;
}

void rn_seats_close(struct rn_seats *s)
{
	if (s->file != NULL)
		munmap(s->file, sizeof(*s->file));
	close(s->fd);
	free(s);
}

void rn_seats_forget(struct rn_seats *s)
{
	s->file->over = 1;
}

bool rn_seats_may_return(const struct rn_seats *s)
{
	return s->may_return;
}

const struct rn_secret *rn_seats_key(const struct rn_seats *s)
{
	return &s->file->key;
}

const struct rn_client_set *rn_seats_former(const struct rn_seats *s)
{
	return &s->former;
}

const uint32_t *rn_seats_epochs(const struct rn_seats *s)
{
	return s->file->epoch;
}

void rn_seats_take(struct rn_seats *s, unsigned number, uint32_t epoch)
{
	s->file->epoch[number] = epoch;
	rn_client_set_add(&s->file->used, number);
}

void rn_seats_leave(struct rn_seats *s, unsigned number)
{
	rn_client_set_remove(&s->file->used, number);
}
