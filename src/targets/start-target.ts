// One entry for every kind of target: a new kind is one new file and one case here. Nothing else
// knows which kinds there are.
import type { Endpoint } from "../database/endpoint/endpoint.js";
import { startContainer } from "./container/container.js";
import { startEmbedded } from "./embedded/embedded.js";
import type { RunningTarget } from "./running-target.js";
import type { TargetSettings, FullDisk } from "./settings.js";
import { urlTarget } from "./url/url.js";

/** What the scenario asks of a server that train-sim starts. */
export interface TargetNeeds {
  /** Connections that clients or poolers open at once; train-sim's own come on top. */
  readonly maxConnectionsNeeded: number;
  /** Parts of an embedded server's data that are to lie on a file system of their own, which can be filled. */
  readonly smallDisks?: readonly FullDisk[];
}

/** Starts, or for a URL describes, a target. On rejection nothing is left running. */
export async function startTarget(settings: TargetSettings, needs: TargetNeeds): Promise<RunningTarget> {
  switch (settings.kind) {
    case "embedded":
      return startEmbedded(settings.settings, { port: settings.port, ...needs });
    case "container":
      return startContainer(settings, needs);
    case "url":
      return runningAt(settings);
  }
}

/** With a command for passwords, every endpoint whose URL has none gets it, whatever PGPASSWORD says. */
function runningAt(settings: Extract<TargetSettings, { kind: "url" }>): RunningTarget {
  const { passwordCommand } = settings;
  if (passwordCommand === undefined) return urlTarget(settings);
  const target = urlTarget(settings, { ...process.env, PGPASSWORD: undefined });
  const asking = (endpoint: Endpoint): Endpoint =>
    endpoint.password === undefined ? { ...endpoint, passwordCommand } : endpoint;
  return { ...target, endpoints: target.endpoints.map(asking), admin: asking(target.admin) };
}
