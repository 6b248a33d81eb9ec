/* Two processes joined by memif exchange messages. When one process dies, the surviving process
 * connects to a new process. */
#include "pair.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *config(bool server, const char *policy)
{
	return rig_config(
		"adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@rn-test-%d\";\n"
		"  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; mtu = 4200; } );\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { mbufs = 1024; };\n"
		"idle = { policy = \"%s\"; };\n"
		/* so that some frames arrive ahead of a lost one */
		"impair = { loss = 1.0; seed = 3; };\n",
		server ? "a" : "b", server ? "server" : "client", (int)getpid(), server ? 1 : 2,
		server ? 1 : 2, policy);
}

static void survives_its_peers(void **state)
{
	struct pair_end e;
	int fd, status;

	pair_open(&e, config(true, "adaptive"), 1);
	/* The first peer process ends by itself. */
	pid_t pid = pair_start(&fd, config(false, "adaptive"), 1);
	pair_converse(&e, fd);
	pair_part(&e, fd, pid);
	/* The second peer process is killed while messages are in flight. */
	pair_renew(&e);
	pid = pair_start(&fd, config(false, "adaptive"), 1);
	pair_converse(&e, fd);
	rig_post(&e.qp[0], RN_WQE_SEND, 1, e.buf, PAIR_LEN / 2, e.lkey, 0, 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fd);
	/* A connection to a third peer process, which has another idle policy, works again. */
	pair_renew(&e);
	pid = pair_start(&fd, config(false, "inline"), 1);
	pair_converse(&e, fd);
	pair_part(&e, fd, pid);
	pair_close(&e);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(survives_its_peers)};

	if (pair_main(argc, argv))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
