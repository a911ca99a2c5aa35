// Reads the SQL of a queue's design: sections, each with the levels for which it holds.
//
//     -- schema                                  run at the start, in the order of the file: each whose levels all match
//     -- schema, layout: hot
//     -- name: complete, retire: archive         a statement: the first whose levels all match
//
// Placeholders such as {{schema}} are names and sizes; `:name` is a parameter.

export type Levels = Readonly<Record<string, string>>;

export interface NamedStatement {
  readonly name: string;
  /** SQL with `$1`, `$2` in place of the parameters. */
  readonly text: string;
  /** Names of the parameters, in the order of their numbers. */
  readonly parameters: readonly string[];
}

export interface SqlOfDesign {
  /** Statements that make the tables. */
  readonly schema: string;
  readonly statements: ReadonlyMap<string, NamedStatement>;
}

const HEADER_PATTERN = /^-- (?:(schema)|name: (\w+))((?:, \w+: [\w-]+)*)$/;
const PLACEHOLDER_PATTERN = /\{\{(\w+)\}\}/g;
/** Matches `:name`, but neither `::type` nor a colon in a word. */
const PARAMETER_PATTERN = /(?<![:\w]):([a-z]\w*)/g;

interface Section {
  /** Undefined for a part of the schema. */
  readonly name: string | undefined;
  readonly levels: Levels;
  readonly lines: string[];
}

function sectionsIn(file: string): Section[] {
  const sections: Section[] = [];
  for (const line of file.split("\n")) {
    const header = HEADER_PATTERN.exec(line);
    if (!header) {
      sections.at(-1)?.lines.push(line);
      continue;
    }
    const [, , name, conditions = ""] = header;
    const levels = conditions.split(", ").slice(1);
    sections.push({
      name,
      levels: Object.fromEntries(levels.map((level) => level.split(": ") as [string, string])),
      lines: [],
    });
  }
  return sections;
}

function withParameters(name: string, sql: string): NamedStatement {
  const parameters: string[] = [];
  const text = sql.replace(PARAMETER_PATTERN, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text, parameters };
}

/** @param values texts of the placeholders; a placeholder without a text throws */
export function readSqlOfDesign(file: string, levels: Levels, values: Levels): SqlOfDesign {
  const valueOf = (placeholder: string): string => {
    const value = values[placeholder];
    if (value === undefined) throw new Error(`{{${placeholder}}} is no placeholder of a design`);
    return value;
  };
  const chosen = sectionsIn(file).filter((section) =>
    Object.entries(section.levels).every(([factor, level]) => levels[factor] === level),
  );
  const textOf = ({ lines }: Section): string =>
    lines
      .join("\n")
      .replace(PLACEHOLDER_PATTERN, (_, placeholder: string) => valueOf(placeholder))
      .trim();
  const statements = new Map<string, NamedStatement>();
  for (const section of chosen)
    if (section.name !== undefined && !statements.has(section.name))
      statements.set(section.name, withParameters(section.name, textOf(section)));
  return {
    schema: chosen
      .filter(({ name }) => name === undefined)
      .map(textOf)
      .join("\n\n"),
    statements,
  };
}
