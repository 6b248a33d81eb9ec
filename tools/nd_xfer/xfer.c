/* Functions that client and server of nd_xfer use: messages of the protocol, the progress line,
 * time, and hashes as text. */
#include "xfer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/counters.h"

const char *const via_names[] = {"send", "write", "read"};

double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(struct progress *p, uint64_t size, bool on)
{
	*p = (struct progress){size, seconds_now(), 0, on};
}

void progress_show(struct progress *p, uint64_t at, bool last)
{
	double now = p->on ? seconds_now() : 0;
	if (!p->on || (!last && now - p->shown < 0.2))
		return;
	p->shown = now;
	double secs = now - p->start;
	fprintf(stderr, "\r%3.0f %%  %.1f of %.1f MB  %.1f MB/s ",
		p->size ? 100.0 * (double)at / (double)p->size : 100.0, (double)at / 1e6,
		(double)p->size / 1e6, secs > 0 ? (double)at / 1e6 / secs : 0);
	if (last)
		fputc('\n', stderr);
	fflush(stderr);
}

void sha_text(const uint8_t sha[XFER_SHA], char text[2 * XFER_SHA + 1])
{
	for (unsigned i = 0; i < XFER_SHA; i++)
		snprintf(text + 2 * i, 3, "%02x", sha[i]);
}

int send_msg(struct session *s, struct xfer_msg *msg)
{
	msg->magic = XFER_MAGIC;
	msg->version = XFER_VERSION;
	return session_send_msg(s, msg, sizeof(*msg));
}

const struct xfer_msg *as_msg(const struct done *d)
{
	const struct xfer_msg *m = (const struct xfer_msg *)d->data;
	if (d->bytes == sizeof(*m) && m->magic == XFER_MAGIC && m->version == XFER_VERSION)
		return m;
	fprintf(stderr, "nd_xfer: the peer uses another protocol than nd_xfer\n");
	return NULL;
}

int next_msg(struct session *s, const struct xfer_options *o, struct xfer_msg *msg)
{
	struct done d;
	do {
		int got = session_next(s, &d, o->timeout_ms);
		if (got == 0)
			fprintf(stderr, "nd_xfer: no message from the peer for %d s\n",
				o->timeout_ms / 1000);
		if (got <= 0)
			return -1;
	} while (d.kind != DONE_RECV);
	const struct xfer_msg *m = as_msg(&d);
	if (m == NULL)
		return -1;
	*msg = *m;
	return session_repost(s, d.index);
}

static void add_retransmitted(void *arg, const char *name, uint64_t value)
{
	if (strcmp(name, "tx_retransmitted") == 0)
		*(uint64_t *)arg += value;
}

uint64_t retransmissions(void)
{
	uint64_t sum = 0;
	counters_each(add_retransmitted, &sum);
	return sum;
}
