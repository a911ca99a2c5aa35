#!/bin/sh
# Judges a scenario and writes verdict.md (Markdown) and train-sim.xml (JUnit).
#
#   TRAIN_SIM="node train-sim/dist/cli/main.js" SCENARIO=scenario.yaml BASE_REF=origin/main ci/measure.sh
#   TRAIN_SIM="node train-sim/dist/cli/main.js" SCENARIO=scenario.yaml HISTORY=results/history ci/measure.sh
#
# With BASE_REF: runs the scenario's files as they were where this revision left that line and as they are now, interleaved.
# Ends with 99 if a metric is worse, 112 if other programs disturbed the run.
# With HISTORY: runs the scenario, keeps its result among earlier ones, and finds the runs at which the series changed. Ends
# with the exit code of the run, or else that of the comparison: 99 if the newest level of a metric is worse than an
# earlier one, 112 if other programs disturbed the newest run. HISTORY is of one scenario; KEEP is how many runs are kept
# (100).
# MAX_REGRESSION is how much worse is accepted (5%).
# Further arguments, such as --set target.url=postgres://ci@db/bench --trials 12, are passed on to `train-sim compare
# --base-ref` or `train-sim run`; --allow-differences also judges a disturbed run.
set -u
: "${TRAIN_SIM:?names no command, such as node train-sim/dist/cli/main.js}" "${SCENARIO:?names no scenario}"
accepted=${MAX_REGRESSION:-5%}
if [ -n "${BASE_REF:-}" ]; then
  rm -f verdict.md
  $TRAIN_SIM compare "$SCENARIO" --base-ref "$BASE_REF" --max-regression "$accepted" \
    --markdown verdict.md --junit train-sim.xml "$@"
  code=$?
  if [ ! -f verdict.md ]; then echo "### train-sim: $SCENARIO ended with exit code $code" > verdict.md; fi
  exit "$code"
fi
: "${HISTORY:?names no directory, and BASE_REF no revision}"
mkdir -p "$HISTORY" || exit
differences=
for each do
  shift
  if [ "$each" = --allow-differences ]; then differences=$each; else set -- "$@" "$each"; fi
done
$TRAIN_SIM run "$SCENARIO" --out "$HISTORY" --markdown run.md --junit train-sim.xml "$@"
run=$?
# Names are that of the scenario and the time, so they sort by age.
ls -d "$HISTORY"/*/ | sort -r | tail -n "+$((${KEEP:-100} + 1))" | while read -r old; do rm -r "$old"; done
$TRAIN_SIM compare --history --max-regression "$accepted" $differences "$HISTORY"/*/ > history.txt
history=$?
{
  if [ "$run" -ne 0 ]; then echo "The run of $SCENARIO ended with exit code $run."; fi
  echo '```text'
  cat history.txt
  echo '```'
  if [ -f run.md ]; then cat run.md; fi
} > verdict.md
if [ "$run" -ne 0 ]; then exit "$run"; fi
exit "$history"
