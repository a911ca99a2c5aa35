import type { Endpoint } from "../../database/endpoint.js";
import { ReopenableSession } from "../../database/standing-session.js";
import type { ProcessPause } from "../../foundation/process/stand-still.js";
import type {
  PoolerInstance,
  PoolerReading,
  PoolerStatistics,
  RunningPooler,
} from "../../pools/running-pooler.js";
import type { OpenedPoolers, PoolerRequest } from "./path-protocol.js";

export class LocalPoolers {
  /** Settles with how a pooler ended, if one ends unexpectedly, and with undefined once the poolers are closed. */
  private readonly loss: Promise<string | undefined>;
  private onClose: () => void = () => undefined;
  private statistics: ReopenableSession<PoolerStatistics> | undefined;
  private consolePause:
    | { readonly end: AbortController; readonly goOn: Promise<() => Promise<void>> }
    | undefined;
  private processPause: ProcessPause | undefined;

  constructor(private readonly running: RunningPooler) {
    const closePromise = new Promise<undefined>((resolve) => (this.onClose = () => resolve(undefined)));
    this.loss = Promise.race([running.lost, closePromise]);
  }

  get endpoints(): readonly Endpoint[] {
    return this.running.endpoints;
  }

  get openedPoolers(): OpenedPoolers {
    const {
      version = "unknown version",
      supportsPreparedStatements,
      endpoints,
      consoles,
      pids,
    } = this.running;
    return {
      version,
      supportsPreparedStatements,
      endpoints: [...endpoints],
      consoles: [...consoles],
      pids: [...pids],
    };
  }

  async answer(request: PoolerRequest): Promise<unknown> {
    switch (request.kind) {
      case "await-loss":
        return this.loss;
      case "connect-statistics":
        return this.connect(request.connectTimeoutMs);
      case "sample":
        return this.sample();
      case "servers-max":
        return (await this.statistics?.get())?.serversMax();
      case "shut-down":
        await this.instance(request.instance).shutDown(request.how);
        return [...this.running.pids];
      case "bring-up":
        await this.instance(request.instance).start();
        return [...this.running.pids];
      case "pause":
        return this.pause(request.consoles);
      case "resume":
        return this.resume();
      case "stand-still":
        this.processPause = await this.running.pauseProcesses();
        return this.processPause.processCounts;
      case "go-on":
        return this.processPause?.end();
      case "knock":
        return this.running.findConnectionProblem();
    }
  }

  /** Closes the poolers. Never rejects. */
  async close(): Promise<void> {
    this.onClose();
    await this.statistics?.close();
    await this.running.stop();
  }

  private instance(number: number): PoolerInstance {
    const instance = this.running.instances[number];
    if (!instance) throw new RangeError(`there is no pooler ${number}`);
    return instance;
  }

  private async connect(timeoutMs: number): Promise<void> {
    this.statistics ??= new ReopenableSession(() => this.running.statistics(timeoutMs));
    await this.statistics.get();
  }

  private async sample(): Promise<PoolerReading | undefined> {
    try {
      return await (await this.statistics?.get())?.sample();
    } catch (error) {
      await this.statistics?.giveUp();
      throw error;
    }
  }

  private async pause(consoles: readonly Endpoint[]): Promise<void> {
    const end = new AbortController();
    const goOn = this.running.pause?.(consoles, end.signal);
    if (!goOn) throw new Error("this pooler cannot be paused");
    this.consolePause = { end, goOn };
    await goOn;
  }

  private async resume(): Promise<void> {
    const { consolePause } = this;
    this.consolePause = undefined;
    consolePause?.end.abort();
    await (
      await consolePause?.goOn
    )?.();
  }
}
