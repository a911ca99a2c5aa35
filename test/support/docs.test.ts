// Pages are read in a terminal and on GitHub: rows that fit, paragraphs that can be taken in, and links that lead somewhere.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

function filesBelow(directory: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(directory, name));
}

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const PAGES = ["README.md", ...["docs", "docker", "scenarios"].flatMap((name) => filesBelow(name, /\.md$/))];

interface Line {
  readonly at: string;
  readonly text: string;
}

/** Without blocks of code. */
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

/** As GitHub makes them of headings. */
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

/** Whether a relative link of the page leads to a file or directory and, where it names one, to a heading. */
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

test("every page of docs/ that code, scenarios and stacks name is there", () => {
  const files = ["src", "test", "bench", "docker", "scenarios"].flatMap((name) =>
    filesBelow(name, /\.(ts|mjs|ya?ml|md|sh)$/),
  );
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w./])docs\/[\w/-]+\.md/g)].map(([page]) => ({ file, page })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ page }) => !existsSync(join(ROOT, page)))).toEqual([]);
});

test("every picture is on a page", () => {
  const pictures = filesBelow("docs/images", /./).filter((file) => statSync(join(ROOT, file)).isFile());
  const shown = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+\.png)\)/g)].map(([, link = ""]) =>
      relative(".", join(dirname(page), link)),
    ),
  );
  expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
});
