#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zrun as its users meet it: exit status and messages. Usage: zrun-command-line.sh ZRUN WRITE_TOY
set -u
zrun=$1 write_toy=$2
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
    echo "error: zrun $*: status $got, expected $status and \"$text\":"
    cat out
    bad=1
  fi
}
"$write_toy" . 2 2 2 || exit 2
run="toy.zexe --params params.safetensors --batches batches.safetensors"

expect 0 Usage --help
expect 0 'zrun 0' --version
expect 2 'error: executable is required'
expect 2 'error: none.zexe: cannot open' none.zexe
expect 2 'not a zcc executable' params.safetensors
expect 2 'not a regular file' .
expect 0 'ranks  *4 (mesh pipe=2,data=2, 2 stages)' toy.zexe --check
expect 0 'input  *x f32 \[8, 4\]' toy.zexe --check
expect 2 'error: --params or --init-seed is needed' toy.zexe
expect 2 'error: --batches or --tokens is needed' toy.zexe --params params.safetensors
expect 2 "error: unknown option --learning-rate; did you mean '--lr'? (see zrun --help)" $run --learning-rate 1e-3
expect 2 "error: unknown option --stepz; did you mean '--steps'?" $run --stepz=3
expect 2 "error: unexpected argument 'more'" $run more
expect 2 'error: --steps: expected an integer from 1 to 9223372036854775807, found 0' $run --steps 0
expect 2 'error: --lr: ' $run --lr=-1
expect 2 "error: --link-delay: expected a latency from 0s to 3600s in ns, us, ms or s, found '2'" $run --link-delay 2
expect 2 "error: --link-delay: expected a latency from 0s to 3600s in ns, us, ms or s, found '-1ms'" $run --link-delay=-1ms
expect 2 "error: --link-delay: expected a latency .*, found '2h'" $run --link-delay 2h,1GB/s
expect 2 "error: --link-delay: expected a bandwidth from 1kB/s to 1000TB/s, as in 100MB/s, 2GB/s or 1GiB/s, found '0MB/s'" $run --link-delay 1ms,0MB/s
expect 2 "error: --link-delay: expected a bandwidth .*, found '1GB/s,'" $run --link-delay 1ms,1GB/s,
expect 2 'error: --link-delay: 1 required LATENCY.*missing' $run --link-delay
expect 2 'error: none: cannot open' toy.zexe --params none --batches batches.safetensors
expect 2 'error: no/f: cannot write' $run --save-params no/f
expect 2 'error: no/f: cannot write' $run --log no/f
expect 1 'error: /dev/full: cannot write: No space left' $run --log /dev/full
expect 2 'tokens feed' toy.zexe --params params.safetensors --tokens params.safetensors --steps 1

expect 0 "" $run --steps 2 --lr 0.1 --trace trace.json
grep -q "\"ph\": \"X\"" trace.json || { echo "error: the trace has no event"; bad=1; }
expect 0 "" $run --steps 5 --lr 0.1 --log log.jsonl --save-params p.safetensors --save-grads g.safetensors
[ "$(wc -l <log.jsonl)" = 6 ] || { echo "error: the log has not 6 lines"; bad=1; }
[ -s p.safetensors ] && [ -s g.safetensors ] || { echo "error: nothing was saved"; bad=1; }
# More ranks than cores: it is said, and only then.
one=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
timeout 60 taskset -c "$one" "$zrun" $run --steps 1 --lr 0.1 >out 2>&1 </dev/null
grep -qx 'note: 4 ranks share 1 core here: each step takes about 4 times as long as with a core for each' out ||
  { echo "error: too many ranks:"; cat out; bad=1; }
mkdir single && "$write_toy" single 1 1 1
expect 0 "" single/toy.zexe --params single/params.safetensors --batches single/batches.safetensors --steps 1 --lr 0.1
grep -q 'ranks share' out && { echo "error: one rank is not too many:"; cat out; bad=1; }
# Over slow links the same, later: four transfers of 128 bytes a step follow each other from the first stage to the second.
expect 0 "" $run --steps 5 --lr 0.1 --link-delay 20ms,1MB/s --log slow.jsonl --save-params q.safetensors --trace slow.json
cmp p.safetensors q.safetensors || bad=1
# A disk that fills under the log: the run goes on, and says at its end that lines are missing. The kernels, some
# 16 KiB, count as a file too.
(ulimit -f 64 && timeout 60 "$zrun" $run --steps 400 --lr 0.1 --quiet --log short.jsonl >out 2>&1 </dev/null)
[ $? = 1 ] && grep -q '^warning: short.jsonl: cannot write: .*; the run goes on$' out &&
  grep -q '^error: short.jsonl: cannot write: .*; [0-9]* records are missing$' out && [ "$(tail -c 2 short.jsonl)" = "}" ] ||
  { echo "error: a full disk:"; cat out; bad=1; }
expect 0 '' toy.zexe --init-seed 3 --batches batches.safetensors --steps 1 --lr 0
mkdir data && mv batches.safetensors data/
expect 0 '' toy.zexe --init-seed 3 --batches data --lr 0

# Standard input: one step, then an end inside the second.
{ printf '\003\0\0\0\0\0\0\0{}'; } | timeout 60 "$zrun" toy.zexe --params params.safetensors --batches - --steps 2 >out 2>&1
[ $? = 2 ] && grep -q 'step 1: the stream ended inside the step' out || { echo "error: torn stream:"; cat out; bad=1; }

# Damage: a truncation and a flipped byte.
head -c 1000 toy.zexe >cut.zexe
expect 2 'error: cut.zexe: truncated' cut.zexe
{ head -c 500 toy.zexe; printf '\377'; tail -c +502 toy.zexe; } >bent.zexe
expect 2 'error: bent.zexe: damaged' bent.zexe

mkdir forward && "$write_toy" forward 2 1 1 forward
expect 0 '^{"mean": {"loss": ' forward/toy.zexe --params forward/params.safetensors --batches forward/batches.safetensors
ls -a | grep -q 'safetensors\.' && { echo "error: temporary files were left"; bad=1; }
exit $bad
