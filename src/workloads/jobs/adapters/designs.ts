// The program of the designs in SQL: it runs the statements of `schema/jobs/<design>.sql`.
import { readFileSync } from "node:fs";
import type pg from "pg";
import { quoteIdentifier } from "../../../database/postgres/quoting.js";
import { DEFAULT_LEASE_MS, DESIGNS, type DesignName, type DesignSettings } from "../designs.js";
import { readSqlOfDesign, type SqlOfDesign } from "../sql-sections.js";
import { codeOf, messageOf } from "../../../foundation/errors.js";
import { Connections } from "./connections.js";
import {
  serve,
  Unusable,
  type Adapter,
  type Enqueuer,
  type Handler,
  type Payload,
  type Start,
  type Worker,
} from "./kit.js";
import { Loops } from "./loops.js";

type Parameters = Readonly<Record<string, unknown>>;

interface ClaimedJob {
  readonly id: string;
  readonly attempt: number;
  readonly payload: Payload;
  /** End of the lease, which the completion names. */
  readonly lease?: string;
  readonly batch?: string;
}

/** Milliseconds between two turns of partitions and, at most, between two searches for expired leases. */
const UPKEEP_MS = 1_000;

type Settings = Required<DesignSettings> & { readonly design: DesignName };

function settingsOf({ settings }: Start): Settings {
  const given = settings as unknown as DesignSettings & { readonly design: DesignName };
  const { leaseMs = DEFAULT_LEASE_MS, retire = DESIGNS[given.design].retires[0] } = given;
  return { ...given, leaseMs, retire };
}

function sqlOf(start: Start): SqlOfDesign {
  const { design, retire, layout, ids, foreignKey, wakeup, fillfactor, claimBatch } = settingsOf(start);
  const levels = {
    retire,
    layout,
    ids,
    foreignKey: `${foreignKey}`,
    wakeup: wakeup.isNotified ? "notify" : "poll",
  };
  const values = {
    schema: quoteIdentifier(start.schema),
    fillfactor: `${fillfactor}`,
    batch: `${claimBatch}`,
  };
  const file = new URL(`../../../../schema/jobs/${design}.sql`, import.meta.url);
  return readSqlOfDesign(readFileSync(file, "utf8"), levels, values);
}

/** The statements of a design, by name; each is prepared once in each session. */
class Statements {
  constructor(private readonly sql: SqlOfDesign) {}

  has(name: string): boolean {
    return this.sql.statements.has(name);
  }

  async run<Row extends object>(
    session: pg.ClientBase,
    name: string,
    values: Parameters = {},
  ): Promise<Row[]> {
    const statement = this.sql.statements.get(name);
    if (!statement) throw new Error(`The design has no statement ${name}`);
    const { text, parameters } = statement;
    const { rows } = await session.query<Row>({ name, text, values: parameters.map((each) => values[each]) });
    return rows;
  }
}

async function enqueuer(start: Start): Promise<Enqueuer> {
  const statements = new Statements(sqlOf(start));
  const connections = await Connections.open(start, start.connections);
  const caller = `INSERT INTO ${quoteIdentifier(start.schema)}.callers (id) VALUES ($1)`;
  return {
    async enqueue(jobs, inTransaction) {
      const values = { jobs: JSON.stringify(jobs) };
      await connections.use(async (session) => {
        const insert = (): Promise<object[]> => statements.run(session, "enqueue", values);
        if (!inTransaction) return insert();
        return connections.transaction(session, async () => {
          await session.query({ name: "caller", text: caller, values: [jobs[0]?.payload.id] });
          return insert();
        });
      });
    },
    close: () => connections.close(),
  };
}

class DesignWorker {
  private readonly statements: Statements;
  private readonly keeps: "nothing" | "transaction" | "session";
  private readonly settings: Settings;

  constructor(
    start: Start,
    private readonly connections: Connections,
    private readonly handler: Handler,
  ) {
    this.statements = new Statements(sqlOf(start));
    this.settings = settingsOf(start);
    this.keeps = DESIGNS[this.settings.design].keeps;
  }

  /** Claims jobs, runs and completes them. Resolves to whether there were any. */
  async work(wakeNext: () => void): Promise<boolean> {
    const { connections, keeps } = this;
    const wakeIfMore = ({ length }: readonly ClaimedJob[]): void => {
      if (length >= this.settings.claimBatch || (length > 0 && this.statements.has("tick"))) wakeNext();
    };
    if (keeps === "nothing") {
      const jobs = await connections.use((session) => this.claim(session));
      wakeIfMore(jobs);
      // The lease makes it safe to repeat a completion whose answer was lost.
      if (jobs.length > 0) await this.runHandlers(jobs, (settle) => connections.untilAnswered(settle));
      return jobs.length > 0;
    }
    return connections.use(async (session) => {
      const jobs = await this.claimAndKeep(session);
      wakeIfMore(jobs);
      if (jobs.length > 0) await this.runHandlers(jobs, (settle) => settle(session));
      return jobs.length > 0;
    });
  }

  private async claim(session: pg.ClientBase): Promise<ClaimedJob[]> {
    const values = { lease_ms: this.settings.leaseMs };
    const jobs = await this.statements.run<ClaimedJob>(session, "claim", values);
    if (jobs.length > 0 || !this.statements.has("tick")) return jobs;
    const [ticked] = await this.statements.run<{ tick: string }>(session, "tick");
    return Number(ticked?.tick) > 0 ? this.statements.run<ClaimedJob>(session, "claim", values) : [];
  }

  private async claimAndKeep(session: pg.ClientBase): Promise<ClaimedJob[]> {
    if (this.keeps === "transaction") {
      const [, jobs] = await Promise.all([session.query("BEGIN"), this.claim(session)]);
      if (jobs.length === 0) await session.query("ROLLBACK");
      return jobs;
    }
    const locked = await this.claim(session);
    if (locked.length === 0) return [];
    const jobs = await this.statements.run<ClaimedJob>(session, "recheck", {
      ids: locked.map(({ id }) => id),
    });
    if (jobs.length === 0) await this.statements.run(session, "unlock");
    return jobs;
  }

  /**
   * Runs the handlers one after the other, completes their jobs by `settleBy`, and reports them. A job is reported, too, if
   * the answer was lost with the connection: its handler did run, and the queue may know it.
   */
  private async runHandlers(
    jobs: readonly ClaimedJob[],
    settleBy: (settle: (session: pg.ClientBase) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const done: ClaimedJob[] = [];
    const failed: ClaimedJob[] = [];
    for (const job of jobs)
      // A job that ended its last worker may come once more than it may run.
      if (job.attempt > this.settings.attempts) failed.push(job);
      else
        await this.handler.run(job.payload, job.attempt).then(
          () => done.push(job),
          () => failed.push(job),
        );
    try {
      await settleBy((session) => this.settle(session, done, failed));
    } finally {
      for (const { payload, attempt } of done) this.handler.finished(payload, attempt);
    }
  }

  private async settle(
    session: pg.ClientBase,
    done: readonly ClaimedJob[],
    failed: readonly ClaimedJob[],
  ): Promise<void> {
    const { statements, keeps } = this;
    const { attempts, retryAfterMs } = this.settings;
    const [{ lease, batch } = {}] = [...done, ...failed] as [ClaimedJob?];
    const common = { lease, batch, attempts, retry_ms: retryAfterMs };
    const fail = async (): Promise<void> => {
      for (const { id, attempt } of failed) await statements.run(session, "fail", { ...common, id, attempt });
    };
    const complete = async (): Promise<void> => {
      if (done.length > 0 || batch !== undefined)
        await statements.run(session, "complete", { ...common, ids: done.map(({ id }) => id) });
    };
    if (keeps === "transaction") {
      await fail();
      await Promise.all([complete(), session.query("COMMIT")]);
    } else if (failed.length === 0) await complete();
    else
      await this.connections.transaction(session, async () => {
        await fail();
        await complete();
      });
    if (keeps === "session") await statements.run(session, "unlock");
  }

  /** Work for which no job is the reason: leases that have expired, partitions. */
  async upkeep(): Promise<boolean> {
    return this.connections.use(async (session) => {
      if (this.statements.has("turn")) await this.statements.run(session, "turn");
      return this.statements.has("reap") && (await this.statements.run(session, "reap")).length > 0;
    });
  }

  get needsUpkeep(): boolean {
    return this.statements.has("turn") || this.statements.has("reap");
  }
}

async function worker(start: Start, handler: Handler): Promise<Worker> {
  const { wakeup, leaseMs } = settingsOf(start);
  if (wakeup.isNotified && start.connections < 2)
    throw new Unusable(
      "LISTEN takes a connection for itself, and the worker has 1",
      "Give workers 2 connections.",
    );
  const sessionSql = sqlOf(start).statements.get("session")?.text;
  const connections = await Connections.open(
    start,
    start.connections - (wakeup.isNotified ? 1 : 0),
    sessionSql,
  );
  const design = new DesignWorker(start, connections, handler);
  const loops = new Loops(start.concurrency, wakeup.pollMs, (wakeNext) => design.work(wakeNext));
  if (wakeup.isNotified) connections.listen(start.schema, () => loops.wake());
  if (design.needsUpkeep)
    loops.every(Math.min(leaseMs / 2, UPKEEP_MS), async () => {
      if (await design.upkeep()) loops.wake();
    });
  return {
    failure: loops.failure,
    async stop() {
      await loops.stop();
      await connections.close();
    },
  };
}

async function install(start: Start): Promise<string> {
  const { schema, statements } = sqlOf(start);
  const connections = await Connections.open(start, 1);
  try {
    await connections.use((session) => session.query(schema));
  } catch (error) {
    const code = codeOf(error);
    if (code === "42883" && settingsOf(start).ids === "uuidv7")
      // undefined_function
      throw new Unusable(
        "The server has no function uuidv7()",
        "Use PostgreSQL 18, or another level of jobIds.",
      );
    if (code === "42P07")
      // duplicate_table
      throw new Unusable(
        `${messageOf(error)} in ${start.schema}`,
        "Use another namespace, or drop this one.",
      );
    throw error;
  } finally {
    await connections.close();
  }
  return statements.get("jobs")?.text ?? "";
}

const { version } = JSON.parse(
  readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { version: string };

const adapter: Adapter = {
  async load(start) {
    return { library: settingsOf(start).design, version, promise: "at-least-once", acknowledges: true };
  },
  install,
  enqueuer,
  worker,
};
serve(adapter);
