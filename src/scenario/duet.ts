// A duet runs both treatments at once, each on its server. What cannot be done twice at once is refused here.
import type { Finding } from "../syntax/problems.js";
import { isBudgeted } from "./plan/estimate.js";
import type { Treatment } from "./settings.js";

export function duetFindings(treatments: readonly Treatment[]): Finding[] {
  const settings = treatments.map((each) => each.settings);
  const refusals: [boolean, Finding][] = [
    [
      treatments.length !== 2,
      {
        path: ["order"],
        message: `a duet has two treatments, not ${treatments.length}; leave the others out`,
      },
    ],
    [
      settings.some(({ target }) => target.kind === "url"),
      {
        path: ["target"],
        message: "a duet needs two servers of the same kind at once; leave target out, or name a container",
      },
    ],
    [
      settings.some(({ agents }) => agents > 0),
      { path: ["agents"], message: "a duet runs in this process alone; leave agents out" },
    ],
    [
      settings.some(({ faults }) => faults.length > 0),
      { path: ["faults"], message: "a fault would disturb both sides of a duet; use order: interleaved" },
    ],
    [
      settings.some(isBudgeted),
      {
        path: ["actors"],
        message: "windows of a duet end at the same moment, not with iterations; use clients or a rate",
      },
    ],
  ];
  return refusals.flatMap(([isRefused, finding]) => (isRefused ? [finding] : []));
}
