/* The command RESOLVE: returns the address vector that leads to a peer. The answer comes at once,
 * or with an event as soon as the neighbour table has the MAC address of the next hop. Runs on the
 * thread of shard 0. */
#include "shard/resolve.h"

#include <errno.h>

#include "shard/shard.h"
#include "wire/frame.h"

/* Fills the address vector for packets from `local` to `peer`, except for the MAC address. A
 * wildcard as `local` stands for the port's best source address for `peer`. Returns 0 or a negative
 * errno. */
static int fill_av(const struct rn_shard *sh, const struct rn_gid *local, const struct rn_gid *peer,
		   struct rn_av *av)
{
	static const struct rn_gid any;

	*av = rn_port_av(&sh->lane.port, &(struct rn_av){.sgid = *local, .dgid = *peer});
	if (rn_gid_equal(local, &any) && !rn_port_source(&sh->lane.port, peer, &av->sgid))
		return -EAFNOSUPPORT;
	if (rn_port_own(&sh->lane.port, &av->sgid) < 0)
		return -EADDRNOTAVAIL;
	return rn_gid_same_family(&av->sgid, peer) ? 0 : -EAFNOSUPPORT;
}

int rn_resolve_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_resolving r = {.user = x->cmd->user};
	int err;

	/* Only shard 0 has a connection manager and a neighbour table. */
	if (!sh->lane.cm)
		return -EINVAL;
	err = fill_av(sh, &x->cmd->cm.local, &x->cmd->cm.peer, &r.av);
	if (err)
		return err;
	switch (rn_neigh_resolve(sh->lane.neigh, &r.av.sgid, &r.av.dgid, r.av.dmac, now)) {
	case RN_NEIGH_READY:
		x->rsp->query.attr.av = r.av;
		return 0;
	case RN_NEIGH_FAILED:
		return -EHOSTUNREACH;
	case RN_NEIGH_PENDING:
		break;
	}
	/* If the list of waiting commands is full, the client must send its command again later. */
	if (sh->nresolving == RN_RESOLVING)
		return -EAGAIN;
	sh->resolving[sh->nresolving++] = r;
	return -EINPROGRESS;
}

void rn_resolve_look(struct rn_shard *sh, rn_time now)
{
	for (unsigned i = 0; i < sh->nresolving; i++) {
		struct rn_resolving *r = &sh->resolving[i];
		enum rn_neigh_state s;

		/* Skip a command that has its answer already; rn_resolve_event() has yet to report
		 * the answer. */
		if (r->known)
			continue;
		s = rn_neigh_resolve(sh->lane.neigh, &r->av.sgid, &r->av.dgid, r->av.dmac, now);
		r->known = s != RN_NEIGH_PENDING;
		r->err = s == RN_NEIGH_READY ? 0 : -EHOSTUNREACH;
	}
}

bool rn_resolve_event(struct rn_shard *sh, struct rn_event *ev)
{
	for (unsigned i = 0; i < sh->nresolving; i++) {
		struct rn_resolving *r = &sh->resolving[i];

		if (!r->known)
			continue;
		*ev = (struct rn_event){.kind = RN_EVENT_RESOLVED,
					.user = r->user,
					.err = r->err,
					.local = r->av.sgid,
					.peer = r->av.dgid,
					.attr.av = r->av};
		/* The last command of the list moves to the place of the reported command. */
		*r = sh->resolving[--sh->nresolving];
		return true;
	}
	return false;
}
