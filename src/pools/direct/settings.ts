import { RECONNECT_KEY, type Reconnect } from "../keys.js";
import type { PoolSettingsOf } from "../strategy.js";

export interface DirectPool {
  readonly strategy: "direct";
  readonly reconnect: Reconnect;
}

const keys = { reconnect: RECONNECT_KEY };

export const directSettings: PoolSettingsOf<DirectPool, typeof keys> = {
  name: "direct",
  description: "every client keeps its own connection",
  keys,
  resolve: ({ reconnect = "never" }) => ({ strategy: "direct", reconnect }),
  text: ({ reconnect }) => (reconnect === "never" ? "direct" : "direct, a connection per transaction"),
};
