// A mapping in which one key decides which others belong to it: a union for types, flat for editors and messages.
import * as z from "zod";
import { nearest } from "./nearest.js";
import { isMapping, type Mapping } from "./paths.js";

export interface Member<Name extends string = string, Keys extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: Name;
  /** Description of the member as a clause; consecutive members with the same clause are listed together. */
  readonly description: string;
  /** Keys of this member; a key is required unless its schema is optional. */
  readonly keys: Keys;
  /** Reasons why the member lacks keys of other members, by key, if they deserve a message. */
  readonly lacks?: Readonly<Record<string, string>>;
}

/** Messages for a key that belongs to another member, and for a missing key. */
export interface KeyWords {
  unknownKeyText?(member: Member, key: string, owners: readonly string[]): string | undefined;
  lack?(member: Member, key: string): string;
}

export interface TaggedUnion<Tag extends string, Common extends z.ZodRawShape, One extends Member> {
  readonly tag: Tag;
  /** Schemas of the tag itself and of keys that all members have. */
  readonly common: Common;
  readonly members: readonly One[];
  /** Keys that several members have, in the order in which the documentation shows them. */
  readonly vocabulary?: z.ZodRawShape;
  readonly words?: KeyWords;
  /** Name of the member that is meant if the tag is left out. */
  readonly chosenName?: (mapping: Mapping) => One["name"];
}

/** Subject of a finding about a union: a key that does not belong (`unknownKeyText`) or that is missing (`lack`). */
export type KeyIssue = { readonly stranger: string } | { readonly lack: string };

type TaggedUnionOutput<Tag extends string, Common extends z.ZodRawShape, One> =
  One extends Member<infer Name, infer Keys>
    ? { [Key in Tag]: Name } & z.output<z.ZodObject<Omit<Common, Tag> & Keys>>
    : never;

/** Text such as `backend-terminate: sessions end; postgres-restart, postgres-kill: the server is stopped`. */
export function describeMembers(members: readonly Pick<Member, "name" | "description">[]): string {
  const parts: { names: string; description: string }[] = [];
  for (const { name, description } of members) {
    const last = parts.at(-1);
    if (last?.description === description) last.names += `, ${name}`;
    else parts.push({ names: name, description });
  }
  return parts.map(({ names, description }) => `${names}: ${description}`).join("; ");
}

function isNeeded({ keys }: Pick<Member, "keys">, key: string): boolean {
  return !(keys[key] as z.ZodType).safeParse(undefined).success;
}

/** Keys that a member requires (`needs`), and optional keys (`takes`). */
export function keysOf(member: Pick<Member, "keys">): { needs: string[]; takes: string[] } {
  const names = Object.keys(member.keys);
  return {
    needs: names.filter((key) => isNeeded(member, key)),
    takes: names.filter((key) => !isNeeded(member, key)),
  };
}

/** Text such as `kind url` or `strategies direct and pgpool`. */
function namesText(tag: string, names: readonly string[]): string {
  const noun = names.length === 1 ? tag : `${tag}s`.replace(/ys$/, "ies");
  return `${noun} ${[...names.slice(0, -2), names.slice(-2).join(" and ")].join(", ")}`;
}

/**
 * Text on the members that have a key: `Kind url only.`, `Kind network-latency only, which needs it.` or, if shorter, `Not
 * kind network-reset.`
 */
function ownersText(tag: string, key: string, owners: readonly Member[], others: readonly Member[]): string {
  const names = (some: readonly Member[]): string =>
    namesText(
      tag,
      some.map(({ name }) => name),
    );
  if (others.length === 0) return "";
  if (4 * others.length < owners.length) return `Not ${names(others)}.`;
  const verb = owners.length === 1 ? "needs" : "need";
  const needs = owners.every((owner) => isNeeded(owner, key)) ? `, which ${verb} it` : "";
  const only = names(owners);
  return `${only.charAt(0).toUpperCase()}${only.slice(1)} only${needs}.`;
}

const unwrapOptional = (type: z.ZodType): z.ZodType =>
  type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : type;

/**
 * The schema of one key in a flat mapping, always optional; its description joins the owners' descriptions and names them.
 */
function flatKeySchema(tag: string, key: string, members: readonly Member[]): z.ZodType {
  const owners = members.filter(({ keys }) => Object.hasOwn(keys, key));
  const others = members.filter((member) => !owners.includes(member));
  const metas = owners.map(({ keys }) => {
    const type = keys[key] as z.ZodType;
    return type.meta() ?? unwrapOptional(type).meta();
  });
  // A sentence that several owners share, such as a default, is stated once, at the end.
  const sentences = metas.flatMap((meta) => (meta?.description ?? "").split(/(?<=\.) /)).reverse();
  const description = [...new Set(sentences)].reverse();
  return unwrapOptional(owners[0]?.keys[key] as z.ZodType)
    .optional()
    .meta({
      ...metas[0],
      description: [...description, ownersText(tag, key, owners, others)].join(" ").trim(),
    });
}

export function taggedUnion<
  Tag extends string,
  Common extends z.ZodRawShape & Record<Tag, z.ZodType>,
  One extends Member,
>({ tag, common, members, vocabulary = {}, words = {}, chosenName }: TaggedUnion<Tag, Common, One>) {
  const keys = new Set([vocabulary, ...members.map((one) => one.keys)].flatMap((some) => Object.keys(some)));
  const own = Object.fromEntries([...keys].map((key) => [key, flatKeySchema(tag, key, members)]));
  const flatSchema = z.strictObject({ ...common, ...own });

  function foreignKeyText(member: One, key: string): string {
    const owners = members.filter((one) => Object.hasOwn(one.keys, key)).map(({ name }) => name);
    const customText = words.unknownKeyText?.(member, key, owners);
    if (customText !== undefined) return customText;
    const { name, lacks } = member;
    const acceptedKeys = Object.keys(member.keys).filter((one) => !(one in vocabulary));
    const takes = acceptedKeys.length > 0 ? `; ${name} takes ${acceptedKeys.join(", ")}` : "";
    const reason = lacks?.[key] === undefined ? takes : `: ${lacks[key]}`;
    return `belongs to ${tag} ${owners.join(" or ")}, not to ${name}${reason}`;
  }

  function issuesOf(member: One, value: Mapping): { message: string; about: KeyIssue }[] {
    const isKeyThere = (key: string): boolean => value[key] !== undefined;
    const strangers = [...keys].filter((key) => isKeyThere(key) && !Object.hasOwn(member.keys, key));
    const lacks = keysOf(member).needs.filter((key) => !isKeyThere(key));
    return [
      ...strangers.map((key) => ({ message: foreignKeyText(member, key), about: { stranger: key } })),
      ...lacks.map((key) => ({
        message: words.lack?.(member, key) ?? `${tag} ${member.name} needs ${key}`,
        about: { lack: key },
      })),
    ];
  }

  const check = z.check((payload) => {
    const { value, issues } = payload;
    if (!isMapping(value)) return;
    const unknown = issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" && (issue.path ?? []).length === 0 ? issue.keys : [],
    );
    // If a misspelt key determines the member, the member that was meant is unknown.
    const mayDetermineMember = (key: string): boolean =>
      nearest(key, [tag]) !== undefined || (chosenName !== undefined && value[tag] === undefined);
    if (unknown.some(mayDetermineMember)) return;
    const name = value[tag] ?? chosenName?.(value);
    const member = members.find((one) => one.name === name);
    if (!member) return;
    payload.value = { ...value, [tag]: name };
    for (const { message, about } of issuesOf(member, value)) {
      const path = "stranger" in about ? [about.stranger] : [];
      issues.push({ code: "custom", message, path, params: about, input: value, continue: true });
    }
  });
  // Run even if single keys have problems, so that all are reported together.
  check._zod.def.when = () => true;
  return flatSchema.check(check) as unknown as z.ZodType<
    TaggedUnionOutput<Tag, Common, One>,
    z.input<z.ZodObject<Common>>
  >;
}
