// A PostgreSQL in a container, through testcontainers, whose reaper removes it after `kill -9` of train-sim. The port is
// published on loopback if the engine runs on this machine.
import { SCHEME } from "../../database/postgres/endpoint/connection-url.js";
import type { Readable } from "node:stream";
import type { GenericContainer, StartedTestContainer } from "testcontainers";
import { messageOf, TargetError, UsageError } from "../../foundation/errors.js";
import { generateSecret } from "../../foundation/prng.js";
import { findDockerEngine, loadTestcontainers } from "./docker-engine.js";
import type { RunningTarget } from "../running-target.js";
import { errorLinesIn } from "../../foundation/process/server-process.js";
import {
  assertSettings,
  settingNamedIn,
  recommendedSettings,
  type ServerSettings,
} from "../embedded/server-settings.js";
import type { TargetKind } from "../target.js";
import { containerSettings, type ContainerSettings } from "./settings.js";

const SERVER_PORT = 5432;
const SUPERUSER = "postgres";
const DATABASE = "postgres";
const START_PATIENCE_MS = 180_000;
const SHARED_MEMORY_BYTES = 1024 ** 3;
/** Modules that the official image has, and images built on it. */
const IMAGE_MODULES = new Set(["pg_stat_statements"]);
/** Line of the log that appears twice: first from the server that sets the cluster up, then from the real server. */
const READY_LINE = /database system is ready to accept connections/;
const READY_LINE_COUNT = 2;

export const container = {
  settings: containerSettings,
  start: startContainer,
  needs: { what: "Docker", find: findDockerEngine },
} satisfies TargetKind<ContainerSettings>;

/** Arguments of the image's entry point: the server and its `-c name=value` pairs. */
export function containerCommand(settings: ServerSettings, maxConnectionsNeeded: number): string[] {
  const serverSettings = {
    ...recommendedSettings({ maxConnectionsNeeded, modules: IMAGE_MODULES }),
    ...settings,
  };
  return [
    "postgres",
    ...Object.entries(serverSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

export async function startContainer(
  settings: ContainerSettings,
  { maxConnectionsNeeded }: { readonly maxConnectionsNeeded: number },
): Promise<RunningTarget> {
  assertSettings(settings.settings, maxConnectionsNeeded);
  await findDockerEngine();
  const password = generateSecret();
  const log = new ContainerLog();
  let container: StartedTestContainer;
  try {
    container = await (
      await describeContainer(settings, containerCommand(settings.settings, maxConnectionsNeeded), password)
    )
      .withLogConsumer((stream) => log.follow(stream))
      .start();
  } catch (error) {
    throw startError(settings, error, log.text);
  }
  let isStopping = false;
  const admin = {
    // A client may resolve `localhost` to ::1, where nothing is published.
    scheme: SCHEME,
    host: isLocalHost(container.getHost()) ? "127.0.0.1" : container.getHost(),
    port: container.getMappedPort(SERVER_PORT),
    database: DATABASE,
    user: SUPERUSER,
    password,
  };
  return {
    kind: "container",
    endpoints: [admin],
    admin,
    lost: new Promise((resolve) => {
      void log.ended.then(() => {
        if (!isStopping) resolve(`the container of ${settings.image} ended: ${errorLinesIn(log.text)}`);
      });
    }),
    async stop() {
      if (isStopping) return;
      isStopping = true;
      // A container that is gone already counts as stopped.
      await container.stop().catch(() => undefined);
    },
  };
}

function isLocalHost(host: string): boolean {
  return host === "localhost" || host === "127.0.0.1";
}

async function describeContainer(
  settings: ContainerSettings,
  command: string[],
  password: string,
): Promise<GenericContainer> {
  const testcontainers = loadTestcontainers();
  const { containerRuntime } = (await testcontainers.getContainerRuntimeClient()).info;
  class LoopbackContainer extends testcontainers.GenericContainer {
    publish(): this {
      this.withExposedPorts(SERVER_PORT);
      if (isLocalHost(containerRuntime.host))
        this.hostConfig.PortBindings = { [`${SERVER_PORT}/tcp`]: [{ HostIp: "127.0.0.1", HostPort: "0" }] };
      return this;
    }
  }
  return new LoopbackContainer(settings.image)
    .publish()
    .withEnvironment({ POSTGRES_USER: SUPERUSER, POSTGRES_DB: DATABASE, POSTGRES_PASSWORD: password })
    .withCommand(command)
    .withSharedMemorySize(SHARED_MEMORY_BYTES)
    .withWaitStrategy(testcontainers.Wait.forLogMessage(READY_LINE, READY_LINE_COUNT))
    .withStartupTimeout(START_PATIENCE_MS);
}

/** The last output of a container, and the end of its output, which is the end of the container. */
class ContainerLog {
  text = "";
  readonly ended: Promise<void>;
  private end: () => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  follow(stream: Readable): void {
    stream.on("data", (chunk: unknown) => (this.text = `${this.text}${String(chunk)}`.slice(-16_384)));
    for (const event of ["end", "error", "close"]) stream.once(event, () => this.end());
  }
}

function startError(settings: ContainerSettings, error: unknown, log: string): Error {
  const complaint = errorLinesIn(log);
  const name = settingNamedIn(complaint, settings.settings);
  if (name !== undefined) {
    return new UsageError(
      `target.settings.${name}: PostgreSQL refuses ${JSON.stringify(settings.settings[name])}: ${complaint}`,
      "Correct the setting or take it out.",
      { cause: error },
    );
  }
  const logText = log === "" ? "" : `; the container wrote: ${complaint}`;
  return new TargetError(
    `cannot start a container of ${settings.image}: ${messageOf(error).trim()}${logText}`,
    "Check the image's name, and that `docker pull` and `docker run` work here.",
    { cause: error },
  );
}
