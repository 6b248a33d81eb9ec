/* The memory windows of a hostile run. */
#ifndef SIM_HOSTILE_WINDOW_H
#define SIM_HOSTILE_WINDOW_H

#include "hostile_state.h"

/* Returns the region over which a correct BIND binds this window. */
enum hostile_region hostile_window_region(unsigned window);
void hostile_window_make(struct hostile *h, unsigned node);
/* Sometimes binds or invalidates one of the client's memory windows, and sometimes posts a BIND
 * that must fail. */
void hostile_window_work(struct hostile *h, unsigned node, unsigned q);
/* Posts a BIND of the memory window that belongs to the other protection domain. The window then
 * exposes the secret region of that domain. */
void hostile_window_bind_foreign(struct hostile *h, unsigned node, unsigned q);
/* Returns whether the memory window is bound on QP q, or a BIND of this window is posted on QP q,
 * as far as the client knows. */
bool hostile_window_on(const struct hostile *h, unsigned node, unsigned window, unsigned q);
/* Returns whether one of the client's memory windows was last bound with this key. */
bool hostile_window_is(const struct hostile *h, unsigned node, uint32_t key);
void hostile_window_drop(struct hostile *h, unsigned node);

#endif
