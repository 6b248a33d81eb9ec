/* Captures of what simulated shards send: pcap files of Ethernet frames, times in virtual microseconds. */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "base/types.h"

/* A new capture, without frames; NULL with a sentence on standard error. Closed with fclose(). */
FILE *record_open(const char *path);
void record_frame(FILE *out, rn_time now, const uint8_t *frame, uint32_t len);

#endif
