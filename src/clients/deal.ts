// Distributes workers over agents. A role with reserved agents uses them in turn; the other roles share the rest.

export type ReservedAgentsByRole = Readonly<Record<string, number>>;

/** Number of agents that are reserved for no role; all agents if every agent is reserved. */
function sharedAgentCount(agents: number, place: ReservedAgentsByRole): number {
  const remainingAgents = agents - Object.values(place).reduce((sum, count) => sum + count, 0);
  return remainingAgents > 0 ? remainingAgents : agents;
}

export function agentCountFor(role: string, agents: number, place: ReservedAgentsByRole): number {
  return place[role] ?? sharedAgentCount(agents, place);
}

/** Numbers of the workers that each agent runs; `roles` states each worker's role. */
export function distributeWorkers(
  roles: readonly string[],
  agents: number,
  place: ReservedAgentsByRole = {},
): number[][] {
  const dealt: number[][] = Array.from({ length: agents }, () => []);
  const dealtByRole = new Map<string, number[][]>();
  let first = 0;
  for (const [role, count] of Object.entries(place)) {
    dealtByRole.set(role, dealt.slice(first, first + count));
    first += count;
  }
  const sharedDealt = dealt.slice(agents - sharedAgentCount(agents, place));
  const nextAgentByGroup = new Map<number[][], number>();
  for (const [worker, role] of roles.entries()) {
    const among = dealtByRole.get(role) ?? sharedDealt;
    const nextAgent = nextAgentByGroup.get(among) ?? 0;
    among[nextAgent % among.length]?.push(worker);
    nextAgentByGroup.set(among, nextAgent + 1);
  }
  return dealt;
}

export function rolesOfWorkers(actors: Readonly<Record<string, { readonly workers: number }>>): string[] {
  return Object.entries(actors).flatMap(([role, { workers }]) => Array.from({ length: workers }, () => role));
}
