/*
 * Includes the nddef.h of softrnic (structures and flags of ND2) and the headers that nddef.h
 * includes on Windows.
 */
#ifndef COMPAT_NDDEF_H
#define COMPAT_NDDEF_H

#include <winsock2.h>
#include_next <nddef.h>

#endif
