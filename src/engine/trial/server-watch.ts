// Asks the server every other second whether it is there; one that is away for too long ends the trial.
import { monotonicMs } from "../../foundation/clock.js";
import { withinMs } from "../../foundation/deadline.js";
import { messageOf } from "../../foundation/errors.js";
import type { Database } from "../../database/contract.js";
import { databaseOf } from "../../database/registry.js";
import { ReopenableSession } from "../../database/standing-session.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";

const WATCH_TIMES = { everyMs: 2_000, answerMs: 3_000, patienceMs: 8_000 };

export class ServerWatch {
  /** Resolves with the last error once the server was away for too long; otherwise stays pending. */
  readonly lost: Promise<string>;
  readonly clock = new ServerClock();
  private declareLost: (words: string) => void = () => undefined;
  private readonly session = new ReopenableSession(() =>
    this.database.administer(this.endpoint, {
      purpose: this.purpose,
      connectTimeoutMs: this.times.answerMs,
    }),
  );
  private timer: NodeJS.Timeout | undefined;
  private answeredMs = monotonicMs();
  private isStopped = false;
  private excusedChecks = 0;

  private readonly purpose: string;
  private readonly database: Database;

  /** `run` is the run's name as in `NamespaceClaim`; other runs that want the namespace see it. */
  constructor(
    private readonly endpoint: Endpoint,
    run: string | undefined,
    private readonly times = WATCH_TIMES,
  ) {
    this.database = databaseOf(endpoint);
    this.purpose = run === undefined ? "watch" : `watch/${run}`;
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
    this.schedule();
  }

  /** Notes that the server has answered a client. */
  recordAnswer(): void {
    this.answeredMs = monotonicMs();
  }

  /** Ends the watch and its connection. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.session.close();
  }

  /**
   * Allows the server to be away, because a fault is present, until the returned function is called. The limit counts from
   * then on.
   */
  tolerateAbsence(): () => void {
    this.excusedChecks++;
    return () => {
      this.excusedChecks--;
      this.recordAnswer();
    };
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.ask(), this.times.everyMs);
  }

  private async ask(): Promise<void> {
    try {
      const client = await this.session.get();
      const askedMs = monotonicMs();
      const serverMs = await withinMs(this.database.server.clockMs(client), this.times.answerMs);
      this.clock.read(serverMs, askedMs, monotonicMs());
      this.recordAnswer();
    } catch (error) {
      void this.session.giveUp();
      const awayMs = monotonicMs() - this.answeredMs;
      if (awayMs > this.times.patienceMs && this.excusedChecks === 0 && !this.isStopped) {
        this.declareLost(
          `${describeEndpoint(this.endpoint)} has not answered for ${Math.round(awayMs / 1000)} s: ${messageOf(error)}`,
        );
        return;
      }
    }
    if (!this.isStopped) this.schedule();
  }
}

/** Maximum drift between clocks in milliseconds per millisecond; a larger change is a step. */
const CLOCK_DRIFT_MAX = 0.001;

export class ServerClock {
  private low = Number.NEGATIVE_INFINITY;
  private high = Number.POSITIVE_INFINITY;
  private lastMs = 0;
  /** Lower bound of the largest step so far, in milliseconds; 0 without a step. */
  stepMs = 0;

  /** Takes the server's time `serverMs`, which answered a question sent and answered at these monotonic times. */
  read(serverMs: number, askedMs: number, answeredMs: number): void {
    const driftAllowanceMs = Math.max(0, answeredMs - this.lastMs) * CLOCK_DRIFT_MAX;
    const [low, high] = [serverMs - answeredMs, serverMs - askedMs];
    const [least, most] = [this.low - driftAllowanceMs, this.high + driftAllowanceMs];
    const stepMs = Math.max(low - most, least - high);
    const isClockStep = stepMs > 0;
    if (isClockStep) this.stepMs = Math.max(this.stepMs, stepMs);
    this.low = isClockStep ? low : Math.max(low, least);
    this.high = isClockStep ? high : Math.min(high, most);
    this.lastMs = answeredMs;
  }
}
