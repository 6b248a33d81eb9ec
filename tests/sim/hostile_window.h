/* Memory windows in a hostile run. */
#ifndef SIM_HOSTILE_WINDOW_H
#define SIM_HOSTILE_WINDOW_H

#include "hostile_state.h"

/* The region that a window is over, when it is bound as it should be. */
enum hostile_region hostile_window_region(unsigned window);
void hostile_window_make(struct hostile *h, unsigned node);
/* The client binds or invalidates one of its windows now and then, and sometimes one that it may not. */
void hostile_window_work(struct hostile *h, unsigned node, unsigned q);
/* A BIND of the foreign protection domain's window over its secret region. */
void hostile_window_bind_foreign(struct hostile *h, unsigned node, unsigned q);
/* Is the window bound on that queue pair, or about to be, as far as its owner knows? */
bool hostile_window_on(const struct hostile *h, unsigned node, unsigned window, unsigned q);
/* Is it the key that a window was bound with last? */
bool hostile_window_is(const struct hostile *h, unsigned node, uint32_t key);
void hostile_window_drop(struct hostile *h, unsigned node);

#endif
