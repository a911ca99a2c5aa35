// Checks of the server and the measured tables: whether they stayed what they were, and what a window left for later.
import { elided } from "../../foundation/shown.js";
import { bytesText } from "../../foundation/text/numbers.js";
import { kindOf } from "../../faults/registry.js";
import type { ServerChange, TableChange, TrialResult } from "../../results/result-schema.js";
import { above, percent, warningAbove, type Check } from "./check.js";

/** Share of the window's log that went through new files. */
const MOST_RATIO = 0.25;
/** Four files: what is below is over in a moment. */
const LEAST_BYTES = 64 * 1024 * 1024;

/**
 * A new server fills its first log files with zeros and reuses them later: its first trial has fewer events and twice
 * the p99 for that alone. It invalidates nothing: it happened so.
 */
export const newLogFiles: Check = ({ trial: { database } }) => {
  const { walZeroBytes = 0, walBytes = 0 } = database;
  if (walZeroBytes < LEAST_BYTES || walBytes === 0) return undefined;
  return above(
    walZeroBytes / walBytes,
    MOST_RATIO,
    (seen) =>
      `the server filled new WAL files with ${bytesText(walZeroBytes)} of zeros, ${percent(seen)} of its WAL in the ` +
      "window; later trials reuse these files and have less work: run a trial first that is not compared, or set " +
      "wal_init_zero = off",
  );
};

/** Twice the default of gin_pending_list_limit, 4 MB, in pages of 8 kB: what is below it is cleaned up as intended. */
const MOST_PAGES = 1024;

/**
 * A GIN index with `fastupdate` puts new entries into a pending list, which one transaction at a time cleans up. If
 * inserts are faster, the list outgrows its limit without end: the rate was reached, but cannot last.
 */
export const pendingIndexWork: Check = ({ trial }) =>
  above(
    trial.database.ginPendingGrowthPages,
    MOST_PAGES,
    (seen) =>
      `the GIN pending lists grew by ${seen} pages in the window: index work was deferred, so this rate cannot last; ` +
      "lengthen the window, lower the rate, or build the index with fastupdate = off",
  );

const SERVER_WORDS: Readonly<Record<string, string>> = {
  systemIdentifier: "system identifier",
  startedAt: "postmaster start",
  configLoadedAt: "configuration load time",
};

/** Settings that differ after a restart or in another place of a cluster: a failover changes which server follows which. */
const OF_A_RESTART = /^(startedAt|configLoadedAt|primary_slot_name|synchronous_standby_names)$/;

/** Without what a fault explains, and without the load time of a configuration where the reason for it is said. */
function unexplained({ servers = [], faults = [] }: TrialResult): ServerChange[] {
  const isRestarted = faults.some(({ kind }) => kindOf(kind).restartsServer);
  return servers.flatMap(({ changes = [] }) => {
    const own = changes.filter(
      ({ what, sinceTrial }) => !(isRestarted && sinceTrial === undefined && OF_A_RESTART.test(what)),
    );
    const others = own.filter(({ what }) => what !== "configLoadedAt");
    return others.length > 0 ? others : own;
  });
}

function serverChangeText({ what, before, after, sinceTrial }: ServerChange): string {
  const when = sinceTrial === undefined ? "within the trial" : `since trial ${sinceTrial}`;
  return `${SERVER_WORDS[what] ?? what}: ${before} -> ${after} (${when})`;
}

/**
 * A restart by a fault of the trial is no finding. A configuration that was loaded again without a visible change only
 * warns, since settings that may hold secrets are not read.
 */
export const serverChange: Check = ({ trial }) => {
  const changes = unexplained(trial);
  const isReload = changes.every(({ what }) => what === "configLoadedAt");
  const named = changes.map(serverChangeText).join("; ");
  return (isReload ? warningAbove : above)(changes.length, 0, () =>
    isReload
      ? `the server reloaded its configuration, without a visible change: ${named}`
      : `the server changed: ${named}; repeat the experiment on an unchanged server`,
  );
};

const NAMED_MOST = 3;
const DEFINITION_MOST = 80;

function tableChangeText({ part, table, before, after }: TableChange): string {
  const what = part === `table ${table}` || part.startsWith("column ") ? part : `${part} of ${table}`;
  if (after === null) return `${what} is gone`;
  if (before === null) return `${what} is new`;
  return `${what}: ${elided(before, DEFINITION_MOST)} -> ${elided(after, DEFINITION_MOST)}`;
}

/**
 * Another index, column type, storage or trigger is another treatment than the trial's name says. A command of the
 * user may change tables on purpose, so with such a fault it only warns.
 */
export const tableChange: Check = ({ trial: { database, faults = [] } }) => {
  const changes = database.tableChanges ?? [];
  const more = changes.length - NAMED_MOST;
  const named = [...changes.slice(0, NAMED_MOST).map(tableChangeText), ...(more > 0 ? [`${more} more`] : [])];
  const isCommanded = faults.some(({ kind }) => kind === "command");
  return (isCommanded ? warningAbove : above)(
    changes.length,
    0,
    () =>
      `the measured tables changed in the window: ${named.join("; ")}; ` +
      "repeat the experiment on unchanged tables",
  );
};

/** The time within which a fault that ends with its window is cleared. */
const BOUND_SECONDS = 1;

/** The figures of a trial hold a part of a fault that was over after the window, and the part differs from trial to trial. */
export const lateFault: Check = ({ trial: { faults = [], windowSeconds } }) => {
  const late = faults.map(({ kind, clearedAtSeconds }) => ({
    kind,
    seconds: (clearedAtSeconds ?? 0) - windowSeconds,
  }));
  const [latest] = late.sort((a, b) => b.seconds - a.seconds);
  return warningAbove(
    latest?.seconds,
    BOUND_SECONDS,
    (seconds) =>
      `the fault ${latest?.kind} was over ${seconds.toFixed(1)} s after the end of the window, which holds a part of it; ` +
      "let it begin earlier, or lengthen trial.duration",
  );
};
