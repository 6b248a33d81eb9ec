/* Simulates silent data corruption, for tests: a switch or host with bad memory changes the data
 * and then computes a new ICRC, so that no checksum shows the change. Pure function; any thread.
 */
#ifndef RN_TAMPER_H
#define RN_TAMPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flips one bit of the payload, number `bit` modulo the number of payload bits, and writes a
 * matching ICRC. Returns false and changes nothing when the frame is malformed or carries no
 * client data: acknowledgements, CNPs, messages to QP 1, ARP and so on. */
bool rn_tamper_frame(uint8_t *frame, size_t len, uint64_t bit);

#endif
