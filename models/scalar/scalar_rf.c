// SPDX-License-Identifier: Apache-2.0
// Golden model of scalar_rf: one array of words in program order. The data of a read is fetched
// when it is requested.
#include "models/scalar/scalar_rf.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { SCALAR_RF_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct File {
    int words;
    uint32_t *word;
    struct {
        bool there;
        uint32_t value;
    } answer[SRF_BANKS];
} File;

static void file_reset(void *self) {
    File *f = self;
    memset(f->answer, 0, sizeof f->answer);
}

static void file_close(void *self) {
    File *f = self;
    if (f) free(f->word);
    free(f);
}

static void *file_open(const int *params) {
    File *f = calloc(1, sizeof *f);
    if (!f) abort();
    f->words = params[P_Words];
    f->word = calloc((size_t)f->words, sizeof *f->word);
    if (!f->word) abort();
    return f;
}

static void file_eval(void *self, const void *vin, void *vout) {
    const File *f = self;
    ScalarRfOut *out = vout;
    (void)vin;
    out->rd_data_valid[0] = 0;
    for (int b = 0; b < SRF_BANKS; b++) {
        if (!f->answer[b].there) continue;
        out->rd_data_valid[0] |= 1u << b;
        out->rd_data[b] = f->answer[b].value;
    }
}

static uint32_t *word_at(File *f, uint32_t row, int bank) {
    return &f->word[row * SRF_BANKS + (uint32_t)bank];
}

static void file_tick(void *self, const void *vin) {
    File *f = self;
    const ScalarRfIn *in = vin;
    if (!in->en[0]) return;
    for (int b = 0; b < SRF_BANKS; b++) {
        f->answer[b].there = in->rd_valid[0] >> b & 1;
        if (f->answer[b].there) f->answer[b].value = *word_at(f, in->rd_addr[b], b);
        if (in->wr_valid[0] >> b & 1) *word_at(f, in->wr_addr[b], b) = in->wr_data[b];
    }
}

static uint32_t file_obs_count(void *self) { return (uint32_t)((File *)self)->words + 1; }

static void file_observe(void *self, uint32_t addr, uint32_t *words) {
    const File *f = self;
    words[0] = 0;
    if (addr == BLOCK_OBS_PARAM) words[0] = (uint32_t)f->words;
    else if (addr < (uint32_t)f->words) words[0] = f->word[addr];
    else if (addr == (uint32_t)f->words)
        words[0] = (uint32_t)f->answer[0].there | (uint32_t)f->answer[1].there << 1;
}

const BlockModel scalar_rf_model = {.name = "scalar_rf",
                                    .open = file_open,
                                    .close = file_close,
                                    .reset = file_reset,
                                    .eval = file_eval,
                                    .tick = file_tick,
                                    .obs_count = file_obs_count,
                                    .observe = file_observe,
                                    .obs_words = 1};
