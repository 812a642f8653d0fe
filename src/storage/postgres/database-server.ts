import { applicationName, type Sql, statement } from './db.ts'
import { changesPool, pollsPool } from './pools.ts'

export type Server = {
  readonly version: string
  /** 150004 is 15.4. */
  readonly versionNumber: number
  readonly fsync: 'on' | 'off'
  readonly nowMs: number
}

export async function readServer(sql: Sql): Promise<Server> {
  const [server] = await statement<[Server]>(sql)`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer as "versionNumber",
      current_setting('fsync') as fsync, (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`
  return server
}

/** Whether commits wait for a standby. */
export async function isSynchronous(sql: Sql): Promise<boolean> {
  const [row] = await statement<[{ names: string }]>(sql)`
    select current_setting('synchronous_standby_names') as names`
  return row.names !== ''
}

/** The server's time at some moment between call and answer. */
export async function serverTime(sql: Sql): Promise<Date> {
  const [server] = await statement<[{ at: Date }]>(sql)`select clock_timestamp() as at`
  return server.at
}

/** How far apart the clocks of process and server may be. */
export const mostSkewMs = 60_000
/** How close they must be to count as agreeing again. */
export const closeSkewMs = 30_000
/** A process whose clock is further off is not ready. */
export const unfitSkewMs = 300_000

/**
 * How far the clock of this process is at least ahead of the server's (negative: behind). The
 * server may have read its clock at any moment between call and answer.
 */
export async function clockAheadMs(
  sql: Sql,
  nowMs: () => number,
  limitMs?: number,
): Promise<number> {
  const askedMs = nowMs()
  const [server] = await statement<[{ nowMs: number }]>(sql, limitMs)`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`
  return Math.max(0, askedMs - server.nowMs) + Math.min(0, nowMs() - server.nowMs)
}

/** Whether the service is connected to the database; unknown behind some poolers. */
export async function isServed(sql: Sql): Promise<boolean> {
  const [row] = await statement<[{ served: boolean }]>(sql)`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = ${applicationName('requests')}
    ) as served`
  return row.served
}

/** Whether a process with another tag is connected; unknown behind some poolers. */
export async function isServedExceptBy(sql: Sql, tag: string): Promise<boolean> {
  const polls = applicationName(pollsPool)
  const [row] = await statement<[{ served: boolean }]>(sql)`
    select exists (
      select from pg_stat_activity where datname = current_database()
        and starts_with(application_name, ${polls}) and application_name <> ${`${polls} ${tag}`}
    ) as served`
  return row.served
}

/**
 * The number of processes of the service, by the connection on which each listens; 0 where a pooler
 * names connections otherwise.
 */
export async function countProcesses(sql: Sql): Promise<number> {
  const [row] = await statement<[{ processes: number }]>(sql)`
    select count(*)::integer as processes from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName(changesPool)}`
  return row.processes
}
