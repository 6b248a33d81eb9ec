/* Tests the requirements (rows) of docs/spec/rocev2.md that a script of packets (play.h) cannot
 * express. These rows are about CM messages and about properties of all frames. A test that needs a
 * connection opens its own. */
#ifndef RN_CONFORM_MANAGE_H
#define RN_CONFORM_MANAGE_H

#include "play.h"

enum outcome manage_frames(struct play *p);
enum outcome manage_reply(struct play *p);
enum outcome manage_no_listener(struct play *p);
enum outcome manage_request(struct play *p);
enum outcome manage_repeated_req(struct play *p);
enum outcome manage_repeated_rep(struct play *p);
enum outcome manage_stray_reply(struct play *p);
enum outcome manage_unanswered_req(struct play *p);
enum outcome manage_disconnect(struct play *p);
enum outcome manage_disconnect_wrong(struct play *p);
enum outcome manage_disconnect_unknown(struct play *p);
enum outcome manage_repeated_dreq(struct play *p);
enum outcome manage_wrong_address(struct play *p);
enum outcome manage_arp(struct play *p);
enum outcome manage_alternate_path(struct play *p);
enum outcome manage_repeated_rtu(struct play *p);

#endif
