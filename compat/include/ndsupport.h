/*
 * Includes the ndsupport.h of softrnic (the Nd* helper functions) and the headers that ndsupport.h
 * includes on Windows.
 */
#ifndef COMPAT_NDSUPPORT_H
#define COMPAT_NDSUPPORT_H

#include <ndspi.h>
#include_next <ndsupport.h>

#endif
