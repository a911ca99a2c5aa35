// Lines of JSON between train-sim and the program of a queue: commands on its standard input, events on its standard
// output. docs/reference/queue-adapters.md describes them for programs in other languages.

/** The content of a job, which the queue stores whole. */
export interface Payload {
  readonly id: string;
  /** Milliseconds that the handler takes. */
  readonly ms: number;
  /** Number of first attempts in which the handler fails. */
  readonly fails: number;
  /** Filler that gives the payload its size. */
  readonly text: string;
}

export interface Job {
  readonly payload: Payload;
  /** Higher numbers first. Left out: the queue's default. */
  readonly priority?: number;
  /** Milliseconds from the enqueueing to the first run. */
  readonly delayMs?: number;
}

/** The first line that a program reads. */
export interface Start {
  /** `install` creates the queue's tables, `remove` drops those outside of `schema`; both end by themselves. */
  readonly role: "install" | "remove" | "enqueue" | "work";
  /** Number of this process in its role, from 0. A process that replaces a killed one has its number. */
  readonly worker: number;
  /** Connection URL with user, password and application_name. */
  readonly url: string;
  /** Schema for the queue's tables. At `install` it has the tables `callers` and `bystanders` of train-sim alone. */
  readonly schema: string;
  /** Largest number of connections that this process may open. */
  readonly connections: number;
  /** Number of jobs that the process works on at a time; only for `work`. */
  readonly concurrency: number;
  readonly profile: "defaults" | "tuned";
  /** Directory of the scenario, from which libraries are resolved. */
  readonly directory: string;
  /** Levels of the scenario's keys for designs, such as `retire`. `leaseMs` is for libraries, too: only if the scenario names it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Later lines that a program reads. */
export type Command =
  | {
      readonly enqueue: readonly Job[];
      readonly request: number;
      /** True if the jobs go in together with an insert of the caller's, in one transaction. */
      readonly transaction?: boolean;
    }
  | { readonly stop: true };

export type Promised = "at-least-once" | "at-most-once" | "exactly-once";

/** The event that follows `Start` once the program has connected; `install` sends it when the tables exist. */
export interface Ready {
  readonly event: "ready";
  /** Name and version of the library. */
  readonly library: string;
  readonly version: string;
  /** The library's promise about the runs of an acknowledged job's handler. */
  readonly promise: Promised;
  /** Caveat about the library or its runtime, one sentence. */
  readonly caveat?: string;
  /** True if `finished` is sent once the queue knows the end of the job; false if it is sent when the handler returns. */
  readonly acknowledges: boolean;
  /**
   * Only from `install`: a SELECT of the jobs that the tables hold, with the columns `id`, `state` (`waiting`, `running`,
   * `done`, `failed`) and `payload`, the stored payload as text or json. Names are qualified.
   */
  readonly jobs?: string;
}

export type ProgramEvent =
  | Ready
  | { readonly event: "enqueued"; readonly request: number }
  | {
      readonly event: "refused";
      readonly request: number;
      readonly message: string;
      /** SQLSTATE or a code of the system, if the error has one. */
      readonly code?: string;
    }
  /** `atMs` is the system's monotonic clock (CLOCK_MONOTONIC) in milliseconds, with a fraction. */
  | {
      readonly event: "started" | "finished" | "failed";
      readonly id: string;
      readonly attempt: number;
      readonly atMs: number;
    }
  /** The program cannot go on: the reason, and a remedy. It ends with exit code 1 behind it. */
  | { readonly event: "broken"; readonly message: string; readonly remedy: string };
