/* Removes the files that EAL would leave behind in its run directory (by default
 * /var/run/dpdk/rnPID). Owns the path of this process's run directory. Each start also removes the
 * directories of dead processes, because a killed process cannot clean up. */
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

/* The process that started EAL. When a forked child exits, it must not remove the parent's
 * files. */
static pid_t owner;

static bool is_owner(void)
{
	return getpid() == owner;
}

/* Removes the run directory but not the parent directory, in which another process may be about to
 * create its own run directory. */
static void remove_dir(void)
{
	if (runtime_dir[0] != '\0' && is_owner())
		rmdir(runtime_dir);
}

/* Opens a directory if this user owns the directory and the path is not a symbolic link. Otherwise
 * returns NULL: in /tmp another user could have placed a directory or link of this name. */
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

/* Removes the hugepage file of one page. EAL has no function that returns the path of the file, so
 * the path is read through the open descriptor of the file. */
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

/* Removes the hugepage and runtime files that EAL leaves behind at exit if the configuration key
 * eal.shared is true. After that no secondary process can attach. */
static void remove_shared_files(void)
{
	if (!is_owner())
		return;
	rte_memseg_walk(unlink_page, NULL);
	remove_files();
}

/* ---- files of processes that were killed ---- */

/* Returns the process id in a directory name such as rn1234 or rn1234-x. Returns 0 if the name has
 * another form. */
static pid_t pid_of(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	char *end;
	long pid;

	if (strncmp(name, prefix, n) != 0 || !isdigit((unsigned char)name[n]))
		return 0;
	errno = 0;
	pid = strtol(name + n, &end, 10);
	return errno == 0 && (*end == '\0' || *end == '-') && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* Returns true when no process listens on this socket: the kernel then refuses a connection. Unlike
 * kill(), connect() also detects processes in other PID namespaces.
 * The path given to connect() begins with /proc/self/fd/N, where N is the open directory, so nobody
 * can replace the directory between the checks. */
static bool has_no_listener(int folder, const char *name)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode) ||
	    snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d/%s", folder, name) >=
		    (int)sizeof(un.sun_path))
		return false;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool deserted = fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0 &&
			errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return deserted;
}

/* Removes from a directory all sockets on which no process listens. Then removes the directory if
 * it is empty. A killed process with private memory leaves only sockets. A directory with any other
 * file stays. */
static void remove_stale_dir(const char *path)
{
	DIR *dir = open_own(path);
	struct dirent *e;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL)
		if (has_no_listener(dirfd(dir), e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	rmdir(path);
}

void rn_rundir_sweep(const char *base, const char *prefix)
{
	DIR *dir = opendir(base);
	struct dirent *e;
	char path[512];

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		pid_t pid = pid_of(e->d_name, prefix);

		if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, e->d_name);
		remove_stale_dir(path);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Removes the run directories rnPID of dead processes, which are beside this process's own run
 * directory. A process is dead if its PID does not exist. */
static void remove_dirs_of_dead_processes(void)
{
	const char *slash = strrchr(runtime_dir, '/');
	char base[256];

	if (slash == NULL)
		return;
	snprintf(base, sizeof(base), "%.*s", (int)(slash - runtime_dir), runtime_dir);
	rn_rundir_sweep(base, "rn");
}

/* ---- functions called at the start and the exit ---- */

void rn_rundir_at_exit(void)
{
	owner = getpid();
	atexit(remove_dir);
}

void rn_rundir_started(bool shared)
{
	owner = getpid();
	find_dir();
	remove_dirs_of_dead_processes();
	if (shared)
		atexit(remove_shared_files);
	else
		remove_dir();
}

/* Does another process use this run directory? A process with shared memory in the directory holds
 * a lock on the file "config". F_GETLK does not report locks of this process itself. */
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
	remove_dirs_of_dead_processes();
	if (!is_used_by_another())
		remove_files();
}
