/* The client program of docs/nd2_client.c, as printed there, runs in a thread of this process and
 * connects to an end of fixture.h. The argument is the folder of the provider catalogue. */
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int nd2_client_main(int argc, char **argv);

static char port[8];
static int client_status = -1;

static void *run_client(void *arg)
{
	char *argv[] = {"nd2_client", "192.0.2.2", port, NULL};

	client_status = nd2_client_main(3, argv);
	return NULL;
}

/* Reads the first line that the client printed into the redirected standard output. */
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nd2_own_example_client_talks)};

	if (argc > 1)
		setenv("SOFTRNIC_ND_CATALOG", argv[1], 1);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
