// SPDX-License-Identifier: Apache-2.0
// System calls on the SM: argument blocks in local memory, served in lane order.
#include "sm_support.h"

#include <stdlib.h>

// Strings that kernels point at, in buffer `in`.
static void put_text(Bench *b, uint32_t offset, const char *text) {
    strcpy((char *)device_at(&b->memory, b->in + offset, 256), text);
}

static void open_printing(Bench *b, FILE *to) {
    bench_config(b, "fermi", NULL);
    bench_start(b, &(GpuOptions){.check_retire = true, .print_to = to});
}

// {u64 format, u64 list}; the list is behind the block, at local 16: {u32 thread, u32 7}.
static void test_printf(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    Bench b;
    open_printing(&b, to);
    put_text(&b, 0, "t%u:%d\n");
    bench_run(&b,
              ".kernel say\n.regs 63\n.preds 1\n.local 32\n" BENCH_THREAD
              "mov R4, c[0][0x8]\n mov R5, RZ\n st.local.b64 _, [RZ], R4.64\n"
              "mov R4, 0x2000010\n st.local.b64 _, [RZ+8], R4.64\n"
              "st.local.b32 _, [RZ+16], R0\n mov R6, 0x7\n st.local.b32 _, [RZ+20], R6\n"
              "isetp.lt.and.u32 _|P0, R0, 0x3\n"
              "@P0 syscall.mode=0 R7, [RZ]\n" BENCH_STORE("R7") "exit _\n",
              1, 32, 0);
    fclose(to);
    assert_string_equal(text, "t0:7\nt1:7\nt2:7\n");
    for (int i = 0; i < 3; i++) assert_int_equal(bench_out(&b)[i], 2);
    free(text);
    bench_close(&b);
}

static void test_heap(void **state) {
    (void)state;
    Bench b;
    open_printing(&b, NULL);
    // Every thread gets a block of its own, writes to it, reads back, and frees it.
    bench_run(
        &b,
        ".kernel heap\n.regs 63\n.local 16\n" BENCH_THREAD
        "mov R4, 0x18\n mov R5, RZ\n st.local.b64 _, [RZ], R4.64\n syscall.mode=2 R8.64, [RZ]\n"
        "st.global.b32 _, [R8.64+20], R0\n ld.global.b32.u32 R6, [R8.64+20]\n" BENCH_STORE(
            "R6") "iadd R6, R60, 0x1000\n st.global.b32 _, [R6], R8\n"
                  "st.local.b64 _, [RZ], R8.64\n syscall.mode=3 _, [RZ]\n exit _\n",
        2, 64, 0);
    for (uint32_t i = 0; i < 128; i++) assert_int_equal(bench_out(&b)[i], i);
    for (uint32_t i = 0; i < 128; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t x = bench_out(&b)[1024 + i], y = bench_out(&b)[1024 + j];
            if (i / 64 == j / 64 && i / 32 == j / 32) assert_true(x >= y + 24 || y >= x + 24);
        }
    bench_close(&b);
}

static void expect(const char *text, const char *says) {
    Bench b;
    open_printing(&b, NULL);
    put_text(&b, 0, "x > 0");
    put_text(&b, 256, "file.cu");
    put_text(&b, 512, "void f()");
    assert_false(bench_try(&b, text, 1, 32, 0, 0));
    if (b.d.status != EXIT_WRONG_RESULT || !strstr(b.d.text, says))
        fail_msg("status %d: %s", b.d.status, b.d.text);
    bench_close(&b);
}

static void test_failures(void **state) {
    (void)state;
    expect(".kernel check\n.regs 63\n.preds 1\n.local 40\n" BENCH_THREAD
           "mov R5, RZ\n mov R4, c[0][0x8]\n st.local.b64 _, [RZ], R4.64\n"
           "iadd R4, R4, 0x100\n st.local.b64 _, [RZ+8], R4.64\n"
           "mov R6, 0x2a\n st.local.b32 _, [RZ+16], R6\n"
           "iadd R4, R4, 0x100\n st.local.b64 _, [RZ+24], R4.64\n"
           "isetp.eq.and.u32 _|P0, R0, 0x9\n @P0 syscall.mode=1 _, [RZ]\n exit _\n",
           "assertion `x > 0` failed at file.cu:42 in void f(), thread (9,0,0) of CTA (0,0,0)");
    expect(".kernel twice\n.regs 63\n.local 16\n mov R4, 0x40\n mov R5, RZ\n st.local.b64 _, [RZ], "
           "R4.64\n"
           "syscall.mode=3 _, [RZ]\n exit _\n",
           "free of an address that malloc did not return");
    expect(".kernel lost\n.regs 63\n.local 16\n syscall.mode=0 _, [RZ+8]\n exit _\n",
           "the argument block is beyond local memory");
    expect(".kernel wild\n.regs 63\n.local 16\n syscall.mode=0 _, [RZ]\n exit _\n",
           "the format of printf cannot be read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
