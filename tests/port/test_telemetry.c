/* An operator can read the counters through DPDK's telemetry socket and capture frames to a
 * file. */
#include "rig.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_eal.h>

static const char *ask(const char *question)
{
	static char answer[16384];
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/dpdk_telemetry.v2",
		 rte_eal_get_runtime_dir());
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_true(read(fd, answer, sizeof(answer)) > 0); /* skips the server's greeting */
	assert_int_equal(write(fd, question, strlen(question)), strlen(question));
	ssize_t n = read(fd, answer, sizeof(answer) - 1);
	assert_true(n > 0);
	answer[n] = '\0';
	close(fd);
	return answer;
}

static void send_to_itself(struct rn_link *l)
{
	static uint8_t buf[4096];
	uint32_t pd = rig_pd(l), lkey;
	struct rig_cq cq = rig_cq(l, 16);
	struct rig_qp qp = rig_qp(l, pd, &cq, &cq, 16);

	rig_reg(l, pd, buf, sizeof(buf), RN_ACCESS_LOCAL_WRITE, &lkey, NULL);
	rig_connect(&qp, &qp, 0);
	rig_post(&qp, RN_WQE_RECV, 1, buf, 2048, lkey, 0, 0);
	rig_post(&qp, RN_WQE_SEND, 2, buf + 2048, 2048, lkey, 0, 0);
	rig_wait(&cq);
	rig_wait(&cq);
}

static void an_operator_sees_what_happens(void **state)
{
	char more[256], pcap[] = "/tmp/rn-capture-XXXXXX";
	struct stat st;

	close(mkstemp(pcap));
	snprintf(more, sizeof(more), "capture = { file = \"%s\"; };", pcap);
	const char *path = rig_config(
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; ipv4 = [ \"192.0.2.1/24\" ]; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; ipv4 = [ \"192.0.2.2/24\" ]; });\n"
		"eal = { hugepages = \"no\"; args = [ \"--telemetry\" ]; };\n%s\n",
		more);
	struct rn_link *l = rig_open(path, 0);
	send_to_itself(l);
	assert_string_equal(ask("/softrnic/list"), "{\"/softrnic/list\":[\"a\",\"b\"]}");
	assert_non_null(strstr(ask("/softrnic/stats,a"), "\"done_send\":1"));
	assert_non_null(strstr(ask("/softrnic/stats,b"), "\"done_send\":0"));
	assert_non_null(strstr(ask("/softrnic/wake"), "net_memif"));
	assert_non_null(strstr(ask("/softrnic/reset,a"), "requested"));
	assert_null(strstr(ask("/softrnic/reset,c"), "requested"));
	assert_null(strstr(ask("/softrnic/reset"), "requested"));
	rn_link_close(l);
	assert_string_equal(ask("/softrnic/list"), "{\"/softrnic/list\":[]}");
	/* Each of the message's two frames has more than 1024 bytes and is captured twice: when it
	 * is built and when it is received. */
	assert_int_equal(stat(pcap, &st), 0);
	assert_true(st.st_size > 2 * 2048);
	unlink(pcap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_operator_sees_what_happens)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
