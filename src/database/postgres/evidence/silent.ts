// The sampler of a database that tells nothing of itself: nothing is asked, and nothing is made up in its place. What is left
// is what clients see.
import type { SamplerDialect } from "./view.js";

export const SILENT_SAMPLER: SamplerDialect = {
  groups: [],
  preamble: "",
  equip: [],
  survey: (_, workload) =>
    Promise.resolve({ ...workload, version: 0, extensions: new Map(), invertedIndexes: [] }),
};
