// Revisions in git of a scenario and its files. Revisions that mean the same count once.
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { distinct } from "../../foundation/distinct.js";
import { TrainSimError, UsageError } from "../../foundation/errors.js";
import { Repository, type Commit } from "../../foundation/process/git.js";
import { parseScenario, singleTreatments, type SingleTreatment } from "../../scenario/loader.js";
import { canonicalText } from "../../scenario/plan/levels.js";
import type { Overrides } from "../../scenario/plan/overrides.js";
import type { Experiment } from "../../scenario/settings.js";
import { problemText, ScenarioError } from "../../syntax/problems.js";
import { migratedAt, migratedFiles, type ReadText } from "../../workloads/own.js";

/** Name of the last revision when it is the uncommitted state of the files. */
const WORKING_TREE = "working tree";
const SHORT_HASH_CHARACTERS = 10;
const MODULE_FILE = /\.m?js$/;

export interface Revision {
  readonly id: string;
  readonly subject: string;
  readonly author: string;
  readonly date: string;
  readonly files: readonly string[];
}

export interface RunnableRevision {
  readonly revision: Revision;
  readonly experiment: Experiment;
  /** The treatments, with the files that they name embedded. */
  readonly treatments: readonly SingleTreatment[];
  readonly key: string;
}

export interface UnrunnableRevision {
  readonly revision: Revision;
  readonly problem: string;
}

export type Candidate = RunnableRevision | UnrunnableRevision;

export interface PairRequest extends Pick<Overrides, "set" | "environment"> {
  readonly scenario: string;
  readonly base: string;
  /** The compared revision; undefined for the uncommitted working tree. */
  readonly head: string | undefined;
}

interface BisectRequest extends Pick<Overrides, "set" | "environment"> {
  readonly scenario: string;
  readonly good: string;
  /** The bad revision; undefined for the uncommitted working tree. */
  readonly bad: string | undefined;
}

type RevisionOutcome = Omit<RunnableRevision, "revision"> | TrainSimError;

/**
 * A scenario at one commit, with the text of each of its files by its path in the repository, or the id of its content if
 * migrations read it.
 */
interface ScenarioAtCommit {
  /** The commit; undefined for the uncommitted working tree. */
  readonly commit: Commit | undefined;
  readonly texts: ReadonlyMap<string, string>;
  readonly outcome: RevisionOutcome;
}

class RevisionFiles {
  readonly git: Repository;
  /** Path of the scenario with symbolic links resolved, as git states its root. */
  private readonly scenario: string;

  constructor(
    named: string,
    private readonly overrides: Pick<Overrides, "set" | "environment">,
    private readonly isSingle: boolean,
  ) {
    const directory = dirname(resolve(named));
    this.git = new Repository(directory);
    this.scenario = relative(process.cwd(), join(realpathSync(directory), basename(named)));
  }

  at(commit: Commit | undefined): ScenarioAtCommit {
    const texts = new Map<string, string>();
    const read = (file: string, directory: string): string => {
      const [path, text] = this.textOf(resolve(directory, file), commit);
      texts.set(path, text);
      return text;
    };
    try {
      return { commit, texts, outcome: this.loadRevision(read, texts, commit) };
    } catch (error) {
      if (error instanceof TrainSimError) return { commit, texts, outcome: error };
      throw error;
    }
  }

  /** Loads the scenario; adds the files of its migrations to `texts`. */
  private loadRevision(
    read: ReadText,
    texts: Map<string, string>,
    commit: Commit | undefined,
  ): Omit<RunnableRevision, "revision"> {
    const scenarioArguments = [read(this.scenario, ""), this.scenario, { ...this.overrides, read }] as const;
    const experiment = parseScenario(...scenarioArguments);
    const count = experiment.treatments.length;
    if (this.isSingle && count > 1)
      throw new UsageError(
        `the scenario has ${count} treatments, and bisect compares revisions of a single treatment`,
        "Fix its factors: --set factors.payload='[jsonb]'.",
      );
    const treatments = singleTreatments(...scenarioArguments);
    const { root } = this.git;
    const migrated = this.contentsOf(
      treatments.flatMap(({ scenario }) => migratedFiles(scenario, root) ?? []),
      commit,
    );
    for (const [path, id] of migrated) if (!texts.has(path)) texts.set(path, id);
    return {
      experiment,
      treatments: commit
        ? treatments.map(({ id, scenario }) => ({
            id,
            scenario: migratedAt(scenario, { repository: root, commit: commit.hash }),
          }))
        : treatments,
      key: canonicalText([
        experiment.treatments.map(({ id, settings }) => ({ id, settings })),
        [...migrated].sort(),
      ]),
    };
  }

  private contentsOf(files: readonly string[], commit: Commit | undefined): Map<string, string> {
    if (files.length === 0) return new Map();
    const paths = distinct(files).map((file) => this.pathOf(file));
    return commit ? this.git.contentsAt(commit, paths) : this.git.contentsOnDisk(paths);
  }

  /** Path of a file in the repository. Throws a UsageError if it is outside. */
  private pathOf(file: string): string {
    const path = relative(this.git.root, file).split(sep).join("/");
    if (path !== ".." && !path.startsWith("../")) return path;
    throw new UsageError(`${file} is outside of the repository ${this.git.root}`, "Move it there.");
  }

  private textOf(file: string, commit: Commit | undefined): [path: string, text: string] {
    const path = this.pathOf(file);
    if (MODULE_FILE.test(path))
      throw new UsageError(
        `${path} is a module, which may import any file`,
        "Use a file of SQL or scripts of pgbench, which import nothing.",
      );
    const text = commit ? this.git.fileAt(commit, path) : textOnDisk(file);
    if (text !== undefined) return [path, text];
    throw new UsageError(
      `${path} is not there at ${nameOf(commit)}`,
      "Name revisions at which the scenario and all of its files are there.",
    );
  }
}

function textOnDisk(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function nameOf(commit: Commit | undefined): string {
  return commit?.hash.slice(0, SHORT_HASH_CHARACTERS) ?? WORKING_TREE;
}

function revisionOf({ commit, texts }: ScenarioAtCommit, before: ScenarioAtCommit["texts"]): Revision {
  const paths = [...new Set([...before.keys(), ...texts.keys()])];
  const { subject = "uncommitted changes", author = "", date = "" } = commit ?? {};
  const files = paths.filter((path) => texts.get(path) !== before.get(path));
  return { id: nameOf(commit), subject, author, date, files };
}

function problemOf(error: TrainSimError): string {
  const [first] = error instanceof ScenarioError ? error.problems : [];
  return first ? problemText(first) : error.message;
}

function keyOf(outcome: RevisionOutcome): string {
  return "key" in outcome ? outcome.key : problemOf(outcome);
}

/** The revision's loaded scenario. Throws with the revision's name if it cannot be loaded. */
function requireRunnable({ commit, texts, outcome }: ScenarioAtCommit): RunnableRevision {
  if ("key" in outcome) return { ...outcome, revision: revisionOf({ commit, texts, outcome }, texts) };
  throw new UsageError(`at ${nameOf(commit)}: ${outcome.message}`, outcome.hint, { cause: outcome });
}

/**
 * The revisions from the good one to the bad one. Throws a UsageError if none lies between them, or if either does not
 * load.
 */
export function revisionsOf({
  scenario,
  good,
  bad,
  ...overrides
}: BisectRequest): [RunnableRevision, ...Candidate[]] {
  const files = new RevisionFiles(scenario, overrides, true);
  const { git } = files;
  const [from, to] = [git.commit(good), git.commit(bad ?? "HEAD")];
  if (!git.isAncestor(from, to))
    throw new UsageError(
      `${good} is no ancestor of ${bad ?? "HEAD"}`,
      `Name an earlier commit of the same line: git merge-base ${good} ${bad ?? "HEAD"} prints one.`,
    );
  const commits = [...git.commitsBetween(from, to), ...(bad === undefined ? [undefined] : [])];
  let before = files.at(from);
  const base = requireRunnable(before);
  requireRunnable(files.at(commits.at(-1) ?? (bad === undefined ? undefined : from)));
  const candidates = commits.flatMap((commit): Candidate[] => {
    const state = files.at(commit);
    const [revision, isSame] = [
      revisionOf(state, before.texts),
      keyOf(state.outcome) === keyOf(before.outcome),
    ];
    before = state;
    if (isSame) return [];
    return [
      "key" in state.outcome ? { ...state.outcome, revision } : { revision, problem: keyOf(state.outcome) },
    ];
  });
  if (candidates.length === 0)
    throw new UsageError(
      `no commit between ${good} and ${bad ?? "the working tree"} changes the meaning of the scenario`,
      `Name an earlier --good. Its files: ${[...before.texts.keys()].join(", ")}.`,
    );
  return [base, ...candidates];
}

export interface PairOfRevisions {
  /** The newest commit that the line of `base` and the compared revision share. */
  readonly before: RunnableRevision;
  readonly after: RunnableRevision;
  /** The commit that `base` names, which is not read; undefined if it is the one of `before`. */
  readonly unreadTip: Pick<Revision, "id" | "subject"> | undefined;
  /** True if `base` has every commit of the compared revision. */
  readonly isHeadInBase: boolean;
}

/**
 * The scenario at two revisions: where the compared one left the line of `base`, and itself. Throws a UsageError if either
 * does not load.
 */
export function revisionPair({ scenario, base, head, ...overrides }: PairRequest): PairOfRevisions {
  const files = new RevisionFiles(scenario, overrides, false);
  const { git } = files;
  const [baseCommit, headCommit] = [git.commit(base), git.commit(head ?? "HEAD")];
  const from = git.mergeBase(baseCommit, headCommit);
  if (!from)
    throw new UsageError(
      `${base} and ${head ?? "HEAD"} have no commit in common`,
      "Fetch the whole history: git fetch --unshallow, or fetch-depth: 0 in CI.",
    );
  const committed = files.at(headCommit);
  const after = head === undefined ? changedTree(files, committed) : committed;
  const isTipRead = from.hash === baseCommit.hash;
  return {
    before: requireRunnable(files.at(from)),
    after: requireRunnable(after),
    unreadTip: isTipRead ? undefined : { id: nameOf(baseCommit), subject: baseCommit.subject },
    isHeadInBase: from.hash === headCommit.hash,
  };
}

/** The working tree, or the commit that it is at if none of the scenario's files is changed in it. */
function changedTree(files: RevisionFiles, committed: ScenarioAtCommit): ScenarioAtCommit {
  const tree = files.at(undefined);
  const isUnchanged =
    tree.texts.size === committed.texts.size &&
    [...tree.texts].every(([path, text]) => committed.texts.get(path) === text);
  return isUnchanged ? committed : tree;
}
