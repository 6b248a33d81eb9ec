/* Parses and prints the addresses of command lines. Keeps no state. Any thread may call these
 * functions. */
#include "address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool address_parse_ip(const char *text, uint16_t port, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		return true;
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		return true;
	}
	return false;
}

/* Accepts only digits; strtoul() would also accept blanks and signs. */
static bool parse_port(const char *text, uint16_t *port)
{
	size_t n = strspn(text, "0123456789");
	unsigned long v = n >= 1 && n <= 5 && text[n] == 0 ? strtoul(text, NULL, 10) : 0;
	*port = (uint16_t)v;
	return v >= 1 && v <= 65535;
}

bool address_parse(const char *text, uint16_t port, struct sockaddr_storage *out)
{
	char ip[INET6_ADDRSTRLEN];
	bool bracket = *text == '[';
	const char *colon = strchr(text, ':'), *end = text + strlen(text);
	text += bracket;
	if (bracket) {
		if ((end = strchr(text, ']')) == NULL ||
		    (end[1] != 0 && (end[1] != ':' || !parse_port(end + 2, &port))))
			return false;
	} else if (colon && strchr(colon + 1, ':') == NULL) {
		end = colon;
		if (!parse_port(colon + 1, &port))
			return false;
	}
	size_t n = (size_t)(end - text);
	if (n >= sizeof(ip))
		return false;
	memcpy(ip, text, n);
	ip[n] = 0;
	return address_parse_ip(ip, port, out) && (!bracket || out->ss_family == AF_INET6);
}

const char *address_text(const struct sockaddr_storage *a, char text[ADDRESS_TEXT])
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)a;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)a;
	bool six = a->ss_family == AF_INET6;
	unsigned port = ntohs(six ? v6->sin6_port : v4->sin_port);
	char ip[INET6_ADDRSTRLEN];
	inet_ntop(a->ss_family, six ? (const void *)&v6->sin6_addr : &v4->sin_addr, ip, sizeof(ip));
	if (port == 0)
		snprintf(text, ADDRESS_TEXT, "%s", ip);
	else
		snprintf(text, ADDRESS_TEXT, six ? "[%s]:%u" : "%s:%u", ip, port);
	return text;
}

uint32_t address_bytes(const struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}
