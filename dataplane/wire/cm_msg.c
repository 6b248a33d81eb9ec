/* Translates the bytes of a CM message to a struct and back. Pure functions, which any thread may
 * call.
 *
 * Each message has one table. The columns are: member, byte offset in the body, first bit within
 * that byte (0 = the most significant), width in bits. Parse and build walk the same table, and so
 * cannot disagree. A field wider than 64 bits is a byte string. */
#include "wire/cm_msg.h"

#include <string.h>

#define MAD_BASE_VERSION  1
#define MAD_CLASS_CM	  0x07
#define MAD_CLASS_VERSION 2
#define MAD_METHOD_SEND	  0x03

/* clang-format off */
#define REQ_FIELDS(X) \
	X(local_id,                  0, 0,  32) \
	X(vendor_id,                 5, 0,  24) \
	X(service_id,                8, 0,  64) \
	X(guid,                     16, 0,  64) \
	X(qkey,                     28, 0,  32) \
	X(qpn,                      32, 0,  24) \
	X(responder_resources,      35, 0,   8) \
	X(local_eecn,               36, 0,  24) \
	X(initiator_depth,          39, 0,   8) \
	X(remote_eecn,              40, 0,  24) \
	X(remote_response_timeout,  43, 0,   5) \
	X(transport,                43, 5,   2) \
	X(flow_control,             43, 7,   1) \
	X(psn,                      44, 0,  24) \
	X(local_response_timeout,   47, 0,   5) \
	X(retry_cnt,                47, 5,   3) \
	X(pkey,                     48, 0,  16) \
	X(path_mtu,                 50, 0,   4) \
	X(rdc_exists,               50, 4,   1) \
	X(rnr_retry,                50, 5,   3) \
	X(max_cm_retries,           51, 0,   4) \
	X(srq,                      51, 4,   1) \
	X(extended_transport,       51, 5,   3) \
	X(local_lid,                52, 0,  16) \
	X(remote_lid,               54, 0,  16) \
	X(local_gid,                56, 0, 128) \
	X(remote_gid,               72, 0, 128) \
	X(flow_label,               88, 0,  20) \
	X(packet_rate,              91, 2,   6) \
	X(tclass,                   92, 0,   8) \
	X(hop_limit,                93, 0,   8) \
	X(sl,                       94, 0,   4) \
	X(subnet_local,             94, 4,   1) \
	X(ack_timeout,              95, 0,   5) \
	X(alternate,                96, 0, 352) \
	X(data,                    140, 0, 736)

#define MRA_FIELDS(X) \
	X(local_id,                  0, 0,  32) \
	X(remote_id,                 4, 0,  32) \
	X(about,                     8, 0,   2) \
	X(service_timeout,           9, 0,   5) \
	X(data,                     10, 0, 1776)

#define REJ_FIELDS(X) \
	X(local_id,                  0, 0,  32) \
	X(remote_id,                 4, 0,  32) \
	X(about,                     8, 0,   2) \
	X(ari_len,                   9, 0,   7) \
	X(reason,                   10, 0,  16) \
	X(ari,                      12, 0, 576) \
	X(data,                     84, 0, 1184)

#define REP_FIELDS(X) \
	X(local_id,                  0, 0,  32) \
	X(remote_id,                 4, 0,  32) \
	X(qkey,                      8, 0,  32) \
	X(qpn,                      12, 0,  24) \
	X(vendor_hi,                15, 0,   8) \
	X(eecn,                     16, 0,  24) \
	X(vendor_mid,               19, 0,   8) \
	X(psn,                      20, 0,  24) \
	X(vendor_lo,                23, 0,   8) \
	X(responder_resources,      24, 0,   8) \
	X(initiator_depth,          25, 0,   8) \
	X(target_ack_delay,         26, 0,   5) \
	X(failover,                 26, 5,   2) \
	X(flow_control,             26, 7,   1) \
	X(rnr_retry,                27, 0,   3) \
	X(srq,                      27, 3,   1) \
	X(guid,                     28, 0,  64) \
	X(data,                     36, 0, 1568)

#define RTU_FIELDS(X) \
	X(local_id,                  0, 0,  32) \
	X(remote_id,                 4, 0,  32) \
	X(data,                      8, 0, 1792)

#define DREQ_FIELDS(X) \
	X(local_id,                  0, 0,  32) \
	X(remote_id,                 4, 0,  32) \
	X(remote_qpn,                8, 0,  24) \
	X(data,                     12, 0, 1760)

#define DREP_FIELDS(X) RTU_FIELDS(X)

#define SIDR_REQ_FIELDS(X) \
	X(request_id,                0, 0,  32) \
	X(pkey,                      4, 0,  16) \
	X(service_id,                8, 0,  64) \
	X(data,                     16, 0, 1728)

#define SIDR_REP_FIELDS(X) \
	X(request_id,                0, 0,  32) \
	X(status,                    4, 0,   8) \
	X(ari_len,                   5, 0,   8) \
	X(vendor_hi,                 6, 0,  16) \
	X(qpn,                       8, 0,  24) \
	X(vendor_lo,                11, 0,   8) \
	X(service_id,               12, 0,  64) \
	X(qkey,                     20, 0,  32) \
	X(ari,                      24, 0, 576) \
	X(data,                     96, 0, 1088)

#define LAYOUTS(X) /* columns: attribute, member of struct rn_cm_msg, fields */ \
	X(REQ,      req,      REQ_FIELDS) \
	X(MRA,      mra,      MRA_FIELDS) \
	X(REJ,      rej,      REJ_FIELDS) \
	X(REP,      rep,      REP_FIELDS) \
	X(RTU,      rtu,      RTU_FIELDS) \
	X(DREQ,     dreq,     DREQ_FIELDS) \
	X(DREP,     drep,     DREP_FIELDS) \
	X(SIDR_REQ, sidr_req, SIDR_REQ_FIELDS) \
	X(SIDR_REP, sidr_rep, SIDR_REP_FIELDS)
/* clang-format on */

/* One row of a field table above, and the struct member that holds the field's value. */
struct field {
	/* place in the body of the message: byte offset, first bit within that byte, width in
	 * bits */
	uint16_t byte, bit, width;
	uint16_t offset, size; /* place in the message's C struct: offset and size in bytes */
};

/* Makes the table entry of one field of struct `type`. */
#define FIELD(type, member, byte, bit, width) \
	{byte, bit, width, offsetof(struct type, member), sizeof(((struct type *)0)->member)},

/* One macro per message, which adds the name of the message's struct to the rows above. */
#define F_REQ(m, b, i, w)      FIELD(rn_cm_req, m, b, i, w)
#define F_MRA(m, b, i, w)      FIELD(rn_cm_mra, m, b, i, w)
#define F_REJ(m, b, i, w)      FIELD(rn_cm_rej, m, b, i, w)
#define F_REP(m, b, i, w)      FIELD(rn_cm_rep, m, b, i, w)
#define F_RTU(m, b, i, w)      FIELD(rn_cm_rtu, m, b, i, w)
#define F_DREQ(m, b, i, w)     FIELD(rn_cm_dreq, m, b, i, w)
#define F_DREP(m, b, i, w)     FIELD(rn_cm_drep, m, b, i, w)
#define F_SIDR_REQ(m, b, i, w) FIELD(rn_cm_sidr_req, m, b, i, w)
#define F_SIDR_REP(m, b, i, w) FIELD(rn_cm_sidr_rep, m, b, i, w)

/* Defines the arrays fields_of_req[], fields_of_mra[] and so on. */
#define X(name, member, fields) static const struct field fields_of_##member[] = {fields(F_##name)};
LAYOUTS(X)
#undef X

/* One row per message: attribute id, offset of the message's struct in struct rn_cm_msg, fields. */
static const struct layout {
	uint16_t attr, base, nfields;
	const struct field *fields;
} layouts[] = {
#define X(name, member, rows)                              \
	{RN_CM_##name, offsetof(struct rn_cm_msg, member), \
	 sizeof(fields_of_##member) / sizeof(fields_of_##member[0]), fields_of_##member},
	LAYOUTS(X)
#undef X
};

/* Returns the layout of a message. Returns NULL for unknown attributes, and for LAP and APR, whose
 * bodies are not decoded. */
static const struct layout *layout_of(uint16_t attr)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].attr == attr)
			return &layouts[i];
	return NULL;
}

/* Reads `width` (<= 64) bits, big-endian, starting at bit `bit` of p. The bits may straddle
 * bytes. */
static uint64_t get_bits(const uint8_t *p, unsigned bit, unsigned width)
{
	uint64_t value = 0;
	unsigned bytes = (bit + width + 7) / 8;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | p[i];
	value >>= bytes * 8 - bit - width;
	return width == 64 ? value : value & ((1ull << width) - 1);
}

/* Writes the low `width` bits of `value`, starting at bit `bit` of p. These bits of p must be zero
 * before: the value is OR-ed in, because neighbouring fields may share a byte. */
static void put_bits(uint8_t *p, unsigned bit, unsigned width, uint64_t value)
{
	unsigned bytes = (bit + width + 7) / 8;

	if (width < 64)
		value &= (1ull << width) - 1;
	value <<= bytes * 8 - bit - width;
	for (unsigned i = bytes; i-- > 0; value >>= 8)
		p[i] |= value & 0xff;
}

/* Copies one field of the message to its struct member. A field of up to 64 bits becomes an integer
 * of the member's size. A wider field is copied as bytes. */
static void field_get(const struct field *f, const uint8_t *body, uint8_t *object)
{
	const uint8_t *p = body + f->byte;
	uint64_t value;

	if (f->width > 64) {
		memcpy(object + f->offset, p, f->size);
		return;
	}
	value = get_bits(p, f->bit, f->width);
	switch (f->size) {
	case 1:
		object[f->offset] = (uint8_t)value;
		break;
	case 2:
		memcpy(object + f->offset, &(uint16_t){(uint16_t)value}, 2);
		break;
	case 4:
		memcpy(object + f->offset, &(uint32_t){(uint32_t)value}, 4);
		break;
	default:
		memcpy(object + f->offset, &value, 8);
		break;
	}
}

/* Writes one field to the message. put_bits() truncates a value that is too large for the field. */
static void field_put(const struct field *f, const uint8_t *object, uint8_t *body)
{
	uint8_t *p = body + f->byte;
	uint16_t v16;
	uint32_t v32;
	uint64_t value;

	if (f->width > 64) {
		memcpy(p, object + f->offset, f->size);
		return;
	}
	switch (f->size) {
	case 1:
		value = object[f->offset];
		break;
	case 2:
		memcpy(&v16, object + f->offset, 2), value = v16;
		break;
	case 4:
		memcpy(&v32, object + f->offset, 4), value = v32;
		break;
	default:
		memcpy(&value, object + f->offset, 8);
		break;
	}
	put_bits(p, f->bit, f->width, value);
}

bool rn_cm_msg_parse(const uint8_t *mad, size_t len, struct rn_cm_msg *msg)
{
	const struct layout *l;
	uint16_t attr;

	if (len != RN_MAD_BYTES || mad[0] != MAD_BASE_VERSION || mad[1] != MAD_CLASS_CM ||
	    mad[2] != MAD_CLASS_VERSION || mad[3] != MAD_METHOD_SEND)
		return false;
	/* Offsets in the MAD header: 4 status, 6 class-specific, 8 transaction id, 16 attribute id,
	 * 20 attribute modifier. */
	attr = (uint16_t)get_bits(mad + 16, 0, 16);
	l = layout_of(attr);
	if (!l && attr != RN_CM_LAP && attr != RN_CM_APR)
		return false;
	/* Clear the whole union, because a caller must never see members of an earlier message. */
	memset(msg, 0, sizeof(*msg));
	msg->attr = attr;
	msg->status = (uint16_t)get_bits(mad + 4, 0, 16);
	msg->class_specific = (uint16_t)get_bits(mad + 6, 0, 16);
	msg->tid = get_bits(mad + 8, 0, 64);
	msg->attr_mod = (uint32_t)get_bits(mad + 20, 0, 32);
	for (unsigned i = 0; l && i < l->nfields; i++)
		field_get(&l->fields[i], mad + RN_MAD_HDR_BYTES, (uint8_t *)msg + l->base);
	return true;
}

void rn_cm_msg_build(const struct rn_cm_msg *msg, uint8_t mad[RN_MAD_BYTES])
{
	const struct layout *l = layout_of(msg->attr);

	memset(mad, 0, RN_MAD_BYTES);
	mad[0] = MAD_BASE_VERSION;
	mad[1] = MAD_CLASS_CM;
	mad[2] = MAD_CLASS_VERSION;
	mad[3] = MAD_METHOD_SEND;
	put_bits(mad + 4, 0, 16, msg->status);
	put_bits(mad + 6, 0, 16, msg->class_specific);
	put_bits(mad + 8, 0, 64, msg->tid);
	put_bits(mad + 16, 0, 16, msg->attr);
	put_bits(mad + 20, 0, 32, msg->attr_mod);
	for (unsigned i = 0; l && i < l->nfields; i++)
		field_put(&l->fields[i], (const uint8_t *)msg + l->base, mad + RN_MAD_HDR_BYTES);
}

/* Reads an IP address of the RDMA-CM header. On the wire an IPv4 address fills the last 4 of the 16
 * bytes, and the first 12 bytes are ignored. In a GID an IPv4 address has the prefix ::ffff. */
static void address_get(const uint8_t *p, bool ipv4, struct rn_gid *gid)
{
	memcpy(gid->b, p, 16);
	if (ipv4) {
		memset(gid->b, 0, 10);
		gid->b[10] = gid->b[11] = 0xff;
	}
}

/* Writes an IP address of the RDMA-CM header, as the reverse of address_get(). */
static void address_put(const struct rn_gid *gid, bool ipv4, uint8_t *p)
{
	memcpy(p, gid->b, 16);
	if (ipv4)
		memset(p, 0, 12);
}

bool rn_cma_hdr_parse(const uint8_t buf[RN_CMA_HDR_BYTES], struct rn_cma_hdr *hdr)
{
	unsigned ip_version = buf[1] >> 4;

	/* The low half of byte 0 is the minor version, which changes no layout. */
	if (buf[0] >> 4 != 0 || (ip_version != 4 && ip_version != 6))
		return false;
	hdr->ipv4 = ip_version == 4;
	hdr->port = (uint16_t)(buf[2] << 8 | buf[3]);
	address_get(buf + 4, hdr->ipv4, &hdr->src);
	address_get(buf + 20, hdr->ipv4, &hdr->dst);
	return true;
}

void rn_cma_hdr_build(const struct rn_cma_hdr *hdr, uint8_t buf[RN_CMA_HDR_BYTES])
{
	buf[0] = 0;
	buf[1] = hdr->ipv4 ? 0x40 : 0x60;
	buf[2] = (uint8_t)(hdr->port >> 8);
	buf[3] = (uint8_t)hdr->port;
	address_put(&hdr->src, hdr->ipv4, buf + 4);
	address_put(&hdr->dst, hdr->ipv4, buf + 20);
}

const char *rn_cm_attr_name(uint16_t attr)
{
	switch (attr) {
#define X(name, number) \
	case number:    \
		return #name;
		RN_CM_ATTR_ROWS(X)
#undef X
	}
	return "?";
}

const char *rn_cm_rej_text(uint16_t reason)
{
	switch (reason) {
#define X(name, number, text, when) \
	case number:                \
		return text;
		RN_CM_REJ_ROWS(X)
#undef X
	}
	return "?";
}
