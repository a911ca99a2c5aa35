import type * as z from "zod";
import type { WorkerContext, Clients } from "../clients/client.js";
import type { ClientSettings, ThreadAssignment } from "../clients/assignment.js";
import type { RoleSettings } from "../clients/settings.js";
import type { AdminSession, Obstacle } from "../database/contract.js";
import type { DialectName } from "../database/registry.js";
import type { ConnectionSource } from "../database/session.js";
import type { FaultTables, LossSpan } from "../faults/fault.js";
import type { Arrival } from "../load/arrivals.js";
import type { LifecycleStage } from "../metrics/operations.js";
import type { Mapping } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { NamedFinding } from "./findings.js";
import type { Store, Stores } from "./stores.js";

/** Settings of a treatment that exist in every workload. Each workload adds others. */
export interface WorkloadTreatment extends ClientSettings {
  readonly dialect: DialectName;
  /** Name of the PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
}

/** Direction of an operation in a flow of things: it adds them, works on them, or removes them. */
export type Flow = "in" | "through" | "out";

export interface OperationTraits {
  /** Verb for sentences in reports, such as `adds`. */
  readonly verb: string;
  /** Things that the operation works on and counts, such as `events`. */
  readonly unit: string;
  readonly flow?: Flow | undefined;
}

export interface RoleTraits {
  /** One sentence that describes the role in the reference of the scenario. */
  readonly purpose: string;
  /** Default number of clients. */
  readonly clients: number;
  /** Default think time in milliseconds; 0 if left out. */
  readonly thinkTimeMs?: number;
  /** Present if the role exists only if the scenario names it. */
  readonly isOnRequest?: true;
  /** Present if the role can send the batches of a daily profile. */
  readonly hasBatches?: true;
  readonly operations: readonly string[];
  /** Operations that an open-loop arrival may start. If several, `operationOf` chooses. */
  readonly arrivals: readonly string[];
  /** Present if a search for capacity varies the load of the role. */
  readonly isSearched?: true;
  /** Present if the role continues to work while the trial drains. */
  readonly drains?: true;
  /**
   * Size of the buffer that each worker of this role writes and all workers read. Write the "present" flag last and at the
   * highest offset: copies on other machines are made in that order.
   */
  readonly sharedBytes?: number;
}

export interface ScenarioExample {
  /** Title of the example, a few words. */
  readonly title: string;
  readonly yaml: string;
}

export interface WorkloadExamples {
  /** Valid scenarios, which together have each key of the workload. */
  readonly valid: readonly ScenarioExample[];
  /** Invalid scenarios, each refused for one reason. */
  readonly refused: readonly ScenarioExample[];
}

/** A rule over several keys. The type is bivariant, so that a workload's rules can state the type of their keys. */
export type WorkloadRule<Treatment> = {
  bivariant(written: unknown, treatment: Treatment): readonly Finding[];
}["bivariant"];

export interface WorkloadKeys<Treatment, Own = object> {
  readonly keys: Readonly<Record<string, z.ZodType>>;
  /**
   * Rules over keys that passed their schema. A rule reads only the keys that it is about, so it also runs if the schema
   * refuses other keys.
   */
  readonly rules?: readonly WorkloadRule<Treatment>[];
  /** Findings about settings that the dialect does not support. */
  dialectProblems?(name: DialectName, treatment: Treatment): readonly Finding[];
  /** Makes the settings of a treatment from keys that passed their schema. */
  resolve(input: unknown): Own;
  /** True if the scenario allows clients of the role. Without this function it always does. */
  hasRole?(role: string, input: unknown): boolean;
  /** Keys that `schema print` has options for, when it prints without a scenario. */
  readonly levels?: readonly LevelOption[];
  readonly examples?: WorkloadExamples;
  /** Key whose default is the directory of the scenario's file. */
  readonly directoryKey?: string;
}

/** A key of a workload as an option of `schema print`. */
export interface LevelOption {
  readonly option: string;
  /** Key of the scenario, such as `statementShape`. */
  readonly key: string;
  readonly description: string;
  readonly choices: readonly string[];
  readonly fallback: string;
  /** True if the key changes the tables; false if it changes only the statements. */
  readonly changesTables: boolean;
}

/** Objection to a valid but dubious setting: one short sentence that also says how to avoid it. */
export interface Objection {
  /** Stable name of the rule for programs. */
  readonly rule: string;
  readonly words: string;
}

/** Tables of a workload. A namespace has each table once. */
export interface WorkloadTables extends FaultTables<string> {
  /** Names of the tables in the order in which they are created. */
  readonly names: readonly string[];
  /**
   * Beginning of the mark in the namespace that names the variant of the tables, such as `payload `. Left out if no other
   * run may drop the namespace.
   */
  readonly mark?: string;
  /**
   * Present if programs of others make further tables in the namespace: evidence then has all tables of the schema and
   * all statements of the database.
   */
  readonly hasForeignTables?: true;
}

/** An optional package of the user. */
export interface Facility {
  readonly name: string;
  /** Version and place; undefined if it is not installed. */
  readonly found: string | undefined;
  /** Command that installs it. */
  readonly remedy: string;
}

export interface ClientContext<S extends WorkloadTreatment> extends WorkerContext<ThreadAssignment<S>> {
  readonly source: Pick<ConnectionSource, "acquire" | "endpointOf">;
}

/** The clients of one worker thread. */
export interface WorkloadClients extends Clients {
  /** Operation that an arrival of the role starts, the same in every worker. Needed if the role has several operations. */
  operationOf?(arrival: Arrival): string;
  /** Writes the files of the audit, once a second and when the worker fails. Never throws. */
  flush?(): void;
  /** Ends the clients; resolves to their account for the audit. Rejects if the account could not be written. */
  close?(): unknown;
}

export interface PreloadInputs<S> {
  readonly settings: S;
  readonly seed: number;
  readonly directory: string;
  /** Returns false once the run is interrupted. */
  readonly mayContinue: () => boolean;
}

/** Faults' effect on acknowledged work: the spans of a trial in which it may be lost, and whether that is allowed. */
export interface LossTerms {
  readonly spans: readonly LossSpan[];
  /** True if the scenario only counts work lost within the spans; false if such a loss is a violation. */
  readonly isAllowed: boolean;
  /** Start of the measurement window in monotonic milliseconds; undefined if it never began. */
  readonly windowStartMs: number | undefined;
}

export interface AuditInputs<S> {
  readonly settings: S;
  readonly directory: string;
  /** Accounts of the workers that closed: what their `WorkloadClients.close` resolved to. */
  readonly workerAccounts: readonly unknown[];
  /** Names of the workers that ended without closing, whose account is missing. */
  readonly unclosed: readonly string[];
  /** Value that `preload` resolved to. */
  readonly preloaded: unknown;
  /** True if the queue was seen empty after the window. */
  readonly isDrained: boolean;
  /** True if the treatment has faults, which may make a queue run a job twice. */
  readonly hasFaults?: boolean;
  /** Milliseconds by which a fault changed the server's clock; left out if no fault did. */
  readonly clockStepMs?: number;
  /** Spans in which faults may lose acknowledged work; left out if no fault may. */
  readonly loss?: LossTerms;
}

export interface Loss {
  readonly operation: string;
  /** Number of lost things in the operation's unit. A thing that lost several operations counts once for each. */
  readonly lost: number;
  /** Part of `lost` that was acknowledged outside of all spans in which a fault may lose work. */
  readonly unexplained: number;
  /**
   * Time at which the first lost work was acknowledged, in seconds of the window, if known; `lastAtSeconds` is the last
   * one's.
   */
  readonly firstAtSeconds?: number | undefined;
  readonly lastAtSeconds?: number | undefined;
}

export interface TimeDifference {
  /** Operations and spans, such as `lifecycle.completion`. */
  readonly operations: readonly string[];
  /** The difference in words, the same for all treatments that have it. */
  readonly words: string;
}

/** Findings that every audit has. A workload adds others by `Auditing.findings`. */
export interface AuditFindings {
  readonly verdict: "ok" | "violated";
  /** Number of acknowledged things, in the workload's unit. */
  readonly published: number;
  readonly inDoubt: number;
  readonly lost: number;
  readonly unexpected: number;
  /** Losses by operation, if the audit distinguishes them; left out if nothing was lost. */
  readonly losses?: readonly Loss[] | undefined;
  /** One sentence for each kind of violation. */
  readonly violations: readonly string[];
  /** Findings with the names of rows, up to `NAMED_FINDINGS_PER_KIND` of each kind. */
  readonly named?: readonly NamedFinding[] | undefined;
  /** One sentence for each part that the audit could not check. */
  readonly notAudited: readonly string[];
  /** Facts about what was audited that are no violation, each a sentence without a full stop. */
  readonly remarks?: readonly string[] | undefined;
  /** Times that begin or end elsewhere than in other treatments. They are compared with like ones alone. */
  readonly differences?: readonly TimeDifference[] | undefined;
  /** Present if the audit could not read the tables: its counts are then 0 and mean nothing. */
  readonly isUnreadable?: true | undefined;
}

export interface AuditOutcome {
  readonly findings: AuditFindings;
  readonly passesPerEvent?: number;
  /** Additional fields of the audit's log entry. */
  readonly logged?: Mapping;
}

/** Figures of a trial's result that can be counted again from the trial's files. */
export interface StatedFigures {
  readonly integrity: AuditFindings;
  readonly passesPerEvent: number | undefined;
}

/** A figure as the result states it and as the files count it, or the reason why it is not compared. */
export type RecountedFigure =
  | { readonly figure: string; readonly stated: unknown; readonly counted: unknown }
  | { readonly figure: string; readonly leftOut: string };

/** Measurements of a trial, or of a treatment's merged trials, from which a workload makes lines of the summary. */
export interface ReportedMeasurements {
  readonly windowSeconds: number;
  readonly operations: Readonly<Record<string, ReportedOperation>>;
}

interface ReportedOperation {
  readonly transactions: number;
  readonly poolWaitMs: { readonly mean: number } | null;
  readonly serviceTimeMs: { readonly mean: number } | null;
  readonly serviceStddevMs?: number | undefined;
  readonly clients?: number | undefined;
}

export interface Loading<S> {
  /**
   * Tries the statements before the first trial, in a transaction that is rolled back. Resolves to one sentence for each
   * refused statement, with its place in the file.
   */
  tryOut?(store: Store<S>, admin: AdminSession, settings: S): Promise<readonly string[]>;
  /** Fills the tables before the warm-up. It resolves to a value that the audit gets as `preloaded`. */
  preload?(store: Store<S>, admin: AdminSession, inputs: PreloadInputs<S>): Promise<unknown>;
}

/** Emptying of a queue after the measurement window. */
export interface Draining<S> {
  /** True if the scenario has the roles that empty what its other roles add. */
  isPossible(actors: Readonly<Record<string, RoleSettings>>): boolean;
  isDone(store: Store<S>, admin: AdminSession, settings: S): Promise<boolean>;
}

/**
 * Nouns for an audit's sentences: one thing, such as `event`, and an adjective for acknowledged things, such as
 * `published`.
 */
export interface AuditWords {
  readonly one: string;
  readonly acknowledged: string;
}

/** Audit of a trial: it compares the tables with the acknowledged transactions. */
export interface Auditing<S> extends AuditWords {
  /** Kinds of violation that the audit distinguishes. */
  readonly violations: readonly string[];
  /** Fields that the audit adds to `integrity` in the result. */
  readonly findings?: Readonly<Record<string, z.ZodType>>;
  /** Names of `findings` that are numbers. Thresholds and published figures can use them as metrics of `audit`. */
  readonly sizes?: readonly string[];
  audit(store: Store<S>, admin: AdminSession, inputs: AuditInputs<S>): Promise<AuditOutcome>;
  /** Present if the audit knows the time of each acknowledgement, and therefore which losses a fault explains. */
  readonly explainsLoss?: true;
  /** Counts figures of the audit again from the directory of a finished trial. Throws if a file cannot be read. */
  recount?(directory: string, statedFigures: StatedFigures): Iterable<RecountedFigure>;
}

export interface StageTraits {
  /** Roles whose operations bring things to this stage. */
  readonly roles: readonly string[];
  /** Description of the time span, such as `Publish commit to archive commit`. */
  readonly span: string;
  /** Present if the latency to this stage is a row of the first table. */
  readonly isInTable?: true;
}

/** What a workload says about its treatments and results, in addition to the figures that every operation has. */
export interface Reporting<S> {
  /** Stages in the life of an acknowledged thing. Results have the latency from its acknowledgement to each stage. */
  readonly stages?: Readonly<Record<LifecycleStage, StageTraits>>;
  /** Conditions of a treatment as texts by aspect, for the plan and the report. */
  conditions?(settings: S): Readonly<Record<string, string | undefined>>;
  /** Objections to one treatment. General rules are in `analysis/lint`. */
  lint?(settings: S): readonly Objection[];
  /** Names of evidence metrics for the summary, by scenario key: they are shown if a factor varies the key. */
  readonly factors?: Readonly<Record<string, readonly string[]>>;
  /** Lines of the summary about one treatment. */
  lines?(measured: ReportedMeasurements): readonly string[];
}

/** A process, other than train-sim's, that does a workload's work for the whole trial. */
export interface StandingProcess {
  readonly pid: number;
  /** True if it runs jobs of a queue: faults of workers affect it. */
  readonly runsJobs: boolean;
}

/**
 * A workload. It is one folder here and one line in `registry.ts`; the rest of the program knows its operations by name
 * only.
 */
export interface Workload<S extends WorkloadTreatment = WorkloadTreatment> {
  readonly name: string;
  /** One sentence that describes the workload in the reference of the scenario. */
  readonly description: string;
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, RoleTraits>>;
  /** True if clients run the operation with these settings: its weight is above 0. Without this function they always do. */
  performs?(operation: string, settings: S): boolean;
  readonly settings: WorkloadKeys<S>;
  readonly tables: WorkloadTables;
  /** Stores by database. Functions below that take a store get the one for the treatment's database. */
  readonly stores: Stores<Store<S>>;
  /**
   * Reason why transactions of the treatment send no COMMIT, such as `statementShape is single-statement`; undefined if
   * they send it.
   */
  withoutCommit?(settings: S): string | undefined;
  /** Present if the simple protocol, which has no parameters, can send the statements: `prepared: simple`. */
  readonly isSimple?: true;
  /** Present if the store can hold statements back to send them together: `pipeline: true`. */
  readonly canPipeline?: true;
  /** Present if statements name tables without schema. Every endpoint then needs the schema in its search path. */
  readonly isUnqualified?: true;
  /** Present if clients open connections themselves and lease none. They need the pool strategy `own`. */
  readonly ownsConnections?: true;
  /**
   * Present if clients know one address only: the primary's where there are standbys, or a proxy's that follows it if a
   * fault moves it.
   */
  readonly knowsOneAddress?: true;
  /** Reasons why the treatment's programs cannot run on this machine. */
  obstacles?(settings: S): readonly Obstacle[];
  /** Optional packages that the workload can use, looked for from a directory. */
  facilities?(directory: string): readonly Facility[];
  /** The programs that do the work in a trial, as processes. Left out if threads do it. `directory` is the trial's. */
  programs?(directory: string): readonly StandingProcess[];
  /** Makes the clients of one worker thread. The thread waits for the result before it enters the barrier. */
  client(store: Store<S>, context: ClientContext<S>): WorkloadClients | Promise<WorkloadClients>;
  readonly loading?: Loading<S>;
  readonly draining?: Draining<S>;
  readonly auditing?: Auditing<S>;
  readonly reporting?: Reporting<S>;
}
