/* Fakes of the functions of nic/daemon_link.h. */
#include "fake_daemon_link.h"

#include <errno.h>

struct fake_daemon fake_daemon;

static struct fake_daemon *const d = &fake_daemon;

bool rn_daemon_link_absent(int rc)
{
	return rc == -ECONNREFUSED;
}

void rn_daemon_link_init(struct rn_daemon_link *l, const char *socket)
{
}

void rn_daemon_link_fini(struct rn_daemon_link *l)
{
}

void rn_daemon_link_forget(struct rn_daemon_link *l)
{
}

int rn_daemon_link_attach(struct rn_daemon_link *l, unsigned queues, const char *name,
			  struct rn_daemon_port *port)
{
	d->attaches++;
	*port = (struct rn_daemon_port){.number = 1, .mtu = 1500};
	return d->refusals > 0 && d->refusals-- > 0 ? d->attach_rc : 0;
}

int rn_daemon_link_return(struct rn_daemon_link *l, unsigned queues, const char *name,
			  struct rn_daemon_port *port)
{
	d->returns++;
	*port = (struct rn_daemon_port){.number = 1, .mtu = 1500};
	return d->return_rc;
}

int rn_daemon_link_port(struct rn_daemon_link *l, const char *path)
{
	d->ports++;
	d->listens_at_port = d->listens;
	d->claims_at_port = d->claims;
	return 0;
}

int rn_daemon_link_listen(struct rn_daemon_link *l, uint64_t id, const struct rn_gid *addr)
{
	d->last_service = id;
	return d->listen_rc[d->listens++];
}

int rn_daemon_link_unlisten(struct rn_daemon_link *l, uint64_t id, const struct rn_gid *addr)
{
	d->unlistens++;
	return 0;
}

int rn_daemon_link_join(struct rn_daemon_link *l, const struct rn_gid *group)
{
	return 0;
}

int rn_daemon_link_leave(struct rn_daemon_link *l, const struct rn_gid *group)
{
	return 0;
}

void rn_daemon_link_flush(struct rn_daemon_link *l)
{
}

int rn_daemon_link_claim(struct rn_daemon_link *l, const struct rn_daemon_claim *c, unsigned n,
			 uint32_t *accepted)
{
	d->batches++;
	d->largest = n > d->largest ? n : d->largest;
	d->claims += n;
	d->last_claim = c[n - 1];
	*accepted = n;
	return d->claim_rc;
}

int rn_daemon_link_announce(struct rn_daemon_link *l, const struct rn_daemon_claim *pair)
{
	d->claims++;
	d->last_claim = *pair;
	return 0;
}

void rn_daemon_link_settle(struct rn_daemon_link *l)
{
}

int rn_daemon_link_unclaim(struct rn_daemon_link *l, uint32_t remote_qpn, const struct rn_gid *peer)
{
	d->unclaims++;
	d->last_unclaimed = remote_qpn;
	return 0;
}

bool rn_daemon_link_lost(struct rn_daemon_link *l)
{
	return d->away;
}
