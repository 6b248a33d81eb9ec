/* A client may wait for a minute before it calls Accept or CompleteConnect: row 148 of
 * docs/spec/nd2.md. Both cases run at once. ND2_PATIENCE_S sets another number of seconds. */
#include "fixture.h"

static void nd2_row_148_clients_may_take_their_time(void **state)
{
	const char *text = getenv("ND2_PATIENCE_S");
	OVERLAPPED connect = {0}, accept[2] = {{0}}, complete = {0};
	struct pair p[2];

	pair_open(&p[0], NULL);
	pair_open(&p[1], NULL);
	reach_request(&p[0], NULL, &connect);
	reach_reply(&p[1], NULL, &accept[1]);
	sleep_ms(text != NULL ? (unsigned)atoi(text) * 1000 : 60000);
	HR(status_after(&connect, 0), ND_PENDING);
	HR(status_after(&accept[1], 0), ND_PENDING);
	HR(CALL(p[0].b.connector, Accept, (IUnknown *)p[0].b.qp, 1, 1, NULL, 0, &accept[0]),
	   ND_PENDING);
	HR(finish(p[0].a.connector, &connect), ND_SUCCESS);
	for (int i = 0; i < 2; i++) {
		IND2Connector *c = p[i].a.connector;

		ENDS(c, CALL(c, CompleteConnect, &complete), &complete, ND_SUCCESS);
		HR(finish(p[i].b.connector, &accept[i]), ND_SUCCESS);
		exchange(&p[i].a, &p[i].b);
		pair_close(&p[i]);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_148_clients_may_take_their_time),
};

nd2_main(tests)
