// The sampler of a database that shows nothing of itself.
import type { SamplerDialect } from "./view.js";

export const SILENT_SAMPLER: SamplerDialect = {
  groups: [],
  preamble: "",
  equip: [],
  survey: (_, workload) =>
    Promise.resolve({ ...workload, version: 0, extensions: new Map(), invertedIndexes: [] }),
};
