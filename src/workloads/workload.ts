// The contract between a workload and the rest of the program.
import type * as z from "zod";
import type { ActorContext, Actor } from "../actors/actor.js";
import type { ClientSettings, ThreadAssignment } from "../actors/assignment.js";
import type { ActorGroup } from "../actors/settings.js";
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
  /** The PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
}

/** The part of an operation in a flow: brings things in, works on them, or takes them out. */
export type Flow = "in" | "through" | "out";

/** A kind of transaction. A name that begins with `__` is a round of several. */
export interface OperationTraits {
  /** A verb for reports, as `adds`. */
  readonly verb: string;
  /** The things that the operation works on and counts, as `events`. */
  readonly unit: string;
  readonly flow?: Flow | undefined;
}

/** A group of clients with one job. */
export interface RoleTraits {
  /** One sentence for the reference of the scenario. */
  readonly purpose: string;
  /** Clients if the scenario names no number. */
  readonly clients: number;
  /** Think time if the scenario names none. Default 0. */
  readonly thinkTimeMs?: number;
  /** Whether the group exists only if the scenario names it. */
  readonly isOnRequest?: true;
  /** Whether the group sends the batches of a day's profile. */
  readonly hasBatches?: true;
  readonly operations: readonly string[];
  /** Operations that an open-loop arrival may start. If several, `operationOf` chooses. */
  readonly arrivals: readonly string[];
  /** Whether a search for capacity varies the load of the group. */
  readonly isSearched?: true;
  /** Whether the group goes on working while the trial drains. */
  readonly drains?: true;
  /**
   * Size of the buffer that each worker of this role writes and all workers read. Write the "present" flag last and at the
   * highest offset: copies on other machines are made in that order.
   */
  readonly sharedBytes?: number;
}

/** An example for the reference of the scenario. */
export interface ScenarioExample {
  /** A few words that say what the example shows. */
  readonly title: string;
  readonly yaml: string;
}

export interface WorkloadExamples {
  /** Scenarios that load; together they have each key of the workload. */
  readonly taken: readonly ScenarioExample[];
  /** Scenarios of which each is refused for one reason. */
  readonly refused: readonly ScenarioExample[];
}

/** A rule over several keys. Bivariant, so that a workload's rules can name the type of its own keys. */
export type WorkloadRule<Treatment> = {
  bivariant(written: unknown, treatment: Treatment): readonly Finding[];
}["bivariant"];

/** The keys that a workload has at the top of a scenario. */
export interface WorkloadKeys<Treatment, Own = object> {
  readonly keys: Readonly<Record<string, z.ZodType>>;
  /**
   * Rules over a scenario whose keys passed their schema. A rule reads only the keys that it is about: it then runs even if
   * the schema refuses another key.
   */
  readonly rules?: readonly WorkloadRule<Treatment>[];
  /** Settings of the treatment that a dialect cannot serve. */
  dialectProblems?(name: DialectName, treatment: Treatment): readonly Finding[];
  /** The settings of a treatment, made of keys that passed their schema. */
  resolve(written: unknown): Own;
  /** Whether the scenario leaves room for clients of that role. Default: always. */
  hasRole?(role: string, written: unknown): boolean;
  /** Keys that `schema print` takes as options if it is given no scenario. */
  readonly levels?: readonly LevelOption[];
  readonly examples?: WorkloadExamples;
}

/** A key of a workload as an option of `schema print`. */
export interface LevelOption {
  /** Name of the option, as `shape`. */
  readonly option: string;
  /** The key of the scenario, as `statementShape`. */
  readonly key: string;
  readonly description: string;
  readonly choices: readonly string[];
  readonly fallback: string;
  /** Whether the tables depend on the key; otherwise only the statements do. */
  readonly isOfTables: boolean;
}

/** An objection of a careful experimenter: one short sentence with the way out. */
export interface Objection {
  /** Stable name for programs. */
  readonly rule: string;
  readonly words: string;
}

/** The tables of a workload, one of each name in the namespace. */
export interface WorkloadTables extends FaultTables<string> {
  /** Names of the tables in the order in which they are created. */
  readonly names: readonly string[];
  /** The beginning of each variant of the tables, as `payload `; left out if no other run may drop the namespace. */
  readonly mark?: string;
}

export interface ClientContext<S extends WorkloadTreatment> extends ActorContext<ThreadAssignment<S>> {
  readonly source: Pick<ConnectionSource, "acquire">;
}

/** The clients of one worker thread. */
export interface WorkloadClient extends Actor {
  /** The operation that an arrival of the group starts, the same in every worker. Needed if the role has several. */
  operationOf?(arrival: Arrival): string;
  /** Writes what the audit reads, once a second and when the worker fails. Never throws. */
  flush?(): void;
  /** Ends the clients after their last transaction and resolves to their account for the audit. Rejects if it was not kept. */
  close?(): unknown;
}

export interface PreloadInputs<S> {
  readonly settings: S;
  readonly seed: number;
  /** Directory of the trial. */
  readonly directory: string;
  /** Whether to go on: false once the run is interrupted. */
  readonly isWanted: () => boolean;
}

/** Spans of a trial within which faults may lose acknowledged work. */
export interface LossTerms {
  readonly spans: readonly LossSpan[];
  /** Whether the scenario counts such a loss instead of calling it a violation. */
  readonly isAllowed: boolean;
  /** Start of the measurement window on the monotonic clock; undefined if it never began. */
  readonly windowStartMs: number | undefined;
}

export interface AuditInputs<S> {
  readonly settings: S;
  readonly directory: string;
  /** The account that each closed worker's `WorkloadClient.close` resolved to. */
  readonly told: readonly unknown[];
  /** Names of the workers that ended without closing. */
  readonly unclosed: readonly string[];
  /** The value that `preload` resolved to. */
  readonly preloaded: unknown;
  /** Whether the queue was seen empty after the window. */
  readonly isDrained: boolean;
  /** Milliseconds by which a fault set the server's clock; left out if none did. */
  readonly clockStepMs?: number;
  /** Left out if no fault may have lost anything. */
  readonly loss?: LossTerms;
}

/** Acknowledged work of one operation that is not in the tables. */
export interface Loss {
  readonly operation: string;
  /** Things in the operation's unit; a thing that lost several operations counts as often. */
  readonly lost: number;
  /** Part of `lost` that was acknowledged outside all spans within which a fault may lose something. */
  readonly unexplained: number;
  /** Seconds of the window at which the first and the last lost work was acknowledged, if known. */
  readonly firstAtSeconds?: number | undefined;
  readonly lastAtSeconds?: number | undefined;
}

/** The findings of every audit; `Auditing.findings` adds a workload's own. */
export interface AuditFindings {
  readonly verdict: "ok" | "violated";
  /** Things that the database acknowledged, in the workload's unit. */
  readonly published: number;
  readonly inDoubt: number;
  readonly lost: number;
  readonly unexpected: number;
  /** Losses by operation, of an audit that tells them apart; left out if nothing was lost. */
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

export interface Audited {
  readonly findings: AuditFindings;
  readonly passesPerEvent?: number;
  /** Additional fields of the audit's line in the log. */
  readonly logged?: Mapping;
}

/** Statements of a trial's result that its files can confirm. */
export interface Stated {
  readonly integrity: AuditFindings;
  readonly passesPerEvent: number | undefined;
}

/** A figure as a trial's result states it and as its files give it, or why the two are not compared. */
export type Recounted =
  | { readonly figure: string; readonly stated: unknown; readonly counted: unknown }
  | { readonly figure: string; readonly leftOut: string };

/** Measurements of a trial, or of a treatment's trials together, from which a workload makes its lines. */
export interface Reported {
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

/** Steps before the clients start. */
export interface Loading<S> {
  /** Sentences, each with its place, about statements that the server refuses. They are tried in a transaction that is rolled back, before the first trial. */
  tryOut?(store: Store<S>, admin: AdminSession, settings: S): Promise<readonly string[]>;
  /** Fills the tables before the warm-up; the audit gets the value that this resolves to. */
  preload?(store: Store<S>, admin: AdminSession, inputs: PreloadInputs<S>): Promise<unknown>;
}

/** How a queue is emptied after the measurement window. */
export interface Draining<S> {
  /** Whether these groups can empty what others fill. */
  isPossible(actors: Readonly<Record<string, ActorGroup>>): boolean;
  isDone(store: Store<S>, admin: AdminSession, settings: S): Promise<boolean>;
}

/** Words for the subject of an audit, as `event`, and for an acknowledged one, as `published`. */
export interface AuditWords {
  readonly one: string;
  readonly acknowledged: string;
}

/** How the tables are held to the transactions that were acknowledged. */
export interface Auditing<S> extends AuditWords {
  /** Kinds of violation that the audit tells apart. */
  readonly violations: readonly string[];
  /** Fields of `integrity` in the result besides the fields of every audit. */
  readonly findings?: Readonly<Record<string, z.ZodType>>;
  /** Names of `findings` that thresholds and published figures can ask for, as `audit`'s. */
  readonly sizes?: readonly string[];
  audit(store: Store<S>, admin: AdminSession, inputs: AuditInputs<S>): Promise<Audited>;
  /** Whether the audit knows when each thing was acknowledged, and so which faults explain its loss. */
  readonly explainsLoss?: true;
  /** Counts again, from a finished trial's directory, what its audit stated. Throws if a file cannot be read. */
  recount?(directory: string, stated: Stated): Iterable<Recounted>;
}

/** A stage of life. */
export interface StageTraits {
  /** The roles that bring things to it. */
  readonly roles: readonly string[];
  /** The span that its latency is of, as `Publish commit to archive commit`. */
  readonly span: string;
}

/** Statements about a treatment and its results beyond the figures of every operation. */
export interface Reporting<S> {
  /** Stages of the life of a thing that was published. Results have the latency up to each. */
  readonly stages?: Readonly<Record<LifecycleStage, StageTraits>>;
  /** Conditions of a treatment in words, by aspect, for the plan and the report. */
  conditions?(settings: S): Readonly<Record<string, string | undefined>>;
  /** Objections to one treatment. General rules are in `analysis/lint`. */
  lint?(settings: S): readonly Objection[];
  /** Names of the metrics of evidence that the summary states for each treatment, by the key that a factor varies. */
  readonly factors?: Readonly<Record<string, readonly string[]>>;
  /** Lines of the summary about one treatment. */
  lines?(measured: Reported): readonly string[];
}

/** A workload: a folder here and a line in `registry.ts`. The rest of the program knows its operations and roles by name only. */
export interface Workload<S extends WorkloadTreatment = WorkloadTreatment> {
  readonly name: string;
  /** One sentence for the reference of the scenario. */
  readonly description: string;
  /** Operations by name, in the order in which results show them. */
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, RoleTraits>>;
  /** Whether clients ever run that operation with these settings: its weight is above 0. Default: always. */
  performs?(operation: string, settings: S): boolean;
  readonly settings: WorkloadKeys<S>;
  readonly tables: WorkloadTables;
  /** The functions below get the store of the treatment's database, and know its operations. */
  readonly stores: Stores<Store<S>>;
  /** Why transactions send no COMMIT, as `statementShape is single-statement`; undefined if they send one. */
  withoutCommit?(settings: S): string | undefined;
  /** Whether the simple protocol, which has no parameters, can send the statements: `prepared: simple`. */
  readonly isSimple?: true;
  /** Whether statements name tables without their schema, which then is in the search path of every endpoint. */
  readonly isUnqualified?: true;
  /** Whether clients hold connections of their own, and need the pool strategy `own`. They lease none. */
  readonly ownsConnections?: true;
  /** Makes the clients of one worker thread, which wait at the barrier until this resolves. */
  client(store: Store<S>, context: ClientContext<S>): WorkloadClient | Promise<WorkloadClient>;
  readonly loading?: Loading<S>;
  readonly draining?: Draining<S>;
  readonly auditing?: Auditing<S>;
  readonly reporting?: Reporting<S>;
}
