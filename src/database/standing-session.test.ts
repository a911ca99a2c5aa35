import { describe, expect, it } from "vitest";
import { ReopenableSession } from "./standing-session.js";

/** Sessions that the test opens one by one, in order. */
function doors() {
  const opened: { isClosed: boolean; close(): Promise<void> }[] = [];
  const waiting: { open(): void; fail(error: Error): void }[] = [];
  const session = new ReopenableSession(
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

describe("a shared session", () => {
  it("is opened once for all callers", async () => {
    const { session, opened, waiting } = doors();
    const both = [session.get(), session.get()];
    waiting[0]?.open();
    expect(await Promise.all([...both, session.get()])).toEqual([opened[0], opened[0], opened[0]]);
    expect(waiting).toHaveLength(1);
  });

  it("is opened again for the next caller after a failure", async () => {
    const { session, opened, waiting } = doors();
    const first = session.get();
    waiting[0]?.fail(new Error("not there"));
    await expect(first).rejects.toThrow("not there");
    const second = session.get();
    waiting[1]?.open();
    expect(await second).toBe(opened[0]);
  });

  it("is closed when it is given up, and replaced for the next caller", async () => {
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

  it("is closed once it is open if it was to be closed while it was being opened", async () => {
    const { session, opened, waiting } = doors();
    const asked = session.get();
    const closed = session.close();
    waiting[0]?.open();
    await Promise.all([asked, closed]);
    expect(opened[0]?.isClosed).toBe(true);
  });

  it("closes without an error if it could not be opened, and is not opened again", async () => {
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
