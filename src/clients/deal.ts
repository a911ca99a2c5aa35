// Distributes workers over agents. A role with reserved agents uses them in turn; the other roles share the rest.

export type AgentPlace = Readonly<Record<string, number>>;

/** Number of agents that are reserved for no role; all agents if every agent is reserved. */
function sharedAgents(agents: number, place: AgentPlace): number {
  const left = agents - Object.values(place).reduce((sum, count) => sum + count, 0);
  return left > 0 ? left : agents;
}

export function agentsFor(role: string, agents: number, place: AgentPlace): number {
  return place[role] ?? sharedAgents(agents, place);
}

/** Numbers of the workers that each agent runs; `roles` states each worker's role. */
export function dealWorkers(roles: readonly string[], agents: number, place: AgentPlace = {}): number[][] {
  const dealt: number[][] = Array.from({ length: agents }, () => []);
  const own = new Map<string, number[][]>();
  let first = 0;
  for (const [role, count] of Object.entries(place)) {
    own.set(role, dealt.slice(first, first + count));
    first += count;
  }
  const left = dealt.slice(agents - sharedAgents(agents, place));
  const turns = new Map<number[][], number>();
  for (const [worker, role] of roles.entries()) {
    const among = own.get(role) ?? left;
    const turn = turns.get(among) ?? 0;
    among[turn % among.length]?.push(worker);
    turns.set(among, turn + 1);
  }
  return dealt;
}

export function rolesOfWorkers(actors: Readonly<Record<string, { readonly workers: number }>>): string[] {
  return Object.entries(actors).flatMap(([role, { workers }]) => Array.from({ length: workers }, () => role));
}
