/* Memory windows in a hostile run. */
#ifndef SIM_HOSTILE_WINDOW_H
#define SIM_HOSTILE_WINDOW_H

#include "hostile_state.h"

/* The region that a correct BIND of this window covers. */
enum hostile_region hostile_window_region(unsigned window);
void hostile_window_make(struct hostile *h, unsigned node);
/* Sometimes binds or invalidates one of the client's windows, and sometimes tries one that must
 * fail. */
void hostile_window_work(struct hostile *h, unsigned node, unsigned q);
/* Posts the BIND of the foreign protection domain's window over its secret region. */
void hostile_window_bind_foreign(struct hostile *h, unsigned node, unsigned q);
/* Whether the window is bound on that QP, or its BIND is posted, as far as its owner knows. */
bool hostile_window_on(const struct hostile *h, unsigned node, unsigned window, unsigned q);
/* Whether this is the key of the last BIND of a window. */
bool hostile_window_is(const struct hostile *h, unsigned node, uint32_t key);
void hostile_window_drop(struct hostile *h, unsigned node);

#endif
