/* The files of sysfs and the devices that libsoftrnic-preload.so shows: the same by every function
 * of libc, and other paths are as ever. */
#include "side.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLASS "/sys/class/infiniband"
#define ONE   CLASS "/softrnic0"
#define TYPE  ONE "/ports/1/gid_attrs/types/0"

/* Functions that programs call but headers do not declare: the checking forms of openat(). */
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);

static void assert_reads(int fd, const char *text)
{
	char buf[64] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, buf, sizeof(buf) - 1), strlen(text));
	assert_string_equal(buf, text);
	assert_int_equal(close(fd), 0);
}

static void files_are_read_by_every_function(void **state)
{
	char buf[64] = "";
	FILE *f[2];

	errno = 77; /* a call that succeeds leaves it, even the first, which lists the devices */
	assert_int_equal(access(TYPE, R_OK), 0);
	assert_int_equal(errno, 77);
	f[0] = fopen(TYPE, "r");
	f[1] = fopen64(TYPE, "re");
	assert_reads(open(TYPE, O_RDONLY), "RoCE v2\n");
	assert_reads(open64(TYPE, O_RDONLY | O_CLOEXEC), "RoCE v2\n");
	assert_reads(openat(AT_FDCWD, TYPE, O_RDONLY), "RoCE v2\n");
	assert_reads(openat64(99, TYPE, O_RDONLY), "RoCE v2\n");
	assert_reads(__openat_2(99, TYPE, O_RDONLY), "RoCE v2\n");
	assert_reads(__openat64_2(AT_FDCWD, TYPE, O_RDONLY), "RoCE v2\n");
	assert_int_equal(eaccess(TYPE, R_OK), 0);
	assert_int_equal(euidaccess(TYPE, R_OK), 0);
	assert_int_equal(errno, 77);
	for (unsigned i = 0; i < 2; i++) {
		assert_non_null(f[i]);
		assert_non_null(fgets(buf, sizeof(buf), f[i]));
		assert_string_equal(buf, "RoCE v2\n");
		fclose(f[i]);
	}
	assert_int_equal(ibv_read_sysfs_file(ONE, "ports/1/gid_attrs/types/0", buf, 64), 7);
	assert_string_equal(buf, "RoCE v2");
	assert_int_equal(ibv_read_sysfs_file(ONE, "ports/1/gid_attrs/types/0", buf, 4), 4);
	assert_int_equal(ibv_read_sysfs_file(ONE, "board_id", buf, 64), -1);
	assert_reads(open("/sys/class/infiniband//softrnic1/ports/1/link_layer", O_RDONLY),
		     "Ethernet\n");
	assert_reads(open(ONE "/ports/1/gids/0", O_RDONLY),
		     "0000:0000:0000:0000:0000:ffff:c000:0201\n");
	assert_reads(open(ONE "/node_guid", O_RDONLY), "0000:00ff:fe00:0e01\n");
}

static void what_is_not_there_gives_the_errno_of_the_kernel(void **state)
{
	static const struct {
		const char *path;
		int flags, error;
	} rows[] = {
		{ONE "/ports/2/link_layer", O_RDONLY, ENOENT},
		{ONE "/ports/1/gids/99", O_RDONLY, ENOENT},
		{ONE "/ports/1/gids/00", O_RDONLY, ENOENT},
		{ONE "/ports/1/gids/-1", O_RDONLY, ENOENT},
		{ONE "/ports/1/gids/4294967296", O_RDONLY, ENOENT},
		{ONE "/port", O_RDONLY, ENOENT},
		{ONE "/device/net", O_RDONLY, ENOENT}, /* the host has no such address */
		{ONE "/ports/1/gid_attrs/ndevs/0", O_RDONLY, ENOENT},
		{CLASS "/softrnic", O_RDONLY, ENOENT},
		{CLASS "/softrnic7", O_RDONLY, ENOENT},
		{CLASS "_softrnic0", O_RDONLY, ENOENT},
		{TYPE, O_RDWR, EACCES},
		{TYPE, O_RDONLY | O_DIRECTORY, ENOTDIR},
		{ONE, O_RDONLY, EACCES},
		{"/dev/infiniband/uverbs7", O_RDWR, ENOENT},
	};
	struct stat st;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(open(rows[i].path, rows[i].flags), -1);
		assert_int_equal(errno, rows[i].error);
		assert_int_equal(stat(rows[i].path, &st), rows[i].error == ENOENT ? -1 : 0);
	}
	assert_null(fopen(TYPE, "w"));
	assert_int_equal(errno, EACCES);
	assert_null(opendir(ONE "/node_guids"));
}

static void every_function_reports_the_same_kind(void **state)
{
	static const struct {
		const char *path;
		mode_t kind;
	} rows[] = {
		{CLASS, S_IFDIR},
		{CLASS "/", S_IFDIR},
		{ONE "/ports/1", S_IFDIR},
		{TYPE, S_IFREG},
		{"/dev/infiniband/uverbs1", S_IFCHR},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = rows[i].path;
		struct stat64 st64;
		struct stat st;
		struct statx x;

		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & S_IFMT, rows[i].kind);
		assert_int_equal(lstat(path, &st), 0);
		assert_int_equal(st.st_mode & S_IFMT, rows[i].kind);
		assert_int_equal(fstatat(AT_FDCWD, path, &st, 0), 0);
		assert_int_equal(st.st_mode & S_IFMT, rows[i].kind);
		assert_int_equal(stat64(path, &st64), 0);
		assert_int_equal(st64.st_mode & S_IFMT, rows[i].kind);
		assert_int_equal(lstat64(path, &st64), 0);
		assert_int_equal(st64.st_mode & S_IFMT, rows[i].kind);
		assert_int_equal(fstatat64(AT_FDCWD, path, &st64, 0), 0);
		assert_int_equal(st64.st_mode & S_IFMT, rows[i].kind);
		assert_int_equal(statx(AT_FDCWD, path, 0, STATX_TYPE, &x), 0);
		assert_int_equal(x.stx_mode & S_IFMT, rows[i].kind);
		assert_int_equal(access(path, R_OK), 0);
		assert_int_equal(faccessat(AT_FDCWD, path, F_OK, 0), 0);
	}
	assert_int_equal(access("/dev/infiniband/uverbs0", R_OK | W_OK), 0);
	assert_int_equal(stat("/sys/class/net", &(struct stat){0}), 0);
	assert_int_equal(access("/sys/class/nothing", F_OK), -1);
}

/* Reads all names but . and .. into `names`, a space behind each. */
static void read_names(DIR *dir, char *names, size_t size)
{
	struct dirent *entry;

	names[0] = '\0';
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && strlen(names) + strlen(entry->d_name) + 2 < size)
			strcat(strcat(names, entry->d_name), " ");
}

static void folders_list_their_files(void **state)
{
	static const struct {
		const char *path, *names;
	} rows[] = {
		{CLASS, "softrnic0 softrnic1 "},
		{ONE, "device node_guid node_type ports sys_image_guid "},
		{ONE "/device", "numa_node "},
		{ONE "/ports", "1 "},
		{ONE "/ports/1/gid_attrs", "types "},
		{ONE "/ports/1/", "gid_attrs gids link_layer "},
		{ONE "/ports/1/gids", "0 1 "},
	};
	DIR *many[20], *dir;
	long at;
	unsigned n = 0;
	char names[512];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		dir = opendir(rows[i].path);
		assert_non_null(dir);
		read_names(dir, names, sizeof(names));
		assert_string_equal(names, rows[i].names);
		rewinddir(dir);
		assert_string_equal(readdir64(dir)->d_name, (strtok(names, " "), names));
		assert_int_equal(closedir(dir), 0);
	}
	dir = opendir(ONE);
	assert_non_null(dir);
	at = readdir(dir)->d_off;
	assert_int_equal(telldir(dir), at);
	snprintf(names, sizeof(names), "%s", readdir(dir)->d_name);
	assert_non_null(readdir(dir));
	seekdir(dir, at);
	assert_string_equal(readdir(dir)->d_name, names);
	closedir(dir);
	while (n < 20 && (many[n] = opendir(CLASS)) != NULL)
		n++;
	assert_int_equal(n, 16);
	assert_int_equal(errno, EMFILE);
	dir = opendir("/sys/class/net"); /* a folder of the kernel's, while others are open */
	assert_non_null(dir);
	read_names(dir, names, sizeof(names));
	assert_non_null(strstr(names, "lo "));
	closedir(dir);
	while (n > 0)
		assert_int_equal(closedir(many[--n]), 0);
	dir = opendir(CLASS);
	assert_non_null(dir);
	closedir(dir);
}

static void *read_many(void *failed)
{
	for (unsigned i = 0; i < 300; i++) {
		int fd = open(TYPE, O_RDONLY);
		DIR *dir = opendir(CLASS);
		char names[512] = "";

		if (dir != NULL)
			read_names(dir, names, sizeof(names));
		if (fd < 0 || strcmp(names, "softrnic0 softrnic1 ") != 0)
			atomic_store((_Atomic bool *)failed, true);
		close(fd);
		if (dir != NULL)
			closedir(dir);
	}
	return NULL;
}

static void threads_read_them_at_once(void **state)
{
	static _Atomic bool failed;
	pthread_t thread[4];

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, read_many, &failed), 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_false(failed);
}

/* A forked child sees the devices that its parent has listed. */
static void a_child_reads_them_too(void **state)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct stat st;
		char buf[16];
		int fd = open(TYPE, O_RDONLY);

		_exit(stat("/dev/infiniband/uverbs0", &st) != 0 || read(fd, buf, 16) != 8);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_by_every_function),
		cmocka_unit_test(what_is_not_there_gives_the_errno_of_the_kernel),
		cmocka_unit_test(every_function_reports_the_same_kind),
		cmocka_unit_test(folders_list_their_files),
		cmocka_unit_test(threads_read_them_at_once),
		cmocka_unit_test(a_child_reads_them_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
