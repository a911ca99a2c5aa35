// Pause of a client after an empty poll: it grows with each empty poll in a row and is reset by the first poll that finds work.
import { monotonicMs } from "../foundation/clock.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { TimeAccount } from "./time-account.js";

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

export class IdleBackoff {
  private readonly consecutiveEmptyPolls: number[];

  constructor(
    clients: number,
    private readonly sleeper: Sleeper,
    private readonly time: TimeAccount,
  ) {
    this.consecutiveEmptyPolls = new Array<number>(clients).fill(0);
  }

  /** Pauses the client after an empty poll; a poll with work resets its backoff. */
  async waitAfterPoll(client: number, wasEmpty: boolean): Promise<void> {
    if (!wasEmpty) {
      this.consecutiveEmptyPolls[client] = 0;
      return;
    }
    const count = this.consecutiveEmptyPolls[client] ?? 0;
    this.consecutiveEmptyPolls[client] = count + 1;
    const pauseStartMs = monotonicMs();
    this.time.bookWork(client, pauseStartMs);
    await this.sleeper.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count));
    this.time.book(client, "idle", pauseStartMs, monotonicMs());
  }
}
