// SPDX-License-Identifier: Apache-2.0
// PtxModule -> text. Names are unique in a function, so scopes are not printed, and all
// declarations of a function are at its start.
#include "ptx/front.h"

#include <inttypes.h>
#include <string.h>

// The destination of text: a file, or a buffer that truncates.
typedef struct Text {
    FILE *out;
    char *buf;
    size_t size, used;
    const PtxModule *m;
    const PtxFunc *f;
} Text;

static void put_format(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(Text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    if (t->out) vfprintf(t->out, format, ap);
    else if (t->used < t->size)
        t->used += (size_t)vsnprintf(t->buf + t->used, t->size - t->used, format, ap);
    va_end(ap);
}

// ---- operands ----

static const char *var_name(const Text *t, const PtxOperand *o) {
    return o->module_scope ? t->m->vars[o->index].name : t->f->vars[o->index].name;
}

static void put_immediate(Text *t, uint64_t bits, PtxType type) {
    if (type == PTX_F32) put_format(t, "0f%08" PRIX64, bits);
    else if (type == PTX_F64) put_format(t, "0d%016" PRIX64, bits);
    else if (ptx_type_is_signed(type) || type == PTX_B32 || type == PTX_B64) {
        int shift = 64 - 8 * ptx_type_bytes(type);
        put_format(t, "%" PRId64, (int64_t)(bits << shift) >> shift);
    } else put_format(t, "%" PRIu64, bits);
}

static void put_offset(Text *t, int64_t offset) {
    if (offset) put_format(t, "+%" PRId64, offset);
}

static void put_register(Text *t, const PtxOperand *o) {
    put_format(t, "%s", t->f->regs[o->index].name);
    if (o->part) put_format(t, ".%c", o->part);
    for (int i = o->nparts; i-- > 0;) put_format(t, "%d", o->parts >> (4 * i) & 15);
}

static void put_operand(Text *t, const PtxOperand *o, PtxType type) {
    const bool pred = o->kind != PTX_OPND_REG || t->f->regs[o->index].type == PTX_PRED;
    if (o->negated) put_format(t, pred ? "!" : "-");
    switch (o->kind) {
    case PTX_OPND_SINK: put_format(t, "_"); break;
    case PTX_OPND_REG: put_register(t, o); break;
    case PTX_OPND_IMM: put_immediate(t, o->bits, type); break;
    case PTX_OPND_SREG: put_format(t, "%s", ptx_sreg_name((PtxSreg)o->index)); break;
    case PTX_OPND_LABEL: put_format(t, "%s", t->f->labels[o->index].name); break;
    case PTX_OPND_FUNC: put_format(t, "%s", t->m->funcs[o->index].name); break;
    case PTX_OPND_VAR:
        put_format(t, "%s", var_name(t, o));
        put_offset(t, o->offset);
        break;
    case PTX_OPND_MEM:
        if (o->base == PTX_BASE_NONE) put_format(t, "[%" PRId64 "]", o->offset);
        else {
            put_format(t, "[%s",
                       o->base == PTX_BASE_REG ? t->f->regs[o->index].name : var_name(t, o));
            put_offset(t, o->offset);
            put_format(t, "]");
        }
        break;
    case PTX_OPND_VEC:
        for (int i = 0; i < o->nelements; i++) {
            put_format(t, i ? ", " : "{");
            put_operand(t, &o->elements[i], type);
        }
        put_format(t, "}");
        break;
    case PTX_OPND_NONE: break;
    }
}

// The converted type of an immediate operand, as far as its spelling depends on it. Only data
// operands of floating-point instructions are floating-point constants.
static PtxType immediate_type(const PtxInst *in, int i) {
    switch (in->op) {
    case PTX_CVT:
    case PTX_CVT_PACK: return in->type2;
    case PTX_SET: return i == 3 ? PTX_U32 : in->type2;
    case PTX_SETP: return i == 3 ? PTX_U32 : in->type;
    case PTX_SLCT: return i == 3 ? in->type2 : in->type;
    case PTX_SELP: return i == 3 ? PTX_U32 : in->type;
    case PTX_SHL:
    case PTX_SHR: return i == 2 ? PTX_U32 : in->type;
    case PTX_BFE: return i >= 2 ? PTX_U32 : in->type;
    case PTX_BFI: return i >= 3 ? PTX_U32 : in->type;
    case PTX_MAD:
        if (in->part == PTX_PART_WIDE && i == 3)
            return ptx_type_is_signed(in->type) ? PTX_S64 : PTX_U64;
        return in->type;
    case PTX_MOV: return in->type;
    case PTX_LOP3:
    case PTX_BAR:
    case PTX_BAR_ARRIVE:
    case PTX_BAR_RED:
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_MATCH:
    case PTX_REDUX: return i >= 2 || in->op == PTX_BAR ? PTX_U32 : in->type;
    case PTX_DP2A:
    case PTX_DP4A: return PTX_B32;
    case PTX_CVTA:
    case PTX_ISSPACEP: return PTX_U64;
    default: return in->type == PTX_NOTYPE || in->type == PTX_PRED ? PTX_U32 : in->type;
    }
}

// ---- modifiers ----

static void put_mod(Text *t, uint64_t cls, int value) {
    if (value) put_format(t, ".%s", mod_spelling(cls, value));
}

static void put_flag(Text *t, bool flag, const char *name) {
    if (flag) put_format(t, ".%s", name);
}

static void put_memory_mods(Text *t, const PtxInst *in) {
    if (in->op == PTX_FENCE || in->op == PTX_MEMBAR) {
        put_mod(t, M_SEM, in->sem);
        if (in->scope)
            put_format(t, ".%s",
                       in->op == PTX_MEMBAR && in->scope == PTX_SCOPE_GPU
                           ? "gl"
                           : mod_spelling(M_SCOPE, in->scope));
        return;
    }
    put_mod(t, M_SEM, in->sem);
    if (in->sem == PTX_SEM_MMIO) put_format(t, ".relaxed");
    put_mod(t, M_SCOPE, in->scope);
    put_flag(t, in->to, "to");
    put_mod(t, M_SPACE, in->space);
    put_mod(t, M_CACHE, in->cache);
    put_flag(t, in->nc, "nc");
    put_mod(t, M_EVICT, in->evict);
    put_mod(t, M_L2, in->l2_prefetch);
    put_mod(t, M_LEVEL, in->level);
}

static void put_mods(Text *t, const PtxInst *in) {
    put_flag(t, in->sync && in->op != PTX_BAR && in->op != PTX_BAR_WARP_SYNC, "sync");
    put_memory_mods(t, in);
    if (in->op == PTX_SHF) put_format(t, in->left ? ".l" : ".r");
    put_mod(t, M_CMP, in->cmp);
    put_mod(t, M_BOOL, in->boolop);
    put_flag(t, in->shiftamt, "shiftamt");
    put_mod(t, M_PART, in->part);
    put_mod(t, M_SHF, in->shf);
    put_mod(t, M_SHFL, in->shfl);
    put_mod(t, M_VOTE, in->vote);
    put_mod(t, M_TESTP, in->testp);
    put_flag(t, in->approx, "approx");
    put_flag(t, in->full, "full");
    put_mod(t, in->rnd >= PTX_RNI ? M_RNI : in->rnd == PTX_RNA ? M_RNA : M_RND, in->rnd);
    put_flag(t, in->satfinite, "satfinite");
    put_flag(t, in->ftz, "ftz");
    put_flag(t, in->sat, "sat");
    put_flag(t, in->relu, "relu");
    put_flag(t, in->nan, "NaN");
    put_flag(t, in->xorsign, "xorsign.abs");
    put_flag(t, in->uni, "uni");
    put_flag(t, in->cc, "cc");
    put_flag(t, in->po, "po");
    put_mod(t, M_SCALE, in->scale);
    const bool video = ptx_video(in->op).kind;
    const char *atom =
        in->op == PTX_BAR_RED && in->atom == PTX_ATOM_ADD ? "popc" : mod_spelling(M_ATOM, in->atom);
    if (in->atom && !video) put_format(t, ".%s", atom);
    put_flag(t, in->noftz, "noftz");
    put_mod(t, M_VEC, in->vec > 1 ? in->vec : 0);
    PtxType types[3] = {in->type, in->type2, in->type3};
    for (int i = 0; i < 3; i++)
        if (types[i]) put_format(t, ".%s", ptx_type_name(types[i]));
    if (in->atom && video) put_format(t, ".%s", atom);
    if (in->prmt) put_format(t, ".%s", mod_spelling(M_PRMT, in->prmt));
}

// The smallest mma of its type.
static void put_matrix(Text *t, const PtxInst *in) {
    static const struct {
        int depth;
        const char *signed_name, *name, *sum;
    } kinds[] = {[PTX_MATRIX_F16] = {8, "f16", "f16", "f32"},
                 [PTX_MATRIX_BF16] = {8, "bf16", "bf16", "f32"},
                 [PTX_MATRIX_TF32] = {4, "tf32", "tf32", "f32"},
                 [PTX_MATRIX_I8] = {16, "s8", "u8", "s32"},
                 [PTX_MATRIX_I4] = {32, "s4", "u4", "s32"},
                 [PTX_MATRIX_XOR] = {128, "b1", "b1", "s32"},
                 [PTX_MATRIX_AND] = {128, "b1", "b1", "s32"},
                 [PTX_MATRIX_F64] = {4, "f64", "f64", "f64"}};
    const char *sum = in->half_sum ? "f16" : kinds[in->matrix].sum,
               *a = kinds[in->matrix].signed_name, *b = kinds[in->matrix].name;
    put_format(t, "mma.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s", in->tall ? 16 : 8,
               kinds[in->matrix].depth, in->sat ? ".satfinite" : "", sum, in->a_signed ? a : b,
               in->b_signed ? a : b, sum);
    if (in->matrix == PTX_MATRIX_XOR || in->matrix == PTX_MATRIX_AND)
        put_format(t, ".%s.popc", in->matrix == PTX_MATRIX_AND ? "and" : "xor");
}

static void put_mnemonic(Text *t, const PtxInst *in) {
    if (in->op == PTX_MMA) {
        put_matrix(t, in);
        return;
    }
    static const struct {
        PtxOp op;
        const char *bar, *barrier;
    } barriers[] = {
        {PTX_BAR, "bar.sync", "barrier.sync"},
        {PTX_BAR_ARRIVE, "bar.arrive", "barrier.arrive"},
        {PTX_BAR_RED, "bar.red", "barrier.red"},
    };
    const char *name = ptx_op_name(in->op);
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++)
        if (barriers[i].op == in->op) name = in->aligned ? barriers[i].bar : barriers[i].barrier;
    put_format(t, "%s", name);
    if (in->op == PTX_TEX) put_format(t, ".%s", ptx_geometries[in->geometry]);
    put_mods(t, in);
}

// ---- instructions ----

static void put_list(Text *t, const PtxOperand *list, int n, const PtxVar *formals) {
    put_format(t, "(");
    for (int i = 0; i < n; i++) {
        PtxOperand o = list[i];
        if (o.kind == PTX_OPND_MEM) o.kind = PTX_OPND_VAR;
        if (i) put_format(t, ", ");
        put_operand(t, &o, formals[i].type);
    }
    put_format(t, ")");
}

static void put_call(Text *t, const PtxInst *in) {
    const PtxFunc *callee = &t->m->funcs[in->opnd[0].index];
    put_format(t, " ");
    if (in->ncall_rets) {
        put_list(t, in->call_rets, in->ncall_rets, callee->rets);
        put_format(t, ", ");
    }
    put_format(t, "%s", callee->name);
    if (in->ncall_args) {
        put_format(t, ", ");
        put_list(t, in->call_args, in->ncall_args, callee->params);
    }
}

// [texture, {coordinates}]: a layer is an integer among them.
static void put_texture(Text *t, const PtxInst *in) {
    const PtxOperand *at = &in->opnd[2];
    put_format(t, ", [");
    put_operand(t, &in->opnd[1], PTX_U64);
    put_format(t, ", ");
    if (at->kind != PTX_OPND_VEC) put_operand(t, at, in->type2);
    for (int i = 0; i < at->nelements; i++) {
        put_format(t, i ? ", " : "{");
        put_operand(t, &at->elements[i],
                    i == 0 && ptx_geometry_is_layered(in->geometry) ? PTX_U32 : in->type2);
    }
    put_format(t, at->nelements ? "}]" : "]");
}

static void put_inst(Text *t, const PtxInst *in, int index) {
    if (in->op == PTX_UNSUPPORTED) {
        put_format(t, "%s;", in->resolved);
        return;
    }
    if (in->guard >= 0)
        put_format(t, "@%s%s ", in->guard_negated ? "!" : "", t->f->regs[in->guard].name);
    put_mnemonic(t, in);
    if (in->op == PTX_CALL) put_call(t, in);
    for (int i = 0; i < (in->op == PTX_TEX ? 1 : in->nopnd) && in->op != PTX_CALL; i++) {
        put_format(t, i ? ", " : " ");
        put_operand(t, &in->opnd[i], immediate_type(in, i));
        if (i == 0 && in->dst2.kind) {
            put_format(t, "|");
            put_operand(t, &in->dst2, PTX_PRED);
        }
    }
    if (in->op == PTX_TEX) put_texture(t, in);
    if (in->op == PTX_BRX_IDX) put_format(t, ", $Ltargets_%d", index);
    put_format(t, ";");
}

void ptx_print_inst(char *buf, size_t size, const PtxModule *m, const PtxFunc *f,
                    const PtxInst *in) {
    Text t = {NULL, buf, size, 0, m, f};
    if (size) buf[0] = '\0';
    put_inst(&t, in, (int)(in - f->insts));
}

// ---- declarations ----

static void print_bytes(FILE *out, const PtxModule *m, const PtxVar *v) {
    int size = ptx_type_bytes(v->type), reloc = 0, column = 0;
    int64_t used = v->bytes;
    // Values, not addresses, decide how far the list must go.
    int64_t last =
        v->nrelocs ? v->relocs[v->nrelocs - 1].offset + v->relocs[v->nrelocs - 1].bytes : 0;
    while (used > size && used > last && v->init[used - 1] == 0) used--;
    used = (used + size - 1) / size * size;
    bool braces = v->is_array || v->vec > 1;
    fprintf(out, " = %s", braces ? "{" : "");
    for (int64_t at = 0; at < used;) {
        if (at) fprintf(out, ++column % 16 ? ", " : ",\n    ");
        if (reloc < v->nrelocs && v->relocs[reloc].offset == at) {
            const PtxReloc *r = &v->relocs[reloc++];
            const char *name = r->var >= 0 ? m->vars[r->var].name : m->funcs[r->func].name;
            for (int b = 0; b < r->bytes; b += size) {
                if (b) fputs(", ", out);
                if (size == 1) fprintf(out, "0x%" PRIX64 "(", (uint64_t)0xff << (8 * b));
                fprintf(out, r->generic ? "generic(%s)%+" PRId64 : "%s%+" PRId64, name, r->addend);
                if (size == 1) fputc(')', out);
            }
            at += r->bytes;
            continue;
        }
        uint64_t bits = 0;
        memcpy(&bits, v->init + at, (size_t)size);
        if (v->type == PTX_F32) fprintf(out, "0f%08" PRIX64, bits);
        else if (v->type == PTX_F64) fprintf(out, "0d%016" PRIX64, bits);
        else fprintf(out, "%" PRIu64, bits);
        at += size;
    }
    fputs(braces ? "}" : "", out);
}

static void print_var(FILE *out, const PtxModule *m, const PtxVar *v, const char *indent) {
    int64_t elements = v->bytes / (ptx_type_bytes(v->type) * v->vec);
    fputs(indent, out);
    if (v->is_extern) fputs(".extern ", out);
    else if (v->is_weak) fputs(".weak ", out);
    else if (v->is_visible) fputs(".visible ", out);
    if (v->is_texref) {
        fprintf(out, ".global .texref %s;\n", v->name);
        return;
    }
    fprintf(out, ".%s .align %d ", ptx_space_name(v->space), v->align);
    if (v->vec > 1) fprintf(out, ".v%d ", v->vec);
    fprintf(out, ".%s %s", ptx_type_name(v->type), v->name);
    if (v->is_array && v->is_extern && v->bytes == 0) fputs("[]", out);
    else if (v->is_array) fprintf(out, "[%" PRId64 "]", elements);
    if (v->init) print_bytes(out, m, v);
    fputs(";\n", out);
}

static void print_params(FILE *out, const PtxVar *params, int n) {
    fputs("(", out);
    for (int i = 0; i < n; i++) {
        const PtxVar *v = &params[i];
        fprintf(out, "%s\n    ", i ? "," : "");
        if (v->is_reg) fprintf(out, ".reg .%s %s", ptx_type_name(v->type), v->name);
        else {
            fprintf(out, ".param .align %d ", v->align);
            if (v->vec > 1) fprintf(out, ".v%d ", v->vec);
            fprintf(out, ".%s %s", ptx_type_name(v->type), v->name);
        }
        if (v->is_array)
            fprintf(out, "[%" PRId64 "]", v->bytes / (ptx_type_bytes(v->type) * v->vec));
    }
    fputs(")", out);
}

// How many registers from `first` on are prefix0, prefix1, ... of one type?
static int register_range(const PtxFunc *f, int first, char *prefix, size_t size) {
    const char *name = f->regs[first].name;
    size_t len = strlen(name);
    // A prefix that ends in a digit could be a register itself.
    if (len < 3 || name[len - 1] != '0' || (name[len - 2] >= '0' && name[len - 2] <= '9') ||
        len >= size)
        return 0;
    snprintf(prefix, size, "%.*s", (int)len - 1, name);
    int n = 0;
    for (; first + n < f->nregs && f->regs[first + n].type == f->regs[first].type; n++) {
        char expected[32];
        const char *each = f->regs[first + n].name;
        snprintf(expected, sizeof expected, "%d", n);
        if (strncmp(each, prefix, len - 1) != 0 || strcmp(each + len - 1, expected) != 0) break;
    }
    return n;
}

static void print_regs(FILE *out, const PtxFunc *f) {
    char prefix[LEX_NAME_SPACE];
    int first = 0;
    for (int i = 0; i < f->nparams; i++) first += f->params[i].is_reg;
    for (int i = 0; i < f->nrets; i++) first += f->rets[i].is_reg;
    for (int i = first; i < f->nregs;) {
        int n = register_range(f, i, prefix, sizeof prefix);
        if (n > 1)
            fprintf(out, "    .reg .%s %s<%d>;\n", ptx_type_name(f->regs[i].type), prefix, n);
        else fprintf(out, "    .reg .%s %s;\n", ptx_type_name(f->regs[i].type), f->regs[i].name);
        i += n > 1 ? n : 1;
    }
}

static void print_limits(FILE *out, const PtxFunc *f) {
    if (f->maxntid[0])
        fprintf(out, "\n.maxntid %d, %d, %d", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
    if (f->reqntid[0])
        fprintf(out, "\n.reqntid %d, %d, %d", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if (f->minnctapersm) fprintf(out, "\n.minnctapersm %d", f->minnctapersm);
    if (f->maxnreg) fprintf(out, "\n.maxnreg %d", f->maxnreg);
    if (f->refused) fprintf(out, "\n.explicitcluster");
}

static void print_targets(FILE *out, const PtxFunc *f, const PtxInst *in, int index) {
    fprintf(out, "$Ltargets_%d: .branchtargets", index);
    for (int i = 0; i < in->ntargets; i++)
        fprintf(out, "%s %s", i ? "," : "", f->labels[in->targets[i]].name);
    fputs(";\n", out);
}

static void print_body(FILE *out, const PtxModule *m, const PtxFunc *f) {
    Text t = {.out = out, .m = m, .f = f};
    int label = 0, src_line = 0;
    fputs("\n{\n", out);
    print_regs(out, f);
    for (int i = f->nparams + f->nrets; i < f->nvars; i++) print_var(out, m, &f->vars[i], "    ");
    for (int i = 0; i <= f->ninsts; i++) {
        for (; label < f->nlabels && f->labels[label].inst == i; label++)
            fprintf(out, "%s:\n", f->labels[label].name);
        if (i == f->ninsts) break;
        const PtxInst *in = &f->insts[i];
        if (in->src_line != src_line) fprintf(out, "    .loc 1 %d 0\n", src_line = in->src_line);
        if (in->op == PTX_BRX_IDX) print_targets(out, f, in, i);
        fputs("    ", out);
        put_inst(&t, in, i);
        fputs("\n", out);
    }
    fputs("}\n", out);
}

static void print_func(FILE *out, const PtxModule *m, const PtxFunc *f, bool prototype) {
    fputs(f->is_extern        ? ".extern "
              : f->is_weak    ? ".weak "
              : f->is_visible ? ".visible "
                              : "",
          out);
    fputs(f->is_entry ? ".entry " : ".func ", out);
    if (f->nrets) print_params(out, f->rets, f->nrets);
    fprintf(out, " %s", f->name);
    print_params(out, f->params, f->nparams);
    if (prototype) {
        fputs(";\n", out);
        return;
    }
    print_limits(out, f);
    print_body(out, m, f);
    fputs("\n", out);
}

void ptx_print(FILE *out, const PtxModule *m) {
    fprintf(out, ".version %d.%d\n.target %s\n%s", m->version_major, m->version_minor, m->target,
            m->address_bits == 64 ? ".address_size 64\n" : "");
    if (m->source) fprintf(out, ".file 1 \"%s\"\n", m->source);
    fputs("\n", out);
    // Prototypes first: initial values and calls may name any function, in the order of the list.
    for (int i = 0; i < m->nfuncs; i++) print_func(out, m, &m->funcs[i], true);
    for (int i = 0; i < m->nvars; i++) print_var(out, m, &m->vars[i], "");
    fputs("\n", out);
    for (int i = 0; i < m->nfuncs; i++)
        if (!m->funcs[i].is_prototype_only) print_func(out, m, &m->funcs[i], false);
}
