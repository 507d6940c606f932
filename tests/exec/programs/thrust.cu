// SPDX-License-Identifier: Apache-2.0
// Library kernels: sort, fill, reduce, chosen by device properties and attributes of kernels.
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <cstdio>
int main() {
    thrust::device_vector<int> v(500);
    for (int i = 0; i < 500; i++) v[i] = (i * 7919) % 1000;
    thrust::sort(v.begin(), v.end());
    int s = thrust::reduce(v.begin(), v.end());
    bool ok = true; int want = 0; for (int i = 0; i < 500; i++) want += (i * 7919) % 1000;
    for (int i = 1; i < 500; i += 50) ok &= v[i - 1] <= v[i];
    printf("%s\n", ok && s == want ? "PASSED" : "FAILED");
}
