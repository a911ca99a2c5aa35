// Whether the server worked for others in the window: their active sessions, and their share of its transactions. Beyond a
// fifth of a bound it is a warning. One transaction a second may be monitoring's, and some dozens at once are a round of
// autovacuum: they say nothing.
import type { ForeignWork } from "../../results/result-schema.js";
import { sidedText } from "../../foundation/text/numbers.js";
import { above, percent, warningAbove, type Check, type Observation } from "./check.js";

const NOTABLE_SHARE = 0.2;
const MONITORING_PER_SECOND = 1;
/** Transactions of a round through the other databases, and through the load's own. */
const AUTOVACUUM_ROUND = { elsewhere: 100, here: 20 };
const NAMED_MAX = 3;

/** Beyond the bound, else beyond the share of it from which on it is said. */
function graded(
  seen: number | undefined,
  bound: number,
  words: (seen: number) => string,
): Observation | undefined {
  return above(seen, bound, words) ?? warningAbove(seen, bound * NOTABLE_SHARE, words);
}

const sessionsText = (mean: number, bound = Number.NaN): string => sidedText(mean, bound, 3);

function whoText({ sessions = [], cpuSeconds = 0 }: ForeignWork): string {
  const named = sessions.slice(0, NAMED_MAX).map(({ name, mean }) => `${name} ${sessionsText(mean)}`);
  return [
    ...(named.length > 0 ? [` (database/user/application: ${named.join(", ")})`] : []),
    ...(cpuSeconds > 0 ? [`; their backends used ${cpuSeconds.toFixed(1)} s of CPU`] : []),
  ].join("");
}

const REMEDY = "stop them, or use a server without other work";

export const foreignSessions: Check = ({ trial: { database }, bounds }) => {
  const { foreign } = database;
  const bound = bounds.maxForeignSessions;
  return graded(
    foreign?.sessionsActive?.mean,
    bound,
    (seen) =>
      `on average ${sessionsText(seen, bound)} sessions of others were active on the server (bound ${bound})` +
      `${foreign ? whoText(foreign) : ""}: ${REMEDY}`,
  );
};

export const foreignTransactions: Check = ({ trial: { database, windowSeconds }, bounds }) => {
  const { transactions = 0, transactionsHere = 0, transactionRatio } = database.foreign ?? {};
  const elsewhere = Math.max(0, transactions - transactionsHere - AUTOVACUUM_ROUND.elsewhere);
  const here = Math.max(0, transactionsHere - AUTOVACUUM_ROUND.here);
  if (elsewhere + here <= MONITORING_PER_SECOND * windowSeconds) return undefined;
  const bound = bounds.maxForeignTransactionRatio;
  return graded(
    transactionRatio,
    bound,
    (seen) =>
      `${percent(seen, bound)} of the server's transactions were of others (bound ${percent(bound)}), ` +
      `${Math.round(transactions / windowSeconds)} a second: ${REMEDY}`,
  );
};
