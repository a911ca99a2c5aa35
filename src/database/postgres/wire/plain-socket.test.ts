// The driver's socket against a real server of this process: every byte arrives once and in order, however large the pieces
// are and whichever socket reads into the same memory meanwhile, and the end of the other side is reported.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PlainSocket } from "./plain-socket.js";

const accepted: Socket[] = [];
const server = createServer((socket) => void accepted.push(socket));

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  for (const socket of accepted) socket.destroy();
  server.close();
});

/** The driver's socket, the bytes that it has emitted so far, and the other end. */
async function pair(): Promise<{ near: PlainSocket; far: Socket; heard: Buffer[] }> {
  const heard: Buffer[] = [];
  const near = new PlainSocket();
  near.on("data", (data: Buffer) => heard.push(data));
  const accepting = once(server, "connection");
  near.connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = (await accepting) as [Socket];
  return { near, far, heard };
}

describe("the socket of a plain connection", () => {
  it("returns every byte once, while another socket reads into the same memory", async () => {
    const bytes = (which: number): Buffer =>
      Buffer.from(Array.from({ length: 300_001 }, (_, i) => (i * 7 + (i >> 8) + which) % 251));
    const pairs = [await pair(), await pair()];
    const ended = pairs.map(({ near }) => once(near, "end"));
    for (const [which, { far }] of pairs.entries()) {
      far.write(bytes(which).subarray(0, 5));
      far.end(bytes(which).subarray(5));
    }
    await Promise.all(ended);
    for (const [which, { heard }] of pairs.entries())
      expect(Buffer.concat(heard).equals(bytes(which))).toBe(true);
  });

  it("passes pieces of an answer to its first reader, and the rest of the whole to the driver", async () => {
    const { near, far, heard } = await pair();
    const seenTexts: string[] = [];
    near.readFirst({
      goesOn(arrived) {
        seenTexts.push(String(arrived));
        far.write(arrived.length < 6 ? "-more" : ".");
        return !String(arrived).endsWith(".");
      },
      take: () => "one".length,
    });
    const sinceMs = near.arrivedMs;
    far.write("one");
    await once(near, "data");
    expect({ seenTexts, heard: heard.map(String) }).toEqual({
      seenTexts: ["one", "one-more", "one-more."],
      heard: ["-more."],
    });
    expect(near.arrivedMs).toBeGreaterThan(sinceMs);
    await once(near, "data");
    expect(heard.map(String)).toEqual(["-more.", "."]);
    near.destroy();
  });

  it("returns data that stays unchanged when more arrives", async () => {
    const { near, far, heard } = await pair();
    far.write("first");
    await once(near, "data");
    far.write("SECOND");
    await once(near, "data");
    expect(heard.map(String)).toEqual(["first", "SECOND"]);
    near.destroy();
  });

  it("writes, and reports a reset connection", async () => {
    const { near, far } = await pair();
    near.write("question");
    const [question] = (await once(far, "data")) as [Buffer];
    expect(String(question)).toBe("question");
    const failed = once(near, "error");
    far.resetAndDestroy();
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNRESET");
  });
});
