# SPDX-License-Identifier: Apache-2.0
# An array on a cluster of one node, which this test starts: munge, slurmctld, slurmd. A node that is lost costs its
# cases, which --resume repeats. Skipped where Slurm is not installed or may not be started.
. "$(dirname "$0")/lib.sh"
for tool in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v $tool >/dev/null || { echo "skipped: no $tool (packages slurmctld, slurmd, slurm-client, munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd wants root"; exit 77; }
PATH=$PATH:/usr/sbin
host=$(hostname -s)
mkdir state spool munge
chmod 755 "$work"
stop() {
    for p in slurmd slurmctld munged; do [ ! -s $p.pid ] || kill "$(cat $p.pid)" 2>/dev/null || true; done
    sleep 0.5
    for p in slurmd slurmctld; do [ ! -s $p.pid ] || kill -9 "$(cat $p.pid)" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT INT TERM
dd if=/dev/urandom of=munge/key bs=1 count=1024 2>/dev/null
chmod 600 munge/key
chmod 700 munge
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munged.pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" ||
    { echo "skipped: munged does not start"; exit 77; }
port=$((20000 + $$ % 20000))
cat >slurm.conf <<C
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
C
export SLURM_CONF=$work/slurm.conf
slurmctld && slurmd || { tail -3 slurmctld.log slurmd.log; fail "slurm does not start"; }
for i in $(seq 100); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.3; done
sinfo -h -o %T | grep -q idle || { tail -5 slurmctld.log slurmd.log; fail "the node does not become idle"; }
{
    echo "name: s"; echo "jobs:"
    for i in 1 2 3 4; do echo "  - {name: c$i, command: [sh, -c, \"echo $i >>$work/log\"]}"; done
    echo "  - {name: bad, command: [sh, -c, \"exit 3\"]}"
} >s.yaml
expect 3 "$smcosim" regress s.yaml --slurm --jobs 2 --out "$work/n 1"
said "suite s: 4 of 5 cases pass, 0 fail as expected, 1 fail"
[ "$(sort log | tr -d '\n')" = 1234 ] || fail "each case once"
[ "$(query smcosim-history.db 'SELECT count(*) FROM result')" = 5 ] || fail "the history"
# A task that is killed as with its node: no result of its case, said so, repeated.
printf 'name: s\njobs:\n  - {name: c1, command: ["true"]}\n  - {name: lost, command: [sh, -c, "test -e %s/again || kill -9 $PPID"]}\n' "$work" >s.yaml
expect 7 "$smcosim" regress s.yaml --slurm --out n2
said "1 of 2 cases have no result"
touch again
expect 0 "$smcosim" regress --resume --slurm --out n2
said "suite s: 2 of 2 cases pass"
