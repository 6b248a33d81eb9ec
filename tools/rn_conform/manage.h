/* The rows about CM messages, and about properties of all frames, which a script of packets cannot
 * express. Each row opens a connection of its own if it needs one. */
#ifndef RN_CONFORM_MANAGE_H
#define RN_CONFORM_MANAGE_H

#include "play.h"

enum outcome manage_frames(struct play *p);
enum outcome manage_reply(struct play *p);
enum outcome manage_no_listener(struct play *p);
enum outcome manage_request(struct play *p);
enum outcome manage_request_again(struct play *p);
enum outcome manage_reply_again(struct play *p);
enum outcome manage_stray_reply(struct play *p);
enum outcome manage_no_reply(struct play *p);
enum outcome manage_disconnect(struct play *p);
enum outcome manage_disconnect_wrong(struct play *p);
enum outcome manage_disconnect_unknown(struct play *p);
enum outcome manage_disconnect_again(struct play *p);
enum outcome manage_not_its_address(struct play *p);
enum outcome manage_arp(struct play *p);
enum outcome manage_alternate_path(struct play *p);
enum outcome manage_ready_again(struct play *p);

#endif
