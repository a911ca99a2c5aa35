// Whether agents kept the coordinator's time. Each follows it within an error that is measured all the time; beyond the bound
// the second of the window in which something ended is not sure, nor is how long events took that went from one agent to
// another.
import { above, ms, type Check } from "./check.js";

export const agentClock: Check = ({ trial, bounds }) => {
  const worst = [...(trial.agents ?? [])].sort((a, b) => b.clock.errorMs - a.clock.errorMs)[0];
  return above(
    worst?.clock.errorMs,
    bounds.maxAgentClockErrorMs,
    (seen) =>
      `the clock of agent ${worst?.name ?? ""} was known within ${ms(seen, bounds.maxAgentClockErrorMs)} only (bound ` +
      `${ms(bounds.maxAgentClockErrorMs)}): its network is slow, or its machine busy`,
  );
};
