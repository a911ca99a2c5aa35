// Whether every worker can account for what a schedule offered it. Where one cannot, something was lost between it and the
// result, or counted twice, and no number of the trial can be trusted.
import { TrialError } from "../../foundation/errors.js";
import type { WorkerTallies } from "../../metrics/worker-tallies.js";
import type { Fleet } from "../workers/fleet.js";

/** Throws a TrialError that names the first worker that cannot. A killed worker never reported its last second: exempt. */
export function requireAccounts(
  fleet: Pick<Fleet, "nameOf" | "hasKilled">,
  tallies: Pick<WorkerTallies, "unaccounted">,
): void {
  const found = tallies.unaccounted((worker) => fleet.hasKilled(worker));
  if (!found) return;
  const { worker, operation, offered, accounted } = found;
  throw new TrialError(
    `the accounts of ${fleet.nameOf(worker)} do not add up: of ${operation}, ${offered} arrivals were offered, and ` +
      `${accounted} ended, were dropped or were under way at the end`,
    "This is a bug of train-sim; please report it with the scenario.",
  );
}
