/* The wire as a packet socket sees it: sends handmade frames, returns parsed packets, and logs
 * every one of them. This tool's address belongs to no interface of this host, so that the host's
 * own stack does not answer; ARP is answered here. One thread. */
#ifndef RN_CONFORM_LINE_H
#define RN_CONFORM_LINE_H

#include <stdio.h>

#include "wire/frame.h"

#define LINE_NOTES 48u

struct line {
	int fd, index;
	struct rn_gid own, peer; /* IPv4, mapped */
	uint8_t mac[6], peer_mac[6];
	uint64_t start;	    /* line_now() when it was opened */
	uint64_t sent_at;   /* time of this tool's last RoCE frame */
	unsigned arps;	    /* ARP requests for this tool's address */
	unsigned bad;	    /* frames of the peer that every NIC must drop */
	char bad_text[160]; /* the first of them */
	/* frames logged since line_forget(); the last LINE_NOTES are kept */
	unsigned notes;
	char note[LINE_NOTES][256];
	uint8_t frame[9216];
};

uint64_t line_now(void); /* nanoseconds */
/* 0, or -1 after a message on stderr. */
int line_open(struct line *l, const char *interface, const char *own, const char *peer);
void line_close(struct line *l);
/* Asks for the peer's MAC address; false if there is no answer within a second. */
bool line_resolve(struct line *l);
void line_send(struct line *l, const uint8_t *frame, unsigned len);
/* The next RoCE packet for this tool, valid until the next call. False: `until` has passed. */
bool line_next(struct line *l, struct rn_pkt *pkt, uint64_t until);
void line_forget(struct line *l);
void line_print(const struct line *l, FILE *f, const char *indent);

#endif
