/* The sending side of nd_xfer: reads the file in chunks, and hashes and moves the chunks by Send,
 * Write or Read. At most `slots` chunks wait for a CREDIT message from the server at any time. */
#include "xfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sending {
	struct session *s;
	const struct xfer_options *o;
	int fd;
	uint64_t size, sent;
	/* busy: number of chunks that wait for a CREDIT message. next: slot of the next chunk. */
	uint32_t busy, next;
	uint64_t addr;
	uint32_t token;
	EVP_MD_CTX *sha;
	struct progress progress;
	struct xfer_msg result;
	bool finished;
};

static int say_hello(struct sending *t, struct xfer_msg *ready)
{
	struct session *s = t->s;
	struct xfer_msg m = {.kind = XFER_HELLO,
			     .via = (uint8_t)t->o->via,
			     .mode = t->o->table ? MODE_TABLE : MODE_FILE,
			     .length = t->o->chunk,
			     .slots = t->o->slots,
			     .size = t->size,
			     .addr = (uint64_t)(uintptr_t)s->mem,
			     .token = s->remote_token};
	if (send_msg(s, &m) != 0 || next_msg(s, t->o, ready) != 0)
		return -1;
	if (ready->kind != XFER_READY || ready->status) {
		fprintf(stderr, "nd_xfer: the server refused: %s\n", strerror(ready->status));
		return -1;
	}
	t->addr = ready->addr;
	t->token = ready->token;
	return 0;
}

static int fill_slot(struct sending *t, uint32_t *length)
{
	uint8_t *to = session_slot(t->s, t->next);
	uint64_t left = t->size - t->sent;
	uint32_t want = left < t->o->chunk ? (uint32_t)left : t->o->chunk, got = 0;
	while (got < want) {
		ssize_t n = read(t->fd, to + got, want - got);
		if (n <= 0) {
			fprintf(stderr, "nd_xfer: %s: %s\n", t->o->file,
				n ? strerror(errno) : "file became shorter");
			return -1;
		}
		got += (uint32_t)n;
	}
	EVP_DigestUpdate(t->sha, to, want);
	*length = want;
	return 0;
}

static int send_chunk(struct sending *t)
{
	struct session *s = t->s;
	uint32_t n, slot = t->next;
	struct xfer_msg m = {.kind = XFER_CHUNK, .slot = slot};
	if (fill_slot(t, &n) != 0)
		return -1;
	m.length = n;
	int err = 0;
	if (t->o->via == VIA_SEND)
		err = session_send_slot(s, slot, n);
	else if (t->o->via == VIA_WRITE)
		err = session_write_slot(s, slot, n, t->addr + (uint64_t)slot * s->chunk, t->token,
					 true);
	if (err == 0 && t->o->via != VIA_SEND)
		err = send_msg(s, &m);
	t->sent += n;
	t->busy++;
	t->next = (t->next + 1) % t->o->slots;
	return err;
}

static int take_completion(struct sending *t)
{
	struct done d;
	int got = session_next(t->s, &d, t->o->timeout_ms);
	if (got == 0)
		fprintf(stderr, "nd_xfer: no message from the server for %d s\n",
			t->o->timeout_ms / 1000);
	if (got <= 0)
		return -1;
	if (d.kind != DONE_RECV)
		return 0;
	const struct xfer_msg *m = as_msg(&d);
	if (m == NULL)
		return -1;
	if (m->kind == XFER_CREDIT && t->busy)
		t->busy--;
	if (m->kind == XFER_RESULT) {
		t->result = *m;
		t->finished = true;
	}
	return session_repost(t->s, d.index);
}

static int transfer(struct sending *t)
{
	while (t->sent < t->size) {
		/* Posts no further chunk while many requests have not completed. So the initiator
		 * queue (ND2's send queue) always has room. */
		if (t->busy < t->o->slots && t->s->in_flight < 2 * t->o->slots) {
			if (send_chunk(t) != 0)
				return -1;
			progress_show(&t->progress, t->sent, false);
		} else if (take_completion(t) != 0) {
			return -1;
		}
		if (t->finished)
			return 0; /* the server has failed, and judge() reports the failure */
	}
	struct xfer_msg m = {.kind = XFER_DONE};
	unsigned len;
	EVP_DigestFinal_ex(t->sha, m.sha256, &len);
	while (t->busy && !t->finished)
		if (take_completion(t) != 0)
			return -1;
	if (!t->finished && send_msg(t->s, &m) != 0)
		return -1;
	while (!t->finished)
		if (take_completion(t) != 0)
			return -1;
	/* this side's hash goes into `pad`; judge() compares it with the server's hash in
	 * `sha256` */
	memcpy(t->result.pad, m.sha256, XFER_SHA);
	return 0;
}

static int judge(struct sending *t)
{
	char ours[2 * XFER_SHA + 1], theirs[2 * XFER_SHA + 1];
	progress_show(&t->progress, t->sent, true);
	if (t->result.status) {
		fprintf(stderr, "nd_xfer: the server failed: %s\n", strerror(t->result.status));
		return -1;
	}
	sha_text(t->result.pad, ours);
	sha_text(t->result.sha256, theirs);
	printf("client sha256 %s\nserver sha256 %s\n", ours, theirs);
	if (memcmp(t->result.pad, t->result.sha256, XFER_SHA) != 0) {
		fprintf(stderr, "nd_xfer: the hashes differ\n");
		return -1;
	}
	return 0;
}

static int open_file(struct sending *t)
{
	struct stat st;
	t->fd = open(t->o->file, O_RDONLY);
	if (t->fd < 0 || fstat(t->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "nd_xfer: %s: %s\n", t->o->file,
			t->fd < 0 ? strerror(errno) : "not a regular file");
		return -1;
	}
	t->size = (uint64_t)st.st_size;
	return 0;
}

static int send_file(struct sending *t)
{
	struct xfer_msg ready;
	uint64_t before = retransmissions();
	if (say_hello(t, &ready) != 0)
		return -1;
	progress_start(&t->progress, t->size, t->o->progress);
	if (transfer(t) != 0 || judge(t) != 0) {
		if (stop_came())
			printf("sent %llu of %llu bytes by %s\n", (unsigned long long)t->sent,
			       (unsigned long long)t->size, via_names[t->o->via]);
		return -1;
	}
	double secs = seconds_now() - t->progress.start;
	printf("sent %llu bytes by %s in %.3f s: %.1f MB/s, %llu packets retransmitted\n",
	       (unsigned long long)t->size, via_names[t->o->via], secs,
	       (double)t->size / 1e6 / (secs > 0 ? secs : 1e-9),
	       (unsigned long long)(retransmissions() - before));
	return 0;
}

static int send_table(struct sending *t)
{
	struct xfer_msg ready, bye = {.kind = XFER_DONE};
	if (say_hello(t, &ready) != 0 || table_run(t->s, t->o, t->addr, t->token) != 0)
		return -1;
	return send_msg(t->s, &bye) != 0 || next_msg(t->s, t->o, &ready) != 0 ? -1 : 0;
}

int client_run(struct session *s, const struct xfer_options *o)
{
	struct sending t = {.s = s, .o = o, .fd = -1};
	t.sha = EVP_MD_CTX_new();
	if (t.sha == NULL || !EVP_DigestInit_ex(t.sha, EVP_sha256(), NULL)) {
		fprintf(stderr, "nd_xfer: no SHA-256 in this libcrypto\n");
		return -1;
	}
	int err = o->table ? 0 : open_file(&t);
	if (err == 0)
		err = session_prepare(s, o->chunk, o->slots);
	if (err == 0)
		err = session_connect(s, &o->local, &o->peer);
	if (err == 0) {
		err = o->table ? send_table(&t) : send_file(&t);
		session_disconnect(s, err == 0);
	}
	EVP_MD_CTX_free(t.sha);
	if (t.fd >= 0)
		close(t.fd);
	return err;
}
