// Makes pino loggers: NDJSON, ISO times, secrets redacted, writes gathered in memory. Logs never hold a payload, a parameter
// value or a password.
import { pino, type Logger } from "pino";
import type { TrainSimError } from "./errors.js";
import { storageError } from "./storage-error.js";

export type { Logger };

/** Paths at which an endpoint or a driver's options could carry a secret into a log line. */
const REDACTED = ["password", "*.password", "endpoint.password", "err.config", "*.key", "connectionString"];

export interface LoggerOptions {
  /** File that the lines are appended to. */
  readonly file: string;
  readonly level: string;
  /** Fields that every line carries, as trial, treatment, actor, worker. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** A logger and the ways to get its lines into the file. */
export interface OpenLogger {
  readonly logger: Logger;
  /** Why lines are missing in the file, if any are. */
  readonly failure: TrainSimError | undefined;
  /** Starts writing what is gathered, without waiting: once a second, so that a reader can follow. */
  flush(): void;
  /** Resolves once every line is in the file, or cannot be; lines after it go nowhere. */
  close(): Promise<void>;
}

export function openLogger(options: LoggerOptions): OpenLogger {
  const destination = pino.destination({ dest: options.file, append: true, sync: false, minLength: 8_192 });
  const logger = pino(
    {
      level: options.level,
      base: { ...options.bindings },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED, censor: "[secret]" },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  let failure: TrainSimError | undefined;
  // Nobody may be without a listener: an error that nobody hears ends the thread.
  destination.on("error", (error: Error) => {
    failure ??= storageError(error, options.file);
  });
  // What is flushed before the file is open would lie there until the next time.
  let isOpen = false;
  let isClosing = false;
  destination.once("ready", () => {
    isOpen = true;
    destination.flush();
  });
  // A flush during a write does nothing, and no property shows a write: so each flush is repeated after the next write.
  let isFlushDue = false;
  destination.on("drain", () => {
    if (!isFlushDue) return;
    isFlushDue = false;
    destination.flush();
  });
  return {
    logger,
    get failure() {
      return failure;
    },
    flush: () => {
      if (!isOpen || isClosing) return;
      isFlushDue = true;
      destination.flush();
    },
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        // Whoever goes on meanwhile, as a thread that has failed does for a moment, has nowhere to write to.
        logger.level = "silent";
        // A file that could not be opened is never closed either.
        if (failure && !isOpen) {
          resolve();
          return;
        }
        destination.once("close", resolve);
        destination.once("error", () => resolve());
        destination.end();
      }),
  };
}
