import { connect } from '../../src/storage/postgres/db.ts'
import { startService } from '../support/service.ts'
import type { Fault } from './fault.ts'

export const deploymentFaults: readonly Fault[] = [
  {
    id: 'F-57',
    what: 'three processes started at once on an empty database',
    async inject({ topology }, random) {
      const name = `fresh_${random.between(1, 1_000_000_000)}`
      await topology.sql.unsafe(`create database ${name}`)
      const url = new URL(topology.env.DATABASE_URL ?? '')
      url.pathname = `/${name}`
      const { REDIS_URL: _, ...env } = topology.env
      const services = await Promise.all(
        ['http', 'worker', 'all'].map((role) =>
          startService({ ...env, DATABASE_URL: url.href, ROLE: role }),
        ),
      )
      const sql = connect(url.href, { max: 1, name: 'onlooker' })
      const twice = await sql`select name from migrations group by name having count(*) > 1`
      const tables = await sql`select from pg_tables where tablename = 'invoices'`
      const codes = await Promise.all(services.map((service) => service.stop()))
      await sql.end()
      await topology.sql.unsafe(`drop database ${name} with (force)`)
      return [
        ...twice.map(({ name }) => `${name} was run twice`),
        ...(tables.length === 0 ? ['there is no schema'] : []),
        ...codes.filter((code) => code !== 0).map((code) => `a process ended with ${code}`),
      ]
    },
  },
]
