// Through testcontainers, whose reaper removes the container after `kill -9` of train-sim.
import { messageOf, TargetError } from "../../foundation/errors.js";

/** Resolves to the engine's name and version, such as `Docker 28.1 (linux)`; rejects with a TargetError without one. */
export async function findDockerEngine(): Promise<string> {
  try {
    // Loaded here because it is large, and runs without containers do not need it.
    const { getContainerRuntimeClient } = await import("testcontainers");
    const { info } = await getContainerRuntimeClient();
    const { serverVersion, operatingSystem } = info.containerRuntime;
    return `engine ${serverVersion}${operatingSystem ? ` on ${operatingSystem}` : ""}`;
  } catch (error) {
    throw new TargetError(
      `no Docker engine answers: ${messageOf(error)}`,
      "Only `target.kind: container` needs one: start Docker, or use embedded or url.",
      { cause: error },
    );
  }
}
