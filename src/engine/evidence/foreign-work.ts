// The server counts all transactions of a database together: the load's are deducted, with room for late counts.
import type { Evidence } from "../../database/evidence.js";
import type { DatabaseEvidence, ForeignWork, NotAssessed } from "../../results/result-schema.js";
import type { WindowWork } from "./evidence-per-event.js";
import { COUNTER_RESTART_REASON, type WindowEvidence } from "./evidence-source.js";

/** A session reports its transactions once a second, so the counts of the window may be off by one second's transactions. */
const COUNT_DELAY_SECONDS = 1;
/** Allowance for train-sim's control transactions that the server counts in another second than the one they ended in. */
const LATE_CONTROL_TRANSACTIONS_MAX = 20;

/** Seconds between the readings at the two ends, and seconds of the window in between, which the load's count covers. */
export interface CountedSpan {
  readonly seconds: number;
  readonly windowSeconds: number;
}

function transactionsHere(
  window: WindowEvidence,
  own: number,
  { seconds, windowSeconds }: CountedSpan,
): number | undefined {
  const counted = ["commits", "rollbacks"].map((name) => window.total(`transactions.${name}`));
  const [commits, rollbacks, logins] = [...counted, window.total("transactions.logins")];
  if (commits === undefined || rollbacks === undefined || logins === undefined) return undefined;
  const late = (own / windowSeconds) * (COUNT_DELAY_SECONDS + Math.max(0, seconds - windowSeconds));
  const control = (window.total("transactions.control") ?? 0) + LATE_CONTROL_TRANSACTIONS_MAX;
  return Math.max(0, commits + rollbacks - logins - own - late - control);
}

export function foreignWorkOf(
  window: WindowEvidence,
  { serverTransactions = 0, poolerTransactions = 0 }: WindowWork,
  span: CountedSpan,
): ForeignWork | undefined {
  const elsewhere = window.total("transactions.elsewhere");
  // Without a known transaction rate of the load, the number of warm-up transactions that are counted late is unknown.
  const isKnown = typeof poolerTransactions === "number";
  const own = serverTransactions * (1 + (isKnown ? poolerTransactions : 0));
  const here = isKnown && own > 0 && span.windowSeconds > 0 ? transactionsHere(window, own, span) : undefined;
  const transactions = elsewhere === undefined ? undefined : elsewhere + (here ?? 0);
  const all = (transactions ?? 0) + own;
  const sessionsActive = window.gauge("foreign.active");
  const sessionsActiveHere = window.gauge("foreign.activeHere");
  const cpuMs = window.total("host.foreignCpuMs");
  const samples = window.sampleCount("foreign.active");
  const sessions = [...window.family("foreignSessions.")]
    .map(([name, sum]) => ({ name, mean: sum / samples }))
    .sort((a, b) => b.mean - a.mean);
  if (transactions === undefined && !sessionsActive) return undefined;
  return {
    ...(transactions !== undefined && {
      transactions,
      transactionRatio: all > 0 ? transactions / all : 0,
    }),
    ...(here !== undefined && { transactionsHere: here }),
    ...(sessionsActive && { sessionsActive }),
    ...(sessionsActiveHere && { sessionsActiveHere }),
    ...(sessions.length > 0 && { sessions }),
    ...(cpuMs !== undefined && { cpuSeconds: cpuMs / 1000 }),
  };
}

const UNNAMED_SESSIONS_REASON =
  "no session of the load had its own name (a pooler in between), or the role may not see others (GRANT pg_monitor, or PROCESS on MySQL)";

/** Kinds of foreign work that could not be checked in a window that reached its end, each with the reason. */
export function foreignNotAssessed(
  { foreign, skipped = [], sampling }: DatabaseEvidence,
  {
    serverTransactions = 0,
    poolerTransactions,
  }: Pick<WindowWork, "serverTransactions" | "poolerTransactions">,
  sources: Evidence["foreignSources"],
): NotAssessed[] {
  const skipReasonOf = (source: string, otherwise: string): string =>
    skipped.find((each) => each.source === source)?.reason ?? otherwise;
  const reason = "the server did not show them";
  const unseenReason = sampling ? skipReasonOf(sources.sessions, reason) : "there were no samples";
  const areCountersContinuous = !skipped.some(({ source }) => source === "counters");
  const uncountedReason = skipReasonOf(
    sources.transactions,
    areCountersContinuous ? reason : COUNTER_RESTART_REASON,
  );
  const idleReason = serverTransactions === 0 ? "no transaction of the load ended in the window" : undefined;
  const poolerUnknownReason = typeof poolerTransactions === "string" ? poolerTransactions : undefined;
  const uncountedHereReason =
    poolerUnknownReason ?? idleReason ?? skipReasonOf(sources.logins, uncountedReason);
  return [
    ...missing(
      "transactions of others on the server",
      foreign?.transactions,
      uncountedReason,
      foreign?.transactionsHere,
      uncountedHereReason,
    ),
    ...missing(
      "sessions of others on the server",
      foreign?.sessionsActive,
      unseenReason,
      foreign?.sessionsActiveHere,
      UNNAMED_SESSIONS_REASON,
    ),
  ];
}

function missing(
  what: string,
  all: unknown,
  reason: string,
  here: unknown,
  reasonHere: string,
): NotAssessed[] {
  if (all === undefined) return [{ what, reason }];
  return here === undefined ? [{ what: `${what}, in the load's database`, reason: reasonHere }] : [];
}
