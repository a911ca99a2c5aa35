// Errors of the file system with the path and the way out, in the same words wherever a file is written.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, ExitCode, messageOf, TrainSimError, UsageError } from "./errors.js";

/** Message and hint for errors at places that the user chose, by error code. */
const USAGE_ERROR_TEXTS: Readonly<Record<string, (path: string) => [message: string, hint: string]>> = {
  EACCES: notWritableText,
  EPERM: notWritableText,
  EROFS: (path) => [`${path} cannot be written: its file system is read-only`, "Choose a writable place."],
  EEXIST: fileInTheWayText,
  ENOTDIR: (path) => [`${path} cannot be made: ${fileAbove(path)} is no directory`, "Choose another place."],
  EISDIR: (path) => [
    `${path} cannot be written: a directory is in its place`,
    "Remove it, or choose another place.",
  ],
  ENOENT: (path) =>
    existsSync(dirname(path))
      ? [`${path} cannot be written: the file system of ${dirname(path)} refuses it`, "Choose another place."]
      : [
          `${dirname(path)} does not exist, so ${path} cannot be written`,
          "Make the directory first, or choose another place.",
        ],
  ENAMETOOLONG: (path) => [`${path} is too long a name`, "Choose a shorter one."],
};

function notWritableText(path: string): [string, string] {
  return [`${path} cannot be written: no permission`, "Choose a writable place."];
}

/** First part of a path that is a file although it must be a directory. */
function fileAbove(path: string): string {
  const above = dirname(path);
  return existsSync(above) || above === path ? above : fileAbove(above);
}

function fileInTheWayText(path: string): [string, string] {
  return [`${path} cannot be made: a file is in its place`, "Choose another place."];
}

/**
 * Error of the file system at `path`, in words for users: a UsageError if the chosen place is at fault. `option` is the
 * option that chose the place.
 */
export function storageError(error: unknown, path: string, option?: string): TrainSimError {
  if (error instanceof TrainSimError) return error;
  const code = codeOf(error) ?? "";
  const by = (hint: string): string =>
    option === undefined ? hint : hint.replace(/\.$/, ` with ${option}.`);
  const [message, hint] = USAGE_ERROR_TEXTS[code]?.(path) ?? [];
  if (message !== undefined) return new UsageError(message, by(hint ?? ""), { cause: error });
  const isDiskFull = code === "ENOSPC" || code === "EDQUOT";
  return new TrainSimError(
    isDiskFull ? `No space left on the disk to write ${path}` : `Cannot write ${path}: ${messageOf(error)}`,
    ExitCode.unexpected,
    isDiskFull ? by("Free some space, or choose another disk.") : "Check the disk.",
    { cause: error },
  );
}
