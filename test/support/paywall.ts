import { createPaywall } from '../../src/actors/paywall/paywall.ts'
import { paymentNetworks } from '../../src/chain/facilitator/networks.ts'
import { isSignedByPayer } from '../../src/chain/facilitator/payer-signature.ts'
import { readConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import type { NewClaim, PaymentName } from '../../src/storage/x402/payments.ts'
import { createLog, type Log } from '../../src/telemetry/log.ts'
import { testEnv } from './app.ts'
import type { TestDatabase } from './postgres.ts'
import { invoiceReferences } from './watcher.ts'

/** Of another process on this database. */
export async function paywallOf(
  { url, sql }: Pick<TestDatabase, 'url' | 'sql'>,
  env: Readonly<Record<string, string>>,
  log: Log = createLog('silent'),
) {
  const config = readConfig(testEnv(url, env))
  const secrets = await loadSecrets(config)
  return createPaywall({
    sql,
    networks: paymentNetworks({
      config,
      secrets,
      now: () => new Date(),
      steadyMs: () => performance.now(),
      log,
      secondNodes: new Map(),
    }),
    isReference: (nonce) => invoiceReferences.read(nonce) !== null,
    isSignedByPayer,
    steadyMs: () => performance.now(),
    log,
  })
}

export function newClaim(name: Omit<PaymentName, 'identifier'>): NewClaim {
  const owed = { usdcBase: 1n, payTo: '', asset: '' }
  return {
    ...name,
    identifier: null,
    ...owed,
    paymentHash: '0x01',
    requestHash: '0x02',
    validBefore: null,
  }
}
