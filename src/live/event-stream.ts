// A listener that does not read is dropped once too much waits for it: no queue grows without bound.
import type { ServerResponse } from "node:http";
import { systemClock } from "../foundation/clock.js";

/** Unsent bytes at which a listener is dropped; a whole state is far below. */
const UNSENT_MAX_BYTES = 4 * 1024 * 1024;
const LISTENERS_MAX = 32;
/** How soon a browser tries again when the connection breaks. */
const RETRY_MS = 1_000;
const LAST_WORDS_MS = 500;

export class EventStream {
  private readonly listeners = new Set<ServerResponse>();

  get size(): number {
    return this.listeners.size;
  }

  /** Keeps the response open and sends it `first` at once; refuses more listeners than it can serve. */
  add(response: ServerResponse, event: string, first: unknown): void {
    if (this.listeners.size >= LISTENERS_MAX) {
      response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8" });
      response.end(`${LISTENERS_MAX} listeners are served already\n`);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    response.on("close", () => this.listeners.delete(response));
    this.listeners.add(response);
    response.write(`retry: ${RETRY_MS}\n\n`);
    response.write(framed(event, first));
  }

  send(event: string, value: unknown): void {
    if (this.listeners.size === 0) return;
    const frame = framed(event, value);
    for (const listener of this.listeners) {
      listener.write(frame);
      if (listener.writableLength > UNSENT_MAX_BYTES) listener.destroy();
    }
  }

  /** The last event. Resolves when the system has taken it for all listeners, or some have not read it for too long. */
  async end(event: string, value: unknown): Promise<void> {
    const frame = framed(event, value);
    const taken = [...this.listeners].map(
      (listener) =>
        new Promise<void>((resolve) => {
          listener.once("close", () => resolve());
          listener.end(frame, () => resolve());
        }),
    );
    const done = new AbortController();
    await Promise.race([Promise.all(taken), systemClock.sleep(LAST_WORDS_MS, done.signal)]);
    done.abort();
  }
}

/** JSON has no line breaks, so that one `data:` line holds it. */
function framed(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
