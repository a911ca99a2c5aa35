// How long a client waits after it found nothing to do: briefly, and longer the more often in a row, so that an
// idle client neither spins on the database nor sleeps through the next event.
// It counts per client and is reset by the first poll that finds work.
import { monotonicMs } from "../foundation/clock.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { TimeAccount } from "./time-account.js";

const FIRST_MS = 2;
const CEILING_MS = 50;

export class IdleBackoff {
  private readonly emptyInARow: number[];

  constructor(
    clients: number,
    private readonly sleeper: Sleeper,
    private readonly time: TimeAccount,
  ) {
    this.emptyInARow = new Array<number>(clients).fill(0);
  }

  /** Tells of a poll's outcome and waits when it was empty. */
  async after(client: number, wasEmpty: boolean): Promise<void> {
    if (!wasEmpty) {
      this.emptyInARow[client] = 0;
      return;
    }
    const count = this.emptyInARow[client] ?? 0;
    this.emptyInARow[client] = count + 1;
    const sinceMs = monotonicMs();
    this.time.bookWork(client, sinceMs);
    await this.sleeper.sleep(Math.min(CEILING_MS, FIRST_MS * 2 ** count));
    this.time.book(client, "idle", sinceMs, monotonicMs());
  }
}
