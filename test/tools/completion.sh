#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of a program's command line: every option of its help, files and choices where an option takes them, as
# bash itself asks for them; zsh and fish where they are installed. Usage: completion.sh zcc|zrun PROGRAM
export LC_ALL=C
name=$1 program=$(realpath "$2")
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
touch model.mlir model.zexe data.bin 'two words.bin'
mkdir runs
bad=0
error() {
  echo "error: $*"
  bad=1
}
"$program" --completion bash >script.bash || error "no script for bash"
"$program" --help >help
source ./script.bash

# ask WORDS...: what bash offers for the last word; words are split as bash splits them, at =.
ask() {
  COMP_WORDS=("$name" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  "_$name"
  printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd '|'
}
# expect ANSWER WORDS...
expect() {
  wanted=$1
  shift
  got=$(ask "$@")
  [ "$got" = "$wanted" ] || error "$name $*: expected \"$wanted\", got \"$got\""
}

complete -p "$name" >/dev/null || error "nothing is registered for $name"
# Options that do not work yet are not offered, all others are.
offered=$(ask - | tr '|' '\n')
for option in $(grep -v 'not yet)' help | grep -oE '^ +(-[a-z],)?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+'); do
  grep -qxe "$option" <<<"$offered" || grep -qe "$option .*not yet" <(tr '\n' ' ' <help) || error "$option is not offered"
done
# Names of types say how an option's value is completed: none may lack one.
grep -nE '^ +(-[a-z],)?--[a-z0-9-]+ +(TEXT|INT|UINT|FLOAT|NUM)' help && error "an option's type is not named"

expect 'bash|fish|zsh' --completion ''
expect '' --no-such-option x
case $name in
zcc)
  expect 'bf16' --precision bf
  expect 'bf16' --precision = bf
  expect 'f16' --precision f16
  expect 'adamw|forward|lion|none|sgd' --optimizer ''
  expect 'auto|full|none' --remat ''
  expect 'h100-dgx' --machine h100-d
  expect 'data.bin' --machine da
  expect 'partitioned|planned' --compile-to p
  expect 'model.mlir' mo
  expect 'model.mlir|model.zexe' -o mo
  expect 'runs' --dump-phases-to ''
  expect 'fuse,attention' --disable fuse,att
  expect '' --mesh ''
  expect '--memory|--memory-plot|--mesh' --me
  ;;
zrun)
  expect 'linear' --decay l
  expect 'linear' --decay = l
  expect 'continue|find|stop' --on-nan ''
  expect 'u16|u32|u8' --token-type u
  expect 'model.zexe' mo
  expect 'data.bin' --tokens da
  expect 'data.bin,model.mlir' --tokens data.bin,model.m
  expect 'two words.bin' --log two
  expect 'runs' --tensorboard ''
  expect '' --lr ''
  ;;
esac

if command -v zsh >/dev/null; then
  "$program" --completion zsh >script.zsh
  zsh -n script.zsh || error "zsh does not read the script"
fi
if command -v fish >/dev/null; then
  "$program" --completion fish >script.fish
  export HOME=$folder
  for line in 'zcc --precision b=bf16' 'zcc --optimizer f=forward' 'zcc --disable fuse,atte=fuse,attention' \
    'zrun --decay l=linear' 'zrun --tensorboard r=runs/'; do
    [ "${line%% *}" = "$name" ] || continue
    got=$(fish -c "source script.fish; complete -C '${line%=*}'" 2>&1 | cut -f1 | paste -sd '|')
    [ "$got" = "${line##*=}" ] || error "fish: $line: got \"$got\""
  done
fi
"$program" --completion csh >out 2>&1
[ $? = 2 ] && grep -q 'error: --completion: expected bash, zsh or fish, found' out || error "csh: $(cat out)"
exit $bad
