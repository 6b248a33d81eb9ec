/* The start of the NIC fails or is interrupted: no file descriptor is free, memory cannot be
 * allocated, or the process is killed. A failed start returns a status that tells the reason, and
 * prints one message. Nothing is left in DPDK's runtime folder.
 *
 * A child process makes each start. It runs this program with two more arguments (limit of file
 * descriptors, configuration file), opens both adapters, and prints the statuses. The first
 * argument of this program is the provider catalogue. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_LIMIT 0

static const char *program, *catalogue;
static char base[256]; /* DPDK's folder, with one runtime folder per process */

static const char pair[] =
	"adapters = ({ name = \"a\"; port = \"ring\"; peer = \"b\"; ipv4 = [ \"192.0.2.1/24\" ]; },\n"
	"  { name = \"b\"; port = \"ring\"; peer = \"a\"; ipv4 = [ \"192.0.2.2/24\" ]; });\n";

/* ---- the child process, which opens the adapters ---- */

static HRESULT open_by_address(int which, void **adapter)
{
	struct sockaddr_in sin = address_of(which, 0);

	return NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin), adapter);
}

/* Opens both adapters and prints the two statuses. */
static int start(void)
{
	IND2Adapter *adapter[2] = {NULL, NULL};
	HRESULT hr[2];

	if (FAILED(NdStartup()))
		return 1;
	for (int i = 0; i < 2; i++)
		hr[i] = open_by_address(i, (void **)&adapter[i]);
	printf("%08x %08x\n", (unsigned)hr[0], (unsigned)hr[1]);
	for (int i = 0; i < 2; i++)
		RELEASE(adapter[i]);
	return FAILED(NdCleanup());
}

/* ---- the parent process, which runs the tests ---- */

struct started {
	pid_t pid;
	int out, err; /* temporary files with the child's standard output and standard error */
};

static int scratch(void)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	fd = dup(fileno(f));
	fclose(f);
	return fd;
}

static struct started run(const char *config, rlim_t limit)
{
	struct started s = {.out = scratch(), .err = scratch()};
	char path[] = "/tmp/rn-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(write(fd, config, strlen(config)) == (ssize_t)strlen(config));
	close(fd);
	fflush(NULL);
	s.pid = fork();
	if (s.pid == 0) {
		char words[16];

		dup2(s.out, 1);
		dup2(s.err, 2);
		setenv("SOFTRNIC_CONFIG", path, 1);
		setenv("SOFTRNIC_ND_CATALOG", catalogue, 1);
		snprintf(words, sizeof(words), "%llu", (unsigned long long)limit);
		execl("/proc/self/exe", program, catalogue, words, path, (char *)NULL);
		_exit(127);
	}
	assert_true(s.pid > 0);
	return s;
}

static void text_of(int fd, char text[4096])
{
	ssize_t n = pread(fd, text, 4095, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
}

/* Waits for the child; returns its wait status and its output. */
static int ended(struct started *s, char out[4096], char err[4096])
{
	int status;

	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	text_of(s->out, out);
	text_of(s->err, err);
	return status;
}

static const char *folder_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static const char *folder_of_pid(pid_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "rn%d", (int)pid);
	return folder_of(name);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* ---- starts when no file descriptor is free ---- */

static void nd2_own_short_of_descriptors(void **state)
{
	unsigned failed = 0, succeeded = 0;
	char out[4096], err[4096], config[512];

	snprintf(config, sizeof(config), "%seal = { hugepages = \"no\"; };\n", pair);
	for (rlim_t limit = 4; limit <= 24; limit++) {
		struct started s = run(config, limit);
		unsigned hr[2];
		int status = ended(&s, out, err);

		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
		    sscanf(out, "%x %x", &hr[0], &hr[1]) != 2)
			fail_msg("%d descriptors: wait status %x, %s%s", (int)limit, status, out,
				 err);
		for (int i = 0; i < 2; i++)
			if (hr[i] != ND_SUCCESS && hr[i] != (unsigned)ND_INSUFFICIENT_RESOURCES)
				fail_msg("%d descriptors: adapter %d: %08x: %s", (int)limit, i,
					 hr[i], err);
		if ((hr[0] || hr[1]) && strstr(err, "descriptor") == NULL &&
		    strstr(err, "Too many open files") == NULL)
			fail_msg("%d descriptors: %08x %08x, and no sentence but: %s", (int)limit,
				 hr[0], hr[1], err);
		if (is_there(folder_of_pid(s.pid)))
			fail_msg("%d descriptors: %s is left", (int)limit, folder_of_pid(s.pid));
		failed += hr[0] || hr[1];
		succeeded += !hr[0] && !hr[1];
	}
	assert_true(failed > 0);
	assert_true(succeeded > 0);
}

/* ---- starts when memory cannot be allocated ---- */

/* EAL fails to start, since it cannot allocate the memory that the configuration demands. EAL
 * cannot be started twice in a process. So opening the second adapter fails too, with another
 * message. */
static void a_start_that_fails_leaves_no_folder(void **state)
{
	static const char *const more[] = {"hugepages = \"yes\";",
					   "shared = true; prefix = \"rn-test-descriptors\";"};
	char out[4096], err[4096], config[512];

	for (int i = 0; i < 2; i++) {
		unsigned hr[2];

		snprintf(config, sizeof(config), "%seal = { memory_mb = 1048576; %s };\n", pair,
			 more[i]);
		struct started s = run(config, NO_LIMIT);
		assert_int_equal(ended(&s, out, err), 0);
		assert_int_equal(sscanf(out, "%x %x", &hr[0], &hr[1]), 2);
		assert_true(FAILED((HRESULT)hr[0]) && FAILED((HRESULT)hr[1]));
		assert_non_null(strstr(err, "softrnic: adapter 0: DPDK's EAL cannot be started"));
		assert_non_null(
			strstr(err, "softrnic: adapter 1: an earlier start of DPDK's EAL failed"));
		assert_false(is_there(folder_of_pid(s.pid)));
		assert_false(is_there(folder_of("rn-test-descriptors")));
	}
}

/* ---- killed processes ---- */

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == pid;
}

/* Kills a process during its start, while the process's runtime folder exists. So the folder is
 * left behind. Returns the pid. */
static pid_t killed_while_starting(const char *config)
{
	char out[4096], err[4096];

	for (int tries = 0; tries < 50; tries++) {
		struct started s = run(config, NO_LIMIT);

		for (int i = 0; i < 20000 && !is_there(folder_of_pid(s.pid)) && !has_ended(s.pid);
		     i++)
			usleep(100);
		kill(s.pid, SIGKILL);
		ended(&s, out, err);
		if (is_there(folder_of_pid(s.pid)))
			return s.pid;
	}
	fail_msg("no process could be killed while it was starting");
	return 0;
}

/* Creates a socket file without a listening process. */
static void put_socket(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	assert_true(snprintf(un.sun_path, sizeof(un.sun_path), "%s", path) <
		    (int)sizeof(un.sun_path));
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	close(fd);
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void the_next_start_removes_what_killed_ones_left(void **state)
{
	char out[4096], err[4096], config[512], mine[512], listens[512], socket_path[600],
		file[600], foreign[512];
	char linked[600], path[512];
	int fd;

	snprintf(config, sizeof(config), "%seal = { hugepages = \"no\"; };\n", pair);
	pid_t killed = killed_while_starting(config), telemetry = dead_pid(),
	      with_file = dead_pid();

	snprintf(listens, sizeof(listens), "%s", folder_of_pid(telemetry));
	snprintf(socket_path, sizeof(socket_path), "%s/dpdk_telemetry.v2", listens);
	assert_int_equal(mkdir(listens, 0700), 0);
	put_socket(socket_path);
	/* The next start must keep these folders: the folder of a live process, a folder with a
	 * file that DPDK does not leave behind, and a folder with a similar name. */
	snprintf(mine, sizeof(mine), "%s", folder_of_pid(getpid()));
	assert_int_equal(mkdir(mine, 0700), 0);
	snprintf(foreign, sizeof(foreign), "%s", folder_of("rn1x-test"));
	assert_int_equal(mkdir(foreign, 0700), 0);
	snprintf(file, sizeof(file), "%s/config", folder_of_pid(with_file));
	assert_int_equal(mkdir(folder_of_pid(with_file), 0700), 0);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);

	/* A symbolic link with the name of a runtime folder. The start must not remove files in the
	 * linked folder. */
	snprintf(linked, sizeof(linked), "%s/dpdk_telemetry.v2", foreign);
	put_socket(linked);
	snprintf(path, sizeof(path), "%s", folder_of_pid(dead_pid()));
	assert_int_equal(symlink(foreign, path), 0);

	struct started s = run(config, NO_LIMIT);
	assert_int_equal(ended(&s, out, err), 0);
	assert_string_equal(out, "00000000 00000000\n");
	assert_true(is_there(linked));
	unlink(linked);
	unlink(path);
	assert_false(is_there(folder_of_pid(killed)));
	assert_false(is_there(listens));
	assert_true(is_there(mine));
	assert_true(is_there(foreign));
	assert_true(is_there(file));

	unlink(file);
	rmdir(folder_of_pid(with_file));
	rmdir(foreign);
	rmdir(mine);
	rmdir(base); /* fails if other processes have folders there */
}

static void find_base(void)
{
	const char *home = geteuid() == 0 ? "/var/run" : getenv("XDG_RUNTIME_DIR");

	snprintf(base, sizeof(base), "%s/dpdk", home != NULL ? home : "/tmp");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_short_of_descriptors),
		cmocka_unit_test(a_start_that_fails_leaves_no_folder),
		cmocka_unit_test(the_next_start_removes_what_killed_ones_left),
	};

	if (argc > 3) {
		struct rlimit limit = {strtoul(argv[2], NULL, 10), strtoul(argv[2], NULL, 10)};

		if (limit.rlim_cur != NO_LIMIT && setrlimit(RLIMIT_NOFILE, &limit) != 0)
			return 1;
		int rc = start();
		unlink(argv[3]);
		return rc;
	}
	if (argc != 2)
		return 2;
	program = argv[0];
	catalogue = argv[1];
	find_base();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
