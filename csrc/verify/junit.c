// SPDX-License-Identifier: Apache-2.0
// JUnit XML: one test case per block and shape.
#include "verify/verify_report.h"

#include "base/output.h"
#include "base/xml.h"

#include <stdlib.h>
#include <string.h>

static void put_property(FILE *f, const char *name, const char *value) {
    fprintf(f, "        <property name=\"%s\" value=\"", name);
    xml_put(f, value);
    fprintf(f, "\"/>\n");
}

static void property_number(FILE *f, const char *name, unsigned long long value) {
    char text[32];
    snprintf(text, sizeof text, "%llu", value);
    put_property(f, name, text);
}

static void put_properties(FILE *f, const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    char text[512] = "";
    fprintf(f, "      <properties>\n");
    property_number(f, "seed", b->seed);
    property_number(f, "transactions", b->transactions);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)verify_config_hash(r, block));
    put_property(f, "config_hash", text);
    text[0] = '\0';
    for (int p = 0; p < b->desc->nparams; p++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%s=%d", p ? " " : "", b->desc->params[p].name,
                 b->params[p]);
    }
    put_property(f, "parameters", text);
    put_property(f, "shape", b->shape ? b->shape : "");
    put_property(f, "machine",
                 verify_config(r, block)->machine ? verify_config(r, block)->machine : "");
    snprintf(text, sizeof text, "smcosim %s; %s", r->version, b->toolchain ? b->toolchain : "");
    put_property(f, "tools", text);
    property_number(f, "cycles", b->cycles);
    property_number(f, "long_chunks", (unsigned long long)b->long_chunks);
    property_number(f, "long_cycles", b->long_cycles);
    property_number(f, "cycles_per_second",
                    b->seconds > 0 ? (unsigned long long)((double)b->cycles / b->seconds) : 0);
    property_number(f, "bins", (unsigned long long)b->nbins);
    property_number(f, "bins_missing", (unsigned long long)b->missing);
    fprintf(f, "      </properties>\n");
}

// A fault of the setup is an error, a fault of the block is a failure.
static bool is_error(ExitStatus s) {
    return s == EXIT_USAGE || s == EXIT_ENVIRONMENT || s == EXIT_INTERRUPTED;
}

static bool is_skipped(const VerifyResult *b) { return b->status == EXIT_PASS && b->word; }

static void put_case(FILE *f, const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    Arena arena = {0};
    fprintf(f, "    <testcase classname=\"smcosim.verify\" name=\"%s\" time=\"%.3f\">\n",
            verify_label(&arena, b), b->seconds);
    put_properties(f, r, block);
    if (is_skipped(b)) {
        fprintf(f, "      <skipped message=\"");
        xml_put(f, b->message);
        fprintf(f, "\"/>\n");
    } else if (b->status != EXIT_PASS) {
        const char *tag = is_error(b->status) ? "error" : "failure";
        fprintf(f, "      <%s type=\"%s\" message=\"", tag, verify_word(b));
        xml_put(f, b->message);
        fprintf(f, "\">");
        xml_put(f, verify_failure_text(&arena, r, block));
        if (!b->nfailures) {
            fprintf(f, "\nseed %llu; tools: smcosim %s; ", (unsigned long long)b->seed, r->version);
            xml_put(f, b->toolchain ? b->toolchain : "");
            fprintf(f, "\nreproduce: ");
            xml_put(f, r->reproduce[block]);
            fprintf(f, " --seed %llu --transactions %llu", (unsigned long long)b->seed,
                    (unsigned long long)b->transactions);
        }
        fprintf(f, "</%s>\n", tag);
    }
    arena_free(&arena);
    fprintf(f, "    </testcase>\n");
}

static void put_document(FILE *f, const VerifyReport *r) {
    int failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    for (int i = 0; i < r->nresults; i++) {
        const ExitStatus s = r->results[i].status;
        errors += is_error(s);
        skipped += is_skipped(&r->results[i]);
        failures += s != EXIT_PASS && !is_error(s);
        seconds += r->results[i].seconds;
    }
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%d\" failures=\"%d\" "
            "errors=\"%d\" "
            "time=\"%.3f\">\n  <testsuite name=\"smcosim verify\" tests=\"%d\" failures=\"%d\" "
            "errors=\"%d\" "
            "skipped=\"%d\" time=\"%.3f\">\n    <properties>\n        <property name=\"command\" "
            "value=\"",
            r->nresults, failures, errors, seconds, r->nresults, failures, errors, skipped,
            seconds);
    xml_put(f, r->command);
    fprintf(f, "\"/>\n    </properties>\n");
    for (int i = 0; i < r->nresults; i++) put_case(f, r, i);
    fprintf(f, "  </testsuite>\n</testsuites>\n");
}

bool verify_junit(const char *path, const VerifyReport *r, Diag *d) {
    const bool to_stdout = !strcmp(path, "-");
    Arena arena = {0};
    Output o;
    FILE *f = to_stdout ? stdout : output_open(&o, &arena, path, d);
    bool ok = f != NULL;
    if (f) put_document(f, r);
    if (f && !to_stdout) ok = output_close(&o, f, true, d);
    else if (f && (fflush(f) || ferror(f)))
        ok = diag_fail(d, EXIT_ENVIRONMENT, "standard output: JUnit could not be written");
    arena_free(&arena);
    return ok;
}
