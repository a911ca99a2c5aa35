// Whether the server stayed the one it was: another cluster, version, postmaster or setting than at the end of the trial
// before, or a change within the trial. A restart by a fault of the trial's own is no finding. A configuration that was
// loaded again without a visible change is only a warning, since settings that may hold secrets are not read.
import { kindOf } from "../../faults/registry.js";
import type { ServerChange, TrialResult } from "../../results/result-schema.js";
import { above, warningAbove, type Check } from "./check.js";

const WORDS: Readonly<Record<string, string>> = {
  systemIdentifier: "system identifier",
  startedAt: "postmaster start",
  configLoadedAt: "configuration load time",
};

/** What another start shows, and another place in the cluster: a failover changes who follows whom. */
const OF_A_RESTART = /^(startedAt|configLoadedAt|primary_slot_name|synchronous_standby_names)$/;

/** Without what a fault explains, and without the load time of a configuration where the reason for it is said. */
function unexplained({ servers = [], faults = [] }: TrialResult): ServerChange[] {
  const isRestarted = faults.some(({ kind }) => kindOf(kind).restartsServer);
  return servers.flatMap(({ changes = [] }) => {
    const own = changes.filter(
      ({ what, sinceTrial }) => !(isRestarted && sinceTrial === undefined && OF_A_RESTART.test(what)),
    );
    const others = own.filter(({ what }) => what !== "configLoadedAt");
    return others.length > 0 ? others : own;
  });
}

function changeText({ what, before, after, sinceTrial }: ServerChange): string {
  const when = sinceTrial === undefined ? "within the trial" : `since trial ${sinceTrial}`;
  return `${WORDS[what] ?? what}: ${before} -> ${after} (${when})`;
}

export const serverChange: Check = ({ trial }) => {
  const changes = unexplained(trial);
  const isReload = changes.every(({ what }) => what === "configLoadedAt");
  const named = changes.map(changeText).join("; ");
  return (isReload ? warningAbove : above)(changes.length, 0, () =>
    isReload
      ? `the server reloaded its configuration, without a visible change: ${named}`
      : `the server changed: ${named}; repeat the experiment on an unchanged server`,
  );
};
