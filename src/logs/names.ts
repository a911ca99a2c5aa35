// A filter that matches no actor or operation of the logs is an error and no empty report.
import { UsageError } from "../foundation/errors.js";
import type { Operation } from "../metrics/operations.js";
import type { LogFilter } from "./log-filter.js";

export class LogNames {
  private readonly actors = new Set<string>();
  private readonly workers = new Set<string>();
  private readonly operations = new Set<Operation>();

  add(actor: string, worker: number, operations: readonly Operation[]): void {
    this.actors.add(actor);
    this.workers.add(`${actor}/${worker}`);
    for (const operation of operations) this.operations.add(operation);
  }

  /** Checks the names of a filter. Throws if a requested name occurs in no log. */
  requireKnownNames({ actors = [], operations = [] }: LogFilter): void {
    const actor = actors.find((name) => !this.actors.has(name) && !this.workers.has(name));
    if (actor !== undefined) throw unknownNameError("actor", actor, this.actors);
    const operation = operations.find((name) => !this.operations.has(name));
    if (operation !== undefined) throw unknownNameError("operation", operation, this.operations);
  }
}

function unknownNameError(what: string, name: string, known: ReadonlySet<string>): UsageError {
  const knownNamesHint = known.size === 0 ? "The logs name none." : `Give one of ${[...known].join(", ")}.`;
  const worker = what === "actor" && known.size > 0 ? ` For one worker, write ${[...known][0] ?? ""}/0.` : "";
  return new UsageError(`the logs have no ${what} ${name}`, `${knownNamesHint}${worker}`);
}
