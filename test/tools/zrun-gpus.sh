#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zrun on GPUs, with the stand-in for their driver. Usage: zrun-gpus.sh ZRUN WRITE_TOY STAND_IN WRITE_KERNEL_FACTS
set -u
zrun=$1 write_toy=$2 stand_in=$3 write_facts=$4
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
bad=0
# expect STATUS TEXT ARGUMENTS...: the exit status, and a text in the output.
expect() {
  status=$1 text=$2
  shift 2
  timeout 60 "$zrun" "$@" >out 2>&1 </dev/null
  got=$?
  if [ $got -ne "$status" ] || { [ -n "$text" ] && ! grep -qe "$text" out; }; then
    echo "error: ZCC_CUDA_STAND_IN=${ZCC_CUDA_STAND_IN:-} zrun $*: status $got, expected $status and \"$text\":"
    cat out
    bad=1
  fi
}
inputs="--params cpu/params.safetensors --batches cpu/batches.safetensors --steps 5 --lr 0.1"
gpu="gpu/toy.zexe --cuda-driver $stand_in $inputs"
export ZCC_CUDA_STAND_IN

# The same bits as on a CPU, on one GPU and on four, in any order of the streams; and the order of all that is enqueued, without
# executing it. With collectives beside the main stream, then in two stages.
mkdir cpu gpu
for toy in '1 streams' 2; do
  "$write_toy" cpu 2 2 ${toy% *} || exit 2
  "$write_toy" gpu 2 2 $toy cuda || exit 2
  expect 0 '' cpu/toy.zexe $inputs --save-params cpu.safetensors --save-grads cpu-grads.safetensors
  for words in '' gpus=4 seed=2 seed=3,gpus=2; do
    ZCC_CUDA_STAND_IN=$words
    expect 0 '' $gpu --save-params gpu.safetensors --save-grads gpu-grads.safetensors --checkpoint "kept-$words" --trace trace.json
    cmp cpu.safetensors gpu.safetensors || bad=1
    cmp cpu-grads.safetensors gpu-grads.safetensors || bad=1
  done
  "$write_facts" gpu/toy.zexe >facts || exit 2
  ZCC_CUDA_STAND_IN=mode=record,capability=0,kernels=facts
  expect 0 '' $gpu
done

# The trace has the step before the last one, too, by the places that streams tell of. Kernels take long, so that somebody sees one of a graph; which
# launch that is depends on the order of the ranks.
ZCC_CUDA_STAND_IN=late=44:100:16
expect 0 '' $gpu --trace trace.json
grep -q '"args": {"kind": "progress"}' trace.json || { echo "error: no progress in the trace"; bad=1; }

# Without graphs.
ZCC_CUDA_STAND_IN=
expect 0 '' $gpu --no-cuda-graphs --save-params gpu.safetensors
cmp cpu.safetensors gpu.safetensors || bad=1

# A file of algorithms, of a program without products: there is nothing to be kept.
expect 0 '' $gpu --tune tuned
[ ! -e tuned ] || { echo "error: algorithms of no products:"; cat tuned; bad=1; }
ZCC_CUDA_STAND_IN=

# Through the host's memory; by NCCL, which ranks need a GPU each for.
expect 0 '' $gpu --collectives host --save-params gpu.safetensors
cmp cpu.safetensors gpu.safetensors || bad=1
ZCC_CUDA_STAND_IN=gpus=4,threads=8
expect 0 '' $gpu --collectives nccl --nccl "$stand_in"
ZCC_CUDA_STAND_IN=gpus=3
expect 2 'error: --collectives nccl: 4 ranks on 3 GPUs, expected one for each; device and host let ranks share one' $gpu --collectives nccl --nccl "$stand_in"
ZCC_CUDA_STAND_IN=gpus=4
expect 2 'error: no NCCL, which GPUs exchange over (--nccl names the library, --collectives host does without): none: ' $gpu --collectives nccl --nccl none
expect 2 'error: --collectives: expected device, nccl or host, found mpi' $gpu --collectives mpi
ZCC_CUDA_STAND_IN=gpus=4,threads=8,fail=ncclAllReduce:9:6
expect 1 'error: cannot use the communicator of data (ranks [0-9], [0-9]) of GPU [0-9] (stand-in, host): NCCL 2.28.3: remote process exited' $gpu --collectives nccl --nccl "$stand_in"

# Tools that watch get ranges by the names of steps, nested if a graph is made of several. A library that is no tool counts as
# none.
ZCC_CUDA_STAND_IN=
NVTX_INJECTION64_PATH=$stand_in ZCC_NVTX_RANGES=$folder/ranges expect 0 '' $gpu
grep -q '^0 after: all-reduce over data of scalar loss (toy.py:3)' ranges && grep -q '^0 toy_matmul to toy_loss' ranges && grep -q '^1 toy_loss' ranges || { echo "error: ranges:"; cat ranges; bad=1; }
NVTX_INJECTION64_PATH=/nowhere expect 0 '' $gpu

# A kernel that takes seconds: its rank reports the step that it is in, though all has been enqueued.
ZCC_CUDA_STAND_IN=gpus=4,threads=8,late=60:2500
expect 0 'pending "after: all-reduce over data of scalar loss (toy.py:3)", waits for rank [0-3]; rank [0-3] (stage [01]) has been in "toy_' $gpu --watchdog 1

# Transfers between stages, over the GPUs' memory and by NCCL: messages name the ranks that wait and the place of an error, and there
# must be room for the transfers.
ZCC_CUDA_STAND_IN=gpus=4,threads=12,late=1:2500
expect 0 'pending "transfer of microbatch 0, from stage [01]", waits for rank [0-3]; rank [0-3] (stage [01]) has been in "toy_' $gpu --watchdog 1
expect 0 'pending "transfer of microbatch 0, from stage [01]", waits for rank [0-3]; rank [0-3] (stage [01]) has been in "toy_' $gpu --watchdog 1 --collectives nccl --nccl "$stand_in"
ZCC_CUDA_STAND_IN=gpus=4,threads=12,fail=ncclSend:20:6
expect 1 'error: cannot use the communicator of transfers from stage [01] to stage [01] (ranks [0-3], [0-3]) of GPU .*NCCL 2.28.3: remote process exited .*, in transfer of microbatch [01], to stage [01]' $gpu --collectives nccl --nccl "$stand_in"
ZCC_CUDA_STAND_IN=gpus=4,threads=12,sms=3
expect 2 'error: transfers to and from other stages take 8 multiprocessors of GPU [0-3] (stand-in, host), which has 3; --collectives host does without' $gpu --collectives nccl --nccl "$stand_in"

ZCC_CUDA_STAND_IN=gpus=2
expect 0 'driver  *CUDA 13.0' gpu/toy.zexe --cuda-driver "$stand_in" --check
expect 0 'GPU 1 (stand-in, host) .* the code loads' gpu/toy.zexe --cuda-driver "$stand_in" --check
expect 0 '' $gpu --gpus 1,0
expect 2 'error: --gpus: GPU 2, this machine has 2' $gpu --gpus 2
expect 2 "error: --gpus: expected an integer from 0 to 1023, found x" $gpu --gpus 0,x
expect 2 "error: --gpus: GPU 1 twice" $gpu --gpus 1,1
expect 2 'error: no CUDA driver: none: ' gpu/toy.zexe --cuda-driver none $inputs
expect 0 'GPUs  *none: no CUDA driver: none: ' gpu/toy.zexe --cuda-driver none --check
ZCC_CUDA_STAND_IN=version=11040
expect 2 'error: the CUDA driver .* is of CUDA 11.4, expected 12.0 or later' $gpu
ZCC_CUDA_STAND_IN=gpus=0
expect 2 'error: the CUDA driver .* finds no GPU' $gpu
ZCC_CUDA_STAND_IN=memory=2000
expect 1 'error: the arenas of 4 ranks take [0-9]* bytes, GPU 0 (stand-in, host) has 2000 free' $gpu
# Memory that the driver holds by itself counts as well, and is in the log.
ZCC_CUDA_STAND_IN=memory=100000000,held=99999000
expect 1 'error: the arenas of 4 ranks take [0-9]* bytes, GPU 0 (stand-in, host) has 1000 free' $gpu
# For each of the four ranks: 1000 bytes of the module, 512 that collectives exchange and 512 for the next inputs.
ZCC_CUDA_STAND_IN=held=8000
expect 0 '' $gpu --log log.jsonl
grep -q '"library_bytes": \[10024, 10024, 10024, 10024\]' log.jsonl || { echo "error: no library_bytes:"; head -1 log.jsonl; bad=1; }
ZCC_CUDA_STAND_IN=mode=record,capability=80
expect 2 'error: the executable has code for host, none for GPU 0 (stand-in, sm_80)' $gpu
# By then every rank has launched something that it can name: one that has not says no step.
ZCC_CUDA_STAND_IN=lose=40:700
expect 1 'error: GPU 0 .*an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS), in .' $gpu
ZCC_CUDA_STAND_IN=fail=cuLaunchKernel:5:214
expect 1 'error: GPU 0 .*uncorrectable ECC error encountered (CUDA_ERROR_ECC_UNCORRECTABLE), in .*toy_' $gpu
exit $bad
