// Scenarios with a module, for the reference: an example that loads would need the file, so that it is one that is refused.
import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  taken: [],
  refused: [{ title: "a module by its path alone", yaml: "name: x\nworkload: { module: /srv/orders.mjs }" }],
};
