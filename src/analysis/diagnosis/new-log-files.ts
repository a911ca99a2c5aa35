// Whether the window paid for files of the server's log that later windows find ready. A server makes them as it needs
// them, fills them with zeros unless `wal_init_zero` is off, and uses them again after a checkpoint: on a new server the
// first trial has fewer events and twice the p99 for that alone. It invalidates nothing: it happened so.
import { bytesText } from "../../foundation/text/numbers.js";
import { above, percent, type Check } from "./check.js";

/** Of the window's log, so much went through new files. */
const MOST_RATIO = 0.25;
/** Four files: what is below is over in a moment. */
const LEAST_BYTES = 64 * 1024 * 1024;

export const newLogFiles: Check = ({ trial: { database } }) => {
  const { walZeroBytes = 0, walBytes = 0 } = database;
  if (walZeroBytes < LEAST_BYTES || walBytes === 0) return undefined;
  return above(
    walZeroBytes / walBytes,
    MOST_RATIO,
    (seen) =>
      `the server filled new WAL files with ${bytesText(walZeroBytes)} of zeros, ${percent(seen)} of its WAL in the ` +
      "window; later trials reuse these files and have less work: run a trial first that is not compared, or set " +
      "wal_init_zero = off",
  );
};
