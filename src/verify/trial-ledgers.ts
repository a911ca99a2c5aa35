// How many events a trial published, and how many it archived, counted again in the ledgers of its producers and the work
// logs of its workers. What the tables held can be asked for no more; where everything is accounted for and no commit went
// unanswered, they held what the workers logged.
import { readdirSync } from "node:fs";
import { LedgerFile, ledgerPath } from "../workloads/train-events/audit/ledger-file.js";
import { readWork, workPath } from "../workloads/train-events/audit/work-file.js";
import type { Figures } from "./figures.js";
import type { TrialPlace } from "./trial-log-figures.js";

/** Of files that are named by their worker, those workers. */
function workersOf(names: readonly string[], kind: "ledger" | "work"): number[] {
  return names.flatMap((name) => {
    const [, worker] = new RegExp(`^${kind}-(\\d+)\\.bin$`).exec(name) ?? [];
    return worker === undefined ? [] : [Number(worker)];
  });
}

function publishedIn(path: string, workers: readonly number[]): { published: number; inDoubt: number } {
  const totals = { published: 0, inDoubt: 0 };
  for (const worker of workers) {
    for (const { events, outcome } of LedgerFile.read(ledgerPath(path, worker)).batches()) {
      if (outcome === "acknowledged") totals.published += events;
      else if (outcome === "in-doubt") totals.inDoubt += events;
    }
  }
  return totals;
}

/** Undefined where a commit went unanswered. */
function workedIn(
  path: string,
  workers: readonly number[],
): { archived: number; passes: number } | undefined {
  const totals = { archived: 0, passes: 0 };
  for (const worker of workers) {
    for (const work of readWork(workPath(path, worker))) {
      if (work.kind === "unknown" || work.doubt > 0) return undefined;
      totals[work.kind === "pass" ? "passes" : "archived"]++;
    }
  }
  return totals;
}

export function compareEvents(figures: Figures, { trial, path, name, at }: TrialPlace): void {
  const { integrity, lifecycle } = trial;
  const what = `${name}: published and archived events`;
  if (!integrity || trial.status !== "complete") {
    figures.leave(what, `the trial is ${trial.status}`);
    return;
  }
  try {
    const names = readdirSync(path);
    const ledgers = workersOf(names, "ledger");
    if (ledgers.length === 0 && integrity.published > 0) throw new Error("there is no ledger");
    const { published, inDoubt } = integrity;
    figures.compare("events", `${at}.integrity`, { published, inDoubt }, publishedIn(path, ledgers));
    const worked = workedIn(path, workersOf(names, "work"));
    if (!worked || integrity.verdict !== "ok") {
      figures.leave(`${name}: archived events`, "commits went unanswered, or events are unaccounted for");
      return;
    }
    figures.compare("events", `${at}.integrity.archived`, integrity.archived, worked.archived);
    const { pending, processing, complete, failed, archived } = integrity;
    const ended = complete + failed + archived;
    if (pending + processing > 0 || ended === 0) return;
    const passes = lifecycle.passesPerEvent === undefined ? undefined : lifecycle.passesPerEvent * ended;
    figures.compare(
      "events",
      `${at}.lifecycle.passesPerEvent, times events`,
      passes && Math.round(passes),
      worked.passes,
    );
  } catch (error) {
    figures.unreadable(what, error);
  }
}
