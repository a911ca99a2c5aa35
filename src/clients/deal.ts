// Distributes workers over agents. A group with reserved agents uses them in turn; the other groups share the rest.

export type AgentPlace = Readonly<Record<string, number>>;

/** Number of agents that no group has for itself; all of them if none is left. */
function leftOver(agents: number, place: AgentPlace): number {
  const left = agents - Object.values(place).reduce((sum, count) => sum + count, 0);
  return left > 0 ? left : agents;
}

export function agentsFor(group: string, agents: number, place: AgentPlace): number {
  return place[group] ?? leftOver(agents, place);
}

/** Numbers of the workers of each agent; `groups` states each worker's group. */
export function deal(groups: readonly string[], agents: number, place: AgentPlace = {}): number[][] {
  const dealt: number[][] = Array.from({ length: agents }, () => []);
  const own = new Map<string, number[][]>();
  let first = 0;
  for (const [group, count] of Object.entries(place)) {
    own.set(group, dealt.slice(first, first + count));
    first += count;
  }
  const left = dealt.slice(agents - leftOver(agents, place));
  const turns = new Map<number[][], number>();
  for (const [worker, group] of groups.entries()) {
    const among = own.get(group) ?? left;
    const turn = turns.get(among) ?? 0;
    among[turn % among.length]?.push(worker);
    turns.set(among, turn + 1);
  }
  return dealt;
}

export function groupsOfWorkers(actors: Readonly<Record<string, { readonly workers: number }>>): string[] {
  return Object.entries(actors).flatMap(([group, { workers }]) =>
    Array.from({ length: workers }, () => group),
  );
}
