// Checks of the server, the measured tables and the machine: whether they did not change and served the load alone.
import { elidedText } from "../../foundation/shown.js";
import { bytesText, textOnSameSide } from "../../foundation/text/numbers.js";
import { kindOf } from "../../faults/registry.js";
import type { ForeignWork, ServerChange, TableChange, TrialResult } from "../../results/result-schema.js";
import { observeAbove, percent, warningAbove, type Check, type Observation } from "./check.js";

/** Largest share of the window's log that may go through new files. */
const NEW_LOG_RATIO_MAX = 0.25;
/** Minimum number of bytes that counts, four files: writing fewer bytes is over in a moment. */
const NEW_LOG_MIN_BYTES = 64 * 1024 * 1024;

/** Checks for new log files, which a new server fills with zeros: that doubles the p99 of its first trial. */
export const newLogFiles: Check = ({ trial: { database } }) => {
  const { walZeroBytes = 0, walBytes = 0 } = database;
  if (walZeroBytes < NEW_LOG_MIN_BYTES || walBytes === 0) return undefined;
  return observeAbove(
    walZeroBytes / walBytes,
    NEW_LOG_RATIO_MAX,
    (seen) =>
      `the server filled new WAL files with ${bytesText(walZeroBytes)} of zeros, ${percent(seen)} of its WAL in the ` +
      "window; later trials reuse these files and have less work: run a trial first that is not compared, or set " +
      "wal_init_zero = off",
  );
};

/**
 * Largest growth of pending lists, in pages of 8 kB: twice the default of gin_pending_list_limit, 4 MB. A shorter list is
 * cleaned up as intended.
 */
const PENDING_GROWTH_MAX_PAGES = 1024;

/**
 * Checks the pending lists of GIN indexes with `fastupdate`, which take new entries until one transaction at a time cleans
 * them up. If inserts are faster, a list outgrows its limit without end: the rate was reached, but cannot last.
 */
export const pendingIndexWork: Check = ({ trial }) =>
  observeAbove(
    trial.database.ginPendingGrowthPages,
    PENDING_GROWTH_MAX_PAGES,
    (seen) =>
      `the GIN pending lists grew by ${seen} pages in the window: index work was deferred, so this rate cannot last; ` +
      "lengthen the window, lower the rate, or build the index with fastupdate = off",
  );

const SERVER_CHANGE_NAMES: Readonly<Record<string, string>> = {
  systemIdentifier: "system identifier",
  startedAt: "postmaster start",
  configLoadedAt: "configuration load time",
};

/** Settings that a restart or a failover changes: a failover changes which server follows which. */
const RESTART_SETTINGS = /^(startedAt|configLoadedAt|primary_slot_name|synchronous_standby_names)$/;

/**
 * Changes of servers that no fault explains. The load time of a configuration is left out if the reason for it is stated.
 */
function unexplainedChanges({ servers = [], faults = [] }: TrialResult): ServerChange[] {
  const hasRestartFault = faults.some(({ kind }) => kindOf(kind).restartsServer);
  return servers.flatMap(({ changes = [] }) => {
    const remainingChanges = changes.filter(
      ({ what, sinceTrial }) => !(hasRestartFault && sinceTrial === undefined && RESTART_SETTINGS.test(what)),
    );
    const others = remainingChanges.filter(({ what }) => what !== "configLoadedAt");
    return others.length > 0 ? others : remainingChanges;
  });
}

function serverChangeText({ what, before, after, sinceTrial }: ServerChange): string {
  const timeText = sinceTrial === undefined ? "within the trial" : `since trial ${sinceTrial}`;
  return `${SERVER_CHANGE_NAMES[what] ?? what}: ${before} -> ${after} (${timeText})`;
}

/**
 * Checks for changes of servers that no fault of the trial explains. A configuration that was loaded again without a
 * visible change only warns, since settings that may hold secrets are not read.
 */
export const serverChange: Check = ({ trial }) => {
  const changes = unexplainedChanges(trial);
  const isOnlyReload = changes.every(({ what }) => what === "configLoadedAt");
  const changesText = changes.map(serverChangeText).join("; ");
  return (isOnlyReload ? warningAbove : observeAbove)(changes.length, 0, () =>
    isOnlyReload
      ? `the server reloaded its configuration, without a visible change: ${changesText}`
      : `the server changed: ${changesText}; repeat the experiment on an unchanged server`,
  );
};

const CHANGES_SHOWN_MAX = 3;
const DEFINITION_LENGTH_MAX = 80;

function tableChangeText({ part, table, before, after }: TableChange): string {
  const partText = part === `table ${table}` || part.startsWith("column ") ? part : `${part} of ${table}`;
  if (after === null) return `${partText} is gone`;
  if (before === null) return `${partText} is new`;
  return `${partText}: ${elidedText(before, DEFINITION_LENGTH_MAX)} -> ${elidedText(after, DEFINITION_LENGTH_MAX)}`;
}

/**
 * Checks for changed tables: another index, column type, storage or trigger is another treatment. After a user's command it
 * only warns.
 */
export const tableChange: Check = ({ trial: { database, faults = [] } }) => {
  const changes = database.tableChanges ?? [];
  const unnamedChanges = changes.length - CHANGES_SHOWN_MAX;
  const changeTexts = [
    ...changes.slice(0, CHANGES_SHOWN_MAX).map(tableChangeText),
    ...(unnamedChanges > 0 ? [`${unnamedChanges} more`] : []),
  ];
  const hasCommandFault = faults.some(({ kind }) => kind === "command");
  return (hasCommandFault ? warningAbove : observeAbove)(
    changes.length,
    0,
    () =>
      `the measured tables changed in the window: ${changeTexts.join("; ")}; ` +
      "repeat the experiment on unchanged tables",
  );
};

const LATE_FAULT_MAX_SECONDS = 1;

/**
 * Checks for a fault that was over only after the window: figures include a part of it, which differs from trial to trial.
 */
export const lateFault: Check = ({ trial: { faults = [], windowSeconds } }) => {
  const faultOverruns = faults.map(({ kind, clearedAtSeconds }) => ({
    kind,
    seconds: (clearedAtSeconds ?? 0) - windowSeconds,
  }));
  const [latestFault] = faultOverruns.sort((a, b) => b.seconds - a.seconds);
  return warningAbove(
    latestFault?.seconds,
    LATE_FAULT_MAX_SECONDS,
    (seconds) =>
      `the fault ${latestFault?.kind} was over ${seconds.toFixed(1)} s after the end of the window, which holds a part of it; ` +
      "let it begin earlier, or lengthen trial.duration",
  );
};

export const checkSteal: Check = ({ trial, bounds }) =>
  observeAbove(
    trial.machine?.stealRatio,
    bounds.maxStealRatio,
    (seen) =>
      `the hypervisor gave ${percent(seen, bounds.maxStealRatio)} of this machine's CPU time to others (bound ${percent(bounds.maxStealRatio)})`,
  );

export const otherCpu: Check = ({ trial, bounds }) =>
  observeAbove(
    trial.machine?.otherCpuRatio,
    bounds.maxOtherCpuRatio,
    (seen) =>
      `other programs used ${percent(seen, bounds.maxOtherCpuRatio)} of this machine's CPU time (bound ${percent(bounds.maxOtherCpuRatio)}): ` +
      "stop them, or run elsewhere",
  );

/**
 * Bytes a second of other programs that disturb nothing, and share of the window with waits for storage from which I/O
 * disturbs.
 */
const OTHER_IO_MAX_BYTES_PER_SECOND = 1_000_000;
export const IO_WAIT_SHARE_MIN = 0.1;

export const otherIo: Check = ({ trial: { machine, windowSeconds }, bounds }) => {
  const {
    ownIoBytes,
    otherIoBytes = 0,
    diskIoBytes = otherIoBytes,
    ioPressureRatio,
    ioWaitRatio,
  } = machine ?? {};
  const ioWaitShare = ioPressureRatio ?? ioWaitRatio ?? 1;
  if (
    ownIoBytes === undefined ||
    Math.min(otherIoBytes, diskIoBytes) < OTHER_IO_MAX_BYTES_PER_SECOND * windowSeconds ||
    ioWaitShare < IO_WAIT_SHARE_MIN
  )
    return undefined;
  const bound = bounds.maxOtherIoRatio;
  const megabytes = Math.round(otherIoBytes / 1_000_000);
  return observeAbove(
    otherIoBytes / (otherIoBytes + ownIoBytes),
    bound,
    (seen) =>
      `other programs moved ${megabytes} MB to and from this machine's storage, ${percent(seen, bound)} of all ` +
      `(bound ${percent(bound)}): stop them, or run elsewhere`,
  );
};

const LOAD_PER_CORE_MAX = 1;

export const loadBefore: Check = (examined) =>
  observeAbove(examined.loadBefore, LOAD_PER_CORE_MAX, (seen) => {
    const load = Number(seen.toPrecision(2));
    return `before the first trial the load average was ${load} per core (1 min): the machine was busy`;
  });

const WARNING_SHARE_OF_BOUND = 0.2;
const MONITORING_TRANSACTIONS_PER_SECOND = 1;
/** Transactions of one pass of autovacuum through the other databases, and through the load's own. */
const AUTOVACUUM_PASS_TRANSACTIONS = { elsewhere: 100, here: 20 };
const SESSIONS_SHOWN_MAX = 3;

/** An observation if `seen` is above the bound; a warning if it is above `WARNING_SHARE_OF_BOUND` of the bound. */
function observeGraded(
  seen: number | undefined,
  bound: number,
  words: (seen: number) => string,
): Observation | undefined {
  return observeAbove(seen, bound, words) ?? warningAbove(seen, bound * WARNING_SHARE_OF_BOUND, words);
}

const sessionsText = (mean: number, bound = Number.NaN): string => textOnSameSide(mean, bound, 3);

function programsText({ sessions = [], cpuSeconds = 0 }: ForeignWork): string {
  const sessionTexts = sessions
    .slice(0, SESSIONS_SHOWN_MAX)
    .map(({ name, mean }) => `${name} ${sessionsText(mean)}`);
  return [
    ...(sessionTexts.length > 0 ? [` (database/user/application: ${sessionTexts.join(", ")})`] : []),
    ...(cpuSeconds > 0 ? [`; their backends used ${cpuSeconds.toFixed(1)} s of CPU`] : []),
  ].join("");
}

const OTHER_LOAD_REMEDY = "stop them, or use a server without other work";

export const foreignSessions: Check = ({ trial: { database }, bounds }) => {
  const { foreign } = database;
  const bound = bounds.maxForeignSessions;
  return observeGraded(
    foreign?.sessionsActive?.mean,
    bound,
    (seen) =>
      `on average ${sessionsText(seen, bound)} sessions of others were active on the server (bound ${bound})` +
      `${foreign ? programsText(foreign) : ""}: ${OTHER_LOAD_REMEDY}`,
  );
};

export const foreignTransactions: Check = ({ trial: { database, windowSeconds }, bounds }) => {
  const { transactions = 0, transactionsHere = 0, transactionRatio } = database.foreign ?? {};
  const foreignElsewhere = Math.max(
    0,
    transactions - transactionsHere - AUTOVACUUM_PASS_TRANSACTIONS.elsewhere,
  );
  const foreignHere = Math.max(0, transactionsHere - AUTOVACUUM_PASS_TRANSACTIONS.here);
  if (foreignElsewhere + foreignHere <= MONITORING_TRANSACTIONS_PER_SECOND * windowSeconds) return undefined;
  const bound = bounds.maxForeignTransactionRatio;
  return observeGraded(
    transactionRatio,
    bound,
    (seen) =>
      `${percent(seen, bound)} of the server's transactions came from others (bound ${percent(bound)}), ` +
      `${Math.round(transactions / windowSeconds)} a second: ${OTHER_LOAD_REMEDY}`,
  );
};
