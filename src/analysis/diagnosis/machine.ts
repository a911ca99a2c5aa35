// Whether the machine did something else meanwhile: CPU time that a hypervisor gave to other machines, CPU time that
// other programs used, what they moved to and from storage while something waited for it, and the load that there was
// before the first trial. The last invalidates nothing: it was before the window.
import { above, percent, type Check } from "./check.js";

export const steal: Check = ({ trial, bounds }) =>
  above(
    trial.machine?.stealRatio,
    bounds.maxStealRatio,
    (seen) =>
      `the hypervisor gave ${percent(seen, bounds.maxStealRatio)} of this machine's CPU time to others (bound ${percent(bounds.maxStealRatio)})`,
  );

export const otherCpu: Check = ({ trial, bounds }) =>
  above(
    trial.machine?.otherCpuRatio,
    bounds.maxOtherCpuRatio,
    (seen) =>
      `other programs used ${percent(seen, bounds.maxOtherCpuRatio)} of this machine's CPU time (bound ${percent(bounds.maxOtherCpuRatio)}): ` +
      "stop them, or run elsewhere",
  );

/** Bytes a second that disturb nothing, and the share of the window in which something waited for storage. */
const IO_BYTES_MAX = 1_000_000;
export const IO_WAITED_MIN = 0.1;

export const otherIo: Check = ({ trial: { machine, windowSeconds }, bounds }) => {
  const {
    ownIoBytes,
    otherIoBytes = 0,
    diskIoBytes = otherIoBytes,
    ioPressureRatio,
    ioWaitRatio,
  } = machine ?? {};
  const waited = ioPressureRatio ?? ioWaitRatio ?? 1;
  if (
    ownIoBytes === undefined ||
    Math.min(otherIoBytes, diskIoBytes) < IO_BYTES_MAX * windowSeconds ||
    waited < IO_WAITED_MIN
  )
    return undefined;
  const bound = bounds.maxOtherIoRatio;
  const megabytes = Math.round(otherIoBytes / 1_000_000);
  return above(
    otherIoBytes / (otherIoBytes + ownIoBytes),
    bound,
    (seen) =>
      `other programs moved ${megabytes} MB to and from this machine's storage, ${percent(seen, bound)} of all ` +
      `(bound ${percent(bound)}): stop them, or run elsewhere`,
  );
};

/** Runnable processes a core. */
const LOAD_MAX = 1;

export const loadBefore: Check = (examined) =>
  above(examined.loadBefore, LOAD_MAX, (seen) => {
    const load = Number(seen.toPrecision(2));
    return `before the first trial the load average was ${load} per core (1 min): the machine was busy`;
  });
