// Connections of a queue's program in JavaScript: a pool that outlives restarts of its server.
import pg from "pg";
import { quoteIdentifier } from "../../../database/postgres/quoting.js";
import { classifyFailure } from "../../../database/postgres/sqlstates.js";
import { systemClock } from "../../../foundation/clock.js";
import type { Start } from "./kit.js";

/** Milliseconds before the next try after a lost connection. */
export const RECONNECT_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;

/** True if the same may succeed later: a conflict, or a connection that is gone. */
export function mayPass(error: unknown): boolean {
  return ["retry", "reconnect", "in-doubt"].includes(classifyFailure(error).kind);
}

function withCode(error: unknown): unknown {
  if (error instanceof Error && !("code" in error && error.code !== undefined))
    Object.assign(error, { code: classifyFailure(error).sqlstate });
  return error;
}

// A session that is lost while no statement runs says so by an event; its next statement fails.
const ignore = (): void => undefined;

export class Connections {
  private isClosed = false;
  private listener: pg.Client | undefined;

  private constructor(
    private readonly config: pg.ClientConfig,
    private readonly pool: pg.Pool,
    settings: string,
  ) {
    pool.on("connect", (client) => {
      client.on("error", ignore);
      // An error ends the session, so the statement that follows fails, too.
      if (settings !== "") client.query(settings).catch(() => client.end());
    });
    pool.on("error", ignore);
  }

  /**
   * Opens the pool, and one connection as a test: a wrong password is an error at the start.
   * @param settings SQL that each session of the pool begins with
   */
  static async open({ url }: Pick<Start, "url">, size: number, settings = ""): Promise<Connections> {
    const config = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      pipeline: true,
    };
    const connections = new Connections(
      config,
      new pg.Pool({ ...config, max: size, idleTimeoutMillis: 0, connectionTimeoutMillis: 0 }),
      settings,
    );
    await connections.use((session) => session.query("SELECT 1"));
    return connections;
  }

  /** Lends a session. After an error it is closed, with its transaction and its locks; the error has a code. */
  async use<Result>(act: (session: pg.PoolClient) => Promise<Result>): Promise<Result> {
    try {
      const session = await this.pool.connect();
      let isDone = false;
      try {
        const result = await act(session);
        isDone = true;
        return result;
      } finally {
        session.release(!isDone);
      }
    } catch (error) {
      throw withCode(error);
    }
  }

  async transaction<Result>(session: pg.ClientBase, act: () => Promise<Result>): Promise<Result> {
    await session.query("BEGIN");
    const result = await act();
    await session.query("COMMIT");
    return result;
  }

  /** Repeats until the server has answered or the error is lasting. */
  async untilAnswered(act: (session: pg.PoolClient) => Promise<void>): Promise<void> {
    for (;;)
      try {
        await this.use(act);
        return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        await systemClock.sleep(RECONNECT_MS);
      }
  }

  /** Calls back for each notification of the channel, and after each new connection, which may have missed some. */
  listen(channel: string, wake: () => void): void {
    const listener = new pg.Client(this.config);
    this.listener = listener;
    listener.on("error", ignore);
    listener.on("notification", wake);
    listener.on("end", () => {
      if (!this.isClosed) void systemClock.sleep(RECONNECT_MS).then(() => this.listen(channel, wake));
    });
    listener
      .connect()
      .then(() => listener.query(`LISTEN ${quoteIdentifier(channel)}`))
      .then(wake, () => void listener.end());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled([this.listener?.end(), this.pool.end()]);
  }
}
