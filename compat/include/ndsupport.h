/* ndsupport.h, the Nd* helper functions, after what Windows' own includes. */
#ifndef COMPAT_NDSUPPORT_H
#define COMPAT_NDSUPPORT_H

#include <ndspi.h>
#include_next <ndsupport.h>

#endif
