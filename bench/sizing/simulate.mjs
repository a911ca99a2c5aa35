// Simulates a closed network of queues, event by event: clients think, and each of their transactions takes its worker
// thread, waits for a server connection, holds it, and takes the thread again for the answer. Threads and the pool serve in
// the order of arrival. A cycle's time on threads is fixed, its time on connections is exponential.
import { Prng } from "#program/foundation/prng.js";

const TRANSACTIONS = 3;
/** Number of served entries at the head of the list after which it is cut. */
const FORGET_FROM = 65_536;

/** Queue of actions in the order of their times: a binary heap. */
class Agenda {
  at = [];
  acts = [];

  add(ms, act) {
    let place = this.at.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.at[parent] <= ms) break;
      this.at[place] = this.at[parent];
      this.acts[place] = this.acts[parent];
      place = parent;
    }
    this.at[place] = ms;
    this.acts[place] = act;
  }

  next() {
    const { at, acts } = this;
    const first = { ms: at[0], act: acts[0] };
    const ms = at.pop();
    const act = acts.pop();
    const { length } = at;
    for (let place = 0; length > 0;) {
      let child = 2 * place + 1;
      if (child + 1 < length && at[child + 1] < at[child]) child++;
      if (child < length && at[child] < ms) {
        at[place] = at[child];
        acts[place] = acts[child];
        place = child;
        continue;
      }
      at[place] = ms;
      acts[place] = act;
      break;
    }
    return first;
  }
}

/** Servers that share one queue, first come first served. It measures their busy time within the window. */
class Station {
  waiting = [];
  /** Index of the first entry in `waiting` that is not served yet. */
  head = 0;
  busyMs = 0;

  constructor(simulation, servers) {
    this.simulation = simulation;
    this.free = servers;
    this.servers = servers;
  }

  take(ms, then) {
    if (this.free > 0) this.serve(ms, then);
    else this.waiting.push({ ms, then });
  }

  serve(ms, then) {
    const { simulation } = this;
    this.free--;
    this.busyMs += simulation.withinWindow(simulation.nowMs, simulation.nowMs + ms);
    simulation.after(ms, () => {
      this.free++;
      if (this.head < this.waiting.length) {
        const next = this.waiting[this.head++];
        if (this.head > FORGET_FROM) {
          this.waiting = this.waiting.slice(this.head);
          this.head = 0;
        }
        this.serve(next.ms, next.then);
      }
      then();
    });
  }

  get utilization() {
    return this.busyMs / (this.servers * this.simulation.windowMs);
  }
}

class Simulation {
  nowMs = 0;
  agenda = new Agenda();

  constructor(warmUpMs, windowMs) {
    this.fromMs = warmUpMs;
    this.windowMs = windowMs;
    this.toMs = warmUpMs + windowMs;
  }

  after(ms, act) {
    this.agenda.add(this.nowMs + ms, act);
  }

  withinWindow(fromMs, toMs) {
    return Math.max(0, Math.min(toMs, this.toMs) - Math.max(fromMs, this.fromMs));
  }

  run() {
    for (;;) {
      const { ms, act } = this.agenda.next();
      if (ms > this.toMs) return;
      this.nowMs = ms;
      act();
    }
  }
}

/**
 * Simulates `clients` over `threads` and a pool of `connections`: cycles per second, the duration of one, and the
 * utilization of threads and connections.
 *
 * @param {{ clients: number, threads: number, connections: number, thinkMs: number, clientCpuMs: number, heldMs: number,
 * warmUpMs: number, windowMs: number, seed?: number }} load `clientCpuMs` and `heldMs` are for each cycle
 */
export function simulate(load) {
  const { clients, threads, connections, thinkMs, clientCpuMs, heldMs } = load;
  const { warmUpMs, windowMs, seed = 1 } = load;
  const prng = new Prng(seed);
  const simulation = new Simulation(warmUpMs, windowMs);
  const pool = new Station(simulation, connections);
  const loops = Array.from({ length: threads }, () => new Station(simulation, 1));
  const halfMs = clientCpuMs / TRANSACTIONS / 2;
  const hold = () => -Math.log(1 - prng.float()) * (heldMs / TRANSACTIONS);
  let cycles = 0;
  let spentMs = 0;

  for (let client = 0; client < clients; client++) {
    const loop = loops[client % threads];
    const cycle = (startMs, left) =>
      loop.take(halfMs, () =>
        pool.take(hold(), () =>
          loop.take(halfMs, () => {
            if (left > 1) {
              cycle(startMs, left - 1);
              return;
            }
            if (simulation.nowMs >= simulation.fromMs) {
              cycles++;
              spentMs += simulation.nowMs - startMs;
            }
            begin(thinkMs);
          }),
        ),
      );
    const begin = (pauseMs) => simulation.after(pauseMs, () => cycle(simulation.nowMs, TRANSACTIONS));
    begin(prng.float() * thinkMs);
  }
  simulation.run();
  return {
    cyclesPerSecond: (cycles / windowMs) * 1000,
    cycleMs: spentMs / Math.max(1, cycles),
    threadUtilization: Math.max(...loops.map(({ utilization }) => utilization)),
    connectionUtilization: pool.utilization,
  };
}
