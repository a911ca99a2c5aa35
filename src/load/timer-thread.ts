// The timer thread: sleeps until the moment in shared memory, sends a message, and waits for the next moment.
import { parentPort, workerData } from "node:worker_threads";
import { monotonicMs } from "../foundation/clock.js";
import { LEAD_MS, type TimerMemory } from "./timer.js";

const port = parentPort;
if (!port) throw new Error("timer-thread is the entry of a thread; it cannot be run by itself");
const { due, settings } = workerData as TimerMemory;

for (;;) {
  // The counter is read before the moment, so that a later call of `set` ends the sleep below.
  const setting = Atomics.load(settings, 0);
  const leftMs = (due[0] as number) - monotonicMs() - LEAD_MS;
  if (leftMs > 0) {
    Atomics.wait(settings, 0, setting, leftMs);
  } else {
    port.postMessage(undefined);
    Atomics.wait(settings, 0, setting);
  }
}
