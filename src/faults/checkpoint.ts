// `checkpoint`: the server writes all dirty pages at once; afterwards each page's first change is logged as a full page.
import { databaseOf } from "../database/registry.js";
import { defineFault } from "./fault.js";

export const checkpoint = defineFault({
  name: "checkpoint",
  description: "the server writes a checkpoint at full speed",
  keys: {},
  affectedPart: "session",
  resolve: () => ({}),
  obstacle: (_, { target }) =>
    target.checkpoint === false
      ? "asks for a checkpoint, which target.checkpoint refuses; remove one of the two"
      : undefined,
  async inject({ target }) {
    const { sessions } = databaseOf(target.admin);
    const client = await sessions.open(target.admin);
    try {
      await sessions.checkpoint(client);
    } finally {
      await client.close();
    }
    return { words: "made the server write a checkpoint", clear: () => Promise.resolve() };
  },
});
