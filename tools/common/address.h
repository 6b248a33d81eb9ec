/* IP addresses and ports of command lines. Any thread. */
#ifndef TOOLS_ADDRESS_H
#define TOOLS_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_TEXT = 64 };

/* An IPv4 or IPv6 address. */
bool address_parse_ip(const char *text, uint16_t port, struct sockaddr_storage *out);
/* "ip", "ip:port", "[v6]", "[v6]:port"; `port` unless the text has one of 1..65535. */
bool address_parse(const char *text, uint16_t port, struct sockaddr_storage *out);
/* With the port, unless it is 0. */
const char *address_text(const struct sockaddr_storage *a, char text[ADDRESS_TEXT]);
uint32_t address_bytes(const struct sockaddr_storage *a);

#endif
