import type { LeaseWindows, WindowGrant } from '../../domain/accounts/request-windows.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import type { Pruned } from '../postgres/retention.ts'

/** Stands for "no daily limit" in the arithmetic of both stores. */
export const noLimit = 2 ** 31 - 1

const source = 'postgres'
const deadlineMs = 2_000

/** Request counters in PostgreSQL, by its clock. All processes together never pass the limits. */
export function postgresWindows(sql: Sql): LeaseWindows {
  return async function lease(asks) {
    const rows = await count(sql, asks.map(toRow))
    const grants = new Map(rows.map(({ bucket, ...grant }) => [bucket, { ...grant, source }]))
    return asks.map(({ bucket }) => {
      const grant = grants.get(bucket)
      if (!grant) throw new Error('every bucket asked for is answered')
      return grant
    })
  }
}

/**
 * Examines `limit` buckets after `after` and deletes those without a count for today; buckets of
 * client addresses, which have no daily limit, after ten minutes.
 */
export async function pruneWindows(
  sql: Sql,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pruned> {
  const [pruned] = await statement<[Pruned]>(sql)`
    with looked_at as (
      select bucket from request_windows where bucket > ${after ?? ''} order by bucket limit ${limit}
    ),
    old as (
      select bucket from request_windows, ${clock(sql)}
      where bucket = any(array(select bucket from looked_at))
        and (request_windows.day < n.day or bucket ~ '^(guess|ip|pay):' and request_windows.minute < n.minute - 10)
      for update of request_windows skip locked
    ),
    removed as (delete from request_windows where bucket = any(array(select bucket from old)) returning 1),
    walked as (select count(*) < ${limit} as is_done, max(bucket) as last from looked_at)
    select (select count(*) from removed)::integer as removed, case when not is_done then last end as place, is_done as "isDone"
    from walked`
  return pruned
}

type Row = ReturnType<typeof toRow>

function toRow(ask: Parameters<LeaseWindows>[0][number]) {
  const { known, perDay, unused, ...rest } = ask
  const own = known?.source === source
  // Requests counted by another store cannot be given back to this one.
  return { ...rest, per_day: perDay ?? noLimit, own, unused: own ? unused : 0, ...known }
}

function count(sql: Sql, rows: readonly Row[]) {
  return statement<(Omit<WindowGrant, 'source'> & { bucket: string })[]>(sql, deadlineMs)`
    with ask as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as a (
        bucket text, "perMinute" int, per_day int, want int, spare int, unused int, own boolean,
        minute bigint, "minuteUsed" int, day bigint, "dayUsed" int)
    )
    insert into request_windows as w (bucket, minute, minute_used, day, day_used, granted)
    -- In the order of the key, against deadlocks.
    select ask.bucket, counted.* from ask,
      (values (null::bigint, null::int, null::bigint, null::int)) as w (minute, minute_used, day, day_used),
      ${counted(sql)}
    order by ask.bucket
    on conflict (bucket) do update set (minute, minute_used, day, day_used, granted) = (
      select counted.* from ask, ${counted(sql)} where ask.bucket = w.bucket)
    returning bucket, minute::int, minute_used as "minuteUsed", day::int, day_used as "dayUsed", granted,
      floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`
}

/** The windows of `w` (all null: a new bucket) after serving `ask`. */
function counted(sql: Sql) {
  return sql`lateral (
    select minute, minute_used + granted, day, day_used + granted, granted
    from (
      -- A statement that waited while the minute changed must not turn it back. A later count is
      -- from a clock that was wrong.
      select minute, minute / 1440 as day from (
        select case when w.minute = n.minute + 1 then w.minute else n.minute end as minute from ${clock(sql)}
      ) as by_minute
    ) as running,
    lateral (
      select
        greatest(0, ${before(sql, sql`minute`, sql`w.minute_used`, sql`ask."minuteUsed"`)}) as minute_used,
        greatest(0, ${before(sql, sql`day`, sql`w.day_used`, sql`ask."dayUsed"`)}) as day_used
    ) as before,
    lateral (
      select greatest(0, least(ask."perMinute" - before.minute_used, ask.per_day - before.day_used)) as room
    ) as free,
    lateral (
      select least(room, ask.want + greatest(0, least(ask.spare, (room - ask.want) / 8))) as granted
    ) as given
  ) as counted`
}

/**
 * What a window had counted before this ask, less what is given back. The asker's own counts matter
 * when the row is old or lost, or another store counted until now.
 */
function before(sql: Sql, window: Fragment, used: Fragment, known: Fragment): Fragment {
  return sql`
    case when w.${window} = running.${window} and ask.own then ${used}
      else greatest(
        case when w.${window} = running.${window} then ${used} else 0 end,
        case when ask.${window} = running.${window} then ${known} else 0 end)
    end - case when ask.${window} = running.${window} then ask.unused else 0 end`
}

function clock(sql: Sql) {
  return sql`(
    select floor(epoch / 60)::bigint as minute, floor(epoch / 86400)::bigint as day
    from (select extract(epoch from clock_timestamp()) as epoch) as now
  ) as n`
}
