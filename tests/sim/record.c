/* Writes frames to a pcap file. The caller owns the file. */
#include "record.h"

FILE *record_open(const char *path)
{
	static const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snaplen, link;
	} head = {0xa1b2c3d4, 2, 4, 0, 0, 65535, 1};
	FILE *out = fopen(path, "wb");

	if (out == NULL)
		perror(path);
	else
		fwrite(&head, sizeof(head), 1, out);
	return out;
}

void record_frame(FILE *out, rn_time now, const uint8_t *frame, uint32_t len)
{
	const uint32_t record[4] = {(uint32_t)(now / RN_S(1)), (uint32_t)(now % RN_S(1) / 1000),
				    len, len};

	fwrite(record, sizeof(record), 1, out);
	fwrite(frame, 1, len, out);
}
