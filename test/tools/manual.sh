#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The manual page of a program: it lists every option of its help, and nothing in it is a macro that man does not know.
# Usage: manual.sh zcc|zrun PROGRAM
export LC_ALL=C
name=$1 program=$(realpath "$2")
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
bad=0
error() {
  echo "error: $*"
  bad=1
}
"$program" --manual >page || error "no manual page"
"$program" --help >help
head -n 1 page | grep -q "^\.TH $name 1 " || error "the page has no title"
for section in NAME SYNOPSIS DESCRIPTION ARGUMENTS OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
  grep -iqx "\.SH $section" page || error "no section $section"
done
sed 's/\\-/-/g; s/\\f[BIR]//g' page >plain
options=$(grep -oE '^ +(-[a-z],)?--[a-z0-9-]+' help | grep -oE -e '--[a-z0-9-]+')
[ "$(wc -l <<<"$options")" -gt 40 ] || error "the help lists few options"
for option in $options; do
  grep -qE -e "^(-[a-z], )?$option( |\$)" plain || error "$option is not in the page"
done
grep -vE '^\.(TH|SH|TP|B|nf|fi)( |$)' page | grep -n "^[.']" && error "a line looks like a macro"
if command -v groff >/dev/null; then
  groff -man -ww -Tascii page 2>&1 >/dev/null | grep . && error "groff warns"
fi
exit $bad
