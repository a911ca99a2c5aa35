// Makes pino loggers: NDJSON, ISO times, secrets redacted, writes gathered in memory. Logs never hold a payload, a parameter
// value or a password.
import { pino, type Logger } from "pino";
import type { TrainSimError } from "./errors.js";
import { storageError } from "./storage-error.js";

export type { Logger };

/** Paths of log fields that could hold a secret of an endpoint or a driver's options. */
const REDACTED = ["password", "*.password", "endpoint.password", "err.config", "*.key", "connectionString"];

export interface LoggerOptions {
  readonly file: string;
  readonly level: string;
  /** Fields of every line, such as trial, treatment and worker. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

export interface OpenLogger {
  readonly logger: Logger;
  /** Reason why lines are missing in the file; undefined if none are. */
  readonly failure: TrainSimError | undefined;
  /** Starts writing gathered lines without waiting. Called once a second, so that a reader can follow. */
  flush(): void;
  /** Resolves when every line is in the file or has failed. Later lines are dropped. */
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
  // An error event without a listener would end the thread.
  destination.on("error", (error: Error) => {
    failure ??= storageError(error, options.file);
  });
  // Flushes before the file is open would have no effect: repeat them when it is.
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
        // Drop lines logged during close, for example by a failed worker.
        logger.level = "silent";
        // A file that could not be opened emits no close event.
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
