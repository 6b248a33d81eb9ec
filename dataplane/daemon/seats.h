/* What outlives the daemon: the key of the clients' tokens, and which client numbers are in use. A
 * small file next to the daemon's socket keeps both, mapped into memory, so that the file is right
 * also after SIGKILL. Only the daemon's user may read the file: whoever knows the key can take the
 * number of a client. */
#ifndef RN_SEATS_H
#define RN_SEATS_H

#include <stdbool.h>

#include "base/secret.h"
#include "ground/client_number.h"
#include "switch/client_set.h"

struct rn_seats;

/* Opens the file, or creates it with a new key. Returns 0, or -errno with a sentence in err: -EBUSY
 * if another daemon uses the file, -EPERM if it belongs to another user or others may read it. */
int rn_seats_open(struct rn_seats **s, const char *path, char *err, size_t errlen);
void rn_seats_close(struct rn_seats *s);
/* The daemon ends for good: no client may come back, and the numbers in use rest. */
void rn_seats_forget(struct rn_seats *s);

const struct rn_secret *rn_seats_key(const struct rn_seats *s);
/* The numbers that were in use when the file was opened. */
const struct rn_client_set *rn_seats_former(const struct rn_seats *s);
/* May clients with these numbers come back? */
bool rn_seats_may_return(const struct rn_seats *s);
/* How often each number was given to a client (rn_switch_epoch()), indexed by number. */
const uint32_t *rn_seats_epochs(const struct rn_seats *s);
/* The number is given to a client, for the `epoch`th time, or will not be needed any more. */
void rn_seats_take(struct rn_seats *s, unsigned number, uint32_t epoch);
void rn_seats_leave(struct rn_seats *s, unsigned number);

#endif
