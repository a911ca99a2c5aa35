// Through testcontainers, whose reaper removes the container after `kill -9` of train-sim. Loading it takes half a second.
import type * as Testcontainers from "testcontainers";
import { messageOf, TargetError } from "../../foundation/errors.js";
import { requireOptional } from "../../foundation/optional-package.js";

/** Throws a UsageError if the package is not installed. */
export function loadTestcontainers(): typeof Testcontainers {
  return requireOptional("testcontainers", "target.kind: container", {
    version: "11",
  }) as typeof Testcontainers;
}

/** Resolves to the engine's name and version, such as `Docker 28.1 (linux)`; rejects with a TargetError without one. */
export async function findDockerEngine(): Promise<string> {
  const { getContainerRuntimeClient } = loadTestcontainers();
  try {
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
