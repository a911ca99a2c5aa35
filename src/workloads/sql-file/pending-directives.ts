// Directives that stand above a statement and describe its rows: expect, returning, counts.
import type { Binding, Place, RowExpectation } from "../script/program.js";
import { parseReturning } from "./directive-values.js";
import type { Refuse } from "./drafts.js";

const VARIABLE_NAME = /^[A-Za-z_]\w{0,62}$/;

interface RowTraits {
  expect?: RowExpectation;
  orEnd?: true;
  countsRows?: true;
}

/** Directives above the next statement. */
export class PendingDirectives {
  private place: Place | undefined;
  private traits: RowTraits = {};
  private bindings: Binding[] = [];

  constructor(private readonly refuse: Refuse) {}

  /** Takes a directive if it is one of these. */
  take(name: string, value: string, place: Place): void {
    if (!["expect", "returning", "counts"].includes(name)) return;
    this.place ??= place;
    if (name === "expect") this.takeExpectation(value, place);
    if (name === "returning") this.takeBindings(value, place);
    if (name === "counts") this.takeCounts(value, place);
  }

  /** The directives, which belong to the statement below them from now on. */
  use(): { readonly traits: RowTraits; readonly bindings: readonly Binding[] } {
    const { traits, bindings } = this;
    this.clear();
    return { traits, bindings };
  }

  /** Refuses directives without a statement below them. */
  requireNone(): void {
    if (this.place) this.refuse(this.place, "expect, returning and counts stand above their statement");
    this.clear();
  }

  private clear(): void {
    this.place = undefined;
    this.traits = {};
    this.bindings = [];
  }

  private takeExpectation(value: string, place: Place): void {
    const match = /^rows\s*(=|>=|<=|>|<)\s*(\d+)$/.exec(value);
    if (!match) {
      this.refuse(place, "expected expect: rows = 1, with =, <, <=, > or >=");
      return;
    }
    this.traits.expect = {
      operator: (match[1] ?? "=") as RowExpectation["operator"],
      rows: Number(match[2]),
    };
  }

  private takeBindings(value: string, place: Place): void {
    const parsedReturning = parseReturning(value);
    if (!parsedReturning) {
      this.refuse(
        place,
        "expected returning: column as name, such as id as job; `, or end` may stand behind it",
      );
      return;
    }
    if (parsedReturning.orEnd) this.traits.orEnd = true;
    for (const { variable } of parsedReturning.bindings)
      if (!VARIABLE_NAME.test(variable)) this.refuse(place, `${variable} is not a name of a variable`);
    this.bindings.push(...parsedReturning.bindings);
  }

  private takeCounts(value: string, place: Place): void {
    if (value !== "rows") this.refuse(place, "expected counts: rows");
    this.traits.countsRows = true;
  }
}
