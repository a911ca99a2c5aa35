import { ExitCode } from "../foundation/errors.js";

/** Exit code of a comparison: a regression counts more than a run that is not judged. */
export function exitCodeOf(regressions: number, isJudged: boolean): ExitCode {
  if (regressions > 0) return ExitCode.thresholdFailed;
  return isJudged ? ExitCode.done : ExitCode.notJudged;
}
