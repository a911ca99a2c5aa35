import { describe, expect, it } from "vitest";
import { StandingSession } from "./standing-session.js";

/** Sessions that the test opens by hand, in order. */
function doors() {
  const opened: { isClosed: boolean; close(): Promise<void> }[] = [];
  const waiting: { open(): void; fail(error: Error): void }[] = [];
  const session = new StandingSession(
    () =>
      new Promise<(typeof opened)[number]>((resolve, reject) => {
        waiting.push({
          open() {
            const each = {
              isClosed: false,
              close() {
                each.isClosed = true;
                return Promise.resolve();
              },
            };
            opened.push(each);
            resolve(each);
          },
          fail: reject,
        });
      }),
  );
  return { session, opened, waiting };
}

describe("a standing session", () => {
  it("is opened once, for all who ask", async () => {
    const { session, opened, waiting } = doors();
    const both = [session.get(), session.get()];
    waiting[0]?.open();
    expect(await Promise.all([...both, session.get()])).toEqual([opened[0], opened[0], opened[0]]);
    expect(waiting).toHaveLength(1);
  });

  it("that could not be opened is tried again by the next", async () => {
    const { session, opened, waiting } = doors();
    const first = session.get();
    waiting[0]?.fail(new Error("not there"));
    await expect(first).rejects.toThrow("not there");
    const second = session.get();
    waiting[1]?.open();
    expect(await second).toBe(opened[0]);
  });

  it("that was given up is closed, and followed by another", async () => {
    const { session, opened, waiting } = doors();
    const first = session.get();
    waiting[0]?.open();
    await first;
    await session.giveUp();
    expect(opened[0]?.isClosed).toBe(true);
    const second = session.get();
    waiting[1]?.open();
    expect(await second).toBe(opened[1]);
    expect(opened[1]?.isClosed).toBe(false);
  });

  it("that is still being opened when it is to end is closed once it is there", async () => {
    const { session, opened, waiting } = doors();
    const asked = session.get();
    const closed = session.close();
    waiting[0]?.open();
    await Promise.all([asked, closed]);
    expect(opened[0]?.isClosed).toBe(true);
  });

  it("ends without a word where it cannot be opened, and is not opened again", async () => {
    const { session, waiting } = doors();
    const asked = session.get();
    const closed = session.close();
    waiting[0]?.fail(new Error("not there"));
    await expect(asked).rejects.toThrow("not there");
    await closed;
    await expect(session.get()).rejects.toThrow("closed");
    expect(waiting).toHaveLength(1);
  });
});
