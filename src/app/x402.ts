import { createPaywall } from '../actors/paywall.ts'
import { ChainError } from '../chain/chain.ts'
import { isSignedByPayer } from '../chain/facilitator/payer-signature.ts'
import { solanaAuthorization } from '../chain/solana/message.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { References } from '../domain/invoices/reference.ts'
import { type Network, networkNamed, networks } from '../domain/network.ts'
import { salesUsdcBase } from '../domain/x402/pricing.ts'
import { readAuthorization } from '../domain/x402/settlement.ts'
import { serverTime } from '../storage/postgres/database-server.ts'
import type { Sql } from '../storage/postgres/db.ts'
import * as Payments from '../storage/x402/payments.ts'
import type { Log } from '../telemetry/log.ts'
import { now, steadyMs } from './clock.ts'
import { remoteOf, settlingOn } from './x402-networks.ts'

type Parts = {
  readonly config: Config
  readonly secrets: Secrets
  readonly sql: Sql
  readonly references: References
  readonly log: Log
}

/** The paywall over the networks for which this service has a wallet. */
export function paywall({ config, secrets, sql, references, log }: Parts) {
  const remote = remoteOf(config)
  // Networks without a wallet too: there may be payments from when they had one.
  const settling = networks.map((network) =>
    settlingOn(network, secrets.wallets[network], config, remote, log),
  )
  const on = (network: Network) => settling.find((one) => one.network === network)
  const paywall = createPaywall({
    options: () => settling.flatMap(({ option }) => option() ?? []),
    signedPaymentIn(name, payload) {
      const network = networkNamed(name)
      if (network === undefined) return null
      return network === 'solana'
        ? solanaAuthorization(payload, now())
        : readAuthorization(network, payload)
    },
    isReference: (nonce) => references.read(nonce) !== null,
    facilitator: (network) => on(network)?.facilitator,
    reader: (network) => on(network)?.reader,
    store: {
      find: (claim) => Payments.findPayment(sql, claim),
      claim: (claim, otherKeys) => Payments.claimPayment(sql, claim, otherKeys),
      claimAgain: (claim) => Payments.claimAgain(sql, claim),
      note: (claim, txHash) => Payments.noteTransaction(sql, claim, txHash),
      forget: (claim) => Payments.forgetTransaction(sql, claim),
      pending: (claim) => Payments.markPending(sql, claim),
      settled: (key, txHash) => Payments.markSettled(sql, key, txHash),
      release: (claim) => Payments.releasePayment(sql, claim),
      keep: (key, answer) => Payments.keepAnswer(sql, key, answer),
      open: (between, limit) => Payments.openPayments(sql, between, limit),
    },
    isSignedByPayer,
    leastUsdcBase: BigInt(Math.min(...[...salesUsdcBase].map(Number))),
    now: () => serverTime(sql),
    isUntold,
    steadyMs,
    log,
  })
  const held = networks.filter((network) => secrets.wallets[network] !== null)
  const watched = held.filter((network) => config.networks[network].rpcUrls.length > 0)
  return {
    ...paywall,
    // On a chain that is not watched nobody would notice that a bought invoice is paid. Where none
    // is, nothing can be bought either: then the price is told all the same.
    networks: watched.length > 0 ? watched : held,
  }
}

/** Whether no node has answered, which may stay so: they may lack or refuse what was asked for. */
export function isUntold(error: unknown): boolean {
  return error instanceof ChainError
}
