// Preloaded into a process of a test, its threads too: a monotonic clock that is SHIFTED_CLOCK_MS ahead and runs
// SHIFTED_CLOCK_PPM too fast, as on another machine.
import { performance } from "node:perf_hooks";

const aheadMs = Number(process.env.SHIFTED_CLOCK_MS);
const rate = 1 + Number(process.env.SHIFTED_CLOCK_PPM) * 1e-6;
const trueNow = performance.now.bind(performance);
const trueNs = process.hrtime.bigint.bind(process.hrtime);

/** All threads take it from here, so that it is one clock: the machine's since its start. */
const originMs = Number(trueNs()) / 1e6 - trueNow();
performance.now = () => (originMs + trueNow()) * rate - originMs + aheadMs;
process.hrtime.bigint = () => BigInt(Math.round(Number(trueNs()) * rate + aheadMs * 1e6));
