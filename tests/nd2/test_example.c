/* Runs the programs docs/nd2_client.c and docs/nd2_server.c in this process. The client first
 * connects to a struct end (fixture.h) of this file, then to the server program. The argument is
 * the folder of the provider catalogue. */
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int nd2_client_main(int argc, char **argv);
int nd2_server_main(int argc, char **argv);

static char port[8];
static int client_status = -1;

static void *run_client(void *arg)
{
	char *argv[] = {"nd2_client", "192.0.2.2", port, NULL};

	client_status = nd2_client_main(3, argv);
	return NULL;
}

/* Reads the first line that the client printed to the redirected standard output. */
static void read_back(FILE *f, char *text, size_t len)
{
	rewind(f);
	assert_non_null(fgets(text, (int)len, f));
	text[strcspn(text, "\n")] = '\0';
}

static void serve_one(struct end *b, IND2Listener *listener)
{
	OVERLAPPED accept = {0}, gone = {0};

	HR(post_recv(b, 0, 64, 1), ND_SUCCESS);
	HR(post_recv(b, 64, 64, 2), ND_SUCCESS);
	ENDS(listener, CALL(listener, GetConnectionRequest, (IUnknown *)b->connector, &accept),
	     &accept, ND_SUCCESS);
	ENDS(b->connector, CALL(b->connector, Accept, (IUnknown *)b->qp, 0, 0, NULL, 0, &accept),
	     &accept, ND_SUCCESS);
	HR(CALL(b->connector, NotifyDisconnect, &gone), ND_PENDING);
	reap_is(b->cq, 1, ND_SUCCESS);
	assert_string_equal((char *)b->buf, "hello from softrnic");
	strcpy((char *)b->buf + 128, "and hello to you");
	HR(post_send(b, 128, 64, 3, 0), ND_SUCCESS);
	reap_is(b->cq, 3, ND_SUCCESS);
	HR(finish(b->connector, &gone), ND_SUCCESS);
	reap_is(b->cq, 2, ND_CANCELED);
}

static void nd2_own_example_client_talks(void **state)
{
	int out = dup(STDOUT_FILENO);
	FILE *caught = tmpfile();
	struct end b;
	IND2Listener *listener;
	pthread_t thread;
	char text[80] = "";
	uint16_t number;

	end_open(&b, 1, NULL);
	listen_on(&b, &listener, &number, 0);
	snprintf(port, sizeof(port), "%u", number);
	fflush(stdout);
	dup2(fileno(caught), STDOUT_FILENO);
	pthread_create(&thread, NULL, run_client, NULL);
	serve_one(&b, listener);
	pthread_join(thread, NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	assert_int_equal(client_status, 0);
	read_back(caught, text, sizeof(text));
	assert_string_equal(text, "and hello to you");
	fclose(caught);
	RELEASE(listener);
	end_close(&b);
}

#define SERVER_PORT "7481"

static int server_status = -1;

static void *run_server(void *arg)
{
	char *argv[] = {"nd2_server", "192.0.2.2", SERVER_PORT, NULL};

	server_status = nd2_server_main(3, argv);
	return NULL;
}

/* Waits up to 10 s until the redirected standard output contains `text`. */
static bool printed(int fd, const char *text)
{
	char said[256];

	for (int i = 0; i < 1000; i++) {
		ssize_t n = pread(fd, said, sizeof(said) - 1, 0);

		said[n > 0 ? n : 0] = '\0';
		if (strstr(said, text) != NULL)
			return true;
		usleep(10000);
	}
	return false;
}

/* docs/nd2_server.c sends each message of docs/nd2_client.c back. */
static void nd2_own_example_server_answers_the_client(void **state)
{
	char *argv[] = {"nd2_client", "192.0.2.2", SERVER_PORT, NULL};
	int out = dup(STDOUT_FILENO), client = -1;
	FILE *caught = tmpfile();
	pthread_t thread;
	bool listening, received, answered;

	fflush(stdout);
	dup2(fileno(caught), STDOUT_FILENO);
	pthread_create(&thread, NULL, run_server, NULL);
	listening = printed(fileno(caught), "listening on 192.0.2.2 port " SERVER_PORT "\n");
	if (listening) {
		client = nd2_client_main(3, argv);
		pthread_join(thread, NULL);
	}
	fflush(stdout);
	received = printed(fileno(caught), "received 64 bytes: hello from softrnic\n");
	answered = printed(fileno(caught), "\nhello from softrnic\n");
	dup2(out, STDOUT_FILENO);
	close(out);
	fclose(caught);
	assert_true(listening);
	assert_true(received);
	assert_true(answered);
	assert_int_equal(client, 0);
	assert_int_equal(server_status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_example_client_talks),
		cmocka_unit_test(nd2_own_example_server_answers_the_client),
	};

	if (argc > 1)
		setenv("SOFTRNIC_ND_CATALOG", argv[1], 1);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
