import fc from "fast-check";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServerClock, ServerWatch } from "./server-watch.js";

const TIMES = { everyMs: 5, answerMs: 20, patienceMs: 60 };

describe("the watch of a server that accepts connections and never answers", () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  let watch: ServerWatch;

  beforeEach(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const endpoint = { scheme: "postgresql", host: "127.0.0.1", port, user: "app", database: "app" };
    watch = new ServerWatch(endpoint, undefined, TIMES);
  });

  afterEach(async () => {
    await watch.stop();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it("reports the server as lost after its patience ends", async () => {
    expect(await watch.lost).toMatch(/has not answered for \d+ s: cannot connect/);
  });

  it("does not report the server as lost while it serves clients", async () => {
    let words: string | undefined;
    void watch.lost.then((each) => (words = each));
    const attempts = sockets.length;
    while (sockets.length < attempts + 10) {
      watch.recordAnswer();
      await sleep(1);
    }
    expect(words).toBeUndefined();
    expect(await watch.lost).toMatch(/has not answered/);
  });
});

/** The clock step that readings every two seconds show; `offsets` are the server's clock minus this clock, in ms. */
function stepSeen(offsets: readonly number[], answersMs: readonly number[] = [], drift = 0): number {
  const clock = new ServerClock();
  for (const [i, offsetMs] of offsets.entries()) {
    const askedMs = 5_000 + i * 2_000;
    const answerMs = answersMs[i] ?? 1;
    const readMs = askedMs + answerMs / 3;
    clock.read(readMs * (1 + drift) + offsetMs, askedMs, askedMs + answerMs);
  }
  return clock.stepMs;
}

describe("the step of a server's clock", () => {
  it.each([-3_000, 3_000, 3_600_000, -150])("is found to within 5 ms if it is %d ms", (stepMs) => {
    const seen = stepSeen([7e11, 7e11, 7e11 + stepMs, 7e11 + stepMs]);
    expect(Math.abs(seen - Math.abs(stepMs))).toBeLessThan(5);
  });

  it("is 0 if clocks drift apart by 500 ppm, for any answer time", () => {
    const answers = fc.array(fc.double({ min: 0, max: 3_000, noNaN: true }), { minLength: 3, maxLength: 30 });
    fc.assert(
      fc.property(answers, fc.constantFrom(-0.0005, 0, 0.0005), (answersMs, drift) => {
        expect(
          stepSeen(
            answersMs.map(() => 1e9),
            answersMs,
            drift,
          ),
        ).toBe(0);
      }),
    );
  });

  it("is the largest of several steps", () => {
    expect(stepSeen([0, 0, 500, 500, -1500, -1500])).toBeCloseTo(2_000, -1);
  });
});
