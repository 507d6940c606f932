// SPDX-License-Identifier: Apache-2.0
// Warp functions, cooperative groups, fences, barriers.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void warp(int *out, double *d, int n) {
    int t = threadIdx.x, v = out[t];
    v += __shfl_sync(~0u, v, 3) + __shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 2, 16) + __shfl_xor_sync(~0u, v, 4, 8);
    d[t] = __shfl_sync(~0u, d[t], n);
    v += __ballot_sync(~0u, v > 3) + __any_sync(~0u, v) + __all_sync(~0u, v) + __activemask();
    v += __match_any_sync(~0u, v) + __popc(__ballot_sync(0xff, t & 1));
    int pred;
    v += __match_all_sync(~0u, (unsigned long long)v, &pred) + pred;
    __syncwarp();
    v += __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(v);
    cg::thread_block block = cg::this_thread_block();
    block.sync();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    v += tile.shfl_down(v, 1) + tile.any(v) + tile.thread_rank() + block.thread_rank();
    tile.sync();
    cg::coalesced_group g = cg::coalesced_threads();
    if (v & 1) v += g.size() + g.shfl(v, 0);
    __threadfence_block(); __threadfence(); __threadfence_system();
#if __CUDA_ARCH__ >= 800
    v += __reduce_add_sync(~0u, v) + __reduce_xor_sync(~0u, v) + __reduce_max_sync(~0u, (unsigned)v);
#endif
#if __CUDA_ARCH__ >= 700
    __nanosleep(20);
#endif
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 64;");
    unsigned lt, smid, warpid;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warpid));
    out[t] = v + lt + smid + warpid;
}
