/* How many cache lines of struct rn_qp does an ordinary packet touch? With many QPs, each of these
 * lines is a cache miss. Each table lists the members that one kind of packet uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "qp/qp.h"

#define LINE 64u

struct member {
	const char *name;
	size_t at, bytes;
};
#define M(name)                                                                        \
	{                                                                              \
#name, offsetof(struct rn_qp, name), sizeof(((struct rn_qp *)0)->name) \
	}
#define END                \
	{                  \
		NULL, 0, 0 \
	}
#define QP_HEAD                                                                             \
	M(lane), M(qpn), M(pd), M(type), M(state), M(mtu_shift), M(own_turn), M(short_way), \
		M(access), M(quota), M(active)
/* The headers of an IPv4 frame up to the QPN are 50 bytes long. */
#define SEEN(which)                                                        \
	M(match.which.crc), M(match.which.udp_len),                        \
	{                                                                  \
#which ".hdr", offsetof(struct rn_qp, match.which.hdr), 50 \
	}

static const struct member sender[] = {
	QP_HEAD,
	M(gen),
	M(tx_key),
	M(credit.mode),
	M(sq.mem),
	M(sq.mask),
	M(sq.stride),
	M(sq.head),
	M(sq.send),
	M(sq.started),
	M(sq.tail),
	M(sq.depth),
	M(sq.plain_kinds),
	M(win.una),
	M(win.cur),
	M(win.high),
	M(win.next),
	M(win.send_pkt),
	M(win.size),
	M(win.unasked),
	M(win.responses),
	M(retry.timer),
	M(retry.deadline),
	M(retry.base),
	M(retry.since),
	M(retry.rto),
	M(retry.sample_at),
	M(retry.sample_psn),
	M(retry.sampling),
	M(retry.running),
	M(retry.full),
	M(cc.limited),
	M(tmpl),
	M(rx.nowed),
	END,
};

static const struct member requester[] = {
	QP_HEAD,
	SEEN(responses),
	M(credit.mode),
	M(sq.mem),
	M(sq.mask),
	M(sq.stride),
	M(sq.head),
	M(sq.send),
	M(sq_retired),
	M(dirty),
	M(send_cq),
	M(ctx),
	M(win.una),
	M(win.cur),
	M(win.high),
	M(win.size),
	M(win.max),
	M(win.acked),
	M(win.knee),
	M(win.nreads),
	M(win.responses),
	M(retry.srtt),
	M(win.maybe_spurious),
	M(retry.sampling),
	M(retry.var),
	M(retry.floor),
	M(retry.rto),
	M(retry.base),
	M(shared),
	END,
};

static const struct member responder[] = {
	QP_HEAD,     SEEN(requests), M(rx_key),	 M(rq),	      M(recv_cq),    M(srq),
	M(recv_pd),  M(rx.epsn),     M(rx.msn),	 M(rx.taken), M(rx.message), M(rx.peer_seen),
	M(rx.nowed), M(rx.done),     M(rx.rkey), M(rx.va),    M(rx.length),  M(rx.owed[0]),
	M(tmpl),     M(cc.limited),  END,
};

/* Returns how many different cache lines these members of a QP are in. */
static unsigned lines_of(const struct member *m)
{
	bool used[RN_DIV_UP(sizeof(struct rn_qp), LINE)] = {false};
	unsigned n = 0;

	for (; m->name; m++)
		for (size_t l = m->at / LINE; l <= (m->at + m->bytes - 1) / LINE; l++) {
			n += !used[l];
			used[l] = true;
		}
	return n;
}

static void ordinary_packets_touch_few_lines(void **state)
{
	assert_int_equal(lines_of(sender), 8);
	assert_int_equal(lines_of(requester), 8);
	assert_int_equal(lines_of(responder), 7);
}

/* The lists above would say nothing if the QP did not begin with a line. */
static void a_qp_begins_with_a_line(void **state)
{
	assert_int_equal(_Alignof(struct rn_qp), LINE);
	assert_int_equal(sizeof(struct rn_qp) % LINE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_packets_touch_few_lines),
		cmocka_unit_test(a_qp_begins_with_a_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
