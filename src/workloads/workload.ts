// What a workload is to the rest of the program, which knows its operations and roles by name alone. One is a folder here
// and a line in `registry.ts`; what only some have is optional.
import type * as z from "zod";
import type { ActorContext, Actor } from "../actors/actor.js";
import type { Assignment, ClientSettings } from "../actors/assignment.js";
import type { ActorGroup } from "../actors/settings.js";
import type { AdminClient, SqlClient } from "../database/postgres/admin.js";
import type { ConnectionSource, Statement } from "../database/contract.js";
import type { ViewGroup } from "../database/postgres/evidence/view.js";
import type { TableSet } from "../database/postgres/namespace/schema-files.js";
import type { DialectName } from "../database/postgres/settings.js";
import type { FaultTables, LossSpan } from "../faults/fault.js";
import type { Arrival } from "../load/arrivals.js";
import type { LifecycleStage } from "../metrics/operations.js";
import type { Mapping } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { NamedFinding } from "./findings.js";

/** Of a treatment, what every workload is made with, beside settings of its own. */
export interface WorkloadTreatment extends ClientSettings {
  readonly dialect: DialectName;
  /** The PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
}

/** Whether an operation brings in what others work on, works on it, or takes it out. */
export type Flow = "in" | "through" | "out";

/** A kind of transaction, or of a round of them, whose name begins with `__`. */
export interface OperationTraits {
  /** What it does with what it works on, as `adds`. */
  readonly verb: string;
  /** What it works on, as `events`. */
  readonly unit: string;
  /** Of an operation that is a part of a flow. */
  readonly flow?: Flow | undefined;
}

/** A group of clients. */
export interface RoleTraits {
  /** For the reference of the scenario. */
  readonly purpose: string;
  /** Unless the scenario says otherwise. */
  readonly clients: number;
  readonly thinkTimeMs: number;
  /** Whether it is there without being named. */
  readonly isByDefault: boolean;
  /** Whether the batches of a day's profile are its own. */
  readonly hasBatches: boolean;
  readonly operations: readonly string[];
  /** The operations of which one arrival of an open loop starts one; of several, `WorkloadClient.operationOf` says which. */
  readonly arrivals: readonly string[];
  /** Whether a search for capacity drives it. */
  readonly isSearched: boolean;
  /** Whether it goes on while the trial drains. */
  readonly drains: boolean;
  /**
   * Of memory that each of its workers shares with all workers of the trial. What says that something is there is written
   * last, and lies behind it: so workers on other machines read a true copy.
   */
  readonly sharedBytes?: number;
}

/** For the reference of the scenario. */
export interface ScenarioExample {
  /** What it shows, in a few words. */
  readonly title: string;
  readonly yaml: string;
}

export interface WorkloadExamples {
  /** They load, and each key of the workload's own is in one. */
  readonly taken: readonly ScenarioExample[];
  /** Each is refused, for one reason. */
  readonly refused: readonly ScenarioExample[];
}

/** One rule over several keys. Bivariant: a family's rules know the keys of its own scenarios. */
export type WorkloadRule<Treatment> = {
  bivariant(written: unknown, treatment: Treatment): readonly Finding[];
}["bivariant"];

/** The workload's own keys, at the top of a scenario. */
export interface WorkloadKeys<Treatment, Own = object> {
  readonly keys: Readonly<Record<string, z.ZodType>>;
  /**
   * Rules over a scenario whose keys passed their schema. Each reads only the keys that it is about: beside a key that the
   * schema refuses, the rules that do not read it still speak.
   */
  readonly rules: readonly WorkloadRule<Treatment>[];
  /** All that a dialect cannot do of it. */
  dialectProblems(name: DialectName, treatment: Treatment): readonly Finding[];
  /** Of keys that passed their schema, the settings of a treatment. */
  resolve(written: unknown): Own;
  /** Whether the clients of that role can be there. */
  hasRole(role: string, written: unknown): boolean;
}

/** What a careful experimenter would object to, in one short sentence with the way out. */
export interface Objection {
  /** Stable name, for programs. */
  readonly rule: string;
  readonly words: string;
}

/** The tables; of each name there is one in the namespace. */
export interface WorkloadTables<S> extends FaultTables<string> {
  /** In the order in which they are made. */
  readonly names: readonly string[];
  of(settings: S): TableSet;
  /** Whether a namespace of that variant is this workload's. */
  isMarked(variant: string): boolean;
}

export interface ClientContext<S extends WorkloadTreatment> extends ActorContext<Assignment<S>> {
  readonly source: Pick<ConnectionSource, "acquire">;
}

/** The clients of one worker. */
export interface WorkloadClient extends Actor {
  /** What that arrival of the group starts, the same in every worker; where there is only one thing, left out. */
  operationOf?(arrival: Arrival): string;
  /** Once a second, before what was recorded is handed over, and when the worker fails. Never throws. */
  flush?(): void;
  /** After the clients' last transactions; returns the counts for the audit. Throws where they could not be kept. */
  close?(): unknown;
}

export interface PreloadInputs<S> {
  readonly settings: S;
  readonly seed: number;
  /** The trial's. */
  readonly directory: string;
  readonly isWanted: () => boolean;
}

/** What faults may have lost of a trial. */
export interface LossTerms {
  readonly spans: readonly LossSpan[];
  /** Whether the scenario takes it for a number, and no violation. */
  readonly isAllowed: boolean;
  /** When the measurement window began, on the monotonic clock; undefined where it never did. */
  readonly windowStartMs: number | undefined;
}

export interface AuditInputs<S> {
  readonly settings: S;
  readonly directory: string;
  /** What `WorkloadClient.close` returned, from each worker that closed. */
  readonly told: readonly unknown[];
  /** Names of those that did not. */
  readonly unclosed: readonly string[];
  /** What `preload` resolved to. */
  readonly preloaded: unknown;
  readonly isDrained: boolean;
  /** By how much the server's clock was set in the trial, in milliseconds; left out if it was not. */
  readonly clockStepMs?: number;
  /** Left out where no fault may have lost anything. */
  readonly loss?: LossTerms;
}

/** What was acknowledged of one operation and is not in the tables. */
export interface Loss {
  readonly operation: string;
  /** In what it works on; what was done to the same event several times counts as often. */
  readonly lost: number;
  /** Of it, what was acknowledged outside of all spans within which a fault may lose something. */
  readonly unexplained: number;
  /** When the first and the last of it were acknowledged, in seconds of the window, as far as that is known. */
  readonly firstAtSeconds?: number | undefined;
  readonly lastAtSeconds?: number | undefined;
}

/** What an audit found, beside `findings` of the workload. */
export interface AuditFindings {
  readonly verdict: "ok" | "violated";
  /** What the database acknowledged, in the workload's unit. */
  readonly published: number;
  readonly inDoubt: number;
  readonly lost: number;
  readonly unexpected: number;
  /** By operation, of an audit that tells that; left out where nothing was lost. */
  readonly losses?: readonly Loss[] | undefined;
  /** One sentence for each way in which it is violated. */
  readonly violations: readonly string[];
  /** The first of each kind; see `Findings`. */
  readonly named?: readonly NamedFinding[] | undefined;
  readonly notAudited: readonly string[];
  /** Present if the audit could not read the tables: its counts are then 0, and unknown. */
  readonly isUnreadable?: true | undefined;
}

export interface Audited {
  readonly findings: AuditFindings;
  readonly passesPerEvent?: number;
  /** More for the line in the trial's log. */
  readonly logged?: Mapping;
}

/** What a trial's result states, as far as its files bear it out. */
export interface Stated {
  readonly integrity: AuditFindings;
  readonly passesPerEvent: number | undefined;
}

/** One figure of a trial's result and what its files say, or why that is not compared. */
export type Recounted =
  | { readonly figure: string; readonly stated: unknown; readonly counted: unknown }
  | { readonly figure: string; readonly leftOut: string };

/** What was measured, of a trial or of a treatment's trials together, for the workload's own words. */
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

export interface Workload<S extends WorkloadTreatment = WorkloadTreatment> {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** In the order in which they are shown. */
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, RoleTraits>>;
  /** Whether its clients ever run that operation, as one whose weight is above 0. All of them where left out. */
  performs?(operation: string, settings: S): boolean;
  readonly settings: WorkloadKeys<S>;
  readonly tables: WorkloadTables<S>;
  /** Why its transactions send no COMMIT, as `statementShape is single-statement`; left out where they always do. */
  withoutCommit?(settings: S): string | undefined;
  /** Every statement that its clients may run. */
  statements(settings: S): readonly Statement[];
  /** Whether its clients can send them by the simple protocol, without parameters: `prepared: simple`. */
  readonly isSimple?: true;
  /** Whether they name tables without the schema, which is in the search path of every endpoint that can have one. */
  readonly isUnqualified?: true;
  client(context: ClientContext<S>): WorkloadClient;
  /**
   * Before the first trial: what the server refuses of its statements, one sentence each with its place, tried in a transaction
   * that leaves nothing.
   */
  tryOut?(admin: AdminClient, settings: S): Promise<readonly string[]>;
  /** Fills the tables before the warm-up. */
  preload?(admin: AdminClient, inputs: PreloadInputs<S>): Promise<unknown>;
  readonly drain?: {
    /** Whether those groups can empty what others fill. */
    isPossible(actors: Readonly<Record<string, ActorGroup>>): boolean;
    isDone(client: SqlClient, settings: S): Promise<boolean>;
  };
  /** The roles that bring what it works on to each stage of its life. */
  readonly lifecycle?: Readonly<Record<LifecycleStage, readonly string[]>>;
  /** Of one treatment; the rest of the program has its own. */
  lint?(settings: S): readonly Objection[];
  /** Beside those of every audit, what its own gives: fields of `integrity` in the result. */
  readonly findings?: Readonly<Record<string, z.ZodType>>;
  /** Of those, the sizes that thresholds and published figures can ask for, as `audit`'s. */
  readonly sizes?: readonly string[];
  /** What its audit is about, as `event`, and what an acknowledged one is, as `published`. */
  readonly audited: { readonly one: string; readonly acknowledged: string };
  /** Kinds of violation that its audit tells apart. */
  readonly violations: readonly string[];
  audit?(admin: AdminClient, inputs: AuditInputs<S>): Promise<Audited>;
  /** Whether it knows when each thing was acknowledged, and so which faults explain that it is lost. */
  readonly explainsLoss?: true;
  /** Counts again in a finished trial's directory what its audit stated. Throws where that cannot be read. */
  recount?(directory: string, stated: Stated): Iterable<Recounted>;
  readonly examples?: WorkloadExamples;
  /** Lines for the summary, of one treatment. */
  report?(measured: Reported): readonly string[];
  /** Views of its own tables. */
  readonly evidence: readonly ViewGroup[];
}
