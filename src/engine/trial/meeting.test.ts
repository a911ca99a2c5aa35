import { expect, it } from "vitest";
import { monotonicMs } from "../../foundation/clock.js";
import { StartBarrier } from "./meeting.js";

it("trials that wait for each other continue together, every time", async () => {
  const meeting = new StartBarrier(2);
  const passed: string[] = [];
  const run = async (name: string, until: Promise<void>): Promise<void> => {
    for (const place of ["warm-up", "window"]) {
      await until;
      await meeting.meet();
      passed.push(`${place} ${name}`);
    }
  };
  let begin = (): void => undefined;
  const late = new Promise<void>((resolve) => (begin = resolve));
  const both = [run("a", Promise.resolve()), run("b", late)];
  await Promise.resolve();
  expect(passed).toEqual([]);
  begin();
  await Promise.all(both);
  expect(passed.map((each) => each.split(" ")[0])).toEqual(["warm-up", "warm-up", "window", "window"]);
});

it("trials that wait for each other get the latest of their start times", async () => {
  const meeting = new StartBarrier(2);
  const before = monotonicMs();
  const [a, b] = await Promise.all([meeting.meet(50), meeting.meet(5_000)]);
  expect(a).toBe(b);
  expect(a).toBeGreaterThanOrEqual(before + 5_000);
});

it("a trial that left is no longer waited for", async () => {
  const meeting = new StartBarrier(2);
  const waits = meeting.meet();
  meeting.leave();
  await waits;
  await meeting.meet();
});
