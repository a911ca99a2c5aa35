// A mapping in which one key, as `kind`, says which other keys belong to it. A union for the types; flat for editors and in
// messages, because "port belongs to kind embedded" helps more than a union of which no member fits.
import * as z from "zod";
import { nearest } from "./nearest.js";
import { isMapping, type Mapping } from "./paths.js";

export interface Member<Name extends string = string, Keys extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: Name;
  /** One clause, which members in succession may share. */
  readonly description: string;
  /** Keys of its own: one that is not optional is needed. */
  readonly keys: Keys;
}

/** What is said of a key that is another member's, and of one that is missing. */
export interface KeyWords {
  stranger(member: Member, key: string, owners: readonly string[]): string;
  lack(member: Member, key: string): string;
}

/** Where a finding about a union stands: at a key that does not belong, or at the mapping that lacks one. */
export type KeyIssue = { readonly stranger: string } | { readonly lack: string };

type OutputOf<Tag extends string, Common extends z.ZodRawShape, One> =
  One extends Member<infer Name, infer Keys>
    ? { [Key in Tag]: Name } & z.output<z.ZodObject<Omit<Common, Tag> & Keys>>
    : never;

/** `backend-terminate: sessions end; postgres-restart, postgres-kill: the server is stopped`. */
export function describeMembers(members: readonly Pick<Member, "name" | "description">[]): string {
  const parts: { names: string; description: string }[] = [];
  for (const { name, description } of members) {
    const last = parts.at(-1);
    if (last?.description === description) last.names += `, ${name}`;
    else parts.push({ names: name, description });
  }
  return parts.map(({ names, description }) => `${names}: ${description}`).join("; ");
}

/** Keys that a member needs, and those that it may have. */
export function keysOf({ keys }: Pick<Member, "keys">): { needs: string[]; takes: string[] } {
  const isNeeded = (key: string): boolean => !(keys[key] as z.ZodType).safeParse(undefined).success;
  const names = Object.keys(keys);
  return { needs: names.filter(isNeeded), takes: names.filter((key) => !isNeeded(key)) };
}

/** With what is said of it where editors look first. */
function asOptional(type: z.ZodType): z.ZodType {
  const inner = type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : type;
  const meta = type.meta() ?? inner.meta();
  return meta === undefined ? inner.optional() : inner.optional().meta(meta);
}

/**
 * @param common the tag itself, and keys that all members have
 * @param vocabulary keys that several members have, in the order in which documentation is to show them
 */
export function taggedUnion<
  Tag extends string,
  Common extends z.ZodRawShape & Record<Tag, z.ZodType>,
  Members extends Member,
>(tag: Tag, common: Common, members: readonly Members[], words: KeyWords, vocabulary: z.ZodRawShape = {}) {
  const own: z.ZodRawShape = Object.fromEntries(
    [vocabulary, ...members.map(({ keys }) => keys)].flatMap((keys) => Object.entries(keys)),
  );
  const optional = Object.entries(own).map(([key, type]) => [key, asOptional(type as z.ZodType)] as const);
  const flat = z.strictObject({ ...common, ...Object.fromEntries(optional) });
  const ownersOf = (key: string): string[] =>
    members.filter(({ keys }) => Object.hasOwn(keys, key)).map(({ name }) => name);

  function issuesOf(value: Mapping): { message: string; about: KeyIssue }[] {
    const member = members.find(({ name }) => name === value[tag]);
    if (!member) return [];
    const strangers = Object.keys(own).filter((key) => key in value && !Object.hasOwn(member.keys, key));
    const lacks = keysOf(member).needs.filter((key) => !(key in value));
    return [
      ...strangers.map((key) => ({
        message: words.stranger(member, key, ownersOf(key)),
        about: { stranger: key },
      })),
      ...lacks.map((key) => ({ message: words.lack(member, key), about: { lack: key } })),
    ];
  }

  const check = z.check(({ value, issues }) => {
    // A misspelt tag leaves open which member is meant: its default may be another one.
    const isMisspelt = issues.some(
      (issue) =>
        issue.code === "unrecognized_keys" &&
        (issue.path ?? []).length === 0 &&
        issue.keys.some((key) => nearest(key, [tag]) !== undefined),
    );
    if (!isMapping(value) || isMisspelt) return;
    for (const { message, about } of issuesOf(value)) {
      const path = "stranger" in about ? [about.stranger] : [];
      issues.push({ code: "custom", message, path, params: about, input: value, continue: true });
    }
  });
  // Beside what is wrong with single keys.
  check._zod.def.when = () => true;
  return flat.check(check) as unknown as z.ZodType<
    OutputOf<Tag, Common, Members>,
    z.input<z.ZodObject<Common>>
  >;
}
