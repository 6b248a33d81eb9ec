/* The receiving side of nd_xfer: serves one connection after another. A chunk arrives by Send, by
 * the client's Write into a slot of this side, or by this side's Read of a slot of the client. Each
 * chunk is hashed, written to the file, and answered with a CREDIT message. */
#include "xfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AFTER_FAILURE_US 100000

struct receiving {
	struct session *s;
	const struct xfer_options *o;
	struct xfer_msg hello;
	/* fd: the output file; status: errno of a failed write, sent to the client */
	int fd, status;
	uint64_t got;
	uint32_t length[256]; /* for each slot: number of bytes of the Read into this slot */
	EVP_MD_CTX *sha;
	struct progress progress;
	bool finished;
};

static void keep(struct receiving *t, const uint8_t *data, uint32_t n)
{
	EVP_DigestUpdate(t->sha, data, n);
	t->got += n;
	for (uint32_t at = 0; t->fd >= 0 && !t->status && at < n;) {
		ssize_t w = write(t->fd, data + at, n - at);
		if (w < 0)
			t->status = errno;
		else
			at += (uint32_t)w;
	}
}

static int give_back(struct receiving *t, uint32_t slot)
{
	struct xfer_msg m = {.kind = XFER_CREDIT, .slot = slot};
	progress_show(&t->progress, t->got, false);
	return send_msg(t->s, &m);
}

static int answer(struct receiving *t)
{
	struct xfer_msg m = {.kind = XFER_RESULT, .status = t->status};
	unsigned len;
	EVP_DigestFinal_ex(t->sha, m.sha256, &len);
	if (!t->status && t->fd >= 0 && fsync(t->fd) != 0 && errno != EINVAL)
		m.status = t->status = errno;
	t->finished = true;
	return send_msg(t->s, &m);
}

static int take_chunk(struct receiving *t, const struct xfer_msg *m)
{
	struct session *s = t->s;
	if (m->slot >= s->slots || m->length > s->chunk) {
		fprintf(stderr, "nd_xfer: the client names slot %u, %u bytes: out of range\n",
			m->slot, m->length);
		return -1;
	}
	if (t->hello.via == VIA_READ) {
		t->length[m->slot] = m->length;
		return session_read_slot(s, m->slot, m->length,
					 t->hello.addr + (uint64_t)m->slot * s->chunk,
					 t->hello.token);
	}
	keep(t, session_slot(s, m->slot), m->length);
	return give_back(t, m->slot);
}

static int take_message(struct receiving *t, const struct done *d)
{
	bool bytes =
		t->hello.mode == MODE_FILE && t->hello.via == VIA_SEND && t->got < t->hello.size;
	if (bytes) {
		keep(t, d->data, d->bytes);
		return give_back(t, 0);
	}
	const struct xfer_msg *m = as_msg(d);
	if (m == NULL)
		return -1;
	if (m->kind == XFER_CHUNK)
		return take_chunk(t, m);
	if (m->kind == XFER_DONE)
		return answer(t);
	fprintf(stderr, "nd_xfer: the client sent an unexpected message of kind %u\n", m->kind);
	return -1;
}

/* Table mode (the client's option --table): sends every message back with the same length. DONE
 * ends table mode. */
static int echo(struct receiving *t, const struct done *d)
{
	const struct xfer_msg *m = (const struct xfer_msg *)d->data;
	if (d->bytes == sizeof(*m) && m->magic == XFER_MAGIC && m->kind == XFER_DONE)
		return answer(t);
	memcpy(session_slot(t->s, 0), d->data, d->bytes);
	return session_send_slot(t->s, 0, d->bytes);
}

static int serve(struct receiving *t)
{
	struct done d;
	while (!t->finished || t->s->in_flight) {
		int got = session_next(t->s, &d, t->o->timeout_ms);
		if (got == 0)
			fprintf(stderr, "nd_xfer: no message from the client for %d s\n",
				t->o->timeout_ms / 1000);
		if (got <= 0)
			return -1;
		int err = 0;
		if (d.kind == DONE_READ) {
			keep(t, session_slot(t->s, d.index), t->length[d.index]);
			err = give_back(t, d.index);
		} else if (d.kind == DONE_RECV) {
			err = t->hello.mode == MODE_TABLE ? echo(t, &d) : take_message(t, &d);
			if (err == 0)
				err = session_repost(t->s, d.index);
		}
		if (err)
			return -1;
	}
	return 0;
}

/* Receives HELLO and answers with READY. This side's options fix the chunk size and the number of
 * slots. A HELLO with another chunk size, or with more slots, is rejected. */
static int open_transfer(struct receiving *t)
{
	struct xfer_msg m = {.kind = XFER_READY,
			     .addr = (uint64_t)(uintptr_t)t->s->mem,
			     .token = t->s->remote_token};
	if (next_msg(t->s, t->o, &t->hello) != 0)
		return -1;
	if (t->hello.kind != XFER_HELLO || t->hello.version != XFER_VERSION ||
	    t->hello.length != t->s->chunk || t->hello.slots > t->s->slots ||
	    t->hello.via > VIA_READ)
		m.status = EPROTO;
	if (!m.status && t->hello.mode == MODE_FILE && t->o->file) {
		t->fd = open(t->o->file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		m.status = t->fd < 0 ? errno : 0;
	}
	progress_start(&t->progress, t->hello.size, t->o->progress && t->hello.mode == MODE_FILE);
	if (m.status)
		fprintf(stderr, "nd_xfer: refused the client: %s\n", strerror(m.status));
	return send_msg(t->s, &m) != 0 || m.status ? -1 : 0;
}

static int one_connection(struct session *s, const struct xfer_options *o)
{
	struct receiving t = {.s = s, .o = o, .fd = -1};
	t.sha = EVP_MD_CTX_new();
	if (t.sha == NULL || !EVP_DigestInit_ex(t.sha, EVP_sha256(), NULL))
		return -1;
	int err = session_prepare(s, o->chunk, o->slots);
	if (err == 0)
		err = session_accept(s);
	if (err == 0)
		err = open_transfer(&t);
	if (err == 0)
		err = serve(&t);
	if (err == 0 && t.hello.mode == MODE_FILE)
		progress_show(&t.progress, t.got, true);
	if (err == 0 && t.status) {
		fprintf(stderr, "nd_xfer: %s: %s\n", o->file, strerror(t.status));
		err = -1;
	}
	if (err == 0 && t.got != t.hello.size) {
		fprintf(stderr, "nd_xfer: got %llu of %llu bytes\n", (unsigned long long)t.got,
			(unsigned long long)t.hello.size);
		err = -1;
	}
	if (err != 0 && stop_came() && t.hello.mode == MODE_FILE && t.hello.size)
		printf("received %llu of %llu bytes by %s\n", (unsigned long long)t.got,
		       (unsigned long long)t.hello.size, via_names[t.hello.via]);
	if (s->connector)
		session_wait_closed(s, err == 0);
	if (err == 0 && t.hello.mode == MODE_FILE)
		printf("received %llu bytes by %s\n", (unsigned long long)t.got,
		       via_names[t.hello.via]);
	EVP_MD_CTX_free(t.sha);
	if (t.fd >= 0)
		close(t.fd);
	session_reset(s);
	return err;
}

int server_run(struct session *s, const struct xfer_options *o)
{
	uint16_t port;
	int err = session_listen(s, &o->local, &port);
	if (err)
		return err;
	printf("listening on port %u\n", port);
	fflush(stdout);
	for (unsigned i = 0; !stop_came() && (o->count == 0 || i < o->count); i++) {
		s->quiet = false;
		if (one_connection(s, o) != 0) {
			err = -1;
			session_reset(s);
			/* limits the rate of attempts, because without the adapter every attempt
			 * fails at once */
			usleep(AFTER_FAILURE_US);
		}
		fflush(stdout);
	}
	return err;
}
