// At random for a client, and the same in every worker for an arrival, since dropped arrivals are counted by operation.
import { deriveSeed, Prng } from "../foundation/prng.js";
import type { Arrival } from "../load/arrivals.js";

export class Mix<Name extends string> {
  private readonly ofArrivals = new Prng(0);
  private readonly choices: readonly (readonly [name: Name, upTo: number])[];
  private readonly total: number;

  /** @param weights relative frequency of each name; at least one is above 0 */
  constructor(
    weights: Readonly<Record<Name, number>>,
    private readonly seed: number,
  ) {
    let total = 0;
    this.choices = Object.entries<number>(weights).map(
      ([name, weight]) => [name as Name, (total += weight)] as const,
    );
    this.total = total;
  }

  next(prng: Prng): Name {
    const point = prng.float() * this.total;
    const choice = this.choices.find(([, upTo]) => point < upTo) ?? this.choices.at(-1);
    if (!choice) throw new Error("a mix of nothing");
    return choice[0];
  }

  of({ number }: Arrival): Name {
    this.ofArrivals.reseed(deriveSeed(this.seed, "mix", number));
    return this.next(this.ofArrivals);
  }
}
