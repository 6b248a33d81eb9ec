/* The wire as a packet socket sees it: handmade frames out, parsed packets in, every one of them noted. The address we speak
 * from belongs to nobody on this host, so that its own stack stays silent; ARP is answered here. One thread. */
#ifndef RN_CONFORM_LINE_H
#define RN_CONFORM_LINE_H

#include <stdio.h>

#include "frame.h"

#define LINE_NOTES 48u

struct line {
	int fd, index;
	struct rn_gid own, peer; /* IPv4, mapped */
	uint8_t mac[6], peer_mac[6];
	uint64_t start;          /* line_now() when it was opened */
	uint64_t sent_at;        /* of our last RoCE frame */
	unsigned arps;           /* requests for our address */
	unsigned bad;            /* frames of the peer that no NIC accepts */
	char bad_text[160];      /* the first of them */
	unsigned notes;          /* how many frames were noted since line_forget(); the last LINE_NOTES are kept */
	char note[LINE_NOTES][256];
	uint8_t frame[9216];
};

uint64_t line_now(void); /* nanoseconds */
/* 0, or -1 after a sentence on standard error. */
int line_open(struct line *l, const char *interface, const char *own, const char *peer);
void line_close(struct line *l);
/* Asks for the peer's MAC address; false when nobody answers for a second. */
bool line_resolve(struct line *l);
void line_send(struct line *l, const uint8_t *frame, unsigned len);
/* The next RoCE packet for us; it is good until the next call. False when `until` has come. */
bool line_next(struct line *l, struct rn_pkt *pkt, uint64_t until);
void line_forget(struct line *l);
void line_print(const struct line *l, FILE *f, const char *indent);

#endif
