// Documents are read in a terminal and on GitHub: rows fit, paragraphs are short, and links lead to existing places.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ExitCode } from "../../src/foundation/errors.js";
import { parseScenario } from "../../src/scenario/loader.js";
import { ScenarioError } from "../../src/syntax/problems.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ROW_CHARACTERS = 200;
const LINE_CHARACTERS = 120;
const PARAGRAPH_SENTENCES = 5;
const RULED_OUT =
  /\b(is told|are told|nobody|whoever|somebody|anew|cannot be told|so many|is had|of (its|one's) own|beside|comes? along|doubled|given up)\b|\bMind,/i;
/** Documents that print descriptions of the program's keys. The program determines their wording. */
const PRINTED: readonly string[] = [
  "docs/reference/scenario.md",
  "docs/reference/dialects.md",
  "scenarios/examples.md",
];
const README_LINES = 80;

function filesBelow(directory: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(directory, name));
}

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const PAGES = [
  "README.md",
  "CHANGELOG.md",
  ...["bench", "docs", "docker", "scenarios", "test"].flatMap((name) => filesBelow(name, /\.md$/)),
];

interface Line {
  readonly at: string;
  readonly text: string;
}

/** Lines of a page without blocks of code. */
function linesOf(page: string): Line[] {
  let isCode = false;
  return read(page)
    .split("\n")
    .map((text, index) => ({ at: `${page}:${index + 1}`, text }))
    .filter(({ text }) => {
      const isFence = /^\s*```/.test(text);
      if (isFence) isCode = !isCode;
      return !isFence && !isCode && !/^ {4}\S/.test(text);
    });
}

const isRow = (text: string): boolean => text.startsWith("|");
const startsBlock = (text: string): boolean => /^\s*([-*]|\d+\.)\s|^#|^\s*$|^\|/.test(text);

/** Paragraphs, each with the place of its first line. An item of a list is a paragraph. */
function paragraphsOf(page: string): Line[] {
  const found: Line[] = [];
  let isOpen = false;
  for (const { at, text } of linesOf(page)) {
    const last = found.at(-1);
    if (isOpen && last && !startsBlock(text))
      found[found.length - 1] = { at: last.at, text: `${last.text} ${text.trim()}` };
    else if (text.trim() !== "" && !isRow(text)) found.push({ at, text });
    isOpen = text.trim() !== "" && !isRow(text);
  }
  return found;
}

function sentencesIn(text: string): number {
  const plain = text.replace(/`[^`]*`/g, "x").replace(/^\s*\d+\./, "");
  return plain.match(/[.!?][")*\]]*(?= +["*([]*[A-Z]|$)/g)?.length ?? 0;
}

/** Anchors that GitHub makes of headings. */
function anchorsOf(page: string): Set<string> {
  const headings = linesOf(page).filter(({ text }) => /^#{1,6} /.test(text));
  const anchors = new Set<string>();
  for (const { text } of headings) {
    const plain = text
      .replace(/^#+ /, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** True if a relative link leads to a file or directory and, if it names a heading, to that heading. */
function resolves(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || (target.endsWith(".md") && anchorsOf(target).has(anchor));
}

test.each(PAGES)("every link of %s resolves", (page) => {
  const links = linesOf(page).flatMap(({ at, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ at, link })),
  );
  const relatives = links.filter(({ link }) => !/^[a-z]+:/.test(link));
  expect(relatives.filter(({ link }) => !resolves(page, link))).toEqual([]);
});

test("every page of docs/ that code, scenarios and stacks name exists", () => {
  const files = ["src", "test", "bench", "docker", "scenarios"].flatMap((name) =>
    filesBelow(name, /\.(ts|mjs|ya?ml|md|sh)$/),
  );
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w./])docs\/[\w/-]+\.md/g)].map(([page]) => ({ file, page })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ page }) => !existsSync(join(ROOT, page)))).toEqual([]);
});

test("every picture is shown on a page", () => {
  const pictures = filesBelow("docs/images", /./).filter((file) => statSync(join(ROOT, file)).isFile());
  const longLines = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+\.png)\)/g)].map(([, link = ""]) =>
      relative(".", join(dirname(page), link)),
    ),
  );
  expect(pictures.filter((picture) => !longLines.includes(picture))).toEqual([]);
});

test.each(PAGES)("rows, lines and paragraphs of %s are short", (page) => {
  const rows = linesOf(page).filter(({ text }) => isRow(text) && text.length > ROW_CHARACTERS);
  const lines = linesOf(page).filter(
    ({ text }) => !isRow(text) && text.length > LINE_CHARACTERS && text.trim().includes(" ", 2),
  );
  const paragraphs = paragraphsOf(page).filter(({ text }) => sentencesIn(text) > PARAGRAPH_SENTENCES);
  expect([...rows, ...lines, ...paragraphs]).toEqual([]);
});

test.each(PAGES.filter((page) => !PRINTED.includes(page)))(
  "%s has no word that the design rules out",
  (page) => {
    const prose = linesOf(page).map(({ at, text }) => ({ at, text: text.replace(/`[^`]*`/g, "") }));
    expect(prose.filter(({ text }) => RULED_OUT.test(text))).toEqual([]);
  },
);

/** A "what" that begins no question stands for a noun that the sentence lacks. */
const HEADLESS = /\bwhat\b(?! (?:do|does)\b)/;

test.each(PAGES.filter((page) => page === "README.md" || page.startsWith("docs/")))(
  "page %s holds no clause with what in place of a noun",
  (page) => {
    const prose = [...paragraphsOf(page), ...linesOf(page).filter(({ text }) => isRow(text))].map(
      ({ at, text }) => ({
        at,
        text: text.replace(/`[^`]*`|\]\([^)]*\)|"[^"]*"/g, ""),
      }),
    );
    expect(prose.filter(({ text }) => HEADLESS.test(text))).toEqual([]);
  },
);

test("the README is short, and each page of docs/ is at most two clicks from it", () => {
  expect(read("README.md").split("\n").length - 1).toBeLessThanOrEqual(README_LINES);
  const linkedPages = (page: string): string[] =>
    [...read(page).matchAll(/\]\(([^)\s#]+\.md)/g)].map(([, link = ""]) => join(dirname(page), link));
  const near = new Set(["README.md", ...linkedPages("README.md")]);
  for (const page of linkedPages("README.md")) for (const next of linkedPages(page)) near.add(next);
  expect(PAGES.filter((page) => page.startsWith("docs/") && !near.has(page))).toEqual([]);
});

const NEEDS: [need: string, page: string, answers: RegExp][] = [
  ["run a file of SQL", "docs/guide/your-workload.md", /train-sim run scenarios\/bank\.sql/],
  ["compare two versions of it", "docs/guide/your-workload.md", /run before\.sql --against after\.sql/],
  ["compare two releases", "docs/guide/in-ci.md", /train-sim compare .* --base-ref/],
  ["decide on PgBouncer", "docs/guide/poolers.md", /times the cycles of 512 direct clients/],
  ["know the loss of a failover", "docs/guide/faults.md", /primary killed.*883/],
  [
    "understand ? and ~",
    "docs/guide/reading-a-report.md",
    /`~` \| indistinguishable[^]*`\?` \| inconclusive/,
  ],
  ["use a managed server", "docs/guide/managed-databases.md", /Amazon RDS[^]*sslmode: verify-full/],
  ["choose an index for a queue", "docs/guide/queue-index.md", /partial:[^]*0\.6 ms/],
];

test.each(NEEDS)(
  "a reader who wants to %s finds the answer one click from the README",
  (_, page, answers) => {
    expect(read("README.md")).toContain(`](${page}`);
    expect(read(page)).toMatch(answers);
  },
);

test.each(PAGES)("%s has no diagram that was reflowed as prose", (page) => {
  expect(linesOf(page).filter(({ text }) => /[─▶▲▼]|\w -+> \w/.test(text))).toEqual([]);
});

test("troubleshooting quotes the program's messages for its refused settings", () => {
  const file = join(ROOT, "scenarios/quickstart.yaml");
  const page = read("docs/guide/troubleshooting.md");
  const commands = [...page.matchAll(/npx train-sim run quickstart --set '?([^'|]*[^'| ])'? \|\|/g)];
  const problems = commands.flatMap(([, set = ""]) => {
    try {
      parseScenario(readFileSync(file, "utf8"), file, { set: [set] });
      return [];
    } catch (error) {
      return error instanceof ScenarioError ? error.message.split("\n").slice(1) : [];
    }
  });
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(page).toContain(problem);
});

test("the page of exit codes lists the program's codes", () => {
  const codes = [...read("docs/reference/exit-codes.md").matchAll(/^\| (\d+) \|/gm)].map(([, code]) =>
    Number(code),
  );
  expect(codes).toEqual(Object.values(ExitCode));
});

test("the rules for documents count sentences and find broken links", () => {
  expect(sentencesIn("One. Two (of `a. B`)! Is 1.5 s three? Yes.")).toBe(4);
  expect(resolves("README.md", "docs/glossary.md#verdicts")).toBe(true);
  expect(resolves("README.md", "docs/glossary.md#verdict")).toBe(false);
  expect(resolves("docs/glossary.md", "guide/none.md")).toBe(false);
});
