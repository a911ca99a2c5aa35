import type { Connection } from "../../src/database/sql.js";

/** A connection whose calls all succeed at once, without rows; a test replaces the calls that it is about. */
export const idleConnection: Connection = {
  isBroken: false,
  execute: () => Promise.resolve([]),
  executeNamed: () => Promise.resolve([]),
  copyIn: () => Promise.resolve(0),
  control: () => Promise.resolve(),
  hold: () => undefined,
  holdBegin: () => undefined,
  flush: () => Promise.resolve(),
  dropHeld: () => undefined,
  ping: () => Promise.resolve(),
  observe: () => undefined,
};
