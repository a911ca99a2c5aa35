// Targets of train-sim against each peer, and their verdicts: the ratio of medians, with the range of the ratios round by
// round. A target whose peer is missing, was not requested or lacks rounds is not decided, which counts as missed.
import { median } from "#program/analysis/statistics/quantiles.js";
import { keyOf, spreadOf } from "./tables.mjs";

const OURS = "train-sim";
const RATES = [
  { peer: "pgbench", least: 1 },
  { peer: "procedure", least: 0.97 },
  { peer: "dbworkload", least: 2 },
];
/**
 * Smallest number of cycles that a client must complete before the window. A cycle adds as many events as it processes, and
 * an event needs two passes, so at first hardly any event is archived. With every 1.6-fold of cycles the archived share
 * comes about two thirds closer to its final value.
 */
const CYCLES_LEAST = 10;
/** Largest share of the client's CPU in the CPU of client and server together. */
const CLIENT_SHARE_MOST = 0.05;

/** Verdicts, one for each target and setting. `planned` has the settings and the number of rounds of each. */
export function judge(runs, missing, planned) {
  const settings = [...new Set(planned.settings.map(keyOf))].sort();
  return settings.flatMap((setting) => {
    const of = (peer) => runs.filter((run) => run.peer === peer && keyOf(run) === setting);
    const lackOf = (peer) => lack(peer, of(peer).length, planned.rounds, missing);
    return [
      ...RATES.map((target) => {
        const reason = lackOf(OURS) ?? lackOf(target.peer);
        return rateVerdict(setting, of(OURS), of(target.peer), target, reason);
      }),
      shareVerdict(setting, of(OURS), lackOf(OURS)),
    ];
  });
}

/**
 * Reason why nothing is decided about a peer; undefined if there is none. Its rounds must be train-sim's, since other
 * rounds ran at another time.
 */
function lack(peer, count, rounds, missing) {
  if (count >= rounds) return undefined;
  if (count > 0) return `only ${count} of ${rounds} rounds of ${peer}`;
  return missing.find(({ name }) => name === peer)?.reason ?? `${peer} was not run`;
}

function rateVerdict(setting, ours, theirs, { peer, least }, reasonAgainst) {
  const what = `${setting}: events/s against ${peer}, at least ${least}`;
  if (reasonAgainst !== undefined) return { what, verdict: "not decided", reason: reasonAgainst };
  const settled = Math.min(
    ...[ours, theirs].map((group) => median(group.map(({ cyclesBefore }) => cyclesBefore))),
  );
  if (settled < CYCLES_LEAST) {
    const reason = `only ${settled.toFixed(1)} cycles of each client before the window, not ${CYCLES_LEAST}: lengthen --warm-up`;
    return { what, verdict: "not decided", reason };
  }
  const rate = ({ eventsPerSecond }) => eventsPerSecond;
  const ratio = median(ours.map(rate)) / median(theirs.map(rate));
  const byRound = ours.flatMap((run) => {
    const other = theirs.find(({ round }) => round === run.round);
    return other ? [rate(run) / rate(other)] : [];
  });
  const { least: lowest, most: highest } = spreadOf(byRound);
  return { what, verdict: ratio >= least ? "met" : "missed", ratio, lowest, highest };
}

function shareVerdict(setting, ours, reasonAgainst) {
  const what = `${setting}: client CPU of all CPU, at most ${CLIENT_SHARE_MOST}`;
  if (reasonAgainst !== undefined) return { what, verdict: "not decided", reason: reasonAgainst };
  const { median: ratio, least, most } = spreadOf(ours.map(({ clientShare }) => clientShare));
  return {
    what,
    verdict: ratio <= CLIENT_SHARE_MOST ? "met" : "missed",
    ratio,
    lowest: least,
    highest: most,
  };
}

export function verdictLines(verdicts) {
  return verdicts
    .map(({ what, verdict, ratio, lowest, highest, reason }) => {
      const figures =
        ratio === undefined
          ? reason
          : `${ratio.toFixed(3)} (rounds ${lowest.toFixed(3)} .. ${highest.toFixed(3)})`;
      return `${verdict.toUpperCase().padEnd(11)} ${what}: ${figures}`;
    })
    .join("\n");
}
