/* 4,400 connections exist at the same time, and then every 97th connection carries messages. The
 * limits of the built-in configuration must suffice. */
#include "fixture.h"

enum { CROWD = 4400, EVERY = 97 };

struct couple {
	IND2Connector *connector[2];
	IND2QueuePair *qp[2];
};

static const struct how small = {.cq_depth = 64, .depth = 1, .sge = 1, .inl = 1};

/* Creates a queue pair and a connector on each side of p, and connects the two queue pairs. They
 * use p's files and completion queues. */
static void connect_couple(struct pair *p, struct couple *c)
{
	p->a.qp = new_qp(&p->a, p->a.cq, NULL, &small);
	p->b.qp = new_qp(&p->b, p->b.cq, NULL, &small);
	p->a.connector = new_connector(&p->a);
	p->b.connector = new_connector(&p->b);
	bind_any(&p->a, p->a.connector);
	pair_connect(p, &small);
	*c = (struct couple){{p->a.connector, p->b.connector}, {p->a.qp, p->b.qp}};
}

static void use_couple(struct pair *p, const struct couple *c)
{
	p->a.qp = c->qp[0];
	p->b.qp = c->qp[1];
	exchange(&p->a, &p->b);
}

static void nd2_own_thousands_connected_at_once(void **state)
{
	static struct couple couples[CROWD];
	struct pair p;

	pair_open(&p, &small);
	RELEASE(p.a.qp);
	RELEASE(p.b.qp);
	RELEASE(p.a.connector);
	RELEASE(p.b.connector);
	for (unsigned i = 0; i < CROWD; i++)
		connect_couple(&p, &couples[i]);
	for (unsigned i = 0; i < CROWD; i += EVERY)
		use_couple(&p, &couples[i]);
	use_couple(&p, &couples[CROWD - 1]);
	for (unsigned i = 0; i < CROWD; i++)
		for (unsigned side = 0; side < 2; side++) {
			RELEASE(couples[i].connector[side]);
			RELEASE(couples[i].qp[side]);
		}
	p.a.qp = p.b.qp = NULL;
	p.a.connector = p.b.connector = NULL;
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_thousands_connected_at_once),
};

nd2_main(tests)
