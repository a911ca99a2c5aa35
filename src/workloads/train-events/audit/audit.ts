// Each acknowledged event is in the tables exactly once, in a possible state. Trusts the ledgers and the seed alone.
import { existsSync } from "node:fs";
import type { AdminSession } from "../../../database/contract.js";
import { ExitCode, TrainSimError } from "../../../foundation/errors.js";
import { Prng } from "../../../foundation/prng.js";
import {
  conservationOf,
  type SampleCounts,
  type Conservation,
  type ValidationCounts,
} from "../model/conservation.js";
import { MAX_TRIAL_WORKERS } from "../../event-id.js";
import { EMPTY_LEDGER, Ledger, type LedgerTotals } from "../model/ledger.js";
import { isArchivable, TERMINAL_STATUSES, WORKABLE_STATUSES, type EventStatus } from "../model/lifecycle.js";
import { LedgerFile, ledgerPath } from "./ledger-file.js";
import type { EventTreatment } from "../clients/assignment.js";
import type { Preloaded } from "../preload.js";
import type { EventStore, EventTables } from "../store.js";
import { NAMED_FINDINGS_PER_KIND } from "../../findings.js";
import type * as workload from "../../workload.js";
import type { LossTerms } from "../../workload.js";
import { DocumentChecks } from "./document-checks.js";
import { auditEvents } from "./event-audit.js";
import { ExpectedDocuments } from "./expected-document.js";
import { Findings } from "./findings.js";
import { auditKeys, type KeyTotals, type Ledgers } from "./key-audit.js";
import { WorkAudit } from "./work-audit.js";

export interface AuditResult {
  readonly conservation: Conservation;
  /** Mean number of process passes of the trial's COMPLETE and FAILED events; null if there are none. */
  readonly passesPerEvent: number | null;
}

export interface AuditInputs {
  readonly settings: Pick<
    EventTreatment,
    "dialect" | "namespace" | "payload" | "statementShape" | "advance" | "archived" | "validate" | "actors"
  >;
  readonly directory: string;
  /** Accounts of the preload and of each worker that closed its ledger. */
  readonly workerAccounts: readonly Ledger[];
  /**
   * Names of the workers that did not close their ledger. Of these only the files are known, as far as they were written.
   */
  readonly unclosed?: readonly string[];
  readonly startedAt: string;
  readonly isDrained: boolean;
  /** Milliseconds by which a fault changed the server's clock. Checks of rows' times tolerate as much. */
  readonly clockStepMs?: number;
  /** Spans in which faults may lose acknowledged work; left out if no fault may. */
  readonly loss?: LossTerms;
  /** Longest time to wait for other sessions' locks on the tables, as text with a unit. */
  readonly lockTimeout?: string;
}

const NO_LOSS_TERMS: LossTerms = { spans: [], isAllowed: false, windowStartMs: undefined };

export async function audit(
  store: EventStore,
  admin: AdminSession,
  inputs: AuditInputs,
): Promise<AuditResult> {
  const { settings, directory, startedAt, unclosed = [], clockStepMs = 0, loss = NO_LOSS_TERMS } = inputs;
  const isWhole = unclosed.length === 0;
  const ledgers = readLedgers(directory);
  const { spans } = loss;
  const isOneStep = settings.advance.isOneStep === true;
  const work = new WorkAudit(ledgers, directory, { isWhole, isOneStep, spans });
  const totals = sumOf(inputs.workerAccounts);
  const read = async (tables: EventTables): Promise<AuditResult> => {
    const findings = new Findings();
    // This is the first query of the snapshot, so all rows of the snapshot were written before `endedAt`.
    const clock = {
      startedAt,
      endedAt: await tables.clock(),
      skewMs: tables.clockSkewMs + Math.ceil(clockStepMs),
    };
    const keys = await auditKeys(tables, ledgers, findings, { isWhole, spans });
    if (isWhole) requireWholeLedgers({ ...keys, ...work.totals }, totals);
    // A constant seed does not repeat the choice of documents, since rows come in no order.
    const checks = new DocumentChecks(settings.validate, findings, new Prng(0));
    const documents = new ExpectedDocuments(ledgers, settings, tables);
    const rules = {
      chances: settings.advance,
      archived: settings.archived,
      mayBeLive: liveStatusPredicate(inputs),
      clock,
    };
    const context = { documents, checks, work, rules, findings };
    const documentsChecked = await auditEvents(tables, context);
    const { audited } = checks.total();
    const counts = await tables.counts();
    if (counts.duplicated + counts.orphaned > 0) await addMisplacedFindings(tables, findings);
    const { duplicated, orphaned } = counts;
    const facts = {
      ...keys,
      documentsChecked,
      ...mergeSampleChecks(inputs.workerAccounts, audited, findings),
      named: findings.named,
      losses: findings.losses.total(loss.windowStartMs),
      explained: findings.explained,
      terms: loss,
      found: { ...findings.counts, duplicated, orphaned },
      notAudited: unclosed.map(
        (name) => `${name} ended without closing its ledger: its last work is not known`,
      ),
    };
    return {
      conservation: conservationOf(facts, counts),
      passesPerEvent: await tables.passesPerEvent(),
    };
  };
  return store.scan(admin, settings, read, inputs.lockTimeout);
}

/**
 * Runs the audit as the workload's contract defines it. It validates the workers' accounts, which come from other threads.
 */
export async function auditTrial(
  store: EventStore,
  admin: AdminSession,
  { preloaded, workerAccounts, ...inputs }: workload.AuditInputs<EventTreatment>,
): Promise<workload.AuditOutcome> {
  const { startedAt, ledger: first } = preloaded as Preloaded;
  const ledgers = [first, ...workerAccounts.map((one) => Ledger.parse(one))];
  const { conservation, passesPerEvent } = await audit(store, admin, {
    ...inputs,
    workerAccounts: ledgers,
    startedAt,
  });
  const unmatchedLifecycles = ledgers.reduce((sum, ledger) => sum + ledger.unmatchedLifecycles, 0);
  return {
    findings: conservation,
    ...(passesPerEvent !== null && { passesPerEvent }),
    logged: { unmatchedLifecycles },
  };
}

function readLedgers(directory: string): Ledgers {
  const ledgers = new Map<number, LedgerFile>();
  for (let worker = 0; worker <= MAX_TRIAL_WORKERS; worker++) {
    const path = ledgerPath(directory, worker);
    if (existsSync(path)) ledgers.set(worker, LedgerFile.read(path));
  }
  return ledgers;
}

function sumOf(totals: readonly Ledger[]): LedgerTotals {
  const sum = { ...EMPTY_LEDGER };
  for (const ledger of totals)
    for (const name of Object.keys(sum) as (keyof LedgerTotals)[]) sum[name] += ledger[name];
  return sum;
}

/** Adds the findings of the workers' sampled checks; returns how many transactions they verified. */
function mergeSampleChecks(
  totals: readonly Ledger[],
  audited: number,
  findings: Findings,
): { readonly checks: SampleCounts; readonly validated: ValidationCounts } {
  const validated = { made: 0, claimed: 0, audited };
  const checked = { reads: { sampled: 0, verified: 0 }, claims: { sampled: 0, verified: 0 } };
  for (const { checks } of totals) {
    if (!checks) continue;
    for (const what of ["reads", "claims"] as const) {
      checked[what].sampled += checks[what].sampled;
      checked[what].verified += checks[what].verified;
    }
    validated.made += checks.validated.made;
    validated.claimed += checks.validated.claimed;
    for (const kind of ["invalid", "misread", "misclaimed"] as const) findings.counts[kind] += checks[kind];
    for (const { kind, id, words } of checks.named) findings.name(kind, id, words);
  }
  return { checks: checked, validated };
}

/** Throws if files of a ledger lack a batch or a pass that its account counts: the audit would not notice its loss. */
function requireWholeLedgers(
  read: KeyTotals & Pick<Ledger, "passes" | "archived">,
  totals: Omit<LedgerTotals, "failed" | "unmatchedLifecycles">,
): void {
  const compared = ["published", "inDoubt", "passes", "archived"] as const;
  const differing = compared.filter((name) => read[name] !== totals[name]);
  if (differing.length === 0) return;
  const countsText = (of: Pick<Ledger, (typeof compared)[number]>): string =>
    differing.map((name) => `${name} ${of[name]}`).join(", ");
  throw new TrainSimError(
    `the ledgers say ${countsText(read)}, their workers ${countsText(totals)}`,
    ExitCode.unexpected,
    "A ledger in the trial's directory is missing or was changed.",
  );
}

/**
 * Returns a function that is true for the statuses that live events may have. A queue that was seen empty has none for
 * consumers and archivers.
 */
function liveStatusPredicate({ isDrained, settings }: AuditInputs): (status: EventStatus) => boolean {
  const { consumers, archivers, cycle } = settings.actors;
  const left = new Set<EventStatus>([
    ...((consumers ?? cycle) ? [] : WORKABLE_STATUSES),
    ...TERMINAL_STATUSES.filter(
      (status) => !isArchivable(status, settings.archived) || !(archivers ?? cycle),
    ),
  ]);
  return (status) => !isDrained || left.has(status);
}

async function addMisplacedFindings(tables: EventTables, findings: Findings): Promise<void> {
  for (const { id, kind } of await tables.misplacedRows(NAMED_FINDINGS_PER_KIND)) {
    const words =
      kind === "duplicated" ? "it is both live and archived" : "it has an event or a status but not both";
    findings.name(kind, id, words);
  }
}
