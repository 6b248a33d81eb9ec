/* IP addresses and ports of command lines. Any thread may call these functions. */
#ifndef TOOLS_ADDRESS_H
#define TOOLS_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_TEXT = 64 };

/* Parses an IPv4 or IPv6 address. */
bool address_parse_ip(const char *text, uint16_t port, struct sockaddr_storage *out);
/* Parses "ip", "ip:port", "[v6]" or "[v6]:port". A text without port gets `port`. A port in the
 * text must be 1 to 65535. */
bool address_parse(const char *text, uint16_t port, struct sockaddr_storage *out);
/* Writes the address into `text`, with the port unless the port is 0. Returns `text`. */
const char *address_text(const struct sockaddr_storage *a, char text[ADDRESS_TEXT]);
uint32_t address_bytes(const struct sockaddr_storage *a);

#endif
