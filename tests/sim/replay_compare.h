/* A frame of the replaced host and the shard's in its place. The first difference that matters fails the test. */
#ifndef RN_REPLAY_COMPARE_H
#define RN_REPLAY_COMPARE_H

struct record;
struct replay;

void compare_packet(struct replay *r, const struct record *want, const struct record *got);
/* Also notes what the shard chose itself. */
void compare_cm(struct replay *r, const struct record *want, const struct record *got);

#endif
