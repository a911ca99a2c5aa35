// The contract of a kind of target. Types only.
import type * as z from "zod";
import type { DialectName } from "../database/registry.js";
import type { Finding } from "../syntax/problems.js";
import type { Member } from "../syntax/tagged-union.js";
import type { RunningTarget } from "./running-target.js";
import type { FullDisk } from "./settings.js";

/** A member of the union on `kind`. */
export interface TargetSettingsOf<
  S extends { readonly kind: string },
  Keys extends z.ZodRawShape = z.ZodRawShape,
> extends Member<S["kind"], Keys> {
  /** The dialect of a server that train-sim starts. */
  readonly dialect?: DialectName;
  /** Keys that tell this kind if none is named, and the words for that. */
  readonly toldBy?: { readonly keys: readonly string[]; readonly words: string };
  /** The settings that a mapping of these keys means. */
  resolve(given: z.output<z.ZodObject<Keys>>): S;
  /** Keys that exclude or need each other. */
  keyProblems?(given: z.output<z.ZodObject<Keys>>): Finding[];
  /** The target in words for a plan. */
  text(settings: S): string;
}

/** Demands of the scenario on a server that train-sim starts. */
export interface TargetNeeds {
  /** Connections that clients or poolers open at once; train-sim's own come on top. */
  readonly maxConnectionsNeeded: number;
  /** Parts of an embedded server's data that are to lie on a file system of their own, which can be filled. */
  readonly smallDisks?: readonly FullDisk[];
}

export interface TargetKind<S extends { readonly kind: string }> {
  readonly settings: TargetSettingsOf<S>;
  /** Starts it, or describes one that runs. On rejection nothing is left running. */
  start(settings: S, needs: TargetNeeds): Promise<RunningTarget>;
  /** Settings that this machine ignores, each with the way out. */
  caveats?(settings: S): readonly string[];
  /** Its need on this machine; `find` resolves to the version that is there, and rejects if there is none. */
  readonly needs?: { readonly what: string; find(): Promise<string> };
}
