// Makes pino loggers: NDJSON, ISO times, secrets redacted, writes gathered in memory. Logs never hold a payload, a parameter
// value or a password.
import { pino, type Logger } from "pino";
import type { TrainSimError } from "./errors.js";
import { storageError } from "./storage-error.js";

export type { Logger };

/** Paths of log fields that could hold a secret, in an endpoint or a driver's options. */
const REDACTED_PATHS = [
  "password",
  "*.password",
  "endpoint.password",
  "err.config",
  "*.key",
  "connectionString",
];

export interface LoggerOptions {
  readonly file: string;
  readonly level: string;
  /** Fields that every line gets, such as trial, treatment and worker. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

export interface ClosableLogger {
  readonly logger: Logger;
  /** Reason why lines are missing in the file; undefined if no line is missing. */
  readonly failure: TrainSimError | undefined;
  /**
   * Starts writing the lines gathered so far, without waiting. Called once a second, so that a reader can follow the file.
   */
  flush(): void;
  /** Resolves when every line is in the file or has failed. Later lines are dropped. */
  close(): Promise<void>;
}

export function openLogger(options: LoggerOptions): ClosableLogger {
  const destination = pino.destination({ dest: options.file, append: true, sync: false, minLength: 8_192 });
  const logger = pino(
    {
      level: options.level,
      base: { ...options.bindings },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED_PATHS, censor: "[secret]" },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  let failure: TrainSimError | undefined;
  // An error event without a listener would end the thread.
  destination.on("error", (error: Error) => {
    failure ??= storageError(error, options.file);
  });
  // A flush before the file is open has no effect, so it is repeated once the file is open.
  let isOpen = false;
  let isClosing = false;
  destination.once("ready", () => {
    isOpen = true;
    destination.flush();
  });
  // A flush during a write has no effect, and no property shows a write, so each flush is repeated after the next write.
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
        // Lines logged during the close, for example by a failed worker, are dropped.
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
