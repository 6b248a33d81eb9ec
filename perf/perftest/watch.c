/* Ends the waits of a test when the user asks to stop or the other end is gone. Owns e->gone_since.
 * One thread calls these functions. */
#include "end.h"

#include "common/stop.h"

#include <poll.h>
#include <stdio.h>

#define PARTING_NS 1000000000ull

static bool has_hung_up(const struct pt_end *e)
{
	struct pollfd p = {.fd = e->peer_fd, .events = POLLRDHUP};

	return e->peer_fd >= 0 && poll(&p, 1, 0) > 0;
}

static bool has_disconnected(struct pt_end *e)
{
	if (e->o->cm_talk)
		pt_events(e, 0);
	for (unsigned i = 0; i < e->npending; i++)
		if (e->pending[i].kind == RN_EVENT_CM_DISCONNECTED)
			return true;
	return false;
}

void pt_linger(struct pt_end *e, unsigned secs)
{
	uint64_t end = pt_now_ns() + secs * 1000000000ull;

	while (secs > 0 && pt_now_ns() < end && !stop_asked())
		rn_client_progress(e->client);
}

int pt_check_peer(struct pt_end *e)
{
	uint64_t now;

	if (stop_asked()) {
		e->stopped = true;
		return -1;
	}
	if (!has_hung_up(e) && !has_disconnected(e))
		return 0;
	now = pt_now_ns();
	if (!e->gone_since)
		e->gone_since = now;
	if (now - e->gone_since < PARTING_NS)
		return 0;
	fprintf(stderr, "%s: the other end has disconnected\n", e->o->tool->name);
	return -1;
}
