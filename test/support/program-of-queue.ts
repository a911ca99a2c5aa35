// The program of a queue as a child process, spoken to by the protocol of src/workloads/jobs/adapters/protocol.ts.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../../src/foundation/clock.js";
import type { Command, ProgramEvent, Start } from "../../src/workloads/jobs/adapters/protocol.js";

const PATIENCE_MS = 120_000;

type Named<Event extends ProgramEvent, Name> = Event extends ProgramEvent
  ? Name extends Event["event"]
    ? Event & { readonly event: Name }
    : never
  : never;
export type EventOf<Name extends ProgramEvent["event"]> = Named<ProgramEvent, Name>;

export class QueueProgram {
  readonly events: ProgramEvent[] = [];
  /** Resolves to the exit code or signal once the program has ended and its output is read. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private errorOutput = "";
  private hasEnded = false;

  constructor([program = "", ...words]: readonly string[], start: Start) {
    this.child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.errorOutput += text));
    createInterface({ input: this.child.stdout }).on("line", (line) =>
      this.events.push(JSON.parse(line) as ProgramEvent),
    );
    this.ended = once(this.child, "close").then(([code, signal]: unknown[]) => {
      this.hasEnded = true;
      return (code ?? signal) as number | NodeJS.Signals | null;
    });
    this.write(start);
  }

  send(command: Command): void {
    this.write(command);
  }

  kill(): Promise<unknown> {
    this.child.kill("SIGKILL");
    return this.ended;
  }

  /** Resolves once `isThere` holds; rejects with the program's output if it ends before that or takes too long. */
  async until(expected: string, isThere: () => boolean): Promise<void> {
    const deadlineMs = systemClock.nowMs() + PATIENCE_MS;
    while (!isThere()) {
      if (this.hasEnded || systemClock.nowMs() > deadlineMs)
        throw new Error(`the queue's program sent no ${expected}; ${this.describe()}`);
      await systemClock.sleep(5);
    }
  }

  /** The first event of that name for which `matches` holds, once it is there. */
  async event<Name extends ProgramEvent["event"]>(
    name: Name,
    matches: (event: EventOf<Name>) => boolean = () => true,
  ): Promise<EventOf<Name>> {
    const found = (): EventOf<Name> | undefined => this.all(name).find(matches);
    await this.until(name, () => found() !== undefined);
    return found() as EventOf<Name>;
  }

  all<Name extends ProgramEvent["event"]>(name: Name): EventOf<Name>[] {
    return this.events.filter((event): event is EventOf<Name> => event.event === name);
  }

  describe(): string {
    const last = this.events.slice(-5).map((event) => JSON.stringify(event).slice(0, 300));
    return `${this.hasEnded ? "it has ended" : "it runs"}; last events: ${last.join(" ")}; standard error: ${this.errorOutput.slice(-2_000)}`;
  }

  private write(line: Start | Command): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }
}
