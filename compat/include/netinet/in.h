/*
 * <netinet/in.h> whose address types have the member names of Linux and of Windows: s_addr and
 * S_un, s6_addr and u. The sizes and layouts of the types are those of Linux.
 */
#if !defined(_NETINET_IN_H) && !defined(COMPAT_NETINET_IN_H)
#define COMPAT_NETINET_IN_H

#include <stdint.h>
#include <sys/socket.h>

/*
 * With this macro the native <netinet/in.h> does not define the IPv6 types. The types are defined
 * below instead.
 */
#define _UAPI_LINUX_IN6_H

struct in6_addr {
	__extension__ union {
		union {
			uint8_t Byte[16];
			uint16_t Word[8];
		} u;
		union {
			uint8_t __u6_addr8[16];
			uint16_t __u6_addr16[8];
			uint32_t __u6_addr32[4];
		} __in6_u; /* macros of the native header use this member name */
	};
};
#define s6_addr	  u.Byte
#define s6_addr16 u.Word
#define s6_addr32 __in6_u.__u6_addr32
#define s6_bytes  u.Byte
#define s6_words  u.Word

struct sockaddr_in6 {
	sa_family_t sin6_family;
	uint16_t sin6_port;
	uint32_t sin6_flowinfo;
	struct in6_addr sin6_addr;
	uint32_t sin6_scope_id;
};

struct ipv6_mreq {
	struct in6_addr ipv6mr_multiaddr;
	unsigned int ipv6mr_interface;
};

struct in6_pktinfo {
	struct in6_addr ipi6_addr;
	unsigned int ipi6_ifindex;
};

struct ip6_mtuinfo {
	struct sockaddr_in6 ip6m_addr;
	uint32_t ip6m_mtu;
};

enum {
	IPPROTO_HOPOPTS = 0,
	IPPROTO_ROUTING = 43,
	IPPROTO_FRAGMENT = 44,
	IPPROTO_ICMPV6 = 58,
	IPPROTO_NONE = 59,
	IPPROTO_DSTOPTS = 60,
	IPPROTO_MH = 135
};

/*
 * The native header declares `in_addr_t s_addr;` in struct in_addr. This macro replaces the member
 * by a union that has the names of Linux and of Windows. The `in_addr_t` in front of the macro then
 * declares an unnamed bit-field of width 0.
 */
#define s_addr                                                  \
	: 0;                                                    \
	__extension__ union {                                   \
		in_addr_t s_addr;                               \
		union {                                         \
			struct {                                \
				uint8_t s_b1, s_b2, s_b3, s_b4; \
			} S_un_b;                               \
			struct {                                \
				uint16_t s_w1, s_w2;            \
			} S_un_w;                               \
			uint32_t S_addr;                        \
		} S_un;                                         \
	}
#include_next <netinet/in.h>
#undef s_addr

#else
#include_next <netinet/in.h>
#endif
