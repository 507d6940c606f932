// SPDX-License-Identifier: Apache-2.0
// Text in XML and HTML.
#ifndef SMCOSIM_BASE_XML_H
#define SMCOSIM_BASE_XML_H

#include <stdio.h>

// Escapes text for elements and attributes. Characters that XML cannot hold (control characters,
// bytes that are not UTF-8) become '?'.
void xml_put(FILE *f, const char *text);

#endif
