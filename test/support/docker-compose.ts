// The strict schema of the compose.yaml of docker/ and of docker/cockroachdb/: only their part of the Compose
// specification, so that a misspelt key is an error even if the docker CLI has no Compose. Their tests check the files,
// ports and variables that they refer to.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

/** The folder of the stack on PostgreSQL, and of the files that both stacks share. */
export const DOCKER = join(import.meta.dirname, "..", "..", "docker");
/** The folder of the stack on CockroachDB. */
export const DOCKER_COCKROACHDB = join(DOCKER, "cockroachdb");

const durationText = z.string().regex(/^(\d+(ms|s|m|h))+$/);

const Healthcheck = z.strictObject({
  test: z.tuple([z.enum(["CMD", "CMD-SHELL"])], z.string()),
  interval: durationText,
  timeout: durationText,
  retries: z.int().min(1),
});

const Dependency = z.strictObject({
  condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]),
});

const Service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
  profiles: z.array(z.string()).min(1).optional(),
  hostname: z.string().optional(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.record(z.string(), Dependency).optional(),
  network_mode: z.literal("none").optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  ulimits: z.strictObject({ nofile: z.int().min(1024) }).optional(),
  shm_size: z.string().optional(),
  stop_signal: z.enum(["SIGQUIT", "SIGINT", "SIGTERM"]).optional(),
  stop_grace_period: durationText.optional(),
  healthcheck: Healthcheck.optional(),
});

const Compose = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
});

export type Compose = z.infer<typeof Compose>;

/** Parses a compose file, with anchors resolved and variables kept. Throws on a key that the schema here does not know. */
export function parseCompose(text: string): Compose {
  return Compose.parse(parse(text, { merge: true, uniqueKeys: true, strict: true }));
}

/** The compose.yaml of one folder. */
export async function readCompose(directory = DOCKER): Promise<Compose> {
  return parseCompose(await readFile(join(directory, "compose.yaml"), "utf8"));
}
