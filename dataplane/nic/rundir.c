/* What would EAL leave in the file system, and who removes it? Owns the path of this process's folder. Processes that were
 * killed could not clean up: the next start of anybody removes their folders. */
#include "nic/rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_memory.h>

static char runtime_dir[256];

static void find_dir(void)
{
	snprintf(runtime_dir, sizeof(runtime_dir), "%s", rte_eal_get_runtime_dir());
}

/* The process that started EAL: a forked child that exits must leave its parent's files alone. */
static pid_t owner;

static bool is_owner(void)
{
	return getpid() == owner;
}

/* The folder around it stays: another process may be about to make its own there. */
static void remove_dir(void)
{
	if (runtime_dir[0] != '\0' && is_owner())
		rmdir(runtime_dir);
}

/* A folder of our own user, and no link to one: below /tmp another user may have put either there. */
static DIR *open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		dir = fdopendir(fd);
	if (dir == NULL)
		close(fd);
	return dir;
}

static void remove_files(void)
{
	DIR *dir = runtime_dir[0] != '\0' ? open_own(runtime_dir) : NULL;
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	remove_dir();
}

static int unlink_page(const struct rte_memseg_list *list, const struct rte_memseg *page, void *arg)
{
	char link[64], path[PATH_MAX];
	int fd = rte_memseg_get_fd(page);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = fd >= 0 ? readlink(link, path, sizeof(path) - 1) : -1;
	if (n > 0) {
		path[n] = '\0';
		unlink(path);
	}
	return 0;
}

/* EAL itself would leave pages and tables to the next start. */
static void remove_shared_files(void)
{
	if (!is_owner())
		return;
	rte_memseg_walk(unlink_page, NULL);
	remove_files();
}

/* ---- of processes that were killed ---- */

/* rn1234: the number, else 0. */
static pid_t pid_of(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, "rn", 2) != 0 || !isdigit((unsigned char)name[2]))
		return 0;
	errno = 0;
	pid = strtol(name + 2, &end, 10);
	return errno == 0 && *end == '\0' && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* Nobody listens to this socket. One that is used, by a process that cannot be seen from here, is not refused. The folder
 * is named by its descriptor, so that it cannot be exchanged meanwhile. */
static bool is_deserted(int folder, const char *name)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode) ||
	    snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d/%s", folder, name) >= (int)sizeof(un.sun_path))
		return false;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool deserted = fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return deserted;
}

/* Empty or with deserted sockets: all that private memory can leave. A folder with anything else stays. */
static void remove_deserted(const char *path)
{
	DIR *dir = open_own(path);
	struct dirent *e;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL)
		if (is_deserted(dirfd(dir), e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	rmdir(path);
}

static void remove_those_of_the_dead(void)
{
	const char *slash = strrchr(runtime_dir, '/');
	char base[256], path[512];
	struct dirent *e;

	if (slash == NULL)
		return;
	snprintf(base, sizeof(base), "%.*s", (int)(slash - runtime_dir), runtime_dir);
	DIR *dir = opendir(base);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		pid_t pid = pid_of(e->d_name);

		if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, e->d_name);
		remove_deserted(path);
	}
	if (dir != NULL)
		closedir(dir);
}

/* ---- start and end ---- */

void rn_rundir_at_exit(void)
{
	owner = getpid();
	atexit(remove_dir);
}

void rn_rundir_started(bool shared)
{
	owner = getpid();
	find_dir();
	remove_those_of_the_dead();
	if (shared)
		atexit(remove_shared_files);
	else
		remove_dir();
}

/* The process that has memory in this folder locks its first file. A lock of our own does not count. */
static bool is_used_by_another(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[512];

	snprintf(path, sizeof(path), "%s/config", runtime_dir);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT;
	bool used = fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
	close(fd);
	return used;
}

void rn_rundir_failed(void)
{
	owner = getpid();
	find_dir();
	remove_those_of_the_dead();
	if (!is_used_by_another())
		remove_files();
}
