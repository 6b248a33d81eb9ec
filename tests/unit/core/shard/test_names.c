/* Identifiers that an adapter shows to its peers: communication ids, QPNs, keys. Each kind depends
 * on one secret alone. A peer that knows many identifiers of one kind cannot predict others of that
 * kind. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ground/client_number.h"
#include "cm/cm_priv.h"
#include "shard/shard.h"

#define MANY 8

/* of[secret][i] is the i-th identifier derived from a secret. It is 0 for the secrets of internal
 * hash tables, from which no identifier is derived. */
struct names {
	uint64_t of[RN_SECRETS][MANY];
};

struct nic {
	struct rn_shard *sh;
	struct rn_mr_table *mrs;
	struct rn_cq_shared shared;
	struct rn_cq_ring *ring;
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
};

static void start_shard(struct nic *n, const struct rn_secrets *secrets, uint32_t index,
			uint32_t nshards, uint32_t client)
{
	memset(n, 0, sizeof(*n));
	n->port = (struct rn_port_attr){.mtu = 1500,
					.max_path_mtu = 3,
					.ngids = 1,
					.gids = {{{[10] = 0xff, 0xff, 192, 0, 2, 1}}}};
	rn_core_defaults(&n->cfg);
	n->cfg.secrets = *secrets;
	n->cfg.index = index;
	n->cfg.nshards = nshards;
	n->cfg.client = client;
	if (client != RN_CLIENT_NONE)
		n->cfg.max_qp = RN_MIN(n->cfg.max_qp, rn_client_shard_qpns(nshards));
	n->mrs = rn_mr_table_create(64, &secrets->of[RN_SECRET_KEYS]);
	n->sh = rn_shard_create(&n->cfg, &n->port, n->mrs, &rn_mem_plain, 0);
	n->ring = aligned_alloc(64, RN_ALIGN_UP(rn_cq_ring_bytes(64), 64));
	assert_true(n->mrs && n->sh && n->ring);
	rn_cq_ring_init(n->ring, 64);
	rn_shard_cq_link(n->sh, 0, &n->shared, n->ring, 0);
}

static void start(struct nic *n, const struct rn_secrets *secrets)
{
	start_shard(n, secrets, 0, 1, RN_CLIENT_NONE);
}

static void stop(struct nic *n)
{
	rn_shard_destroy(n->sh);
	rn_mr_table_destroy(n->mrs);
	free(n->ring);
}

static struct rn_rsp command(struct nic *n, const struct rn_cmd *cmd)
{
	size_t bytes = rn_exec_bytes(cmd, &n->cfg);
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = cmd, .rsp = &rsp};

	if (bytes) {
		x.mem = aligned_alloc(64, RN_ALIGN_UP(bytes, 64));
		memset(x.mem, 0, bytes);
	}
	rn_shard_exec(n->sh, &x, 0);
	assert_int_equal(rsp.err, 0);
	free(x.freed);
	return rsp;
}

static void name_things(struct nic *n, struct names *names, unsigned i)
{
	static uint8_t mem[64];
	const struct rn_mr_attr region = {
		.ptr = mem, .iova = 0x1000, .length = sizeof(mem), .pd = 1};
	struct rn_rsp qp = command(
		n,
		&(struct rn_cmd){.op = RN_CMD_CREATE_QP,
				 .create_qp = {.type = RN_QPT_RC, .sq_depth = 1, .rq_depth = 1}});
	struct rn_rsp id = command(n, &(struct rn_cmd){.op = RN_CMD_CM_BIND});
	uint32_t lkey, rkey;

	assert_int_equal(rn_mr_add(n->mrs, &region, &lkey, &rkey), 0);
	names->of[RN_SECRET_KEYS][i] = rkey;
	names->of[RN_SECRET_QPNS][i] = qp.id;
	names->of[RN_SECRET_GENERATIONS][i] = qp.gen;
	names->of[RN_SECRET_PORTS][i] = id.port;
	names->of[RN_SECRET_COMM_IDS][i] = rn_cm_fresh_id(n->sh->lane.cm);
	names->of[RN_SECRET_TIDS][i] = rn_cm_fresh_tid(n->sh->lane.cm);
	command(n, &(struct rn_cmd){.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp.id, .gen = qp.gen}});
}

static struct names names_of(const struct rn_secrets *secrets)
{
	struct names names = {0};
	struct nic n;

	start(&n, secrets);
	for (unsigned i = 0; i < MANY; i++)
		name_things(&n, &names, i);
	stop(&n);
	return names;
}

/* Two adapters with one different secret differ in all identifiers made from that secret, and in no
 * others. */
static void each_name_has_its_own_secret(void **state)
{
	const struct rn_secrets one = rn_secrets_of_seed(1), two = rn_secrets_of_seed(2);
	const struct names as_one = names_of(&one);

	for (unsigned purpose = 0; purpose < RN_SECRETS; purpose++) {
		struct rn_secrets mixed = one;
		struct names names;

		mixed.of[purpose] = two.of[purpose];
		names = names_of(&mixed);
		for (unsigned other = 0; other < RN_SECRETS; other++)
			for (unsigned i = 0; i < MANY; i++)
				if (other != purpose)
					assert_true(names.of[other][i] == as_one.of[other][i]);
				else if (as_one.of[other][0] != 0)
					assert_true(names.of[other][i] != as_one.of[other][i]);
	}
}

/* The same secrets give the same identifiers, so that a simulator run can be repeated. */
static void the_same_seed_repeats(void **state)
{
	const struct rn_secrets secrets = rn_secrets_of_seed(77), same = rn_secrets_of_seed(77);
	const struct names a = names_of(&secrets), b = names_of(&same);

	assert_memory_equal(&a, &b, sizeof(a));
}

/* The difference between consecutive identifiers never repeats, so the next identifier cannot be
 * predicted. Generations are not checked: they count up, and are not sent to peers. */
static void no_step_comes_again(void **state)
{
	const struct rn_secrets secrets = rn_secrets_of_seed(3);
	const struct names names = names_of(&secrets);

	for (unsigned purpose = 0; purpose < RN_SECRETS; purpose++) {
		const uint64_t *name = names.of[purpose];

		for (unsigned i = 1; i + 1 < MANY && purpose != RN_SECRET_GENERATIONS && name[0];
		     i++)
			for (unsigned j = i + 1; j < MANY; j++)
				assert_true(name[i] - name[i - 1] != name[j] - name[j - 1]);
	}
}

/* Creates a QP, destroys it and returns its QPN. */
static uint32_t next_qpn(struct nic *n)
{
	struct rn_cmd make = {.op = RN_CMD_CREATE_QP,
			      .create_qp = {.type = RN_QPT_RC, .sq_depth = 1, .rq_depth = 1}};
	struct rn_rsp qp = command(n, &make);

	command(n, &(struct rn_cmd){.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp.id, .gen = qp.gen}});
	return qp.id;
}

/* The QPNs of one shard do not predict the QPNs of another. */
static void shards_have_orders_of_their_own(void **state)
{
	const struct rn_secrets secrets = rn_secrets_of_seed(5);
	uint32_t k[2][MANY];

	for (unsigned shard = 0; shard < 2; shard++) {
		struct nic n;

		start_shard(&n, &secrets, shard, 2, RN_CLIENT_NONE);
		for (unsigned i = 0; i < MANY; i++)
			k[shard][i] = next_qpn(&n) / 2;
		stop(&n);
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_true(k[0][i] != k[1][i]);
}

/* All QPNs of a client carry the client's number, and each QPN of the range is used before one is
 * used again. With three shards one or two QPNs at the edges of the range belong to no shard. */
static void the_numbers_of_a_client_are_its_own(void **state)
{
	static const uint32_t clients[] = {1, 77, RN_CLIENT_MAX};
	const struct rn_secrets secrets = rn_secrets_of_seed(7);

	for (unsigned i = 0; i < 6; i++) {
		const uint32_t client = clients[i / 2], nshards = 1 + i % 2 * 2;
		static uint8_t used[1 << RN_CLIENT_QPN_SHIFT];
		uint32_t distinct = 0;

		memset(used, 0, sizeof(used));
		for (uint32_t shard = 0; shard < nshards; shard++) {
			struct nic n;

			start_shard(&n, &secrets, shard, nshards, client);
			for (uint32_t k = 0; k < n.sh->qpn_count; k++) {
				uint32_t qpn = next_qpn(&n);

				assert_int_equal(rn_client_of_qpn(qpn), client);
				assert_int_equal(rn_qpn_shard(qpn, nshards), shard);
				assert_int_equal(used[qpn % sizeof(used)]++, 0);
				distinct++;
			}
			for (unsigned k = 0; k < MANY && shard == 0; k++)
				assert_int_equal(rn_client_of_id(rn_cm_fresh_id(n.sh->lane.cm)),
						 client);
			stop(&n);
		}
		assert_in_range(distinct, sizeof(used) - (nshards > 1 ? 4 : 0), sizeof(used));
	}
}

/* Each shard of a client has at least the promised number of QPNs; some shard has no more. */
static void each_shard_of_a_client_has_its_part(void **state)
{
	const struct rn_secrets secrets = rn_secrets_of_seed(9);

	for (uint32_t nshards = 1; nshards <= 16; nshards++) {
		uint32_t least = UINT32_MAX, sum = 0;

		for (uint32_t client = 1; client <= RN_CLIENT_MAX; client += 23) {
			sum = 0;
			for (uint32_t shard = 0; shard < nshards; shard++) {
				struct nic n;

				start_shard(&n, &secrets, shard, nshards, client);
				least = RN_MIN(least, n.sh->qpn_count);
				sum += n.sh->qpn_count;
				stop(&n);
			}
			assert_in_range(sum, 65536 - 2 * nshards, 65536);
		}
		assert_in_range(least, rn_client_shard_qpns(nshards), 65536 / nshards);
	}
	assert_int_equal(rn_client_shard_qpns(1), 65536);
	assert_int_equal(rn_client_shard_qpns(3), 21844);
	assert_int_equal(rn_client_shard_qpns(4), 16384);
}

/* The number of a client changes the upper part of its QPNs and communication ids, and nothing
 * else: not the keys, the ports, the transaction ids. */
static void the_number_changes_nothing_else(void **state)
{
	const struct rn_secrets secrets = rn_secrets_of_seed(11);
	struct names names[3] = {0};

	for (unsigned i = 0; i < 3; i++) {
		static const uint32_t clients[] = {RN_CLIENT_NONE, 5, 6};
		struct nic n;

		start_shard(&n, &secrets, 0, 1, clients[i]);
		for (unsigned k = 0; k < MANY; k++)
			name_things(&n, &names[i], k);
		stop(&n);
	}
	for (unsigned purpose = 0; purpose < RN_SECRETS; purpose++)
		for (unsigned k = 0; k < MANY; k++) {
			const uint64_t none = names[0].of[purpose][k],
				       five = names[1].of[purpose][k],
				       six = names[2].of[purpose][k];

			if (purpose == RN_SECRET_QPNS) {
				assert_int_equal(rn_client_of_qpn((uint32_t)five), 5);
				assert_int_equal(six, five + (1 << RN_CLIENT_QPN_SHIFT));
			} else if (purpose == RN_SECRET_COMM_IDS) {
				assert_int_equal(rn_client_of_id((uint32_t)five), 5);
				assert_int_equal(six, five + (1 << RN_CLIENT_ID_SHIFT));
			} else {
				assert_int_equal(five, none);
				assert_int_equal(six, none);
			}
		}
}

/* A client can have as many QPs as its shard may be created with. */
static void a_full_client_is_told_so(void **state)
{
	const struct rn_secrets secrets = rn_secrets_of_seed(13);
	const uint32_t nshards = 1024, most = rn_client_shard_qpns(nshards);
	struct rn_cmd make = {.op = RN_CMD_CREATE_QP,
			      .create_qp = {.type = RN_QPT_RC, .sq_depth = 1, .rq_depth = 1}};
	struct rn_rsp qp[64], rsp;
	struct nic n;

	assert_int_equal(most, RN_ARRAY_SIZE(qp));
	start_shard(&n, &secrets, 3, nshards, 9);
	for (uint32_t k = 0; k < most; k++)
		qp[k] = command(&n, &make);
	struct rn_exec x = {.cmd = &make, .rsp = &rsp};
	x.mem = aligned_alloc(64, RN_ALIGN_UP(rn_exec_bytes(&make, &n.cfg), 64));
	rn_shard_exec(n.sh, &x, 0);
	assert_int_equal(rsp.err, -ENOSPC);
	free(x.mem);
	for (uint32_t k = 0; k < most; k++)
		command(&n, &(struct rn_cmd){.op = RN_CMD_DESTROY_QP,
					     .qp = {.qpn = qp[k].id, .gen = qp[k].gen}});
	stop(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_name_has_its_own_secret),
		cmocka_unit_test(the_same_seed_repeats),
		cmocka_unit_test(no_step_comes_again),
		cmocka_unit_test(shards_have_orders_of_their_own),
		cmocka_unit_test(the_numbers_of_a_client_are_its_own),
		cmocka_unit_test(each_shard_of_a_client_has_its_part),
		cmocka_unit_test(the_number_changes_nothing_else),
		cmocka_unit_test(a_full_client_is_told_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
