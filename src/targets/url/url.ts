import { UsageError } from "../../foundation/errors.js";
import { changeWithAlternatives, type Endpoint } from "../../database/endpoint.js";
import { readUrl } from "../../database/registry.js";
import { withPassword } from "../../foundation/process/run-command.js";
import type { RunningTarget } from "../running-target.js";
import type { TargetKind } from "../target.js";
import { urlSettings, type UrlSettings } from "./settings.js";

export const url = {
  settings: urlSettings,
  start: async (settings) => targetAtUrls(settings),
} satisfies TargetKind<UrlSettings>;

/** The target that the URLs describe. For URLs without a password, a password command takes precedence over the environment's password. */
function targetAtUrls(settings: UrlSettings): RunningTarget {
  const { passwordCommand } = settings;
  if (passwordCommand === undefined) return urlTarget(settings);
  const target = urlTarget(
    settings,
    withPassword(process.env, () => undefined),
  );
  const withPasswordCommand = (server: Endpoint): Endpoint =>
    changeWithAlternatives(server, (endpoint) =>
      endpoint.password === undefined ? { ...endpoint, passwordCommand } : endpoint,
    );
  return {
    ...target,
    endpoints: target.endpoints.map(withPasswordCommand),
    admin: withPasswordCommand(target.admin),
  };
}

/** A target that train-sim does not run; `stop` does not stop its server. */
export function urlTarget(settings: UrlSettings, env: NodeJS.ProcessEnv = process.env): RunningTarget {
  const endpoints = settings.urls.map((entry) => readUrl(entry, settings, env));
  const adminEnv = withPassword(env, (password) => env["TRAIN_SIM_ADMIN_PASSWORD"] || password);
  const [first, ...alternatives] = endpoints;
  const admin = settings.adminUrl
    ? readUrl({ url: settings.adminUrl }, settings, adminEnv)
    : first?.takesWrites
      ? { ...first, alternatives }
      : first;
  if (!admin) throw new UsageError("target.urls is empty", "Name at least one connection URL.");
  return {
    kind: "url",
    endpoints,
    admin,
    lost: new Promise(() => undefined),
    stop: async () => undefined,
  };
}
