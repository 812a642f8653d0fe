import { Redis } from 'ioredis'
import { isSynchronous, readServer } from '../../storage/postgres/database-server.ts'
import {
  type DatabaseAddress,
  defaultPort,
  oneByOne,
  readDatabaseUrl,
} from '../../storage/postgres/database-url.ts'
import { connect, type Sql } from '../../storage/postgres/db.ts'
import { readSentinelUrl } from '../../storage/redis/redis-url.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** What each of a database's servers is at present; nothing if there is only one. */
export async function serverFindings(url: string, sql: Sql): Promise<readonly Finding[]> {
  const addresses = oneByOne(readDatabaseUrl(url))
  if (addresses.length === 1) return []
  return [
    ...(await Promise.all(addresses.map(serverFinding))),
    (await isSynchronous(sql))
      ? ok('standby', 'a synchronous one has every acknowledged write')
      : note('standby', 'none is synchronous: a fail-over now may lose acknowledged writes'),
  ]
}

async function serverFinding(address: DatabaseAddress): Promise<Finding> {
  const [server] = address.servers
  const name = `${server?.host}:${server?.port || defaultPort}`
  const sql = connect(address, { max: 1, name: 'doctor' })
  try {
    await readServer(sql)
    return ok('server', `${name} takes writes`)
  } catch (error) {
    const { message, operatorText = message } = error as Error & { operatorText?: string }
    if (operatorText.includes('CONNECTION_UNSUITABLE')) return ok('server', `${name} is a standby`)
    const remedy = 'is it running, and does it follow the primary?'
    return problem('server', `${name}: ${operatorText}`, remedy)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Whether each Sentinel sees enough others to fail over; nothing if the URL names none. */
export async function sentinelFindings(url: string | null): Promise<readonly Finding[]> {
  const address = readSentinelUrl(url ?? '')
  if (address === null) return []
  const { sentinels, name, sentinelUsername: username, sentinelPassword: password } = address
  const login = { ...(username && { username }), ...(password && { password }) }
  return Promise.all(
    sentinels.map(async ({ host, port }) => {
      const client = new Redis({ ...login, host, port, lazyConnect: true, ...brief })
      client.on('error', () => {})
      try {
        await client.call('SENTINEL', 'CKQUORUM', name)
        return ok('Sentinel', `${host}:${port} can fail over`)
      } catch (error) {
        const remedy = 'is it running, does it watch this master, and do most others answer it?'
        return problem('Sentinel', `${host}:${port}: ${(error as Error).message}`, remedy)
      } finally {
        client.disconnect()
      }
    }),
  )
}

const brief = { connectTimeout: 2_000, commandTimeout: 2_000, retryStrategy: () => null }
