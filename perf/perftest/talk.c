/* Exchanges parameters and results with the other end in the order of perftest 4.5. talk_tcp.c or
 * talk_cm.c sends the bytes. One thread calls these functions. */
#include "talk.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION	      "6.06" /* protocol version of perftest 4.5+0.17 */
#define VERSION_BYTES 16
/* oldest protocol version accepted; still older versions send result counts in 32 bits */
#define OLDEST	     5.33
#define CYCLE_BUFFER 4096
#define CACHE_LINE   64

int pt_talk_open(struct pt_talk *t, struct pt_end *e)
{
	*t = (struct pt_talk){.e = e, .fd = -1, .ops = e->o->cm_talk ? &pt_talk_cm : &pt_talk_tcp};
	return e->o->cm_talk ? pt_talk_cm_open(t) : pt_talk_tcp_open(t);
}

void pt_talk_close(struct pt_talk *t)
{
	if (t->ops)
		t->ops->close(t);
	t->ops = NULL;
}

static int exchange(struct pt_talk *t, const void *mine, void *theirs, size_t bytes)
{
	if (!pt_is_server(t->e->o))
		return t->ops->send(t, mine, bytes) || t->ops->recv(t, theirs, bytes) ? -1 : 0;
	return t->ops->recv(t, theirs, bytes) || t->ops->send(t, mine, bytes) ? -1 : 0;
}

static int exchange_versions(struct pt_talk *t)
{
	char mine[VERSION_BYTES] = VERSION, theirs[VERSION_BYTES];

	if (exchange(t, mine, theirs, sizeof(mine)) != 0)
		return -1;
	theirs[VERSION_BYTES - 1] = 0;
	t->their_version = atof(theirs);
	if (t->their_version >= OLDEST)
		return 0;
	fprintf(stderr,
		"%s: the other end speaks version '%s' of perftest's protocol, %.2f is the oldest known\n",
		t->e->o->tool->name, theirs, OLDEST);
	return -1;
}

int pt_talk_begin(struct pt_talk *t)
{
	char mtu[2], their_mtu[2];
	uint32_t number = htonl(CYCLE_BUFFER), unused;

	if (!t->e->o->no_versions && exchange_versions(t) != 0)
		return -1;
	if (exchange(t, &number, &unused, 4) != 0)
		return -1;
	number = htonl(CACHE_LINE);
	if (exchange(t, &number, &unused, 4) != 0)
		return -1;
	mtu[0] = (char)('0' + t->e->mtu);
	mtu[1] = 0;
	if (exchange(t, mtu, their_mtu, 2) != 0)
		return -1;
	if (their_mtu[0] >= '1' && their_mtu[0] <= '5' && their_mtu[0] - '0' < t->e->mtu)
		t->e->mtu = (uint8_t)(their_mtu[0] - '0');
	return 0;
}

static int cards(struct pt_talk *t, const struct pt_card *mine, struct pt_card *theirs)
{
	if (!pt_is_server(t->e->o))
		return t->ops->send_card(t, mine) || t->ops->recv_card(t, theirs) ? -1 : 0;
	return t->ops->recv_card(t, theirs) || t->ops->send_card(t, mine) ? -1 : 0;
}

int pt_talk_card(struct pt_talk *t, unsigned i)
{
	return cards(t, &t->e->qp[i].mine, &t->e->qp[i].theirs);
}

int pt_talk_sync(struct pt_talk *t)
{
	struct pt_card unused;

	return cards(t, &t->e->qp[0].mine, &unused);
}

int pt_talk_rates(struct pt_talk *t, const struct pt_rates *mine, struct pt_rates *theirs)
{
	uint64_t my_words[PT_RATES], their_words[PT_RATES];

	pt_rates_to_words(mine, my_words);
	for (unsigned i = 0; i < PT_RATES; i++)
		if (exchange(t, &my_words[i], &their_words[i], 8) != 0)
			return -1;
	pt_rates_from_words(theirs, their_words);
	return 0;
}

int pt_talk_end(struct pt_talk *t)
{
	static const char done[5] = "done";

	if (pt_talk_sync(t) != 0)
		return -1;
	/* Over a socket each end sends "done" and closes the connection, without waiting for "done"
	 * from the other end. */
	return t->e->o->cm_talk ? 0 : t->ops->send(t, done, sizeof(done));
}
