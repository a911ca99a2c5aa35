// The timer thread: sleeps until the moment in shared memory, sends a message, and waits for the next moment.
import { parentPort, workerData } from "node:worker_threads";
import { monotonicMs } from "../foundation/clock.js";
import { LEAD_MS, type BellMemory } from "./bell.js";

const port = parentPort;
if (!port) throw new Error("bell-thread is the entry of a thread; it cannot be run by itself");
const { due, settings } = workerData as BellMemory;

for (;;) {
  // Read first: what is set from here on ends the sleep below.
  const setting = Atomics.load(settings, 0);
  const leftMs = (due[0] as number) - monotonicMs() - LEAD_MS;
  if (leftMs > 0) {
    Atomics.wait(settings, 0, setting, leftMs);
  } else {
    port.postMessage(undefined);
    Atomics.wait(settings, 0, setting);
  }
}
