import { describe, expect, it } from "vitest";
import { TimeAccount } from "./time-account.js";

function account(startMs: number, endMs: number): TimeAccount {
  const time = new TimeAccount();
  time.setWindow(startMs, endMs);
  return time;
}

describe("the account of clients' time", () => {
  it("adds up to clients x window if every moment was booked, with bookings cut at the window's ends", () => {
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

  it("lacks time that was not booked", () => {
    const time = account(0, 1000);
    time.book(0, "service", 0, 400);
    time.book(0, "service", 600, 1000);
    expect(Object.values(time.total()).reduce((sum, ms) => sum + ms, 0)).toBe(800);
  });

  it("books the thread's work for a client between two waits as preparation", () => {
    const time = account(0, 1000);
    time.book(0, "service", 0, 400);
    time.bookWork(0, 430);
    time.book(0, "service", 430, 900);
    time.bookWork(0, 1200);
    expect(time.total()).toMatchObject({ service: 870, preparing: 130 });
  });

  it("lacks time between two bookings during which the event loop was idle", () => {
    let idleMs = 7;
    const time = new TimeAccount(() => idleMs);
    time.setWindow(0, 1000);
    time.book(0, "service", 0, 400);
    idleMs += 180;
    time.bookWork(0, 600);
    time.book(0, "service", 600, 1000);
    expect(time.total()).toMatchObject({ service: 800, preparing: 20 });
  });

  it("books the time of each client separately", () => {
    const time = account(0, 1000);
    time.book(0, "service", 0, 400);
    time.book(1, "service", 100, 500);
    time.bookWork(0, 410);
    time.bookWork(1, 505);
    time.bookWork(2, 900);
    expect(time.total()).toMatchObject({ service: 800, preparing: 15 });
  });

  it("books no time before the window is known, nor outside of the window", () => {
    const time = new TimeAccount();
    time.book(0, "service", 0, 500);
    time.setWindow(1000, 2000);
    time.book(0, "service", 500, 1000);
    time.book(0, "service", 2000, 2500);
    expect(time.total().service).toBe(0);
  });

  it("counts clients without budget as finished until the window ends, also if its end is known late", () => {
    const time = account(1000, Number.POSITIVE_INFINITY);
    time.bookFinished(1500);
    time.bookFinished(500);
    time.setWindow(1000, 2000);
    expect(time.total().finished).toBe(1500);
  });

  it("restarts from zero if the window gets another start, and not if the window gets an end", () => {
    const time = account(0, Number.POSITIVE_INFINITY);
    time.book(0, "service", 0, 500);
    time.bookFinished(700);
    time.setWindow(1000, Number.POSITIVE_INFINITY);
    time.book(0, "service", 900, 1300);
    time.setWindow(1000, 2000);
    expect(time.total()).toEqual({ service: 300, waiting: 0, idle: 0, preparing: 0, finished: 0 });
  });
});
