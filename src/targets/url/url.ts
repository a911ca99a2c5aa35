// A target that runs already, at connection URLs. It is reached, never started or stopped.
import { UsageError } from "../../foundation/errors.js";
import type { RunningTarget } from "../running-target.js";
import type { TargetSettings } from "../settings.js";
import { endpointAt, parseConnectionUrl } from "../../database/endpoint/parse-url.js";

export type UrlSettings = Extract<TargetSettings, { kind: "url" }>;

/** Endpoints of a target that train-sim does not run; `stop` leaves it alone. */
export function urlTarget(settings: UrlSettings, env: NodeJS.ProcessEnv = process.env): RunningTarget {
  const endpoints = settings.urls.map((entry) => endpointAt(entry, settings, env));
  const adminEnv = { ...env, PGPASSWORD: env["TRAIN_SIM_ADMIN_PASSWORD"] || env["PGPASSWORD"] };
  const admin = settings.adminUrl ? parseConnectionUrl(settings.adminUrl, settings, adminEnv) : endpoints[0];
  if (!admin) throw new UsageError("target.urls is empty", "Name at least one connection URL.");
  return {
    kind: "url",
    endpoints,
    admin,
    lost: new Promise(() => undefined),
    stop: async () => undefined,
  };
}
