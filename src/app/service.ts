import { createBooks } from '../actors/books.ts'
import { createBudgets } from '../actors/budgets.ts'
import { createClaims } from '../actors/claims/claims.ts'
import { createTransfers } from '../actors/claims/transfers.ts'
import { createCreditNotes } from '../actors/credit-notes/credit-notes.ts'
import { createExchangeRates } from '../actors/exchange-rates.ts'
import { createInvoices } from '../actors/invoices.ts'
import { createKeys } from '../actors/keys/keys.ts'
import { createLive } from '../actors/live.ts'
import { createMandates } from '../actors/mandates.ts'
import { createOnce } from '../actors/once.ts'
import { createPayees } from '../actors/payees.ts'
import { createPayouts } from '../actors/payouts.ts'
import { createPaywall } from '../actors/paywall/paywall.ts'
import { createProfiles } from '../actors/profiles.ts'
import { createPurchases } from '../actors/purchases/purchases.ts'
import { createReports } from '../actors/reports.ts'
import { createSigningSecrets, secretOpener } from '../actors/secrets.ts'
import { createWebhooks } from '../actors/webhooks/webhooks.ts'
import { purchaseReaderOf, type SecondNodes, secondNodesOf } from '../chain/chains.ts'
import { depositAddresses } from '../chain/evm/deposits.ts'
import { walletSignatures } from '../chain/evm/wallet-signatures.ts'
import { payableNetworks, paymentNetworks } from '../chain/facilitator/networks.ts'
import { isSignedByPayer } from '../chain/facilitator/payer-signature.ts'
import type { SecondNode } from '../chain/rpc/second-node.ts'
import { addressOf, spelt } from '../chain/wallets.ts'
import type { Config } from '../config/config.ts'
import { isWatched } from '../config/notes.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Keys } from '../domain/accounts/secret.ts'
import { type References, referencesUnder } from '../domain/invoices/reference.ts'
import { type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { SignedStatement } from '../domain/settlement/payer-statement.ts'
import { dashboardTokens } from '../http/admission/dashboard-token.ts'
import { createEgress } from '../http/egress/egress.ts'
import { boardPath } from '../http/queue-board-routes.ts'
import { createBoard } from '../queues/board.ts'
import type { Queues } from '../queues/queues.ts'
import { createDatabaseClock } from '../storage/postgres/database-clock.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Database } from '../storage/postgres/pools.ts'
import type { Log } from '../telemetry/log.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { steadyMs } from './clock.ts'
import { serviceMetrics } from './metrics.ts'

export type Service = ReturnType<typeof createService>

type ServiceParts = {
  readonly config: Config
  readonly log: Log
  readonly secrets: Secrets
  readonly keys: Keys
  readonly database: Database
  readonly queues: Queues
  readonly tracing: Tracing | null
  /** PostgreSQL's time. */
  readonly startedAt: Date
}

/** Creates the actors and what they depend on; identical in every role. */
export function createService(parts: ServiceParts) {
  const { config, log, secrets, keys, database, queues, tracing, startedAt } = parts
  const { sql, lanes, list } = database
  const databaseClock = createDatabaseClock(startedAt, steadyMs)
  const { now } = databaseClock
  const newId = () => Bun.randomUUIDv7('hex', now())
  const openSecret = secretOpener(keys, log)
  const references = referencesUnder(keys)
  const egress = createEgress({ allowPrivate: config.allowPrivateTargets })
  const once = createOnce(sql)
  const live = createLive({
    sql,
    onFault: (error) => log.warn({ err: error }, 'dashboards are not notified of changes'),
  })
  const metrics = serviceMetrics(config, secrets, sql, queues)
  const { feeBasisPoints, processId } = config
  const fxOf = createExchangeRates({ fx: config.fx, sql, steadyMs })
  const { taxTable } = config
  const shared = {
    sql,
    lanes,
    list,
    once,
    jobs: queues,
    live,
    metrics,
    tracing,
    log,
    now,
    newId,
    fxOf,
  }
  const profiles = createProfiles(sql, steadyMs)
  const invoices = createInvoices({
    ...shared,
    ...database,
    taxTable,
    payees: payeesOf(config, secrets, sql, references),
    profiles,
    references,
    processId,
    steadyMs,
  })
  const budgets = createBudgets(shared)
  const secondNodes = secondNodesOf(config.networks, { steadyMs, log })
  const purchaseReaders = readersOf(config, secondNodes)
  const signatures = { isSignedByPayer, isSignedByWallet: walletsOf(config) }
  const payouts = createPayouts({
    sql,
    tokens: config.networks,
    own: ownAddresses(config, secrets),
  })
  const crediting = { ...shared, ...signatures, invoices, feeBasisPoints, secondNodes }
  const { mandateSigningSecret: deploymentSecret, jwtSecret } = secrets
  const mandates = createMandates({
    ...shared,
    signingSecrets: createSigningSecrets({ sql, openSecret, deploymentSecret }),
  })
  const sold = paymentNetworks({ config, secrets, now, steadyMs, log, secondNodes })
  return {
    databaseClock,
    now,
    newId,
    metrics,
    tracing,
    /** Why nothing can be sold on a chain, for operators. */
    saleNotes: () => sold.flatMap(({ network, lack }) => saleNote(network, lack())),
    /** What this process has found about nodes. */
    nodeNotes: () => [...secondNodes.values()].flatMap(({ notes }) => notes()),
    secondNodes,
    fxOf,
    taxes: { taxTable, now },
    profiles,
    invoices,
    claims: createClaims(crediting),
    creditNotes: createCreditNotes({ ...crediting, payouts, readers: purchaseReaders }),
    transfers: createTransfers({ sql, list }),
    budgets,
    books: createBooks(database),
    mandates,
    purchaseReaders,
    purchases: createPurchases({ ...crediting, readers: purchaseReaders }),
    payableNetworks: payableNetworks(config, secrets),
    paywall: createPaywall({
      sql,
      networks: sold,
      isReference: (nonce) => references.read(nonce) !== null,
      isSignedByPayer,
      steadyMs,
      log,
    }),
    webhooks: createWebhooks({ ...shared, keys, egress }),
    accountKeys: createKeys({ sql, once, now, newId }),
    board: createBoard(boardPath, queues.all),
    reports: createReports({ sql, taxTable, now, steadyMs }),
    tokens: dashboardTokens(jwtSecret, now),
    sessions: dashboardTokens(jwtSecret, now, 'session'),
    live,
    egress,
    keys,
    openSecret,
    references,
    async drain() {
      await Promise.all([invoices.drain(), budgets.drain(), mandates.drain()])
    },
  }
}

function saleNote(network: Network, lack: string | null): readonly string[] {
  return lack === null ? [] : [`no x402 payment is settled on ${network}: ${lack}`]
}

function payeesOf(config: Config, secrets: Secrets, sql: Sql, references: References) {
  const { networks, depositXpub } = config
  return createPayees({
    sql,
    wallets: secrets.wallets,
    networks,
    depositAddress: depositXpub === null ? null : depositAddresses(depositXpub),
    spelt,
    references,
    steadyMs,
  })
}

function ownAddresses({ anchor, facilitator }: Config, { anchorPrivateKey, wallets }: Secrets) {
  const { evmPrivateKey, svmPrivateKey } = facilitator
  const keys = [anchorPrivateKey, evmPrivateKey, svmPrivateKey].filter((key) => key !== null)
  const named = [anchor.contract, ...Object.values(wallets)].filter((one) => one !== null)
  return [...named, ...keys.map(addressOf)]
}

function walletsOf(config: Config) {
  const known = new Map(
    networks.flatMap((network) => {
      const { chainId } = registry[network]
      if (chainId === null || !isWatched(config, network)) return []
      const { rpcUrls } = config.networks[network]
      return [[network, walletSignatures({ rpcUrls, chainId })] as const]
    }),
  )
  return async (signed: SignedStatement, block: number | null) =>
    (await known.get(signed.network)?.(signed, block)) ?? false
}

function readersOf(config: Config, secondNodes: SecondNodes) {
  return new Map(
    networks
      .filter((network) => isWatched(config, network))
      .map((network) => {
        const { rpcUrls, usdcAddress: usdc, maxRangeBlocks } = config.networks[network]
        const secondNode = secondNodes.get(network) as SecondNode
        const options = { network, rpcUrls, usdc, maxRangeBlocks, secondNode }
        return [network, purchaseReaderOf(options)] as const
      }),
  )
}
