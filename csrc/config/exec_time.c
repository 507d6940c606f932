// SPDX-License-Identifier: Apache-2.0
#include "config/exec_time.h"

ExecTime config_exec_time(const MachineConfig *cfg, IsaTiming timing) {
#define TIME(id, name) [ISA_TIME_##id] = { cfg->exec_##name##_latency, cfg->exec_##name##_interval }
    const ExecTime times[ISA_TIME_COUNT] = {
        TIME(INT, int),   TIME(CMP, cmp),   TIME(SHIFT, shift), TIME(IMUL, imul), TIME(IDIV, idiv),
        TIME(FP32, fp32), TIME(FDIV, fdiv), TIME(FP64, fp64),   TIME(DDIV, ddiv), TIME(SFU, sfu),
        TIME(CVT, cvt),   TIME(SHFL, shfl), TIME(MEM, mem),     TIME(MMA, mma)};
#undef TIME
    return times[timing];
}
