// SPDX-License-Identifier: Apache-2.0
// A compressing stream, without name and time in its head: the same text gives the same file.
#include "report/trace_sort.h"

#include "base/diag.h"

#include <stdlib.h>
#include <zlib.h>

typedef struct Gzip {
    FILE *inner;
    z_stream z;
    unsigned char out[65536];
} Gzip;

// All that deflate gives away; false: it cannot be written.
static bool gzip_drain(Gzip *g, int flush) {
    do {
        g->z.next_out = g->out;
        g->z.avail_out = sizeof g->out;
        if (deflate(&g->z, flush) == Z_STREAM_ERROR) return false;
        const size_t n = sizeof g->out - g->z.avail_out;
        if (fwrite(g->out, 1, n, g->inner) != n) return false;
    } while (g->z.avail_out == 0);
    return true;
}

static ssize_t gzip_write(void *cookie, const char *text, size_t n) {
    Gzip *g = cookie;
    g->z.next_in = (unsigned char *)text;
    g->z.avail_in = (uInt)n;
    return gzip_drain(g, Z_NO_FLUSH) ? (ssize_t)n : 0;
}

static int gzip_close(void *cookie) {
    Gzip *g = cookie;
    const bool good = gzip_drain(g, Z_FINISH) && !ferror(g->inner);
    deflateEnd(&g->z);
    free(g);
    return good ? 0 : EOF;
}

FILE *gzip_open(FILE *inner) {
    enum { WINDOW = 15, GZIP = 16, LEVEL = 6, MEMORY = 8 };
    Gzip *g = calloc(1, sizeof *g);
    panic_if(!g ||
                 deflateInit2(&g->z, LEVEL, Z_DEFLATED, WINDOW + GZIP, MEMORY,
                              Z_DEFAULT_STRATEGY) != Z_OK,
             "out of memory");
    g->inner = inner;
    FILE *f =
        fopencookie(g, "w", (cookie_io_functions_t){.write = gzip_write, .close = gzip_close});
    panic_if(!f, "out of memory");
    return f;
}
