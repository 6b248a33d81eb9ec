/* Which connection has this client id, communication id, QPN, address or port? Runs on shard 0.
 *
 * Owns the table of connections, its hash tables, the use counts of ephemeral ports and the memory
 * of the timewait records (cm_id.c). Of the free slots, the one freed first is reused first. A
 * client id consists of slot and generation, so that a stale id does not name a new connection.
 * Random ids and ports come from secret streams, so that other hosts cannot guess them. The hash
 * tables use another secret, so that other hosts cannot choose values that share a bucket. */
#include <stdlib.h>
#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"

#define TABLES		      7
#define conn_of(node, member) rn_container_of(node, struct rn_cm_conn, member)

/* ---- creation and destruction of the tables ---- */

static void init_conn(struct rn_cm_conn *c, uint32_t slot)
{
	memset(c, 0, sizeof(*c));
	c->slot = slot;
	rn_timer_init(&c->timer);
	rn_list_init(&c->held);
	rn_list_init(&c->sibling);
	rn_list_init(&c->asks);
	rn_list_init(&c->says);
	rn_list_init(&c->tells);
}

static void init_waits(struct rn_cm *cm, rn_time now)
{
	rn_wheel_init(&cm->wait_wheel, now);
	for (uint32_t i = 0; i < cm->max_waits; i++) {
		rn_timer_init(&cm->waits[i].timer);
		cm->wait_free[i] = cm->max_waits - 1 - i;
	}
	cm->nwait_free = cm->max_waits;
}

bool rn_cm_index_create(struct rn_cm *cm, const struct rn_core_cfg *cfg, rn_time now)
{
	struct rn_htab *tables[TABLES] = {&cm->by_local, &cm->by_remote, &cm->by_peer_qp,
					  &cm->by_qpn,	 &cm->by_tuple,	 &cm->by_port,
					  &cm->by_asker};
	uint32_t nbuckets, nchains;

	cm->max = RN_MAX(cfg->max_cm, 1u);
	cm->max_waits = RN_MAX(cfg->max_timewait, 1u);
	nbuckets = rn_pow2_up(cm->max);
	nchains = rn_pow2_up(cm->max_waits);
	cm->wait_mask = nchains - 1;
	cm->conns = calloc(cm->max, sizeof(*cm->conns));
	cm->slot_ring = calloc(cm->max, sizeof(*cm->slot_ring));
	cm->generation = calloc(cm->max, sizeof(*cm->generation));
	cm->buckets = calloc((size_t)nbuckets * TABLES, sizeof(*cm->buckets));
	cm->waits = calloc(cm->max_waits, sizeof(*cm->waits));
	cm->wait_free = calloc(cm->max_waits, sizeof(*cm->wait_free));
	cm->wait_local = calloc((size_t)nchains * 3, sizeof(*cm->wait_local));
	if (!cm->conns || !cm->slot_ring || !cm->generation || !cm->buckets || !cm->waits ||
	    !cm->wait_free || !cm->wait_local)
		return false;
	/* One allocation holds the chain heads of all three indexes of the timewait records. */
	cm->wait_remote = cm->wait_local + nchains;
	cm->wait_qpn = cm->wait_remote + nchains;
	for (unsigned i = 0; i < TABLES; i++)
		rn_htab_init(tables[i], cm->buckets + (size_t)i * nbuckets, nbuckets);
	rn_idpool_init(&cm->slots, cm->slot_ring, 0, cm->max);
	/* The lower bits of a client id hold slot + 1 (1..max), so that no id is 0. */
	cm->id_bits = 1;
	while (cm->max >> cm->id_bits)
		cm->id_bits++;
	init_waits(cm, now);
	cm->client = cfg->client;
	rn_stream_init(&cm->ids, &cfg->secrets.of[RN_SECRET_COMM_IDS], 0);
	rn_stream_init(&cm->tids, &cfg->secrets.of[RN_SECRET_TIDS], 0);
	rn_stream_init(&cm->ports, &cfg->secrets.of[RN_SECRET_PORTS], 0);
	cm->tables = cfg->secrets.of[RN_SECRET_CM_TABLES];
	return true;
}

void rn_cm_index_destroy(struct rn_cm *cm)
{
	free(cm->wait_local);
	free(cm->wait_free);
	free(cm->waits);
	free(cm->buckets);
	free(cm->generation);
	free(cm->slot_ring);
	free(cm->conns);
}

/* ---- taking, releasing and finding a connection ---- */

struct rn_cm_conn *rn_cm_new(struct rn_cm *cm)
{
	uint32_t slot = rn_idpool_get(&cm->slots);
	struct rn_cm_conn *c;

	if (slot == RN_ID_NONE)
		return NULL;
	c = &cm->conns[slot];
	init_conn(c, slot);
	/* The id has a new generation, so the ids of the slot's previous connections stay
	 * invalid. */
	c->id = ++cm->generation[slot] << cm->id_bits | (slot + 1);
	c->state = RN_CMS_BOUND;
	cm->live++;
	return c;
}

void rn_cm_release(struct rn_cm *cm, struct rn_cm_conn *c)
{
	rn_cm_unindex_wire(cm, c);
	rn_cm_leave_port(cm, c);
	rn_timer_cancel(&cm->wheel, &c->timer);
	rn_list_del(&c->asks);
	rn_list_del(&c->says);
	rn_list_del(&c->tells);
	c->state = RN_CMS_FREE;
	c->id = 0; /* rn_cm_by_id() no longer finds the connection */
	cm->live--;
	rn_idpool_put(&cm->slots, c->slot);
}

struct rn_cm_conn *rn_cm_by_id(const struct rn_cm *cm, uint32_t id)
{
	uint32_t slot = (id & ((1u << cm->id_bits) - 1)) - 1;

	if (id == 0 || slot >= cm->max || cm->conns[slot].id != id)
		return NULL;
	return &cm->conns[slot];
}

/* ---- hash tables: lookup, insertion, removal ---- */

/* Returns the hash of a and b. All hash tables share one secret, the key of this hash. a is the
 * number that is looked up. b separates equal numbers of different kinds: 0 for a communication id,
 * 3 for a QPN, 5 for a service id, the peer's GUID for a remote id. */
uint64_t rn_cm_hash2(const struct rn_cm *cm, uint64_t a, uint64_t b)
{
	const uint64_t key[2] = {a, b};

	return rn_secret_hash(&cm->tables, key, sizeof(key));
}

/* Returns the hash of a connection's four-tuple (addresses and ports). */
static uint64_t hash_tuple(const struct rn_cm *cm, const struct rn_cm_conn *c)
{
	const struct {
		struct rn_gid local, peer;
		uint32_t port_space, port, peer_port;
	} key = {c->local, c->peer, c->port_space, c->port, c->peer_port};

	static_assert(sizeof(key) == 44, "no padding, which would be hashed too");
	return rn_secret_hash(&cm->tables, &key, sizeof(key));
}

struct rn_cm_conn *rn_cm_by_local(const struct rn_cm *cm, uint32_t local_id)
{
	for (struct rn_hnode *n = rn_htab_first(&cm->by_local, rn_cm_hash2(cm, local_id, 0)); n;
	     n = rn_htab_next(n))
		if (conn_of(n, by_local)->local_id == local_id)
			return conn_of(n, by_local);
	return NULL;
}

/* Returns the hash of a communication id or QPN (`name`) that a peer chose. Such a number is unique
 * only together with the peer's GUID and address. */
static uint64_t hash_peer(const struct rn_cm *cm, uint32_t name, uint64_t guid,
			  const struct rn_gid *from)
{
	const struct {
		struct rn_gid from;
		uint64_t guid, name;
	} key = {*from, guid, name};

	return rn_secret_hash(&cm->tables, &key, sizeof(key));
}

struct rn_cm_conn *rn_cm_by_remote(const struct rn_cm *cm, uint32_t remote_id, uint64_t guid,
				   const struct rn_gid *from)
{
	for (struct rn_hnode *n =
		     rn_htab_first(&cm->by_remote, hash_peer(cm, remote_id, guid, from));
	     n; n = rn_htab_next(n)) {
		struct rn_cm_conn *c = conn_of(n, by_remote);

		if (c->remote_id == remote_id && c->remote_guid == guid &&
		    rn_gid_equal(&c->av.dgid, from))
			return c;
	}
	return NULL;
}

struct rn_cm_conn *rn_cm_by_peer_qp(const struct rn_cm *cm, uint32_t qpn, uint64_t guid,
				    const struct rn_gid *from)
{
	for (struct rn_hnode *n = rn_htab_first(&cm->by_peer_qp, hash_peer(cm, qpn, guid, from)); n;
	     n = rn_htab_next(n)) {
		struct rn_cm_conn *c = conn_of(n, by_peer_qp);

		if (c->remote_qpn == qpn && c->remote_guid == guid &&
		    rn_gid_equal(&c->av.dgid, from))
			return c;
	}
	return NULL;
}

struct rn_cm_conn *rn_cm_by_qpn(const struct rn_cm *cm, uint32_t qpn)
{
	for (struct rn_hnode *n = rn_htab_first(&cm->by_qpn, rn_cm_hash2(cm, qpn, 3)); n;
	     n = rn_htab_next(n))
		if (conn_of(n, by_qpn)->own.qpn == qpn)
			return conn_of(n, by_qpn);
	return NULL;
}

bool rn_cm_tuple_taken(const struct rn_cm *cm, const struct rn_cm_conn *c)
{
	for (struct rn_hnode *n = rn_htab_first(&cm->by_tuple, hash_tuple(cm, c)); n;
	     n = rn_htab_next(n)) {
		struct rn_cm_conn *o = conn_of(n, by_tuple);

		if (o != c && o->port_space == c->port_space && o->port == c->port &&
		    o->peer_port == c->peer_port && rn_gid_equal(&o->local, &c->local) &&
		    rn_gid_equal(&o->peer, &c->peer))
			return true;
	}
	return false;
}

/* Returns the hash of a source address, for the counters of half-open connections (cm_half.c). */
uint64_t rn_cm_hash_source(const struct rn_cm *cm, const struct rn_gid *from)
{
	return hash_peer(cm, 0, 0, from);
}

/* Returns the hash of a SIDR request id. Such an id is unique only together with the source
 * address. */
static uint64_t hash_asker(const struct rn_cm *cm, uint32_t request_id, const struct rn_gid *from)
{
	const struct {
		struct rn_gid from;
		uint64_t request_id;
	} key = {*from, request_id};

	return rn_secret_hash(&cm->tables, &key, sizeof(key));
}

struct rn_cm_conn *rn_cm_by_asker(const struct rn_cm *cm, uint32_t request_id,
				  const struct rn_gid *from)
{
	for (struct rn_hnode *n = rn_htab_first(&cm->by_asker, hash_asker(cm, request_id, from)); n;
	     n = rn_htab_next(n)) {
		struct rn_cm_conn *c = conn_of(n, by_asker);

		if (c->remote_id == request_id && rn_gid_equal(&c->av.dgid, from))
			return c;
	}
	return NULL;
}

struct rn_cm_conn *rn_cm_listener_at(const struct rn_cm *cm, uint16_t port_space,
				     const struct rn_gid *local, uint16_t port)
{
	uint64_t service = rn_cm_service_id(port_space, port);

	for (struct rn_hnode *n = rn_htab_first(&cm->by_port, rn_cm_hash2(cm, service, 5)); n;
	     n = rn_htab_next(n)) {
		struct rn_cm_conn *c = conn_of(n, by_port);

		if (c->port == port && c->port_space == port_space &&
		    rn_gid_equal(&c->local, local))
			return c;
	}
	return NULL;
}

struct rn_cm_conn *rn_cm_listener_for(const struct rn_cm *cm, const struct rn_gid *dst,
				      uint64_t service_id)
{
	static const struct rn_gid any, any_ipv4 = {{[10] = 0xff, [11] = 0xff}};
	/* First search for a listener at the exact address, then at the wildcard of the address
	 * family, last at the wildcard for both families. */
	const struct rn_gid *tries[] = {dst, rn_gid_is_ipv4(dst) ? &any_ipv4 : &any, &any};

	/* Service ids of the RDMA-CM port spaces fit into 32 bits (docs/spec/rocev2.md 6.9). */
	if (service_id >> 32)
		return NULL;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(tries); i++) {
		struct rn_cm_conn *c = rn_cm_listener_at(cm, (uint16_t)(service_id >> 16), tries[i],
							 (uint16_t)service_id);

		if (c && c->state == RN_CMS_LISTEN)
			return c;
	}
	return NULL;
}

/* Adds the node to the hash table, or moves the node to the chain of its new hash. Before the call,
 * *in says whether the node is in the table; afterwards *in is true. */
static void add(struct rn_htab *table, struct rn_hnode *node, bool *in, uint64_t hash)
{
	if (*in)
		rn_htab_del(table, node);
	rn_htab_add(table, node, hash);
	*in = true;
}

static void del(struct rn_htab *table, struct rn_hnode *node, bool *in)
{
	if (*in)
		rn_htab_del(table, node);
	*in = false;
}

void rn_cm_index_local(struct rn_cm *cm, struct rn_cm_conn *c)
{
	add(&cm->by_local, &c->by_local, &c->in_local, rn_cm_hash2(cm, c->local_id, 0));
}

void rn_cm_index_peer(struct rn_cm *cm, struct rn_cm_conn *c)
{
	add(&cm->by_remote, &c->by_remote, &c->in_remote,
	    hash_peer(cm, c->remote_id, c->remote_guid, &c->av.dgid));
	add(&cm->by_peer_qp, &c->by_peer_qp, &c->in_peer_qp,
	    hash_peer(cm, c->remote_qpn, c->remote_guid, &c->av.dgid));
}

void rn_cm_index_qpn(struct rn_cm *cm, struct rn_cm_conn *c)
{
	add(&cm->by_qpn, &c->by_qpn, &c->in_qpn, rn_cm_hash2(cm, c->own.qpn, 3));
}

void rn_cm_index_tuple(struct rn_cm *cm, struct rn_cm_conn *c)
{
	add(&cm->by_tuple, &c->by_tuple, &c->in_tuple, hash_tuple(cm, c));
}

void rn_cm_index_listener(struct rn_cm *cm, struct rn_cm_conn *c)
{
	add(&cm->by_port, &c->by_port, &c->in_port,
	    rn_cm_hash2(cm, rn_cm_service_id(c->port_space, c->port), 5));
}

void rn_cm_index_asker(struct rn_cm *cm, struct rn_cm_conn *c)
{
	add(&cm->by_asker, &c->by_asker, &c->in_asker, hash_asker(cm, c->remote_id, &c->av.dgid));
}

/* Removes the QPs and the four-tuple of c from the hash tables. Another connection may use these
 * QPs and this four-tuple from now on. */
void rn_cm_unindex_qps(struct rn_cm *cm, struct rn_cm_conn *c)
{
	del(&cm->by_peer_qp, &c->by_peer_qp, &c->in_peer_qp);
	del(&cm->by_qpn, &c->by_qpn, &c->in_qpn);
	del(&cm->by_tuple, &c->by_tuple, &c->in_tuple);
}

/* Removes the QPs, the four-tuple and the communication ids of c from the hash tables. Received CM
 * messages no longer find c. */
void rn_cm_unindex_wire(struct rn_cm *cm, struct rn_cm_conn *c)
{
	rn_cm_unindex_qps(cm, c);
	del(&cm->by_local, &c->by_local, &c->in_local);
	del(&cm->by_remote, &c->by_remote, &c->in_remote);
	del(&cm->by_asker, &c->by_asker, &c->in_asker);
}

/* ---- port numbers ---- */

/* Returns the use count of an ephemeral port. Returns NULL for any other port, because other ports
 * have no use count. */
static uint32_t *users_of(struct rn_cm *cm, uint16_t port)
{
	return port < RN_CM_EPHEMERAL_FIRST ? NULL : &cm->port_users[port - RN_CM_EPHEMERAL_FIRST];
}

/* Assigns the port number `port` to c. If `port` is 0, assigns an unused ephemeral port; the search
 * begins at a random port, so that nobody can predict the result. Connections may share a `port`
 * that is not 0. Returns false if no ephemeral port is free. */
bool rn_cm_take_port(struct rn_cm *cm, struct rn_cm_conn *c, uint16_t port)
{
	uint32_t *users, at = port == 0 ? (uint32_t)rn_stream_next(&cm->ports) : 0;

	for (unsigned i = 0; port == 0 && i < RN_CM_EPHEMERALS; i++, at++)
		if (cm->port_users[at % RN_CM_EPHEMERALS] == 0)
			port = (uint16_t)(RN_CM_EPHEMERAL_FIRST + at % RN_CM_EPHEMERALS);
	if (port == 0)
		return false;
	c->port = port;
	c->has_port = true;
	users = users_of(cm, port);
	if (users)
		++*users;
	return true;
}

/* Frees the port number and the four-tuple of c, so that other ids can use them. Called when the
 * client destroys the id. c may then still exchange its last CM messages with the peer. */
void rn_cm_leave_port(struct rn_cm *cm, struct rn_cm_conn *c)
{
	uint32_t *users = c->has_port ? users_of(cm, c->port) : NULL;

	if (users)
		--*users;
	c->has_port = false;
	del(&cm->by_port, &c->by_port, &c->in_port);
	del(&cm->by_tuple, &c->by_tuple, &c->in_tuple);
}
