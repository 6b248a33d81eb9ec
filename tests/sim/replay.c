/* Functions that all parts of a replay (replay.h) use. They look up a QP pair, report
 * a failure of the test, and translate values: a value of the captured host becomes the value that
 * the shard uses in its place. A replay runs in one thread. */
#include "replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/types.h"

void fail_at(const struct replay *r, const struct record *rec, const char *what)
{
	fail_msg("%s frame %d, in the place of host %u: %s", r->file, (int)(rec - r->rec) + 1,
		 r->sim.node[DUT].port.gids[0].b[15], what);
}

void must(const struct replay *r, const struct record *rec, bool held, const char *what)
{
	if (!held)
		fail_at(r, rec, what);
}

bool replay_is_request(const struct record *rec)
{
	return !rec->is_cm && !rec->pkt.op->response;
}

unsigned replay_pair_of(const struct replay *r, const struct record *rec)
{
	for (unsigned n = 0; n < r->npairs; n++)
		if (rec->pkt.dest_qpn == (rec->ours ? r->pair[n].peer : r->pair[n].own))
			return n;
	fail_at(r, rec, "of no queue pair");
	return 0;
}

void twin_add(struct replay *r, uint64_t old, uint64_t now)
{
	assert_true(r->ntwins < RN_ARRAY_SIZE(r->twin));
	r->twin[r->ntwins++] = (struct twin){old, now};
}

uint64_t twin_of(const struct replay *r, uint64_t old)
{
	for (unsigned i = r->ntwins; i-- > 0;)
		if (r->twin[i].old == old)
			return r->twin[i].now;
	return old;
}
