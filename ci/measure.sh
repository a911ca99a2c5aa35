#!/bin/sh
# Runs a scenario, keeps its result among earlier ones, and finds the runs at which the series changed. Writes verdict.md.
# Ends with the exit code of the run, or else that of the comparison: 99 if the newest level of a metric is worse
# than an earlier one, 112 if other programs disturbed the newest run.
#
#   TRAIN_SIM="npx train-sim" SCENARIO=scenario.yaml HISTORY=results/history ci/measure.sh
#
# HISTORY is of one scenario. KEEP is how many runs are kept (100), MAX_REGRESSION how much worse is accepted (5%).
set -u
: "${TRAIN_SIM:?}" "${SCENARIO:?}" "${HISTORY:?}"
mkdir -p "$HISTORY" || exit
$TRAIN_SIM run "$SCENARIO" --quiet --out "$HISTORY" > run.txt
run=$?
# Names are that of the scenario and the time, so they sort by age.
ls -d "$HISTORY"/*/ | sort -r | tail -n "+$((${KEEP:-100} + 1))" | while read -r old; do rm -r "$old"; done
$TRAIN_SIM compare --history --max-regression "${MAX_REGRESSION:-5%}" "$HISTORY"/*/ > history.txt
history=$?
{
  echo "### train-sim: $SCENARIO"
  if [ "$run" -ne 0 ]; then echo "The run ended with exit code $run."; fi
  echo '```text'
  cat history.txt
  echo '```'
  echo '<details><summary>The newest run</summary>'
  echo
  echo '```text'
  cat run.txt
  echo '```'
  echo '</details>'
} > verdict.md
if [ "$run" -ne 0 ]; then exit "$run"; fi
exit "$history"
