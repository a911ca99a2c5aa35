// The sampler of a database that tells nothing of itself: nothing is asked, and nothing is made up in its place. What is left
// is what clients see.
import type { SamplerDialect } from "./view.js";

export const SILENT_SAMPLER: SamplerDialect = {
  groups: [],
  preamble: "",
  equip: [],
  survey: (_, tables) => Promise.resolve({ tables, version: 0, extensions: new Map(), invertedIndexes: [] }),
};
