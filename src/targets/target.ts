import type * as z from "zod";
import type { Obstacle } from "../database/contract.js";
import type { DialectName } from "../database/registry.js";
import type { Finding } from "../syntax/problems.js";
import type { Member } from "../syntax/tagged-union.js";
import type { RunningTarget } from "./running-target.js";
import type { FullDisk } from "./settings.js";

/** Settings of one kind of target, as a member of the union that `kind` distinguishes. */
export interface TargetSettingsOf<
  S extends { readonly kind: string },
  Keys extends z.ZodRawShape = z.ZodRawShape,
> extends Member<S["kind"], Keys> {
  readonly dialect?: DialectName;
  /** Keys that select this kind if the scenario names none, and a phrase for the documentation of the default. */
  readonly reason?: { readonly keys: readonly string[]; readonly words: string };
  /** Makes the settings from checked keys of a scenario. */
  resolve(input: z.output<z.ZodObject<Keys>>): S;
  keyProblems?(input: z.output<z.ZodObject<Keys>>): Finding[];
  text(settings: S): string;
}

/** Demands of the scenario on a server that train-sim starts. */
export interface TargetNeeds {
  /** Connections that clients or poolers open at once, without train-sim's control sessions. */
  readonly maxConnectionsNeeded: number;
  /** Parts of an embedded server's data that must lie on a separate small file system, which a fault can fill. */
  readonly smallDisks?: readonly FullDisk[];
  /** Directory of the scenario, from which packages of a server's programs are looked for as well. */
  readonly scenarioDirectory?: string;
}

export interface TargetKind<S extends { readonly kind: string }> {
  readonly settings: TargetSettingsOf<S>;
  start(settings: S, needs: TargetNeeds): Promise<RunningTarget>;
  /**
   * Everything that prevents servers with these settings from starting here; asked before the first trial. Servers in
   * `withColdCache` must be able to empty their cache as well.
   */
  obstacles?(
    all: readonly S[],
    scenarioDirectory?: string,
    withColdCache?: readonly S[],
  ): Promise<readonly Obstacle[]>;
  caveats?(settings: S): readonly string[];
  /** A program that this kind needs on this machine; `find` resolves to its version and rejects if there is none. */
  readonly needs?: { readonly what: string; find(): Promise<string> };
}
