/* Reads capture files: classic little-endian pcap files of Ethernet frames. */
#ifndef TEST_PCAP_H
#define TEST_PCAP_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PCAP_FRAME_BYTES 9216

struct pcap {
	FILE *file;
	uint8_t frame[PCAP_FRAME_BYTES];
	uint32_t len;
};

/* Returns 0 if the file does not exist or is not a little-endian pcap file of Ethernet frames. */
static inline int pcap_open(struct pcap *p, const char *folder, const char *name)
{
	static const uint8_t magic[4] = {0xD4, 0xC3, 0xB2, 0xA1};
	char path[512];
	uint8_t head[24];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	p->file = fopen(path, "rb");
	if (!p->file)
		return 0;
	return fread(head, 1, sizeof(head), p->file) == sizeof(head) &&
	       memcmp(head, magic, 4) == 0 && head[20] == 1;
}

/* Reads the next frame into p->frame and p->len. Returns 0 at the end of the file, or if the frame
 * was captured only in part. */
static inline int pcap_next(struct pcap *p)
{
	uint32_t head[4]; /* seconds, microseconds, captured bytes, bytes of the frame */

	if (fread(head, 1, sizeof(head), p->file) != sizeof(head) || head[2] != head[3] ||
	    head[2] > sizeof(p->frame))
		return 0;
	p->len = head[2];
	return fread(p->frame, 1, p->len, p->file) == p->len;
}

#endif
