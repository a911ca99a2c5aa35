// Module that Node loads into a process of a test and its threads: a monotonic clock that is SHIFTED_CLOCK_MS ahead and
// runs SHIFTED_CLOCK_PPM too fast, like another machine's. It steps by the milliseconds in SHIFTED_CLOCK_STEP_FILE once
// that file exists, which each thread checks separately.
import { existsSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

const LOOK_EVERY_MS = 20;

let aheadMs = Number(process.env.SHIFTED_CLOCK_MS);
const rate = 1 + Number(process.env.SHIFTED_CLOCK_PPM) * 1e-6;
const trueNow = performance.now.bind(performance);
const trueNs = process.hrtime.bigint.bind(process.hrtime);

/**
 * Start of this thread's `performance` clock, in milliseconds on the machine's clock. With it the shifted clocks of all
 * threads agree.
 */
const originMs = Number(trueNs()) / 1e6 - trueNow();
performance.now = () => (originMs + trueNow()) * rate - originMs + aheadMs;
process.hrtime.bigint = () => BigInt(Math.round(Number(trueNs()) * rate + aheadMs * 1e6));

const stepFile = process.env.SHIFTED_CLOCK_STEP_FILE;
if (stepFile !== undefined) {
  const looking = setInterval(() => {
    if (!existsSync(stepFile)) return;
    aheadMs += Number(readFileSync(stepFile, "utf8"));
    clearInterval(looking);
  }, LOOK_EVERY_MS);
  looking.unref();
}
