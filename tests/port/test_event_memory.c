/* No memory is left for a new element of the event queue. No shard blocks then, and the event is
 * delivered later. An adapter that has no memory for its capture does not start. The linker
 * replaces calloc() by __wrap_calloc() below. */
#include "rig.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#define MANY 100u /* more events than fit into the event queue before the event queue must grow */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

static _Atomic bool none;
/* true: allocations that are as large as the ring buffer of a packet capture, about 1 MiB, fail */
static _Atomic bool no_capture;
static _Atomic unsigned refused;

void *__wrap_calloc(size_t n, size_t size)
{
	bool is_capture = n == 1 && size > 1u << 20 && size < (1u << 20) + 4096;

	if (!atomic_load(&none) && !(is_capture && atomic_load(&no_capture)))
		return __real_calloc(n, size);
	atomic_fetch_add(&refused, 1);
	return NULL;
}

struct many {
	struct rn_link *link;
	struct rig_cq cq[MANY];
	struct rig_qp qp[MANY];
};

/* Causes one event on each of MANY armed CQs while every calloc() fails. The event comes from the
 * flush of a receive. */
static void make_events(struct many *m)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	uint32_t pd = rig_pd(m->link);

	for (unsigned i = 0; i < MANY; i++) {
		m->cq[i] = rig_cq(m->link, 1);
		m->qp[i] = rig_qp(m->link, pd, &m->cq[i], &m->cq[i], 1);
		cmd.modify_qp.qpn = m->qp[i].qpn;
		cmd.modify_qp.gen = m->qp[i].gen;
		cmd.modify_qp.mask = RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS;
		cmd.modify_qp.attr.state = RN_QPS_INIT;
		cmd.modify_qp.attr.port = 1;
		assert_int_equal(rig_exec(m->link, &cmd, NULL), 0);
		rig_post(&m->qp[i], RN_WQE_RECV, i, NULL, 0, 0, 0, 0);
		atomic_store(&m->cq[i].view->shared->armed, RN_CQ_ARM_ANY);
	}
	/* Under the adaptive policy the shard's thread is asleep by then. The commands run in this
	 * thread, and must wake it for events that they could not queue. */
	usleep(50000);
	atomic_store(&none, true);
	for (unsigned i = 0; i < MANY; i++) {
		cmd.modify_qp.qpn = m->qp[i].qpn;
		cmd.modify_qp.gen = m->qp[i].gen;
		cmd.modify_qp.mask = RN_QP_STATE;
		cmd.modify_qp.attr.state = RN_QPS_ERR;
		assert_int_equal(rig_exec(m->link, &cmd, NULL), 0);
	}
	usleep(20000);
	assert_true(atomic_load(&refused) > 0);
}

static void events_are_delivered_when_there_is_memory(void **state)
{
	static const char *const policies[] = {"adaptive", "inline"};

	for (unsigned p = 0; p < 2; p++) {
		bool seen[MANY] = {false};
		struct many m;
		char more[64];

		print_message("%s\n", policies[p]);
		snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", policies[p]);
		m.link = rig_open(rig_pair(1, 4200, more), 0);
		make_events(&m);
		for (unsigned n = 0; n < MANY; n++) {
			struct rn_event ev;

			assert_int_equal(m.link->ops->wait(m.link, &ev, 1, 5000), 1);
			assert_int_equal(ev.kind, RN_EVENT_CQ);
			for (unsigned i = 0; i < MANY; i++)
				if (m.cq[i].id == ev.id) {
					assert_false(seen[i]);
					seen[i] = true;
				}
		}
		atomic_store(&none, false);
		atomic_store(&refused, 0);
		rn_link_close(m.link);
	}
}

/* RN_EVENT_PORT_GONE, the last event of an adapter, is delivered after the events before it. */
static void the_last_event_is_delivered_too(void **state)
{
	const char *path = rig_pair(1, 4200, "");
	struct rn_link_info info[2];
	struct rn_event ev = {0};
	struct many m;
	char err[256];

	m.link = rig_open(path, 0);
	make_events(&m);
	assert_int_equal(rn_link_list(path, info, 2, err, sizeof(err)), 2);
	assert_int_equal(rn_link_unplug(info[0].name), 0);
	for (unsigned n = 0; n <= MANY && ev.kind != RN_EVENT_PORT_GONE; n++)
		assert_int_equal(m.link->ops->wait(m.link, &ev, 1, 5000), 1);
	assert_int_equal(ev.kind, RN_EVENT_PORT_GONE);
	atomic_store(&none, false);
	rn_link_close(m.link);
}

/* An adapter must not start with a capture that silently lacks the frames of a shard. */
static void an_adapter_without_room_for_its_capture_does_not_start(void **state)
{
	const char *path = rig_pair(1, 4200, "capture = { file = \"/dev/null\"; };");
	struct rn_link *link = NULL;
	char err[256] = "";

	atomic_store(&refused, 0);
	atomic_store(&no_capture, true);
	assert_int_equal(rn_link_open(path, 0, &link, err, sizeof(err)), -ENOMEM);
	assert_string_equal(err, "adapter a: Cannot allocate memory");
	assert_int_equal(atomic_load(&refused), 1);
	atomic_store(&no_capture, false);
	rn_link_close(rig_open(path, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_delivered_when_there_is_memory),
		cmocka_unit_test(the_last_event_is_delivered_too),
		cmocka_unit_test(an_adapter_without_room_for_its_capture_does_not_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
