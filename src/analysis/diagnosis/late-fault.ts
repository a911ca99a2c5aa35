// Whether a fault was over only after the window: its figures then hold a part of what the fault did, and how large a part
// differs from trial to trial. It invalidates nothing, since every measured time is true.
import { warningAbove, type Check } from "./check.js";

/** The time within which a fault that ends with its window is cleared. */
const BOUND_SECONDS = 1;

export const lateFault: Check = ({ trial: { faults = [], windowSeconds } }) => {
  const late = faults.map(({ kind, clearedAtSeconds }) => ({
    kind,
    seconds: (clearedAtSeconds ?? 0) - windowSeconds,
  }));
  const [latest] = late.sort((a, b) => b.seconds - a.seconds);
  return warningAbove(
    latest?.seconds,
    BOUND_SECONDS,
    (seconds) =>
      `the fault ${latest?.kind} was over ${seconds.toFixed(1)} s after the end of the window, which holds a part of it; ` +
      "let it begin earlier, or lengthen trial.duration",
  );
};
