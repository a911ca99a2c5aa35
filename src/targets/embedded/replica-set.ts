// A primary and its standbys, with PostgreSQL's tools alone. Any of the servers can be the primary.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import type { Endpoint } from "../../database/endpoint.js";
import { monotonicMs, systemClock } from "../../foundation/clock.js";
import { TargetError } from "../../foundation/errors.js";
import { send } from "../../foundation/process/server-process.js";
import type { PrivateDirectory } from "../../foundation/process/private-directory.js";
import type { Failover, Promotion, Replication, ServerControl, SplitBrain } from "../running-target.js";
import { copyData } from "./copy-data.js";
import type { Postmaster } from "./postmaster.js";
import type { ReplicationLevel, ReplicationSettings } from "./settings.js";

/** Milliseconds in which standbys must connect to their primary, or follow a new one. */
const PATIENCE_MS = 60_000;
const POLL_MS = 20;
/** Milliseconds in which busy clients can still read the last answers of the old primary. */
const ANSWER_READ_GRACE_MS = 250;
/** Setting that makes standbys try the primary again after 250 ms. PostgreSQL's default is 5 s. */
const RETRY_SETTING = "wal_retrieve_retry_interval = '250ms'";

export interface Member {
  readonly name: string;
  readonly directory: PrivateDirectory;
  readonly postmaster: Postmaster;
  readonly endpoint: Endpoint;
}

/** A standby that is not running yet. It has a copy of the primary's data from before the primary's first start. */
export interface PreparedStandby extends Pick<Member, "name" | "directory"> {
  readonly start: () => Promise<Pick<Member, "postmaster" | "endpoint">>;
}

/**
 * Value of synchronous_standby_names, the same for all servers. It names the primary too, which is never its own standby.
 */
function synchronousNames(level: ReplicationLevel, standbys: number): string {
  const names = Array.from({ length: standbys + 1 }, (_, index) => memberName(index)).join(", ");
  if (level === "async") return "";
  // A majority of the servers, including the primary.
  if (level === "quorum") return `ANY ${Math.floor((standbys + 1) / 2)} (${names})`;
  return `FIRST 1 (${names})`;
}

/** The server that a standby streams the log from. */
type ReplicationSource = "the primary" | "nothing";

const loadEndpoint = ({ endpoint }: Member): Endpoint => ({ ...endpoint, takesWrites: true });

export const memberName = (index: number): string => `server_${index + 1}`;

export class ReplicaSet implements Replication {
  private readonly members: Member[] = [];
  private ends: readonly Endpoint[] | undefined;
  private lead: ((primary: Endpoint) => Promise<unknown>) | undefined;
  /** The old primary of a split brain, which follows no server until `heal`. */
  private splitOffPrimary: Member | undefined;

  private constructor(
    private primary: Member,
    private readonly settings: ReplicationSettings,
  ) {
    this.members.push(primary);
  }

  /** Makes a set of a running primary and standbys, which it starts. Resolves once all standbys follow. */
  static async form(
    primary: Member,
    settings: ReplicationSettings,
    standbys: readonly PreparedStandby[],
  ): Promise<ReplicaSet> {
    const set = new ReplicaSet(primary, settings);
    await set.configure(primary);
    await withSession(primary, async (session) => {
      for (const standby of standbys) {
        await ensureReplicationSlot(session, standby.name);
        await set.configureAsStandby(standby);
        set.members.push({ ...standby, ...(await standby.start()) });
      }
      await waitUntilStreaming(session, standbys);
    });
    return set;
  }

  get leader(): Member {
    return this.primary;
  }

  private get standbys(): readonly Member[] {
    return this.members.filter((member) => member !== this.primary);
  }

  get standbyControls(): readonly ServerControl[] {
    const running = this.standbys.filter((one) => one !== this.splitOffPrimary && one.postmaster.isRunning);
    return running.map(({ postmaster }) => postmaster);
  }

  /** Endpoints of all members, in an order that never changes. */
  get endpoints(): readonly Endpoint[] {
    return this.members.map(loadEndpoint);
  }

  get primaryEndpoint(): Endpoint {
    return loadEndpoint(this.primary);
  }

  onPromotion(lead?: (primary: Endpoint) => Promise<unknown>): void {
    this.lead = lead;
  }

  /** Settles with the first unexpected end of a member. */
  get lost(): Promise<string> {
    return Promise.race(this.members.map(({ postmaster }) => postmaster.lost));
  }

  async failOver(how: "kill" | "shut-down"): Promise<Failover> {
    const old = this.primary;
    const asExpected = old.postmaster.expectLoss();
    try {
      const awayMs = monotonicMs();
      if (how === "kill") await old.postmaster.kill();
      else await old.postmaster.shutDown("fast");
      const readUntilMs = monotonicMs() + ANSWER_READ_GRACE_MS;
      const promoted = await this.mostAdvancedStandby();
      await systemClock.sleep(readUntilMs - monotonicMs());
      const promotedMs = monotonicMs();
      const promotion = await this.takeOver(promoted);
      const downMs = monotonicMs() - awayMs;
      await this.follow(this.standbys.filter((member) => member !== old));
      return { old: old.name, promoted: promoted.name, ...promotion, promotedMs, downMs, asExpected };
    } catch (error) {
      asExpected();
      throw error;
    }
  }

  async split(): Promise<SplitBrain> {
    const old = this.primary;
    const asExpected = old.postmaster.expectLoss();
    const fence = (): Promise<void> => old.postmaster.kill();
    try {
      for (const standby of this.standbys) await this.configure(standby, "nothing");
      const promoted = await this.mostAdvancedStandby();
      old.postmaster.refuseNewSessions();
      this.splitOffPrimary = old;
      const promotion = await this.takeOver(promoted);
      await this.follow(this.standbys.filter((member) => member !== old));
      const oldEndpoint = this.members.indexOf(old);
      return { old: old.name, promoted: promoted.name, ...promotion, oldEndpoint, fence, asExpected };
    } catch (error) {
      await fence();
      asExpected();
      throw error;
    }
  }

  async route(ends?: readonly Endpoint[]): Promise<void> {
    this.ends = ends;
    await this.follow(this.standbys);
  }

  async heal(): Promise<void> {
    this.splitOffPrimary = undefined;
    for (const standby of this.standbys) if (!standby.postmaster.isRunning) await this.recopyData(standby);
    await this.follow(this.standbys);
  }

  /** Promotes the member; resolves once it takes writes. */
  private async takeOver(promoted: Member): Promise<Pick<Promotion, "position" | "lastCommitMs">> {
    const promotion = await promote(promoted);
    this.primary = promoted;
    await this.lead?.(this.primaryEndpoint);
    return promotion;
  }

  /** Makes these standbys follow the primary; resolves once they stream its log. */
  private async follow(standbys: readonly Member[]): Promise<void> {
    await withSession(this.primary, async (session) => {
      for (const standby of standbys) {
        await ensureReplicationSlot(session, standby.name);
        await this.configure(standby);
      }
      await waitUntilStreaming(session, standbys);
    });
  }

  private async configure(member: Member, followed: ReplicationSource = "the primary"): Promise<void> {
    await this.writeConfiguration(member, followed);
    member.postmaster.reload();
  }

  /** Configures a server that has the primary's data as a standby, from its next start on. */
  private async configureAsStandby(standby: Pick<Member, "name" | "directory">): Promise<void> {
    await standby.directory.write("data/standby.signal", "");
    await this.writeConfiguration(standby);
  }

  /**
   * Writes the replication settings, which a reload applies. Only the address of the primary changes from one call to the
   * next.
   */
  private async writeConfiguration(
    { name, directory }: Pick<Member, "name" | "directory">,
    followed: ReplicationSource = "the primary",
  ): Promise<void> {
    const { user, password = "" } = this.primary.endpoint;
    const { host, port } = this.ends?.[this.members.indexOf(this.primary)] ?? this.primary.endpoint;
    const { count, replication } = this.settings;
    const address = `host=${host} port=${port} user=${user} password=${password} application_name=${name}`;
    const lines = [
      `primary_conninfo = '${followed === "nothing" ? "" : address}'`,
      `primary_slot_name = '${name}'`,
      RETRY_SETTING,
      `synchronous_standby_names = '${synchronousNames(replication, count)}'`,
      ...(replication === "remote-apply" ? ["synchronous_commit = remote_apply"] : []),
    ];
    await directory.write("data/postgresql.auto.conf", lines.map((line) => `${line}\n`).join(""));
  }

  /** Resolves to the standby that has received most of the log, once none receives any more. */
  private async mostAdvancedStandby(): Promise<Member> {
    const received = await Promise.all(
      this.standbys.map(async (standby) => {
        standby.postmaster.wake();
        return { standby, bytes: await this.receivedBytes(standby) };
      }),
    );
    const [first, ...others] = received;
    if (!first) throw new TargetError("there is no standby to promote");
    return others.reduce((best, each) => (each.bytes > best.bytes ? each : best), first).standby;
  }

  /**
   * Resolves to the end of the standby's log, in bytes, once its connection to the dead primary has ended. A connection
   * that a simulated network keeps open is cut: a dead primary cannot send again what is still on its way.
   */
  private receivedBytes(standby: Member): Promise<number> {
    return withSession(standby, async (session) => {
      const position = "coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn";
      await waitUntil(`${standby.name} still hears of its primary`, async () => {
        const [receiver] = await session.query(
          "SELECT pid FROM pg_stat_wal_receiver WHERE status = 'streaming'",
        );
        if (receiver && this.ends) send(Number(receiver["pid"]), "SIGTERM");
        return receiver === undefined;
      });
      const [row] = await session.query(`SELECT ${position} AS bytes`);
      return Number(row?.["bytes"]);
    });
  }

  /** Replaces the data of a standby, which differ from the primary's, by a new copy. */
  private async recopyData(standby: Member): Promise<void> {
    const { directory, name, postmaster } = standby;
    const data = join(directory.path, "data");
    await rm(data, { recursive: true, force: true });
    await withSession(this.primary, async (session) => {
      await ensureReplicationSlot(session, name);
      await session.query("SELECT pg_backup_start($1, true)", [name]);
      await copyData(join(this.primary.directory.path, "data"), data, {
        user: directory.user,
        omitsWalFiles: true,
      });
      const [row] = await session.query("SELECT labelfile FROM pg_backup_stop(false)");
      await directory.write("data/backup_label", String(row?.["labelfile"]));
    });
    await this.configureAsStandby(standby);
    await postmaster.start();
  }
}

async function withSession<T>(member: Member, use: (session: AdminClient) => Promise<T>): Promise<T> {
  const session = await connectAdmin(member.endpoint, { purpose: "replication" });
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

async function ensureReplicationSlot(session: AdminClient, name: string): Promise<void> {
  const [slot] = await session.query("SELECT 1 FROM pg_replication_slots WHERE slot_name = $1", [name]);
  if (!slot) await session.query("SELECT pg_create_physical_replication_slot($1, true)", [name]);
}

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = systemClock.nowMs() + PATIENCE_MS;
  while (!(await isSo())) {
    if (systemClock.nowMs() > deadlineMs)
      throw new TargetError(
        `${what} after ${PATIENCE_MS / 1000} s`,
        "The logs of the servers have the cause.",
      );
    await systemClock.sleep(POLL_MS);
  }
}

async function waitUntilStreaming(
  session: AdminClient,
  standbys: readonly Pick<Member, "name">[],
): Promise<void> {
  const names = standbys.map(({ name }) => name);
  await waitUntil(`not all of ${names.join(", ")} follow the primary`, async () => {
    const rows = await session.query(
      "SELECT application_name FROM pg_stat_replication WHERE state = 'streaming'",
    );
    const followingNames = new Set(rows.map((row) => row["application_name"]));
    return names.every((name) => followingNames.has(name));
  });
}

/** Ends the member's recovery with all the log that it has received; resolves to the end of that log. */
async function promote(member: Member): Promise<Pick<Promotion, "position" | "lastCommitMs">> {
  return withSession(member, async (session) => {
    const [promoted] = await session.query("SELECT pg_promote(true, $1) AS done", [PATIENCE_MS / 1000]);
    if (promoted?.["done"] !== true) throw new TargetError(`${member.name} cannot be promoted`);
    const askedMs = monotonicMs(); // read before the answer, so that no commit of that age is younger
    const [row] = await session.query(
      "SELECT pg_last_wal_replay_lsn()::text AS position, " +
        "extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000 AS age",
    );
    const commitAgeMs = row?.["age"];
    return {
      position: String(row?.["position"]),
      lastCommitMs:
        commitAgeMs === null || commitAgeMs === undefined ? undefined : askedMs - Number(commitAgeMs),
    };
  });
}
