/* Built-in packet capture: every frame a shard receives or builds, to one pcap file with nanosecond times. A shard
 * copies into its own buffer and never waits; a thread of the capture writes the file. */
#ifndef RN_CAPTURE_H
#define RN_CAPTURE_H

#include "types.h"

struct rn_capture_file;
struct rn_capture; /* one producer */

/* 0, or -errno of the file. A file that is made is its owner's alone; one that is there keeps its mode. */
int rn_capture_open(struct rn_capture_file **file, const char *path, uint32_t snaplen);
/* A producer for one shard; before its thread starts. `now` is the shard's time at this moment. NULL: no memory. */
struct rn_capture *rn_capture_add(struct rn_capture_file *file, rn_time now);
/* After the shards stopped: writes what is left, frees the producers. Returns the frames that are not in the file, lost to
 * full buffers or to a full disk, and says so in the log. */
uint64_t rn_capture_close(struct rn_capture_file *file);

/* The shard's thread. */
void rn_capture_frame(struct rn_capture *c, const uint8_t *frame, uint32_t len, rn_time now);

#endif
