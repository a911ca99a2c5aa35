import type * as z from "zod";
import type { WorkerContext, Clients } from "../clients/client.js";
import type { ClientSettings, ThreadAssignment } from "../clients/assignment.js";
import type { RoleSettings } from "../clients/settings.js";
import type { AdminSession } from "../database/contract.js";
import type { DialectName } from "../database/registry.js";
import type { ConnectionSource } from "../database/session.js";
import type { FaultTables, LossSpan } from "../faults/fault.js";
import type { Arrival } from "../load/arrivals.js";
import type { LifecycleStage } from "../metrics/operations.js";
import type { Mapping } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { NamedFinding } from "./findings.js";
import type { Store, Stores } from "./stores.js";

/** Settings that every workload's treatments have; each workload adds its own. */
export interface WorkloadTreatment extends ClientSettings {
  readonly dialect: DialectName;
  /** Name of the PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
}

/** The part of an operation in a flow: it adds things, works on them, or removes them. */
export type Flow = "in" | "through" | "out";

export interface OperationTraits {
  /** Verb for reports, such as `adds`. */
  readonly verb: string;
  /** Things that the operation works on and counts, such as `events`. */
  readonly unit: string;
  readonly flow?: Flow | undefined;
}

export interface RoleTraits {
  /** Description in the reference of the scenario, in one sentence. */
  readonly purpose: string;
  /** Default number of clients. */
  readonly clients: number;
  /** Default think time in milliseconds. Default 0. */
  readonly thinkTimeMs?: number;
  /** Present if the role exists only if the scenario names it. */
  readonly isOnRequest?: true;
  /** Present if the role sends the batches of a day's profile. */
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
  /** Title of the example in a few words. */
  readonly title: string;
  readonly yaml: string;
}

export interface WorkloadExamples {
  /** Valid scenarios, which together have each key of the workload. */
  readonly valid: readonly ScenarioExample[];
  /** Invalid scenarios, each refused for one reason. */
  readonly refused: readonly ScenarioExample[];
}

/** A rule over several keys. It is bivariant, so that a workload's rules can name the type of their keys. */
export type WorkloadRule<Treatment> = {
  bivariant(written: unknown, treatment: Treatment): readonly Finding[];
}["bivariant"];

export interface WorkloadKeys<Treatment, Own = object> {
  readonly keys: Readonly<Record<string, z.ZodType>>;
  /**
   * Rules over a scenario whose keys passed their schema. A rule reads only the keys that it is about, so that it runs even
   * if the schema refuses another key.
   */
  readonly rules?: readonly WorkloadRule<Treatment>[];
  /** Findings about settings of the treatment that a dialect does not support. */
  dialectProblems?(name: DialectName, treatment: Treatment): readonly Finding[];
  /** The settings of a treatment from keys that passed their schema. */
  resolve(written: unknown): Own;
  /** True if the scenario leaves room for clients of that role. Default: always. */
  hasRole?(role: string, written: unknown): boolean;
  /** Keys that `schema print` takes as options if it gets no scenario. */
  readonly levels?: readonly LevelOption[];
  readonly examples?: WorkloadExamples;
}

/** A key of a workload as an option of `schema print`. */
export interface LevelOption {
  readonly option: string;
  /** Key of the scenario, such as `statementShape`. */
  readonly key: string;
  readonly description: string;
  readonly choices: readonly string[];
  readonly fallback: string;
  /** True if the tables depend on the key; false if only the statements do. */
  readonly isOfTables: boolean;
}

/** An objection that a careful experimenter would have: one short sentence with the way out. */
export interface Objection {
  /** Stable name of the rule for programs. */
  readonly rule: string;
  readonly words: string;
}

/** The tables of a workload; a namespace has one of each name. */
export interface WorkloadTables extends FaultTables<string> {
  /** Names of the tables in the order in which they are created. */
  readonly names: readonly string[];
  /** Beginning of each variant of the tables, such as `payload `; left out if no other run may drop the namespace. */
  readonly mark?: string;
}

export interface ClientContext<S extends WorkloadTreatment> extends WorkerContext<ThreadAssignment<S>> {
  readonly source: Pick<ConnectionSource, "acquire">;
}

/** The clients of one worker thread. */
export interface WorkloadClients extends Clients {
  /** The operation that an arrival of the role starts, the same in every worker. Needed with several operations. */
  operationOf?(arrival: Arrival): string;
  /** Writes the files of the audit, once a second and when the worker fails. Never throws. */
  flush?(): void;
  /** Ends the clients; resolves to their account for the audit. Rejects if the account was not kept. */
  close?(): unknown;
}

export interface PreloadInputs<S> {
  readonly settings: S;
  readonly seed: number;
  readonly directory: string;
  /** Returns false once the run is interrupted. */
  readonly mayContinue: () => boolean;
}

/** Spans of a trial within which faults may lose acknowledged work. */
export interface LossTerms {
  readonly spans: readonly LossSpan[];
  /** True if the scenario counts such a loss instead of calling it a violation. */
  readonly isAllowed: boolean;
  /** Start of the measurement window in monotonic milliseconds; undefined if it never began. */
  readonly windowStartMs: number | undefined;
}

export interface AuditInputs<S> {
  readonly settings: S;
  readonly directory: string;
  /** Accounts that `WorkloadClient.close` of each closed worker resolved to. */
  readonly workerAccounts: readonly unknown[];
  /** Names of the workers that ended without closing. */
  readonly unclosed: readonly string[];
  /** Value that `preload` resolved to. */
  readonly preloaded: unknown;
  /** True if the queue was seen empty after the window. */
  readonly isDrained: boolean;
  /** Milliseconds by which a fault changed the server's clock; left out if no fault did. */
  readonly clockStepMs?: number;
  /** Left out if no fault may have lost acknowledged work. */
  readonly loss?: LossTerms;
}

export interface Loss {
  readonly operation: string;
  /** Lost things in the operation's unit; a thing that lost several operations counts once for each. */
  readonly lost: number;
  /** Part of `lost` that was acknowledged outside of all spans within which a fault may lose work. */
  readonly unexplained: number;
  /** Times, in seconds of the window, at which the first and the last lost work was acknowledged, if known. */
  readonly firstAtSeconds?: number | undefined;
  readonly lastAtSeconds?: number | undefined;
}

/** Findings that every audit has; `Auditing.findings` adds those which a workload has. */
export interface AuditFindings {
  readonly verdict: "ok" | "violated";
  /** Acknowledged things, in the workload's unit. */
  readonly published: number;
  readonly inDoubt: number;
  readonly lost: number;
  readonly unexpected: number;
  /** Losses by operation, if the audit distinguishes them; left out if nothing was lost. */
  readonly losses?: readonly Loss[] | undefined;
  /** One sentence for each kind of violation. */
  readonly violations: readonly string[];
  /** The first findings of each kind; see `Findings`. */
  readonly named?: readonly NamedFinding[] | undefined;
  /** One sentence for each part that the audit could not check. */
  readonly notAudited: readonly string[];
  /** Present if the audit could not read the tables: its counts are then 0 and mean nothing. */
  readonly isUnreadable?: true | undefined;
}

export interface AuditOutcome {
  readonly findings: AuditFindings;
  readonly passesPerEvent?: number;
  /** Additional fields of the audit's log entry. */
  readonly logged?: Mapping;
}

/** Figures of a trial's result that its files can confirm. */
export interface StatedFigures {
  readonly integrity: AuditFindings;
  readonly passesPerEvent: number | undefined;
}

/** A figure in a trial's result and in its files, or the reason why the two are not compared. */
export type RecountedFigure =
  | { readonly figure: string; readonly stated: unknown; readonly counted: unknown }
  | { readonly figure: string; readonly leftOut: string };

/** Measurements of a trial, or of all trials of a treatment, for the workload's lines in the summary. */
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
   * Tries statements in a transaction that is rolled back, before the first trial. Resolves to sentences, each with its
   * place, about statements that the server refuses.
   */
  tryOut?(store: Store<S>, admin: AdminSession, settings: S): Promise<readonly string[]>;
  /** Fills the tables before the warm-up; the audit gets the value that this resolves to. */
  preload?(store: Store<S>, admin: AdminSession, inputs: PreloadInputs<S>): Promise<unknown>;
}

/** How a queue is emptied after the measurement window. */
export interface Draining<S> {
  /** True if these roles can empty what other roles fill. */
  isPossible(actors: Readonly<Record<string, RoleSettings>>): boolean;
  isDone(store: Store<S>, admin: AdminSession, settings: S): Promise<boolean>;
}

/** Names of the subject of an audit, such as `event`, and of an acknowledged subject, such as `published`. */
export interface AuditWords {
  readonly one: string;
  readonly acknowledged: string;
}

/** The comparison of the tables with the acknowledged transactions. */
export interface Auditing<S> extends AuditWords {
  /** Kinds of violation that the audit distinguishes. */
  readonly violations: readonly string[];
  /** Fields of `integrity` in the result besides the fields of every audit. */
  readonly findings?: Readonly<Record<string, z.ZodType>>;
  /** Names of `findings` that thresholds and published figures can use, as metrics of `audit`. */
  readonly sizes?: readonly string[];
  audit(store: Store<S>, admin: AdminSession, inputs: AuditInputs<S>): Promise<AuditOutcome>;
  /** Present if the audit knows when each thing was acknowledged, and thus which faults explain its loss. */
  readonly explainsLoss?: true;
  /** Counts the audit's figures again, from a finished trial's directory. Throws if a file cannot be read. */
  recount?(directory: string, stated: StatedFigures): Iterable<RecountedFigure>;
}

export interface StageTraits {
  /** Roles whose work brings things to the stage. */
  readonly roles: readonly string[];
  /** Span of the stage's latency, such as `Publish commit to archive commit`. */
  readonly span: string;
}

/** Statements about a treatment and its results that go beyond the figures of every operation. */
export interface Reporting<S> {
  /** Stages of the life of a published thing. Results have the latency up to each stage. */
  readonly stages?: Readonly<Record<LifecycleStage, StageTraits>>;
  /** Conditions of a treatment in words, by aspect, for the plan and the report. */
  conditions?(settings: S): Readonly<Record<string, string | undefined>>;
  /** Objections to one treatment. General rules are in `analysis/lint`. */
  lint?(settings: S): readonly Objection[];
  /** Names of the evidence metrics that the summary shows for each treatment, by the key that a factor varies. */
  readonly factors?: Readonly<Record<string, readonly string[]>>;
  /** Lines of the summary about one treatment. */
  lines?(measured: ReportedMeasurements): readonly string[];
}

/** A workload: a folder here and a line in `registry.ts`; the rest of the program knows names only. */
export interface Workload<S extends WorkloadTreatment = WorkloadTreatment> {
  readonly name: string;
  /** Description in the reference of the scenario, in one sentence. */
  readonly description: string;
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, RoleTraits>>;
  /** True if clients ever run that operation with these settings: its weight is above 0. Default: always. */
  performs?(operation: string, settings: S): boolean;
  readonly settings: WorkloadKeys<S>;
  readonly tables: WorkloadTables;
  /** Stores by database. The functions below get the store of the treatment's database, with its operations. */
  readonly stores: Stores<Store<S>>;
  /** The reason why transactions send no COMMIT, such as `statementShape is single-statement`. */
  withoutCommit?(settings: S): string | undefined;
  /** Present if the simple protocol, which has no parameters, can send the statements: `prepared: simple`. */
  readonly isSimple?: true;
  /** Present if statements name tables without their schema, which then is in the search path of every endpoint. */
  readonly isUnqualified?: true;
  /** Present if clients open their connections themselves, and need the pool strategy `own`. They lease none. */
  readonly ownsConnections?: true;
  /** Makes the clients of one worker thread, which waits at the barrier until this resolves. */
  client(store: Store<S>, context: ClientContext<S>): WorkloadClients | Promise<WorkloadClients>;
  readonly loading?: Loading<S>;
  readonly draining?: Draining<S>;
  readonly auditing?: Auditing<S>;
  readonly reporting?: Reporting<S>;
}
