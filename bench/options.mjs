// The command line that the benches share: whole numbers above 0 with a default, --json, and words that are said or not,
// as --short. A wrong word ends the bench with 104, as train-sim itself does.
import { parseArgs } from "node:util";

/**
 * `defaults` maps each option's name to its default; gives the numbers, and whether `json` and each of `flags` was said.
 * `lists` maps an option's name to what it may list, divided by commas; all of it where it is left out. `texts` maps an
 * option that takes any text to its default; an option without a default must be given.
 */
export function readOptions(defaults, flags = [], lists = {}, texts = {}) {
  const words = ["json", ...flags];
  const options = Object.fromEntries([
    ...Object.entries(defaults).map(([name, value]) => [name, { type: "string", default: String(value) }]),
    ...words.map((name) => [name, { type: "boolean", default: false }]),
    ...Object.entries(lists).map(([name, known]) => [name, { type: "string", default: known.join(",") }]),
    ...Object.entries(texts).map(([name, text]) => [name, { type: "string", default: text }]),
  ]);
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    fail(error.message);
  }
  const given = Object.keys(texts);
  for (const name of given) if (values[name] === undefined) fail(`--${name} is missing`);
  const numbers = Object.keys(defaults).map((name) => [name, wholeNumber(values[name], name)]);
  return Object.fromEntries([
    ...numbers,
    ...[...words, ...given].map((name) => [name, values[name]]),
    ...Object.entries(lists).map(([name, known]) => [name, listOf(values[name], name, known)]),
  ]);
}

/** Names divided by commas; ends the bench where one is not known. */
export function listOf(text, option, known) {
  const names = text.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  return fail(`--${option} does not know ${JSON.stringify(unknown)}; it takes ${known.join(", ")}`);
}

/**
 * That number; ends the bench where the text is none.
 *
 * @returns {number}
 */
export function wholeNumber(text, option) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return fail(`--${option} takes a whole number above 0, not ${JSON.stringify(text)}`);
}

/**
 * Ends the bench with those words.
 *
 * @returns {never}
 */
export function fail(words) {
  console.error(words);
  process.exit(104);
}
