// Waits until a server runs and answers a new session, so that a fault of the server is over only when the server works.
import { systemClock } from "../foundation/clock.js";
import { withinMs } from "../foundation/deadline.js";
import { messageOf, TargetError } from "../foundation/errors.js";
import { databaseOf } from "../database/registry.js";
import type { RunningTarget, ServerControl } from "../targets/running-target.js";
import type { FaultContext } from "./fault.js";

const PATIENCE_MS = 120_000;
const ANSWER_MS = 5_000;
const POLL_MS = 20;

/** Words about the server in the description of faults that restart or kill it. */
export const SERVER_END_DESCRIPTION =
  "the server is stopped, or killed with all its processes, and started again";

export function foreignServerObstacle({ target }: FaultContext): string | undefined {
  if (target.kind === "embedded") return undefined;
  return `needs a server that train-sim runs itself, and target.kind is ${target.kind}`;
}

export function procObstacle(platform: NodeJS.Platform): string | undefined {
  if (platform === "linux") return undefined;
  return `finds the server's processes in /proc, which ${platform} lacks`;
}

/**
 * Control of a server that train-sim runs; throws for other targets, for which scenarios with such faults are refused
 * before.
 */
export function serverControlOf(target: RunningTarget): ServerControl {
  if (target.control) return target.control;
  throw new TargetError(`a target of kind ${target.kind} cannot be stopped and started`);
}

/** Resolves when the server answers. Starts the server if it has ended. */
export async function awaitHealthyServer(target: RunningTarget): Promise<void> {
  const deadlineMs = systemClock.nowMs() + PATIENCE_MS;
  for (;;) {
    try {
      if (target.control && !target.control.isRunning) await target.control.start();
      await withinMs(answer(target), ANSWER_MS);
      return;
    } catch (error) {
      if (systemClock.nowMs() > deadlineMs)
        throw new TargetError(
          `the server is not back after ${PATIENCE_MS / 1000} s: ${messageOf(error)}`,
          "Its log has the cause.",
          { cause: error },
        );
    }
    await systemClock.sleep(POLL_MS);
  }
}

async function answer({ admin }: RunningTarget): Promise<void> {
  const { sessions } = databaseOf(admin);
  const client = await sessions.open(admin);
  try {
    await sessions.awaitAnswer(client);
  } finally {
    await client.close();
  }
}
