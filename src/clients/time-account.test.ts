import { describe, expect, it } from "vitest";
import { TimeAccount } from "./time-account.js";

function account(startMs: number, endMs: number): TimeAccount {
  const time = new TimeAccount();
  time.setWindow(startMs, endMs);
  return time;
}

describe("the account of clients' time", () => {
  it("adds up to clients x window when every moment was booked, ends of the window included", () => {
    const time = account(1000, 2000);
    for (const [activity, from, to] of [
      ["service", 900, 1100],
      ["waiting", 1100, 1600],
      ["preparing", 1600, 1610],
      ["idle", 1610, 1700],
      ["service", 1700, 2300],
    ] as const) {
      time.book(0, activity, from, to);
    }
    expect(time.total()).toEqual({ service: 400, waiting: 500, idle: 90, preparing: 10, finished: 0 });
  });

  it("misses what nobody booked", () => {
    const time = account(0, 1000);
    time.book(0, "service", 0, 400);
    time.book(0, "service", 600, 1000);
    expect(Object.values(time.total()).reduce((sum, ms) => sum + ms, 0)).toBe(800);
  });

  it("books what the thread did for a client between two waits, however long: it is nobody else's time", () => {
    const time = account(0, 1000);
    time.book(0, "service", 0, 400);
    time.bookWork(0, 430);
    time.book(0, "service", 430, 900);
    time.bookWork(0, 1200);
    expect(time.total()).toMatchObject({ service: 870, preparing: 130 });
  });

  it("misses a wait between two bookings: the event loop had nothing to do for that long", () => {
    let idleMs = 7;
    const time = new TimeAccount(() => idleMs);
    time.setWindow(0, 1000);
    time.book(0, "service", 0, 400);
    idleMs += 180;
    time.bookWork(0, 600);
    time.book(0, "service", 600, 1000);
    expect(time.total()).toMatchObject({ service: 800, preparing: 20 });
  });

  it("keeps the books of each client apart", () => {
    const time = account(0, 1000);
    time.book(0, "service", 0, 400);
    time.book(1, "service", 100, 500);
    time.bookWork(0, 410);
    time.bookWork(1, 505);
    time.bookWork(2, 900);
    expect(time.total()).toMatchObject({ service: 800, preparing: 15 });
  });

  it("books nothing before the window is known, nor outside it", () => {
    const time = new TimeAccount();
    time.book(0, "service", 0, 500);
    time.setWindow(1000, 2000);
    time.book(0, "service", 500, 1000);
    time.book(0, "service", 2000, 2500);
    expect(time.total().service).toBe(0);
  });

  it("counts clients without budget as finished until the window ends, which may be known late", () => {
    const time = account(1000, Number.POSITIVE_INFINITY);
    time.bookFinished(1500);
    time.bookFinished(500);
    time.setWindow(1000, 2000);
    expect(time.total().finished).toBe(1500);
  });

  it("begins anew where the window gets another start, as after a rehearsal, and not where it gets an end", () => {
    const time = account(0, Number.POSITIVE_INFINITY);
    time.book(0, "service", 0, 500);
    time.bookFinished(700);
    time.setWindow(1000, Number.POSITIVE_INFINITY);
    time.book(0, "service", 900, 1300);
    time.setWindow(1000, 2000);
    expect(time.total()).toEqual({ service: 300, waiting: 0, idle: 0, preparing: 0, finished: 0 });
  });
});
