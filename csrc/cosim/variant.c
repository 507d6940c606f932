// SPDX-License-Identifier: Apache-2.0
#include "cosim/internal.h"

bool runtime_load(Cosim *c, Diag *d) {
    (void)c;
    return diag_fail(d, EXIT_ENVIRONMENT, "this build has no Verilated blocks; use --blocks model");
}
bool variant_load(Cosim *c, Instance *x, Diag *d) {
    (void)x;
    return runtime_load(c, d);
}
void variant_check_params(Instance *x) { (void)x; }
