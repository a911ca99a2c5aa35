// A mapping whose first key (`kind`, `strategy`) says which other keys belong. Each variant brings its own keys; together they
// are read as one mapping, so that a key of another variant is answered by where it belongs, which helps more than a failed
// union.
import * as z from "zod";
import type { Finding } from "./problems.js";

export type Keys = Readonly<Record<string, z.ZodType>>;

export interface Variant {
  /** Value of the first key. */
  readonly name: string;
  /** The other keys, none of which must be there. */
  readonly keys: Keys;
  /** Why it does not have keys of others, where there is more to say. */
  readonly lacks?: Readonly<Record<string, string>>;
}

function descriptionOf(type: z.ZodType): string {
  return type.description ?? (type instanceof z.ZodOptional ? descriptionOf(type.unwrap() as z.ZodType) : "");
}

/** `kind url`, `strategies direct and pgpool`. */
function namesText(chooser: string, names: readonly string[]): string {
  const noun = names.length === 1 ? chooser : `${chooser}s`.replace(/ys$/, "ies");
  return `${noun} ${[...names.slice(0, -2), names.slice(-2).join(" and ")].join(", ")}`;
}

/** The type of one key, which says what each of its variants has of it, and which those are. */
function sharedKey(chooser: string, key: string, variants: readonly Variant[]): z.ZodType {
  const owners = variants.filter(({ keys }) => key in keys);
  const types = owners.flatMap(({ keys }) => keys[key] ?? []);
  const [type] = types;
  if (!type) throw new RangeError(`no variant has the key ${key}`);
  const names = owners.map(({ name }) => name);
  const only = namesText(chooser, names);
  // What several say in the same words, as a default, is said once, at the end.
  const sentences = types.flatMap((each) => descriptionOf(each).split(/(?<=\.) /)).reverse();
  const words = [...new Set(sentences)].reverse();
  if (owners.length < variants.length) words.push(`${only.charAt(0).toUpperCase()}${only.slice(1)} only.`);
  return type.meta({ ...type.meta(), description: words.join(" ") });
}

/** A mapping of the keys of some variant; which one, and so which keys, its first key says. */
type Mapped<K extends string, T extends z.ZodType> = Readonly<Record<K, z.output<T>>> &
  Readonly<Record<string, unknown>>;

/** One strict mapping of the keys of all variants, for which `first` is the type of the first key. */
export function variantsMapping<K extends string, T extends z.ZodType>(
  chooser: K,
  first: T,
  variants: readonly Variant[],
): z.ZodType<Mapped<K, T>> {
  const keys = new Set(variants.flatMap((variant) => Object.keys(variant.keys)));
  const shared = Object.fromEntries([...keys].map((key) => [key, sharedKey(chooser, key, variants)]));
  return z.strictObject({ [chooser]: first, ...shared }) as z.ZodType as z.ZodType<Mapped<K, T>>;
}

/** Keys that stand there and belong to another variant. */
export function strangerKeys(
  root: string,
  chooser: string,
  name: string,
  given: Readonly<Record<string, unknown>>,
  variants: readonly Variant[],
): Finding[] {
  const variant = variants.find((each) => each.name === name);
  const own = Object.keys(variant?.keys ?? {});
  return Object.entries(given)
    .filter(([key, value]) => value !== undefined && key !== chooser && !own.includes(key))
    .map(([key]) => {
      const owners = variants.filter(({ keys }) => key in keys).map((each) => each.name);
      const reason = variant?.lacks?.[key];
      const takes = own.length > 0 ? `; ${name} takes ${own.join(", ")}` : "";
      const others = reason === undefined ? takes : `: ${reason}`;
      return {
        path: [root, key],
        message: `belongs to ${chooser} ${owners.join(" or ")}, not to ${name}${others}`,
        isAboutKey: true,
      };
    });
}
