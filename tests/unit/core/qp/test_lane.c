/* The lane (struct rn_lane): the part of a shard that the shard's QPs use. A QP or SRQ with events
 * is in the lane's list only once. The lane of shard 0 calls the CM and the neighbour table
 * directly. Lanes of other shards send shard 0 a message instead. */
#include "qp/lane.h"
#include "rig.h"

/* defined in fake_cm.c */
extern unsigned fake_comm_est, fake_probes;
extern struct rn_gid fake_probed;

static struct rn_lane *lane_of(struct rig *r)
{
	return &r->s[0].sh->lane;
}

/* Takes the neighbour table and the CM away from the lane of side 0, as if its shard were not shard
 * 0. Stores both pointers in *neigh and *cm; the test puts them back later. */
static void leave_shard_0(struct rig *r, struct rn_neigh **neigh, struct rn_cm **cm)
{
	struct rn_lane *lane = lane_of(r);

	*neigh = lane->neigh;
	*cm = lane->cm;
	lane->neigh = NULL;
	lane->cm = NULL;
}

static void an_srq_is_listed_once(void **state)
{
	struct rn_srq_ref ref = {.id = 5};
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	rn_list_init(&ref.tell);
	rn_lane_report_srq(lane_of(&r), &ref);
	rn_lane_report_srq(lane_of(&r), &ref);
	assert_ptr_equal(rn_list_pop(&lane_of(&r)->pending_srq), &ref.tell);
	assert_true(rn_list_empty(&lane_of(&r)->pending_srq));
	rig_fini(&r);
}

static void a_full_outbox_drops_the_newest_message(void **state)
{
	struct rn_lane *lane;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	lane = lane_of(&r);
	for (uint32_t i = 0; i < RN_OUTBOX + 3; i++)
		rn_lane_send(lane, &(struct rn_msg){.kind = RN_MSG_COMM_EST, .qpn = i});
	assert_int_equal(lane->out_tail - lane->out_head, RN_OUTBOX);
	for (uint32_t i = 0; i < RN_OUTBOX; i++)
		assert_int_equal(lane->outbox[(lane->out_head + i) % RN_OUTBOX].qpn, i);
	lane->out_head = lane->out_tail;
	rig_fini(&r);
}

static void the_first_packet_is_reported_on_shard_0(void **state)
{
	unsigned before = fake_comm_est;
	struct rn_event ev;
	struct rig r;

	rig_init(&r, &(struct rig_opt){.only_rtr = true});
	rn_lane_comm_est(lane_of(&r), r.s[0].qp, r.now);
	assert_int_equal(fake_comm_est, before + 1);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 1);
	assert_int_equal(ev.kind, RN_EVENT_COMM_EST);
	assert_int_equal(ev.id, r.s[0].qpn);
	rig_fini(&r);
}

/* If the QP is in RTS already, its first packet is reported to the connection manager as usual, but
 * the client gets no event. */
static void the_first_packet_in_rts_is_no_event(void **state)
{
	unsigned before = fake_comm_est;
	struct rn_event ev;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	rn_lane_comm_est(lane_of(&r), r.s[0].qp, r.now);
	assert_int_equal(fake_comm_est, before + 1);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 0);
	rig_fini(&r);
}

static void another_shard_sends_messages_to_shard_0(void **state)
{
	const struct rn_gid peer = {{[10] = 0xff, 0xff, 192, 0, 2, 9}};
	unsigned established = fake_comm_est, doubts = fake_probes;
	struct rn_neigh *neigh;
	struct rn_lane *lane;
	struct rn_cm *cm;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	lane = lane_of(&r);
	leave_shard_0(&r, &neigh, &cm);
	rn_lane_comm_est(lane, r.s[0].qp, r.now);
	rn_lane_probe_peer(lane, &peer, r.now);
	assert_int_equal(fake_comm_est, established);
	assert_int_equal(fake_probes, doubts);
	assert_int_equal(lane->out_tail - lane->out_head, 2);
	assert_int_equal(lane->outbox[lane->out_head % RN_OUTBOX].kind, RN_MSG_COMM_EST);
	assert_int_equal(lane->outbox[lane->out_head % RN_OUTBOX].qpn, r.s[0].qpn);
	assert_int_equal(lane->outbox[(lane->out_head + 1) % RN_OUTBOX].kind, RN_MSG_PROBE);
	assert_memory_equal(&lane->outbox[(lane->out_head + 1) % RN_OUTBOX].gid, &peer,
			    sizeof(peer));
	lane->out_head = lane->out_tail;
	lane->neigh = neigh;
	lane->cm = cm;
	rn_lane_probe_peer(lane, &peer, r.now);
	assert_int_equal(fake_probes, doubts + 1);
	assert_memory_equal(&fake_probed, &peer, sizeof(peer));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_srq_is_listed_once),
		cmocka_unit_test(a_full_outbox_drops_the_newest_message),
		cmocka_unit_test(the_first_packet_is_reported_on_shard_0),
		cmocka_unit_test(the_first_packet_in_rts_is_no_event),
		cmocka_unit_test(another_shard_sends_messages_to_shard_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
