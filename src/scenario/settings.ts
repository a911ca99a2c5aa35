// What one treatment runs with: every level resolved, every duration in milliseconds, nothing optional that the
// engine would have to guess. The loader (`schema.ts`) produces these from YAML; they cross to worker threads as
// they are. Level names are fixed vocabulary (DESIGN section 3).
import type { AdvanceProbabilities } from "../workloads/train-events/model/lifecycle.js";
import type { IdKind } from "../workloads/train-events/model/event-id.js";
import type { EndpointUrl, PasswordCommand } from "../database/endpoint/endpoint.js";
import type { Fault } from "../faults/faults.js";
import type { LoadSettings, Range } from "../load/load-settings.js";
import type { DiagnosisSettings, Threshold } from "./judgement.js";

export const PAYLOADS = ["jsonb", "jsonb-manual", "text", "text-generated"] as const;
export type Payload = (typeof PAYLOADS)[number];

export const LOCKINGS = ["for-update", "skip-locked", "nowait"] as const;
export type Locking = (typeof LOCKINGS)[number];

export const STATEMENT_SHAPES = ["set-based", "row-by-row", "single-statement"] as const;
export type StatementShape = (typeof STATEMENT_SHAPES)[number];

export const ISOLATIONS = ["read committed", "repeatable read", "serializable"] as const;
export type Isolation = (typeof ISOLATIONS)[number];

export const POOL_MODES = ["session", "transaction", "statement"] as const;
export type PoolMode = (typeof POOL_MODES)[number];

export const TOPOLOGIES = ["actors", "cycle"] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** Groups of clients; `cycle` is the one of the cycle topology, whose clients do add, process, archive in turn. */
export const ROLES = ["producers", "consumers", "archivers", "readers", "cycle"] as const;
export type Role = (typeof ROLES)[number];

/** How tables are stored, beside the payload: `default` is what the database does by itself. */
export const STORAGES = ["default", "hash-sharded", "ao-row", "ao-column", "pax"] as const;
export type Storage = (typeof STORAGES)[number];

export const DIALECTS = ["postgres", "cockroachdb", "dsql", "cloudberry"] as const;
export type DialectName = (typeof DIALECTS)[number];

export type PoolSettings =
  | { readonly strategy: "direct"; readonly reconnect: "never" | "per-transaction" }
  | {
      readonly strategy: "pg-pool";
      /** Connections over all worker threads together. */
      readonly size: number;
    }
  | {
      readonly strategy: "pgbouncer";
      readonly mode: PoolMode;
      /** Server connections of each PgBouncer (`default_pool_size`). */
      readonly size: number;
      /** Managed PgBouncers to start. */
      readonly instances: number;
      /** `max_prepared_statements` of a managed PgBouncer, or of the external ones as the user states it; 0 is none. */
      readonly maxPreparedStatements: number;
      /** Running PgBouncers; empty means managed. */
      readonly urls: readonly EndpointUrl[];
      /** Admin console of an external PgBouncer. */
      readonly adminUrl?: string;
    };

export interface ActorGroup {
  /** Worker threads; clients are shared out evenly over them. At most `load.clients`. */
  readonly workers: number;
  readonly load: LoadSettings;
}

export interface TrialPhases {
  readonly warmUpMs: number;
  /** Length of the measurement window; with iteration budgets only, the window ends when they are used up. */
  readonly durationMs: number;
  /** Most time the drain may take; 0 means no drain. */
  readonly drainMaxMs: number;
}

/** How often, the first attempt included, and how long, from its actual start, a transaction is tried. */
export interface RetrySettings {
  readonly attempts: number;
  readonly deadlineMs: number;
  /** First backoff; it doubles each time up to the ceiling; each wait is uniform over 0 .. that (full jitter). */
  readonly baseMs: number;
  readonly ceilingMs: number;
}

export type TargetSettings =
  | {
      readonly kind: "embedded";
      /** PostgreSQL configuration parameters, as `shared_buffers: 256MB`. */
      readonly settings: Readonly<Record<string, string>>;
      /** Loopback port; 0 picks a free one. */
      readonly port: number;
    }
  | {
      readonly kind: "container";
      readonly image: string;
      readonly settings: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "url";
      /** Nodes of one database; a password may come from PGPASSWORD. */
      readonly urls: readonly EndpointUrl[];
      /** Where train-sim itself connects, as the owner of the namespace; the first of `urls` when left out. */
      readonly adminUrl?: string;
      /** Prints the password of `urls`, and of `adminUrl` where that has none. */
      readonly passwordCommand?: PasswordCommand;
      readonly sslmode?: "disable" | "require" | "verify-ca" | "verify-full";
      /** Paths of PEM files. */
      readonly ca?: string;
      readonly cert?: string;
      readonly key?: string;
    };

export interface LogSettings {
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
  /** A transaction whose service time is longer is logged as slow, in milliseconds. */
  readonly slowTransactionMs: number;
}

export interface TreatmentSettings {
  readonly target: TargetSettings;
  /** Where `asksDialect`, a stand-in until the server has said what it is. */
  readonly dialect: DialectName;
  readonly asksDialect: boolean;
  /** The PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
  readonly payload: Payload;
  readonly storage: Storage;
  readonly pool: PoolSettings;
  readonly locking: Locking;
  readonly isolation: Isolation;
  readonly ids: IdKind;
  readonly statementShape: StatementShape;
  readonly prepared: boolean;
  /** Events a transaction adds, processes or archives at most. */
  readonly batch: Range;
  /** Pause inside each process transaction, holding its locks. */
  readonly appDelayMs: Range;
  readonly advance: AdvanceProbabilities;
  readonly documentBytes: number;
  /** Events inserted before the warm-up, PENDING. */
  readonly preload: number;
  readonly topology: Topology;
  readonly actors: Readonly<Partial<Record<Role, ActorGroup>>>;
  readonly trial: TrialPhases;
  readonly retry: RetrySettings;
  readonly log: LogSettings;
  /** Milliseconds between samples of the server; 0 for readings at both ends of the window only. */
  readonly evidence: { readonly everyMs: number };
  /** What breaks in each trial; in the order in which the scenario names them. */
  readonly faults: readonly Fault[];
}

/** One combination of levels. */
export interface Treatment {
  /** Short, stable, safe as a file name: made of its levels, as `payload=text,pool=direct` -> `text-direct`. */
  readonly id: string;
  /** Level of each factor, by the factor's path, as text. */
  readonly levels: Readonly<Record<string, string>>;
  readonly settings: TreatmentSettings;
}

/** One run of a treatment, in the order in which trials are run. */
export interface PlannedTrial {
  /** Position in the experiment, from 1. */
  readonly number: number;
  /** Block, from 0: each block holds every treatment once; trials of one block share a seed. */
  readonly block: number;
  readonly treatmentId: string;
  readonly seed: number;
}

/** A scenario ready to be run. */
export interface Experiment {
  readonly name: string;
  readonly seed: number;
  readonly treatments: readonly Treatment[];
  readonly trials: readonly PlannedTrial[];
  /** In the order in which they are written. */
  readonly thresholds: readonly Threshold[];
  readonly diagnosis: DiagnosisSettings;
  /** The scenario as resolved (overrides applied), as YAML that loads to this same experiment. */
  readonly yaml: string;
  /** What of the command line has less effect than it seems to. */
  readonly warnings?: readonly string[];
}

/** Clients of a group in worker `index` of `workers`: evenly, the remainder to the first ones. */
export function shareOf(total: number, workers: number, index: number): number {
  return Math.floor(total / workers) + (index < total % workers ? 1 : 0);
}

/** PgBouncers of ours before each of so many servers: shared out evenly, one before each at the least. */
export function poolersBefore(servers: number, instances: number): number[] {
  return Array.from({ length: servers }, (_, index) => Math.max(1, shareOf(instances, servers, index)));
}

/** Clients of all groups of a treatment together. */
export function totalClients(settings: TreatmentSettings): number {
  return Object.values(settings.actors).reduce((sum, group) => sum + group.load.clients, 0);
}
