/* Data that is changed on the way and nobody notices: what bad memory in a switch or host does. For tests. Pure; any thread. */
#ifndef RN_TAMPER_H
#define RN_TAMPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flips bit number `bit`, modulo their count, of the frame's payload and gives it the ICRC that fits. False, and nothing is
 * changed, for a frame that is not right or carries no data of a client's: acknowledgements, CNPs, messages to QP 1, ARP... */
bool rn_tamper_frame(uint8_t *frame, size_t len, uint64_t bit);

#endif
