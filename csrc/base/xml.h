// SPDX-License-Identifier: Apache-2.0
// Text in XML and HTML.
#ifndef SMCOSIM_BASE_XML_H
#define SMCOSIM_BASE_XML_H

#include <stdio.h>

// Escaped for elements and attributes; what XML cannot hold (control characters, bytes that are not
// UTF-8) becomes '?'.
void xml_put(FILE *f, const char *text);

#endif
