// Asks testcontainers for a Docker engine. A client without an engine counts as none.
import { messageOf, TargetError } from "../../foundation/errors.js";

/** Resolves to what engine it is, as `Docker 28.1 (linux)`; rejects with a TargetError when none answers. */
export async function findDockerEngine(): Promise<string> {
  try {
    // Heavy, and of no use to who runs no containers.
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
