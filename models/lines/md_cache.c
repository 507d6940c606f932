// SPDX-License-Identifier: Apache-2.0
// Golden model of md_cache: a list of lines per set, the most recently used one in front. A line
// keeps its way.
#include "models/lines/md_cache.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { MD_CACHE_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct MdEntry {
    uint32_t line;
    bool dirty;
    int way;
    uint8_t field[MD_FIELDS];
} MdEntry;

typedef struct MdSet {
    MdEntry entry[MD_MAX_WAYS];  // [0]: used last
    int n;
    int age[MD_MAX_WAYS];  // of the ways, whether they hold a line or not
} MdSet;

typedef struct Md {
    int params[PARAMS], ways, nsets;
    MdCacheOut answer;  // of the look-up of the previous cycle
    MdSet *sets;
} Md;

static void md_reset(void *self) {
    Md *m = self;
    memset(&m->answer, 0, sizeof m->answer);
    for (int s = 0; s < m->nsets; s++) {
        m->sets[s].n = 0;
        for (int w = 0; w < m->ways; w++) m->sets[s].age[w] = w;
    }
}

static void *md_open(const int *params) {
    Md *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->ways = params[P_Ways];
    m->nsets = params[P_Bytes] / (32 * m->ways);
    m->sets = calloc((size_t)m->nsets, sizeof *m->sets);
    if (!m->sets) abort();
    md_reset(m);
    return m;
}

static void md_close(void *self) {
    Md *m = self;
    free(m->sets);
    free(m);
}

static void md_eval(void *self, const void *inputs, void *outputs) {
    (void)inputs;
    memcpy(outputs, &((const Md *)self)->answer, sizeof(MdCacheOut));
}

static void bytes_of(const MdEntry *e, uint32_t *words) {
    memset(words, 0, 4 * MD_WORDS);
    for (int i = 0; i < MD_FIELDS; i++) words[i / 16] |= (uint32_t)e->field[i] << i % 16 * 2;
}

static void use(MdSet *s, int ways, int way) {
    for (int w = 0; w < ways; w++) s->age[w] += s->age[w] < s->age[way];
    s->age[way] = 0;
}

static MdEntry *to_front(MdSet *s, int ways, int i) {
    const MdEntry e = s->entry[i];
    memmove(s->entry + 1, s->entry, (size_t)i * sizeof e);
    s->entry[0] = e;
    use(s, ways, e.way);
    return &s->entry[0];
}

static void look_up(Md *m, const MdCacheIn *in) {
    MdSet *s = &m->sets[in->req_line[0] % (uint32_t)m->nsets];
    int i = 0;
    m->answer.ans_valid[0] = 1;
    while (i < s->n && s->entry[i].line != in->req_line[0]) i++;
    if (i < s->n) {
        MdEntry *e = to_front(s, m->ways, i);
        uint8_t *field = &e->field[in->req_field[0]];
        m->answer.ans_hit[0] = 1;
        m->answer.ans_value[0] = *field;
        if (in->req_write[0]) *field = (uint8_t)in->req_value[0], e->dirty = true;
    } else if (s->n == m->ways) {
        const MdEntry *e = &s->entry[--s->n];
        if (!e->dirty) return;
        m->answer.vic_valid[0] = 1;
        m->answer.vic_line[0] = e->line;
        bytes_of(e, m->answer.vic_data);
    }
}

static void fill(Md *m, const MdCacheIn *in) {
    MdSet *s = &m->sets[in->fill_line[0] % (uint32_t)m->nsets];
    int way = 0;
    for (int i = 0; i < s->n; i++)
        if (s->entry[i].way == way) way++, i = -1;
    MdEntry *e = &s->entry[s->n++];
    *e = (MdEntry){.line = in->fill_line[0], .way = way};
    for (int f = 0; f < MD_FIELDS; f++) e->field[f] = in->fill_data[f / 16] >> f % 16 * 2 & 3;
    to_front(s, m->ways, s->n - 1);
}

static void md_tick(void *self, const void *inputs) {
    Md *m = self;
    const MdCacheIn *in = inputs;
    memset(&m->answer, 0, sizeof m->answer);
    if (in->req_valid[0]) look_up(m, in);
    if (in->fill_valid[0]) fill(m, in);
}

static uint32_t md_obs_count(void *self) {
    const Md *m = self;
    return 2 * (uint32_t)(m->nsets * m->ways);
}

static void md_observe(void *self, uint32_t addr, uint32_t *words) {
    const Md *m = self;
    const uint32_t lines = (uint32_t)(m->nsets * m->ways);
    memset(words, 0, 4 * MD_WORDS);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr < BLOCK_OBS_PARAM + PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
        return;
    }
    if (addr >= 2 * lines) return;
    const int way = (int)(addr % lines) % m->ways;
    const MdSet *s = &m->sets[(int)(addr % lines) / m->ways];
    if (addr < lines) words[0] = (uint32_t)s->age[way] << 4;
    for (int i = 0; i < s->n; i++) {
        const MdEntry *e = &s->entry[i];
        if (e->way != way) continue;
        if (addr < lines) words[0] |= 1 | (uint32_t)e->dirty << 1 | e->line << 8;
        else bytes_of(e, words);
    }
}

const BlockModel md_cache_model = {.name = "md_cache",
                                   .open = md_open,
                                   .close = md_close,
                                   .reset = md_reset,
                                   .eval = md_eval,
                                   .tick = md_tick,
                                   .obs_count = md_obs_count,
                                   .observe = md_observe,
                                   .obs_words = MD_WORDS};
