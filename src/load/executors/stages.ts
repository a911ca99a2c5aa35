import { formatDuration } from "../../foundation/units.js";
import type { Finding } from "../../syntax/problems.js";
import type { Rate } from "../../syntax/scalars.js";
import type { Stage } from "../rate-curve.js";

export function resolveStages(
  stages: readonly { readonly target: Rate; readonly duration: number }[],
  resolveTarget: (target: Rate) => number,
): Stage[] {
  return stages.map(({ target, duration }) => ({ target: resolveTarget(target), durationMs: duration }));
}

/** Refuses stages that end after the window, because nothing else would show that they were never reached. */
export function stageFindings(start: number, stages: readonly Stage[], windowMs: number): Finding[] {
  const path = ["load", "stages"];
  const findings: Finding[] = [];
  const totalMs = stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (totalMs > windowMs) {
    const message = `the stages take ${formatDuration(totalMs)}, the window (trial.duration) only ${formatDuration(windowMs)}`;
    findings.push({ path, message });
  }
  if (Math.max(start, ...stages.map(({ target }) => target)) === 0)
    findings.push({ path, message: "the start and every target are 0: no client would do anything" });
  return findings;
}

/** Text of the stages, such as `, to 12/s in 5 s`. */
export function stageWords(stages: readonly Stage[], unit: string): string {
  return stages
    .map(({ target, durationMs }) => `, to ${target}${unit} in ${formatDuration(durationMs)}`)
    .join("");
}
