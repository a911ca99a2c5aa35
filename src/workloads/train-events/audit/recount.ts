// If no commit went unanswered, the tables held what the workers logged, less what a fault has lost.
import { readdirSync } from "node:fs";
import type { AuditFindings, RecountedFigure, StatedFigures } from "../../workload.js";
import type { TableCounts } from "../model/conservation.js";
import { LedgerFile, ledgerPath } from "./ledger-file.js";
import { readWorkRecords, workPath } from "./work-file.js";

/** Numbers of the workers that have a file of that kind, from the files' names. */
function workersWithFile(names: readonly string[], kind: "ledger" | "work"): number[] {
  return names.flatMap((name) => {
    const [, worker] = new RegExp(`^${kind}-(\\d+)\\.bin$`).exec(name) ?? [];
    return worker === undefined ? [] : [Number(worker)];
  });
}

function countPublished(path: string, workers: readonly number[]): { published: number; inDoubt: number } {
  const totals = { published: 0, inDoubt: 0 };
  for (const worker of workers) {
    for (const { events, outcome } of LedgerFile.read(ledgerPath(path, worker)).batches()) {
      if (outcome === "acknowledged") totals.published += events;
      else if (outcome === "in-doubt") totals.inDoubt += events;
    }
  }
  return totals;
}

/**
 * Counts archivings and passes in the work logs; undefined if a commit got no answer, so that the logs do not say what
 * happened.
 */
function countWork(
  path: string,
  workers: readonly number[],
): { archived: number; passes: number } | undefined {
  const totals = { archived: 0, passes: 0 };
  for (const worker of workers) {
    for (const work of readWorkRecords(workPath(path, worker))) {
      if (work.kind === "transaction") continue;
      if (work.kind === "unknown" || work.doubt > 0) return undefined;
      totals[work.kind === "pass" ? "passes" : "archived"]++;
    }
  }
  return totals;
}

export function* recount(
  directory: string,
  { integrity, passesPerEvent }: StatedFigures,
): Generator<RecountedFigure> {
  const names = readdirSync(directory);
  const ledgers = workersWithFile(names, "ledger");
  const { published, inDoubt, lost, losses = [], verdict, notAudited } = integrity;
  const lostOf = (operation: string): number =>
    losses.find((each) => each.operation === operation)?.lost ?? 0;
  const counts = integrity as AuditFindings & Partial<TableCounts & { readonly inDoubtFound: number }>;
  const { inDoubtFound = 0 } = counts;
  const { pending = 0, processing = 0, complete = 0, failed = 0, archived = 0 } = counts;
  if (ledgers.length === 0 && published > 0) throw new Error("there is no ledger");
  const added = countPublished(directory, ledgers);
  if (notAudited.length > 0) {
    yield { figure: "integrity.published", stated: published, counted: added.published };
    yield { figure: "archived events", leftOut: "a worker ended without closing its ledger" };
    return;
  }
  yield { figure: "integrity", stated: { published, inDoubt }, counted: added };
  if (losses.length > 0 && verdict === "ok") {
    const held = pending + processing + complete + failed + archived;
    // Lost events: acknowledged events and found events in doubt, minus events in the tables.
    yield { figure: "integrity.lost", stated: lost, counted: added.published + inDoubtFound - held };
  }
  const workCounts = countWork(directory, workersWithFile(names, "work"));
  if (!workCounts || verdict !== "ok") {
    yield { figure: "archived events", leftOut: "commits went unanswered, or events are unaccounted for" };
    return;
  }
  yield { figure: "integrity.archived", stated: archived, counted: workCounts.archived - lostOf("archive") };
  const ended = complete + failed + archived;
  if (pending + processing > 0 || ended === 0) return;
  const passes = passesPerEvent === undefined ? undefined : Math.round(passesPerEvent * ended);
  yield {
    figure: "lifecycle.passesPerEvent, times events",
    stated: passes,
    counted: workCounts.passes - lostOf("process"),
  };
}
