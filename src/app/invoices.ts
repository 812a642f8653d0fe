import { createDeposits } from '../actors/deposits.ts'
import { createGroupCommit } from '../actors/group-commit.ts'
import { createInvoiceReader } from '../actors/invoice-reader.ts'
import { createInvoices, type Invoices } from '../actors/invoices.ts'
import { expireLater } from '../actors/jobs.ts'
import type { Live } from '../actors/live.ts'
import type { Once } from '../actors/once.ts'
import { createPayees } from '../actors/payees.ts'
import { depositAddresses } from '../chain/evm/deposits.ts'
import { paymentUri } from '../chain/payment-uri.ts'
import { spelt } from '../chain/wallets.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { type ListFilter, wantsAll } from '../domain/invoices/list.ts'
import type { References } from '../domain/invoices/reference.ts'
import { withReference } from '../domain/invoices/search.ts'
import { type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { Queues } from '../queues/queues.ts'
import * as Accounts from '../storage/accounts/accounts.ts'
import * as InvoiceRows from '../storage/invoices/invoices.ts'
import * as InvoiceLists from '../storage/invoices/lists.ts'
import { trailOf } from '../storage/invoices/trails.ts'
import { findBindable } from '../storage/mandates/bindings.ts'
import { listenForChanges } from '../storage/postgres/changes.ts'
import type { DatabaseClock } from '../storage/postgres/database-clock.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { type Database, lanes } from '../storage/postgres/pools.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { newId, now, steadyMs } from './clock.ts'

type Parts = {
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly secrets: Secrets
  readonly database: Database
  readonly queues: Queues
  readonly once: Once
  readonly databaseClock: DatabaseClock
  readonly references: References
  /** Told of changes, so that open dashboards can be notified. */
  readonly live: Pick<Live, 'changed' | 'missed'>
}

/** By then a chain has mostly been read to an invoice's due date; if not, the sweep comes later. */
const untilReadMs = 5_000

/** The invoice actors, committing on the lanes of the database. */
export function invoiceActors({
  config,
  log,
  metrics,
  secrets,
  database,
  queues,
  once,
  databaseClock,
  references,
  live,
}: Parts): Invoices {
  const { sql, changesSql, lanes: laneSqls } = database
  const commit = { lanes, maxBatch: 256, maxWaiting: 4_096 }
  const deposits =
    config.depositXpub === null ? null : createDeposits(sql, depositAddresses(config.depositXpub))
  const lane = (n: number) => laneSqls[n] as Sql
  const load = (ids: readonly string[]) => InvoiceRows.loadMany(sql, ids)
  const resolved = <T extends ListFilter>(filter: T): T => ({
    ...filter,
    search: filter.search && withReference(filter.search, references.read),
  })
  const reader = createInvoiceReader({
    load,
    isFresh: () => feed.isFresh(),
    most: 20_000,
    mostCharacters: 100_000_000,
  })
  const feed = listenForChanges(changesSql, {
    name: config.processId,
    steadyMs,
    onChanged(ids) {
      invoices.forget(ids)
      live.changed(ids)
    },
    onGap() {
      reader.forgetAll()
      live.missed()
    },
    onFault: (error) => log.warn({ err: error }, 'changes are not being heard'),
  })
  const invoices = createInvoices({
    store: {
      load,
      findBindable: (accountId, mandateId) => findBindable(sql, accountId, mandateId),
      // A list of all is read by its numbers, at once, however many there are.
      list: (accountId, query) =>
        wantsAll(query)
          ? InvoiceLists.list(sql, accountId, query)
          : database.list(accountId, (listSql) =>
              InvoiceLists.list(listSql, accountId, resolved(query)),
            ),
      trailOf: (id) => trailOf(sql, id),
      pages(accountId, filter) {
        const turns: InvoiceLists.Turns = {
          first: (read) => database.list(accountId, read),
          further: (read) => database.listFurther(accountId, read),
        }
        return InvoiceLists.pages(turns, accountId, resolved(filter))
      },
    },
    reader,
    insertions: createGroupCommit({
      ...commit,
      flush: metrics.batches('new_invoice', (n, rows) => InvoiceRows.insertAll(lane(n), rows)),
    }),
    changes: createGroupCommit({
      ...commit,
      flush: metrics.batches('invoice', (n, changes) => InvoiceRows.updateAll(lane(n), changes)),
    }),
    once,
    now,
    databaseClock,
    newId,
    fx: config.fx,
    payee: createPayees({
      networks: networkTable((network) => ({
        wallet: secrets.wallets[network],
        usdcAddress: config.networks[network].usdcAddress,
        deposit: registry[network].kind === 'evm' ? deposits : null,
      })),
      spelt,
      walletsOf: async (accountId) => (await Accounts.findAccount(sql, accountId))?.wallets ?? {},
      paymentUri,
      references,
      nowMs: steadyMs,
    }),
    onCommit: () => queues.wake('outbox'),
    onDueDate: (invoiceId, dueAt) =>
      expireLater(queues, now(), invoiceId, dueAt, { invoiceId }, untilReadMs),
  })
  return {
    ...invoices,
    async create(...asked) {
      const created = await invoices.create(...asked)
      // Creations are not announced to other processes: they hold no outdated copy of a new
      // invoice, and a notification would make other commits wait.
      if (!created.isReplay) live.changed([created.invoice.id])
      return created
    },
    async drain() {
      await invoices.drain()
      await feed.close()
    },
  }
}

function networkTable<T>(row: (network: Network) => T): Record<Network, T> {
  return Object.fromEntries(networks.map((network) => [network, row(network)])) as Record<
    Network,
    T
  >
}
