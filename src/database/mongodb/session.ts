// A session of the load is a client of the driver with one connection. The driver would open another connection in place of
// a lost one; here the session is then broken, so that the pool counts the loss and opens another session.
import type { MongoClient } from "mongodb";
import { monotonicMs } from "../../foundation/clock.js";
import type { LoadSession, SessionOptions } from "../contract.js";
import { InDoubtError, StatementError } from "../errors.js";
import type { CallObserver } from "../session.js";
import { closeClient, connectClient, createClient } from "./driver.js";
import { classifyFailure, isWriteInDoubt } from "./error-codes.js";

export class MongoSession implements LoadSession {
  private client: MongoClient | undefined;
  private observer: CallObserver | undefined;
  private state: "new" | "open" | "broken" = "new";
  private isEnding = false;
  lossError: Error | undefined;

  constructor(private readonly options: SessionOptions) {}

  get isBroken(): boolean {
    return this.state === "broken";
  }

  async connect(): Promise<this> {
    const { endpoint, applicationName, connectTimeoutMs, report } = this.options;
    try {
      this.client = createClient(endpoint, { applicationName, connections: 1, connectTimeoutMs });
      await connectClient(this.client, endpoint);
    } catch (error) {
      this.state = "broken";
      if (!this.isEnding) report?.("refused", error as Error);
      throw error;
    }
    this.client
      .on("connectionClosed", () => this.markBroken(undefined))
      .on("connectionPoolCleared", () => this.markBroken(undefined));
    this.state = "open";
    report?.("connected");
    return this;
  }

  observe(observer: CallObserver | undefined): void {
    this.observer = observer;
  }

  async ping(): Promise<void> {
    await this.read("ping", (client) => client.db("admin").command({ ping: 1 }));
  }

  /** Runs a call that changes nothing. */
  async read<T>(name: string, call: (client: MongoClient) => Promise<T>): Promise<T> {
    const { client } = this;
    if (!client || this.isBroken) throw this.notSentError(name);
    const { onTransaction } = this.options;
    const startMs = monotonicMs();
    try {
      return await call(client);
    } catch (error) {
      const { kind, sqlstate } = classifyFailure(error);
      if (kind === "reconnect") this.markBroken(error as Error);
      throw new StatementError(name, error, sqlstate);
    } finally {
      this.observer?.onCall(name, startMs, monotonicMs());
      onTransaction?.();
    }
  }

  /** Runs a write, which is a transaction by itself: rejects with an InDoubtError if it was sent and its answer was lost. */
  async write<T>(name: string, call: (client: MongoClient) => Promise<T>): Promise<T> {
    if (this.isBroken) throw this.notSentError(name);
    try {
      return await this.read(name, call);
    } catch (error) {
      throw isWriteInDoubt(error) ? new InDoubtError(error) : error;
    }
  }

  async end(): Promise<void> {
    this.isEnding = true;
    if (this.client) await closeClient(this.client);
    this.state = "broken";
  }

  private markBroken(error: Error | undefined): void {
    if (this.state !== "open" || this.isEnding) return;
    this.state = "broken";
    this.lossError = error;
    this.options.report?.("lost", error);
  }

  private notSentError(name: string): StatementError {
    const cause = this.lossError ?? lostConnectionError();
    return new StatementError(name, cause, classifyFailure(cause).sqlstate);
  }
}

/** The error of a call on a session that was lost while no call was under way, with a name that the driver uses for it. */
function lostConnectionError(): Error {
  return Object.assign(new Error("the connection was lost before the call"), {
    name: "MongoNotConnectedError",
  });
}
