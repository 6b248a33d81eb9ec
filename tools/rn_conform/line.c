/* Sends and receives frames through an AF_PACKET socket. Such a socket works on any interface,
 * beside the kernel driver and without giving the NIC to DPDK. Owns the socket; see line.h. */
#include "line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wire/arp_msg.h"
#include "wire/dump.h"
#include "base/types.h"

#define ETH_ALL 0x0003

uint64_t line_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool address(const char *text, struct rn_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->b[10] = gid->b[11] = 0xFF;
	return inet_pton(AF_INET, text, gid->b + 12) == 1;
}

int line_open(struct line *l, const char *interface, const char *own, const char *peer)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_ALL)};
	struct ifreq ifr = {0};
	int one = 1;

	memset(l, 0, sizeof(*l));
	if (!address(own, &l->own) || !address(peer, &l->peer)) {
		fprintf(stderr, "rn_conform: addresses are written like 192.0.2.1\n");
		return -1;
	}
	l->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_ALL));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", interface);
	at.sll_ifindex = (int)if_nametoindex(interface);
	if (l->fd < 0 || at.sll_ifindex == 0 || ioctl(l->fd, SIOCGIFHWADDR, &ifr) != 0 ||
	    bind(l->fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		fprintf(stderr, "rn_conform: %s: %s\n", interface, strerror(errno));
		if (l->fd >= 0)
			close(l->fd);
		return -1;
	}
	setsockopt(l->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	memcpy(l->mac, ifr.ifr_hwaddr.sa_data, 6);
	l->start = line_now();
	return 0;
}

void line_close(struct line *l)
{
	close(l->fd);
}

static void note(struct line *l, const char *direction, const uint8_t *frame, unsigned len)
{
	char text[RN_DUMP_BYTES];
	char *to = l->note[l->notes++ % LINE_NOTES];

	rn_dump_frame(text, sizeof(text), frame, len);
	snprintf(to, sizeof(l->note[0]), "%9.3f ms %s %.200s",
		 (double)(line_now() - l->start) / 1e6, direction, text);
}

static void put(struct line *l, const uint8_t *frame, unsigned len)
{
	if (send(l->fd, frame, len, 0) != (ssize_t)len)
		fprintf(stderr, "rn_conform: sending: %s\n", strerror(errno));
}

void line_send(struct line *l, const uint8_t *frame, unsigned len)
{
	note(l, ">", frame, len);
	put(l, frame, len);
	l->sent_at = line_now();
}

static void put_arp(struct line *l, unsigned op, const uint8_t *to, const struct rn_gid *target)
{
	struct rn_arp arp = {.op = (uint16_t)op, .sender = l->own, .target = *target};
	uint8_t frame[60] = {0};

	memcpy(frame, to, 6);
	memcpy(frame + 6, l->mac, 6);
	frame[12] = 0x08;
	frame[13] = 0x06;
	memcpy(arp.sender_mac, l->mac, 6);
	if (op == RN_ARP_REPLY)
		memcpy(arp.target_mac, to, 6);
	rn_arp_build(&arp, frame + 14);
	put(l, frame, sizeof(frame));
}

static void take_arp(struct line *l, const struct rn_pkt *pkt)
{
	struct rn_arp arp;

	if (!rn_arp_parse(pkt->payload, pkt->payload_len, &arp))
		return;
	if (rn_gid_equal(&arp.sender, &l->peer))
		memcpy(l->peer_mac, arp.sender_mac, 6);
	if (arp.op == RN_ARP_REQUEST && rn_gid_equal(&arp.target, &l->own)) {
		l->arps++;
		put_arp(l, RN_ARP_REPLY, arp.sender_mac, &arp.sender);
	}
}

/* Receives one frame before `until`. Returns the frame's length, or 0 if no frame came. */
static unsigned take(struct line *l, uint64_t until)
{
	struct pollfd p = {.fd = l->fd, .events = POLLIN};
	uint64_t now = line_now();
	struct timespec wait = {0};
	ssize_t n;

	if (now < until) {
		wait.tv_sec = (time_t)((until - now) / 1000000000u);
		wait.tv_nsec = (long)((until - now) % 1000000000u);
	}
	if (ppoll(&p, 1, &wait, NULL) != 1)
		return 0;
	n = recv(l->fd, l->frame, sizeof(l->frame), 0);
	return n > 0 ? (unsigned)n : 0;
}

static bool is_roce(const uint8_t *frame, unsigned len)
{
	return len >= 42 && frame[12] == 0x08 && frame[13] == 0 && frame[23] == 17 &&
	       frame[36] << 8 == (RN_ROCE_PORT & 0xFF00) && frame[37] == (RN_ROCE_PORT & 0xFF);
}

bool line_next(struct line *l, struct rn_pkt *pkt, uint64_t until)
{
	unsigned len;

	do {
		len = take(l, until);
		if (len == 0)
			continue;
		enum rn_verdict v = rn_frame_parse(l->frame, len, pkt);
		if (v == RN_V_OK && pkt->kind == RN_PKT_ARP)
			take_arp(l, pkt);
		if (!is_roce(l->frame, len) || memcmp(l->frame + 26, l->peer.b + 12, 4) ||
		    memcmp(l->frame + 30, l->own.b + 12, 4))
			continue;
		note(l, "<", l->frame, len);
		if (v == RN_V_OK && pkt->kind == RN_PKT_IB)
			return true;
		if (l->bad++ == 0)
			rn_dump_frame(l->bad_text, sizeof(l->bad_text), l->frame, len);
	} while (line_now() < until);
	return false;
}

bool line_resolve(struct line *l)
{
	static const uint8_t all[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, none[6];
	struct rn_pkt pkt;

	for (unsigned i = 0; i < 10 && memcmp(l->peer_mac, none, 6) == 0; i++) {
		put_arp(l, RN_ARP_REQUEST, all, &l->peer);
		line_next(l, &pkt, line_now() + 100000000u);
	}
	return memcmp(l->peer_mac, none, 6) != 0;
}

void line_clear_log(struct line *l)
{
	l->notes = 0;
}

void line_print(const struct line *l, FILE *f, const char *indent)
{
	for (unsigned i = l->notes > LINE_NOTES ? l->notes - LINE_NOTES : 0; i < l->notes; i++)
		fprintf(f, "%s%s\n", indent, l->note[i % LINE_NOTES]);
}
