// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of csrc/ptx: comparing modules, printing and parsing again.
#ifndef SMCOSIM_TESTS_PTX_SUPPORT_H
#define SMCOSIM_TESTS_PTX_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"

// The first difference found, "" if none.
static char ptx_difference[512];

#define PTX_SAME(a, b, ...) \
    do { \
        if ((a) != (b)) { \
            snprintf(ptx_difference, sizeof ptx_difference, __VA_ARGS__); \
            return false; \
        } \
    } while (0)
#define PTX_FIELD(f) PTX_SAME(a->f, b->f, "%s: " #f, where)

static bool ptx_same_text(const char *a, const char *b) {
    return (a == NULL) == (b == NULL) && (!a || strcmp(a, b) == 0);
}

static bool ptx_same_operand(const PtxOperand *a, const PtxOperand *b, const char *where) {
    PTX_FIELD(kind);
    PTX_FIELD(base);
    PTX_FIELD(negated);
    PTX_FIELD(index);
    PTX_FIELD(module_scope);
    PTX_FIELD(offset);
    PTX_FIELD(bits);
    PTX_FIELD(nelements);
    for (int i = 0; i < a->nelements; i++)
        if (!ptx_same_operand(&a->elements[i], &b->elements[i], where)) return false;
    return true;
}

static bool ptx_same_list(const PtxOperand *a, const PtxOperand *b, int n, const char *where) {
    for (int i = 0; i < n; i++)
        if (!ptx_same_operand(&a[i], &b[i], where)) return false;
    return true;
}

static bool ptx_same_inst(const PtxInst *a, const PtxInst *b, const char *where) {
    PTX_FIELD(op);
    PTX_FIELD(type);
    PTX_FIELD(type2);
    PTX_FIELD(type3);
    PTX_FIELD(guard);
    PTX_FIELD(guard_negated);
    PTX_FIELD(space);
    PTX_FIELD(vec);
    PTX_FIELD(to);
    PTX_FIELD(ftz);
    PTX_FIELD(sat);
    PTX_FIELD(approx);
    PTX_FIELD(full);
    PTX_FIELD(uni);
    PTX_FIELD(cc);
    PTX_FIELD(sync);
    PTX_FIELD(nc);
    PTX_FIELD(is_volatile);
    PTX_FIELD(aligned);
    PTX_FIELD(shiftamt);
    PTX_FIELD(rnd);
    PTX_FIELD(cmp);
    PTX_FIELD(boolop);
    PTX_FIELD(part);
    PTX_FIELD(left);
    PTX_FIELD(shf);
    PTX_FIELD(shfl);
    PTX_FIELD(vote);
    PTX_FIELD(atom);
    PTX_FIELD(prmt);
    PTX_FIELD(testp);
    PTX_FIELD(sem);
    PTX_FIELD(scope);
    PTX_FIELD(cache);
    PTX_FIELD(evict);
    PTX_FIELD(l2_prefetch);
    PTX_FIELD(level);
    PTX_FIELD(nopnd);
    PTX_FIELD(ncall_rets);
    PTX_FIELD(ncall_args);
    PTX_FIELD(ntargets);
    PTX_FIELD(src_line);
    PTX_SAME(ptx_same_text(a->text, b->text), true, "%s: text", where);
    for (int i = 0; i < a->ntargets; i++) PTX_FIELD(targets[i]);
    return ptx_same_operand(&a->dst2, &b->dst2, where) &&
        ptx_same_list(a->opnd, b->opnd, a->nopnd, where) &&
        ptx_same_list(a->call_rets, b->call_rets, a->ncall_rets, where) &&
        ptx_same_list(a->call_args, b->call_args, a->ncall_args, where);
}

static bool ptx_same_var(const PtxVar *a, const PtxVar *b, const char *where) {
    PTX_SAME(ptx_same_text(a->name, b->name), true, "%s: name %s / %s", where, a->name, b->name);
    PTX_FIELD(space);
    PTX_FIELD(type);
    PTX_FIELD(vec);
    PTX_FIELD(align);
    PTX_FIELD(bytes);
    PTX_FIELD(is_extern);
    PTX_FIELD(is_visible);
    PTX_FIELD(is_array);
    PTX_FIELD(is_reg);
    PTX_FIELD(reg);
    PTX_FIELD(offset);
    PTX_FIELD(nrelocs);
    PTX_SAME(!a->init, !b->init, "%s: %s has a value", where, a->name);
    if (a->init)
        PTX_SAME(memcmp(a->init, b->init, (size_t)a->bytes), 0, "%s: value of %s", where, a->name);
    for (int i = 0; i < a->nrelocs; i++) {
        PTX_FIELD(relocs[i].offset);
        PTX_FIELD(relocs[i].bytes);
        PTX_FIELD(relocs[i].var);
        PTX_FIELD(relocs[i].func);
        PTX_FIELD(relocs[i].addend);
        PTX_FIELD(relocs[i].generic);
    }
    return true;
}

static bool ptx_same_vars(const PtxVar *a, const PtxVar *b, int n, const char *where) {
    for (int i = 0; i < n; i++)
        if (!ptx_same_var(&a[i], &b[i], where)) return false;
    return true;
}

static bool ptx_same_func(const PtxFunc *a, const PtxFunc *b) {
    const char *where = a->name;
    PTX_SAME(ptx_same_text(a->name, b->name), true, "%s / %s", a->name, b->name);
    PTX_FIELD(is_entry);
    PTX_FIELD(is_extern);
    PTX_FIELD(is_prototype_only);
    PTX_FIELD(nparams);
    PTX_FIELD(param_bytes);
    PTX_FIELD(nrets);
    PTX_FIELD(nvars);
    PTX_FIELD(local_bytes);
    PTX_FIELD(call_bytes);
    PTX_FIELD(nregs);
    PTX_FIELD(nlabels);
    PTX_FIELD(ninsts);
    PTX_FIELD(minnctapersm);
    PTX_FIELD(maxnreg);
    PTX_SAME(!a->refused, !b->refused, "%s: refused", where);
    for (int i = 0; i < 3; i++) {
        PTX_FIELD(maxntid[i]);
        PTX_FIELD(reqntid[i]);
    }
    for (int i = 0; i < a->nregs; i++) {
        PTX_FIELD(regs[i].type);
        PTX_SAME(ptx_same_text(a->regs[i].name, b->regs[i].name), true, "%s: register %s", where,
                 a->regs[i].name);
    }
    for (int i = 0; i < a->nlabels; i++) {
        PTX_FIELD(labels[i].inst);
        PTX_SAME(ptx_same_text(a->labels[i].name, b->labels[i].name), true, "%s: label %s", where,
                 a->labels[i].name);
    }
    for (int i = 0; i < a->ninsts; i++) {
        char at[256];
        snprintf(at, sizeof at, "%s, line %d", a->name, a->insts[i].line);
        if (!ptx_same_inst(&a->insts[i], &b->insts[i], at)) return false;
    }
    return ptx_same_vars(a->params, b->params, a->nparams, where) &&
        ptx_same_vars(a->rets, b->rets, a->nrets, where) &&
        ptx_same_vars(a->vars, b->vars, a->nvars, where);
}

static bool ptx_same_module(const PtxModule *a, const PtxModule *b) {
    const char *where = a->src.path;
    ptx_difference[0] = '\0';
    PTX_FIELD(version_major);
    PTX_FIELD(version_minor);
    PTX_FIELD(address_bits);
    PTX_FIELD(nvars);
    PTX_FIELD(nfuncs);
    PTX_SAME(ptx_same_text(a->target, b->target), true, "target");
    PTX_SAME(ptx_same_text(a->source, b->source), true, "source");
    for (int i = 0; i < a->nfuncs; i++)
        if (!ptx_same_func(&a->funcs[i], &b->funcs[i])) return false;
    return ptx_same_vars(a->vars, b->vars, a->nvars, where);
}

// Prints and parses again; fails the test unless both modules are equal.
static inline void ptx_check_round_trip(const PtxModule *m) {
    Arena arena = {0};
    Diag d = {0};
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    ptx_print(out, m);
    fclose(out);
    const PtxModule *again = ptx_parse(&arena, "printed.ptx", text, len, &d);
    if (!again) fail_msg("%s: what was printed does not parse: %s", m->src.path, d.text);
    if (!ptx_same_module(m, again))
        fail_msg("%s: printed and parsed again, differs in %s", m->src.path, ptx_difference);
    arena_free(&arena);
    free(text);
}

#endif
