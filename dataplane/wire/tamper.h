/* Simulates silent data corruption, for tests: bad memory in a switch or host changes the payload
 * before the ICRC is computed, so no checksum reveals the change. The function is pure. Any thread
 * may call this function. */
#ifndef RN_TAMPER_H
#define RN_TAMPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flips one bit of the payload and writes the matching ICRC. `bit` is taken modulo the number of
 * payload bits. Returns false and changes nothing if the frame is malformed or carries no client
 * data (ACK, CNP, message to QP 1, ARP and so on). */
bool rn_tamper_frame(uint8_t *frame, size_t len, uint64_t bit);

#endif
